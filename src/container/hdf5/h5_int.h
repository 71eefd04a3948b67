/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_INT_H
#define CEL_H5_INT_H

/* What the files of this folder share. Functions without "enter" in their
 * description expect the HDF5 lock to be held by the caller. */

#include "container.h"
#include "h5_deferred.h"
#include "h5_lib.h"
#include "h5_read.h"
#include "model.h"
#include <sys/types.h>

#define CEL_H5_NON_COORD "_nc4_non_coord_"

/* --- h5_lock.c: the one lock around libhdf5 -------------------------------- */
struct cel_h5_entry { /* libhdf5's error printing, put back on leaving */
    H5E_auto2_t print;
    void *data;
    bool silenced; /* false: it was silent already */
};
/* First use starts libhdf5. May be entered again by the thread that is inside. */
int cel_h5_enter(struct cel_h5_entry *entry);
void cel_h5_leave(const struct cel_h5_entry *entry);
/* Between these, entries of the calling thread are many: libhdf5 stays silent from one to the next. They may nest. */
void cel_h5_row_begin(void);
void cel_h5_row_end(void);

/* --- h5_convert_array.c ----------------------------------------------------- */
bool cel_h5_convert_arrays(void); /* once, when libhdf5 starts; false: it had no memory for it */

/* --- h5_error.c: libhdf5's error stack as one line --------------------------- */
/* "<what>: <innermost reason libhdf5 gives>" */
int cel_h5_fail(int code, const char *fmt, ...) CEL_PRINTF(2, 3);
bool cel_h5_of_machine(void);    /* was the last failure one of memory, or of the system? Asked once */
unsigned cel_h5_shortages(void); /* how often libhdf5 was short of memory: what it was doing may be half done */
bool cel_h5_chunk_missing(void); /* did the last call fail because the chunk was never written? */

/* --- h5_io.c: the bytes of a file, for libhdf5 and for ourselves ------------------- */
struct cel_h5_io {
    struct cel_source source; /* must be first: the file as it is now, for h5_read.h */
    /* who has it */
    char *path;            /* the name libhdf5 knows it by */
    pid_t owner;           /* a child after fork() must not write */
    char *folder;          /* where the files lie that this one names; NULL: none was asked for yet */
    char *real_folder;     /* the same when path is a link to the file; NULL: it is none */
    int refs;              /* we, and each open driver file of libhdf5; under lock */
    struct cel_mutex lock; /* guards refs, data, cap and eof */

    /* how it was opened */
    bool writable;
    bool other;   /* libhdf5 opened it by itself, as another file names it */
    bool fresh;   /* a create: the driver empties the file once libhdf5 agrees ... */
    bool emptied; /* ... and has done so */

    /* its length */
    uint64_t eof; /* as libhdf5 may assume it; under lock */
    uint64_t eoa; /* end of what libhdf5 has given out */

    /* a file of the system */
    int fd;                           /* -1: in memory */
    struct cel_h5_deferred *deferred; /* what is not in the file yet; NULL: in memory */
    uint64_t synced_begin;            /* under the HDF5 lock: raw data of libhdf5's between here ... */
    uint64_t synced_end;              /* ... and here lay there at the last sync, too */

    /* on a server, for reading alone; NULL: not there */
    struct cel_source *remote;

    /* in memory */
    char *data;
    size_t cap;
    bool fixed;   /* data is the caller's and cannot grow */
    bool closing; /* failed writes are noted in write_error, not reported to libhdf5 */
    int write_error;
};
int cel_h5_io_make(const char *path, struct cel_h5_io **out);
int cel_h5_io_set_file(struct cel_h5_io *io, int fd); /* its bytes are this file's; fd is io's from now on */
void cel_h5_io_retain(struct cel_h5_io *io);
int cel_h5_io_release(struct cel_h5_io *io); /* errno of closing the file, or 0 */
void cel_h5_io_unlock(struct cel_h5_io *io);

