/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_BLOSC2_INT_H
#define CEL_BLOSC2_INT_H

#include "b2_array.h"
#include "b2_frame.h"
#include "container.h"
#include "source.h"

enum { CEL_BLOSC2_ID = 32026 };                /* of the codec */
#define CEL_BLOSC2_SPECIAL ((uint64_t)1 << 63) /* in an address: the offset of a special chunk */
#define CEL_BLOSC2_SPECIAL_OF(kind) (CEL_BLOSC2_SPECIAL | (uint64_t)(kind) << 56)
#define CEL_BLOSC2_DIMS "_ARRAY_DIMENSIONS"
#define CEL_BLOSC2_NOTES "_netcdf"

struct blosc2_output;

/* A frame of Blosc2 with an array in it. */
struct blosc2_file {
    struct cel_source *source;
    unsigned char *header; /* the frame's layers lie in it */
    struct cel_b2_frame frame;
    struct cel_b2_array array;
    struct cel_b2_work *work;

    /* The chunk of offsets, encoded, and one block of it, decoded. `lock` guards the block, and `work` once it is open. */
    struct cel_mutex lock;
    unsigned char *index;
    struct cel_b2_header index_header;
    unsigned char *offsets;
    size_t block; /* which; SIZE_MAX: none yet */

    struct blosc2_output *output; /* the file in work; NULL: open for reading */
};

static inline struct blosc2_file *cel_blosc2_of(const struct cel_dataset *ds)
{
    return ds->container;
}

/* All n bytes, or an error. */
int cel_blosc2_read(struct blosc2_file *b, uint64_t at, void *dst, size_t n);

/* --- blosc2_file.c: the container of a new dataset, empty; close() frees it also after a failure */
int cel_blosc2_make(struct cel_dataset *ds, struct blosc2_file **out);

/* --- blosc2_type.c: NumPy's names of types. NULL: there is no such type here */
const struct cel_type *cel_blosc2_type(const char *text, size_t elem, bool *big_endian);
void cel_blosc2_type_name(const struct cel_type *type, bool big_endian, char name[CEL_B2_TYPE_MAX]);

/* --- blosc2_var.c */
int cel_blosc2_array_read(struct blosc2_file *b); /* from the header */
int cel_blosc2_var_load(struct cel_dataset *ds, struct blosc2_file *b);
/* The one step of its chain, from frame and array. */
int cel_blosc2_chain_make(const struct blosc2_file *b, struct cel_var *var, const struct cel_shape *shape);

/* --- blosc2_write.c: definitions and chunks of a file in work */
int cel_blosc2_create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);
int cel_blosc2_save(struct cel_dataset *ds);
int cel_blosc2_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);
int cel_blosc2_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                              size_t n, uint32_t skipped, struct cel_chunk_location *out);
int cel_blosc2_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                           const struct cel_chunk_location *at, const void *encoded, size_t n);
/* Where a chunk lies in the file in work; CEL_ABSENT. */
int cel_blosc2_slot_find(struct blosc2_file *b, size_t number, struct cel_chunk_location *out);

/* --- blosc2_publish.c: the complete file takes the place of the old one */
int cel_blosc2_sync(struct cel_dataset *ds);
int cel_blosc2_output_close(struct cel_dataset *ds, bool keep); /* always frees `output` */

/* --- blosc2_chunk.c */
int cel_blosc2_index_open(struct blosc2_file *b); /* reads the chunk of offsets */
int cel_blosc2_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out);
int cel_blosc2_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          const struct cel_chunk_location *at, struct cel_buf *out);
int cel_blosc2_chunk_fetch_size(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                                size_t *nbytes);
int cel_blosc2_chunk_fetch(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at,
                           size_t offset, size_t n, void *dst);
int cel_blosc2_chunk_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);

int cel_blosc2_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                            struct cel_chunk_location *out, char **key);

#endif
