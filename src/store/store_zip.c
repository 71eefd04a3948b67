/* A store in a zip archive.
 *
 * Reading: the central directory is read once (opening costs O(entries)); stored
 * entries are then read by pread without a lock, deflated ones through
 * libdeflate. Writing: new values go to a scratch file beside the archive; at
 * close the archive is written anew, entries in the order of their keys, and
 * renamed over the old one. So the old archive is intact until the new one is
 * complete, the bytes do not depend on which thread wrote first, and no space is
 * lost. The scratch file is locked while in use: that is how a second writer is
 * told to wait, and how what a dead writer left is known.
 *
 *   local header      30  PK\3\4, version, flags, method, time, date, crc32, sizes, name and extra length
 *   central entry     46  PK\1\2, ... and the offset of the local header
 *   zip64 end         56  PK\6\6   } only when a count, size or offset
 *   zip64 locator     20  PK\6\7   } needs more than 16 or 32 bits
 *   end of directory  22  PK\5\6, counts, size and offset of the directory, comment */
#include "keys.h"
#include "mem.h"
#include "store_int.h"
#include "thread.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <libgen.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, ZIP64_ID = 1 };
enum { METHOD_STORED = 0, METHOD_DEFLATED = 8 };
#define DIRECTORY_MAX ((size_t)1 << 31)
#define DEFLATE_RATIO_MAX 1040 /* deflate cannot do better than about 1032 : 1 */
#define DOS_DATE 0x21          /* 1980-01-01: archives of equal content are equal */

struct entry {
    bool in_scratch;  /* data at `offset` of the scratch file; else local header at `offset` of the archive */
    uint64_t offset;
    uint64_t packed, size;
    uint32_t crc;
    unsigned method;
};

struct zip {
    struct cel_store store;
    struct cel_mutex lock; /* keys, scratch_end, changed */
    struct cel_keys keys;
    int archive;           /* fd, -1: none yet */
    uint64_t archive_size;
    int scratch;           /* fd, -1: not writing */
    char *scratch_path;
    uint64_t scratch_end;
    bool changed;
};

static struct zip *zip_of(struct cel_store *s)
{
    return (struct zip *)s;
}

static uint16_t get16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static unsigned char *put_int(unsigned char *p, uint64_t v, int nbytes)
{
    for (int i = 0; i < nbytes; i++, v >>= 8)
        *p++ = (unsigned char)v;
    return p;
}

static int damaged(const struct zip *z, const char *why)
{
    return cel_fail(NC_EIO, "%s: not a zip archive this library can read: %s", z->store.path, why);
}

static int read_at(int fd, const char *what, uint64_t offset, void *dst, size_t n)
{
    char *to = dst;

    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cel_store_failure("read", what);
        if (got == 0)
            return cel_fail(NC_EIO, "%s: the archive ends too early", what);
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return CEL_OK;
}

