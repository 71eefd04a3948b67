/* SPDX-License-Identifier: BSD-3-Clause */
/* What Cellar has and netCDF lacks: why a call failed, how many threads work, filter
 * chains as text, the error that lossy compression makes. Every call gives NC_NOERR or
 * one of netcdf.h's codes unless said otherwise, and may be made from any thread.
 *
 * How far a setting reaches:
 *
 *     process   cellar_set_threads, cellar_set_strict, cellar_set_untrusted, cellar_prefer_plugins;
 *               nc_set_default_format, nc_set_chunk_cache, nc_set_alignment, nc_set_log_level,
 *               nc_plugin_path_set, nc_rc_set
 *     thread    what cellar_error, cellar_error_part and cellar_warning tell; cellar_set_storage
 *     file      cellar_set_cf_quantization; nc_set_fill
 *     variable  cellar_watch_var_loss; nc_set_var_chunk_cache
 *
 * An example: a compressed variable, and the reason when that fails.
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

/* Of this header; cellar_version() tells that of the library at work, "0.2.0". */
#define CELLAR_VERSION_MAJOR 0
#define CELLAR_VERSION_MINOR 2
#define CELLAR_VERSION_PATCH 0
#define CELLAR_VERSION "0.2.0"
EXTERNL const char *cellar_version(void);

/* Release what the library made for the caller: all text that a char ** gives. NULL is fine. */
EXTERNL void cellar_free(void *memory);

/* --- errors -------------------------------------------------------------------- */

/* Why the last call of this thread failed: one sentence with the file, variable,
 * chunk and filter it was about; "" when it did not. Good until the thread's next
 * call into the library. */
EXTERNL const char *cellar_error(void);

/* One part of it; "" when the error is not about such a thing. */
enum cellar_part { CELLAR_FILE, CELLAR_VARIABLE, CELLAR_CHUNK, CELLAR_FILTER };
EXTERNL const char *cellar_error_part(enum cellar_part part);

/* The last thing done otherwise than this thread asked; "" when there is none. */
EXTERNL const char *cellar_warning(void);

/* on: what would be such a warning fails instead. -1: as CELLAR_STRICT says. */
EXTERNL int cellar_set_strict(int on);

/* on: files come from people who are not trusted. They are opened for reading only, libhdf5 is not used for them, no
 * plugin is loaded, and no link or name in a file leads to another file; what cannot be read so is refused with a sentence.
 * Files that this program makes are made as always. -1: as CELLAR_UNTRUSTED says. */
EXTERNL int cellar_set_untrusted(int on);

/* Where datasets on servers are and who asks for them, in place of the environment: for those that this thread opens or makes
 * from now on. Pairs of the name of a variable (AWS_ACCESS_KEY_ID and the others of docs/network.md that begin with AWS) and its value,
 * then NULL; a value of NULL: as if it were not set. They are copied, and kept as long as such a dataset is open. NULL: as the
 * environment says; what cellar_error tells stays. NC_EINVAL, and all stays as it was: a name that is none. */
EXTERNL int cellar_set_storage(const char *const *settings);

/* --- what cannot be read ----------------------------------------------------------- */

/* Objects of the group that the file has and the library does not understand; all else of the file
 * works. Counting them reads the headers of the group's variables. */
EXTERNL int cellar_inq_nunreadable(int ncid, int *n);

/* One of them, from 0: its name and one sentence why, both to be released with cellar_free(). "t2m" is a variable,
 * group or type, "t2m:units" an attribute of a variable, ":title" one of the group. A variable may be there all the
 * same (nc_inq_varid finds it): then its header is known, and reading its data fails for this reason. */
EXTERNL int cellar_inq_unreadable(int ncid, int index, char **name, char **reason);

/* --- threads --------------------------------------------------------------------- */

/* How many threads encode and decode; 0: CELLAR_NUM_THREADS or the cores this
 * process may use, 1: only the caller's own. NC_EINVAL outside 0..1024. */
EXTERNL int cellar_set_threads(int n);
EXTERNL int cellar_get_threads(void);

/* --- filters ----------------------------------------------------------------------- */

enum cellar_spelling {
    CELLAR_IDS,   /* 2|32015,3 */
    CELLAR_NAMES, /* shuffle|zstd,level=3 */
    CELLAR_JSON,  /* Zarr version 2: [{"id":"shuffle",...},...] */
    CELLAR_JSON3  /* Zarr version 3: [{"name":"shuffle",...},...] */
};

/* Give a variable the filters the text names, in that order and in place of any
 * it had; "" removes all. The spelling is told from the text. On NC_EINVAL and
 * NC_EFILTER the error names the column. */
EXTERNL int cellar_def_var_chain(int ncid, int varid, const char *text);

/* The variable's filters as text, to be released with cellar_free(). */
EXTERNL int cellar_inq_var_chain(int ncid, int varid, enum cellar_spelling spelling, char **text);

