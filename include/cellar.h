/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that netCDF lacks: error messages, the number of threads, filter chains as text,
 * the error of lossy compression. Unless stated otherwise, every function returns NC_NOERR or
 * one of netcdf.h's codes, and may be called from any thread.
 *
 * The scope of each setting:
 *
 *     process   cellar_set_threads, cellar_set_strict, cellar_set_untrusted, cellar_prefer_plugins;
 *               nc_set_default_format, nc_set_chunk_cache, nc_set_alignment, nc_set_log_level,
 *               nc_plugin_path_set, nc_rc_set
 *     thread    the texts of cellar_error, cellar_error_part and cellar_warning; cellar_set_storage
 *     file      cellar_set_cf_quantization; nc_set_fill
 *     variable  cellar_watch_var_loss; nc_set_var_chunk_cache
 *
 * An example: write a compressed variable, and print the reason if that fails.
 *
 *     #include <cellar.h>
 *     #include <stdio.h>
 *
 *     static int write_field(const char *path, const float *values)
 *     {
 *         double max_abs = 0, max_rel = 0;
 *         char *chain = NULL;
 *         int ncid, dim, var, rc = nc_create(path, NC_NETCDF4, &ncid);
 *
 *         if (rc != NC_NOERR)
 *             return rc;
 *         rc = nc_def_dim(ncid, "x", 1000, &dim);
 *         if (rc == NC_NOERR)
 *             rc = nc_def_var(ncid, "t2m", NC_FLOAT, 1, &dim, &var);
 *         if (rc == NC_NOERR)
 *             rc = nc_def_var_quantize(ncid, var, NC_QUANTIZE_BITROUND, 12);
 *         if (rc == NC_NOERR)
 *             rc = cellar_def_var_chain(ncid, var, "shuffle|deflate,level=5");
 *         if (rc == NC_NOERR)
 *             rc = nc_put_var_float(ncid, var, values);
 *         if (rc == NC_NOERR)
 *             rc = cellar_inq_var_loss(ncid, var, &max_abs, &max_rel);
 *         if (rc == NC_NOERR)
 *             rc = cellar_inq_var_chain(ncid, var, CELLAR_NAMES, &chain);
 *         if (rc == NC_NOERR)
 *             printf("%s: values changed by at most %g\n", chain, max_abs);
 *         else
 *             fprintf(stderr, "%s\n", cellar_error());
 *         cellar_free(chain);
 *         nc_close(ncid);
 *         return rc;
 *     }
 */
#ifndef CELLAR_H
#define CELLAR_H

#include "netcdf.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The version of this header; cellar_version() returns that of the library in use, "0.2.0". */
#define CELLAR_VERSION_MAJOR 0
#define CELLAR_VERSION_MINOR 2
#define CELLAR_VERSION_PATCH 0
#define CELLAR_VERSION "0.2.0"
EXTERNL const char *cellar_version(void);

/* Releases memory that the library allocated for the caller, such as every text returned through a char **. NULL is fine. */
EXTERNL void cellar_free(void *memory);

/* --- errors -------------------------------------------------------------------- */

/* Why the last call of this thread failed: one sentence with the file, variable, chunk and
 * filter that it concerns; "" if it did not fail. Valid until the thread's next call into
 * the library. */
EXTERNL const char *cellar_error(void);

/* One part of that sentence; "" if the error does not concern such a part. */
enum cellar_part { CELLAR_FILE, CELLAR_VARIABLE, CELLAR_CHUNK, CELLAR_FILTER };
EXTERNL const char *cellar_error_part(enum cellar_part part);

/* The last thing that the library did differently from what this thread requested; "" if there is none. */
EXTERNL const char *cellar_warning(void);

/* on: a filter on strings or lists, and a plugin that decodes to more bytes than the chunk has, are errors instead of
 * warnings. -1: use CELLAR_STRICT. */
EXTERNL int cellar_set_strict(int on);

/* on: existing files are not trusted (SECURITY.md). HDF5 files are opened for reading only and without libhdf5, no plugin is
 * loaded, and no link or name in a file leads to another file; what cannot be read under these rules is refused with an
 * explanation. Files that this program creates are written as usual. -1: use CELLAR_UNTRUSTED. */
