/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ARRAY_H
#define CEL_ARRAY_H

/* Regions of a variable to and from the user's memory. README.md in this folder
 * has the rules of the cache and of threads. */

#include "container.h"
#include "model.h"

/* What the user asked for. start, count, stride and imap have var->ndims entries;
 * count NULL: to the end of each dimension; stride NULL: all 1; imap (in elements,
 * may be negative) NULL: memory is packed, last dimension fastest. */
struct cel_region {
    const size_t *start;
    const size_t *count;
    const ptrdiff_t *stride;
    const ptrdiff_t *imap;
};

/* Check the region, split it by chunks, convert and write. memtype: the type of
 * `data`, or NC_NAT for the variable's own type. NC_ERANGE is answered after all
 * data has been written. Call these, and all below, without the dataset's lock. */
int cel_put_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                   nc_type memtype);
int cel_get_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                   nc_type memtype);

/* One value, with the dataset's lock held. false: it is not that simple, and nothing was done; call the functions above.
 * exclusive: nobody else is in the dataset. */
bool cel_put_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *data, nc_type memtype,
                   bool exclusive);
bool cel_get_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *data, nc_type memtype,
                   bool exclusive);
/* The same of a region, which may be of one value or not. */
bool cel_put_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                    nc_type memtype);
bool cel_get_single(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                    nc_type memtype);

/* Reads as cel_get_region does, and keeps nothing. imap is of no meaning. */
int cel_check_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region);

/* Encode and write every dirty chunk of a variable, or of all variables. */
int cel_array_flush(struct cel_dataset *ds, struct cel_var *var);
int cel_array_flush_all(struct cel_dataset *ds);

/* Chunks of puts that are over go to the container: before anything else of the dataset is saved in it. What fails is an
 * error of a later put, or sync. The dataset's lock may be held. And: they are forgotten. */
void cel_array_store_puts(struct cel_dataset *ds);
void cel_array_forget_puts(struct cel_dataset *ds);

/* The error of a put that failed and was not made good by another since; CEL_OK: none. */
int cel_array_check_failed_puts(struct cel_dataset *ds);

/* Forget the variable's cache, dirty or not. */
void cel_array_free(struct cel_var *var);

/* The cache settings of the variable changed: cached chunks beyond them are written and
 * forgotten. */
int cel_array_resize_cache(struct cel_dataset *ds, struct cel_var *var);

/* The largest errors that quantizing, and lossy filters while var->watch_loss is set,
 * have made on this variable since it was opened. */
void cel_array_worst_error(struct cel_dataset *ds, struct cel_var *var, double *max_abs, double *max_rel);

/* Bytes the variable's values take as they are stored. */
int cel_array_stored(struct cel_dataset *ds, struct cel_var *var, uint64_t *out);

/* To the first chunk behind index, or with `first` to the first of all, that may be stored, as far as the container can tell
 * (chunk_next); what is in memory is written before. CEL_ABSENT: there is none. */
int cel_array_next_chunk(struct cel_dataset *ds, struct cel_var *var, bool first, size_t *index);

/* Where one chunk lies as it is stored: chunk_locate of the container, after writing what is in memory. *key: of stores,
 * yours to free; else NULL. CEL_ABSENT: nothing is stored. NC_EINVALCOORDS: the array has no such chunk. */
int cel_array_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_chunk_location *out,
                     char **key);

/* The bytes of one chunk as they are stored, before any filter is undone. CEL_ABSENT: it was never written. NC_EINVAL: the
 * variable has no chunks. */
int cel_array_read_stored(struct cel_dataset *ds, struct cel_var *var, const size_t *index, struct cel_buf *out,
                          uint32_t *skipped);

/* All chunks of one variable into another, still encoded, where type, chunks,
 * filters, byte order and fill value are the same; else CEL_SKIP (then some may
 * have been copied). Chunks the output has already written are replaced. */
int cel_array_copy(struct cel_dataset *ds, struct cel_var *var, struct cel_dataset *to_ds, struct cel_var *to_var);

#endif
