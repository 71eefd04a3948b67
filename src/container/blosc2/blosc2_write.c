/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a file: the one variable, and its chunks. */
#include "b2_words.h"
#include "blosc2_output.h"
#include "file.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- creating -------------------------------------------------------------------------------- */

static int check_replaceable(const struct cel_location *where)
{
    if (where->in_memory)
        return cel_fail(NC_ENOTBUILT, "files of Blosc2 cannot be made in memory: give nc_create no NC_DISKLESS");
    if (where->is_directory)
        return cel_fail(NC_EEXIST, "%s is a directory; remove it first if it may go", where->path);
    return CEL_OK;
}

static int open_scratch(struct blosc2_file *b, const char *path)
{
    struct blosc2_output *o = b->output;
    int rc = NC_ENOMEM;

    o->path = cel_strdup(path);
    if (o->path)
        rc = cel_beside_init(o->path, &o->beside);
    if (rc == CEL_OK)
        rc = cel_beside_create_new(&o->beside, &o->scratch, &o->fd);
    if (rc == CEL_OK)
        rc = cel_beside_check(&o->beside, o->scratch);
    if (rc == CEL_OK && (rc = cel_source_of_file(o->fd, &b->source)) != CEL_OK)
        b->source = NULL;
    return rc;
}

int cel_blosc2_create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct blosc2_file *b;
    int rc = check_replaceable(where);

    if (rc == CEL_OK)
        rc = cel_blosc2_make(ds, &b);
    if (rc != CEL_OK)
        return rc;
    b->output = cel_calloc(1, sizeof *b->output);
    if (!b->output)
        return NC_ENOMEM;
    b->output->fd = -1;
    b->output->owner = getpid();
    return open_scratch(b, where->path);
}

/* --- filters ----------------------------------------------------------------------------------- */

enum { SHUFFLE_ID = 2, LEVEL_MAX = 9, LEVEL_USUAL = 5 };

/* Filters of other formats that Blosc2 has as well. */
static const struct {
    unsigned id;
    enum cel_b2_compressor compressor;
    unsigned per_level; /* their levels for one of Blosc2; 0: they have none */
} same[] = {{1, CEL_B2_ZLIB, 1}, {32015, CEL_B2_ZSTD, 2}, {32004, CEL_B2_LZ4, 0}};

static int take_step(const struct cel_step *step, struct cel_b2_frame *f)
{
    const struct cel_words *w = &step->visible;

    if (step->id == SHUFFLE_ID) {
        f->filter[CEL_B2_FILTERS - 1] = CEL_B2_SHUFFLE;
        return CEL_OK;
    }
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (step->id == same[i].id) {
            unsigned level = w->n > 0 && same[i].per_level ? (w->w[0] + 1) / same[i].per_level : LEVEL_USUAL;

            f->compressor = same[i].compressor;
            f->level = same[i].per_level == 1 && w->n > 0 ? w->w[0] : level < 1 ? 1 : level;
            f->level = f->level > LEVEL_MAX ? LEVEL_MAX : f->level;
            return CEL_OK;
        }
    return cel_fail(NC_EFILTER,
                    "filter %u (%s) cannot be used in a file of Blosc2: use blosc2, or shuffle, deflate, zstd or lz4",
                    step->id, step->codec ? step->codec->name : "unknown");
}

/* The codec blosc2 itself, with the words that a user gives. */
static void take_blosc2(const struct cel_step *step, struct cel_b2_frame *f)
{
    const struct cel_words *w = &step->visible;

    f->level = w->n > CEL_B2_WORD_LEVEL ? w->w[CEL_B2_WORD_LEVEL] : LEVEL_USUAL;
    f->compressor = w->n > CEL_B2_WORD_COMPRESSOR ? w->w[CEL_B2_WORD_COMPRESSOR] : CEL_B2_BLOSCLZ;
    f->block = w->n > CEL_B2_WORD_BLOCK ? w->w[CEL_B2_WORD_BLOCK] : 0;
    memset(f->filter, 0, sizeof f->filter);
    f->filter[CEL_B2_FILTERS - 1] = w->n > CEL_B2_WORD_FILTER ? (uint8_t)w->w[CEL_B2_WORD_FILTER] : CEL_B2_SHUFFLE;
    if (w->n >= CEL_B2_WORD_BLOCKS && (w->w[CEL_B2_WORD_FILTERS] || w->w[CEL_B2_WORD_FILTERS + 1]))
        cel_b2_filters_get(w->w + CEL_B2_WORD_FILTERS, f->filter, f->meta);
}

