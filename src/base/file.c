/* SPDX-License-Identifier: BSD-3-Clause */
/* The only loops over pread() and pwrite(). */
#include "file.h"
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PARTS_MAX = 64 }; /* for one call of the system */

int cel_file_read(int fd, uint64_t offset, void *dst, size_t n, size_t *done)
{
    ssize_t got = 1;

    for (*done = 0; *done < n && got != 0; *done += got > 0 ? (size_t)got : 0) {
        got = pread(fd, (char *)dst + *done, n - *done, (off_t)(offset + *done));
        if (got < 0 && errno != EINTR)
            return errno;
    }
    return 0;
}

/* What is wrong with a transfer that moved `put` bytes, where at least one was asked for; 0: nothing. */
static int write_error(ssize_t put)
{
    if (put == 0)
        return ENOSPC;
    return put < 0 && errno != EINTR ? errno : 0;
}

int cel_file_write(int fd, uint64_t offset, const void *src, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, (const char *)src + done, n - done, (off_t)(offset + done));
        int e = write_error(put);

        if (e)
            return e;
        done += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* The parts that are left once `done` bytes are written. None of them is empty at the front. */
static int skip_parts(struct iovec *part, int n, size_t done)
{
    int first = 0;

    while (first < n && done >= part[first].iov_len)
        done -= part[first++].iov_len;
    if (first < n) {
        part[first].iov_base = (char *)part[first].iov_base + done;
        part[first].iov_len -= done;
    }
    memmove(part, part + first, (size_t)(n - first) * sizeof *part);
    return n - first;
}

static int write_few(int fd, uint64_t offset, struct iovec *part, int n)
{
    n = skip_parts(part, n, 0);
    while (n > 0) {
        ssize_t put = pwritev(fd, part, n, (off_t)offset);
        int e = write_error(put);

        if (e)
            return e;
        offset += put > 0 ? (uint64_t)put : 0;
        n = skip_parts(part, n, put > 0 ? (size_t)put : 0);
    }
    return 0;
}

int cel_file_write_parts(int fd, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    struct iovec few[PARTS_MAX];
    int e = 0;

    for (size_t at = 0; !e && at < n;) {
        uint64_t from = offset;
        int k = 0;

        for (; k < PARTS_MAX && at < n; k++, at++) {
            few[k] = (struct iovec){(void *)part[at].data, part[at].n};
            offset += part[at].n;
        }
        e = write_few(fd, from, few, k);
    }
    return e;
}
