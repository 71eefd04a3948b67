/* Other files that a file names: the targets of external links and the parts of virtual
 * datasets. libhdf5 opens them through the driver of the file that names them, so the
 * driver must open what it is told to. What lies in another file has an address there:
 * such addresses are marked, so that nobody reads this file at them, and what is there
 * goes through libhdf5 alone. */
#include "h5_int.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address of another file: the highest bit, 15 bits of that file's number, 48 bits of address. */
#define ELSEWHERE ((uint64_t)1 << 63)
#define NUMBER_AT 48

bool cel_h5_is_elsewhere(uint64_t addr)
{
    return addr & ELSEWHERE;
}

static uint64_t marked(unsigned long number, uint64_t addr)
{
    return ELSEWHERE | (uint64_t)(number & 0x7fff) << NUMBER_AT | (addr & (((uint64_t)1 << NUMBER_AT) - 1));
}

uint64_t cel_h5_same_file(uint64_t neighbour, uint64_t addr)
{
    return addr && cel_h5_is_elsewhere(neighbour) ? marked((unsigned long)(neighbour >> NUMBER_AT & 0x7fff), addr) : addr;
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
    io->writable = false; /* to be read at least: writing it will fail */
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
    io->eof = io->held->end;
    return 0;
}

int cel_h5_io_open_other(const char *path, bool writable, struct cel_h5_io **out)
{
    int e;

    if (cel_h5_io_make(path, out) != CEL_OK)
        return ENOMEM;
    (*out)->writable = writable;
    e = open_regular(*out);
    if (e)
        cel_h5_io_release(*out);
    return e;
}
