/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar info --json: docs/schema/info.json describes it. */

#include "cellar.h"
#include "info.h"
#include "jsonw.h"
#include "msg.h"
#include "units.h"
#include <stdlib.h>

static int put_group_dims(int group, void *arg)
{
    struct jsonw *j = arg;
    struct walk_ids dims = {0};
    char name[NC_MAX_NAME + 1], *path = walk_path(group);
    size_t len;
    int status = walk_dims(group, &dims);

    for (int i = 0; status == NC_NOERR && i < dims.n; i++) {
        status = nc_inq_dim(group, dims.at[i], name, &len);
        if (status)
            break;
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", name);
        jsonw_text(j, "group", path ? path : "/");
        jsonw_count(j, "length", len);
        jsonw_bool(j, "unlimited", walk_is_unlimited(group, dims.at[i]));
        jsonw_close(j, '}');
    }
    walk_free(&dims);
    free(path);
    return status;
}

static void put_storage(struct jsonw *j, const struct look_var *v)
{
    static const char *const layout[] = {"chunked", "contiguous", "compact", "unknown", "virtual"};

    jsonw_text(j, "storage", v->storage >= 0 && v->storage < 5 ? layout[v->storage] : "unknown");
    if (v->storage == NC_CHUNKED)
        jsonw_sizes(j, "chunks", v->piece, (size_t)v->ndims);
    else
        jsonw_null(j, "chunks");
    if (v->shard)
        jsonw_sizes(j, "shards", v->shard, (size_t)v->ndims);
    else
        jsonw_null(j, "shards");
    jsonw_text(j, "filters", v->chain);
}

static void put_notes(struct jsonw *j, const struct look_var *v)
{
    struct info_notes notes;

    info_notes_load(v, &notes);
    jsonw_text(j, "fill_value", notes.fill);
    jsonw_bool(j, "filled", !notes.no_fill);
    jsonw_text(j, "quantize", notes.quantize);
    jsonw_text(j, "checksum", notes.checksum);
    jsonw_text(j, "unreadable", v->reason);
    info_notes_free(&notes);
}

static void put_var(struct jsonw *j, const struct look *l, const struct extents *e, size_t i)
{
    const struct look_var *v = &l->var[i];

    jsonw_open(j, NULL, '{');
    jsonw_text(j, "name", v->path);
    jsonw_text(j, "type", v->type ? v->type->name : "?");
    jsonw_open(j, "dimensions", '[');
    for (int d = 0; d < v->ndims; d++)
        jsonw_text(j, NULL, v->dim[d]);
    jsonw_close(j, ']');
    jsonw_sizes(j, "shape", v->shape, (size_t)v->ndims);
    put_storage(j, v);
    jsonw_count(j, "bytes", v->nbytes);
    jsonw_count(j, "stored", e->of_var[i]);
    jsonw_real(j, "ratio", units_ratio(v->nbytes, e->of_var[i]));
    if (l->size)
        jsonw_real(j, "share", (double)e->of_var[i] / (double)l->size);
    else
        jsonw_null(j, "share");
    jsonw_count(j, "chunks_written", e->written[i]);
    jsonw_count(j, "chunks_missing", e->missing[i]);
    put_notes(j, v);
    jsonw_close(j, '}');
}

static void put_layout(struct jsonw *j, const struct look *l, const struct extents *e)
{
    struct info_layout layout = {0};

    if (l->format != LOOK_ZARR)
        info_layout_make(l, e, &layout);
    jsonw_open(j, "layout", '[');
    for (size_t i = 0; i < layout.n; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_count(j, "offset", layout.run[i].address);
        jsonw_count(j, "bytes", layout.run[i].size);
        jsonw_text(j, "variable", layout.run[i].var ? layout.run[i].var->path : NULL);
        jsonw_count(j, "pieces", layout.run[i].pieces);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
    info_layout_free(&layout);
}

static void put_offsets(struct jsonw *j, const struct info_chunks *c)
{
    jsonw_open(j, "offsets", '[');
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].address == CELLAR_NO_ADDRESS)
            jsonw_null(j, NULL);
        else
            jsonw_count(j, NULL, c->at[i].address);
    jsonw_close(j, ']');
}

static bool put_chunks(struct jsonw *j, const struct look *l, const char *name)
{
    const struct look_var *v = look_get(l, name);
    struct info_chunks c;
    bool ok = info_chunks_load(v, &c);

    if (ok) {
        jsonw_open(j, "chunks", '{');
        jsonw_text(j, "variable", v->path);
        jsonw_count(j, "total", c.total);
        jsonw_count(j, "missing", c.missing);
        jsonw_count(j, "smallest", c.least);
        jsonw_count(j, "median", c.median);
        jsonw_count(j, "largest", c.most);
        jsonw_count(j, "unfiltered", c.raw);
        jsonw_count(j, "skipped", c.skipped);
        jsonw_open(j, "numbers", '[');
        for (size_t i = 0; i < c.n; i++)
            jsonw_count(j, NULL, c.at[i].number);
        jsonw_close(j, ']');
        jsonw_open(j, "sizes", '[');
        for (size_t i = 0; i < c.n; i++)
            jsonw_count(j, NULL, c.at[i].size);
        jsonw_close(j, ']');
        put_offsets(j, &c);
        jsonw_close(j, '}');
    } else {
        msg_error("%s: %s: %s", l->path, v->path, c.why);
    }
    info_chunks_free(&c);
    return ok;
}

static void put_lost(struct jsonw *j, const struct look *l)
{
    jsonw_open(j, "unreadable", '[');
    for (size_t i = 0; i < l->nlost; i++) {
        jsonw_open(j, NULL, '{');
        jsonw_text(j, "name", l->lost[i].path);
        jsonw_text(j, "reason", l->lost[i].reason);
        jsonw_close(j, '}');
    }
    jsonw_close(j, ']');
}

int info_json(const struct look *l, const struct extents *e, const struct info_request *r)
{
    struct jsonw j = {0};
    bool ok = true;

    jsonw_open(&j, NULL, '{');
    jsonw_text(&j, "file", l->path);
    jsonw_text(&j, "format", look_format_name(l));
    if (l->size)
        jsonw_count(&j, "bytes", l->size);
    else
        jsonw_null(&j, "bytes");
    jsonw_count(&j, "stored", e->stored);
    jsonw_count(&j, "groups", l->ngroups);
    jsonw_count(&j, "attributes", l->natts);
    jsonw_open(&j, "dimensions", '[');
    walk_all(l->ncid, put_group_dims, &j);
    jsonw_close(&j, ']');
    jsonw_open(&j, "variables", '[');
    for (size_t i = 0; i < l->nvars; i++)
        put_var(&j, l, e, i);
    jsonw_close(&j, ']');
    put_lost(&j, l);
    if (r->layout)
        put_layout(&j, l, e);
    if (r->chunks_of)
        ok = put_chunks(&j, l, r->chunks_of);
    jsonw_close(&j, '}');
    if (!ok) {
        text_free(&j.out);
        return MSG_FAILED;
    }
    return jsonw_print(&j) ? MSG_OK : MSG_FAILED;
}
