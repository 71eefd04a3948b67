/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5Z_RUN_H
#define CEL_H5Z_RUN_H

#include "codec.h"

/* Runs a codec as a filter function of HDF5's ABI, for the filter classes that Cellar registers in libhdf5
 * and for plugins/. Takes no lock, so that it may run inside libhdf5. */

/* The allocator of the buffers that cross the ABI. */
struct cel_h5z_memory {
    void *(*take)(size_t nbytes);
    void (*give)(void *p);
};

/* Encodes, or decodes if `reverse`, the nbytes at *buf. On success *buf is a new buffer of *size bytes, and
 * the number of bytes used is returned. 0: it failed, or the codec leaves this chunk out; *buf stays. */
size_t cel_h5z_run(const struct cel_codec *codec, const struct cel_h5z_memory *memory, bool reverse, size_t nwords,
                   const unsigned *words, size_t nbytes, size_t *size, void **buf);

/* Free the context kept from the last call. */
void cel_h5z_forget(void);

#endif
