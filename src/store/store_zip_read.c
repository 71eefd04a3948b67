/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a zip archive: the central directory once, at opening; then stored
 * entries by pread without a lock, deflated ones through libdeflate. Of an archive on a server an entry's header and its
 * bytes are read together, as the header tells only how long it is itself. */
#include "bytes.h"
#include "file.h"
#include "mem.h"
#include "store_zip_int.h"
#include <libdeflate.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFLATE_RATIO_MAX 1040 /* deflate cannot do better than about 1032 : 1 */
#define DEFLATE_GROWTH 65536   /* nor worse than a little more than what it packs */
enum { EXTRA_USUAL = 64 };

static int damaged(const struct zip *z, const char *why)
{
    return cel_fail(NC_EIO, "%s: not a zip archive this library can read: %s", z->store.path, why);
}

int cel_zip_read_at(int fd, const char *what, uint64_t offset, void *dst, size_t n)
{
    size_t done;
    int e = cel_file_read(fd, offset, dst, n, &done);

    if (e)
        return cel_store_error(e, "read", what);
    return done == n ? CEL_OK : cel_fail(NC_EIO, "%s: the archive ends too early", what);
}

int cel_zip_read_archive(struct zip *z, const char *what, uint64_t offset, void *dst, size_t n)
{
    int rc;

    if (!z->source)
        return cel_zip_read_at(z->archive, what, offset, dst, n);
    rc = n ? cel_source_read_at(z->source, offset, dst, n) : CEL_OK;
    return rc == CEL_BEYOND_END ? cel_fail(NC_EIO, "%s: the archive ends too early", what) : rc;
}

/* --- the central directory ------------------------------------------------- */

/* The last bytes of the archive: mostly the whole directory is there. */
struct tail {
    uint64_t at;
    size_t n;
    unsigned char *bytes;
};

static int read_near_end(struct zip *z, const struct tail *t, uint64_t offset, void *dst, size_t n)
{
    if (offset < t->at || offset - t->at > t->n || n > t->n - (size_t)(offset - t->at))
        return cel_zip_read_archive(z, z->store.path, offset, dst, n);
    memcpy(dst, t->bytes + (offset - t->at), n);
    return CEL_OK;
}

struct directory {
    uint64_t offset, size, count;
};

static int find_end64(struct zip *z, const struct tail *t, uint64_t end_at, struct directory *out)
{
    unsigned char locator[LOCATOR_SIZE], end[END64_SIZE];
    int rc;

    if (end_at < LOCATOR_SIZE)
        return damaged(z, "no zip64 locator");
    rc = read_near_end(z, t, end_at - LOCATOR_SIZE, locator, sizeof locator);
    if (rc == CEL_OK && memcmp(locator, "PK\6\7", 4) != 0)
        rc = damaged(z, "no zip64 locator");
    if (rc == CEL_OK)
        rc = read_near_end(z, t, cel_get_le64(locator + 8), end, sizeof end);
    if (rc == CEL_OK && memcmp(end, "PK\6\6", 4) != 0)
        rc = damaged(z, "no zip64 end record");
    if (rc == CEL_OK)
        *out = (struct directory){cel_get_le64(end + 48), cel_get_le64(end + 40), cel_get_le64(end + 32)};
    return rc;
}

/* The end record is the last thing in the file but for a comment of up to 64 KiB. */
static int find_directory(struct zip *z, const struct tail *t, struct directory *out)
{
    size_t at = t->n;
    const unsigned char *end;

    while (at-- > 0)
        if (t->n - at >= END_SIZE && memcmp(t->bytes + at, "PK\5\6", 4) == 0 &&
            cel_get_le16(t->bytes + at + 20) == t->n - at - END_SIZE)
            break;
    if (at == (size_t)-1)
        return damaged(z, "no end record");
    end = t->bytes + at;
    *out = (struct directory){cel_get_le32(end + 16), cel_get_le32(end + 12), cel_get_le16(end + 10)};
    if (out->offset == UINT32_MAX || out->size == UINT32_MAX || out->count == UINT16_MAX)
        return find_end64(z, t, t->at + at, out);
    return CEL_OK;
}

static int read_tail(struct zip *z, struct tail *t)
{
    t->n = z->archive_size < END_SIZE + 65535 ? (size_t)z->archive_size : END_SIZE + 65535;
    t->at = z->archive_size - t->n;
    t->bytes = cel_malloc(t->n);
    return t->bytes ? cel_zip_read_archive(z, z->store.path, t->at, t->bytes, t->n) : NC_ENOMEM;
}

