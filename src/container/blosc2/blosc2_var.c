/* SPDX-License-Identifier: BSD-3-Clause */
/* The array of a frame as a variable, "data" where nobody named it, with one dimension for each axis. The chunks go through
 * the codec blosc2, whose words tell it the shape of a block. */
#include "b2_words.h"
#include "blosc2_trailer.h"
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cel_blosc2_array_read(struct blosc2_file *b)
{
    const struct cel_b2_layer *layer = cel_b2_frame_layer(&b->frame, "b2nd");
    struct cel_b2_array *a = &b->array;
    size_t nchunks = 1;
    int rc;

    if (!layer)
        layer = cel_b2_frame_layer(&b->frame, "caterva");
    if (!layer)
        return cel_fail(NC_ENOTNC, "the frame of Blosc2 has no array: its layer b2nd is missing");
    rc = cel_b2_array_read(layer->bytes, layer->len, b->frame.elem, a);
    if (rc != CEL_OK)
        return rc;
    for (int d = 0; d < a->rank; d++)
        if (!cel_mul(nchunks, a->shape[d] ? (a->shape[d] - 1) / a->chunk[d] + 1 : 0, &nchunks))
            return cel_fail(NC_EFILTER, "blosc2: the array has too many chunks");
    if (nchunks != b->frame.nchunks || (nchunks && cel_b2_array_chunk_bytes(a) != b->frame.chunk))
        return cel_fail(NC_EFILTER,
                        "blosc2: the shape of the array does not make the %zu chunks of %zu bytes of the frame",
                        b->frame.nchunks, b->frame.chunk);
    return CEL_OK;
}

/* --- its chain --------------------------------------------------------------------------------- */

/* Whether the registered filter's own word says it all. */
static bool is_plain(const struct cel_b2_frame *f)
{
    for (int i = 0; i < CEL_B2_FILTERS; i++)
        if (f->meta[i] || (i < CEL_B2_FILTERS - 1 && f->filter[i]))
            return false;
    return f->filter[CEL_B2_FILTERS - 1] <= CEL_B2_DELTA;
}

static void set_words(const struct blosc2_file *b, const struct cel_shape *shape, struct cel_words *out)
{
    const struct cel_b2_frame *f = &b->frame;
    uint32_t *w = out->w;

    *out = (struct cel_words){.n = CEL_B2_NWORDS};
    w[CEL_B2_WORD_REVISION] = 1;
    w[CEL_B2_WORD_BLOCK] = (uint32_t)f->block;
    w[CEL_B2_WORD_SIZE] = (uint32_t)f->elem;
    w[CEL_B2_WORD_CHUNK] = (uint32_t)shape->nbytes;
    w[CEL_B2_WORD_LEVEL] = f->level;
    w[CEL_B2_WORD_COMPRESSOR] = f->compressor;
    w[CEL_B2_WORD_RANK] = (uint32_t)b->array.rank;
    if (is_plain(f))
        w[CEL_B2_WORD_FILTER] = f->filter[CEL_B2_FILTERS - 1];
    else
        cel_b2_filters_put(f->filter, f->meta, w + CEL_B2_WORD_FILTERS);
    for (int d = 0; d < b->array.rank; d++) {
        w[CEL_B2_WORD_DIMS + d] = (uint32_t)b->array.chunk[d];
        w[CEL_B2_WORD_BLOCKS + d] = (uint32_t)b->array.block[d];
    }
}

/* The codec is always our own: others do not know chunks without a frame. */
int cel_blosc2_chain_make(const struct blosc2_file *b, struct cel_var *var, const struct cel_shape *shape)
{
    struct cel_step step = {.id = CEL_BLOSC2_ID, .codec = cel_codec_by_id(CEL_BLOSC2_ID)};
    int rc;

    set_words(b, shape, &step.working);
    step.codec->reveal(&step.working, &step.visible);
    rc = cel_chain_insert(&var->chain, 0, &step);
    return rc == CEL_OK ? cel_chain_prepare(&var->chain, shape, true) : rc;
}

/* --- the variable ------------------------------------------------------------------------------ */

