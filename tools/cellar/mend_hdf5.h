/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_MEND_HDF5_H
#define CELLAR_MEND_HDF5_H

/* HDF5 as far as mending needs it: addresses and lengths of 8 bytes, no user block. HDF5 File Format Specification version 3. */

#include "mend.h"

#define MEND_NOWHERE UINT64_MAX

struct mend_link {
    char *name;
    uint64_t to;
    bool owned; /* its group can be read */
};

/* A dataset or group whose object header has a good checksum. */
struct mend_object {
    uint64_t at;
    bool group;
    bool broken; /* a group whose list of links is lost */
};

struct mend_hdf5 {
    struct mend *m;
    struct mend_object *object;
    size_t nobjects;
    struct mend_link *link; /* of all groups */
    size_t nlinks;
    const struct mend_link **by_target, **by_name; /* all of them, once no more come; NULL behind the last */
};

/* --- mend_hdf5_block.c: blocks with a checksum -------------------------------------------- */
/* The object header there, and all that its messages lead to: mended, and added to the objects. */
void mend_header(struct mend_hdf5 *h, uint64_t at);
bool mend_header_is_good(struct mend *m, uint64_t at);
bool mend_sum_is_good(const struct mend *m, uint64_t at, size_t n); /* the last four bytes are the checksum */
/* Links in blocks that no good header leads to, for the names of what is left. */
void mend_stray_links(struct mend_hdf5 *h);

/* --- mend_hdf5_tree.c: the chunk index of version 1, which has no checksum --------------------- */
struct mend_grid {
    int rank;
    uint64_t shape[32], chunk[32];
    uint64_t tree; /* MEND_NOWHERE: none */
};
void mend_tree(struct mend *m, const struct mend_grid *grid);

#endif