/* on: a plugin that offers a filter which is also built in wins. -1: as
 * CELLAR_PLUGINS says. */
EXTERNL int cellar_prefer_plugins(int on);

/* The filters there are, from 0: those built in, then those of plugins, which are searched for. NC_ENOFILTER after the last.
 * name: as in a chain; origin: the library it comes from, "" for built in. Both are to be released with cellar_free(). */
EXTERNL int cellar_inq_codec(int index, char **name, unsigned *id, char **origin);

/* Libraries and directories of the plugin path that were not used, from 0, and why; NC_EINVAL after the last. */
EXTERNL int cellar_inq_plugin_note(int index, char **path, char **why);

/* The version of libhdf5 that is at work, "1.10.8", to be released with cellar_free(). It is loaded if it was not
 * yet; the error says why it cannot be. */
EXTERNL int cellar_inq_hdf5(char **version);

/* --- values as they are stored ------------------------------------------------------- */

/* Bytes the variable's values take in the file, after its filters. */
EXTERNL int cellar_inq_var_stored(int ncid, int varid, unsigned long long *bytes);

/* Where one chunk lies as it is stored; each of the last four pointers may be NULL. index: which chunk along each dimension,
 * in the lengths that nc_inq_var_chunking() gives; all 0 for a variable without chunks, whose values are one piece; of a
 * classic file's record variable the first is the record.
 *   address   of its first byte: in the file, or in the value of a store that has the key. CELLAR_NO_ADDRESS: it was never
 *             written, or lies where nothing has an address of its own (inside metadata or a compressed shard, in another file)
 *   size      bytes it has there; 0: it was never written and reads as the fill value
 *   skipped   filters that this chunk did not go through, as HDF5's filter mask: bit 0 is the first
 *   key       of the value, to be released with cellar_free(); "" in a file */
#define CELLAR_NO_ADDRESS (~0ull)
EXTERNL int cellar_inq_chunk(int ncid, int varid, const size_t *index, unsigned long long *address,
                             unsigned long long *size, unsigned *skipped, char **key);

/* The chunks that a variable has, one after the other, the last dimension fastest:
 *
 *     size_t index[NC_MAX_VAR_DIMS];
 *     int more = 0;
 *     while ((status = cellar_next_chunk(ncid, varid, index, &more)) == NC_NOERR && more)
 *         ... cellar_inq_chunk(ncid, varid, index, ...)
 *
 * With *more 0 index becomes the first chunk, else the next one behind it; *more is then 0 if there is none. This takes as long
 * as what is stored, however many chunks were never written. Some that were not may be among them (in stores a few, in HDF5
 * files that are open for writing or that libhdf5 alone can read all): cellar_inq_chunk() tells. index as above. After a failure,
 * because the index is damaged, both are as they were. */
EXTERNL int cellar_next_chunk(int ncid, int varid, size_t *index, int *more);

/* The bytes of one chunk as they are stored, as many as *size says, to be released with cellar_free(); NULL and 0: it was
 * never written. NC_EINVAL: the variable has no chunks. size and skipped may be NULL. */
EXTERNL int cellar_get_chunk(int ncid, int varid, const size_t *index, size_t *size, unsigned *skipped, void **bytes);

/* Reads as nc_get_vara() does, and keeps nothing: every stored chunk that the region touches is decoded, with its checksums, in
 * memory of the library's, on all threads. The error is the first, and names the chunk. */
EXTERNL int cellar_check_vara(int ncid, int varid, const size_t *start, const size_t *count);

/* All keys of a store, one after the other, each ended by a NUL and an empty one at the end; to be released with
 * cellar_free(). A file has none. */
EXTERNL int cellar_inq_keys(int ncid, char **keys);

/* Copy all values of a variable into another of the same type and shape. Where
 * chunks, filters, byte order and fill value are the same too, chunks are copied
 * without decoding them and *as_stored (may be NULL) is 1; else *as_stored is 0,
 * and the values are the caller's to copy. Both files are in data mode. */
EXTERNL int cellar_copy_var_chunks(int ncid_in, int varid_in, int ncid_out, int varid_out, int *as_stored);

/* --- Zarr ----------------------------------------------------------------------------- */

/* Zarr version 3: chunks lie together in shards of these lengths (in elements, one per
 * dimension, multiples of the chunk's), each one value of the store; NULL: each chunk for itself. The
 * same as sharding_indexed in a chain's JSON: there "chunk_shape" divides the lengths given with
 * nc_def_var_chunking, or "shard_shape" where it is given too. NC_ENOTNC4 in other formats. */
EXTERNL int cellar_def_var_shards(int ncid, int varid, const size_t *lengths);
EXTERNL int cellar_inq_var_shards(int ncid, int varid, int *sharded, size_t *lengths);

