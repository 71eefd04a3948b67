/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of one file after the other, under the keys that they have in the whole. */

#include "refs.h"
#include "cellar.h"
#include "msg.h"
#include "progress.h"
#include "safe.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUES_MAX ((size_t)64 << 20) /* of a variable that is written into the document whole */

/* --- the first file ----------------------------------------------------------------------- */

static int axis_of(const struct look_var *v, const char *dim)
{
    for (int d = 0; dim && d < v->ndims; d++)
        if (strcmp(v->dim[d], dim) == 0)
            return d;
    return -1;
}

static char *unlimited_dim(const struct look *l)
{
    for (size_t i = 0; i < l->nvars; i++)
        for (int d = 0; d < l->var[i].ndims; d++)
            if (l->var[i].grows[d])
                return tool_strdup(l->var[i].dim[d]);
    return NULL;
}

static bool choose_dim(struct refs *r, const char *path)
{
    bool found = false;

    r->dim = r->req->concat ? tool_strdup(r->req->concat) : unlimited_dim(&r->first);
    for (size_t i = 0; r->dim && !found && i < r->first.nvars; i++)
        found = axis_of(&r->first.var[i], r->dim) >= 0;
    if (!r->dim)
        msg_error("%s has no unlimited dimension: say with --concat along which one the files follow one another",
                  path);
    else if (!found)
        msg_error("--concat %s: no variable of %s has this dimension", r->dim, path);
    return found;
}

static bool is_referable(const struct look *l, const struct look_var *v)
{
    char dtype[16];

    return !v->reason && v->type && (v->type->kind == NC_STRING || refs_dtype(l, v, false, dtype));
}

static bool is_store(const struct look *l, const char *path)
{
    if (l->format == LOOK_ZARR)
        msg_error("%s: it is a Zarr store already: references are for HDF5 and netCDF files", path);
    return l->format == LOOK_ZARR;
}

bool refs_start(struct refs *r, const char *path, bool several)
{
    int status = look_open(path, &r->first);

    if (status)
        msg_nc(status, "%s", path);
    if (status || is_store(&r->first, path))
        return false;
    r->var = tool_alloc(r->first.nvars + 1, sizeof *r->var);
    if ((several || r->req->concat) && !choose_dim(r, path))
        return false;
    if (!several) {
        free(r->dim);
        r->dim = NULL;
    }
    for (size_t i = 0; i < r->first.nvars; i++) {
        const struct look_var *v = &r->first.var[i];

        r->var[i] = (struct refs_var){.v = v, .axis = axis_of(v, r->dim), .left_out = !is_referable(&r->first, v)};
        if (r->var[i].left_out)
            msg_warn("%s: %s is left out: %s", path, v->path, v->reason ? v->reason : "its type has no form in Zarr");
    }
    return true;
}

/* --- further files are like it ------------------------------------------------------------------ */

static const struct look_var *find(const struct look *l, const char *path)
{
    for (size_t i = 0; i < l->nvars; i++)
        if (strcmp(l->var[i].path, path) == 0)
            return &l->var[i];
    return NULL;
}

static bool units_differ(const struct look_var *a, const struct look_var *b)
{
    char x[256] = "", y[256] = "";
    size_t n = 0, m = 0;
    bool has_a = nc_inq_attlen(a->group, a->id, "units", &n) == NC_NOERR && n < sizeof x &&
                 nc_get_att_text(a->group, a->id, "units", x) == NC_NOERR;
    bool has_b = nc_inq_attlen(b->group, b->id, "units", &m) == NC_NOERR && m < sizeof y &&
                 nc_get_att_text(b->group, b->id, "units", y) == NC_NOERR;

    return has_a != has_b || (has_a && strcmp(x, y) != 0);
}

