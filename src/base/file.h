/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_FILE_H
#define CEL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Read and write a whole range of an open file. The system may move fewer bytes than requested, or be interrupted; these
 * functions continue until the range is complete. They return 0 or errno. Any number of threads may use one descriptor: its
 * file position is neither used nor changed. */

struct cel_bytes {
    const void *data;
    size_t n;
};

/* *done < n without an error: the file ends there. */
int cel_file_read(int fd, uint64_t offset, void *dst, size_t n, size_t *done);

/* ENOSPC also where the system takes no byte and does not say why. */
int cel_file_write(int fd, uint64_t offset, const void *src, size_t n);

/* Parts one behind another, with as few calls of the system as possible. */
int cel_file_write_parts(int fd, uint64_t offset, const struct cel_bytes *part, size_t n);

#endif
