/* HDF5 file driver over pread/pwrite or memory, as libhdf5's own in what it
 * writes and locks, with one thing more: while armed with a buffer's address, a
 * transfer of exactly that buffer is noted (address and size) instead of made.
 * H5Dread_chunk and H5Dwrite_chunk so tell where a chunk lies, for every kind of
 * index, and its bytes are moved outside the lock. Everything else passes through:
 * libhdf5 may write fill chunks during the same call.
 *
 * What is written goes to the file or is held back until the next sync (h5_deferred.h). Writes and
 * truncations never fail towards libhdf5: it would keep the file half closed and crash at exit.
 *
 * After fork() the child shares the file but has its own copy of libhdf5's
 * metadata cache. What it would write at exit is stale, so in a process that did
 * not open the file writing and truncating do nothing. */
#include "env.h"
#include "h5_int.h"
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
} armed;
static hid_t driver_id = -1; /* under the HDF5 lock */
static _Thread_local int os_error;

/* --- the bytes --------------------------------------------------------------- */

int cel_h5_io_make(const char *path, struct cel_h5_io **out)
{
    struct cel_h5_io *io = cel_calloc(1, sizeof *io);

    if (!io || !(io->path = cel_strdup(path))) {
        free(io);
        return NC_ENOMEM;
    }
    io->fd = -1;
    io->owner = getpid();
    io->refs = 1;
    cel_mutex_init(&io->lock);
    *out = io;
    return CEL_OK;
}

static int add_ref(struct cel_h5_io *io, int n)
{
    cel_lock(&io->lock);
    n = io->refs += n;
    cel_unlock(&io->lock);
    return n;
}

int cel_h5_io_set_file(struct cel_h5_io *io, int fd)
{
    int rc;

    io->fd = fd;
    rc = cel_h5_deferred_get(fd, &io->deferred);
    if (rc == CEL_OK && io->writable)
        atomic_store(&io->deferred->written, true);
    return rc;
}

/* Only the process that took the lock may let it go. */
void cel_h5_io_unlock(struct cel_h5_io *io)
{
    if (io->fd >= 0 && io->owner == getpid())
        flock(io->fd, LOCK_UN);
}

/* A child forked meanwhile has the file open too, and would keep its lock. */
static int close_fd(struct cel_h5_io *io)
{
    cel_h5_io_unlock(io);
    return close(io->fd) != 0 && errno != EINTR ? errno : 0;
}

int cel_h5_io_release(struct cel_h5_io *io)
{
    int e = 0;

    if (!io || add_ref(io, -1) > 0)
        return 0;
    if (io->deferred)
        cel_h5_deferred_release(io->deferred);
    if (io->fd >= 0)
        e = close_fd(io);
    if (!io->fixed)
        free(io->data);
    free(io->path);
    cel_mutex_dispose(&io->lock);
    free(io);
    return e;
}

bool cel_h5_io_foreign(const struct cel_h5_io *io)
{
    return io->writable && io->owner != getpid();
}

/* Room for `end` bytes in memory; new bytes are zero. Under io->lock. */
static int grow(struct cel_h5_io *io, uint64_t end)
{
    size_t cap;
    char *data;

    if (end <= io->cap)
        return 0;
    if (io->fixed)
        return ENOSPC;
    cap = io->cap + io->cap / 2 > end ? io->cap + io->cap / 2 : (size_t)end + 65536;
    data = cel_realloc(io->data, cap, 1);
    if (!data)
        return ENOMEM;
    memset(data + io->cap, 0, cap - io->cap);
    io->data = data;
    io->cap = cap;
    return 0;
}

static int read_memory(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved)
{
    cel_lock(&io->lock);
    *moved = addr >= io->eof ? 0 : io->eof - addr < n ? (size_t)(io->eof - addr) : n;
    if (addr >= io->cap)
        *moved = 0;
    else if (*moved > io->cap - addr)
        *moved = (size_t)(io->cap - addr);
    if (*moved)
        memcpy(data, io->data + addr, *moved);
    cel_unlock(&io->lock);
    return 0;
}

static int write_memory(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n)
{
    int e;

    cel_lock(&io->lock);
    e = grow(io, addr + n);
    if (!e)
        memcpy(io->data + addr, data, n);
    cel_unlock(&io->lock);
    return e;
}

static int move_in(struct cel_h5_io *io, uint64_t addr, void *data, size_t n, size_t *moved)
{
    return io->deferred ? cel_h5_deferred_read(io->deferred, io->fd, addr, data, n, moved)
                        : read_memory(io, addr, data, n, moved);
}

static int move_out(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place)
{
    return io->deferred ? cel_h5_deferred_write(io->deferred, io->fd, addr, data, n, in_place)
                        : write_memory(io, addr, data, n);
}

static void set_end(struct cel_h5_io *io, uint64_t end)
{
    io->eof = end;
    if (io->deferred)
        io->deferred->end = end;
}

static void note_end(struct cel_h5_io *io, uint64_t end)
{
    cel_lock(&io->lock);
    if (end > io->eof)
        set_end(io, end);
    cel_unlock(&io->lock);
}

int cel_h5_io_read(struct cel_h5_io *io, uint64_t addr, void *data, size_t n)
{
    size_t moved;
    int e = move_in(io, addr, data, n, &moved);

    if (e)
        return cel_fail(NC_EHDFERR, "reading %zu bytes at offset %llu: %s", n, (unsigned long long)addr, strerror(e));
    if (moved < n && !io->writable)
        return cel_fail(NC_EHDFERR, "the file ends within the %zu bytes at offset %llu: it is truncated", n,
                        (unsigned long long)addr);
    memset((char *)data + moved, 0, n - moved); /* allocated in this session, not written yet */
    return CEL_OK;
}

