/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_PLUGIN_H
#define CEL_PLUGIN_H

/* Codecs from shared libraries: HDF5 filter plugins, and for each, where there is one, netCDF-C's codec
 * half, which translates its parameters from and to JSON. Libraries are searched when a filter is asked for
 * that is not built in, and stay loaded. Every call may be made by any thread. */

#include "codec.h"
#include <stdbool.h>
#include <stddef.h>

struct cel_buf;
struct cel_json;

/* --- where to look: plugin_path.c -------------------------------------- */
/* The list starts as HDF5_PLUGIN_PATH; the built-in directory is not in it, and
 * always searched after it. */
int cel_plugin_path_get(size_t *n, char ***dirs);     /* a copy, yours: each string and the list */
int cel_plugin_path_set(size_t n, char *const *dirs); /* copied */
size_t cel_plugin_path_version(void);                 /* grows with every set */
const char *cel_plugin_built_in_dir(void);            /* "" when there is none */

/* Split text at a separator (empty parts are kept; "" has none). Yours to free. */
int cel_plugin_path_split(const char *text, size_t len, char sep, size_t *n, char ***dirs);
void cel_plugin_path_free(size_t n, char **dirs);

/* "/a, /b, /c": every directory that is searched. Empty: loading is off. */
int cel_plugin_tried(struct cel_buf *out);

/* --- what was found: plugin_load.c ---------------------------------------- */
const struct cel_codec *cel_plugin_by_id(unsigned hdf5_id);      /* NULL: none */
const struct cel_codec *cel_plugin_by_zarr(const char *codecid); /* paired ones only */

/* All of them, from 0, with the path of the library; NULL after the last. They are searched for first. */
const struct cel_codec *cel_plugin_at(size_t i, const char **path);

/* Libraries, files and directories that were not used, and why; NULL after the last. Valid until the next
 * search. */
struct cel_plugin_note {
    char *path;
    char *why;
};
const struct cel_plugin_note *cel_plugin_note_at(size_t i);

/* nc_finalize: calls the finalize of every codec half whose initialize was called. */
void cel_plugin_finalize(void);

/* --- a codec from a plugin: h5z_codec.c, ncz_codec.c ----------------------- */
/* Its JSON, by its codec half. NC_ENOFILTER when it has none. */
int cel_plugin_to_json(const struct cel_codec *codec, const struct cel_words *visible, struct cel_json **out);
int cel_plugin_from_json(const struct cel_codec *codec, const struct cel_json *object, struct cel_words *visible);
bool cel_plugin_has_codec(const struct cel_codec *codec);

/* The plugin's own H5Z_class2_t, for libhdf5 to register; NULL: the codec is not from a plugin. */
const void *cel_plugin_class(const struct cel_codec *codec);

/* Let the codec half turn visible into working words. It may ask the public API
 * about the variable, so no lock may be held. Without codec half: nothing to do. */
int cel_plugin_modify(const struct cel_codec *codec, int ncid, int varid, struct cel_words *visible,
                      struct cel_words *working);

/* A plugin without codec half whose class has set_local: the words it works with, for
 * chunks of this shape, through a scratch creation list of libhdf5 (h5z_local.c).
 * NC_ENOFILTER where there is no libhdf5. */
bool cel_plugin_needs_local(const struct cel_codec *codec);
int cel_plugin_set_local(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                         struct cel_words *working);

/* Code of plugins runs under one lock. It is this folder's own, unless libhdf5 is used and not thread-safe:
 * then the HDF5 container sets the lock that guards libhdf5, once, on its first entry. */
void cel_plugin_use_lock(void (*lock)(void), void (*unlock)(void));

/* A plugin may call libhdf5 without being linked to it, and expect the process to have it. `show` lets the process have the
 * one that Cellar keeps to itself; it is called for such a plugin only. Called before main(). */
void cel_plugin_use_hdf5(bool (*show)(void));

#endif
