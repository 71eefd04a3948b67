/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy with the chunks that are advised, and the same reads of both: each at other indices, so that no chunk is met twice. */

#include "chunks_try.h"
#include "copy.h"
#include "msg.h"
#include "output.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READS = 5 };
#define BYTES_MAX (1ull << 31) /* of a variable that is copied to try */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* --- reads ------------------------------------------------------------------------------------- */

/* All of the dimensions that the way reads whole, one index of the others: the i-th of READS. */
static size_t choose_box(const struct look_var *v, const struct chunks_access *access, size_t i, size_t *start,
                         size_t *count)
{
    size_t n = 1;

    for (int d = 0; d < v->ndims; d++) {
        count[d] = access->whole[d] ? v->shape[d] : 1;
        start[d] = access->whole[d] ? 0 : v->shape[d] * (2 * i + 1) / (2 * READS);
        n *= count[d];
    }
    return n;
}

static int time_way(const struct look_var *v, const struct chunks_access *access, double *out)
{
    size_t start[CHUNKS_RANK], count[CHUNKS_RANK], n = choose_box(v, access, 0, start, count);
    char *values = tool_alloc(n, v->type->size);
    int status = NC_NOERR;
    double begun = now();

    for (size_t i = 0; i < READS && status == NC_NOERR; i++) {
        choose_box(v, access, i, start, count);
        status = nc_get_vara(v->group, v->id, start, count, values);
        type_release(v->type, values, status ? 0 : n);
    }
    *out = (now() - begun) / READS;
    free(values);
    return status;
}

/* Each way in a file just opened. */
static int time_reads(const char *path, const char *var, const struct chunks_access access[2], double out[2])
{
    int code = MSG_OK;

    for (int k = 0; k < 2 && code == MSG_OK; k++) {
        struct look l;
        int status = look_open(path, &l);

        if (status == NC_NOERR)
            status = time_way(look_get(&l, var), &access[k], &out[k]);
        if (status)
            code = msg_nc(status, "%s: %s", path, var);
        look_close(&l);
    }
    return code;
}

/* --- the copy ------------------------------------------------------------------------------------ */

static int copy_var(struct copy *c)
{
    int status = nc_open(c->req->in, NC_NOWRITE, &c->in);
    bool ok;

    if (status == NC_NOERR)
        status = copy_formats(c);
    if (status)
        return msg_nc(status, "%s", c->req->in);
    copy_plan(c);
    status = nc_create(c->out_path, copy_create_mode(c), &c->out);
    if (status)
        return msg_nc(status, "%s", c->req->out);
    ok = copy_define(c) && copy_data(c);
    status = nc_close(c->out);
    if (ok && status)
        msg_nc(status, "%s", c->req->out);
    return ok && status == NC_NOERR ? MSG_OK : MSG_FAILED;
}

static void ask(struct copy_request *r, const struct look_var *v, const size_t *chunk)
{
    struct text spec = {0};

    text_printf(&spec, "%s:", v->path);
    for (int d = 0; d < v->ndims; d++)
        text_printf(&spec, "%s%zu", d ? "," : "", chunk[d]);
    copy_add_chunks(r, text_get(&spec));
    select_add(&r->only, v->path);
    text_free(&spec);
}

int chunks_try(const struct look *l, const struct look_var *v, const size_t *chunk,
               const struct chunks_access access[2], struct chunks_tried *out)
{
    struct copy_request r = COPY_REQUEST_INIT;
    struct copy c = {.req = &r};
    struct text target = {0};
    const char *folder = getenv("TMPDIR");
    int code;

    if (v->nbytes > BYTES_MAX) {
        msg_warn("%s: %s is not tried: it has more than 2 GiB", l->path, v->path);
        return MSG_USAGE;
    }
    text_printf(&target, "%s/cellar-chunks.nc", folder && *folder ? folder : "/tmp");
    r.in = l->path;
    r.out = text_get(&target);
    r.quiet = true;
    r.format = NC_FORMAT_NETCDF4;
    ask(&r, v, chunk);
    c.out_path = output_begin(r.out);
    code = copy_var(&c);
    if (c.in)
        nc_close(c.in);
    out->reads = READS;
    if (code == MSG_OK)
        code = time_reads(l->path, v->path, access, out->before);
    if (code == MSG_OK)
        code = time_reads(c.out_path, v->path, access, out->after);
    output_discard();
    copy_free(&c);
    copy_request_free(&r);
    text_free(&target);
    return code;
}