/* Sizes and offset that did not fit the 32-bit fields, in that order. */
static bool take_zip64(const unsigned char *extra, size_t n, struct zip_entry *e)
{
    uint64_t *fields[] = {&e->size, &e->packed, &e->offset};

    for (; n >= 4 && n >= 4u + cel_get_le16(extra + 2);
         n -= 4u + cel_get_le16(extra + 2), extra += 4 + cel_get_le16(extra + 2)) {
        const unsigned char *at = extra + 4, *end = at + cel_get_le16(extra + 2);
        if (cel_get_le16(extra) != ZIP64_ID)
            continue;
        for (size_t i = 0; i < 3; i++)
            if (*fields[i] == UINT32_MAX) {
                if (end - at < 8)
                    return false;
                *fields[i] = cel_get_le64(at);
                at += 8;
            }
        return true;
    }
    return e->size != UINT32_MAX && e->packed != UINT32_MAX && e->offset != UINT32_MAX;
}

static int check_entry(const struct zip *z, const char *name, const struct zip_entry *e)
{
    if (e->flags & 1)
        return cel_fail(NC_EIO, "%s: %s is encrypted", z->store.path, name);
    if (e->method != METHOD_STORED && e->method != METHOD_DEFLATED)
        return cel_fail(NC_EIO, "%s: %s is packed with method %u; only stored and deflated entries are read",
                        z->store.path, name, e->method);
    if (e->in_scratch)
        return CEL_OK;
    if (e->offset > z->archive_size || e->packed > z->archive_size - e->offset)
        return cel_fail(NC_EIO, "%s: %s lies outside the archive", z->store.path, name);
    if (e->method == METHOD_STORED
            ? e->size != e->packed
            : e->size / DEFLATE_RATIO_MAX > e->packed || e->packed / 2 > e->size + DEFLATE_GROWTH)
        return cel_fail(NC_EIO, "%s: %s claims %llu bytes from %llu packed ones", z->store.path, name,
                        (unsigned long long)e->size, (unsigned long long)e->packed);
    return CEL_OK;
}

int cel_zip_add_entry(struct zip *z, const char *name, const struct zip_entry *e)
{
    struct zip_entry *copy = cel_memdup(e, sizeof *e);
    void *old = NULL;
    int rc = copy ? cel_keys_set(&z->keys, name, copy, &old) : NC_ENOMEM;

    free(rc == CEL_OK ? old : copy);
    return rc;
}

/* One central entry at p with n bytes left; *used is its length. */
static int load_entry(struct zip *z, const unsigned char *p, size_t n, size_t *used)
{
    struct zip_entry e = {0};
    size_t name_len, extra_len;
    char *name;
    int rc;

    if (n < CENTRAL_SIZE || memcmp(p, "PK\1\2", 4) != 0)
        return damaged(z, "its directory is broken");
    name_len = cel_get_le16(p + 28);
    extra_len = cel_get_le16(p + 30);
    *used = CENTRAL_SIZE + name_len + extra_len + cel_get_le16(p + 32);
    if (*used > n)
        return damaged(z, "its directory is cut off");
    e.flags = cel_get_le16(p + 8);
    e.method = cel_get_le16(p + 10);
    e.crc = cel_get_le32(p + 16);
    e.packed = cel_get_le32(p + 20);
    e.size = cel_get_le32(p + 24);
    e.offset = cel_get_le32(p + 42);
    if (!take_zip64(p + CENTRAL_SIZE + name_len, extra_len, &e))
        return damaged(z, "a zip64 field is missing");
    if (name_len == 0 || p[CENTRAL_SIZE + name_len - 1] == '/' || memchr(p + CENTRAL_SIZE, 0, name_len))
        return CEL_OK; /* a folder, or no name */
    name = cel_strndup((const char *)p + CENTRAL_SIZE, name_len);
    if (!name)
        return NC_ENOMEM;
    rc = z->store.writable ? check_entry(z, name, &e) : CEL_OK; /* else when it is asked for */
    if (rc == CEL_OK)
        rc = cel_zip_add_entry(z, name, &e);
    free(name);
    return rc;
}

