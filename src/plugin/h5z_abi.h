/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5Z_ABI_H
#define CEL_H5Z_ABI_H

/* The HDF5 filter ABI, written down here so that plugins load without libhdf5
 * and its headers. Layouts and numbers are those of H5Z_class2_t. */

#include <stddef.h>
#include <stdint.h>

#define CEL_H5PL_FILTER 0 /* H5PLget_plugin_type() of a filter */
#define CEL_H5Z_CLASS_VERSION 1
#define CEL_H5Z_REVERSE 0x0100u /* decode */

typedef int64_t cel_hid;

struct cel_h5z_class {
    int version;
    int id;
    unsigned encoder_present, decoder_present;
    const char *name;
    int (*can_apply)(cel_hid dcpl, cel_hid type, cel_hid space);
    int (*set_local)(cel_hid dcpl, cel_hid type, cel_hid space);
    /* Gives the bytes used in *buf, 0 for failure; may replace *buf. */
    size_t (*filter)(unsigned flags, size_t nwords, const unsigned *words, size_t nbytes, size_t *buf_size, void **buf);
};

#endif