bool cel_h5_io_is_parents(const struct cel_h5_io *io);               /* writable, and we are a forked child */
bool cel_h5_io_defers(const struct cel_h5_io *io);                   /* a file that this process writes */
bool cel_h5_io_is_synced(const struct cel_h5_io *io, uint64_t addr); /* below the end of the last sync */
unsigned cel_h5_io_faults(struct cel_h5_io *io, int *e); /* writes that the disk refused so far; errno of the last */
int cel_h5_io_commit(struct cel_h5_io *io); /* see h5_commit.c; nothing to do for memory, readers and children */

/* Any thread, no lock needed. Reading beyond the end is an error. */
int cel_h5_io_read(struct cel_h5_io *io, uint64_t addr, void *data, size_t n);
/* in_place: over bytes of the same chunk, without filters, as of the last sync. */
int cel_h5_io_write(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place);

/* For the driver: errno, or 0. Reading beyond the end moves fewer bytes. */
int cel_h5_io_pread(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved);
int cel_h5_io_pwrite(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place);
void cel_h5_io_extend(struct cel_h5_io *io, uint64_t end); /* it is at least this long */
int cel_h5_io_truncate(struct cel_h5_io *io, uint64_t end);
int cel_h5_io_empty(struct cel_h5_io *io);

/* --- h5_io_open.c ------------------------------------------------------------------- */
/* made: a file that was not there before. An existing one is emptied later, by the driver. */
int cel_h5_io_create(struct cel_h5_io *io, const struct cel_location *where, bool clobber, bool *made);
int cel_h5_io_open(struct cel_h5_io *io, const struct cel_location *where);
int cel_h5_io_recover(struct cel_h5_io *io);                           /* what a writer that was killed left */
int cel_h5_io_write_out(const struct cel_h5_io *io, const char *path); /* memory to a file */

/* --- h5_driver.c: libhdf5's file driver over h5_io.c ---------------------------------- */
int cel_h5_driver_set(hid_t fapl, struct cel_h5_io *io); /* files made with fapl go through io */
bool cel_h5_driver_has(hid_t file);                      /* it is one of them */
/* Between the two a transfer of exactly this buffer is captured (its address and size) instead of made. */
void cel_h5_capture_start(const void *buffer);
bool cel_h5_capture_stop(uint64_t *addr, size_t *n); /* false: the buffer was never seen */
int cel_h5_os_error(void); /* errno of the driver's last failure in this thread, once; 0: none */

/* --- h5_other.c: files that a file names ------------------------------------------- */
struct cel_h5_file;
int cel_h5_io_open_other(const char *path, bool writable, struct cel_h5_io **out); /* errno, or 0 */
void cel_h5_other_flush(struct cel_h5_io *io);                                     /* the driver's, for such a file */
void cel_h5_other_close(struct cel_h5_io *io);
int cel_h5_others_flush(struct cel_dataset *ds); /* the files that ds names and has open */
int cel_h5_others_failed(void);                  /* what went wrong when libhdf5 wrote such files; asked once */
/* The address of an object, marked when it lies in another file. Marked ones are good for comparing only. */
uint64_t cel_h5_mark(struct cel_h5_file *f, const H5O_info_t *info);
uint64_t cel_h5_found_at(struct cel_h5_file *f, hid_t object);
bool cel_h5_is_in_other_file(uint64_t addr);
uint64_t cel_h5_same_file(uint64_t neighbour, uint64_t addr); /* addr, marked as its neighbour is */
/* The same for files that are read without libhdf5: those addresses are good for reading. */
uint64_t cel_h5_mark_outside(size_t number, uint64_t addr);
bool cel_h5_is_outside(uint64_t addr, size_t *number);
bool cel_h5_is_libhdf5s(uint64_t addr);  /* in another file, and not one of those */
uint64_t cel_h5_unmarked(uint64_t addr); /* as it stands in its file */

/* --- h5_mask.c: filter masks written in this session --------------------------------- */
struct cel_h5_mask {
    uint32_t skipped;
    size_t index[]; /* of the chunk; as many as the variable has dimensions */
};
struct cel_h5_masks {
    struct cel_h5_mask **slot;
    size_t cap, n; /* cap: a power of two, or 0 */
};
bool cel_h5_masks_find(const struct cel_h5_masks *m, const size_t *index, int ndims, uint32_t *skipped);
int cel_h5_masks_put(struct cel_h5_masks *m, const size_t *index, int ndims, uint32_t skipped);
void cel_h5_masks_dispose(struct cel_h5_masks *m);