int cel_zip_load_directory(struct zip *z)
{
    struct directory d = {0};
    struct tail tail = {0};
    unsigned char *bytes = NULL;
    size_t at = 0, used = 0;
    int rc = read_tail(z, &tail);

    if (rc == CEL_OK)
        rc = find_directory(z, &tail, &d);
    if (rc == CEL_OK && (d.size > DIRECTORY_MAX || d.offset > z->archive_size || d.size > z->archive_size - d.offset))
        rc = damaged(z, "its directory lies outside the file");
    if (rc == CEL_OK && !(bytes = cel_malloc((size_t)d.size)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = read_near_end(z, &tail, d.offset, bytes, (size_t)d.size);
    for (uint64_t i = 0; rc == CEL_OK && i < d.count; i++, at += used)
        rc = load_entry(z, bytes + at, (size_t)d.size - at, &used);
    free(bytes);
    free(tail.bytes);
    return rc;
}

/* --- reading ---------------------------------------------------------------- */

/* A copy of the entry, which stays as it is until cel_zip_end(). */
static int begin_read(struct zip *z, const char *key, struct zip_entry *out)
{
    const struct zip_entry *e;
    int rc = CEL_ABSENT;

    cel_zip_begin(z);
    cel_lock(&z->lock);
    e = cel_keys_find(&z->keys, key);
    if (e)
        *out = *e;
    cel_unlock(&z->lock);
    if (e)
        rc = check_entry(z, key, out);
    if (rc != CEL_OK)
        cel_zip_end(z);
    return rc;
}

static int take_local(const struct zip *z, const char *key, const struct zip_entry *e,
                      const unsigned char local[LOCAL_SIZE], uint64_t *out)
{
    *out = e->offset + LOCAL_SIZE + cel_get_le16(local + 26) + cel_get_le16(local + 28);
    if (memcmp(local, "PK\3\4", 4) != 0 || *out > z->archive_size || e->packed > z->archive_size - *out)
        return cel_fail(NC_EIO, "%s: its place in the archive is damaged", key);
    return CEL_OK;
}

int cel_zip_data_offset(struct zip *z, const char *key, const struct zip_entry *e, uint64_t *out)
{
    unsigned char local[LOCAL_SIZE];
    int rc;

    *out = e->offset + e->header;
    if (e->header)
        return CEL_OK;
    rc = cel_zip_read_archive(z, key, e->offset, local, sizeof local);
    return rc == CEL_OK ? take_local(z, key, e, local, out) : rc;
}

static int read_from(struct zip *z, const char *key, const struct zip_entry *e, uint64_t at, void *dst, size_t n)
{
    return e->in_scratch ? cel_zip_read_at(z->scratch, key, at, dst, n) : cel_zip_read_archive(z, key, at, dst, n);
}

/* Where the entry's bytes begin is kept, for who reads its next part. */
static void note_header(struct zip *z, const char *key, const struct zip_entry *e, uint64_t data_at)
{
    struct zip_entry *kept;

    cel_lock(&z->lock);
    kept = cel_keys_find(&z->keys, key);
    if (kept && !kept->in_scratch && kept->offset == e->offset)
        kept->header = (uint32_t)(data_at - e->offset);
    cel_unlock(&z->lock);
}

static int read_part(struct zip *z, const char *key, const struct zip_entry *e, uint64_t from, void *dst, size_t n)
{
    uint64_t at;
    int rc = cel_zip_data_offset(z, key, e, &at);

    if (rc == CEL_OK && !e->header && z->source)
        note_header(z, key, e, at);
    return rc == CEL_OK ? read_from(z, key, e, at + from, dst, n) : rc;
}

/* The header and all bytes of an entry on a server; its extra field is rarely longer than EXTRA_USUAL. */
static struct cel_range range_of(const struct zip *z, const char *key, const struct zip_entry *e)
{
    uint64_t n = LOCAL_SIZE + strlen(key) + EXTRA_USUAL + e->packed, most = z->archive_size - e->offset;

    return (struct cel_range){e->offset, n < most ? n : most};
}

/* All packed bytes of an entry whose header is not known, with one request. */
static int read_with_header(struct zip *z, const char *key, const struct zip_entry *e, void *dst)
{
    struct cel_range r = range_of(z, key, e);
    unsigned char *bytes = r.n >= LOCAL_SIZE ? cel_malloc((size_t)r.n) : NULL;
    uint64_t at = 0, skip;
    size_t have = 0;
    int rc = bytes ? cel_zip_read_archive(z, key, r.offset, bytes, (size_t)r.n)
                   : cel_fail(NC_EIO, "%s: its place in the archive is damaged", key);

    if (rc == CEL_OK)
        rc = take_local(z, key, e, bytes, &at);
    if (rc == CEL_OK) {
        skip = at - e->offset;
        have = skip >= r.n ? 0 : r.n - skip < e->packed ? (size_t)(r.n - skip) : (size_t)e->packed;
        if (have)
            memcpy(dst, bytes + skip, have);
        if (have < e->packed)
            rc = cel_zip_read_archive(z, key, at + have, (char *)dst + have, (size_t)e->packed - have);
    }
    free(bytes);
    return rc;
}

static int read_packed(struct zip *z, const char *key, const struct zip_entry *e, void *dst)
{
    return z->source && !e->in_scratch ? read_with_header(z, key, e, dst)
                                       : read_part(z, key, e, 0, dst, (size_t)e->packed);
}

/* What will be read of an archive on a server. */
void cel_zip_want(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset, size_t n)
{
    struct zip *z = zip_of(s);
    const struct zip_entry *e;
    struct cel_range r = {0, 0};

    (void)mark;
    cel_zip_begin(z);
    cel_lock(&z->lock);
    e = cel_keys_find(&z->keys, key);
    if (e && z->source && !e->in_scratch && e->offset <= z->archive_size) {
        r = range_of(z, key, e);
        if (n != SIZE_MAX && e->method == METHOD_STORED)
            r = e->header ? (struct cel_range){e->offset + e->header + offset, n}
                          : (struct cel_range){e->offset, LOCAL_SIZE};
    }
    cel_unlock(&z->lock);
    if (r.n)
        cel_source_want(z->source, &r, 1);
    cel_zip_end(z);
}

static int inflate_entry(struct zip *z, const char *key, const struct zip_entry *e, void *dst)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    void *packed = cel_malloc((size_t)e->packed);
    int rc = d && packed ? read_packed(z, key, e, packed) : cel_fail(NC_ENOMEM, "%s: no memory", key);

    if (rc == CEL_OK && libdeflate_deflate_decompress(d, packed, (size_t)e->packed, dst, (size_t)e->size, NULL) != 0)
        rc = cel_fail(NC_EIO, "%s: its deflated data is damaged", key);
    if (d)
        libdeflate_free_decompressor(d);
    free(packed);
    return rc;
}

static int read_whole(struct zip *z, const char *key, const struct zip_entry *e, struct cel_buf *out)
{
    int rc = cel_store_check_size(key, e->size, out);

    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)e->size);
    if (rc == CEL_OK)
        rc = e->method == METHOD_STORED ? read_packed(z, key, e, out->data) : inflate_entry(z, key, e, out->data);
    if (rc == CEL_OK && libdeflate_crc32(0, out->data, out->len) != e->crc)
        rc = cel_fail(NC_EIO, "%s: checksum does not match", key);
    return rc;
}

