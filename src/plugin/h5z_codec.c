/* SPDX-License-Identifier: BSD-3-Clause */
/* An HDF5 filter plugin as a codec of the chain.
 *
 * An HDF5 filter gets a buffer that it may keep, grow or replace. So every call copies the chunk into
 * memory that the plugin may free, and the result back. No other step of a chain allocates per chunk. The
 * sizes that the plugin returns are checked before a byte is read, and what it has encoded must decode to the
 * size it came from before it is used. */
#include "env.h"
#include "fork.h"
#include "mem.h"
#include "plugin_int.h"
#include "status.h"
#include "thread.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the lock ------------------------------------------------------------- */

/* A filter may call the API, which may run a filter. */
static struct cel_mutex own_lock = CEL_MUTEX_INIT_RECURSIVE;

CEL_FORK_LOCK(CEL_FORK_FILTER, &own_lock, true, NULL);

static void lock_own(void)
{
    cel_lock(&own_lock);
}

static void unlock_own(void)
{
    cel_unlock(&own_lock);
}

static const struct cel_plugin_lock own = {lock_own, unlock_own};
static struct cel_plugin_lock given; /* written once, before it is pointed to */
static const struct cel_plugin_lock *_Atomic current = &own;

void cel_plugin_use_lock(void (*lock)(void), void (*unlock)(void))
{
    given = (struct cel_plugin_lock){lock, unlock};
    atomic_store(&current, &given);
}

const struct cel_plugin_lock *cel_plugin_enter(void)
{
    const struct cel_plugin_lock *lock = atomic_load(&current);

    lock->lock();
    return lock;
}

void cel_plugin_leave(const struct cel_plugin_lock *lock)
{
    lock->unlock();
}

/* --- running ---------------------------------------------------------------- */

static void *allocate(const struct cel_outside *o, size_t n)
{
    void *p = o->allocate ? o->allocate(n ? n : 1, 0) : cel_malloc(n);

    if (!p)
        cel_fail(NC_ENOMEM, "no memory for %zu bytes", n);
    return p;
}

static void release(const struct cel_outside *o, void *p)
{
    if (o->release)
        o->release(p);
    else
        free(p);
}

/* Run the filter; *buf is yours to release. It may not have used more than the buffer it
 * reports. Old plugins (Debian's lz4) replace the buffer and never say how large
 * the new one is, which HDF5 does not ask either: then its length is believed. */
static int ask(const struct cel_coding *coding, unsigned flags, const void *src, size_t n, void **buf, size_t *used)
{
    const struct cel_outside *o = coding->codec->outside;
    const struct cel_plugin_lock *lock;
    void *first = allocate(o, n);
    size_t size = n; /* of *buf, as the plugin reports it */
    bool silent;

    *buf = first;
    if (!first)
        return NC_ENOMEM;
    if (n)
        memcpy(first, src, n);
    lock = cel_plugin_enter();
    *used = o->klass->filter(flags, coding->words->n, coding->words->w, n, &size, buf);
    cel_plugin_leave(lock);
    silent = *buf != first && size == n;
    if (*used > 0 && (!*buf || (*used > size && !silent)))
        return cel_fail(NC_EFILTER, "%s: the plugin %s reports %zu bytes in a buffer of %zu", o->name, o->path, *used,
                        size);
    return *used > 0 ? CEL_OK : CEL_SKIP;
}

static int too_much(const struct cel_outside *o, size_t used, size_t cap)
{
    return cel_fail(NC_EFILTER, "%s: the plugin %s gave %zu bytes where at most %zu can be", o->name, o->path, used,
                    cap);
}

/* Where a filter decodes to more bytes than the chunk has, HDF5 uses the first ones and ignores the rest; so files
 * with such chunks exist. */
static int cut(const struct cel_coding *coding, size_t *used, size_t cap)
{
    const struct cel_outside *o = coding->codec->outside;

    if (*used <= cap)
        return CEL_OK;
    if (!coding->whole || *used > coding->codec->bound(coding, cap) || cel_env_strict())
        return too_much(o, *used, cap);
    cel_warn("%s: the plugin %s made %zu bytes of a chunk of %zu; the rest is left out", o->name, o->path, *used, cap);
    *used = cap;
    return CEL_OK;
}

static int run(const struct cel_coding *coding, unsigned flags, const void *src, size_t n, void *dst, size_t cap,
               size_t *len)
{
    const struct cel_outside *o = coding->codec->outside;
    void *buf;
    size_t used;
    int rc = ask(coding, flags, src, n, &buf, &used);

    if (rc == CEL_OK && flags & CEL_H5Z_REVERSE)
        rc = cut(coding, &used, cap);
    if (rc == CEL_OK && used > cap)
        rc = too_much(o, used, cap);
    if (rc == CEL_OK) {
        memcpy(dst, buf, used);
        *len = used;
    }
    if (buf)
        release(o, buf);
    return rc;
}

