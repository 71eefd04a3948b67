/* SPDX-License-Identifier: BSD-3-Clause */
/* CF times. A date is a day number in its calendar plus seconds; every calendar
 * is one pair of functions between day number and year, month, day. */

#include "cdl_time.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MIXED, PROLEPTIC, JULIAN, NOLEAP, ALL_LEAP, DAYS_360 };

static const struct {
    const char *name;
    int calendar;
} calendars[] = {{"standard", MIXED},    {"gregorian", MIXED},  {"proleptic_gregorian", PROLEPTIC},
                 {"julian", JULIAN},     {"noleap", NOLEAP},    {"365_day", NOLEAP},
                 {"all_leap", ALL_LEAP}, {"366_day", ALL_LEAP}, {"360_day", DAYS_360}};

static const struct {
    const char *name;
    double seconds;
    int months;
} units_known[] = {{"second", 1, 0},  {"sec", 1, 0},   {"s", 1, 0},       {"minute", 60, 0},   {"min", 60, 0},
                   {"hour", 3600, 0}, {"hr", 3600, 0}, {"day", 86400, 0}, {"week", 604800, 0}, {"month", 0, 1},
                   {"season", 0, 3},  {"year", 0, 12}, {"yr", 0, 12}};

/* --- day numbers ------------------------------------------------------- */
static long long floor_div(long long a, long long b)
{
    return a / b - (a % b < 0);
}

/* Days from 0000-03-01 to the date in a calendar with leap years every 4 (and not
 * every 100 unless 400): counting from March puts the leap day last. */
static long long leap_days(long long y, bool gregorian)
{
    long long n = floor_div(y, 4);

    return gregorian ? n - floor_div(y, 100) + floor_div(y, 400) : n;
}

static long long day_of(long long y, int m, int d, bool gregorian)
{
    long long from_march = m > 2 ? m - 3 : m + 9;

    if (m <= 2)
        y--;
    return 365 * y + leap_days(y, gregorian) + (153 * from_march + 2) / 5 + d - 1;
}

static void date_of(long long day, bool gregorian, long long *y, int *m, int *d)
{
    long long year = floor_div(day * 400, gregorian ? 146097 : 146100), rest, march;

    while (365 * (year + 1) + leap_days(year + 1, gregorian) <= day)
        year++;
    while (365 * year + leap_days(year, gregorian) > day)
        year--;
    rest = day - 365 * year - leap_days(year, gregorian);
    march = (5 * rest + 2) / 153;
    *d = (int)(rest - (153 * march + 2) / 5) + 1;
    *m = (int)(march < 10 ? march + 3 : march - 9);
    *y = year + (*m <= 2);
}

static const int month_start[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

/* Calendars whose years are all alike: n days, with or without a 29 February. */
static int start_of(int month, bool leap)
{
    return month_start[month] + (leap && month >= 2);
}

static long long even_day_of(int calendar, long long y, int m, int d)
{
    if (calendar == DAYS_360)
        return 360 * y + 30 * (m - 1) + d - 1;
    return (calendar == ALL_LEAP ? 366 : 365) * y + start_of(m - 1, calendar == ALL_LEAP) + d - 1;
}

static void even_date_of(int calendar, long long day, long long *y, int *m, int *d)
{
    int length = calendar == DAYS_360 ? 360 : calendar == ALL_LEAP ? 366 : 365, rest;

    *y = floor_div(day, length);
    rest = (int)(day - *y * length);
    if (calendar == DAYS_360) {
        *m = rest / 30 + 1;
        *d = rest % 30 + 1;
        return;
    }
    for (*m = 1; *m < 12 && rest >= start_of(*m, length == 366); ++*m)
        ;
    *d = rest - start_of(*m - 1, length == 366) + 1;
}

/* The mixed calendar is Julian up to 1582-10-04 and Gregorian from 1582-10-15,
 * which follow one another; Julian day numbers lie 2 off the Gregorian count. */
enum { JULIAN_SHIFT = 2 };

static long long switch_day(void)
{
    return day_of(1582, 10, 15, true);
}

static long long calendar_day(int calendar, long long y, int m, int d)
{
    bool before = y < 1582 || (y == 1582 && (m < 10 || (m == 10 && d < 15)));

    switch (calendar) {
    case MIXED: return before ? day_of(y, m, d, false) - JULIAN_SHIFT : day_of(y, m, d, true);
    case PROLEPTIC: return day_of(y, m, d, true);
    case JULIAN: return day_of(y, m, d, false);
    default: return even_day_of(calendar, y, m, d);
    }
}

static void calendar_date(int calendar, long long day, long long *y, int *m, int *d)
{
    switch (calendar) {
    case MIXED:
        if (day < switch_day())
            date_of(day + JULIAN_SHIFT, false, y, m, d);
        else
            date_of(day, true, y, m, d);
        return;
    case PROLEPTIC:
    case JULIAN: date_of(day, calendar == PROLEPTIC, y, m, d); return;
    default: even_date_of(calendar, day, y, m, d);
    }
}

/* --- reading "<unit> since <date>" --------------------------------------- */
static bool find_calendar(const char *name, int *out)
{
    for (size_t i = 0; i < sizeof calendars / sizeof *calendars; i++)
        if (strcasecmp(calendars[i].name, name) == 0) {
            *out = calendars[i].calendar;
            return true;
        }
    return false;
}

static bool find_unit(const char *name, struct cdl_clock *out)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof units_known / sizeof *units_known; i++) {
        size_t known = strlen(units_known[i].name);
        if (strncasecmp(units_known[i].name, name, known) == 0 &&
            (len == known || (len == known + 1 && tolower((unsigned char)name[known]) == 's'))) {
            out->seconds = units_known[i].seconds;
            out->months = units_known[i].months;
            return true;
        }
    }
    return false;
}

