/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CODEC_H
#define CEL_CODEC_H

#include "rank.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cel_buf;
struct cel_json;

/* The parameters of a codec as a list of 32-bit words: HDF5's cd_values. A 64-bit value takes two words,
 * the low one first. "Visible" words are what the user gives, and what inquiries show before a file is
 * written. "Working" words are what prepare() makes of them for one variable, and what an HDF5 file stores. */
#define CEL_WORDS_MAX 80
struct cel_words {
    size_t n;
    uint32_t w[CEL_WORDS_MAX];
};

/* A double in two words. */
double cel_words_double(const uint32_t *w);
void cel_words_set_double(double v, uint32_t *w);

/* What a codec may know of the chunks it will see. All of them have this shape. */
enum cel_kind { CEL_KIND_OTHER, CEL_KIND_INT, CEL_KIND_UINT, CEL_KIND_FLOAT, CEL_KIND_CHAR };
struct cel_shape {
    size_t elem_size; /* bytes of one element, >= 1 */
    enum cel_kind kind;
    bool big_endian; /* byte order of the elements in the chunk */
    int rank;        /* 0 when the chunk is a plain run of bytes */
    size_t dims[CEL_RANK_MAX];
    size_t nbytes; /* decoded size of a whole chunk */
    bool all_axes; /* an axis of length 1 is one of its axes, too, for codecs that otherwise drop them (zfp) */
    bool has_fill; /* fill[] holds one element, in the chunk's byte order */
    unsigned char fill[8];
};

/* One named parameter. The same row serves the text spec ("zstd,level=5"), the
 * Zarr JSON ({"level": 5}), the cd_values word, the range check and the help. */
#define CEL_LIST_TEXT 160
enum cel_param_kind {
    CEL_PARAM_INT,    /* signed, one word, two's complement */
    CEL_PARAM_UINT,   /* unsigned, one word */
    CEL_PARAM_BOOL,   /* one word, 0 or 1 */
    CEL_PARAM_CHOICE, /* one word: index into choices */
    CEL_PARAM_FLOAT,  /* IEEE single, one word */
    CEL_PARAM_DOUBLE, /* IEEE double, two words, low first */
    CEL_PARAM_LIST    /* several words, text for the user: see `list`. All 0 is the default */
};
/* Text <-> words, for what one number cannot say. */
struct cel_param_list {
    size_t nwords;
    const char *expected; /* what the text is, for errors */
    bool (*parse)(const char *text, size_t len, uint32_t *w);
    void (*print)(const uint32_t *w, char text[CEL_LIST_TEXT]); /* of any words */
};
enum {
    CEL_PARAM_REQUIRED = 1,  /* text and JSON must give it; cd_values must hold its word */
    CEL_PARAM_NO_JSON = 2,   /* not written to JSON (read if there) */
    CEL_PARAM_ELEM_SIZE = 4, /* 0 or absent: the element size of the variable */
    CEL_PARAM_EXTRA = 8      /* ours, beyond the words of the registered filter: its word is left
                              * out while it has its default (zstd's checksum) */
};
struct cel_param {
    const char *name; /* key in text; NULL ends the table */
    const char *json; /* key in JSON; NULL: the same as name */
    enum cel_param_kind kind;
    unsigned flags;
    int word;                   /* index of its first visible word */
    double min, max, fallback;  /* inclusive range, and the default */
    const char *const *choices; /* CEL_PARAM_CHOICE: names by value, NULL ends */
    const struct cel_param_list *list;
    int when_word;       /* with when_value != 0: the row counts only while */
    unsigned when_value; /* visible word when_word holds when_value; naming the */
                         /* parameter in text sets that word (zfp,rate=8) */
    const char *help;    /* a few words, for help and errors */
};