EXTERNL int cellar_set_untrusted(int on);

/* Servers and credentials for datasets that this thread opens or creates from now on, in place of the environment.
 * settings: pairs of the name of an environment variable (those of docs/network.md that begin with AWS) and its value, then
 * NULL; a value of NULL means not set. They are copied, and kept as long as such a dataset is open. settings NULL: use the
 * environment again; cellar_error() keeps its text. NC_EINVAL: an unknown name; nothing has changed. */
EXTERNL int cellar_set_storage(const char *const *settings);

/* --- what cannot be read ----------------------------------------------------------- */

/* The number of objects in the group that the library does not understand; everything else in the file
 * works. Counting them reads the headers of the group's variables. */
EXTERNL int cellar_inq_nunreadable(int ncid, int *n);

/* One of them, counted from 0: its name and a sentence that says why. Release both with cellar_free(). "t2m" is a variable,
 * group or type, "t2m:units" an attribute of a variable, ":title" an attribute of the group. If nc_inq_varid still finds
 * the variable, its header is known, and reading its data fails for this reason. */
EXTERNL int cellar_inq_unreadable(int ncid, int index, char **name, char **reason);

/* --- threads --------------------------------------------------------------------- */

/* The number of threads that encode and decode. 0: CELLAR_NUM_THREADS, or the cores that this
 * process may use; 1: only the calling thread. NC_EINVAL outside 0..1024. */
EXTERNL int cellar_set_threads(int n);
EXTERNL int cellar_get_threads(void);

/* --- filters ----------------------------------------------------------------------- */

enum cellar_spelling {
    CELLAR_IDS,   /* 2|32015,3 */
    CELLAR_NAMES, /* shuffle|zstd,level=3 */
    CELLAR_JSON,  /* Zarr version 2: [{"id":"shuffle",...},...] */
    CELLAR_JSON3  /* Zarr version 3: [{"name":"shuffle",...},...] */
};

/* Replaces the filters of a variable by those that the text names, in that order; "" removes
 * all. The spelling is detected. For NC_EINVAL and NC_EFILTER the error message names the column. */
EXTERNL int cellar_def_var_chain(int ncid, int varid, const char *text);

/* The variable's filters as text. Release it with cellar_free(). */
EXTERNL int cellar_inq_var_chain(int ncid, int varid, enum cellar_spelling spelling, char **text);

/* on: a plugin replaces the built-in filter of the same id. -1: use CELLAR_PLUGINS. */
EXTERNL int cellar_prefer_plugins(int on);

/* The available filters, counted from 0: the built-in ones, then those of plugins, which this call loads. NC_ENOFILTER after the
 * last. name: as in a chain; origin: the plugin's library, "" if built in. Release both with cellar_free(). */
EXTERNL int cellar_inq_codec(int index, char **name, unsigned *id, char **origin);

/* Libraries and directories of the plugin path that were not used, counted from 0, and why. NC_EINVAL after the last. Release both
 * texts with cellar_free(). */
EXTERNL int cellar_inq_plugin_note(int index, char **path, char **why);

/* The version of libhdf5 in use, such as "1.10.8". Release it with cellar_free(). This loads libhdf5 if necessary; the error
 * message says why it cannot be loaded. */
EXTERNL int cellar_inq_hdf5(char **version);

/* --- values as they are stored ------------------------------------------------------- */

/* The number of bytes that the variable's values take in the file, after its filters. */
EXTERNL int cellar_inq_var_stored(int ncid, int varid, unsigned long long *bytes);

/* Where one stored chunk lies; each of the last four pointers may be NULL. index: the chunk's index along each dimension,
 * in units of the lengths that nc_inq_var_chunking() returns. For a variable without chunks all are 0, and its values are one
 * piece; for a record variable of a classic file the first index is the record.
 *   address   of its first byte, in the file or in the store's value `key`. CELLAR_NO_ADDRESS: the chunk was never
 *             written, or has no address of its own (inside metadata or a compressed shard, or in another file)
 *   size      its stored bytes; 0: it was never written and reads as the fill value
 *   skipped   HDF5's filter mask: the filters that were not applied to this chunk; bit 0 is the first
 *   key       the key of its value in a store, "" in a file. Release it with cellar_free() */