/* --- private data of the model's objects (their member priv) ----------------------- */
struct cel_h5_file { /* dataset->container */
    struct cel_dataset *ds;
    struct cel_h5_io *io;

    /* libhdf5's */
    hid_t id;             /* -1: libhdf5 has not been asked for anything yet */
    hid_t string_type;    /* variable-length UTF-8 */
    unsigned long number; /* of this file; 0: not asked yet */

    /* ours: open for reading only, and of a kind that h5_read.h understands; libhdf5 is asked for what is unusual */
    bool own_reader;
    struct cel_source *cache; /* over io; NULL: there is none */
    struct cel_h5r_file read;
    struct cel_h5r_reader *reader;       /* NULL: not needed yet */
    struct cel_h5r_heap_budget att_left; /* strings and lists of attributes are kept: for all of them together */
    struct cel_vec outside;              /* struct cel_h5_outside *: other files that links lead to */

    /* what becomes of the file at close */
    bool made;    /* by this create: abort removes it */
    bool persist; /* memory that is written to ds->path */

    /* what is known of its contents */
    int marks;     /* attributes seen that only netCDF-4 files have */
    bool relink;   /* a scale was replaced: write every list of scales anew */
    int anonymous; /* types named so far that have no name in the file */
    bool types_loaded;
};
struct cel_h5_group {
    hid_t id; /* -1: not open; cel_h5_group_id() opens it */
    uint64_t addr;
    size_t first_found, end_found; /* while opening: its part of the list of variables ... */
    bool unnamed_atts;             /* ... and whether its attributes have types without names, */
    uint64_t att_addr;             /* or of a committed type which may have lost its name */
};
struct cel_h5_dim {
    uint64_t addr;        /* of its scale */
    bool has_own_dataset; /* a dataset of its own is the scale, not a variable */
    struct cel_buf users; /* struct cel_h5_user: new entries for REFERENCE_LIST */
};
struct cel_h5_type {
    struct cel_h5r_datatype *form; /* as committed, or as the first user of an unnamed type had it; NULL: not known */
    bool foreign;                  /* netCDF has no such type: it is listed as opaque */
    hid_t file;                    /* libhdf5's for the form, and for elements in memory; -1: not asked for yet */
    hid_t memory;
    uint64_t addr; /* 0: not committed */
    uint32_t sum;  /* cel_h5_header's type_sum; 0: not known */
};
struct cel_h5_var {
    /* the dataset */
    hid_t id;   /* -1: not open */
    char *link; /* name in the file where it is not the variable's */
    uint64_t addr;
    bool is_scale; /* the file's scale for dim[0] */

    /* its elements */
    hid_t memory; /* type they have in memory; -1 until loaded; not owned unless own_memory */
    bool own_memory;
    size_t fixed_string; /* strings of this many bytes in the file; 0: variable length or no strings */
    bool native;         /* the file's layout is memory's, but for byte order */
    bool swap;           /* and that differs */

    /* its chunks */
    size_t chunk_nbytes;
    struct cel_h5r_index *index; /* where they lie, read without libhdf5; NULL: libhdf5 finds them */
    struct cel_h5_own *own;      /* not in chunks, and read without libhdf5; NULL: libhdf5 reads it */
    bool raw_edges;              /* edge chunks are stored without filters and without saying so */
    bool masked;                 /* chunks with a mask may be there: look before allocating */
    struct cel_h5_masks masks;   /* written since opening */
    bool stale;                  /* libhdf5 remembers a wrong mask: reopen before it touches data itself */

    /* data that goes through libhdf5 */
    bool unflushed;                    /* written since the last flush */
    bool synced_known;                 /* contiguous: where its data lay at the last sync has been asked for ... */
    uint64_t synced_begin, synced_end; /* ... and is between these; equal: nowhere */
};

static inline struct cel_h5_file *cel_h5_file(const struct cel_dataset *ds)
{
    return ds->container;
}

