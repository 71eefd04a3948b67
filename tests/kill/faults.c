/* The calls, each passed on to the C library unless it is the one to be hit. */
#include "faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
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

static bool hit(enum fault_kind kind, bool ours)
{
    long n;

    if (!(now.kinds & kind) || !ours)
        return false;
    n = atomic_fetch_add(&ncalls, 1) + 1;
    return now.at && (n == now.at || (now.from_then_on && n > now.at));
}

/* The answer of a call that is hit. */
static int fail(void)
{
    if (!now.error)
        _exit(99);
    errno = now.error;
    return -1;
}

#pragma GCC visibility push(default) /* other libraries find them */
#define REAL(name)                                                                     \
    static __typeof__(&name) real;                                                     \
    if (!real)                                                                         \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t n)
{
    REAL(write);
    if (!hit(FAULT_WRITE, is_ours(fd)))
        return real(fd, bytes, n);
    if (now.half)
        real(fd, bytes, n / 2);
    return fail();
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    REAL(pwrite);
    if (!hit(FAULT_WRITE, is_ours(fd)))
        return real(fd, bytes, n, at);
    if (now.half)
        real(fd, bytes, n / 2, at);
    return fail();
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    REAL(pwritev);
    return hit(FAULT_WRITE, is_ours(fd)) ? fail() : real(fd, v, n, at);
}

int ftruncate(int fd, off_t n)
{
    REAL(ftruncate);
    return hit(FAULT_LENGTH, is_ours(fd)) ? fail() : real(fd, n);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return hit(FAULT_NAME, is_below(to)) ? fail() : real(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    REAL(renameat);
    return hit(FAULT_NAME, to[0] == '/' ? is_below(to) : is_ours(to_dir)) ? fail() : real(from_dir, from, to_dir, to);
}

int unlink(const char *path)
{
    REAL(unlink);
    return hit(FAULT_NAME, is_below(path)) ? fail() : real(path);
}

int unlinkat(int dir, const char *path, int flags)
{
    REAL(unlinkat);
    return hit(FAULT_NAME, path[0] == '/' ? is_below(path) : is_ours(dir)) ? fail() : real(dir, path, flags);
}

int fsync(int fd)
{
    REAL(fsync);
    return hit(FAULT_SYNC, is_ours(fd)) ? fail() : real(fd);
}

int fdatasync(int fd)
{
    REAL(fdatasync);
    return hit(FAULT_SYNC, is_ours(fd)) ? fail() : real(fd);
}

int syncfs(int fd)
{
    REAL(syncfs);
    return hit(FAULT_SYNC, is_ours(fd)) ? fail() : real(fd);
}

/* As NFS does it: the file is closed, and what was written is lost. */
int close(int fd)
{
    REAL(close);
    if (!hit(FAULT_CLOSE, is_ours(fd)))
        return real(fd);
    real(fd);
    return fail();
}
#pragma GCC visibility pop