static int read_at(void *io, uint64_t offset, void *bytes, size_t n)
{
    return cel_h5_io_read(io, offset, bytes, n);
}

struct cel_h5r_source cel_h5_io_source(struct cel_h5_io *io)
{
    return (struct cel_h5r_source){.data = io, .size = io->eof, .read_at = read_at};
}

int cel_h5_io_write(struct cel_h5_io *io, uint64_t addr, const void *data, size_t n, bool in_place)
{
    int e;

    if (cel_h5_io_foreign(io))
        return cel_fail(NC_EPERM, "the file was opened before fork(): only the parent process may write it");
    e = move_out(io, addr, data, n, in_place);
    if (e)
        return cel_fail(e == ENOMEM ? NC_ENOMEM : NC_EHDFERR, "writing %zu bytes at offset %llu: %s", n,
                        (unsigned long long)addr, strerror(e));
    return CEL_OK;
}

bool cel_h5_io_is_live(const struct cel_h5_io *io, uint64_t addr)
{
    return io->deferred && addr < io->deferred->synced;
}

unsigned cel_h5_io_faults(struct cel_h5_io *io, int *e)
{
    unsigned n;

    if (!io->deferred)
        return 0;
    cel_lock(&io->deferred->lock);
    n = io->deferred->faults;
    *e = io->deferred->fault;
    cel_unlock(&io->deferred->lock);
    return n;
}

int cel_h5_io_commit(struct cel_h5_io *io)
{
    return io->deferred && io->writable && !cel_h5_io_foreign(io) ? cel_h5_commit(io->deferred, io->fd) : CEL_OK;
}

/* --- the driver ------------------------------------------------------------------ */

static herr_t fault(int e)
{
    os_error = e;
    return e ? -1 : 0;
}

static int empty(struct cel_h5_io *io)
{
    if (io->fd >= 0 && ftruncate(io->fd, 0) != 0)
        return errno;
    if (io->data)
        memset(io->data, 0, io->cap);
    set_end(io, 0);
    if (io->deferred)
        io->deferred->synced = 0;
    io->emptied = true;
    return 0;
}

/* libhdf5 makes lists like that of an open file when this one names others. */
static void *driver_list(struct cel_h5_io *io)
{
    struct driver_info *info = malloc(sizeof *info);

    if (info)
        info->io = io;
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
    int e = (flags & H5F_ACC_TRUNC) && io->fresh ? empty(io) : 0;

    if (!e)
        add_ref(io, 1);
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
    if (strcmp(name, info->io->path) == 0)
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
        cel_h5_io_release(file->io); /* whoever closes has another hold on it, and closes it */
    free(file);
    return 0;
}

/* Nobody but libhdf5 knows of a file that another one names: so what is held back of it is written when libhdf5 flushes. */
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

static bool noted(const void *buffer, haddr_t addr, size_t n)
{
    if (!armed.buffer || buffer != armed.buffer)
        return false;
    armed.seen = true;
    armed.addr = addr;
    armed.n = n;
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
    if (noted(buffer, addr, n))
        return 0;
    e = move_in(file->io, addr, buffer, n, &moved);
    memset((char *)buffer + moved, 0, n - moved); /* beyond the end reads as zeros, as libhdf5 expects */
    return fault(e);
}

static bool was_synced(const struct cel_h5_io *io, H5FD_mem_t type, haddr_t addr, size_t n)
{
    return type == H5FD_MEM_DRAW && addr >= io->synced_begin && addr + n <= io->synced_end;
}

/* In memory: no more of it. While closing libhdf5 is told that all went well, and whoever closes looks at `lost`. */
static herr_t write_fault(struct cel_h5_io *io, int e)
{
    if (!e || !io->closing)
        return fault(e);
    io->lost = io->lost ? io->lost : e;
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
    if (cel_h5_io_foreign(file->io))
        return 0;
    if (!noted(buffer, addr, n))
        e = move_out(file->io, addr, buffer, n, was_synced(file->io, type, addr, n));
    note_end(file->io, addr + n);
    return write_fault(file->io, file->io->deferred ? 0 : e);
}

static int cut(struct cel_h5_io *io, haddr_t end)
{
    int e = 0;

    cel_lock(&io->lock);
    if (io->fd < 0)
        e = grow(io, end);
    if (!e)
        set_end(io, end);
    cel_unlock(&io->lock);
    return e;
}

/* The file itself gets its length with the next sync. */
static herr_t driver_truncate(H5FD_t *f, hid_t dxpl, hbool_t closing)
{
    struct driver_file *file = (struct driver_file *)f;

    (void)dxpl;
    (void)closing;
    if (file->eoa == file->io->eof || !file->io->writable || cel_h5_io_foreign(file->io))
        return 0;
    return write_fault(file->io, cut(file->io, file->eoa));
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

void cel_h5_arm(const void *buffer)
{
    armed.buffer = buffer;
    armed.seen = false;
}

bool cel_h5_disarm(uint64_t *addr, size_t *n)
{
    armed.buffer = NULL;
    *addr = armed.addr;
    *n = armed.n;
    return armed.seen;
}

int cel_h5_os_error(void)
{
    int e = os_error;

    os_error = 0;
    return e;
}