/* Enter for this dataset, which libhdf5 then has open: fails in a forked child when the file is
 * open for writing. */
int cel_h5_enter_file(const struct cel_dataset *ds, struct cel_h5_entry *entry);
int cel_h5_enter_var(struct cel_var *var, struct cel_h5_entry *entry); /* the same, with its dataset open */
int cel_h5_refuse_untrusted(const struct cel_dataset *ds);             /* an error where libhdf5 must not be entered */

/* --- h5_priv.c: making and freeing it ------------------------------------------------ */
int cel_h5_group_make_priv(struct cel_group *group, hid_t id, uint64_t addr);
int cel_h5_dim_make_priv(struct cel_dim *dim, uint64_t addr, bool has_own_dataset);
int cel_h5_type_make_priv(struct cel_type *type, struct cel_h5_type **out);
int cel_h5_var_make_priv(struct cel_var *var, struct cel_h5_var **out);
void cel_h5_var_free_priv(struct cel_var *var);
void cel_h5_privs_free(struct cel_dataset *ds);
void cel_h5_synced_forget(struct cel_dataset *ds);    /* a sync was made: where contiguous data lay is asked again */
hid_t cel_h5_group_id(const struct cel_group *group); /* -1: it cannot be opened */
int cel_h5_var_open(struct cel_var *var);             /* its dataset, if it is not open yet */
const char *cel_h5_var_link(const struct cel_var *var);
uint64_t cel_h5_addr_of(hid_t object);

/* --- h5_file.c, h5_sync.c, h5_fact.c ------------------------------------------------- */
int cel_h5_create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);
int cel_h5_open(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options);
int cel_h5_file_start(struct cel_h5_file *f);       /* let libhdf5 open it, if it has not */
void cel_h5_chunk_io_begin(struct cel_dataset *ds); /* chunks are allocated whose bytes come later */
void cel_h5_chunk_io_end(struct cel_dataset *ds);
bool cel_h5_is_full(struct cel_dataset *ds);       /* much is deferred: call cel_h5_flush_deferred() soon */
int cel_h5_flush_deferred(struct cel_dataset *ds); /* what is deferred goes to the file, as by a sync */
int cel_h5_sync(struct cel_dataset *ds);
int cel_h5_file_drop(struct cel_h5_file *f); /* libhdf5 closes it, and what is deferred is written; f and io stay */
int cel_h5_close(struct cel_dataset *ds, bool keep, struct cel_memory *memory);
int cel_h5_fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out);
int cel_h5_library(char **out); /* its version, "1.10.8" */

/* For what lies at an address of a file that is read without libhdf5: the file's reader, for whoever holds the dataset's
 * lock, and the address as the file has it. CEL_ASK_LIBHDF5: there is none, or the address is libhdf5's. */
int cel_h5_reader(struct cel_h5_file *f, uint64_t *addr, struct cel_h5r_reader **out);

/* --- h5_ask.c ------------------------------------------------------------------------- */
/* As cel_h5r_object_read(), of the link `name`. */
int cel_h5_ask_object(const struct cel_group *group, const char *name, struct cel_h5r_object *out);

/* --- h5_load.c, h5_dims.c, h5_var.c ------------------------------------------------------ */
int cel_h5_load(struct cel_dataset *ds); /* the structure, all groups */
int cel_h5_load_var(struct cel_dataset *ds, struct cel_var *var);
int cel_h5_var_memory_type(struct cel_var *var); /* libhdf5's type for its elements, of a dataset that it has open */
int cel_h5_var_read_back(struct cel_var *var);   /* layout, filters and memory type from the open dataset */

/* --- h5_unreadable.c: what is not understood is listed ------------------------------------ */
/* CEL_OK: the failure rc was that of one object, now in the group's list under the name; else rc. */
int cel_h5_note(struct cel_group *group, int rc, const char *fmt, ...) CEL_PRINTF(3, 4);
int cel_h5_note_var(struct cel_var *var, int rc); /* the variable stays, without its data */

/* --- h5_type.c ---------------------------------------------------------------------------- */
int cel_h5_load_types(struct cel_dataset *ds);
int cel_h5_save_type(struct cel_type *type);
/* The model's type for a file's; addr: where it is committed, or 0. CEL_ABSENT: netCDF has none such. No lock is
 * needed. */
