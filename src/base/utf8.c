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

size_t cel_utf8_length(const char *text, size_t left)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] < 0x80                   ? 1
               : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
               : (c[0] & 0xf0) == 0xe0       ? 3
               : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                             : 0;

    if (!n || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] > 0x8f))
        return 0;
    return n;
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
