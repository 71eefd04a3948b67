/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SPEC_H
#define CEL_SPEC_H

/* The parser for the text spelling of filters: "2|zstd,level=3|307,9". */

#include "codec.h"

/* One constant of the specification's table ("-17b", "77", "1.5d") as one or two
 * words. On failure *at is the offending character, and the text says what was
 * expected. */
int cel_spec_constant(const char *text, size_t len, uint32_t words[2], size_t *n, size_t *at);

/* A value of 8 bytes in memory <-> its two words in memory, the low one first. */
void cel_spec_fix8(unsigned char *mem, bool big_endian);

/* One filter as written. It need not be available. */
struct cel_spec {
    unsigned id;
    const struct cel_codec *codec; /* the one its name or id stands for; NULL: none here */
    struct cel_words words;
    size_t column; /* of its id or name, from 0 */
};

/* All filters of a text; blank text has none. On failure *column is where. */
int cel_spec_parse(const char *text, struct cel_spec *out, size_t max, size_t *n, size_t *column);

/* cel_chain_parse for JSON, and cel_chain_print for JSON. */
struct cel_chain;
struct cel_buf;
struct cel_sharding;
int cel_chain_to_json(const struct cel_chain *c, int version, struct cel_buf *out);
struct cel_json;
int cel_chain_json_list(const struct cel_chain *c, int version, struct cel_json **out);
/* chain_shard.c: what a sharding_indexed object says; *codecs is the list within, borrowed. */
int cel_sharding_from_json(const struct cel_json *object, struct cel_sharding *out, const struct cel_json **codecs);
int cel_chain_from_json(const char *text, struct cel_chain *out, struct cel_sharding *sharding, size_t *column);

/* " (did you mean X?)" with the candidate closest to a mistyped name, if any is close; else "". */
struct cel_guess {
    char text[96];
    size_t distance;
};
void cel_guess_start(struct cel_guess *g);
void cel_guess_try(struct cel_guess *g, const char *typed, size_t len, const char *candidate);

#endif
