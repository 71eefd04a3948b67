/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the trailer: names and attributes. Values that are neither text nor numbers are listed as unreadable. */
#include "blosc2_trailer.h"
#include "bytes.h"
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MAX = 8192, VALUES_MAX = 1 << 24 /* bytes of all values together: chunks of zeros have none */ };

/* --- the layers ------------------------------------------------------------------------------ */

/* The value of a layer, yours to free. */
static int decode_layer(struct blosc2_file *b, struct cel_blosc2_trailer *t, const struct cel_b2_layer *layer,
                        unsigned char **value, size_t *n)
{
    struct cel_b2_header h;
    int rc = cel_b2_header_read(layer->bytes, layer->len, &h);

    *value = NULL;
    if (rc == CEL_OK && h.nbytes > t->left)
        rc = cel_fail(NC_EFILTER, "blosc2: it says it has %zu bytes, more than all layers together may have", h.nbytes);
    if (rc == CEL_OK && !(*value = cel_malloc(h.nbytes)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK && h.nbytes)
        rc = cel_b2_decode_blocks(b->work, &h, layer->bytes, NULL, 0, h.nblocks, *value);
    if (rc != CEL_OK) {
        free(*value);
        *value = NULL;
        return rc;
    }
    *n = h.nbytes;
    t->left -= h.nbytes;
    return CEL_OK;
}

/* One of ours; damage there costs the names, not the file. */
static int find_value(struct blosc2_file *b, struct cel_blosc2_trailer *t, const char *name, unsigned char **value,
                      size_t *n)
{
    int rc = CEL_OK;

    for (size_t i = 0; i < t->nlayers; i++)
        if (strcmp(t->layers[i].name, name) == 0)
            rc = decode_layer(b, t, &t->layers[i], value, n);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    cel_error_clear();
    return CEL_OK;
}

static int read_trailer(struct blosc2_file *b, struct cel_blosc2_trailer *t)
{
    size_t n, least = b->frame.header + b->frame.cbytes;
    unsigned char tail[CEL_B2_FRAME_TAIL];
    int rc;

    if (b->frame.size - least < sizeof tail)
        return cel_fail(NC_EFILTER, "blosc2: the frame has no trailer");
    rc = cel_blosc2_read(b, b->frame.size - sizeof tail, tail, sizeof tail);
    if (rc != CEL_OK)
        return rc;
    n = cel_get_be32(tail + 1);
    if (tail[0] != 0xce || n > b->frame.size - least)
        return cel_fail(NC_EFILTER, "blosc2: the trailer of the frame is damaged");
    t->bytes = cel_malloc(n);
    if (!t->bytes)
        return NC_ENOMEM;
    rc = cel_blosc2_read(b, b->frame.size - n, t->bytes, n);
    if (rc == CEL_OK)
        rc = cel_b2_trailer_count(t->bytes, n, LAYERS_MAX, &t->nlayers);
    if (rc != CEL_OK)
        return rc;
    t->layers = cel_calloc(t->nlayers, sizeof *t->layers);
    return t->layers ? cel_b2_trailer_read(t->bytes, n, t->nlayers, t->layers, &t->nlayers) : NC_ENOMEM;
}

int cel_blosc2_trailer_open(struct blosc2_file *b, struct cel_blosc2_trailer *t)
{
    int rc;

    *t = (struct cel_blosc2_trailer){.left = VALUES_MAX};
    rc = read_trailer(b, t);
    if (rc == CEL_OK)
        rc = find_value(b, t, CEL_BLOSC2_DIMS, &t->dims, &t->dims_len);
    if (rc == CEL_OK)
        rc = find_value(b, t, CEL_BLOSC2_NOTES, &t->netcdf, &t->netcdf_len);
    if (rc != CEL_OK)
        cel_blosc2_trailer_dispose(t);
    return rc;
}

void cel_blosc2_trailer_dispose(struct cel_blosc2_trailer *t)
{
    free(t->bytes);
    free(t->layers);
    free(t->dims);
    free(t->netcdf);
    *t = (struct cel_blosc2_trailer){0};
}

/* --- names ------------------------------------------------------------------------------------- */

/* Text as a name, yours to free; NULL: no object can have it. */
static int take_name(struct cel_pack *p, char **out)
{
    struct cel_pack_item item = cel_pack_take(p);
    const unsigned char *bytes = item.kind == 's' ? cel_pack_bytes(p, &item) : NULL;
    char *text;
    int rc;

    *out = NULL;
    if (!bytes || item.n > NC_MAX_NAME || memchr(bytes, 0, (size_t)item.n))
        return CEL_OK;
    text = cel_strndup((const char *)bytes, (size_t)item.n);
    rc = text ? cel_name_check(text, out) : NC_ENOMEM;
    free(text);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    cel_error_clear();
    return CEL_OK;
}

int cel_blosc2_dim_name(const struct cel_blosc2_trailer *t, int d, char **out)
{
    struct cel_pack p = {.bytes = t->dims, .n = t->dims_len};
    struct cel_pack_item item = cel_pack_take(&p);

    *out = NULL;
    for (int i = 0; i < d; i++)
        if (!cel_pack_skip(&p))
            return CEL_OK;
    return item.kind == 'a' && (uint64_t)d < item.n ? take_name(&p, out) : CEL_OK;
}

/* The value of a member of the map _netcdf. */
static bool find_note(const struct cel_blosc2_trailer *t, const char *name, struct cel_pack *value)
{
    struct cel_pack p = {.bytes = t->netcdf, .n = t->netcdf_len};
    struct cel_pack_item map = cel_pack_take(&p);

    for (uint64_t i = 0; map.kind == 'm' && i < map.n; i++) {
        struct cel_pack_item key = cel_pack_take(&p);
        const unsigned char *text = key.kind == 's' ? cel_pack_bytes(&p, &key) : NULL;

        if (!text)
            return false;
        if (key.n == strlen(name) && memcmp(text, name, (size_t)key.n) == 0) {
            *value = p;
            return true;
        }
        if (!cel_pack_skip(&p))
            return false;
    }
    return false;
}

static bool is_noted(const struct cel_blosc2_trailer *t, const char *name)
{
    struct cel_pack value;

    return find_note(t, name, &value) && cel_pack_take(&value).i == 1;
}

int cel_blosc2_notes_read(const struct cel_blosc2_trailer *t, struct cel_blosc2_notes *out)
{
    struct cel_pack value;

    *out = (struct cel_blosc2_notes){
        .there = t->netcdf != NULL, .unlimited = is_noted(t, "unlimited"), .nofill = is_noted(t, "nofill")};
    return find_note(t, "name", &value) ? take_name(&value, &out->name) : CEL_OK;
}

/* --- attributes -------------------------------------------------------------------------------- */

/* var NULL: of the dataset. */
static int note_unreadable(struct cel_group *group, const struct cel_var *var, const char *name, const char *reason)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 16);
    int rc = cel_buf_printf(&text, "%s:%s", var ? var->name : "", name);

    if (rc == CEL_OK)
        rc = cel_group_note_unreadable(group, text.data, reason);
    cel_buf_dispose(&text);
    return rc;
}

