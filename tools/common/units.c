/* SPDX-License-Identifier: BSD-3-Clause */
/* Three digits and a unit. */

#include "units.h"
#include <stdio.h>

const char *units_bytes(unsigned long long n, char text[UNITS_TEXT])
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double)n;
    int u = 0;

    while (v >= 999.5 && u < 6) {
        v /= 1000;
        u++;
    }
    snprintf(text, UNITS_TEXT, "%.*f %s", u == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, unit[u]);
    return text;
}

double units_ratio(unsigned long long values, unsigned long long stored)
{
    return stored ? (double)values / (double)stored : 0;
}
