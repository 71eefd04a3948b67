/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 file driver over h5_io.c, which also tells where chunks lie.
 *
 * The problem: libhdf5 runs under one lock, and moves and filters chunks within it, so one thread at a time compresses.
 * We want to compress on all threads and to move the bytes ourselves. For that we must know where in the file a chunk
 * lies, or is to lie. The calls that say so, H5Dget_chunk_info*(), scan the whole index for each chunk; for a chunk to be
 * written there is none.
 *
 * The idea: let libhdf5 look the chunk up or allocate it, and stop it at the last moment. H5Dread_chunk() and
 * H5Dwrite_chunk() take a buffer with the chunk as it is stored; in the end libhdf5 hands exactly that buffer to the
 * driver, with address and size. While a capture of this buffer is on, the driver notes the two and moves nothing:
 *
 *     calling thread, under the HDF5 lock                      any thread, no lock
 *     cel_h5_capture_start(buffer)
 *     H5Dwrite_chunk(buffer)
 *       libhdf5: index, free space, metadata
 *       driver_write(addr, n, buffer): noted, not written
 *     cel_h5_capture_stop(&addr, &n)  ----------------------->  cel_h5_io_write(addr, bytes, n)
 *
 * This works for every kind of chunk index and every version of the format, since libhdf5 does all of that work. The
 * buffer for a read is one byte that is never touched.
 *
 * Why it is right: the capture compares the buffer's address, which no other transfer can have: libhdf5 allocates its
 * own buffers, and ours exists. All else passes through; libhdf5 may write fill values or metadata during the same
 * call. Only one capture is on at a time (asserted), since the HDF5 lock is held. A capture that has seen nothing is a
 * failure, never a guess.
 *
 * What it costs: one call of libhdf5 for each chunk, without its bytes. Files open for reading mostly do without it
 * (read/h5_index.c).
 *
 * What would break it: a libhdf5 that copies the caller's buffer before it writes, or moves a chunk in parts: the
 * capture would see nothing, or another size. The tests run with three versions of libhdf5 (docs/torture.md). And the
 * chunk's bytes must come, as the metadata names it already: so a sync waits for them (h5_sync.c).
 *
 * Writes and truncations of files never fail towards libhdf5: it would keep the file half closed and crash at exit
 * (docs/hdf5-crashes.md). What fails is kept by h5_deferred.c and reported by the next sync. */
#include "env.h"
#include "h5_int.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADDRESS_MAX (((haddr_t)1 << 63) - 1)

struct driver_file {
    H5FD_t pub; /* must be first */
    struct cel_h5_io *io;
    haddr_t eoa;
};

struct driver_info { /* travels in the file access list */
    struct cel_h5_io *io;
};

static struct { /* under the HDF5 lock */
    const void *buffer;
    bool seen;
    haddr_t addr;
    size_t n;
} capture;
static hid_t driver_id = -1; /* under the HDF5 lock */
static _Thread_local int os_error;

/* --- the driver ------------------------------------------------------------------ */

static herr_t fault(int e)
{
    os_error = e;
    return e ? -1 : 0;
}

/* libhdf5 makes lists like that of an open file when this one names others. Those of a file that it opened by itself
 * outlive that file. */
static void *driver_list(struct cel_h5_io *io)
{
    struct driver_info *info = malloc(sizeof *info);

    if (info)
        info->io = io && io->other ? NULL : io;
    return info;
}

static void *driver_fapl_get(H5FD_t *f)
{
    return driver_list(((const struct driver_file *)f)->io);
}

static void *driver_fapl_copy(const void *info)
{
    return driver_list(((const struct driver_info *)info)->io);
}

static herr_t driver_fapl_free(void *info)
{
    free(info);
    return 0;
}

/* The file the access list was made for; errno, or 0. */
static int open_own(struct cel_h5_io *io, unsigned flags)
{
    int e = (flags & H5F_ACC_TRUNC) && io->fresh ? cel_h5_io_empty(io) : 0;

    if (!e)
        cel_h5_io_retain(io);
    return e;
}

