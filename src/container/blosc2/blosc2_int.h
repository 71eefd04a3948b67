#ifndef CEL_BLOSC2_INT_H
#define CEL_BLOSC2_INT_H

#include "b2_array.h"
#include "b2_frame.h"
#include "container.h"
#include "source.h"

/* A frame of Blosc2 with an array in it, open for reading. */
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
};

static inline struct blosc2_file *cel_blosc2_of(const struct cel_dataset *ds)
{
    return ds->container;
}

/* All n bytes, or an error. */
int cel_blosc2_read(struct blosc2_file *b, uint64_t at, void *dst, size_t n);

/* --- blosc2_type.c: NumPy's name of a type. NULL: there is no such type here */
const struct cel_type *cel_blosc2_type(const char *text, size_t elem, bool *big_endian);

/* --- blosc2_chunk.c */
int cel_blosc2_index_open(struct blosc2_file *b); /* reads the chunk of offsets */
int cel_blosc2_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          struct cel_chunk_location *out);
int cel_blosc2_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                          const struct cel_chunk_location *at, struct cel_buf *out);
int cel_blosc2_chunk_size(struct cel_dataset *ds, struct cel_var *var, const size_t *index, uint64_t *out);

int cel_blosc2_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                            struct cel_chunk_location *out, char **key);

/* --- blosc2_att.c: the layers of the trailer become attributes of the variable */
int cel_blosc2_atts_load(struct blosc2_file *b, struct cel_var *var);

#endif
