/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CHAIN_H
#define CEL_CHAIN_H

#include "codec.h"
#include <stdbool.h>

struct cel_buf;
struct cel_json;

#define CEL_CHAIN_MAX 32 /* as libhdf5: one bit per step in the skip mask */

/* One filter of a variable. A filter this build does not have is kept with its
 * id and words (or its JSON), so that headers can be shown and copied; it fails
 * on use only. */
struct cel_step {
    const struct cel_codec *codec; /* NULL: not available here */
    unsigned id;                   /* HDF5 id; 0: only its JSON name is known */
    bool optional;                 /* HDF5: may be skipped for a chunk */
    bool from_file;                /* visible holds the words as stored, not as given */
    bool fitted;                   /* working was made by a plugin that saw the variable */
    struct cel_words visible;
    struct cel_words working; /* valid once the chain is prepared */
    char *json;               /* codec == NULL and read from JSON: the source text; else NULL */
};

/* The filters of one variable, in encoding order. Constant once prepared, so
 * that every worker may use it at the same time. */
struct cel_chain {
    size_t n;
    struct cel_step *step;
    bool prepared;
    bool maskless; /* kept in a format that cannot leave a filter out for one chunk */
    char *object; /* Zarr's codec for elements without a fixed size, as JSON (chain_object.c); NULL: the format's own */
    struct cel_shape shape; /* valid once prepared */
};

/* --- building -------------------------------------------------------- */
void cel_chain_dispose(struct cel_chain *c);                            /* leaves an empty chain */
int cel_chain_copy(const struct cel_chain *from, struct cel_chain *to); /* unprepared copy */

/* The step with this id, or NULL. */
struct cel_step *cel_chain_find(const struct cel_chain *c, unsigned id);

/* The codec for an id: built in or from a plugin, as CELLAR_PLUGINS says; NULL: not available. */
const struct cel_codec *cel_chain_codec(unsigned id);

/* NC_ENOFILTER with a text: id, registered name, directories searched, what to do. */
int cel_chain_missing(unsigned id);

/* Make a step from id and cd_values: finds the codec (built in, then plugins),
 * fills in defaults, checks ranges. An id that is not available: NC_ENOFILTER. */
int cel_step_make(unsigned id, size_t nwords, const unsigned *words, struct cel_step *out);

/* The same for what a file says: an unknown id gives a step without codec, and
 * the words are kept as they are. */
int cel_step_from_file(unsigned id, bool optional, size_t nwords, const unsigned *words, struct cel_step *out);
void cel_step_dispose(struct cel_step *step);

/* The chain takes the step over. at > n means at the end. */
int cel_chain_insert(struct cel_chain *c, size_t at, struct cel_step *step);
void cel_chain_remove(struct cel_chain *c, size_t at);

/* The words as a user would give them, also for a step read from a file. */
void cel_step_reveal(const struct cel_step *step, struct cel_words *out);

/* The words that inquiries and the spelling by ids show: as given before the file is written, as stored
 * after it was opened. szip's are always shown as given, as in netCDF-C. */
void cel_step_shown(const struct cel_step *step, struct cel_words *out);

/* CEL_CODEC_* that hold for this step; 0: it has no codec. */
unsigned cel_step_flags(const struct cel_step *step);

/* --- three spellings --------------------------------------------------- */
enum cel_spelling { CEL_SPELL_IDS, CEL_SPELL_NAMES, CEL_SPELL_JSON2, CEL_SPELL_JSON3 };

/* Parses text of any spelling, recognized by its first character. On failure *column (from 0; may be NULL)
 * is the position of the error, and the error text says what was expected. */
int cel_chain_parse(const char *text, struct cel_chain *out, size_t *column);
int cel_chain_print(const struct cel_chain *c, enum cel_spelling spelling, struct cel_buf *out);

/* One codec object (version 2 has "id", 3 has "name"). An unknown codec gives a
 * step without codec that keeps its JSON. */
