/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal beside a file: what a commit is about to overwrite in it, as it was and as it will be. h5_commit.c says
 * when it is made; docs/formats/hdf5-journal.md has its bytes.
 *
 *     head     signature, version, number of blocks, length of the file now and then
 *     block    offset, n, the n bytes that are there, the n bytes that will be
 *     ...
 *     witness  the superblock, as a block whose old and new bytes are the same; only if no block touches it
 *     sum      over all of it
 *
 * The problem: whoever opens the file later must tell three cases apart by the bytes alone: a commit that was cut short
 * (the journal must be used), one whose journal was not finished (it must not), and a journal left beside a file that
 * was changed or replaced since (it must not: it would damage the file).
 *
 * The idea: the sum tells the second case. For the third the journal holds the old bytes, too. A commit cut short
 * leaves each byte of each block as it was or as it was to be, and the file at least as long as one of both; a file
 * that differs is another one. A file replaced by one that happens to agree in all blocks is told by the superblock,
 * which has the end of the file as its last writer left it and therefore is always among the blocks, as a witness if
 * it does not change.
 *
 * So a journal that counts may be applied any number of times: each time every byte is old or new, and then new. One
 * that does not count is left alone by readers and removed by writers.
 *
 * The journal is made under its own name, never through a link and never over something else's file. Only one that
 * counts already, as its blocks could not all be written, is replaced by rename(): there must be one of both at any
 * moment.
 *
 * What would break it: somebody who copies the file without its journal, or removes the journal (docs/durability.md says
 * so to users); a program that changes the file and keeps all bytes of all blocks and the superblock. */
#include "h5_journal.h"
#include "buf.h"
#include "bytes.h"
#include "disk.h"
#include "file.h"
#include "h5_bytes.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".cellar-journal"
enum { HEAD = 40, SUM = 8, WITNESS = 48, WITNESS_AT = 12 };
static const unsigned char signature[8] = {0x89, 'C', 'J', 'L', '\r', '\n', 0x1a, '\n'};

static char *joined(const char *name, const char *suffix)
{
    size_t n = strlen(name) + strlen(suffix) + 1;
    char *out = cel_malloc(n);

    if (out)
        snprintf(out, n, "%s%s", name, suffix);
    return out;
}

/* Asking for the real path takes longer than opening a file: it is done for links, and where the name is kept. */
char *cel_h5_journal_name(const char *path, bool kept)
{
    char one, *real, *name;

    if (!kept && readlink(path, &one, 1) < 0)
        return joined(path, SUFFIX);
    real = realpath(path, NULL);
    name = real ? joined(real, SUFFIX) : NULL;
    free(real);
    return name;
}

/* --- bytes ---------------------------------------------------------------------------- */

