/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_TIME_H
#define CDL_TIME_H

/* Times of the CF kind ("days since 1990-01-01", calendar "noleap") as date
 * strings, for ncdump -t and -i. */

#include "text.h"

struct cdl_clock {
    int calendar;
    int months;     /* months per unit; 0: the unit has a fixed length */
    double seconds; /* per unit, when months is 0 */
    long long year; /* the date counted from */
    int month, day;
    double second_of_day;
};

/* False when the units are not of this kind, or the calendar is not known. */
bool cdl_clock_parse(const char *units, const char *calendar, struct cdl_clock *out);

/* "1990-01-01", "1990-01-01 06", "1990-01-01 06:30", "1990-01-01 06:30:15" in quotes;
 * between stands for the blank between day and hour. */
void cdl_clock_print(const struct cdl_clock *c, double value, char between, struct text *out);

#endif
