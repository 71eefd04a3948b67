/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the trailer: names and attributes as layers. */
#include "blosc2_trailer.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX ((size_t)1 << 24) /* bytes of all values, as reading takes them */

/* A trailer in work: the values lie one after the other in `values`, each as a chunk. */
struct maker {
    struct blosc2_file *b;
    struct cel_b2_layer *layers;
    size_t *at; /* where the value of each starts */
    size_t nlayers;
    struct cel_buf values;
};

/* The value becomes a chunk; `value` is empty afterwards. */
static int add_layer(struct maker *m, const char *name, struct cel_buf *value)
{
    static const struct cel_b2_options options = {.compressor = CEL_B2_BLOSCLZ, .level = 5, .elem = 1};
    struct cel_b2_layer *layer = &m->layers[m->nlayers];
    size_t at = m->values.len, len = 0;
    int rc = cel_buf_resize(&m->values, at + cel_b2_bound(value->len));

    if (rc == CEL_OK)
        rc = cel_b2_encode(m->b->work, &options, (const unsigned char *)value->data, value->len,
                           (unsigned char *)m->values.data + at, &len);
    if (rc != CEL_OK)
        return rc;
    m->values.len = at + len;
    strcpy(layer->name, name);
    layer->len = len;
    m->at[m->nlayers++] = at;
    value->len = 0;
    return CEL_OK;
}

static bool is_layer(const struct cel_att *att)
{
    return strlen(att->name) <= CEL_B2_NAME_MAX && strcmp(att->name, CEL_BLOSC2_DIMS) != 0 &&
           strcmp(att->name, CEL_BLOSC2_NOTES) != 0;
}

static int add_dims(struct maker *m, const struct cel_var *var, struct cel_buf *value)
{
    int rc = cel_pack_put_list(value, (size_t)var->ndims);

    for (int d = 0; rc == CEL_OK && d < var->ndims; d++)
        rc = cel_pack_put_text(value, var->dim[d]->name, strlen(var->dim[d]->name));
    return rc == CEL_OK ? add_layer(m, CEL_BLOSC2_DIMS, value) : rc;
}

static int put_name(struct cel_buf *out, const char *name)
{
    return cel_pack_put_text(out, name, strlen(name));
}

/* A member with those attributes that are, or are not, layers. */
static int put_atts(struct cel_buf *out, const char *member, const struct cel_atts *atts, bool all)
{
    size_t n = 0;
    int rc = put_name(out, member);

    for (size_t i = 0; i < atts->list.n; i++)
        n += all || !is_layer(atts->list.at[i]);
    if (rc == CEL_OK)
        rc = cel_pack_put_map(out, n);
    for (size_t i = 0; rc == CEL_OK && i < atts->list.n; i++) {
        const struct cel_att *att = atts->list.at[i];

        if (!all && is_layer(att))
            continue;
        rc = put_name(out, att->name);
        if (rc == CEL_OK)
            rc = cel_pack_put_att(out, att);
    }
    return rc;
}

static int put_flag(struct cel_buf *out, const char *name)
{
    int rc = put_name(out, name);

    return rc == CEL_OK ? cel_pack_put_true(out) : rc;
}

static int add_notes(struct maker *m, const struct cel_var *var, struct cel_buf *value)
{
    bool unlimited = var->dim[0]->unlimited;
    int rc = cel_pack_put_map(value, 3 + (size_t)unlimited + (size_t)var->fill.off);

    if (rc == CEL_OK)
        rc = put_name(value, "name");
    if (rc == CEL_OK)
        rc = put_name(value, var->name);
    if (rc == CEL_OK && unlimited)
        rc = put_flag(value, "unlimited");
    if (rc == CEL_OK && var->fill.off)
        rc = put_flag(value, "nofill");
    if (rc == CEL_OK)
        rc = put_atts(value, "more", &var->atts, false);
    if (rc == CEL_OK)
        rc = put_atts(value, "global", &var->group->atts, true);
    return rc == CEL_OK ? add_layer(m, CEL_BLOSC2_NOTES, value) : rc;
}

static int add_all(struct maker *m, const struct cel_var *var)
{
    struct cel_buf value = CEL_BUF_INIT(VALUE_MAX);
    int rc = add_dims(m, var, &value);

    if (rc == CEL_OK)
        rc = add_notes(m, var, &value);
    for (size_t i = 0; rc == CEL_OK && i < var->atts.list.n; i++)
        if (is_layer(var->atts.list.at[i])) {
            const struct cel_att *att = var->atts.list.at[i];

            rc = cel_pack_put_att(&value, att);
            if (rc == CEL_OK)
                rc = add_layer(m, att->name, &value);
        }
    cel_buf_dispose(&value);
    return rc;
}

static int put_trailer(struct maker *m, struct cel_buf *out)
{
    int rc;

    for (size_t i = 0; i < m->nlayers; i++)
        m->layers[i].bytes = (const unsigned char *)m->values.data + m->at[i];
    if (!cel_b2_trailer_fits(m->layers, m->nlayers))
        return cel_fail(NC_EMAXATTS,
                        "a file of Blosc2 cannot list so many attributes: their names are too long together");
    rc = cel_buf_resize(out, cel_b2_trailer_bytes(m->layers, m->nlayers));
    if (rc == CEL_OK)
        cel_b2_trailer_put(m->layers, m->nlayers, (unsigned char *)out->data);
    return rc;
}

int cel_blosc2_trailer_make(struct blosc2_file *b, const struct cel_var *var, struct cel_buf *out)
{
    struct maker m = {.b = b, .values = CEL_BUF_INIT(VALUE_MAX)};
    int rc = NC_ENOMEM;

    m.layers = cel_calloc(var->atts.list.n + 2, sizeof *m.layers);
    m.at = cel_calloc(var->atts.list.n + 2, sizeof *m.at);
    if (m.layers && m.at)
        rc = add_all(&m, var);
    if (rc == CEL_OK)
        rc = put_trailer(&m, out);
    cel_buf_dispose(&m.values);
    free(m.at);
    free(m.layers);
    return rc;
}