int cel_h5_type_of(struct cel_h5_file *f, const struct cel_h5r_datatype *form, uint64_t addr,
                   const struct cel_type **out);
int cel_h5_type_of_id(struct cel_h5_file *f, hid_t file_type, const struct cel_type **out);
int cel_h5_form_of_id(hid_t id, struct cel_h5r_datatype **out); /* after CEL_OK yours to free */
/* The type of elements in memory, and in a file in the byte order asked for. Borrowed. */
int cel_h5_memory_type(struct cel_h5_file *f, const struct cel_type *type, hid_t *out);
hid_t cel_h5_native_number(nc_type type);                          /* not to be closed */
hid_t cel_h5_native_type(hid_t file, const struct cel_type *type); /* h5_native.c: yours to close; below 0: none */
int cel_h5_file_type(struct cel_h5_file *f, const struct cel_type *type, int endian, hid_t *out);

/* --- h5_att.c ------------------------------------------------------------------------------- */
int cel_h5_load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var);
/* A text attribute of the root group, read without libhdf5; NULL: it is no text. CEL_ABSENT: there is none. */
int cel_h5_root_text(struct cel_h5_file *f, const char *name, char **out);
int cel_h5_save_atts(struct cel_h5_file *f, hid_t object, struct cel_atts *atts, bool fresh);
int cel_h5_att_write(hid_t object, const char *name, hid_t file_type, hid_t memory_type, int rank, const hsize_t *dims,
                     const void *data);              /* rank 0: scalar, -1: empty; replaces */
int cel_h5_att_drop(hid_t object, const char *name); /* if it is there */

/* --- h5_scale.c: dimension scales ------------------------------------------------------------- */
int cel_h5_scale_mark(hid_t dataset, const char *name, int dimid);
int cel_h5_scale_unmark(hid_t dataset);
int cel_h5_scale_attach(struct cel_var *var);               /* DIMENSION_LIST, and note it for the scales */
int cel_h5_scale_note_users(struct cel_dataset *ds);        /* REFERENCE_LIST of every scale noted */
int cel_h5_scale_list(struct cel_var *var, uint64_t *addr); /* object addresses in DIMENSION_LIST; 0: none */

/* --- h5_save.c ----------------------------------------------------------------------------------- */
int cel_h5_save(struct cel_dataset *ds);
int cel_h5_save_dim(struct cel_dim *dim);     /* a scale of its own */
int cel_h5_become_scale(struct cel_var *var); /* an open dataset: the scale of its first dimension */
bool cel_h5_is_coord(const struct cel_var *var);
int cel_h5_wanted_link(const struct cel_var *var, char **out);
int cel_h5_save_renames(struct cel_h5_file *f, struct cel_group *group); /* h5_rename.c */
int cel_h5_extend_coordinates(struct cel_dataset *ds); /* coordinate variables follow their dimension */
int cel_h5_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent);

/* --- h5_filter.c ---------------------------------------------------------------------------------- */
int cel_h5_filters_offer(void); /* our codecs, where libhdf5 has none of that id */
int cel_h5_filters_set(struct cel_var *var, hid_t dcpl);
int cel_h5_filters_get(struct cel_var *var, hid_t dcpl);

/* --- h5_chunk.c, h5_unchunked.c ------------------------------------------------------------------------- */
int cel_h5_chunk_find(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out);
int cel_h5_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index);
int cel_h5_stored_size(struct cel_dataset *ds, struct cel_var *var, uint64_t *out); /* h5_locate.c */
int cel_h5_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                        struct cel_chunk_location *out, char **key); /* h5_locate.c */
bool cel_h5_chunk_want(struct cel_dataset *ds, struct cel_var *var, const size_t *index);
int cel_h5_chunk_read(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                      const struct cel_chunk_location *at, struct cel_buf *out);
int cel_h5_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                          size_t n, uint32_t skipped, struct cel_chunk_location *out);
int cel_h5_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, const void *encoded, size_t n);