int cel_step_from_json(const struct cel_json *object, int version, struct cel_step *out);
int cel_step_to_json(const struct cel_step *step, const struct cel_shape *shape, int version, struct cel_json **out);

/* --- byte order: chain_order.c. elements: their type, as "<i4" ------------------- */
/* Whether a filter of the chain stores numbers of a type that it names. Only then may the other two be
 * called. */
bool cel_chain_changes_type(const struct cel_chain *c);
bool cel_chain_stores_big(const struct cel_chain *c, const char *elements);
void cel_chain_store_as(struct cel_chain *c, const char *elements, bool big);

/* --- shards: beside the chain, not in it ------------------------------------ */
/* Many chunks in one value of a Zarr store (version 3). */
struct cel_shards {
    int rank;
    size_t len[CEL_RANK_MAX]; /* of a shard, in elements */
    bool index_first;         /* its index lies at the start, not at the end */
    bool unchecked;           /* ... and has no crc32c */
};
/* What sharding_indexed in a chain's JSON says. */
struct cel_sharding {
    bool there;
    struct cel_shards shards; /* rank 0: its lengths are not given ("shard_shape") */
    int rank;
    size_t chunk[CEL_RANK_MAX]; /* of the chunks in a shard */
};
/* As cel_chain_parse; `sharding` NULL refuses sharding_indexed. */
int cel_chain_parse_sharded(const char *text, struct cel_chain *out, struct cel_sharding *sharding, size_t *column);
/* sharding_indexed with these codecs (taken over) for its chunks; with_shape: "shard_shape" is
 * a member, which a store's own metadata has elsewhere. */
int cel_shards_to_json(const struct cel_shards *s, const size_t *chunk, bool with_shape, struct cel_json *codecs,
                       struct cel_json **out);
int cel_shards_print(const struct cel_shards *s, const size_t *chunk, const struct cel_chain *c, struct cel_buf *out);

/* --- object codecs: beside the chain, not in it -------------------------------- */
enum { CEL_OBJECT_TEXT = 1, CEL_OBJECT_NUMBERS = 2, CEL_OBJECT_LISTS = 4 };
struct cel_object_codec {
    const char *name;
    unsigned takes;       /* CEL_OBJECT_*: elements it makes bytes of */
    bool in_v3;           /* Zarr version 3 has it, by the same name */
    const char *keys[10]; /* its parameters; NULL ends */
};
const struct cel_object_codec *cel_object_codec_find(const char *name); /* "json2", "numcodecs.json2"; NULL: none */
int cel_chain_object(const struct cel_chain *c,
                     const struct cel_object_codec **out); /* the one of this chain; NULL: none */
/* Keep it, where the JSON of a codec (either version) is one; CEL_ABSENT: it is none. strict: no
 * parameter that it does not have. */
int cel_chain_take_object(struct cel_chain *c, const struct cel_json *object, bool strict);
int cel_chain_keep_object(struct cel_chain *c, const struct cel_json *v2);                /* in place of any it had */
int cel_chain_object_json(const struct cel_chain *c, int version, struct cel_json **out); /* CEL_ABSENT: it has none */

/* --- running ------------------------------------------------------------ */
/* Fits every step to the chunks of a variable: makes working words, checks type and
 * shape. Steps without codec are left as they are. Working words already there (read
 * back from a file) are kept when keep_working is true. */
int cel_chain_prepare(struct cel_chain *c, const struct cel_shape *shape, bool keep_working);

/* For formats other than HDF5, before the chain is prepared: plugins with a set_local are asked for their
 * working words. */
int cel_chain_fit_plugins(struct cel_chain *c, const struct cel_shape *shape);

/* Whether a step has CEL_CODEC_MIXES. */
bool cel_chain_mixes(const struct cel_chain *c);

/* NC_ENOFILTER, with the text of cel_chain_missing, when a step has no codec. */
int cel_chain_usable(const struct cel_chain *c);

