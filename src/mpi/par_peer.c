/* How a rank that does not have the file writes to it all the same: it opens what lies at the dataset's path, if that is the
 * file of rank 0. On a machine that does not share rank 0's file system it is another, or none: then rank 0 writes. */
#include "container.h"
#include "par_int.h"
#include <sys/stat.h>

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

void cel_par_tell_file(struct cel_par *par, const char *path)
{
    par->inode = par->rank == 0 ? inode_of(path) : 0;
    MPI_Bcast(&par->inode, 1, MPI_UINT64_T, 0, par->comm);
}

void cel_par_peer_open(struct cel_dataset *ds)
{
    struct cel_par *par = ds->par;
    struct cel_status before;
    struct cel_where where;

    if (par->rank == 0 || par->peer_tried || !ds->ops->peer_open)
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
