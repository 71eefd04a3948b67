/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a dataset that lie in other files, as one source. Those files are looked for in the folder of the file
 * that names them, by plain names: whatever leads elsewhere is libhdf5's to follow, which starts from the folder that the
 * program runs in. Where a part is shorter than it should be zeros are given, as libhdf5 does. */
#include "env.h"
#include "h5_int.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct parts {
    struct cel_source source; /* must be first */
    uint64_t size;
    size_t n;
    struct part {
        struct cel_source *source;
        uint64_t offset, size; /* of the part in its file */
        uint64_t have;         /* bytes that the file has */
    } part[CEL_H5R_PARTS_MAX];
};

/* --- as a source ------------------------------------------------------------------------------ */

static int parts_size(struct cel_source *s, uint64_t *size)
{
    *size = ((const struct parts *)s)->size;
    return CEL_OK;
}

static int read_part(const struct part *p, uint64_t at, char *dst, size_t n)
{
    uint64_t from = p->offset + at, there = from < p->have ? p->have - from : 0;
    size_t real = there < n ? (size_t)there : n;
    int rc = real ? cel_source_read_at(p->source, from, dst, real) : CEL_OK;

    if (rc == CEL_OK && real < n)
        memset(dst + real, 0, n - real);
    return rc;
}

static int parts_read_at(struct cel_source *s, uint64_t offset, void *dst, size_t n)
{
    const struct parts *parts = (const struct parts *)s;
    char *to = dst;
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && n > 0 && i < parts->n; i++) {
        const struct part *p = &parts->part[i];

        if (offset < p->size) {
            size_t here = p->size - offset < n ? (size_t)(p->size - offset) : n;

            rc = read_part(p, offset, to, here);
            to += here;
            n -= here;
            offset = 0;
        } else {
            offset -= p->size;
        }
    }
    return rc == CEL_OK && n > 0 ? CEL_BEYOND_END : rc;
}

static int parts_close(struct cel_source *s)
{
    struct parts *parts = (struct parts *)s;

    for (size_t i = 0; i < parts->n; i++)
        cel_source_close(parts->part[i].source);
    free(parts);
    return CEL_OK;
}

static const struct cel_source_ops ops = {.size = parts_size, .read_at = parts_read_at, .close = parts_close};

/* --- opening ------------------------------------------------------------------------------------ */

static int open_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? cel_strndup(path, slash == path ? 1 : (size_t)(slash - path)) : cel_strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    free(folder);
    return fd;
}

/* Does libhdf5 mean the same file, or none? */
static bool is_what_libhdf5_opens(const char *name, const struct stat *ours)
{
    struct stat theirs;

    return stat(name, &theirs) != 0 || (theirs.st_dev == ours->st_dev && theirs.st_ino == ours->st_ino);
}

static int open_part(int folder, const struct cel_h5r_part_file *from, struct part *out)
{
    struct stat st;
    int fd, rc;

    if (!*from->name || strchr(from->name, '/'))
        return CEL_ASK_LIBHDF5;
    fd = openat(folder, from->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return CEL_ASK_LIBHDF5;
    rc =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_what_libhdf5_opens(from->name, &st) ? CEL_OK : CEL_ASK_LIBHDF5;
    if (rc == CEL_OK)
        rc = cel_source_of_file(fd, &out->source);
    if (rc != CEL_OK) {
        close(fd);
        return rc;
    }
    out->offset = from->offset;
    out->size = from->size;
    out->have = (uint64_t)st.st_size;
    return CEL_OK;
}

static int open_parts(int folder, const struct cel_h5r_external *e, struct parts *parts)
{
    int rc = folder < 0 ? CEL_ASK_LIBHDF5 : CEL_OK;

    while (rc == CEL_OK && parts->n < e->n) {
        rc = open_part(folder, &e->part[parts->n], &parts->part[parts->n]);
        if (rc == CEL_OK)
            parts->n++;
    }
    if (folder >= 0)
        close(folder);
    return rc;
}

int cel_h5_external_open(const struct cel_h5_io *io, const struct cel_h5r_dataset *d, struct cel_source **out)
{
    struct parts *parts;
    int rc;

    if (cel_env_untrusted())
        return cel_fail(NC_EHDFERR,
                        "its values lie in other files, and files that are not trusted are read without them");
    if (io->fd < 0 || cel_env_external_prefix())
        return CEL_ASK_LIBHDF5;
    parts = cel_calloc(1, sizeof *parts);
    if (!parts)
        return NC_ENOMEM;
    parts->source.ops = &ops;
    parts->size = d->layout.size;
    rc = open_parts(open_folder(io->path), &d->external, parts);
    if (rc != CEL_OK) {
        parts_close(&parts->source);
        return rc;
    }
    *out = &parts->source;
    return CEL_OK;
}