static int write_at(int fd, const char *what, uint64_t offset, const void *src, size_t n)
{
    const char *from = src;

    while (n > 0) {
        ssize_t put = pwrite(fd, from, n, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cel_store_failure("write", what);
        from += put;
        offset += (uint64_t)put;
        n -= (size_t)put;
    }
    return CEL_OK;
}

/* --- the central directory ------------------------------------------------- */

struct directory {
    uint64_t offset, size, count;
};

static int find_end64(struct zip *z, uint64_t end_at, struct directory *out)
{
    unsigned char locator[LOCATOR_SIZE], end[END64_SIZE];
    int rc;

    if (end_at < LOCATOR_SIZE)
        return damaged(z, "no zip64 locator");
    rc = read_at(z->archive, z->store.path, end_at - LOCATOR_SIZE, locator, sizeof locator);
    if (rc == CEL_OK && memcmp(locator, "PK\6\7", 4) != 0)
        rc = damaged(z, "no zip64 locator");
    if (rc == CEL_OK)
        rc = read_at(z->archive, z->store.path, get64(locator + 8), end, sizeof end);
    if (rc == CEL_OK && memcmp(end, "PK\6\6", 4) != 0)
        rc = damaged(z, "no zip64 end record");
    if (rc == CEL_OK)
        *out = (struct directory){get64(end + 48), get64(end + 40), get64(end + 32)};
    return rc;
}

/* The end record is the last thing in the file but for a comment of up to 64 KiB. */
static int find_directory(struct zip *z, struct directory *out)
{
    size_t n = z->archive_size < END_SIZE + 65535 ? (size_t)z->archive_size : END_SIZE + 65535;
    unsigned char *tail = cel_malloc(n);
    int rc = tail ? read_at(z->archive, z->store.path, z->archive_size - n, tail, n) : NC_ENOMEM;
    size_t at = n;

    while (rc == CEL_OK && at-- > 0)
        if (n - at >= END_SIZE && memcmp(tail + at, "PK\5\6", 4) == 0 && get16(tail + at + 20) == n - at - END_SIZE)
            break;
    if (rc == CEL_OK && at == (size_t)-1)
        rc = damaged(z, "no end record");
    if (rc == CEL_OK) {
        const unsigned char *end = tail + at;
        *out = (struct directory){get32(end + 16), get32(end + 12), get16(end + 10)};
        if (out->offset == UINT32_MAX || out->size == UINT32_MAX || out->count == UINT16_MAX)
            rc = find_end64(z, z->archive_size - n + at, out);
    }
    free(tail);
    return rc;
}

/* Sizes and offset that did not fit the 32-bit fields, in that order. */
static bool take_zip64(const unsigned char *extra, size_t n, struct entry *e)
{
    uint64_t *fields[] = {&e->size, &e->packed, &e->offset};

    for (; n >= 4 && n >= 4u + get16(extra + 2); n -= 4u + get16(extra + 2), extra += 4 + get16(extra + 2)) {
        const unsigned char *at = extra + 4, *end = at + get16(extra + 2);
        if (get16(extra) != ZIP64_ID)
            continue;
        for (size_t i = 0; i < 3; i++)
            if (*fields[i] == UINT32_MAX) {
                if (end - at < 8)
                    return false;
                *fields[i] = get64(at);
                at += 8;
            }
        return true;
    }
    return e->size != UINT32_MAX && e->packed != UINT32_MAX && e->offset != UINT32_MAX;
}

static int check_entry(struct zip *z, const char *name, const unsigned char *p, const struct entry *e)
{
    if (get16(p + 8) & 1)
        return cel_fail(NC_EIO, "%s: %s is encrypted", z->store.path, name);
    if (e->method != METHOD_STORED && e->method != METHOD_DEFLATED)
        return cel_fail(NC_EIO, "%s: %s is packed with method %u; only stored and deflated entries are read",
                        z->store.path, name, e->method);
    if (e->offset > z->archive_size || e->packed > z->archive_size - e->offset)
        return cel_fail(NC_EIO, "%s: %s lies outside the archive", z->store.path, name);
    if (e->method == METHOD_STORED ? e->size != e->packed : e->size / DEFLATE_RATIO_MAX > e->packed)
        return cel_fail(NC_EIO, "%s: %s claims %llu bytes from %llu packed ones", z->store.path, name,
                        (unsigned long long)e->size, (unsigned long long)e->packed);
    return CEL_OK;
}

static int add_entry(struct zip *z, const char *name, const struct entry *e)
{
    struct entry *copy = cel_memdup(e, sizeof *e);
    void *old = NULL;
    int rc = copy ? cel_keys_set(&z->keys, name, copy, &old) : NC_ENOMEM;

    free(rc == CEL_OK ? old : copy);
    return rc;
}

/* One central entry at p with n bytes left; *used is its length. */
static int load_entry(struct zip *z, const unsigned char *p, size_t n, size_t *used)
{
    struct entry e = {0};
    size_t name_len, extra_len;
    char *name;
    int rc;

    if (n < CENTRAL_SIZE || memcmp(p, "PK\1\2", 4) != 0)
        return damaged(z, "its directory is broken");
    name_len = get16(p + 28);
    extra_len = get16(p + 30);
    *used = CENTRAL_SIZE + name_len + extra_len + get16(p + 32);
    if (*used > n)
        return damaged(z, "its directory is cut off");
    e.method = get16(p + 10);
    e.crc = get32(p + 16);
    e.packed = get32(p + 20);
    e.size = get32(p + 24);
    e.offset = get32(p + 42);
    if (!take_zip64(p + CENTRAL_SIZE + name_len, extra_len, &e))
        return damaged(z, "a zip64 field is missing");
    if (name_len == 0 || p[CENTRAL_SIZE + name_len - 1] == '/' || memchr(p + CENTRAL_SIZE, 0, name_len))
        return CEL_OK; /* a folder, or no name */
    name = cel_strndup((const char *)p + CENTRAL_SIZE, name_len);
    if (!name)
        return NC_ENOMEM;
    rc = check_entry(z, name, p, &e);
    if (rc == CEL_OK)
        rc = add_entry(z, name, &e);
    free(name);
    return rc;
}

static int load_directory(struct zip *z)
{
    struct directory d;
    unsigned char *bytes = NULL;
    size_t at = 0, used = 0;
    int rc = find_directory(z, &d);

    if (rc == CEL_OK && (d.size > DIRECTORY_MAX || d.offset > z->archive_size || d.size > z->archive_size - d.offset))
        rc = damaged(z, "its directory lies outside the file");
    if (rc == CEL_OK && !(bytes = cel_malloc((size_t)d.size)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = read_at(z->archive, z->store.path, d.offset, bytes, (size_t)d.size);
    for (uint64_t i = 0; rc == CEL_OK && i < d.count; i++, at += used)
        rc = load_entry(z, bytes + at, (size_t)d.size - at, &used);
    free(bytes);
    return rc;
}

/* --- reading ---------------------------------------------------------------- */

static bool find_entry(struct zip *z, const char *key, struct entry *out)
{
    const struct entry *e;

    cel_lock(&z->lock);
    e = cel_keys_find(&z->keys, key);
    if (e)
        *out = *e;
    cel_unlock(&z->lock);
    return e;
}

static int data_offset(struct zip *z, const char *key, const struct entry *e, uint64_t *out)
{
    unsigned char local[LOCAL_SIZE];
    int rc;

    *out = e->offset;
    if (e->in_scratch)
        return CEL_OK;
    rc = read_at(z->archive, key, e->offset, local, sizeof local);
    if (rc != CEL_OK)
        return rc;
    *out += LOCAL_SIZE + get16(local + 26) + get16(local + 28);
    if (memcmp(local, "PK\3\4", 4) != 0 || *out > z->archive_size || e->packed > z->archive_size - *out)
        return cel_fail(NC_EIO, "%s: its place in the archive is damaged", key);
    return CEL_OK;
}

static int read_packed(struct zip *z, const char *key, const struct entry *e, uint64_t from, void *dst, size_t n)
{
    uint64_t offset;
    int rc = data_offset(z, key, e, &offset);

    return rc == CEL_OK ? read_at(e->in_scratch ? z->scratch : z->archive, key, offset + from, dst, n) : rc;
}

static int inflate_entry(struct zip *z, const char *key, const struct entry *e, void *dst)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    void *packed = cel_malloc((size_t)e->packed);
    int rc = d && packed ? read_packed(z, key, e, 0, packed, (size_t)e->packed) : cel_fail(NC_ENOMEM, "%s: no memory", key);

    if (rc == CEL_OK && libdeflate_deflate_decompress(d, packed, (size_t)e->packed, dst, (size_t)e->size, NULL) != 0)
        rc = cel_fail(NC_EIO, "%s: its deflated data is damaged", key);
    if (d)
        libdeflate_free_decompressor(d);
    free(packed);
    return rc;
}

static int get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct zip *z = zip_of(s);
    struct entry e;
    int rc;

    if (!find_entry(z, key, &e))
        return CEL_ABSENT;
    rc = cel_buf_resize(out, (size_t)e.size);
    if (rc == CEL_OK)
        rc = e.method == METHOD_STORED ? read_packed(z, key, &e, 0, out->data, out->len)
                                       : inflate_entry(z, key, &e, out->data);
    if (rc == CEL_OK && libdeflate_crc32(0, out->data, out->len) != e.crc)
        rc = cel_fail(NC_EIO, "%s: checksum does not match", key);
    return rc;
}

static int get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    struct zip *z = zip_of(s);
    struct cel_buf whole = CEL_BUF_INIT(SIZE_MAX);
    struct entry e;
    int rc;

    if (!find_entry(z, key, &e))
        return CEL_ABSENT;
    if (offset > e.size || n > e.size - offset)
        return cel_fail(NC_EIO, "%s: has %llu bytes, too few for %zu from %llu on", key, (unsigned long long)e.size, n,
                        (unsigned long long)offset);
    if (e.method == METHOD_STORED)
        return read_packed(z, key, &e, offset, dst, n);
    rc = get(s, key, &whole);
    if (rc == CEL_OK)
        memcpy(dst, whole.data + offset, n);
    cel_buf_dispose(&whole);
    return rc;
}

