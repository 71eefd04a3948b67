#ifndef CEL_H5Z_RUN_H
#define CEL_H5Z_RUN_H

#include "codec.h"

/* A codec as the filter function of HDF5's ABI: for the classes we register in
 * libhdf5, and for plugins/. Takes no lock, so that it may run inside libhdf5. */

/* The allocator of the buffers that cross the ABI. */
struct cel_h5z_memory {
    void *(*take)(size_t nbytes);
    void (*give)(void *p);
};

/* Encode, or decode when reverse, *buf[0..nbytes). On success *buf is replaced, *size
 * is its true size, and the bytes used are given back; 0: failed, or not this chunk,
 * and the buffer is as it was. */
size_t cel_h5z_run(const struct cel_codec *codec, const struct cel_h5z_memory *memory, bool reverse, size_t nwords,
                   const unsigned *words, size_t nbytes, size_t *size, void **buf);

/* Free the context kept from the last call. */
void cel_h5z_forget(void);

#endif
