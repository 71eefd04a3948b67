/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers to and from text in the C locale. Shortest means fewest digits: a
 * value that has a form with DBL_DIG digits or fewer gets exactly that from
 * "%.*g", so three tries are enough, except for the few-digit subnormals. */
#include "number.h"
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t enter_c_locale(void)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale ? uselocale(c_locale) : (locale_t)0;
}

static void leave_c_locale(locale_t old)
{
    if (old)
        uselocale(old);
}

static bool special(double v, char *out)
{
    if (isfinite(v))
        return false;
    strcpy(out, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
    return true;
}

/* "1" is an integer in JSON and CDL alike; "1.0" is not. */
static void look_real(char *out)
{
    if (!strpbrk(out, ".e"))
        strcat(out, ".0");
}

void cel_print_double(double v, char out[CEL_NUMBER_MAX])
{
    locale_t old;

    if (special(v, out))
        return;
    old = enter_c_locale();
    for (int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
        snprintf(out, CEL_NUMBER_MAX, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    leave_c_locale(old);
    look_real(out);
}

void cel_print_float(float v, char out[CEL_NUMBER_MAX])
{
    locale_t old;

    if (special(v, out))
        return;
    old = enter_c_locale();
    for (int digits = fabsf(v) < FLT_MIN ? 1 : FLT_DIG; digits <= 9; digits++) {
        snprintf(out, CEL_NUMBER_MAX, "%.*g", digits, (double)v);
        if (strtof(out, NULL) == v)
            break;
    }
    leave_c_locale(old);
    look_real(out);
}

/* A NUL-terminated copy, so that strto* stops where the text ends. */
static bool copy_number(const char *text, size_t len, char *copy, size_t cap)
{
    if (len == 0 || len >= cap || !strchr("+-.0123456789", text[0]) || text[0] == '\0')
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return strlen(copy) == len;
}

bool cel_parse_double(const char *text, size_t len, double *out)
{
    char copy[1100], *end; /* the longest exact double has 1077 characters */
    locale_t old;

    if (!copy_number(text, len, copy, sizeof copy) || strspn(copy, "+-.0123456789eE") != len)
        return false;
    old = enter_c_locale();
    *out = strtod(copy, &end);
    leave_c_locale(old);
    return !*end && isfinite(*out);
}

bool cel_parse_int(const char *text, size_t len, int64_t *out)
{
    char copy[64], *end;

    if (!copy_number(text, len, copy, sizeof copy))
        return false;
    errno = 0;
    *out = strtoll(copy, &end, 10);
    return !*end && errno == 0;
}

bool cel_parse_uint(const char *text, size_t len, uint64_t *out)
{
    char copy[64], *end;

    if (!copy_number(text, len, copy, sizeof copy) || copy[0] == '-')
        return false;
    errno = 0;
    *out = strtoull(copy, &end, 10);
    return !*end && errno == 0;
}
