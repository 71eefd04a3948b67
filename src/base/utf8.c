/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes are UTF-8: no overlong forms, no halves of UTF-16 pairs, nothing above U+10FFFF. */
#include "utf8.h"
#include <string.h>

bool cel_utf8_is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

/* The Unicode standard's table of well-formed sequences (table 3-7): `n` bytes, of which the first is in
 * [first, last], the second in [low, high], and the others in [0x80, 0xbf]. */
static const struct form {
    unsigned char first, last, n, low, high;
} forms[] = {
    {0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static const struct form *find_form(unsigned char first)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (first >= forms[i].first && first <= forms[i].last)
            return &forms[i];
    return NULL;
}

size_t cel_utf8_length(const char *text, size_t left)
{
    const unsigned char *c = (const unsigned char *)text;
    const struct form *form = left ? find_form(c[0]) : NULL;

    if (!form || form->n > left)
        return 0;
    if (form->n > 1 && (c[1] < form->low || c[1] > form->high))
        return 0;
    for (size_t i = 2; i < form->n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return form->n;
}

bool cel_utf8_valid(const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t n = cel_utf8_length(text, left);

        if (!n)
            return false;
        text += n;
        left -= n;
    }
    return true;
}
