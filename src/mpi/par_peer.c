/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank that does not have the file writes to it all the same (and rank 0 beside its container: par_direct.c): it opens what lies at the dataset's path, if that is the
 * file of rank 0. On a machine that does not share rank 0's file system it is another, or none: then rank 0 writes.
 *
 * An inode alone proves nothing, as machines made from one image have equal ones. So rank 0 makes an empty file of a random
 * name beside the dataset for a moment: who sees it there shares the folder. */
#include "buf.h"
#include "container.h"
#include "par_int.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct proof {
    uint64_t inode; /* of the dataset; 0: nobody else may write to it */
    uint64_t random;
};

static uint64_t inode_of(const char *path)
{
    struct cel_where where;
    struct stat st;
    uint64_t inode = 0;

    if (cel_where_init(path, &where) != CEL_OK)
        return 0;
    if (!where.at.is_remote && stat(where.at.path, &st) == 0)
        inode = (uint64_t)st.st_ino;
    cel_where_dispose(&where);
    return inode;
}

static int name_mark(const char *path, uint64_t random, struct cel_buf *out)
{
    struct cel_where where;
    int rc = cel_where_init(path, &where);

    if (rc == CEL_OK) {
        rc = cel_buf_printf(out, "%s.cellar-ranks-%016llx", where.at.path, (unsigned long long)random);
        cel_where_dispose(&where);
    }
    return rc;
}

static bool make_mark(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Collective; before the call ends the mark is gone. */
static void show_mark(struct cel_par *par, const char *path, struct proof *proof)
{
    struct cel_buf name = CEL_BUF_INIT(SIZE_MAX);
    bool made = par->rank == 0 && proof->inode && getentropy(&proof->random, sizeof proof->random) == 0 &&
                name_mark(path, proof->random, &name) == CEL_OK && make_mark(name.data);

    if (!made && par->rank == 0)
        proof->inode = 0;
    cel_par_tell(par, 0, proof, sizeof *proof);
    if (par->rank && proof->inode && (name_mark(path, proof->random, &name) != CEL_OK || access(name.data, F_OK) != 0))
        proof->inode = 0;
    cel_par_barrier(par);
    if (made)
        unlink(name.data);
    cel_buf_dispose(&name);
}

void cel_par_tell_file(struct cel_par *par, const char *path)
{
    struct proof proof = {.inode = par->rank == 0 ? inode_of(path) : 0};
    struct cel_status before;

    cel_status_save(&before);
    show_mark(par, path, &proof);
    par->inode = proof.inode;
    cel_status_restore(&before);
}

void cel_par_peer_open(struct cel_dataset *ds)
{
    struct cel_par *par = ds->par;
    struct cel_status before;
    struct cel_where where;

    if (par->peer_tried || !ds->ops->peer_open)
        return;
    par->peer_tried = true;
    par->own_ops = ds->ops;
    if (!par->inode || inode_of(ds->path) != par->inode)
        return;
    cel_status_save(&before);
    if (cel_where_init(ds->path, &where) == CEL_OK) {
        if (ds->ops->peer_open(&where.at, &par->peer) != CEL_OK)
            par->peer = NULL;
        cel_where_dispose(&where);
    }
    cel_status_restore(&before);
}

int cel_par_peer_sync(struct cel_par *par)
{
    return par->peer ? par->own_ops->peer_sync(par->peer) : CEL_OK;
}

int cel_par_peer_close(struct cel_par *par)
{
    struct cel_peer *peer = par->peer;

    par->peer = NULL;
    par->peer_tried = true;
    return peer ? par->own_ops->peer_close(peer) : CEL_OK;
}
