/* SPDX-License-Identifier: BSD-3-Clause */
/* Other files that a file names, opened without libhdf5: those with parts of virtual datasets, and those that links lead
 * to, which stay open as long as the file. They are looked for
 * where libhdf5 looks: beside the file as it was opened, then where the program runs, then beside the file that a link led
 * to. What another order could mean, and names that begin at the root, are libhdf5's. */
#include "env.h"
#include "h5_int.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* --- links to other files --------------------------------------------------------------------------- */

enum { OUTSIDE_MAX = 64, HOPS_MAX = 16 };

struct cel_h5_outside *cel_h5_outside_at(const struct cel_h5_file *f, uint64_t addr)
{
    size_t number;

    return cel_h5_is_outside(addr, &number) && number < f->outside.n ? f->outside.at[number] : NULL;
}

struct cel_h5_where cel_h5_where(struct cel_h5_file *f, uint64_t addr)
{
    struct cel_h5_outside *o = cel_h5_outside_at(f, addr);

    return (struct cel_h5_where){.read = o ? &o->read : &f->read, .io = o ? o->io : f->io};
}

static bool is_same_file(const struct cel_h5_io *a, const struct cel_h5_io *b)
{
    struct stat x, y;

    return fstat(a->fd, &x) == 0 && fstat(b->fd, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The number of a file that is open, which `o` is once more and then freed; the count of them: it is this file itself. */
static int keep(struct cel_h5_file *f, struct cel_h5_outside *o, size_t *number, bool *itself)
{
    *itself = is_same_file(f->io, o->io);
    for (*number = 0; !*itself && *number < f->outside.n; ++*number)
        if (is_same_file(((struct cel_h5_outside *)f->outside.at[*number])->io, o->io))
            break;
    if (*itself || *number < f->outside.n) {
        cel_h5_outside_free(o);
        return CEL_OK;
    }
    if (f->outside.n < OUTSIDE_MAX && cel_vec_add(&f->outside, o) == CEL_OK)
        return CEL_OK;
    cel_h5_outside_free(o);
    return f->outside.n < OUTSIDE_MAX ? NC_ENOMEM : CEL_ASK_LIBHDF5;
}

/* One file further. link: what is sought there; becomes what was found. at: an address in the file that has the link;
 * becomes that of what was found, or one in the file that has the next link. */
static int hop(struct cel_h5_file *f, uint64_t *at, struct cel_h5r_link *link)
{
    struct cel_h5r_reader *reader = NULL;
    struct cel_h5_outside *o;
    struct cel_h5r_link found;
    size_t number = 0;
    bool itself = false;
    int rc = cel_h5_outside_open(cel_h5_where(f, *at).io, link->file, &o);

    if (rc == CEL_OK)
        rc = keep(f, o, &number, &itself);
    if (rc != CEL_OK)
        return rc;
    *at = itself ? f->read.root : cel_h5_mark_outside(number, 1);
    rc = cel_h5_reader(f, &(uint64_t){*at}, &reader);
    if (rc == CEL_OK)
        rc = cel_h5r_find(reader, link->path, &found);
    if (rc != CEL_OK)
        return rc;
    if (!found.file)
        *at = itself ? found.addr : cel_h5_mark_outside(number, found.addr);
    cel_h5r_link_dispose(link);
    *link = found;
    return CEL_OK;
}

int cel_h5_outside_find(struct cel_h5_file *f, uint64_t from, const struct cel_h5r_link *link, uint64_t *addr)
{
    struct cel_h5r_link next = {.file = cel_strdup(link->file), .path = cel_strdup(link->path)};
    int rc = next.file && next.path ? CEL_OK : NC_ENOMEM, hops = 0;

    if (rc == CEL_OK && cel_env_untrusted())
        rc =
            cel_fail(NC_EHDFERR, "it is a link to another file, %s, and files that are not trusted are read without it",
                     link->file);
    *addr = from;
    while (rc == CEL_OK && next.file)
        rc = ++hops > HOPS_MAX ? CEL_ABSENT : hop(f, addr, &next);
    cel_h5r_link_dispose(&next);
    return rc;
}

void cel_h5_outsides_free(struct cel_h5_file *f)
{
    for (size_t i = 0; i < f->outside.n; i++)
        cel_h5_outside_free(f->outside.at[i]);
    cel_vec_dispose(&f->outside);
}