#define CELLAR_NO_ADDRESS (~0ull)
EXTERNL int cellar_inq_chunk(int ncid, int varid, const size_t *index, unsigned long long *address,
                             unsigned long long *size, unsigned *skipped, char **key);

/* Iterates over the stored chunks of a variable, the last dimension fastest:
 *
 *     size_t index[NC_MAX_VAR_DIMS];
 *     int more = 0;
 *     while ((status = cellar_next_chunk(ncid, varid, index, &more)) == NC_NOERR && more)
 *         ... cellar_inq_chunk(ncid, varid, index, ...)
 *
 * If *more is 0, index becomes the first chunk, otherwise the one after index; then *more is 0 if there is none. The time is
 * proportional to the number of stored chunks, however many were never written. The iteration may include chunks that were never
 * written (a few in stores; all in HDF5 files that are open for writing or that only libhdf5 can read): cellar_inq_chunk()
 * tells them apart. index is as above. If the file's chunk index is damaged, the call fails and changes neither. */
EXTERNL int cellar_next_chunk(int ncid, int varid, size_t *index, int *more);

/* The *size stored bytes of one chunk. Release them with cellar_free(). NULL and 0: the chunk was never written.
 * NC_EINVAL: the variable has no chunks. size and skipped may be NULL. */
EXTERNL int cellar_get_chunk(int ncid, int varid, const size_t *index, size_t *size, unsigned *skipped, void **bytes);

/* Reads a region as nc_get_vara() does, but returns no values: decodes every stored chunk that the region touches, checking its
 * checksums, on all threads. The first failure is returned; its text names the chunk. */
EXTERNL int cellar_check_vara(int ncid, int varid, const size_t *start, const size_t *count);

/* All keys of a store, one after the other, each terminated by a NUL, with an empty key at the end. Release them with
 * cellar_free(). A file has no keys. */
EXTERNL int cellar_inq_keys(int ncid, char **keys);

/* Copies a variable's chunks without decoding them into a variable of the same type, shape,
 * chunks, filters, byte order and fill value, and sets *as_stored (may be NULL) to 1. If these
 * differ, *as_stored is 0 and nothing is copied: the caller copies the values. Both files must
 * be in data mode. */
EXTERNL int cellar_copy_var_chunks(int ncid_in, int varid_in, int ncid_out, int varid_out, int *as_stored);

/* --- Zarr ----------------------------------------------------------------------------- */

/* Zarr version 3: packs chunks into shards of these lengths (in elements, one per dimension,
 * multiples of the chunk's); each shard is one value of the store. NULL: no shards. The same can
 * be given as sharding_indexed in a chain's JSON: there "chunk_shape" divides "shard_shape", or,
 * without that, the lengths given to nc_def_var_chunking. NC_ENOTNC4 in other formats. */
EXTERNL int cellar_def_var_shards(int ncid, int varid, const size_t *lengths);
EXTERNL int cellar_inq_var_shards(int ncid, int varid, int *sharded, size_t *lengths);

/* Zarr version 2: the codec that converts elements without a fixed size to bytes, as JSON:
 * {"id": "vlen-utf8"}, {"id": "json2"}, {"id": "categorize", "labels": [...]} for strings, {"id": "json2"} also for
 * numbers, {"id": "vlen-array"} for lists (the only one). NULL: the format's default (strings of fixed length).
 * The same object may stand at the head of a chain's JSON. NC_ENOTNC4 in other formats. The inquiry returns "" for none.
 * Release its text with cellar_free(). */
EXTERNL int cellar_def_var_object_codec(int ncid, int varid, const char *json);
EXTERNL int cellar_inq_var_object_codec(int ncid, int varid, char **json);

/* --- chunks that the caller stores -------------------------------------------------------- */

/* A coder runs filters on chunks that are stored elsewhere: in another library's Zarr store, in messages, in memory.
 * It does not change: any number of threads may use it at the same time. */