static int size(struct cel_store *s, const char *key, uint64_t *out)
{
    struct entry e;

    if (!find_entry(zip_of(s), key, &e))
        return CEL_ABSENT;
    *out = e.size;
    return CEL_OK;
}

static int list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct zip *z = zip_of(s);
    int rc;

    cel_lock(&z->lock);
    rc = cel_keys_list(&z->keys, prefix, visit, context);
    cel_unlock(&z->lock);
    return rc;
}

/* --- writing ---------------------------------------------------------------- */

static int put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct zip *z = zip_of(s);
    struct entry e = {.in_scratch = true, .packed = n, .size = n, .method = METHOD_STORED};
    int rc;

    e.crc = libdeflate_crc32(0, n ? data : NULL, n);
    cel_lock(&z->lock);
    e.offset = z->scratch_end;
    z->scratch_end += n;
    cel_unlock(&z->lock);
    rc = write_at(z->scratch, key, e.offset, data, n);
    if (rc != CEL_OK)
        return rc;
    cel_lock(&z->lock);
    rc = add_entry(z, key, &e);
    z->changed = true;
    cel_unlock(&z->lock);
    return rc;
}

static int erase(struct cel_store *s, const char *key)
{
    struct zip *z = zip_of(s);
    void *old;

    cel_lock(&z->lock);
    old = cel_keys_remove(&z->keys, key);
    z->changed |= old != NULL;
    cel_unlock(&z->lock);
    free(old);
    return old ? CEL_OK : CEL_ABSENT;
}

