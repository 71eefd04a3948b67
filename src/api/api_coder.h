/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_API_CODER_H
#define CEL_API_CODER_H

/* Inside cellar_coder_*(): filters for chunks that the caller stores. A request is divided into units, one for each innermost
 * chunk; every thread takes the next unit until there are no more. */

#include "api.h"
#include "buf.h"
#include "file.h"
#include "pool.h"
#include <cellar.h>
#include <stdatomic.h>

struct cellar_coder {
    struct cel_chain chain; /* of an innermost chunk */
    size_t size;            /* of an element */
    int rank;
    size_t len[CEL_RANK_MAX];   /* of a chunk of the grid */
    size_t inner[CEL_RANK_MAX]; /* of an innermost chunk: the same, where there are no shards */
    size_t per[CEL_RANK_MAX];   /* innermost chunks in one of the grid */
    size_t nslots;
    bool sharded, index_first;
    struct cel_chain index_chain;
    unsigned char *fill; /* one element */
    bool omit_empty;
};

/* Where an innermost chunk lies in its shard; offset and nbytes CODER_EMPTY: nowhere. */
#define CODER_EMPTY UINT64_MAX
struct coder_slot {
    uint64_t offset, nbytes;
    void *fresh; /* encoding: its bytes */
};

/* A chunk of the grid under way. */
struct coder_value {
    cellar_chunk *chunk;
    int fd;                  /* decoding from a file; -1: from memory, or not there */
    uint64_t size;           /* bytes it has */
    struct coder_slot *slot; /* shards: coder->nslots of them; else NULL */
    atomic_size_t left;      /* shards: innermost chunks that are not yet encoded */
};

struct coder_unit {
    struct coder_value *value;
    size_t slot;                   /* of the value; 0 where there are no shards */
    size_t inner_at[CEL_RANK_MAX]; /* the innermost chunk's place in the value, in chunks */
};

/* What one thread has. */
struct coder_worker {
    struct cel_scratch *scratch;
    struct cel_buf stored, decoded;
};

/* --- api_coder_box.c ------------------------------------------------------------------ */
struct coder_box {
    int rank;
    size_t n[CEL_RANK_MAX];
    ptrdiff_t memory_step[CEL_RANK_MAX], chunk_step[CEL_RANK_MAX]; /* in bytes */
    char *memory;
    size_t chunk_at; /* byte of the chunk */
    bool whole;      /* all of the chunk, and packed in memory */
};
/* The part of the box that lies in an innermost chunk; false: none. */
bool cel_coder_box(const struct cellar_coder *coder, const struct coder_unit *unit, struct coder_box *out);
bool cel_coder_box_is_all(const struct cellar_coder *coder, const struct coder_box *box);
void cel_coder_box_read(const struct cellar_coder *coder, const struct coder_box *box, const char *chunk);
void cel_coder_box_write(const struct cellar_coder *coder, const struct coder_box *box, char *chunk);
void cel_coder_box_fill(const struct cellar_coder *coder, const struct coder_box *box);
void cel_coder_fill(const struct cellar_coder *coder, char *chunk);
bool cel_coder_is_empty(const struct cellar_coder *coder, const char *chunk);

/* --- api_coder_file.c ------------------------------------------------------------------- */
int cel_coder_open(struct coder_value *value); /* CEL_ABSENT */
void cel_coder_close(struct coder_value *value);
int cel_coder_read(const struct coder_value *value, uint64_t offset, size_t n, struct coder_worker *w,
                   const void **out);
int cel_coder_put(const char *path, const struct cel_bytes *part, size_t n);
int cel_coder_remove(const char *path);

/* --- api_coder_shard.c ------------------------------------------------------------------ */
int cel_coder_shard_init(struct cellar_coder *coder, const struct cel_sharding *sharding);
int cel_coder_load_index(const struct cellar_coder *coder, struct coder_value *value, struct coder_worker *w);
int cel_coder_put_shard(const struct cellar_coder *coder, struct coder_value *value, struct coder_worker *w);

#endif