typedef struct cellar_coder cellar_coder;

typedef struct {
    size_t size;           /* bytes of one element */
    char kind;             /* 'i', 'u', 'f'; anything else: bytes that codecs do not interpret */
    int rank;              /* number of dimensions of a chunk */
    const size_t *lengths; /* its lengths in elements; for Zarr the chunk shape of the grid */
    const void *fill;      /* one element, the value of absent chunks; NULL: zeros */
    int omit_empty;        /* encoding: do not write a chunk that holds only fill values */
} cellar_chunk_shape;

/* chain: as for cellar_def_var_chain(). With sharding_indexed each chunk is a shard of many inner chunks. */
EXTERNL int cellar_coder_make(const char *chain, const cellar_chunk_shape *shape, cellar_coder **coder);
EXTERNL void cellar_coder_free(cellar_coder *coder);

/* One encoded chunk, and a box of its elements in the caller's memory. */
typedef struct {
    const char *path; /* the file that holds the chunk; NULL: it is in `encoded` */
    void *encoded;    /* decoding: the bytes, NULL if none. Encoding sets it, for cellar_free() */
    size_t nencoded;
    const size_t *start;        /* the box: the first element along each dimension, */
    const size_t *count;        /* how many, */
    const ptrdiff_t *step;      /* and every how many-th, at least 1 */
    char *memory;               /* the first element of the box, */
    const ptrdiff_t *byte_step; /* and bytes to the next along each dimension: any, also negative */
    int merge;                  /* encoding: keep the existing chunk's elements outside the box */
    int absent;                 /* result: there is no chunk; decoding did not touch memory, encoding wrote nothing */
} cellar_chunk;

/* Process all chunks on all threads. The result is that of the first chunk that failed; the error message names its number or
 * file. The other chunks may have been processed. A file is replaced in one step or not at all. */
EXTERNL int cellar_coder_decode(const cellar_coder *coder, size_t n, cellar_chunk *chunks);
EXTERNL int cellar_coder_encode(const cellar_coder *coder, size_t n, cellar_chunk *chunks);

/* The codecs of this build as JSON: [{"name", "id", "zarr2", "zarr3", "about", "lossy", "parameters": [...]}, ...];
 * Release it with cellar_free(). */
EXTERNL int cellar_codec_table(char **json);

/* --- quantization and other losses ---------------------------------------------------- */

/* The largest difference between the values stored in the variable since the dataset was
 * opened and those that the program put: absolute, and relative to the value put. Either
 * pointer may be NULL. 0 for a variable that is neither quantized nor watched. */
EXTERNL int cellar_inq_var_loss(int ncid, int varid, double *max_abs, double *max_rel);

/* on: chunks encoded by lossy filters (zfp, fpzip, bitround, ...) are decoded again when they
 * are written, so that cellar_inq_var_loss() includes their errors; that costs about as much
 * as reading them. Chunks in memory are included once they are written: call nc_sync(). */
EXTERNL int cellar_watch_var_loss(int ncid, int varid, int on);

/* on: quantized variables also get the attributes of the CF conventions (CF-1.12, section 8.4).
 * They are written when define mode ends, the largest relative error at nc_close(). Errors are
 * those of any definition: NC_EPERM, NC_ENOTINDEFINE (classic model). */
EXTERNL int cellar_set_cf_quantization(int ncid, int on);

/* The bits that NC_QUANTIZE_BITROUND needs to keep nsd decimal digits, 1 to 15, in the sense of
 * NC_QUANTIZE_BITGROOM: 3, 6, 9, 13, 16, 19, 23, ...; 0 for any other nsd. More than 23 bits are
 * for doubles only. */
EXTERNL int cellar_bits_for_digits(int nsd);

/* Deprecated: the first names of these two functions. */
EXTERNL int cellar_inq_var_error(int ncid, int varid, double *max_abs, double *max_rel);
EXTERNL int cellar_watch_var_error(int ncid, int varid, int on);
#define cellar_inq_var_error cellar_inq_var_loss
#define cellar_watch_var_error cellar_watch_var_loss

#if defined(__cplusplus)
}
#endif

#endif