/* One attribute. What cannot be one is listed, and all else goes on. */
static int add_att(struct cel_pack *p, bool typed, struct cel_group *group, struct cel_var *var, const char *name)
{
    char *normal = NULL;
    int rc = cel_name_check(name, &normal);

    if (rc == CEL_OK)
        rc = cel_pack_take_att(p, typed, var ? &var->atts : &group->atts, normal);
    free(normal);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    rc = note_unreadable(group, var, name, rc == CEL_ABSENT ? "it is neither text nor numbers" : cel_error_text());
    cel_error_clear();
    return rc;
}

static int add_layer(struct blosc2_file *b, struct cel_blosc2_trailer *t, struct cel_var *var,
                     const struct cel_b2_layer *layer)
{
    struct cel_pack p = {0};
    unsigned char *value = NULL;
    int rc;

    if (strcmp(layer->name, CEL_BLOSC2_DIMS) == 0 || strcmp(layer->name, CEL_BLOSC2_NOTES) == 0)
        return CEL_OK;
    rc = decode_layer(b, t, layer, &value, &p.n);
    p.bytes = value;
    if (rc == CEL_OK)
        rc = add_att(&p, t->netcdf != NULL, var->group, var, layer->name);
    else if (rc != NC_ENOMEM && (rc = note_unreadable(var->group, var, layer->name, cel_error_text())) == CEL_OK)
        cel_error_clear();
    free(value);
    return rc;
}

/* The attributes in a member of _netcdf. */
static int add_noted(const struct cel_blosc2_trailer *t, const char *note, struct cel_group *group, struct cel_var *var)
{
    struct cel_pack p, after;
    struct cel_pack_item map, key;
    int rc = CEL_OK;

    if (!find_note(t, note, &p))
        return CEL_OK;
    map = cel_pack_take(&p);
    for (uint64_t i = 0; rc == CEL_OK && map.kind == 'm' && i < map.n && i < LAYERS_MAX; i++) {
        char name[NC_MAX_NAME + 1];
        const unsigned char *text;

        key = cel_pack_take(&p);
        text = key.kind == 's' ? cel_pack_bytes(&p, &key) : NULL;
        after = p;
        if (!text || key.n > NC_MAX_NAME || !cel_pack_skip(&after))
            break;
        memcpy(name, text, (size_t)key.n);
        name[key.n] = '\0';
        rc = add_att(&p, true, group, var, name);
        p = after;
    }
    return rc;
}

/* A fill value of the variable's own type is the fill value. */
static int take_fill(struct cel_var *var)
{
    const struct cel_att *att = cel_att_find(&var->atts, "_FillValue");

    if (!att || att->type != var->type || att->n != 1)
        return CEL_OK;
    var->fill.value = cel_memdup(att->data, var->type->size);
    var->fill.off = false;
    return var->fill.value ? CEL_OK : NC_ENOMEM;
}

int cel_blosc2_atts_load(struct blosc2_file *b, struct cel_blosc2_trailer *t, struct cel_var *var)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < t->nlayers; i++)
        rc = add_layer(b, t, var, &t->layers[i]);
    if (rc == CEL_OK)
        rc = add_noted(t, "more", var->group, var);
    if (rc == CEL_OK)
        rc = add_noted(t, "global", var->group, NULL);
    return rc == CEL_OK ? take_fill(var) : rc;
}
