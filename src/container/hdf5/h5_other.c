/* SPDX-License-Identifier: BSD-3-Clause */
/* Other files that a file names: the targets of external links and the parts of virtual
 * datasets. libhdf5 opens them through the driver of the file that names them, so the
 * driver must open what it is told to. Addresses of objects
 * in another file are marked, so that nobody reads this file at them; such objects are
 * read through libhdf5 only, unless we opened that file ourselves (h5_outside.c). */
#include "h5_int.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address of another file: the highest bit, one that says whether the number is ours or libhdf5's, 14 bits of that file's
 * number, 48 bits of address. */
#define IN_OTHER_FILE ((uint64_t)1 << 63)
#define OURS ((uint64_t)1 << 62)
#define NUMBER_AT 48
#define NUMBERS 0x3fff
#define ADDRESS (((uint64_t)1 << NUMBER_AT) - 1)

bool cel_h5_is_in_other_file(uint64_t addr)
{
    return addr & IN_OTHER_FILE;
}

static uint64_t marked(unsigned long number, uint64_t addr)
{
    return IN_OTHER_FILE | (uint64_t)(number & NUMBERS) << NUMBER_AT | (addr & ADDRESS);
}

uint64_t cel_h5_same_file(uint64_t neighbour, uint64_t addr)
{
    return addr && cel_h5_is_in_other_file(neighbour) ? (neighbour & ~ADDRESS) | (addr & ADDRESS) : addr;
}

uint64_t cel_h5_mark_outside(size_t number, uint64_t addr)
{
    return marked(number, addr) | OURS;
}

bool cel_h5_is_outside(uint64_t addr, size_t *number)
{
    *number = (size_t)(addr >> NUMBER_AT & NUMBERS);
    return (addr & IN_OTHER_FILE) && (addr & OURS);
}

bool cel_h5_is_libhdf5s(uint64_t addr)
{
    return (addr & IN_OTHER_FILE) && !(addr & OURS);
}

uint64_t cel_h5_unmarked(uint64_t addr)
{
    return cel_h5_is_in_other_file(addr) ? addr & ADDRESS : addr;
}

uint64_t cel_h5_mark(struct cel_h5_file *f, const H5O_info_t *info)
{
    H5O_info_t own;

    if (!f->number && H5Oget_info2(f->id, &own, H5O_INFO_BASIC) >= 0)
        f->number = own.fileno;
    return info->fileno == f->number ? (uint64_t)info->addr : marked(info->fileno, (uint64_t)info->addr);
}

uint64_t cel_h5_found_at(struct cel_h5_file *f, hid_t object)
{
    H5O_info_t info;

    return H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0 ? 0 : cel_h5_mark(f, &info);
}

/* --- opening, from within the driver ---------------------------------------------------- */

static int open_either(struct cel_h5_io *io)
{
    int fd = open(io->path, (io->writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 || !io->writable)
        return fd;
    io->writable = false; /* it can be read at least */
    return open(io->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static int open_regular(struct cel_h5_io *io)
{
    int fd = open_either(io);
    struct stat st;

    if (fd < 0)
        return errno;
    if (cel_h5_io_set_file(io, fd) != CEL_OK)
        return ENOMEM;
    if (fstat(fd, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    if (cel_h5_io_recover(io) != CEL_OK)
        return EIO;
    io->eof = io->deferred->end;
    return 0;
}

/* --- writing, from within the driver: errors wait for whoever called libhdf5 ------------- */

static struct cel_first_failure failed; /* under the HDF5 lock */

void cel_h5_other_flush(struct cel_h5_io *io)
{
    int rc = cel_h5_io_commit(io);

    cel_first_failure_note(&failed, rc == CEL_OK ? rc : cel_fail_in(rc, "%s", io->path));
}

void cel_h5_other_close(struct cel_h5_io *io)
{
    char *path = io->path;
    int e;

    cel_h5_other_flush(io);
    io->path = NULL;
    e = cel_h5_io_release(io);
    if (e)
        cel_first_failure_note(&failed, cel_fail(NC_EHDFERR, "%s could not be closed: %s", path, strerror(e)));
    free(path);
}

int cel_h5_others_failed(void)
{
    int rc = cel_first_failure_restore(&failed);

    failed.rc = CEL_OK;
    return rc;
}

/* A sync of this file reaches the ones it names through the objects that are open there. */
static int flush_other(const struct cel_var *var)
{
    const struct cel_h5_var *v = var->priv;

    if (!v || v->id < 0 || !cel_h5_is_in_other_file(v->addr))
        return CEL_OK;
    return H5Fflush(v->id, H5F_SCOPE_LOCAL) < 0
               ? cel_fail_in_var(cel_h5_fail(NC_EHDFERR, "the file it lies in could not be flushed"), var)
               : CEL_OK;
}

int cel_h5_others_flush(struct cel_dataset *ds)
{
    int rc = CEL_OK;

    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t i = 0; rc == CEL_OK && group && i < group->vars.n; i++)
            rc = flush_other(group->vars.at[i]);
    }
    return rc == CEL_OK ? cel_h5_others_failed() : rc;
}

int cel_h5_io_open_other(const char *path, bool writable, struct cel_h5_io **out)
{
    int e;

    if (cel_h5_io_make(path, out) != CEL_OK)
        return ENOMEM;
    (*out)->writable = writable;
    (*out)->other = true;
    e = open_regular(*out);
    if (e)
        cel_h5_io_release(*out);
    return e;
}
