/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls on files, each passed on to the C library unless it is the one to be hit. */
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static struct faults now;
static atomic_long ncalls;

void faults_set(const struct faults *f)
{
    now = *f;
    atomic_store(&ncalls, 0);
}

long faults_count(void)
{
    return atomic_load(&ncalls);
}

bool faults_hit(enum fault_kind kind)
{
    long n;

    if (!(now.kinds & kind))
        return false;
    n = atomic_fetch_add(&ncalls, 1) + 1;
    return now.at && (n == now.at || (now.from_then_on && n > now.at));
}

int faults_fail(void)
{
    if (!now.error)
        _exit(99);
    errno = now.error;
    return -1;
}

static bool is_below(const char *path)
{
    return now.folder && strncmp(path, now.folder, strlen(now.folder)) == 0;
}

static bool is_ours(int fd)
{
    char link[64], path[PATH_MAX];
    ssize_t n;

    if (!now.folder)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    return is_below(path);
}

static bool hit(enum fault_kind kind, int fd)
{
    return (now.kinds & kind) && is_ours(fd) && faults_hit(kind);
}

static bool hit_path(enum fault_kind kind, int dir, const char *path)
{
    return (now.kinds & kind) && (path[0] == '/' || dir == AT_FDCWD ? is_below(path) : is_ours(dir)) &&
           faults_hit(kind);
}

/* How much of n bytes a call that is hit moves: all of them are at least one. */
static size_t half_of(size_t n)
{
    return n - n / 2;
}

/* The same for a write at this place that fails. */
static size_t torn_of(off_t at, size_t n)
{
    size_t grain = now.grain ? now.grain : 1, begin = (size_t)at, end = (begin + half_of(n)) / grain * grain;

    if (now.brief)
        return half_of(n);
    return now.half && end > begin ? end - begin : 0;
}

#pragma GCC visibility push(default) /* other libraries find them */
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *bytes, size_t n)
{
    REAL(read);
    if (!hit(FAULT_READ, fd))
        return real(fd, bytes, n);
    return now.brief ? real(fd, bytes, half_of(n)) : faults_fail();
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at)
{
    REAL(pread);
    if (!hit(FAULT_READ, fd))
        return real(fd, bytes, n, at);
    return now.brief ? real(fd, bytes, half_of(n), at) : faults_fail();
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    size_t some;
    ssize_t put;

    REAL(write);
    if (!hit(FAULT_WRITE, fd))
        return real(fd, bytes, n);
    some = torn_of(lseek(fd, 0, SEEK_CUR), n);
    put = some ? real(fd, bytes, some) : 0;
    return now.brief ? put : faults_fail();
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    ssize_t put;

    REAL(pwrite);
    if (!hit(FAULT_WRITE, fd))
        return real(fd, bytes, n, at);
    put = torn_of(at, n) ? real(fd, bytes, torn_of(at, n), at) : 0;
    return now.brief ? put : faults_fail();
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    struct iovec first = {.iov_base = n ? v[0].iov_base : NULL, .iov_len = n ? torn_of(at, v[0].iov_len) : 0};
    ssize_t put;

    REAL(pwritev);
    if (!hit(FAULT_WRITE, fd))
        return real(fd, v, n, at);
    put = first.iov_len ? real(fd, &first, 1, at) : 0;
    return now.brief ? put : faults_fail();
}

ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t n, unsigned flags)
{
    ssize_t put;

    REAL(copy_file_range);
    if (!hit(FAULT_WRITE, to))
        return real(from, in, to, out, n, flags);
    put = now.half || now.brief ? real(from, in, to, out, half_of(n), flags) : 0;
    return now.brief ? put : faults_fail();
}

int ftruncate(int fd, off_t n)
{
    REAL(ftruncate);
    return hit(FAULT_LENGTH, fd) ? faults_fail() : real(fd, n);
}

int fallocate(int fd, int mode, off_t at, off_t n)
{
    REAL(fallocate);
    return hit(FAULT_LENGTH, fd) ? faults_fail() : real(fd, mode, at, n);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return hit_path(FAULT_NAME, AT_FDCWD, to) ? faults_fail() : real(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    REAL(renameat);
    return hit_path(FAULT_NAME, to_dir, to) ? faults_fail() : real(from_dir, from, to_dir, to);
}

int unlink(const char *path)
{
    REAL(unlink);
    return hit_path(FAULT_NAME, AT_FDCWD, path) ? faults_fail() : real(path);
}

int unlinkat(int dir, const char *path, int flags)
{
    REAL(unlinkat);
    return hit_path(FAULT_NAME, dir, path) ? faults_fail() : real(dir, path, flags);
}

int rmdir(const char *path)
{
    REAL(rmdir);
    return hit_path(FAULT_NAME, AT_FDCWD, path) ? faults_fail() : real(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return hit_path(FAULT_NAME, AT_FDCWD, path) ? faults_fail() : real(path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    REAL(mkdirat);
    return hit_path(FAULT_NAME, dir, path) ? faults_fail() : real(dir, path, mode);
}

/* The mode, where the flags say that there is one. */
static mode_t mode_of(int flags, va_list ap)
{
    return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(ap, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    REAL(open);
    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return hit_path(FAULT_OPEN, AT_FDCWD, path) ? faults_fail() : real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    REAL(openat);
    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return hit_path(FAULT_OPEN, dir, path) ? faults_fail() : real(dir, path, flags, mode);
}

/* openat2 has no function of its own. Six arguments are taken, as the real one does, also where fewer were given. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
    long a[6];
    va_list ap;

    REAL(syscall);
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_openat2 && hit_path(FAULT_OPEN, (int)a[0], (const char *)a[1]))
        return faults_fail();
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int fsync(int fd)
{
    REAL(fsync);
    return hit(FAULT_SYNC, fd) ? faults_fail() : real(fd);
}

int fdatasync(int fd)
{
    REAL(fdatasync);
    return hit(FAULT_SYNC, fd) ? faults_fail() : real(fd);
}

int syncfs(int fd)
{
    REAL(syncfs);
    return hit(FAULT_SYNC, fd) ? faults_fail() : real(fd);
}

/* As NFS does it: the file is closed, and what was written is lost. */
int close(int fd)
{
    REAL(close);
    if (!hit(FAULT_CLOSE, fd))
        return real(fd);
    real(fd);
    return faults_fail();
}
#pragma GCC visibility pop