static uint64_t sum_of(const unsigned char *p, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ n;

    for (; n >= 8; p += 8, n -= 8) {
        h = (h ^ cel_get_le64(p)) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    h = (h ^ cel_get_le(p, n)) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

static int add_number(struct cel_buf *out, uint64_t v, size_t n)
{
    unsigned char bytes[8];

    cel_put_le(bytes, v, n);
    return cel_buf_add(out, bytes, n);
}

static int read_all(int fd, uint64_t at, unsigned char *bytes, size_t n)
{
    size_t done;
    int e = cel_file_read(fd, at, bytes, n, &done);

    return e ? e : done < n ? EIO : 0;
}

/* --- writing ---------------------------------------------------------------------------- */

static int add_block(struct cel_buf *out, int fd, const struct cel_h5_block *b)
{
    int e, rc = add_number(out, b->at, 8) | add_number(out, b->n, 8);
    size_t old = out->len;

    rc |= cel_buf_resize(out, old + b->n);
    if (rc)
        return ENOMEM;
    e = read_all(fd, b->at, (unsigned char *)out->data + old, b->n);
    return e ? e : cel_buf_add(out, b->bytes, b->n) ? ENOMEM : 0;
}

/* The superblock, where no block has it. */
static int add_witness(struct cel_buf *out, int fd, const struct cel_h5_overlay *blocks, bool *added)
{
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char bytes[WITNESS] = {0};
    struct cel_h5_block b = {.n = sizeof bytes, .bytes = bytes};
    int e;

    for (b.at = 0; (e = read_all(fd, b.at, bytes, sizeof bytes)) == 0; b.at = b.at ? b.at * 2 : 512)
        if (memcmp(bytes, hdf5, sizeof hdf5) == 0)
            break;
    *added = !e && !cel_h5_overlay_touches(blocks, b.at, b.n);
    return *added ? add_block(out, fd, &b) : e;
}

static int compose(struct cel_buf *out, int fd, uint64_t length, uint64_t new_length,
                   const struct cel_h5_overlay *blocks)
{
    int rc = cel_buf_add(out, signature, sizeof signature) | add_number(out, 1, 4) | add_number(out, 0, 4) |
             add_number(out, blocks->n, 8) | add_number(out, length, 8) | add_number(out, new_length, 8);
    bool witness = false;
    int e = rc ? ENOMEM : 0;

    for (size_t i = 0; !e && i < blocks->n; i++)
        e = add_block(out, fd, &blocks->block[i]);
    if (!e)
        e = add_witness(out, fd, blocks, &witness);
    if (!e)
        ((unsigned char *)out->data)[WITNESS_AT] = witness;
    if (!e && add_number(out, sum_of((unsigned char *)out->data, out->len), SUM) != CEL_OK)
        e = ENOMEM;
    return e;
}

static bool is_forbidden(int e)
{
    return e == EACCES || e == EPERM || e == EROFS || e == ENOENT || e == EEXIST || e == ENAMETOOLONG;
}

static int close_synced(int out, const char *name)
{
    int e = cel_disk_sync(out);

    if (close(out) != 0 && !e && errno != EINTR)
        e = errno;
    return e ? e : cel_disk_sync_folder(name);
}

/* Or a file of another kind that happens to have the name? The beginning of one counts: its writer was killed. */
static bool is_journal(const char *name)
{
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    unsigned char head[sizeof signature];
    size_t n;
    bool known = fd >= 0 && cel_file_read(fd, 0, head, sizeof head, &n) == 0 && memcmp(head, signature, n) == 0;

    if (fd >= 0)
        close(fd);
    return known;
}

/* Never through a link, never over something that is there. */
static int put_beside(const char *name, int fd, const struct cel_buf *bytes)
{
    int out = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), e;
    struct stat st;

    if (out < 0)
        return is_forbidden(errno) ? CEL_H5_NO_JOURNAL : errno;
    e = fstat(fd, &st) == 0 && fchmod(out, st.st_mode & 0666) == 0 ? 0 : errno;
    if (!e)
        e = cel_file_write(out, 0, bytes->data, bytes->len);
    if (e)
        close(out);
    else
        e = close_synced(out, name);
    if (e)
        unlink(name);
    return e;
}

/* The old one counts until the new one is whole. */
static int replace(const char *name, int fd, const struct cel_buf *bytes)
{
    char *fresh = joined(name, ".new");
    int e;

    if (!fresh)
        return ENOMEM;
    if (is_journal(fresh))
        unlink(fresh);
    e = put_beside(fresh, fd, bytes);
    if (!e && rename(fresh, name) != 0)
        e = errno;
    if (!e)
        e = cel_disk_sync_folder(name);
    free(fresh);
    return e;
}

int cel_h5_journal_write(const char *name, int fd, uint64_t length, uint64_t new_length,
                         const struct cel_h5_overlay *blocks)
{
    struct cel_buf bytes = CEL_BUF_INIT(SIZE_MAX / 2);
    int e;

    if (!name)
        return CEL_H5_NO_JOURNAL;
    e = compose(&bytes, fd, length, new_length, blocks);
    if (!e)
        e = is_journal(name) ? replace(name, fd, &bytes) : put_beside(name, fd, &bytes);
    cel_buf_dispose(&bytes);
    return e;
}

/* --- reading ---------------------------------------------------------------------------- */

/* Another user could put a file of that name there: it must belong to who owns the file, to us, or to root. */
static bool is_trusted(int journal, int fd, size_t *n)
{
    struct stat j, f;

    if (fstat(journal, &j) != 0 || fstat(fd, &f) != 0 || !S_ISREG(j.st_mode) || j.st_size < HEAD + SUM)
        return false;
    *n = (size_t)j.st_size;
    return j.st_uid == f.st_uid || j.st_uid == geteuid() || j.st_uid == 0;
}

static int read_journal(int journal, int fd, struct cel_buf *out)
{
    size_t n;
    int e;

    if (!is_trusted(journal, fd, &n))
        return ENOENT;
    if (cel_buf_resize(out, n) != CEL_OK)
        return ENOMEM;
    e = read_all(journal, 0, (unsigned char *)out->data, n);
    if (e)
        return e;
    return memcmp(out->data, signature, sizeof signature) == 0 &&
                   sum_of((unsigned char *)out->data, n - SUM) == cel_get_le((unsigned char *)out->data + n - SUM, SUM)
               ? 0
               : ENOENT;
}

/* Is what the file has here what it had, or what it was to have? */
static int block_fits(int fd, uint64_t at, size_t n, const unsigned char *old, const unsigned char *bytes)
{
    unsigned char *now = cel_malloc(n);
    int e = now ? read_all(fd, at, now, n) : ENOMEM;

    for (size_t i = 0; !e && i < n; i++)
        if (now[i] != old[i] && now[i] != bytes[i])
            e = ENOENT;
    free(now);
    return e;
}

static int take_block(struct cel_h5_bytes *in, int fd, uint64_t length, struct cel_h5_overlay *blocks)
{
    uint64_t at = cel_h5_take_number(in, 8), n = cel_h5_take_number(in, 8);
    const unsigned char *old = cel_h5_take(in, (size_t)n), *bytes = cel_h5_take(in, (size_t)n);
    int e;

    if (in->ended || at > length || n > length - at)
        return ENOENT;
    e = block_fits(fd, at, (size_t)n, old, bytes);
    return e ? e : cel_h5_overlay_put(blocks, at, bytes, (size_t)n);
}

static int take_apart(struct cel_h5_bytes in, int fd, struct cel_h5_overlay *blocks, uint64_t *new_length)
{
    uint64_t version, witness, n, length, now = *new_length;
    int e = 0;

    cel_h5_take(&in, sizeof signature);
    version = cel_h5_take_number(&in, 4);
    witness = cel_h5_take_number(&in, 4);
    n = cel_h5_take_number(&in, 8);
    length = cel_h5_take_number(&in, 8);
    *new_length = cel_h5_take_number(&in, 8);
    if (in.ended || version != 1 || (now < length && now < *new_length))
        return ENOENT;
    for (n += witness; !e && n > 0; n--)
        e = take_block(&in, fd, now, blocks);
    return e;
}

int cel_h5_journal_read(const char *name, int fd, struct cel_h5_overlay *blocks, uint64_t *new_length)
{
    int journal = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), e;
    struct cel_buf bytes = CEL_BUF_INIT(SIZE_MAX / 2);
    struct stat st;

    if (fstat(fd, &st) != 0)
        st.st_size = 0;
    *new_length = (uint64_t)st.st_size;
    if (journal < 0)
        return errno == ENOENT || errno == ELOOP ? 0 : errno;
    e = read_journal(journal, fd, &bytes);
    if (!e)
        e = take_apart((struct cel_h5_bytes){.p = (unsigned char *)bytes.data, .n = bytes.len - SUM}, fd, blocks,
                       new_length);
    if (e) {
        cel_h5_overlay_clear(blocks);
        *new_length = (uint64_t)st.st_size;
    }
    cel_buf_dispose(&bytes);
    close(journal);
    return e == ENOENT ? 0 : e; /* not whole, or not this file's */
}

int cel_h5_journal_remove(const char *name)
{
    if (!is_journal(name))
        return 0;
    if (unlink(name) != 0 && errno != ENOENT)
        return errno;
    return cel_disk_sync_folder(name);
}
