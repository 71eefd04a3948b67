/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CLASSIC_INT_H
#define CEL_CLASSIC_INT_H

/* Inside the classic container. A file is a header, the fixed variables one after
 * the other, and then records: one slice of every record variable in turn. All
 * numbers are big-endian. */

#include "container.h"
#include "source.h"
#include "thread.h"

/* --- classic_io.c: a file, or memory ------------------------------------------ */

/* Small writes that follow one another wait here and go out together. */
struct cel_classic_staging {
    uint64_t at;
    size_t len;
    char *data; /* NULL: not needed yet */
};

/* Where short reads have come from lately: read in one call, handed out value by value. */
struct cel_classic_page {
    struct cel_mutex lock; /* files opened for reading are read by several threads */
    uint64_t at;
    size_t len;    /* 0: nothing of use */
    uint64_t last; /* number of the page of the last short read */
    char *data;    /* NULL: not needed yet */
};

struct cel_classic_io {
    bool in_memory;
    bool writable;
    struct cel_source *source; /* where bytes are read; NULL: in `mem`, which moves when it grows */
    int fd;                    /* of the source, for writing; -1: in memory, or not writable */
    struct cel_buf mem;
    bool borrowed; /* mem.data belongs to the caller and cannot grow */
    uint64_t size; /* with what is staged */
    struct cel_classic_staging staging;
    struct cel_classic_page page;
};
int cel_classic_io_read(struct cel_classic_io *io, uint64_t at, void *dst,
                        size_t n); /* NC_EIO with the offset if it ends before */
int cel_classic_io_read_over(struct cel_classic_io *io, uint64_t at, void *dst, size_t n); /* zeros beyond the end */
/* The bytes of the file where they are in memory: to be read, under the lock that guards them, or to be written, all n of
 * them, at once. NULL: they are not there, and nothing was done. */
const char *cel_classic_io_peek(const struct cel_classic_io *io, uint64_t at, size_t n);
char *cel_classic_io_poke(struct cel_classic_io *io, uint64_t at, size_t n);
int cel_classic_io_write(struct cel_classic_io *io, uint64_t at, const void *src, size_t n);
/* With nothing staged, from any thread; io->size is the caller's to keep. */
int cel_classic_io_write_part(const struct cel_classic_io *io, uint64_t at, const void *src, size_t n);
int cel_classic_io_flush(struct cel_classic_io *io);   /* write what is staged */
void cel_classic_io_forget(struct cel_classic_io *io); /* the file changes, or may have: read it anew */
void cel_classic_io_dispose(struct cel_classic_io *io);
int cel_classic_io_move(struct cel_classic_io *io, uint64_t from, uint64_t to, uint64_t n); /* may overlap */
int cel_classic_io_grow(struct cel_classic_io *io, uint64_t size); /* zeros up to there, unless longer already */
int cel_classic_io_reserve(struct cel_classic_io *io, uint64_t from,
                           uint64_t to); /* grow, and have the disk keep the space of [from, to) */
int cel_classic_io_truncate(struct cel_classic_io *io, uint64_t size); /* unless shorter already; with nothing staged */

/* --- the file: ds->container ------------------------------------------------------ */
struct classic {
    struct cel_mutex lock; /* guards io, the layout and every `done`; not needed for a file opened for reading */
    struct cel_classic_io io;
    int kind;               /* 1, 2 or 5: the byte after "CDF" */
    char *path;             /* written to at close when the file was made in memory with NC_PERSIST; else NULL */
    bool created;           /* by this process */
    bool acknowledged;      /* a program may count on the data in it: it was there, or nc_sync() said so */
    uint64_t begin_var;     /* where the fixed variables start */
    uint64_t begin_rec;     /* where the records start */
    uint64_t recsize;       /* bytes of one record */
    uint64_t numrecs;       /* records in the file */
    uint64_t numrecs_saved; /* as the header has it */
    bool laid_out;          /* there has been a layout: begins may only grow */
};

/* --- a variable: var->place ---------------------------------------------------------- */
struct cel_classic_var {
    uint64_t begin;
    uint64_t len; /* bytes, of one record for a record variable, rounded up to 4 */
    bool is_record;

