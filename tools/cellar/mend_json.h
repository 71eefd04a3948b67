/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_MEND_JSON_H
#define CELLAR_MEND_JSON_H

/* The documents of a Zarr store as JSON text: whether they are whole, and what lies where in them. */

#include "text.h"

struct mend_span {
    const char *at;
    size_t n;
};

/* False: it is no JSON. *out, may be NULL: the same without space between its parts, which two texts that say the same share. */
bool mend_json_read(struct mend_span json, struct text *out);

/* The member of an object; false: it has none of this name, or is no JSON as far as that. */
bool mend_json_member(struct mend_span json, const char *name, struct mend_span *out);

/* The members that an array's document (".zarray" or "zarr.json") must have, and no others but those that it may have. What begins
 * with an underscore is anybody's. */
bool mend_json_is_array(const char *document, struct mend_span json);
bool mend_json_lacks(const char *document, struct mend_span json); /* one that it must have */

#endif
