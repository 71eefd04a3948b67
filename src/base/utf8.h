#ifndef CEL_UTF8_H
#define CEL_UTF8_H

#include <stdbool.h>

/* Whether the text is plain ASCII, and so its own normal form. */
bool cel_utf8_is_ascii(const char *text);

bool cel_utf8_valid(const char *text);

/* Copy in normal form C, yours to free. NC_EBADNAME when it is not UTF-8. */
int cel_utf8_normal(const char *text, char **out);

#endif
