/* SPDX-License-Identifier: BSD-3-Clause */
/* A draft in a directory is a temporary file, opened anew for each part, so that
 * thousands of unfinished values cost no descriptors. */
#include "mem.h"
#include "store_dir_int.h"
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <unistd.h>

struct draft {
    struct cel_draft draft;
    pid_t owner; /* a forked child leaves its parent's alone */
    struct cel_dir_tmp tmp;
};

static struct draft *draft_of(struct cel_draft *d)
{
    return (struct draft *)d;
}

static int must_own(struct cel_draft *d)
{
    return draft_of(d)->owner == getpid()
               ? CEL_OK
               : cel_fail(NC_EPERM, "%s: the value was begun by another process; open the store again", d->store->path);
}

static int make(struct cel_store *s, struct cel_draft **out)
{
    struct draft *d = cel_calloc(1, sizeof *d);
    int fd, rc = d ? cel_dir_make_temporary(directory_of(s), &d->tmp, &fd) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(d);
        return rc;
    }
    if (close(fd) != 0) {
        rc = cel_store_failure("write a temporary file in it", s->path);
        cel_dir_drop_temporary(directory_of(s), &d->tmp);
        free(d);
        return rc;
    }
    d->draft.store = s;
    d->owner = getpid();
    *out = &d->draft;
    return CEL_OK;
}

static int write_parts(struct cel_draft *d, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    const char *what = d->store->path;
    int fd, rc = must_own(d);

    if (rc == CEL_OK)
        rc = cel_dir_open_temporary(directory_of(d->store), &draft_of(d)->tmp, O_WRONLY, &fd);
    if (rc != CEL_OK)
        return rc;
    rc = cel_dir_write(fd, what, offset, part, n);
    if (close(fd) != 0 && rc == CEL_OK)
        rc = cel_store_failure("write", what);
    return rc;
}

static int read_back(struct cel_draft *d, uint64_t offset, size_t n, void *dst)
{
    int fd, rc = cel_dir_open_temporary(directory_of(d->store), &draft_of(d)->tmp, O_RDONLY, &fd);

    if (rc != CEL_OK)
        return rc;
    rc = cel_dir_read(fd, d->store->path, offset, dst, n);
    close(fd);
    return rc;
}

static int put(struct cel_draft *d, const char *key)
{
    int rc = must_own(d);

    if (rc == CEL_OK)
        rc = cel_dir_rename(directory_of(d->store), &draft_of(d)->tmp, key);
    if (rc == CEL_OK)
        free(d);
    return rc;
}

static void drop(struct cel_draft *d)
{
    if (draft_of(d)->owner == getpid())
        cel_dir_drop_temporary(directory_of(d->store), &draft_of(d)->tmp);
    free(d);
}

const struct cel_draft_ops cel_dir_drafts = {
    .make = make, .write = write_parts, .read = read_back, .put = put, .drop = drop};
