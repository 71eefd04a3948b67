/* Other files that a file names, opened without libhdf5: those with parts of virtual datasets. They are looked for
 * where libhdf5 looks: beside the file as it was opened, then where the program runs, then beside the file that a link led
 * to. What another order could mean, and names that begin at the root, are libhdf5's. */
#include "env.h"
#include "h5_int.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* --- where to look --------------------------------------------------------------------------- */

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? cel_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : cel_strdup(".");
}

/* As they are when the file is opened: the program may go elsewhere. */
int cel_h5_outside_prepare(struct cel_h5_io *io)
{
    char resolved[PATH_MAX], *folder = io->folder ? NULL : folder_of(io->path), *real = NULL;
    int rc = CEL_OK;

    if (io->folder)
        return CEL_OK;
    if (!folder)
        return NC_ENOMEM;
    if (!realpath(folder, resolved))
        rc = CEL_ASK_LIBHDF5;
    else if (!(io->folder = cel_strdup(resolved)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK && realpath(io->path, resolved) && !(real = folder_of(resolved)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK && real && strcmp(real, io->folder) != 0) {
        io->real_folder = real;
        real = NULL;
    }
    free(real);
    free(folder);
    return rc;
}

static int join(const char *folder, const char *name, char **out)
{
    size_t n = strlen(folder), m = strlen(name);

    *out = cel_malloc(n + m + 2);
    if (!*out)
        return NC_ENOMEM;
    memcpy(*out, folder, n);
    (*out)[n] = '/';
    memcpy(*out + n + 1, name, m + 1);
    return CEL_OK;
}

/* The path of the file, yours to free. */
static int find_file(const struct cel_h5_io *from, const char *name, char **out)
{
    int rc = join(from->folder, name, out);

    if (rc != CEL_OK || access(*out, F_OK) == 0)
        return rc;
    free(*out);
    *out = NULL;
    if (access(name, F_OK) == 0)
        return CEL_ASK_LIBHDF5;
    if (!from->real_folder)
        return CEL_ABSENT;
    rc = join(from->real_folder, name, out);
    return rc == CEL_OK && access(*out, F_OK) != 0 ? CEL_ABSENT : rc;
}

/* --- opening --------------------------------------------------------------------------------------- */

static int start(struct cel_h5_outside *o)
{
    int rc = cel_env_file_locking() && flock(o->io->fd, LOCK_SH | LOCK_NB) == 0
                 ? cel_h5r_cache_make(&o->io->source, &o->cache)
                 : CEL_ASK_LIBHDF5;

    if (rc == CEL_OK)
        rc = cel_h5r_open(o->cache, &o->read);
    return rc == CEL_OK ? cel_h5r_reader_make(&o->read, &o->reader) : rc;
}

static int open_path(const char *path, struct cel_h5_outside **out)
{
    struct cel_h5_outside *o = cel_calloc(1, sizeof *o);
    int e, rc;

    if (!o)
        return NC_ENOMEM;
    e = cel_h5_io_open_other(path, false, &o->io);
    if (e) {
        free(o);
        return e == ENOMEM ? NC_ENOMEM : cel_fail(NC_EHDFERR, "%s cannot be opened: %s", path, strerror(e));
    }
    rc = start(o);
    if (rc != CEL_OK) {
        cel_h5_outside_free(o);
        return rc < 0 ? cel_fail_in(rc, "%s", path) : rc;
    }
    *out = o;
    return CEL_OK;
}

int cel_h5_outside_open(struct cel_h5_io *from, const char *name, struct cel_h5_outside **out)
{
    char *path = NULL;
    int rc;

    if (from->fd < 0 || !*name || *name == '/' || cel_env_external_prefix())
        return CEL_ASK_LIBHDF5;
    rc = cel_h5_outside_prepare(from);
    if (rc == CEL_OK)
        rc = find_file(from, name, &path);
    if (rc == CEL_OK)
        rc = open_path(path, out);
    free(path);
    return rc;
}

void cel_h5_outside_free(struct cel_h5_outside *o)
{
    if (!o)
        return;
    cel_h5r_reader_free(o->reader);
    cel_source_close(o->cache);
    cel_h5_io_release(o->io);
    free(o);
}
