/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_XML_H
#define CEL_XML_H

/* As much of XML as the answers of AWS's services have: elements without attributes that matter, and text. */

#include "buf.h"
#include <stdbool.h>

/* The next <name>text</name> from *at on, as it stands; false: there is none. */
struct cel_xml_text {
    const char *text;
    size_t len;
};
bool cel_xml_next(const char **at, const char *end, const char *name, struct cel_xml_text *inner);
int cel_xml_decode(struct cel_xml_text inner, struct cel_buf *out); /* entities; the buffer is ended by a NUL */
int cel_xml_encode(const char *text, struct cel_buf *out);

#endif
