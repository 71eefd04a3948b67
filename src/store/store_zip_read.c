/* Reading a zip archive: the central directory once, at opening; then stored
 * entries by pread without a lock, deflated ones through libdeflate. */
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
    rc = cel_zip_read_at(z->archive, z->store.path, end_at - LOCATOR_SIZE, locator, sizeof locator);
    if (rc == CEL_OK && memcmp(locator, "PK\6\7", 4) != 0)
        rc = damaged(z, "no zip64 locator");
    if (rc == CEL_OK)
        rc = cel_zip_read_at(z->archive, z->store.path, cel_get_le64(locator + 8), end, sizeof end);
    if (rc == CEL_OK && memcmp(end, "PK\6\6", 4) != 0)
        rc = damaged(z, "no zip64 end record");
    if (rc == CEL_OK)
        *out = (struct directory){cel_get_le64(end + 48), cel_get_le64(end + 40), cel_get_le64(end + 32)};
    return rc;
}

/* The end record is the last thing in the file but for a comment of up to 64 KiB. */
static int find_directory(struct zip *z, struct directory *out)
{
    size_t n = z->archive_size < END_SIZE + 65535 ? (size_t)z->archive_size : END_SIZE + 65535;
    unsigned char *tail = cel_malloc(n);
    int rc = tail ? cel_zip_read_at(z->archive, z->store.path, z->archive_size - n, tail, n) : NC_ENOMEM;
    size_t at = n;

    while (rc == CEL_OK && at-- > 0)
        if (n - at >= END_SIZE && memcmp(tail + at, "PK\5\6", 4) == 0 &&
            cel_get_le16(tail + at + 20) == n - at - END_SIZE)
            break;
    if (rc == CEL_OK && at == (size_t)-1)
        rc = damaged(z, "no end record");
    if (rc == CEL_OK) {
        const unsigned char *end = tail + at;
        *out = (struct directory){cel_get_le32(end + 16), cel_get_le32(end + 12), cel_get_le16(end + 10)};
        if (out->offset == UINT32_MAX || out->size == UINT32_MAX || out->count == UINT16_MAX)
            rc = find_end64(z, z->archive_size - n + at, out);
    }
    free(tail);
    return rc;
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
    if (e->method == METHOD_STORED ? e->size != e->packed : e->size / DEFLATE_RATIO_MAX > e->packed)
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
    struct directory d;
    unsigned char *bytes = NULL;
    size_t at = 0, used = 0;
    int rc = find_directory(z, &d);

    if (rc == CEL_OK && (d.size > DIRECTORY_MAX || d.offset > z->archive_size || d.size > z->archive_size - d.offset))
        rc = damaged(z, "its directory lies outside the file");
    if (rc == CEL_OK && !(bytes = cel_malloc((size_t)d.size)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_zip_read_at(z->archive, z->store.path, d.offset, bytes, (size_t)d.size);
    for (uint64_t i = 0; rc == CEL_OK && i < d.count; i++, at += used)
        rc = load_entry(z, bytes + at, (size_t)d.size - at, &used);
    free(bytes);
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

int cel_zip_data_offset(struct zip *z, const char *key, const struct zip_entry *e, uint64_t *out)
{
    unsigned char local[LOCAL_SIZE];
    int rc;

    *out = e->offset + e->header;
    if (e->header)
        return CEL_OK;
    rc = cel_zip_read_at(z->archive, key, e->offset, local, sizeof local);
    if (rc != CEL_OK)
        return rc;
    *out += LOCAL_SIZE + cel_get_le16(local + 26) + cel_get_le16(local + 28);
    if (memcmp(local, "PK\3\4", 4) != 0 || *out > z->archive_size || e->packed > z->archive_size - *out)
        return cel_fail(NC_EIO, "%s: its place in the archive is damaged", key);
    return CEL_OK;
}

static int read_packed(struct zip *z, const char *key, const struct zip_entry *e, uint64_t from, void *dst, size_t n)
{
    uint64_t offset;
    int rc = cel_zip_data_offset(z, key, e, &offset);

    return rc == CEL_OK ? cel_zip_read_at(e->in_scratch ? z->scratch : z->archive, key, offset + from, dst, n) : rc;
}

static int inflate_entry(struct zip *z, const char *key, const struct zip_entry *e, void *dst)
{
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    void *packed = cel_malloc((size_t)e->packed);
    int rc =
        d && packed ? read_packed(z, key, e, 0, packed, (size_t)e->packed) : cel_fail(NC_ENOMEM, "%s: no memory", key);

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
        rc = e->method == METHOD_STORED ? read_packed(z, key, e, 0, out->data, out->len)
                                        : inflate_entry(z, key, e, out->data);
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
        return read_packed(z, key, e, offset, dst, n);
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