static bool parse_time_of_day(const char *p, double *out)
{
    int hour = 0, minute = 0;
    double second = 0;

    while (isspace((unsigned char)*p) || *p == 'T')
        p++;
    if (*p && isdigit((unsigned char)*p) && sscanf(p, "%d:%d:%lf", &hour, &minute, &second) < 1)
        return false;
    *out = hour * 3600.0 + minute * 60.0 + second;
    return hour >= 0 && hour < 25 && minute >= 0 && minute < 60 && second >= 0 && second < 61;
}

static bool parse_date(const char *p, struct cdl_clock *out)
{
    int used = 0;

    out->month = out->day = 1;
    if (sscanf(p, "%lld%n", &out->year, &used) != 1)
        return false;
    if (used == 8 && p[used] != '-') { /* 19700101 */
        out->day = (int)(out->year % 100);
        out->month = (int)(out->year / 100 % 100);
        out->year /= 10000;
    }
    p += used;
    for (int part = 0; part < 2 && *p == '-'; part++) {
        if (sscanf(p + 1, "%d%n", part ? &out->day : &out->month, &used) != 1)
            return false;
        p += 1 + used;
    }
    if (out->month < 1 || out->month > 12 || out->day < 1 || out->day > 31)
        return false;
    return parse_time_of_day(p, &out->second_of_day);
}

bool cdl_clock_parse(const char *units, const char *calendar, struct cdl_clock *out)
{
    char unit[32], since[16];
    int used = 0;

    memset(out, 0, sizeof *out);
    if (sscanf(units, " %31s %15s %n", unit, since, &used) != 2 || strcasecmp(since, "since") != 0)
        return false;
    return find_calendar(calendar ? calendar : "standard", &out->calendar) && find_unit(unit, out) &&
           parse_date(units + used, out);
}

/* --- printing --------------------------------------------------------------- */
static void print_date(long long y, int m, int d, struct text *out)
{
    text_printf(out, "%s%04lld-%02d-%02d", y < 0 ? "-" : "", y < 0 ? -y : y, m, d);
}

static void print_time_of_day(double second, char between, struct text *out)
{
    int hour = (int)(second / 3600), minute = (int)((second - hour * 3600.0) / 60);
    double rest = second - hour * 3600.0 - minute * 60.0;

    if (second == 0)
        return;
    text_printf(out, "%c%02d", between, hour);
    if (minute || rest)
        text_printf(out, ":%02d", minute);
    if (rest == floor(rest) && rest)
        text_printf(out, ":%02d", (int)rest);
    else if (rest)
        text_printf(out, ":%f", rest);
}

/* Whole months: what lies below a month in the date counted from is dropped. */
static void print_months(const struct cdl_clock *c, double value, char between, struct text *out)
{
    long long add = (long long)(value * c->months), month = c->year * 12 + c->month - 1 + add;

    if (add) {
        print_date(floor_div(month, 12), (int)(month - 12 * floor_div(month, 12)) + 1, 1, out);
    } else {
        print_date(c->year, c->month, c->day, out);
        print_time_of_day(c->second_of_day, between, out);
    }
}

static void print_seconds(const struct cdl_clock *c, double value, char between, struct text *out)
{
    long double total = (long double)value * c->seconds + c->second_of_day;
    long double days = floorl(total / 86400), second = roundl((total - days * 86400) * 1e6L) / 1e6L;
    long long y;
    int m, d;

    if (second >= 86400) {
        second -= 86400;
        days++;
    }
    calendar_date(c->calendar, calendar_day(c->calendar, c->year, c->month, c->day) + (long long)days, &y, &m, &d);
    print_date(y, m, d, out);
    print_time_of_day((double)second, between, out);
}

void cdl_clock_print(const struct cdl_clock *c, double value, char between, struct text *out)
{
    if (!(fabs(value) < 1e12)) { /* NaN, infinities and what no calendar holds */
        text_printf(out, "%.15g", value);
        return;
    }
    text_putc(out, '"');
    if (c->months)
        print_months(c, value, between, out);
    else
        print_seconds(c, value, between, out);
    text_putc(out, '"');
}
