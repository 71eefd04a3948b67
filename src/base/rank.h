/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_RANK_H
#define CEL_RANK_H

/* The most dimensions that anything with values in it has: a variable that is read or written, a chunk, a field of a
 * compound type. It is HDF5's limit (H5S_MAX_RANK). Files may list variables with up to NC_MAX_VAR_DIMS dimensions:
 * those can be inspected, and every access to their values fails. */
#define CEL_RANK_MAX 32

#endif