/* Level, compressor, filters and block size from the variable's chain; without one, python-blosc2's defaults. */
static int take_chain(const struct cel_var *var, struct cel_b2_frame *f)
{
    int rc = CEL_OK;

    f->compressor = CEL_B2_ZSTD;
    f->level = LEVEL_USUAL;
    if (var->chain.n == 0)
        f->filter[CEL_B2_FILTERS - 1] = CEL_B2_SHUFFLE;
    for (size_t i = 0; rc == CEL_OK && i < var->chain.n; i++)
        if (var->chain.step[i].id == CEL_BLOSC2_ID)
            take_blosc2(&var->chain.step[i], f);
        else
            rc = take_step(&var->chain.step[i], f);
    return rc;
}

/* In place of what the user gave. */
static int set_chain(struct blosc2_file *b, struct cel_var *var, const struct cel_shape *shape)
{
    uint32_t words[CEL_B2_WORD_BLOCKS - CEL_B2_WORD_FILTERS];
    int rc;

    cel_b2_filters_put(b->frame.filter, b->frame.meta, words);
    rc = cel_b2_filters_fit(words, shape);
    if (rc != CEL_OK)
        return rc;
    cel_chain_dispose(&var->chain);
    return cel_blosc2_chain_make(b, var, shape);
}

/* --- the variable -------------------------------------------------------------------------------- */

static int check_variable(const struct cel_var *var)
{
    if (var->ndims < 1 || var->ndims > CEL_B2_RANK)
        return cel_fail(NC_EMAXDIMS, "an array of Blosc2 has 1 to %d dimensions", CEL_B2_RANK);
    if (var->type->id == NC_STRING)
        return cel_fail(NC_EBADTYPE, "strings cannot be kept in a file of Blosc2");
    for (int d = 1; d < var->ndims; d++)
        if (var->dim[d]->unlimited)
            return cel_fail(NC_EUNLIMPOS, "in a file of Blosc2 only the first dimension of the variable can grow");
    return CEL_OK;
}

static size_t chunks_along(const struct cel_b2_array *a, int d)
{
    return a->shape[d] ? (a->shape[d] - 1) / a->chunk[d] + 1 : 0;
}

/* As many slots as the array has chunks. */
static int set_shape(struct blosc2_file *b, const size_t *extent)
{
    struct blosc2_output *o = b->output;
    size_t n = 1, most = CEL_B2_CHUNK_MAX / sizeof(uint64_t); /* their offsets are one chunk */
    struct cel_blosc2_slot *grown;
    bool fits = true;

    for (int d = 0; d < b->array.rank; d++) {
        b->array.shape[d] = extent[d];
        fits = cel_mul(n, chunks_along(&b->array, d), &n) && fits;
    }
    if (!fits || n > most)
        return cel_fail(NC_EBADCHUNK, "an array of Blosc2 has at most %zu chunks; choose larger ones", most);
    if (n > o->nslots) {
        grown = cel_realloc(o->slots, n, sizeof *grown);
        if (!grown)
            return NC_ENOMEM;
        memset(grown + o->nslots, 0, (n - o->nslots) * sizeof *grown);
        o->slots = grown;
        o->nslots = n;
    }
    b->frame.nchunks = n;
    return CEL_OK;
}

static void choose_block(struct blosc2_file *b, size_t chunk)
{
    struct cel_b2_options o = {.level = b->frame.level, .elem = b->array.elem};

    cel_b2_array_choose_block(&b->array, b->frame.block ? b->frame.block : cel_b2_choose_block(&o, chunk));
    b->frame.block = cel_b2_array_block_bytes(&b->array);
}

/* Of the frame's header, whose one layer always has the same length. */
static size_t header_bytes(const struct cel_b2_array *a)
{
    unsigned char bytes[CEL_B2_ARRAY_BYTES];
    struct cel_b2_layer layer = {.name = "b2nd", .bytes = bytes, .len = cel_b2_array_put(a, bytes)};

    return cel_b2_frame_header_bytes(&layer, 1);
}

/* Array and frame of a new variable, and the step that its chunks go through. */
static int begin_array(struct blosc2_file *b, struct cel_var *var)
{
    struct cel_b2_array *a = &b->array;
    size_t extent[CEL_B2_RANK];
    struct cel_shape shape;
    int rc = cel_var_shape(var, &shape);

    if (rc == CEL_OK && shape.nbytes > CEL_B2_CHUNK_MAX)
        rc = cel_fail(NC_EBADCHUNK, "chunks of Blosc2 have at most %d bytes", CEL_B2_CHUNK_MAX);
    if (rc != CEL_OK)
        return rc;
    *a = (struct cel_b2_array){.rank = var->ndims, .elem = shape.elem_size};
    b->frame = (struct cel_b2_frame){.elem = shape.elem_size};
    cel_blosc2_type_name(var->type, shape.big_endian, a->type);
    for (int d = 0; d < a->rank; d++) {
        a->chunk[d] = var->layout.chunk[d];
        extent[d] = var->dim[d]->len;
    }
    rc = take_chain(var, &b->frame);
    if (rc != CEL_OK)
        return rc;
    choose_block(b, shape.nbytes);
    b->frame.chunk = cel_b2_array_chunk_bytes(a);
    if (!b->frame.chunk)
        rc = cel_fail(NC_EBADCHUNK, "chunks with their padding have at most %d bytes", CEL_B2_CHUNK_MAX);
    if (rc == CEL_OK)
        rc = set_shape(b, extent);
    b->frame.header = header_bytes(a);
    return rc == CEL_OK ? set_chain(b, var, &shape) : rc;
}

