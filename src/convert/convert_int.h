/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CONVERT_INT_H
#define CEL_CONVERT_INT_H

/* The tables behind cel_converter(), by source and target type, for the tests that hold
 * them against each other. */

#include "convert.h"

cel_convert_fn *const *const *cel_converters_portable(void);
bool cel_converters_avx2(cel_convert_fn *const *const **rows); /* false: the CPU has it not */

#endif