/* A chunk that does not decode to its own size must not be written. Only the plugin can decode it. One that stores padding
 * behind the chunk and gives both back keeps the chunk all the same, unless another filter stands before it: readers take
 * the first bytes of what the last filter to decode gives. */
static int check_return(const struct cel_coding *coding, const void *src, size_t n, const void *encoded, size_t len)
{
    const struct cel_outside *o = coding->codec->outside;
    void *buf;
    size_t used;
    int rc = ask(coding, CEL_H5Z_REVERSE, encoded, len, &buf, &used);
    bool padded = rc == CEL_OK && coding->before == 0 && used > n && used <= len && memcmp(buf, src, n) == 0;

    if (buf)
        release(o, buf);
    if (rc == CEL_SKIP)
        return cel_fail(NC_EFILTER, "%s: the plugin %s cannot decode what it encoded; nothing was written", o->name,
                        o->path);
    if (rc == CEL_OK && used != n && !padded)
        return cel_fail(NC_EFILTER,
                        "%s: the plugin %s decodes a chunk that it made of %zu bytes to %zu; nothing was written",
                        o->name, o->path, n, used);
    return rc;
}

static int encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_outside *o = coding->codec->outside;
    int rc;

    if (!o->klass->encoder_present)
        return cel_fail(NC_ENOFILTER, "%s: the plugin %s can only decode", o->name, o->path);
    rc = run(coding, 0, src, n, dst, cap, len);
    return rc == CEL_OK && o->klass->decoder_present ? check_return(coding, src, n, dst, *len) : rc;
}

static int decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_outside *o = coding->codec->outside;
    int rc;

    if (!o->klass->decoder_present)
        return cel_fail(NC_ENOFILTER, "%s: the plugin %s can only encode", o->name, o->path);
    rc = run(coding, CEL_H5Z_REVERSE, src, n, dst, cap, len);
    if (rc == CEL_SKIP)
        return cel_fail(NC_EFILTER, "%s: the plugin %s could not decode the chunk", o->name, o->path);
    return rc;
}

/* How far a plugin's filter may expand a chunk is not known. Four times and 64 KiB covers every known one, and is
 * the same limit for writing and for reading. */
static size_t bound(const struct cel_coding *coding, size_t n)
{
    size_t most;

    (void)coding;
    return cel_mul(n, 4, &most) && cel_add(most, 65536, &most) ? most : n;
}

/* --- making ------------------------------------------------------------------- */

const char *cel_h5z_verify(const struct cel_h5z_class *klass)
{
    if (!klass)
        return "H5PLget_plugin_info gives no filter class";
    if (klass->version != CEL_H5Z_CLASS_VERSION)
        return "the filter class has another version than 1";
    if (klass->id <= 0 || klass->id > 65535)
        return "the filter id is not from 1 to 65535";
    if (!klass->filter)
        return "the filter class has no filter function";
    if (!klass->encoder_present && !klass->decoder_present)
        return "the filter can neither encode nor decode";
    return NULL;
}

cel_function cel_outside_hdf5(struct cel_dl *lib, const char *name)
{
    cel_function f = cel_dl_function(lib, name);

    return f ? f : cel_dl_function(NULL, name);
}

static bool (*show_hdf5)(void);

void cel_plugin_use_hdf5(bool (*show)(void))
{
    show_hdf5 = show;
}

bool cel_outside_show_hdf5(void)
{
    return show_hdf5 && show_hdf5();
}

struct cel_outside *cel_outside_make(struct cel_dl *lib, const char *path, const struct cel_h5z_class *klass)
{
    struct cel_outside *o = cel_calloc(1, sizeof *o);

    if (o)
        o->path = cel_strdup(path);
    if (!o || !o->path) {
        cel_outside_free(o);
        return NULL;
    }
    o->lib = lib;
    o->klass = klass;
    o->allocate = (void *(*)(size_t, unsigned char))cel_outside_hdf5(lib, "H5allocate_memory");
    o->release = (int (*)(void *))cel_outside_hdf5(lib, "H5free_memory");
    if (!o->allocate || !o->release) {
        o->allocate = NULL;
        o->release = NULL;
    }
    snprintf(o->name, sizeof o->name, "filter %d", klass->id);
    o->codec = (struct cel_codec){.name = o->name,
                                  .hdf5_id = (unsigned)klass->id,
                                  .label = klass->name,
                                  .about = klass->name,
                                  .flags = CEL_CODEC_OUTSIDE | CEL_CODEC_MAY_SKIP,
                                  .max_words = CEL_WORDS_MAX,
                                  .bound = bound,
                                  .encode = encode,
                                  .decode = decode,
                                  .outside = o};
    return o;
}

void cel_outside_free(struct cel_outside *o)
{
    if (!o)
        return;
    free(o->path);
    free(o);
}

const void *cel_plugin_class(const struct cel_codec *codec)
{
    const struct cel_outside *o = codec ? codec->outside : NULL;

    return o ? o->klass : NULL;
}