/* --- h5_peer.c: what other processes write ------------------------------------ */
bool cel_h5_chunk_lend(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at);
bool cel_h5_chunk_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_chunk_location *at, size_t n);
bool cel_h5_values_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                             struct cel_value_place *out);
int cel_h5_chunk_refresh(struct cel_var *var); /* before libhdf5 touches the data itself */
/* --- h5_outside.c, h5_virtual.c: other files and datasets that hold elements, without libhdf5 ------------ */
struct cel_h5_where { /* where a dataset lies that is read without libhdf5 */
    const struct cel_h5r_file *read;
    struct cel_h5_io *io;
    int depth;        /* virtual datasets that led here */
    uint64_t *looked; /* what they have looked at in virtual parts; NULL: none led here */
};
struct cel_h5_outside {
    struct cel_h5_io *io;
    struct cel_source *cache;
    struct cel_h5r_file read;
    struct cel_h5r_reader *reader;
};
int cel_h5_outside_prepare(
    struct cel_h5_io *from); /* where to look; one thread at a time, and so the first of these: */
/* The file that another one names, as libhdf5 looks for it. CEL_ABSENT: there is none. After CEL_OK yours to free. */
int cel_h5_outside_open(struct cel_h5_io *from, const char *name, struct cel_h5_outside **out);
void cel_h5_outside_free(struct cel_h5_outside *o);
struct cel_h5_outside *cel_h5_outside_at(const struct cel_h5_file *f, uint64_t addr); /* NULL: it is in none of those */
struct cel_h5_where cel_h5_where(struct cel_h5_file *f, uint64_t addr);
/* The object that a link to another file leads to, as a marked address; from: the address of the group that has it. */
int cel_h5_outside_find(struct cel_h5_file *f, uint64_t from, const struct cel_h5r_link *link, uint64_t *addr);
void cel_h5_outsides_free(struct cel_h5_file *f);

struct cel_h5_virtual;
/* The dataset and its file outlive it. Yours to free, also after a failure. One thread at a time. */
int cel_h5_virtual_make(const struct cel_h5_where *where, struct cel_h5r_reader *reader,
                        const struct cel_h5r_dataset *d, struct cel_h5_virtual **out);
void cel_h5_virtual_free(struct cel_h5_virtual *v);
const uint64_t *cel_h5_virtual_dims(const struct cel_h5_virtual *v); /* as long as what there is makes it */
int cel_h5_virtual_get(struct cel_h5_virtual *v, const struct cel_type *type, const struct cel_h5r_region *region,
                       size_t n, void *data);
int cel_h5_virtual_shape(const struct cel_h5_where *where, struct cel_h5r_reader *reader, uint64_t addr,
                         struct cel_h5r_object *out);

/* h5_external_io.c: the elements that other files hold, as a source that is yours to close. */
int cel_h5_external_open(const struct cel_h5_io *io, const struct cel_h5r_dataset *d, struct cel_source **out);
/* h5_own.c: what is read without libhdf5. Takes the dataset over; chain: its filters. */
int cel_h5_own_make(const struct cel_h5_where *where, struct cel_h5r_dataset *d, const struct cel_chain *chain,
                    struct cel_h5_own **out);
void cel_h5_own_free(struct cel_h5_own *own);
const struct cel_h5r_dataset *cel_h5_own_dataset(const struct cel_h5_own *own);
const uint64_t *cel_h5_own_dims(const struct cel_h5_own *own);
int cel_h5_own_read(struct cel_h5_own *own, const struct cel_type *type, const struct cel_h5r_region *region, size_t n,
                    void *data);                                                  /* any thread */
int cel_h5_own_locate(const struct cel_var *var, struct cel_chunk_location *out); /* as h5_locate.c says */
int cel_h5_own_get(const struct cel_var *var, const struct cel_h5r_region *region, size_t n, void *data);
int cel_h5_unchunked_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, void *data);
int cel_h5_unchunked_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, const void *data);
/* What libhdf5 writes from now on where contiguous data of this variable lay at the last sync is not deferred; 0 in both of
 * the file's bounds ends it. */
void cel_h5_synced_range_use(struct cel_var *var);

#endif
