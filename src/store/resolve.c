/* SPDX-License-Identifier: BSD-3-Clause */
/* On Linux one call does this (openat2). On other systems the path is walked part by part with
 * all parent folders open: ".." in a link leads back to the folder from which the walk came,
 * even if it was moved in the meantime. */
#include "resolve.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#if defined SYS_openat2
#include <linux/openat2.h>
#endif

enum { DEPTH_MAX = 64, LINKS_MAX = 40 };

/* --- by steps ------------------------------------------------------------------- */

struct walk {
    int fd[DEPTH_MAX]; /* the root and the folders entered; fd[0] is the caller's */
    int depth;         /* of the last one */
    int links;
    char rest[PATH_MAX]; /* of the path */
};

static int fail_with(int error)
{
    errno = error;
    return -1;
}

static int top_of(const struct walk *w)
{
    return w->fd[w->depth];
}

static int step_back(struct walk *w)
{
    if (w->depth == 0)
        return fail_with(EXDEV);
    close(w->fd[w->depth--]);
    return 0;
}

static int step_into(struct walk *w, const char *part)
{
    int fd = w->depth + 1 < DEPTH_MAX ? openat(top_of(w), part, CEL_OPEN_TO_STAT | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                      : fail_with(ENAMETOOLONG);

    if (fd < 0)
        return -1;
    w->fd[++w->depth] = fd;
    return 0;
}

/* The first part of the path goes to part[]; `rest` is what follows it. */
static void take_part(struct walk *w, char part[NAME_MAX + 1])
{
    char *from = w->rest + strspn(w->rest, "/");
    size_t n = strcspn(from, "/");

    memcpy(part, from, n < NAME_MAX ? n : NAME_MAX);
    part[n < NAME_MAX ? n : NAME_MAX] = '\0';
    from += n;
    from += strspn(from, "/");
    memmove(w->rest, from, strlen(from) + 1);
}

/* What a link says comes before what is left of the path. 1: it is a link; 0: it is none. */
static int take_link(struct walk *w, const char *part)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(top_of(w), part, target, sizeof target - 1);
    size_t left = strlen(w->rest);

    if (n < 0)
        return errno == EINVAL ? 0 : -1;
    if (n > 0 && target[0] == '/')
        return fail_with(EXDEV);
    if (++w->links > LINKS_MAX || (size_t)n + 1 + left >= sizeof w->rest)
        return fail_with(ELOOP);
    memmove(w->rest + n + 1, w->rest, left + 1);
    memcpy(w->rest, target, (size_t)n);
    w->rest[n] = '/';
    return 1;
}

/* The fd of what the path leads to; -1 also when there is more to walk, with *more. */
static int walk_part(struct walk *w, int flags, bool *more)
{
    char part[NAME_MAX + 1];
    int rc;

    take_part(w, part);
    *more = *w->rest;
    if (strcmp(part, "..") == 0)
        rc = step_back(w);
    else if (!*part || strcmp(part, ".") == 0)
        rc = 0;
    else if ((rc = take_link(w, part)) == 1)
        rc = 0, *more = true;
    else if (rc == 0 && !*more)
        return openat(top_of(w), part, flags | O_NOFOLLOW);
    else if (rc == 0)
        rc = step_into(w, part);
    if (rc != 0)
        *more = false;
    return rc == 0 && !*more ? openat(top_of(w), ".", flags) : -1;
}

int cel_resolve_walk(int root, const char *path, int flags)
{
    struct walk w = {.fd = {root}};
    bool more = true;
    int fd = -1, error;

    if (strlen(path) >= sizeof w.rest)
        return fail_with(ENAMETOOLONG);
    strcpy(w.rest, path);
    if (*path == '/')
        return fail_with(EXDEV);
    while (more)
        fd = walk_part(&w, flags, &more);
    error = errno;
    while (w.depth > 0)
        step_back(&w);
    errno = error;
    return fd;
}

/* --- at once ----------------------------------------------------------------------- */

#if defined SYS_openat2
static _Atomic bool kernel_cannot;

static bool open_by_kernel(int root, const char *path, int flags, int *fd)
{
    struct open_how how = {.flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int tries = 100;

    if (atomic_load_explicit(&kernel_cannot, memory_order_relaxed))
        return false;
    do /* EAGAIN: something was renamed meanwhile */
        *fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    while (*fd < 0 && (errno == EAGAIN || errno == EINTR) && --tries > 0);
    if (*fd < 0 && (errno == ENOSYS || errno == EPERM)) { /* too old, or forbidden in this container */
        atomic_store(&kernel_cannot, true);
        return false;
    }
    return true;
}
#else
static bool open_by_kernel(int root, const char *path, int flags, int *fd)
{
    (void)root, (void)path, (void)flags, (void)fd;
    return false;
}
#endif

static int open_any(int root, const char *path, int flags, bool follow)
{
    int fd;

    if (follow)
        return openat(root, path, flags);
    return open_by_kernel(root, path, flags, &fd) ? fd : cel_resolve_walk(root, path, flags);
}

/* With O_NONBLOCK a pipe opens at once; a file that is leased to another (a file server)
 * does not, and is worth waiting for. */
int cel_resolve_open(int root, const char *path, int flags, bool follow)
{
    int fd;

    flags |= O_CLOEXEC;
    if (flags & (CEL_OPEN_TO_STAT & ~O_ACCMODE)) /* opens nothing that could wait */
        return open_any(root, path, flags, follow);
    fd = open_any(root, path, flags | O_NONBLOCK | O_NOCTTY, follow);
    if (fd < 0 && errno == EWOULDBLOCK)
        fd = open_any(root, path, flags | O_NOCTTY, follow);
    return fd;
}
