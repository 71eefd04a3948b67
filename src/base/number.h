/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NUMBER_H
#define CEL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as text, the same whatever the program's locale is. */

#define CEL_NUMBER_MAX 40

/* The shortest decimal that reads back as exactly this value; always looks like
 * a real number ("1.0", "1e+30"). NaN and infinities: "NaN", "Infinity", "-Infinity". */
void cel_print_double(double v, char out[CEL_NUMBER_MAX]);
void cel_print_float(float v, char out[CEL_NUMBER_MAX]);

/* The whole text must be one number; false otherwise. Integers must fit. Reals:
 * decimal only, and not so large that they would become infinite. */
bool cel_parse_double(const char *text, size_t len, double *out);
bool cel_parse_int(const char *text, size_t len, int64_t *out);
bool cel_parse_uint(const char *text, size_t len, uint64_t *out);

#endif