static const char *unlike(const struct refs *r, const struct look *l, const struct refs_var *x,
                          const struct look_var *v)
{
    char a[16], b[16];

    if (!v)
        return "is not in it";
    if (v->ndims != x->v->ndims)
        return "has another number of dimensions";
    for (int d = 0; d < v->ndims; d++) {
        if (d != x->axis && v->shape[d] != x->v->shape[d])
            return "has another shape";
        if ((v->storage == NC_CHUNKED || d != x->axis) && v->piece[d] != x->v->piece[d])
            return "has other chunks";
    }
    if (strcmp(v->chain, x->v->chain) != 0)
        return "has other filters";
    if (!refs_dtype(l, v, false, a) || !refs_dtype(&r->first, x->v, false, b) || strcmp(a, b) != 0)
        return "has another type";
    return units_differ(x->v, v) ? "has other units" : NULL;
}

/* --- chunks ---------------------------------------------------------------------------------------- */

struct adding {
    struct refs *r;
    const char *path;
    char *name; /* as a JSON string */
    int fd;
    const struct look *look;
};

static bool inline_bytes(const struct adding *a, unsigned long long address, unsigned long long size, struct text *out)
{
    char *bytes = tool_alloc((size_t)size, 1);
    bool ok = pread(a->fd, bytes, (size_t)size, (off_t)address) == (ssize_t)size;

    if (ok)
        refs_put_base64(out, bytes, (size_t)size);
    else
        msg_error("%s: %llu bytes from %llu on cannot be read: %s", a->path, size, address,
                  errno ? strerror(errno) : "it ends before");
    free(bytes);
    return ok;
}

static bool put_reference(const struct adding *a, struct refs_var *x, const size_t *index, unsigned long long address,
                          unsigned long long size)
{
    text_puts(&x->chunks, ",\n");
    refs_put_key(&x->chunks, x->v, index);
    text_puts(&x->chunks, ": ");
    if (size < a->r->req->inlined)
        return inline_bytes(a, address, size, &x->chunks);
    text_printf(&x->chunks, "[%s, %llu, %llu]", a->name, address, size);
    return true;
}

/* Compact values lie inside metadata, those of other files elsewhere. */
static bool put_chunk(const struct adding *a, struct refs_var *x, const struct look_var *v, const struct look_pieces *p,
                      size_t shift, size_t *written)
{
    unsigned long long address, size;
    unsigned skipped;
    size_t index[NC_MAX_VAR_DIMS] = {0};
    int status = cellar_inq_chunk(v->group, v->id, p->index, &address, &size, &skipped, NULL);

    if (status) {
        msg_nc(status, "%s: %s", a->path, v->path);
        return false;
    }
    if (!size)
        return true;
    ++*written;
    if (skipped) {
        msg_error(
            "%s: %s: a chunk went through some of its filters only, which references cannot say: copy the file with "
            "nccopy first",
            a->path, v->path);
        return false;
    }
    if (address == CELLAR_NO_ADDRESS) {
        x->unaligned = true;
        return true;
    }
    for (int d = 0; d < v->ndims; d++)
        index[d] = p->index[d] + (d == x->axis ? shift : 0);
    return put_reference(a, x, index, address, size);
}

static bool put_chunks(const struct adding *a, struct refs_var *x, const struct look_var *v)
{
    size_t step = x->axis >= 0 ? x->v->piece[x->axis] : 1, written = 0;
    struct look_pieces p;
    bool ok = true;

    if (x->axis >= 0 && (!step || x->length % step || (v->storage != NC_CHUNKED && v->piece[x->axis] != step)))
        x->unaligned = true;
    for (look_pieces_start(&p, v); ok && p.more && !x->unaligned; look_pieces_next(&p))
        ok = put_chunk(a, x, v, &p, step ? x->length / step : 0, &written);
    if (p.why) {
        msg_error("%s: %s: %s", a->path, v->path, p.why);
        ok = false;
    }
    x->missing = x->missing || (!x->unaligned && written < p.total);
    look_pieces_end(&p);
    return ok;
}

/* --- values in the document itself -------------------------------------------------------------------- */

static void add_string(struct text *out, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    unsigned char len[4] = {(unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16),
                            (unsigned char)(n >> 24)};

    text_putn(out, (char *)len, 4);
    text_putn(out, s ? s : "", n);
}