enum {
    CEL_CODEC_SAME_SIZE = 1,       /* output is exactly as long as input */
    CEL_CODEC_LOSSY = 2,           /* decode(encode(x)) may differ from x */
    CEL_CODEC_COMPRESSOR = 4,      /* meant to shrink: nc_inq_var_compress() looks for these */
    CEL_CODEC_CHECKSUM = 8,        /* adds a check, detects damage */
    CEL_CODEC_MAY_SKIP = 16,       /* encode() may answer CEL_SKIP */
    CEL_CODEC_NEEDS_PIXELS = 32,   /* input length must be a multiple of the element size */
    CEL_CODEC_NEEDS_ELEMENTS = 64, /* only as the first step, on the elements themselves */
    CEL_CODEC_OUTSIDE = 128,       /* from a plugin: runs under the plugin lock */
    CEL_CODEC_PLANES = 256,        /* output is as many byte planes as working word 0 says */
    CEL_CODEC_MIXES = 512, /* one value depends on several: padding must hold the fill value, which the codec knows */
    CEL_CODEC_SERIALIZES = 1024, /* Zarr version 3: it stands in place of the codec "bytes" */
    CEL_CODEC_BY_FORMAT = 2048   /* other bytes in a format that is maskless: see reformat */
};

/* A box of a chunk, in elements. */
struct cel_chunk_part {
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX];
};

/* An encoded chunk of n bytes: in memory, or to be fetched, n bytes at an offset that lie within it. */
struct cel_encoded {
    const unsigned char *bytes; /* NULL: fetch() has them */
    size_t n;
    int (*fetch)(const struct cel_encoded *e, size_t offset, size_t n, void *dst);
};

/* Calls piece(what, i) for every i below n, on all threads that have nothing else to do; n is 1 at least. Gives the failure of
 * the lowest i. */
typedef int cel_piece_fn(const void *what, size_t i);
typedef int cel_share_fn(size_t n, cel_piece_fn *piece, const void *what);

/* What one call of encode() or decode() is given besides the bytes. */
struct cel_coding {
    const struct cel_codec *codec;
    const struct cel_words *words; /* working parameters */
    const struct cel_shape *shape;
    void *context;       /* this worker's, from make_context; NULL if the codec has none */
    cel_share_fn *share; /* decode: for pieces of the chunk; NULL: on this thread alone */
    size_t planes;       /* encode: src is this many byte planes of n / planes bytes each, then n % planes
                    * bytes, because the step before has CEL_CODEC_PLANES and ran; 0: not known,
                    * or, in a chain, that src is no such planes */
    bool in_chain;       /* it runs as a step of one of Cellar's chains ... */
    size_t before;       /* ... behind this many other steps */
    bool whole;          /* decode: cap is exactly the size of the chunk at this step; bytes beyond it are not needed */
    bool maskless;       /* the format cannot note that a filter was left out for a chunk: CEL_SKIP fails there */
};

/* A codec is a constant table, the same for every variable and thread. */
struct cel_codec {
    const char *name;  /* in text: "zstd" */
    unsigned hdf5_id;  /* filter id */
    const char *label; /* name stored in HDF5 files: the registered plugin's own string */
    const char *zarr2; /* Zarr v2 "id"; NULL: "cellar.<name>" */
    const char *zarr3; /* Zarr v3 "name"; NULL: "cellar.<name>" */
    const char *about; /* one line for help */
    unsigned flags;
    const struct cel_param *params; /* NULL: none */

    /* Fewest and most visible words accepted at define time. Missing trailing
     * words take their parameter's default; more than max is an error. */
    size_t min_words, max_words;

    /* Optional: flags that hold with these words, beside those above. */
    unsigned (*flags_with)(const struct cel_words *words);

    /* Optional: checks of the visible words that the table cannot express. */
    int (*check)(const struct cel_words *visible);

    /* Optional: fits the codec to a variable. Refuses types and shapes that it cannot
     * encode, and sets *working (already a copy of *visible). Given words that are
     * working words already (read from a file), it leaves them as they are. */
    int (*prepare)(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                   struct cel_words *working);