/* Zarr version 2: the codec that makes bytes of elements without a fixed size, as its JSON:
 * {"id": "vlen-utf8"}, {"id": "json2"}, {"id": "categorize", "labels": [...]} for strings, {"id": "json2"} for
 * numbers too, {"id": "vlen-array"} for lists (which have no other); NULL: as the format has it (strings of fixed length).
 * The same as this object at the head of a chain's JSON. NC_ENOTNC4 in other formats. The inquiry gives "" for none; its
 * text is to be released with cellar_free(). */
EXTERNL int cellar_def_var_object_codec(int ncid, int varid, const char *json);
EXTERNL int cellar_inq_var_object_codec(int ncid, int varid, char **json);

/* --- chunks that others keep ------------------------------------------------------------- */

/* A coder runs filters on chunks that lie anywhere: values of another library's Zarr store, messages, memory.
 * It is constant: any number of threads may use it at once. */
typedef struct cellar_coder cellar_coder;

typedef struct {
    size_t size;           /* bytes of one element */
    char kind;             /* 'i', 'u', 'f'; anything else: bytes without a meaning to codecs */
    int rank;              /* dimensions of a chunk */
    const size_t *lengths; /* ... and its lengths in elements: in Zarr's words the chunk of the grid */
    const void *fill;      /* one element, for what no chunk holds; NULL: zeros */
    int omit_empty;        /* encoding: a chunk of fill values alone is not written */
} cellar_chunk_shape;

/* `chain` as for cellar_def_var_chain(); with sharding_indexed each chunk is a shard of many. */
EXTERNL int cellar_coder_make(const char *chain, const cellar_chunk_shape *shape, cellar_coder **coder);
EXTERNL void cellar_coder_free(cellar_coder *coder);

/* One encoded chunk, and a box of its elements in the caller's memory. */
typedef struct {
    const char *path; /* the chunk is this file; NULL: it is `encoded` */
    void *encoded;    /* decoding: the bytes, NULL for none. Encoding gives them, for cellar_free() */
    size_t nencoded;
    const size_t *start;        /* the box: the first element along each dimension, */
    const size_t *count;        /* how many, */
    const ptrdiff_t *step;      /* and every how many-th, at least 1 */
    char *memory;               /* the first element of the box, */
    const ptrdiff_t *byte_step; /* and bytes to the next along each dimension: any, also negative */
    int merge;                  /* encoding: what lies outside the box is kept from the chunk that is there */
    int absent;                 /* answer: there is no such chunk: decoding leaves memory alone, encoding wrote none */
} cellar_chunk;

/* All chunks on all threads. The answer is that of the first chunk that failed, whose error text names its number or
 * file; the others may have been done. Files are replaced at once, or not at all. */
EXTERNL int cellar_coder_decode(const cellar_coder *coder, size_t n, cellar_chunk *chunks);
EXTERNL int cellar_coder_encode(const cellar_coder *coder, size_t n, cellar_chunk *chunks);

/* The codecs of this build as JSON: [{"name", "id", "zarr2", "zarr3", "about", "lossy", "parameters": [...]}, ...];
 * to be released with cellar_free(). */
EXTERNL int cellar_codec_table(char **json);

/* --- quantization and other losses ---------------------------------------------------- */

/* How far the values put into the variable since the dataset was opened lie from those
 * given, at most: in units of the data, and as a share of the value given. Either pointer
 * may be NULL. 0 for a variable that is not quantized, unless it is watched. */
EXTERNL int cellar_inq_var_loss(int ncid, int varid, double *max_abs, double *max_rel);

/* on: chunks that lossy filters (zfp, fpzip, bitround ...) have encoded are decoded again
 * when they are written, and cellar_inq_var_loss() knows their errors too; it costs about
 * as much as reading them. Chunks still in memory count once they are written: nc_sync(). */
EXTERNL int cellar_watch_var_loss(int ncid, int varid, int on);

/* on: quantized variables carry the attributes of the CF conventions (CF-1.12, section
 * 8.4) as well, written when define mode is left and the largest relative error at
 * nc_close(). Like any definition: NC_EPERM, NC_ENOTINDEFINE (classic model). */
EXTERNL int cellar_set_cf_quantization(int ncid, int on);

/* Bits for NC_QUANTIZE_BITROUND that keep `nsd` decimal digits, 1 to 15, as
 * NC_QUANTIZE_BITGROOM understands them: 3, 6, 9, 13, 16, 19, 23 ...; 0: no such nsd.
 * More than 23 is for doubles only. */
EXTERNL int cellar_bits_for_digits(int nsd);

/* The names that these two had at first; deprecated. */
EXTERNL int cellar_inq_var_error(int ncid, int varid, double *max_abs, double *max_rel);
EXTERNL int cellar_watch_var_error(int ncid, int varid, int on);
#define cellar_inq_var_error cellar_inq_var_loss
#define cellar_watch_var_error cellar_watch_var_loss

#if defined(__cplusplus)
}
#endif

#endif
