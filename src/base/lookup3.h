/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_LOOKUP3_H
#define CEL_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

/* Bob Jenkins' lookup3 ("hashlittle") of n bytes: the checksum of HDF5's metadata, where start is 0. */
uint32_t cel_lookup3(const void *bytes, size_t n, uint32_t start);

#endif