int cel_zip_get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct zip *z = zip_of(s);
    struct zip_entry e;
    int rc = begin_read(z, key, &e);

    if (rc != CEL_OK)
        return rc;
    rc = read_whole(z, key, &e, out);
    cel_zip_end(z);
    return rc;
}

static int read_range(struct zip *z, const char *key, const struct zip_entry *e, uint64_t offset, size_t n, void *dst)
{
    struct cel_buf whole = CEL_BUF_INIT(SIZE_MAX);
    int rc;

    if (offset > e->size || n > e->size - offset)
        return cel_fail(NC_EIO, "%s: has %llu bytes, too few for %zu from %llu on", key, (unsigned long long)e->size, n,
                        (unsigned long long)offset);
    if (e->method == METHOD_STORED)
        return read_part(z, key, e, offset, dst, n);
    rc = read_whole(z, key, e, &whole);
    if (rc == CEL_OK)
        memcpy(dst, whole.data + offset, n);
    cel_buf_dispose(&whole);
    return rc;
}

int cel_zip_get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    struct zip *z = zip_of(s);
    struct zip_entry e;
    int rc = begin_read(z, key, &e);

    if (rc != CEL_OK)
        return rc;
    rc = read_range(z, key, &e, offset, n, dst);
    cel_zip_end(z);
    return rc;
}

int cel_zip_size(struct cel_store *s, const char *key, uint64_t *out)
{
    struct zip *z = zip_of(s);
    const struct zip_entry *e;

    cel_lock(&z->lock);
    e = cel_keys_find(&z->keys, key);
    if (e)
        *out = e->size;
    cel_unlock(&z->lock);
    return e ? CEL_OK : CEL_ABSENT;
}

int cel_zip_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct zip *z = zip_of(s);

    return cel_keys_list(&z->keys, &z->lock, prefix, visit, context);
}
