/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSC2_PACK_H
#define CEL_BLOSC2_PACK_H

/* Values of MessagePack, as far as attributes have them: text, bytes, numbers, lists of numbers or of text, maps. */

#include "buf.h"
#include "model.h"

struct cel_pack {
    const unsigned char *bytes;
    size_t n, at;
};

/* One marker with the number behind it; `at` moves behind both. */
struct cel_pack_item {
    char kind; /* u, i, f numbers; s text, b bytes, x of a user: n bytes follow; a list, m map: n values or pairs
                  follow; t true or false; n nothing; 0: damaged */
    uint64_t n;
    int64_t i;
    double f;
    nc_type type; /* of a number with a size of its own; NC_NAT: it has none */
};
struct cel_pack_item cel_pack_take(struct cel_pack *p);
/* The bytes of text or bytes that were taken; NULL: they are not there. */
const unsigned char *cel_pack_bytes(struct cel_pack *p, const struct cel_pack_item *item);
/* One value of any kind; false: damaged. */
bool cel_pack_skip(struct cel_pack *p);

/* One value as an attribute. typed: numbers have the type that their size says, else they become 64-bit integers or
 * doubles. CEL_ABSENT: no value that an attribute can have, or damaged; `at` is then anywhere. */
int cel_pack_take_att(struct cel_pack *p, bool typed, struct cel_atts *atts, const char *name);

/* Writing, at the end of a buffer. */
int cel_pack_put_text(struct cel_buf *out, const char *text, size_t n); /* bytes where it is no UTF-8 */
int cel_pack_put_list(struct cel_buf *out, size_t n);                   /* n values follow */
int cel_pack_put_map(struct cel_buf *out, size_t n);                    /* n names and values */
int cel_pack_put_true(struct cel_buf *out);
int cel_pack_put_att(struct cel_buf *out, const struct cel_att *att);

#endif