static int save_variable(struct blosc2_file *b, struct cel_var *var)
{
    int rc = check_variable(var);

    if (rc == CEL_OK && b->output->var)
        rc =
            cel_fail(NC_ENOTNC4, "a file of Blosc2 holds one variable, and %s is there; leave this one out (nccopy -V)",
                     b->output->var->name);
    if (rc == CEL_OK)
        rc = begin_array(b, var);
    if (rc != CEL_OK)
        return cel_fail_in_var(rc, var);
    memcpy(var->layout.extent, b->array.shape, (size_t)var->ndims * sizeof *var->layout.extent);
    b->output->var = var;
    var->saved = CEL_SAVED;
    return CEL_OK;
}

/* The rest lies in the trailer, which is written at a sync and at close. */
static void note_saved(struct cel_dataset *ds)
{
    for (size_t i = 0; i < ds->root->dims.n; i++)
        ((struct cel_dim *)ds->root->dims.at[i])->saved = CEL_SAVED;
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        struct cel_var *var = ds->root->vars.at[i];

        var->saved = CEL_SAVED;
        cel_atts_saved(&var->atts);
    }
    ds->root->saved = CEL_SAVED;
    cel_atts_saved(&ds->root->atts);
}

int cel_blosc2_save(struct cel_dataset *ds)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int rc = CEL_OK;

    if (!b->output)
        return CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < ds->root->vars.n; i++) {
        struct cel_var *var = ds->root->vars.at[i];

        if (var->saved == CEL_NEW)
            rc = save_variable(b, var);
    }
    if (rc != CEL_OK)
        return rc;
    note_saved(ds);
    b->output->changed = true;
    return CEL_OK;
}

int cel_blosc2_extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int rc = set_shape(b, extent);

    if (rc == CEL_OK)
        memcpy(var->layout.extent, extent, (size_t)var->ndims * sizeof *extent);
    else
        set_shape(b, var->layout.extent);
    b->output->changed = true;
    return rc;
}

/* --- chunks ---------------------------------------------------------------------------------------- */

int cel_blosc2_slot_find(struct blosc2_file *b, size_t number, struct cel_chunk_location *out)
{
    const struct cel_blosc2_slot *slot = &b->output->slots[number];

    if (!slot->n)
        return CEL_ABSENT;
    *out = (struct cel_chunk_location){.address = slot->at, .nbytes = slot->n};
    return CEL_OK;
}

static struct cel_blosc2_slot *slot_of(struct blosc2_file *b, const size_t *index)
{
    size_t number = 0;

    for (int d = 0; d < b->array.rank; d++)
        number = number * chunks_along(&b->array, d) + index[d];
    return &b->output->slots[number];
}

static bool is_header_alone(const unsigned char *chunk, size_t n)
{
    return n == CEL_B2_HEADER && chunk[CEL_B2_HEADER - 1] >> 4 & 7;
}

/* A chunk that is written again keeps its place if it still fits there. */
int cel_blosc2_chunk_allocate(struct cel_dataset *ds, struct cel_var *var, const size_t *index, const void *encoded,
                              size_t n, uint32_t skipped, struct cel_chunk_location *out)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    struct cel_blosc2_slot *slot = slot_of(b, index);

    if (is_header_alone(encoded, n)) {
        slot->at = CEL_BLOSC2_SPECIAL_OF(((const unsigned char *)encoded)[CEL_B2_HEADER - 1] >> 4 & 7);
    } else if (n > slot->cap) {
        slot->at = slot->address = b->frame.cbytes;
        slot->cap = (uint32_t)n;
        b->frame.cbytes += n;
    } else {
        slot->at = slot->address;
    }
    slot->n = (uint32_t)n;
    slot->lost = true; /* until it is written */
    b->output->changed = true;
    *out = (struct cel_chunk_location){.address = slot->at, .nbytes = n};
    return CEL_OK;
}

int cel_blosc2_chunk_write(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                           const struct cel_chunk_location *at, const void *encoded, size_t n)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int error =
        at->address & CEL_BLOSC2_SPECIAL ? 0 : cel_file_write(b->output->fd, b->frame.header + at->address, encoded, n);

    if (error)
        return cel_fail(error, "cannot write a chunk: %s", strerror(error));
    slot_of(b, index)->lost = false;
    return CEL_OK;
}