/* The list also serves for files that this one names, which libhdf5 opens by itself. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    const struct driver_info *info = H5Pget_driver_info(fapl);
    struct driver_file *file = info ? calloc(1, sizeof *file) : NULL;
    int e;

    (void)maxaddr;
    if (!file)
        return NULL;
    file->io = info->io;
    if (info->io && strcmp(name, info->io->path) == 0)
        e = open_own(info->io, flags);
    else
        e = cel_h5_io_open_other(name, flags & H5F_ACC_RDWR, &file->io);
    if (fault(e) == 0)
        return &file->pub;
    free(file);
    return NULL;
}

static herr_t driver_close(H5FD_t *f)
{
    struct driver_file *file = (struct driver_file *)f;

    if (file->io->other)
        cel_h5_other_close(file->io);
    else
        cel_h5_io_release(file->io); /* cel_h5_close() has another reference, and closes it */
    free(file);
    return 0;
}

/* Nobody but libhdf5 knows of a file that another one names: what is deferred of it is written when libhdf5 flushes. */
static herr_t driver_flush(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct driver_file *file = (struct driver_file *)f;

    (void)dxpl;
    (void)closing;
    if (file->io->other)
        cel_h5_other_flush(file->io);
    return 0;
}

/* libhdf5 shares what it knows of a file between all who have it open; what a forked
 * child inherited is stale, so a file it opens itself is another one. */
static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
    const struct cel_h5_io *p = ((const struct driver_file *)a)->io, *q = ((const struct driver_file *)b)->io;
    struct stat s, t;

    if (p == q)
        return 0;
    if (p->owner != q->owner)
        return p->owner < q->owner ? -1 : 1;
    if (p->fd < 0 || q->fd < 0 || fstat(p->fd, &s) != 0 || fstat(q->fd, &t) != 0)
        return (uintptr_t)p < (uintptr_t)q ? -1 : 1;
    if (s.st_dev != t.st_dev)
        return s.st_dev < t.st_dev ? -1 : 1;
    return s.st_ino == t.st_ino ? 0 : s.st_ino < t.st_ino ? -1 : 1;
}

/* The same as libhdf5's own driver, so that space is laid out in the same way. */
static herr_t driver_query(const H5FD_t *f, unsigned long *flags)
{
    const struct cel_h5_io *io = f ? ((const struct driver_file *)f)->io : NULL;

    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    if (io && io->fd >= 0)
        *flags |= H5FD_FEAT_POSIX_COMPAT_HANDLE; /* so that libhdf5 looks for other files beside the real one */
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)f)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *f, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct driver_file *)f)->eoa = ((struct driver_file *)f)->io->eoa = addr;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *f, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)f)->io->eof;
}

static herr_t driver_get_handle(H5FD_t *f, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = &((struct driver_file *)f)->io->fd;
    return 0;
}

static bool is_captured(const void *buffer, haddr_t addr, size_t n)
{
    if (!capture.buffer || buffer != capture.buffer)
        return false;
    capture.seen = true;
    capture.addr = addr;
    capture.n = n;
    return true;
}

static herr_t driver_read(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t n, void *buffer)
{
    struct driver_file *file = (struct driver_file *)f;
    size_t moved = 0;
    int e;

    (void)type;
    (void)dxpl;
    if (addr > ADDRESS_MAX || n > ADDRESS_MAX - addr)
        return fault(EOVERFLOW);
    if (is_captured(buffer, addr, n))
        return 0;
    e = cel_h5_io_pread(file->io, addr, buffer, n, &moved);
    memset((char *)buffer + moved, 0, n - moved); /* beyond the end reads as zeros, as libhdf5 expects */
    return fault(e);
}

static bool was_synced(const struct cel_h5_io *io, H5FD_mem_t type, haddr_t addr, size_t n)
{
    return type == H5FD_MEM_DRAW && addr >= io->synced_begin && addr + n <= io->synced_end;
}

