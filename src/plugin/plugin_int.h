/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_PLUGIN_INT_H
#define CEL_PLUGIN_INT_H

/* What the files of this folder share. */

#include "dl.h"
#include "h5z_abi.h"
#include "ncz_abi.h"
#include "plugin.h"

/* One filter of a plugin: its HDF5 class and, where there is one, its codec half. */
struct cel_outside {
    struct cel_codec codec; /* what the chain sees; codec.outside points back here */
    char name[64];
    char *path; /* of the library with the class */
    struct cel_dl *lib;
    const struct cel_h5z_class *klass;
    const struct cel_ncz_codec *half; /* NULL: not paired */
    bool initialized;
    void *(*allocate)(size_t size, unsigned char clear); /* of libhdf5; NULL: malloc */
    int (*release)(void *p);
};

/* NULL when there is no memory. The class must have been verified. */
struct cel_outside *cel_outside_make(struct cel_dl *lib, const char *path, const struct cel_h5z_class *klass);
void cel_outside_free(struct cel_outside *o);

/* A function (or the address of data) of libhdf5: the one this plugin is linked to, or the process has. */
cel_function cel_outside_hdf5(struct cel_dl *lib, const char *name);
bool cel_outside_show_hdf5(void); /* false: there is none to show */

/* Gives the filter its codec half. */
void cel_outside_pair(struct cel_outside *o, const struct cel_ncz_codec *half);

/* Why a class or half cannot be used; NULL: it can. */
const char *cel_h5z_verify(const struct cel_h5z_class *klass);
const char *cel_ncz_verify(const struct cel_ncz_codec *half);

/* The lock that plugin code runs under. cel_plugin_leave takes what cel_plugin_enter returned, as the lock
 * may be changed between the two. */
struct cel_plugin_lock {
    void (*lock)(void);
    void (*unlock)(void);
};
const struct cel_plugin_lock *cel_plugin_enter(void);
void cel_plugin_leave(const struct cel_plugin_lock *lock);

/* Whether a file of this name is a library on a platform: 0 Linux, 1 macOS, 2 Cygwin, 3 Windows. */
bool cel_plugin_matches(int platform, const char *name);

#endif