    /* Optional: the visible words that working words came from (default: the
     * first max_words of them). */
    void (*reveal)(const struct cel_words *working, struct cel_words *visible);

    /* Optional: JSON that the table cannot express; then the table is not used
     * for JSON. version is 2 or 3; for 3 `config` is the "configuration" object. to_json
     * adds members; its words are complete (no default is missing). from_json sets
     * *visible (empty before); the table's ranges are checked afterwards. */
    int (*to_json)(const struct cel_words *visible, const struct cel_shape *shape, int version,
                   struct cel_json *config);
    int (*from_json)(const struct cel_json *config, int version, struct cel_words *visible);

    /* Most bytes encode() may write for n bytes in. NULL: n. */
    size_t (*bound)(const struct cel_coding *coding, size_t n);

    /* Most bytes that one encoded byte can stand for; 0: no limit known. A chunk
     * declared larger than its stored size times this is damaged. */
    size_t max_ratio;

    /* Optional: how many bytes src claims to decode to, unchecked; 0: unknown. For
     * callers that do not know the size of the chunk (plugins/). */
    size_t (*decoded_size)(const struct cel_coding *coding, const void *src, size_t n);

    /* Optional: what the working words say of the chunks (type, byte order, size), for
     * the same callers; false: nothing. A codec that looks at coding->shape has it. */
    bool (*shape_of)(const struct cel_words *working, struct cel_shape *out);

    /* Both write to dst[0..cap) and set *len. src and dst never overlap; src may
     * be unaligned; decode() must survive any src. encode() may return CEL_SKIP
     * with CEL_CODEC_MAY_SKIP. Errors start with the codec's name. A decode() that
     * fails only because dst is too small sets *len above cap. */
    int (*encode)(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);
    int (*decode)(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len);

    /* With CEL_CODEC_BY_FORMAT: makes an encoded chunk of one kind of format one of the other kind, maskless or not.
     * CEL_SKIP: this one must be decoded and encoded anew. */
    int (*reformat)(bool maskless, struct cel_buf *chunk);

    /* Optional: decodes a box of the chunk to dst, in C order, where that takes less than decode() of all. CEL_SKIP: not of
     * this chunk. */
    int (*decode_part)(const struct cel_coding *coding, const struct cel_encoded *src,
                       const struct cel_chunk_part *part, void *dst);
    /* With it: what share of the time for the whole chunk that takes, about; 0 to 1. */
    double (*part_share)(const struct cel_coding *coding, const struct cel_chunk_part *part);

    /* Optional: encode() and a shuffle of elements of `size` bytes behind it, in one pass; dst gets n bytes.
     * CEL_SKIP: not for this chunk; the caller then runs one after the other. */
    int (*encode_planes)(const struct cel_coding *coding, const void *src, size_t n, size_t size, void *dst);

    /* Optional: what a worker keeps between calls with equal words (compression
     * contexts, tables). Never shared between threads. */
    int (*make_context)(const struct cel_words *working, void **context);
    void (*free_context)(void *context);

    /* Filters from one number type to another: the visible words, counted from 1, that name the type of
     * the elements and the type stored (indices of dtype.h). 0: the filter is none of these. */
    int own_type, stored_type;

    const void *variant; /* for functions that several codecs share: what this one does in its own way */
    void *outside;       /* CEL_CODEC_OUTSIDE: the plugin's class */
};

/* The codecs linked into this build; NULL when there is none such. */
const struct cel_codec *cel_codec_by_name(const char *name, size_t len); /* also other common names */
const struct cel_codec *cel_codec_by_id(unsigned hdf5_id);
const struct cel_codec *cel_codec_by_zarr(const char *id, int version);
const struct cel_codec *cel_codec_at(size_t i); /* NULL after the last */

/* The registered name of a filter id, known or not built in: "SZ3" for 32024. NULL: unknown. */
const char *cel_codec_registered_name(unsigned hdf5_id);

#endif
