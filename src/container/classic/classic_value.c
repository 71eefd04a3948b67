/* SPDX-License-Identifier: BSD-3-Clause */
/* One value, where the file's bytes around it are in memory: the page that short reads keep, or the staging of short
 * writes. No call of the system is made, so nothing can fail; classic_data.c does the rest. */
#include "bytes.h"
#include "classic_int.h"
#include <string.h>

static uint64_t address_of(const struct classic *c, const struct cel_var *var, const size_t *start)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t step = var->type->size, at = p->begin;

    for (int d = var->ndims - 1; d > 0; d--) {
        at += start[d] * step;
        step *= var->dim[d]->len;
    }
    return var->ndims ? at + start[0] * (p->is_record ? c->recsize : step) : at;
}

/* Bytes of the variable up to the end of the value at an address. */
static uint64_t end_among_own(const struct classic *c, const struct cel_var *var, uint64_t address)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t at = address - p->begin;

    if (p->is_record)
        at = at / c->recsize * cel_classic_part(c, p) + at % c->recsize;
    return at + var->type->size;
}

/* From big-endian bytes to a number and, by the same steps, back. */
static void turn(void *to, const void *from, size_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (size) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        two = cel_get_be16(from), memcpy(to, &two, sizeof two);
        break;
    case 4:
        four = cel_get_be32(from), memcpy(to, &four, sizeof four);
        break;
    default:
        eight = cel_get_be64(from), memcpy(to, &eight, sizeof eight);
    }
}

static bool get_locked(const struct classic *c, const struct cel_var *var, const size_t *start, void *value)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t at = address_of(c, var, start);
    const char *bytes;

    if (p->done != UINT64_MAX && end_among_own(c, var, at) > p->done) /* a fill value that is still to be written */
        return false;
    bytes = cel_classic_io_peek(&c->io, at, var->type->size);
    if (bytes)
        turn(value, bytes, var->type->size);
    return bytes != NULL;
}

/* Fill values are pending behind p->done: a value right there takes the place of one. */
static bool put_locked(struct classic *c, const struct cel_var *var, const size_t *start, const void *value)
{
    struct cel_classic_var *p = priv_of(var);
    uint64_t at = address_of(c, var, start), end = p->done == UINT64_MAX ? 0 : end_among_own(c, var, at);
    char *bytes;

    if (end > p->done && end - var->type->size != p->done)
        return false;
    bytes = cel_classic_io_poke(&c->io, at, var->type->size);
    if (!bytes)
        return false;
    turn(bytes, value, var->type->size);
    p->done = end > p->done ? end : p->done;
    return true;
}

/* What guards the bytes in memory. */
static struct cel_mutex *lock_of(struct classic *c)
{
    return c->io.writable ? &c->lock : &c->io.page.lock;
}

bool cel_classic_get_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, void *value,
                           bool exclusive)
{
    struct classic *c = cel_classic_of(ds);
    bool done;

    if (exclusive)
        return get_locked(c, var, start, value);
    cel_lock(lock_of(c));
    done = get_locked(c, var, start, value);
    cel_unlock(lock_of(c));
    return done;
}

bool cel_classic_put_value(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const void *value,
                           bool exclusive)
{
    struct classic *c = cel_classic_of(ds);
    bool done;

    if (ds->mode & NC_SHARE) /* others are to see it at once */
        return false;
    if (exclusive)
        return put_locked(c, var, start, value);
    cel_lock(&c->lock);
    done = put_locked(c, var, start, value);
    cel_unlock(&c->lock);
    return done;
}