/* For formats that cannot leave a filter out for one chunk: refuses a chain with
 * a step that would have to be (szip after a compressor). */
int cel_chain_check_maskless(const struct cel_chain *c);

/* The scratch of one worker: two buffers and codec contexts. It grows to the largest chain that it has
 * run, and is kept between chunks. Never shared between threads. */
struct cel_scratch;
int cel_scratch_make(struct cel_scratch **out);
/* Codecs that decode a chunk in pieces get this to share them between threads. */
void cel_scratch_share(struct cel_scratch *scratch, cel_share_fn *share);
void cel_scratch_free(struct cel_scratch *scratch);

/* A buffer for a chunk that is then encoded with this scratch. It is the half of the scratch that the
 * second step writes to, so that a chunk costs two buffers and not three. */
int cel_scratch_input(struct cel_scratch *scratch, const struct cel_chain *c, void **out);

/* Encodes one chunk. src lies outside the scratch, or is the buffer of cel_scratch_input. *out points into
 * the scratch (or is src for an empty chain) and is valid until the scratch is used again. *skipped: bit i is
 * set when optional step i was left out. */
int cel_chain_encode(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                     const void **out, size_t *out_n, uint32_t *skipped);

/* Decode to exactly chain.shape.nbytes bytes in dst. `skipped` as stored. */
int cel_chain_decode(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                     uint32_t skipped, void *dst);

/* A box of the chunk alone, in C order, by chains that have parts. CEL_SKIP: not of this chunk. */
bool cel_chain_has_parts(const struct cel_chain *c);
double cel_chain_part_share(const struct cel_chain *c, const struct cel_chunk_part *part); /* of the time for all */
int cel_chain_decode_part(const struct cel_chain *c, struct cel_scratch *scratch, const struct cel_encoded *src,
                          const struct cel_chunk_part *part, void *dst);

/* Raises *loss to the largest error that encoding made in a chunk of numbers. Neither src nor the encoded
 * bytes lie in the scratch. */
struct cel_loss {
    double max_abs;
    double max_rel; /* relative to the value given */
};
bool cel_chain_is_lossy(const struct cel_chain *c);
int cel_chain_loss(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, const void *encoded,
                   size_t n, uint32_t skipped, struct cel_loss *loss);

/* For readers that do not want a chunk's elements in one row. A chain that starts with a shuffle is decoded
 * except for the shuffle; the reader then takes elements from the byte planes straight to where it needs
 * them. The planes lie in the scratch (or are src). */
struct cel_planes {
    const char *at;
    size_t n, size; /* elements; bytes of one, each in a plane of n */
};
bool cel_chain_has_planes(const struct cel_chain *c, uint32_t skipped);
int cel_chain_decode_planes(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                            uint32_t skipped, struct cel_planes *out);
/* The same into memory for a chunk, where they may be kept. */
int cel_chain_decode_planes_to(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                               uint32_t skipped, void *dst);
struct cel_planes cel_chain_planes(const struct cel_chain *c, const void *at);
/* n elements in a row; nontemporal: see cel_unshuffle_fn. */
void cel_planes_take(const struct cel_planes *planes, size_t from, size_t n, void *dst, bool nontemporal);
/* n elements, every `step`-th. */
void cel_planes_pick(const struct cel_planes *planes, size_t from, ptrdiff_t step, size_t n, void *dst);

/* Decodes a chunk of unknown size (text of variable length); out->max is the limit. No step may have been
 * left out. */
int cel_chain_decode_any(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, size_t n,
                         struct cel_buf *out);

/* Checks whether n stored bytes can be a chunk at all, before memory for the chunk is allocated. */
int cel_chain_plausible(const struct cel_chain *c, size_t n, uint32_t skipped);

/* Most bytes an encoded chunk may have. */
size_t cel_chain_bound(const struct cel_chain *c);

#endif