static int describe(const struct blosc2_file *b, struct cel_var *var)
{
    struct cel_shape shape;
    bool big_endian;
    int rc;

    var->type = cel_blosc2_type(b->array.type, b->array.elem, &big_endian);
    var->loaded = true;
    var->saved = CEL_SAVED;
    if (!var->type || var->ndims == 0) {
        var->type = cel_type_atomic(NC_UBYTE);
        var->layout.storage = CEL_CONTIGUOUS;
        var->layout.unchunked = true;
        cel_fail(NC_EBADTYPE, "its type in Blosc2 is \"%.40s\" of %zu bytes with %d dimensions, which netCDF has not",
                 b->array.type, b->array.elem, var->ndims);
        rc = cel_var_note_unreadable(var, cel_error_text());
        cel_error_clear();
        return rc;
    }
    var->endian = big_endian ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
    var->layout.storage = CEL_CHUNKED;
    var->layout.chosen = true;
    var->layout.chunk = cel_memdup(b->array.chunk, (size_t)var->ndims * sizeof *var->layout.chunk);
    if (!var->layout.chunk)
        return NC_ENOMEM;
    memcpy(var->layout.extent, b->array.shape, (size_t)var->ndims * sizeof *var->layout.extent);
    rc = cel_var_shape(var, &shape);
    return rc == CEL_OK ? cel_blosc2_chain_make(b, var, &shape) : rc;
}

/* The dimension of axis d: one that an axis before it has, where it has the same name and length; else a new one. */
static int add_dim(struct cel_dataset *ds, struct cel_var *var, int d, const char *name, size_t len)
{
    for (int i = 0; i < d; i++)
        if (strcmp(var->dim[i]->name, name) == 0) {
            var->dim[d] = var->dim[i];
            return CEL_OK;
        }
    return cel_dim_add(ds->root, name, len, false, -1, &var->dim[d]);
}

/* Whether the names can all be given: one that comes twice stands for one length. */
static bool are_usable(char *const *names, const struct cel_b2_array *a)
{
    for (int d = 0; d < a->rank; d++) {
        if (!names[d])
            return false;
        for (int i = 0; i < d; i++)
            if (strcmp(names[i], names[d]) == 0 && a->shape[i] != a->shape[d])
                return false;
    }
    return true;
}

static int add_dims(struct cel_dataset *ds, struct blosc2_file *b, const struct cel_blosc2_trailer *t,
                    struct cel_var *var)
{
    char *names[CEL_B2_RANK] = {NULL}, phony[32];
    bool usable;
    int rc = CEL_OK;

    for (int d = 0; rc == CEL_OK && d < b->array.rank; d++)
        rc = cel_blosc2_dim_name(t, d, &names[d]);
    usable = are_usable(names, &b->array);
    for (int d = 0; rc == CEL_OK && d < b->array.rank; d++) {
        snprintf(phony, sizeof phony, "phony_dim_%d", d);
        rc = add_dim(ds, var, d, usable ? names[d] : phony, b->array.shape[d]);
    }
    for (int d = 0; d < b->array.rank; d++)
        free(names[d]);
    return rc;
}

static int add_variable(struct cel_dataset *ds, struct blosc2_file *b, struct cel_blosc2_trailer *t,
                        const struct cel_blosc2_notes *notes)
{
    struct cel_var *var;
    int rc = cel_var_add(ds->root, notes->name ? notes->name : "data", b->array.rank, &var);

    if (rc == CEL_OK)
        rc = add_dims(ds, b, t, var);
    if (rc == CEL_OK)
        rc = describe(b, var);
    if (rc != CEL_OK)
        return rc;
    cel_var_link_coord(var);
    if (notes->unlimited && var->ndims > 0)
        var->dim[0]->unlimited = true;
    var->fill.off = !notes->there || notes->nofill;
    var->atts.loaded = ds->root->atts.loaded = true;
    return cel_blosc2_atts_load(b, t, var);
}

int cel_blosc2_var_load(struct cel_dataset *ds, struct blosc2_file *b)
{
    struct cel_blosc2_notes notes = {0};
    struct cel_blosc2_trailer t;
    int rc = cel_blosc2_trailer_open(b, &t);

    if (rc != CEL_OK)
        return rc;
    rc = cel_blosc2_notes_read(&t, &notes);
    if (rc == CEL_OK)
        rc = add_variable(ds, b, &t, &notes);
    free(notes.name);
    cel_blosc2_trailer_dispose(&t);
    return rc;
}
