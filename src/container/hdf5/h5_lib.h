/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_LIB_H
#define CEL_H5_LIB_H

/* libhdf5, loaded when it is first needed and for ourselves alone: the program, and what else it loads, may have a
 * libhdf5 of its own, and most files are read without any. Code is written as if libhdf5 were linked: each name of
 * h5_lib_list.h is a macro for a pointer. Programs that do link it, such as tests, define CEL_H5_LINKED. */

#include <hdf5.h>

/* The prefix keeps members apart from the macros of libhdf5's header and from ours. */
struct cel_h5_lib {
#define FUNCTION(name) __typeof__(&name) p_##name;
#define ID(name) hid_t *p_##name;
#include "h5_lib_list.h"
#undef FUNCTION
#undef ID
};
extern struct cel_h5_lib cel_h5_lib; /* filled by cel_h5_lib_load */

/* Under the HDF5 lock. Fails with the file that was sought, and what to do. May be called again. */
int cel_h5_lib_load(void);
int cel_h5_lib_check(void); /* is it the version that Cellar was built with? Starts libhdf5 */

/* libhdf5's own macros for ids start it first, in 2.x by a look at variables of it. Here it runs before an id is used
 * (h5_lock.c). */
#if !defined(CEL_H5_LINKED)
#include "h5_lib_names.h"
#undef H5OPEN
#define H5OPEN
#endif

#endif
