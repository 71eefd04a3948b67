/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_UNITS_H
#define TOOL_UNITS_H

/* Numbers for people. */

enum { UNITS_TEXT = 32 };

/* "812 B", "4.10 kB", "12.3 MB" in thousands; gives `text` back. */
const char *units_bytes(unsigned long long n, char text[UNITS_TEXT]);

/* How many bytes there would be for one that is stored; 0 when none is. */
double units_ratio(unsigned long long values, unsigned long long stored);

#endif
