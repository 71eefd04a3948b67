/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SOURCE_H
#define CEL_SOURCE_H

#include "status.h"
#include <stddef.h>
#include <stdint.h>

/* The bytes of one file, wherever they are: behind a descriptor, in memory, or under one key of a store. Readers of formats use a
 * source and do not know its kind; a source does not know formats. Sources are read-only.
 *
 * Any number of threads may use a source at the same time, except for closing it. */
struct cel_source;

struct cel_range {
    uint64_t offset, n;
};

/* Beside CEL_OK and the failures, which have text: the source ends before the range does. No text is set, and what the
 * buffer holds is not defined. */
#define CEL_BEYOND_END 1000 /* no errno: failures may be one */

/* The current size: a file that is being written may grow. */
int cel_source_size(struct cel_source *s, uint64_t *size);

/* Reads all n bytes, or fails. */
int cel_source_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n);

/* A hint: these ranges will be read soon, and the source may fetch them ahead. Ranges beyond the end and failures are
 * ignored. */
void cel_source_want(struct cel_source *s, const struct cel_range *range, size_t nranges);

/* Frees the source, also when it fails; NULL is fine. */
int cel_source_close(struct cel_source *s);

/* The file behind a descriptor, which the source then owns; after a failure the caller still owns it. */
int cel_source_of_file(int fd, struct cel_source **out);

/* n bytes in memory, which the caller owns and which must outlive the source. */
int cel_source_of_memory(const void *data, size_t n, struct cel_source **out);

/* --- for implementations -------------------------------------------------------- */

/* The first member of each kind's struct. The contract is that of the functions above. */
struct cel_source_ops {
    int (*size)(struct cel_source *s, uint64_t *size);
    int (*read_at)(struct cel_source *s, uint64_t offset, void *dst, size_t n);        /* n > 0 */
    void (*want)(struct cel_source *s, const struct cel_range *range, size_t nranges); /* NULL: no use for it */
    int (*close)(struct cel_source *s);
};
struct cel_source {
    const struct cel_source_ops *ops;
};

#endif