/* Variables that the document may have to hold: strings, and those of one dimension at most. */
static bool keep_values(const struct adding *a, struct refs_var *x, const struct look_var *v)
{
    bool strings = v->type->kind == NC_STRING;
    char *values;
    int status;

    if ((!strings && (v->ndims > 1 || v->type->has_pointers)) || v->nbytes > VALUES_MAX - x->values.len || !v->nvalues)
        return true;
    values = tool_alloc(v->nvalues, v->type->size);
    status = nc_get_var(v->group, v->id, values);
    if (status) {
        msg_nc(status, "%s: %s", a->path, v->path);
        free(values);
        return false;
    }
    for (size_t i = 0; strings && i < v->nvalues; i++)
        add_string(&x->values, ((char **)(void *)values)[i]);
    if (!strings)
        text_putn(&x->values, values, v->nvalues * v->type->size);
    type_release(v->type, values, v->nvalues);
    free(values);
    return true;
}

/* Whether values are needed shows in a later file, or here behind the chunks. */
static bool put_pieces(const struct adding *a, struct refs_var *x, const struct look_var *v)
{
    bool early = v->type->kind == NC_STRING || x->axis >= 0;

    if (early && !keep_values(a, x, v))
        return false;
    if (v->type->kind == NC_STRING)
        x->unaligned = true;
    else if (!put_chunks(a, x, v))
        return false;
    return early || !x->unaligned || keep_values(a, x, v);
}

static bool add_var(const struct adding *a, struct refs_var *x)
{
    const struct look_var *v = find(a->look, x->v->path);
    const char *why = a->r->nfiles ? unlike(a->r, a->look, x, v) : NULL;

    if (why) {
        msg_error("%s: %s %s, unlike in %s", a->path, x->v->path, why, a->r->first.path);
        return false;
    }
    if (!put_pieces(a, x, v))
        return false;
    if (x->axis >= 0)
        x->length += v->shape[x->axis];
    if (x->unaligned && v->nvalues && !x->values.len) {
        msg_error(
            "%s: %s begins between two chunks of %s: they are %zu long along %s; copy the files with nccopy -c first",
            a->path, x->v->path, a->r->first.path, x->axis >= 0 ? x->v->piece[x->axis] : 0,
            a->r->dim ? a->r->dim : "no dimension");
        return false;
    }
    return true;
}

static char *json_name(const struct refs *r, const char *path)
{
    char whole[PATH_MAX];
    const char *name = r->req->as_given || !realpath(path, whole) ? path : whole;
    struct text t = {0};

    safe_put_json(&t, name, strlen(name));
    return text_take(&t);
}

static bool add_all(struct adding *a)
{
    struct refs *r = a->r;
    bool ok = true;

    for (size_t i = 0; ok && i < r->first.nvars; i++)
        if (!r->var[i].left_out && (r->nfiles == 0 || r->var[i].axis >= 0))
            ok = add_var(a, &r->var[i]);
    return ok;
}

bool refs_add(struct refs *r, const char *path)
{
    struct look look = {0};
    struct adding a = {.r = r, .path = path, .look = r->nfiles ? &look : &r->first};
    bool ok = true;
    int status = r->nfiles ? look_open(path, &look) : NC_NOERR;

    if (status) {
        msg_nc(status, "%s", path);
        look_close(&look);
        return false;
    }
    a.fd = open(path, O_RDONLY | O_CLOEXEC);
    a.name = json_name(r, path);
    ok = a.fd >= 0 && !is_store(a.look, path);
    if (a.fd < 0)
        msg_error("%s: %s", path, strerror(errno));
    if (ok)
        ok = add_all(&a);
    if (a.fd >= 0)
        close(a.fd);
    free(a.name);
    r->nfiles++;
    progress_add(1, path);
    look_close(&look);
    return ok;
}

void refs_free(struct refs *r)
{
    for (size_t i = 0; r->var && i < r->first.nvars; i++) {
        text_free(&r->var[i].chunks);
        text_free(&r->var[i].values);
    }
    free(r->var);
    free(r->dim);
    look_close(&r->first);
}