/* --- writing the archive anew ------------------------------------------------ */

struct output {
    int fd;
    const char *path;
    uint64_t at;
    struct cel_buf directory;
    uint64_t count;
};

static int emit(struct output *o, const void *p, size_t n)
{
    int rc = write_at(o->fd, o->path, o->at, p, n);

    o->at += n;
    return rc;
}

static int copy_bytes(struct output *o, int from, uint64_t offset, uint64_t n)
{
    char *block = cel_malloc(1 << 20);
    int rc = block ? CEL_OK : NC_ENOMEM;

    while (rc == CEL_OK && n > 0) {
        size_t part = n < 1 << 20 ? (size_t)n : 1 << 20;
        rc = read_at(from, o->path, offset, block, part);
        if (rc == CEL_OK)
            rc = emit(o, block, part);
        offset += part;
        n -= part;
    }
    free(block);
    return rc;
}

static uint32_t low_or_all_ones(uint64_t v)
{
    return v >= UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static int emit_local(struct output *o, const char *name, const struct entry *e)
{
    unsigned char h[LOCAL_SIZE + 20], *p = h;
    bool big = e->size >= UINT32_MAX || e->packed >= UINT32_MAX;
    int rc;

    memcpy(p, "PK\3\4", 4);
    p = put_int(p + 4, big ? 45 : 20, 2);
    p = put_int(p, 0x800, 2); /* names are UTF-8 */
    p = put_int(p, e->method, 2);
    p = put_int(p, 0, 2);
    p = put_int(p, DOS_DATE, 2);
    p = put_int(p, e->crc, 4);
    p = put_int(p, big ? UINT32_MAX : e->packed, 4);
    p = put_int(p, big ? UINT32_MAX : e->size, 4);
    p = put_int(p, strlen(name), 2);
    p = put_int(p, big ? 20 : 0, 2);
    rc = emit(o, h, LOCAL_SIZE);
    if (rc == CEL_OK)
        rc = emit(o, name, strlen(name));
    if (rc != CEL_OK || !big)
        return rc;
    p = put_int(h, ZIP64_ID, 2);
    p = put_int(p, 16, 2);
    p = put_int(p, e->size, 8);
    put_int(p, e->packed, 8);
    return emit(o, h, 20);
}

static int remember_central(struct output *o, const char *name, const struct entry *e, uint64_t local_at)
{
    unsigned char h[CENTRAL_SIZE], extra[28], *p = h, *x = extra + 4;
    int rc;

    if (e->size >= UINT32_MAX)
        x = put_int(x, e->size, 8);
    if (e->packed >= UINT32_MAX)
        x = put_int(x, e->packed, 8);
    if (local_at >= UINT32_MAX)
        x = put_int(x, local_at, 8);
    put_int(put_int(extra, ZIP64_ID, 2), (uint64_t)(x - extra - 4), 2);
    memcpy(p, "PK\1\2", 4);
    p = put_int(p + 4, 45, 2);
    p = put_int(p, x > extra + 4 ? 45 : 20, 2);
    p = put_int(p, 0x800, 2);
    p = put_int(p, e->method, 2);
    p = put_int(p, 0, 2);
    p = put_int(p, DOS_DATE, 2);
    p = put_int(p, e->crc, 4);
    p = put_int(p, low_or_all_ones(e->packed), 4);
    p = put_int(p, low_or_all_ones(e->size), 4);
    p = put_int(p, strlen(name), 2);
    p = put_int(p, x > extra + 4 ? (uint64_t)(x - extra) : 0, 2);
    p = put_int(p, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes */
    put_int(p, low_or_all_ones(local_at), 4);
    rc = cel_buf_add(&o->directory, h, sizeof h);
    if (rc == CEL_OK)
        rc = cel_buf_puts(&o->directory, name);
    if (rc == CEL_OK && x > extra + 4)
        rc = cel_buf_add(&o->directory, extra, (size_t)(x - extra));
    o->count++;
    return rc;
}

static int emit_entry(struct zip *z, struct output *o, const struct cel_key *key)
{
    const struct entry *e = key->object;
    uint64_t local_at = o->at, data_at;
    int rc = strlen(key->name) > UINT16_MAX ? cel_fail(NC_EMAXNAME, "%.60s...: too long for a zip archive", key->name)
                                            : data_offset(z, key->name, e, &data_at);

    if (rc == CEL_OK)
        rc = emit_local(o, key->name, e);
    if (rc == CEL_OK)
        rc = copy_bytes(o, e->in_scratch ? z->scratch : z->archive, data_at, e->packed);
    return rc == CEL_OK ? remember_central(o, key->name, e, local_at) : rc;
}

static int emit_end(struct output *o)
{
    unsigned char h[END64_SIZE + LOCATOR_SIZE + END_SIZE], *p = h;
    uint64_t at = o->at, n = o->directory.len;
    int rc = emit(o, o->directory.data, o->directory.len);

    if (rc == CEL_OK && (o->count >= UINT16_MAX || at >= UINT32_MAX || n >= UINT32_MAX)) {
        memcpy(p, "PK\6\6", 4);
        p = put_int(p + 4, END64_SIZE - 12, 8);
        p = put_int(p, 45, 2);
        p = put_int(p, 45, 2);
        p = put_int(p, 0, 8);
        p = put_int(p, o->count, 8);
        p = put_int(p, o->count, 8);
        p = put_int(p, n, 8);
        p = put_int(p, at, 8);
        memcpy(p, "PK\6\7", 4);
        p = put_int(p + 4, 0, 4);
        p = put_int(p, o->at, 8);
        p = put_int(p, 1, 4);
    }
    memcpy(p, "PK\5\6", 4);
    p = put_int(p + 4, 0, 4);
    p = put_int(p, o->count >= UINT16_MAX ? UINT16_MAX : o->count, 2);
    p = put_int(p, o->count >= UINT16_MAX ? UINT16_MAX : o->count, 2);
    p = put_int(p, low_or_all_ones(n), 4);
    p = put_int(p, low_or_all_ones(at), 4);
    p = put_int(p, 0, 2);
    return rc == CEL_OK ? emit(o, h, (size_t)(p - h)) : rc;
}

static int write_archive(struct zip *z, struct output *o)
{
    int rc = CEL_OK;

    cel_keys_sort(&z->keys);

    for (size_t i = 0; rc == CEL_OK && i < z->keys.sorted.n; i++)
        rc = emit_entry(z, o, z->keys.sorted.at[i]);
    if (rc == CEL_OK)
        rc = emit_end(o);
    if (rc == CEL_OK && fsync(o->fd) != 0)
        rc = cel_store_failure("flush", o->path);
    return rc;
}

static int finish(struct cel_store *s)
{
    struct zip *z = zip_of(s);
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    struct output o = {.fd = -1, .directory = CEL_BUF_INIT(DIRECTORY_MAX)};
    int rc;

    if (z->scratch < 0 || (!z->changed && !s->created))
        return CEL_OK;
    rc = cel_buf_printf(&path, "%s.new", z->scratch_path);
    o.path = path.data;
    if (rc == CEL_OK && (o.fd = open(o.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        rc = cel_store_failure("create", o.path);
    if (rc == CEL_OK)
        rc = write_archive(z, &o);
    if (o.fd >= 0 && close(o.fd) != 0 && rc == CEL_OK)
        rc = cel_store_failure("write", o.path);
    if (rc == CEL_OK && rename(o.path, s->path) != 0)
        rc = cel_store_failure("put the new archive in place", s->path);
    if (rc != CEL_OK && o.fd >= 0)
        unlink(o.path);
    cel_buf_dispose(&o.directory);
    cel_buf_dispose(&path);
    return rc;
}

/* --- life -------------------------------------------------------------------- */

static void abandon(struct cel_store *s)
{
    (void)s; /* the archive itself is touched only by finish() */
}

static void free_zip(struct cel_store *s)
{
    struct zip *z = zip_of(s);

    if (z->scratch_path)
        unlink(z->scratch_path);
    free(z->scratch_path);
    if (z->scratch >= 0)
        close(z->scratch);
    if (z->archive >= 0)
        close(z->archive);
    cel_keys_dispose(&z->keys, free);
    cel_mutex_dispose(&z->lock);
    free(z);
}

static const struct cel_store_ops ops = {
    .name = "zip", .get = get, .get_range = get_range, .size = size, .put = put, .erase = erase,
    .list = list, .finish = finish, .abandon = abandon, .free = free_zip,
};

/* Another writer's scratch file for the same archive: locked means at work,
 * unlocked means its process died. */
static int look_at_other(struct zip *z, int dirfd, const char *name)
{
    int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;

    if (fd >= 0 && !busy)
        unlinkat(dirfd, name, 0);
    if (fd >= 0)
        close(fd);
    return busy ? cel_fail(NC_EPERM, "%s is being written by another process or file handle; close it there first",
                           z->store.path)
                : CEL_OK;
}

/* ".cellar-tmp-PID-SERIAL-<base>", or that with ".new". */
static bool names_archive(const char *name, const char *base)
{
    const char *tail = name;
    long pid;
    unsigned serial;
    int len = 0;

    if (sscanf(name, CEL_TMP_PREFIX "%ld-%u-%n", &pid, &serial, &len) < 2 || len == 0)
        return false;
    tail += len;
    return strncmp(tail, base, strlen(base)) == 0 &&
           (!tail[strlen(base)] || strcmp(tail + strlen(base), ".new") == 0);
}

static int look_for_others(struct zip *z, const char *folder, const char *base, const char *mine)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    int rc = CEL_OK;

    while (dir && rc == CEL_OK && (e = readdir(dir))) {
        if (strcmp(e->d_name, mine) != 0 && names_archive(e->d_name, base))
            rc = look_at_other(z, dirfd(dir), e->d_name);
    }
    if (dir)
        closedir(dir);
    return rc;
}

static int open_scratch(struct zip *z)
{
    static _Atomic unsigned serial;
    struct cel_buf mine = CEL_BUF_INIT(1 << 20), path = CEL_BUF_INIT(1 << 20);
    char *one = cel_strdup(z->store.path), *two = cel_strdup(z->store.path);
    const char *folder = one ? dirname(one) : NULL, *base = two ? basename(two) : NULL;
    int rc = folder && base ? cel_buf_printf(&mine, CEL_TMP_PREFIX "%ld-%u-%s", (long)getpid(),
                                             atomic_fetch_add(&serial, 1), base)
                            : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_buf_printf(&path, "%s/%s", folder, mine.data);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, &z->scratch_path);
    if (rc == CEL_OK && (z->scratch = open(z->scratch_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0) {
        rc = cel_store_failure("create a file beside it", z->store.path);
        free(z->scratch_path);
        z->scratch_path = NULL;
    }
    if (rc == CEL_OK && flock(z->scratch, LOCK_EX | LOCK_NB) != 0)
        rc = cel_store_failure("lock", z->scratch_path);
    if (rc == CEL_OK)
        rc = look_for_others(z, folder, base, mine.data);
    cel_buf_dispose(&mine);
    cel_buf_dispose(&path);
    free(one);
    free(two);
    return rc;
}

static int open_archive(struct zip *z, enum cel_store_mode mode)
{
    struct stat st;

    if (mode == CEL_STORE_REPLACE || mode == CEL_STORE_CREATE) {
        z->store.created = true;
        if (mode == CEL_STORE_CREATE && access(z->store.path, F_OK) == 0)
            return cel_fail(NC_EEXIST, "%s exists already", z->store.path);
        return CEL_OK;
    }
    z->archive = open(z->store.path, O_RDONLY | O_CLOEXEC);
    if (z->archive < 0 || fstat(z->archive, &st) != 0)
        return cel_store_failure("open", z->store.path);
    z->archive_size = (uint64_t)st.st_size;
    return load_directory(z);
}

int cel_store_open_zip(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct zip *z = cel_calloc(1, sizeof *z);
    int rc;

    *out = NULL;
    if (!z)
        return NC_ENOMEM;
    z->archive = z->scratch = -1;
    cel_mutex_init(&z->lock);
    rc = cel_store_init(&z->store, &ops, path, mode);
    if (rc == CEL_OK)
        rc = open_archive(z, mode);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = open_scratch(z);
    if (rc != CEL_OK) {
        cel_store_abandon(&z->store);
        return rc;
    }
    *out = &z->store;
    return CEL_OK;
}
