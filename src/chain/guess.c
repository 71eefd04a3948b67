/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the name that a mistyped one is closest to. */
#include "spec.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Edit distance, for words of up to 31 characters. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[32], i, j;

    if (na > 31 || nb > 31)
        return 99;
    for (j = 0; j <= nb; j++)
        row[j] = j;
    for (i = 1; i <= na; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (j = 1; j <= nb; j++) {
            size_t change = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

            corner = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[nb];
}

void cel_guess_start(struct cel_guess *g)
{
    *g = (struct cel_guess){.distance = 3};
}

void cel_guess_try(struct cel_guess *g, const char *typed, size_t len, const char *candidate)
{
    size_t d = distance(typed, len, candidate, strlen(candidate));

    if (d >= g->distance || d >= len)
        return;
    g->distance = d;
    snprintf(g->text, sizeof g->text, " (did you mean %s?)", candidate);
}
