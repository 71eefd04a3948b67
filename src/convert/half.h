/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_HALF_H
#define CEL_HALF_H

/* IEEE float16 by its bits. */

#include <stdint.h>

float cel_half_to_float(uint16_t h);
uint16_t cel_float_to_half(float f); /* to the nearest, ties to even; too large becomes infinite */

/* bfloat16: the upper half of a float. */
float cel_bfloat_to_float(uint16_t b);
uint16_t cel_float_to_bfloat(float f);

#endif