/* Only a file in memory has such faults: there is no more of it. While closing libhdf5 is told that all went well, and
 * cel_h5_file_drop() looks at write_error. */
static herr_t write_fault(struct cel_h5_io *io, int e)
{
    if (!e || !io->closing)
        return fault(e);
    io->write_error = io->write_error ? io->write_error : e;
    return 0;
}

/* A write to the disk that fails is kept and tried again by the next sync, which reports it; who moves data asks
 * cel_h5_io_faults() at once. */
static herr_t driver_write(H5FD_t *f, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t n, const void *buffer)
{
    struct driver_file *file = (struct driver_file *)f;
    int e = 0;

    (void)dxpl;
    if (addr > ADDRESS_MAX || n > ADDRESS_MAX - addr)
        return fault(EOVERFLOW);
    if (cel_h5_io_is_parents(file->io))
        return 0;
    if (!is_captured(buffer, addr, n))
        e = cel_h5_io_pwrite(file->io, addr, buffer, n, was_synced(file->io, type, addr, n));
    cel_h5_io_extend(file->io, addr + n);
    return write_fault(file->io, file->io->deferred ? 0 : e);
}

/* The file itself gets its length with the next sync. */
static herr_t driver_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct driver_file *file = (struct driver_file *)f;

    (void)dxpl;
    (void)closing;
    if (file->eoa == file->io->eof || !file->io->writable || cel_h5_io_is_parents(file->io))
        return 0;
    return write_fault(file->io, cel_h5_io_truncate(file->io, file->eoa));
}

static herr_t driver_lock(H5FD_t *f, hbool_t write)
{
    struct driver_file *file = (struct driver_file *)f;

    if (file->io->fd < 0 || !cel_env_file_locking())
        return 0;
    if (flock(file->io->fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno == ENOSYS)
        return 0;
    return fault(errno);
}

/* The lock belongs to the open file, which a forked child shares: only the process that took it may let
 * it go. A file open for writing keeps it until the last bytes are there, which is after libhdf5 has let go. */
static herr_t driver_unlock(H5FD_t *f)
{
    struct driver_file *file = (struct driver_file *)f;

    if (file->io->fd < 0 || file->io->writable || file->io->owner != getpid() || !cel_env_file_locking())
        return 0;
    return flock(file->io->fd, LOCK_UN) == 0 || errno == ENOSYS ? 0 : fault(errno);
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* in the range HDF5 leaves to others */
#endif
    .name = "cellar",
    .maxaddr = ADDRESS_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct driver_info),
    .fapl_get = driver_fapl_get,
    .fapl_copy = driver_fapl_copy,
    .fapl_free = driver_fapl_free,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_cmp,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .truncate = driver_truncate,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int cel_h5_driver_set(hid_t fapl, struct cel_h5_io *io)
{
    struct driver_info info = {io};

    if (driver_id < 0 || H5Iget_type(driver_id) != H5I_VFL) /* H5close() forgets drivers */
        driver_id = H5FDregister(&driver_class);
    if (driver_id < 0 || H5Pset_driver(fapl, driver_id, &info) < 0)
        return cel_h5_fail(NC_EHDFERR, "our file driver could not be registered");
    return CEL_OK;
}

bool cel_h5_driver_has(hid_t file)
{
    hid_t fapl = H5Fget_access_plist(file);
    bool ours = fapl >= 0 && H5Pget_driver(fapl) == driver_id;

    if (fapl >= 0)
        H5Pclose(fapl);
    return ours;
}

void cel_h5_capture_start(const void *buffer)
{
    assert(buffer && !capture.buffer);
    capture.buffer = buffer;
    capture.seen = false;
}

bool cel_h5_capture_stop(uint64_t *addr, size_t *n)
{
    assert(capture.buffer);
    capture.buffer = NULL;
    *addr = capture.addr;
    *n = capture.n;
    return capture.seen;
}

int cel_h5_os_error(void)
{
    int e = os_error;

    os_error = 0;
    return e;
}