    /* Fill values stay pending at first: what lies below `done` holds values or fill,
     * the rest gets fill when something beyond it is written or read, or at the end.
     * A variable written in order is so written once. In bytes of the variable's own,
     * records one after the other. */
    uint64_t done;
    unsigned char fill[8]; /* as in the file, what is pending */
};

static inline struct classic *cel_classic_of(const struct cel_dataset *ds)
{
    return ds->container;
}

static inline struct cel_classic_var *priv_of(const struct cel_var *var)
{
    return var->priv;
}

struct cel_classic_var *cel_classic_var_make(void); /* nothing is pending; NULL: no memory */

bool cel_classic_is_record(const struct cel_var *var);

/* --- classic_file.c -------------------------------------------------------------------- */
int cel_classic_share(struct cel_dataset *ds); /* all that was put goes to the file, the number of records last */

/* --- classic_header.c -------------------------------------------------------------------- */
int cel_classic_header_load(struct cel_dataset *ds);
int cel_classic_header_make(struct cel_dataset *ds, struct cel_buf *out); /* with the begins as they are */
int cel_classic_numrecs_write(struct cel_dataset *ds);
int cel_classic_numrecs_read(struct cel_dataset *ds); /* another process may have added records */

/* --- classic_layout.c ------------------------------------------------------------------------ */
int cel_classic_save(struct cel_dataset *ds);
int cel_classic_header_write(struct cel_dataset *ds);   /* at once, after all that was written before */
int cel_classic_lengths(struct cel_dataset *ds);        /* place and len of every variable, and recsize */
uint64_t cel_classic_end(const struct cel_dataset *ds); /* bytes the file should have */

/* --- classic_move.c ---------------------------------------------------------------------------- */
struct cel_classic_old_var {
    bool existed;
    uint64_t begin;
};
struct cel_classic_before {          /* the layout that the file has while another is made */
    struct cel_classic_old_var *var; /* by varid */
    uint64_t begin_var, begin_rec, recsize;
    bool laid_out;
};
int cel_classic_relocate(struct cel_dataset *ds,
                         const struct cel_classic_before *before); /* data and header, to where all lies now */

/* --- classic_fill.c ---------------------------------------------------------------------------- */
int cel_classic_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);
void cel_classic_defer_fill(struct cel_dataset *ds,
                            struct cel_var *var); /* all of a new variable, unless it has no fill */
int cel_classic_write_fill(struct classic *c, const struct cel_var *var,
                           uint64_t upto); /* so that done >= upto, if any is pending */
int cel_classic_write_all_fill(struct cel_dataset *ds);
bool cel_classic_holds(const struct classic *c, const struct cel_var *var,
                       uint64_t at); /* byte `at` of the file is its */
uint64_t cel_classic_part(const struct classic *c,
                          const struct cel_classic_var *p); /* bytes of its own in a record, or in all */

/* --- classic_data.c ---------------------------------------------------------------------------- */
int cel_classic_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                    const ptrdiff_t *stride, void *data);
int cel_classic_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                    const ptrdiff_t *stride, const void *data);

/* --- classic_value.c --------------------------------------------------------------------------- */
bool cel_classic_get_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *value,
                           bool exclusive);
bool cel_classic_put_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *value,
                           bool exclusive);

/* --- classic_locate.c -------------------------------------------------------------------------- */
int cel_classic_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index);
int cel_classic_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                             struct cel_chunk_location *out, char **key);

/* --- classic_peer.c ---------------------------------------------------------------------------- */
bool cel_classic_values_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                                  struct cel_value_place *out);

/* --- classic_row.c: one run of values, swapped on the way ------------------------------------------ */
enum { CLASSIC_WINDOW = 256 << 10 }; /* bytes that are read, or written, to reach many short rows at once */
enum { CLASSIC_GAP = 8 << 10 };      /* reading over so many bytes costs less than one more call */
int cel_classic_get_row(struct cel_classic_io *io, uint64_t at, char *to, size_t n, size_t size);
int cel_classic_put_row(struct cel_classic_io *io, uint64_t at, const char *from, size_t n, size_t size);

/* nrows rows of n elements, `pitch` bytes apart in the window and side by side in `to`; or the other way. */
void cel_classic_unpack_rows(char *to, const char *window, size_t pitch, size_t nrows, size_t n, size_t size);
void cel_classic_pack_rows(char *window, const char *from, size_t pitch, size_t nrows, size_t n, size_t size);

#endif
