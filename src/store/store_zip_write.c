/* SPDX-License-Identifier: BSD-3-Clause */
/* Values into the scratch file, as entries of an archive, so that even what never
 * reaches the archive can be read; and the records of an archive. */
#include "bytes.h"
#include "env.h"
#include "file.h"
#include "mem.h"
#include "store_zip_int.h"
#include <libdeflate.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOS_DATE 0x21 /* 1980-01-01: archives of equal content are equal */

static int write_at(int fd, const char *what, uint64_t offset, const void *src, size_t n)
{
    int e = cel_file_write(fd, offset, src, n);

    return e ? cel_store_error(e, "write", what) : CEL_OK;
}

static int emit(struct zip_output *o, const void *p, size_t n)
{
    int rc = write_at(o->fd, o->path, o->at, p, n);

    o->at += n;
    return rc;
}

static int copy_by_blocks(struct zip_output *o, int from, uint64_t offset, uint64_t n)
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

/* The kernel copies by itself; some file systems only note that both files share the bytes.
 * What it cannot do, for whatever reason, goes by blocks, and they tell why. */
int cel_zip_copy(struct zip_output *o, int from, uint64_t offset, uint64_t n)
{
    off_t in = (off_t)offset, out = (off_t)o->at;
    uint64_t left = n;

    while (left > 0) {
        ssize_t got = copy_file_range(from, &in, o->fd, &out, left < 1 << 30 ? (size_t)left : 1 << 30, 0);
        if (got <= 0)
            break;
        left -= (uint64_t)got;
    }
    o->at += n - left;
    return left > 0 ? copy_by_blocks(o, from, offset + n - left, left) : CEL_OK;
}

static bool needs_extra(const struct zip_entry *e)
{
    return e->size >= UINT32_MAX || e->packed >= UINT32_MAX;
}

static unsigned char *put_int(unsigned char *p, uint64_t v, size_t nbytes)
{
    cel_put_le(p, v, nbytes);
    return p + nbytes;
}

static uint32_t low_or_all_ones(uint64_t v)
{
    return v >= UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

int cel_zip_emit_local(struct zip_output *o, const char *name, const struct zip_entry *e)
{
    unsigned char h[LOCAL_SIZE + LOCAL_EXTRA], *p = h;
    bool big = needs_extra(e);
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
    p = put_int(p, big ? LOCAL_EXTRA : 0, 2);
    rc = emit(o, h, LOCAL_SIZE);
    if (rc == CEL_OK)
        rc = emit(o, name, strlen(name));
    if (rc != CEL_OK || !big)
        return rc;
    p = put_int(h, ZIP64_ID, 2);
    p = put_int(p, 16, 2);
    p = put_int(p, e->size, 8);
    put_int(p, e->packed, 8);
    return emit(o, h, LOCAL_EXTRA);
}

int cel_zip_note(struct zip_output *o, const char *name, const struct zip_entry *e, uint64_t local_at)
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
    p = put_int(p, 0, 2 + 2); /* comment, disk */
    p = put_int(p, 0, 2 + 4); /* attributes */
    put_int(p, low_or_all_ones(local_at), 4);
    rc = cel_buf_add(&o->directory, h, sizeof h);
    if (rc == CEL_OK)
        rc = cel_buf_puts(&o->directory, name);
    if (rc == CEL_OK && x > extra + 4)
        rc = cel_buf_add(&o->directory, extra, (size_t)(x - extra));
    o->count++;
    return rc;
}

int cel_zip_emit_directory(struct zip_output *o)
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

/* --- values ---------------------------------------------------------------------- */

/* The bytes of the archive an entry had are of no more use. */
static void note_dead(struct zip *z, const struct zip_entry *old)
{
    z->changed = true;
    if (old && !old->in_scratch) {
        z->dead += old->header + old->packed;
        z->in_order = false;
    }
}

static int write_value(struct zip *z, const char *key, const struct zip_entry *e, const void *data)
{
    struct zip_output o = {.fd = z->scratch, .path = key, .at = e->offset};
    int rc = cel_zip_emit_local(&o, key, e);

    return rc == CEL_OK ? emit(&o, data, (size_t)e->size) : rc;
}

static int put_value(struct zip *z, const char *key, struct zip_entry *e, const void *data)
{
    int rc;

    cel_lock(&z->lock);
    e->offset = z->scratch_end;
    z->scratch_end += e->header + e->packed;
    cel_unlock(&z->lock);
    rc = write_value(z, key, e, data);
    if (rc != CEL_OK)
        return z->remote ? cel_fail_in(rc, "%s (TMPDIR), where the archive is made", cel_env_temporary()) : rc;
    cel_lock(&z->lock);
    note_dead(z, cel_keys_find(&z->keys, key));
    rc = cel_zip_add_entry(z, key, e);
    cel_unlock(&z->lock);
    return rc;
}

int cel_zip_put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct zip *z = zip_of(s);
    struct zip_entry e = {.in_scratch = true, .packed = n, .size = n, .method = METHOD_STORED};
    int rc;

    if (strlen(key) > UINT16_MAX)
        return cel_fail(NC_EMAXNAME, "%.60s...: the name is too long for a zip archive", key);
    e.header = (uint32_t)(LOCAL_SIZE + strlen(key) + (needs_extra(&e) ? LOCAL_EXTRA : 0));
    e.crc = libdeflate_crc32(0, n ? data : NULL, n);
    cel_zip_begin(z);
    rc = put_value(z, key, &e, data);
    cel_zip_end(z);
    return rc;
}

int cel_zip_erase(struct cel_store *s, const char *key)
{
    struct zip *z = zip_of(s);
    struct zip_entry *old;

    cel_zip_begin(z);
    cel_lock(&z->lock);
    old = cel_keys_remove(&z->keys, key);
    if (old)
        note_dead(z, old);
    cel_unlock(&z->lock);
    cel_zip_end(z);
    free(old);
    return old ? CEL_OK : CEL_ABSENT;
}
