/* Writing a zip archive: values go to the scratch file as they come; finishing
 * writes the archive anew, entries in the order of their keys. */
#include "mem.h"
#include "store_zip_int.h"
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOS_DATE 0x21 /* 1980-01-01: archives of equal content are equal */

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

int cel_zip_put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct zip *z = zip_of(s);
    struct zip_entry e = {.in_scratch = true, .packed = n, .size = n, .method = METHOD_STORED};
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
    rc = cel_zip_add_entry(z, key, &e);
    z->changed = true;
    cel_unlock(&z->lock);
    return rc;
}

int cel_zip_erase(struct cel_store *s, const char *key)
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
        rc = cel_zip_read_at(from, o->path, offset, block, part);
        if (rc == CEL_OK)
            rc = emit(o, block, part);
        offset += part;
        n -= part;
    }
    free(block);
    return rc;
}

static unsigned char *put_int(unsigned char *p, uint64_t v, int nbytes)
{
    for (int i = 0; i < nbytes; i++, v >>= 8)
        *p++ = (unsigned char)v;
    return p;
}

static uint32_t low_or_all_ones(uint64_t v)
{
    return v >= UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static int emit_local(struct output *o, const char *name, const struct zip_entry *e)
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

static int remember_central(struct output *o, const char *name, const struct zip_entry *e, uint64_t local_at)
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
    const struct zip_entry *e = key->object;
    uint64_t local_at = o->at, data_at;
    int rc = strlen(key->name) > UINT16_MAX ? cel_fail(NC_EMAXNAME, "%.60s...: too long for a zip archive", key->name)
                                            : cel_zip_data_offset(z, key->name, e, &data_at);

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

int cel_zip_finish(struct cel_store *s)
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
