#ifndef CEL_CLASSIC_INT_H
#define CEL_CLASSIC_INT_H

/* Inside the classic container. A file is a header, the fixed variables one after
 * the other, and then records: one slice of every record variable in turn. All
 * numbers are big-endian. */

#include "container.h"

/* --- classic_io.c: a file, or memory ------------------------------------------ */
struct classic_io {
    int fd;             /* -1: in memory */
    bool writable;
    struct cel_buf mem;
    bool borrowed;      /* mem.data belongs to the caller and cannot grow */
    uint64_t size;
};
int classic_io_read(struct classic_io *io, uint64_t at, void *dst, size_t n); /* NC_EIO with the offset if it ends before */
int classic_io_write(struct classic_io *io, uint64_t at, const void *src, size_t n);
int classic_io_move(struct classic_io *io, uint64_t from, uint64_t to, uint64_t n); /* may overlap */
int classic_io_grow(struct classic_io *io, uint64_t size); /* zeros up to there, unless longer already */

/* --- the file: ds->container ------------------------------------------------------ */
struct classic {
    struct classic_io io;
    int kind;           /* 1, 2 or 5: the byte after "CDF" */
    char *path;         /* written to at close when the file was made in memory with NC_PERSIST; else NULL */
    bool created;       /* by this process */
    uint64_t begin_var; /* where the fixed variables start */
    uint64_t begin_rec; /* where the records start */
    uint64_t recsize;   /* bytes of one record */
    uint64_t numrecs;   /* records in the file */
    uint64_t numrecs_saved; /* as the header has it */
    bool placed;        /* there has been a layout: begins may only grow */
};

/* --- a variable: var->place ---------------------------------------------------------- */
struct classic_var {
    uint64_t begin;
    uint64_t len;       /* bytes, of one record for a record variable, rounded up to 4 */
    bool is_record;
};

static inline struct classic *classic_of(const struct cel_dataset *ds)
{
    return ds->container;
}

static inline struct classic_var *place_of(const struct cel_var *var)
{
    return var->place;
}

/* The unlimited dimension; NULL: none. */
struct cel_dim *classic_record_dim(const struct cel_dataset *ds);
bool classic_is_record(const struct cel_var *var);

/* --- classic_header.c -------------------------------------------------------------------- */
int classic_header_load(struct cel_dataset *ds);
int classic_header_make(struct cel_dataset *ds, struct cel_buf *out); /* with the begins as they are */
int classic_numrecs_write(struct cel_dataset *ds);

/* --- classic_layout.c ------------------------------------------------------------------------ */
int classic_save(struct cel_dataset *ds);
int classic_lengths(struct cel_dataset *ds); /* place and len of every variable, and recsize */
uint64_t classic_end(const struct cel_dataset *ds); /* bytes the file should have */

/* --- classic_data.c ---------------------------------------------------------------------------- */
int classic_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                const ptrdiff_t *stride, void *data);
int classic_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                const ptrdiff_t *stride, const void *data);
int classic_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);
int classic_fill_var(struct cel_dataset *ds, const struct cel_var *var, uint64_t first_record, uint64_t nrecords);
bool classic_fills(const struct cel_dataset *ds, const struct cel_var *var);

#endif
