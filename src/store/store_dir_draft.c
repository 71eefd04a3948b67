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
    char name[CEL_TMP_NAME];
};

static struct draft *draft_of(struct cel_draft *d)
{
    return (struct draft *)d;
}

static int must_own(struct cel_draft *d)
{
    return draft_of(d)->owner == getpid() ? CEL_OK : cel_fail(NC_EPERM, "%s: it was begun by another process", draft_of(d)->name);
}

static int root_of(struct cel_draft *d)
{
    return directory_of(d->store)->fd;
}

static int make(struct cel_store *s, struct cel_draft **out)
{
    struct draft *d = cel_calloc(1, sizeof *d);
    int fd, rc = d ? cel_dir_make_temporary(directory_of(s), d->name, &fd) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(d);
        return rc;
    }
    close(fd);
    d->draft.store = s;
    d->owner = getpid();
    *out = &d->draft;
    return CEL_OK;
}

static int write_parts(struct cel_draft *d, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    const char *name = draft_of(d)->name;
    int fd, rc = must_own(d);

    if (rc != CEL_OK)
        return rc;
    fd = openat(root_of(d), name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cel_store_failure("write", name);
    rc = cel_dir_write(fd, name, offset, part, n);
    if (close(fd) != 0 && rc == CEL_OK)
        rc = cel_store_failure("write", name);
    return rc;
}

static int read_back(struct cel_draft *d, uint64_t offset, size_t n, void *dst)
{
    const char *name = draft_of(d)->name;
    int fd = openat(root_of(d), name, O_RDONLY | O_CLOEXEC), rc;

    if (fd < 0)
        return cel_store_failure("read", name);
    rc = cel_dir_read(fd, name, offset, dst, n);
    close(fd);
    return rc;
}

static int put(struct cel_draft *d, const char *key)
{
    int rc = must_own(d);

    if (rc == CEL_OK)
        rc = cel_dir_rename(directory_of(d->store), draft_of(d)->name, key);
    if (rc == CEL_OK)
        free(d);
    return rc;
}

static void drop(struct cel_draft *d)
{
    if (draft_of(d)->owner == getpid())
        unlinkat(root_of(d), draft_of(d)->name, 0);
    free(d);
}

const struct cel_draft_ops cel_dir_drafts = {.make = make, .write = write_parts, .read = read_back, .put = put, .drop = drop};
