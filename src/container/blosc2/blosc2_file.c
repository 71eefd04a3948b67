/* Arrays of Blosc2 (.b2nd) as datasets, for reading: one variable, "data", one dimension for each of its axes, and the
 * layers of the trailer as its attributes. The chunks go through the codec blosc2, which the words tell the shape of
 * a block. */
#include "b2_words.h"
#include "blosc2_int.h"
#include "bytes.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_MAX (1 << 24)

static int bid(const struct cel_location *where, const struct cel_options *options, bool create)
{
    return !create && cel_b2_is_frame(where->head, where->head_len) ? 100 : 0;
}

static int create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    return cel_fail(NC_ENOTBUILT, "arrays of Blosc2 cannot be written yet");
}

/* --- opening --------------------------------------------------------------------------------- */

static int open_source(struct blosc2_file *b, const struct cel_location *where)
{
    int fd, rc;

    if (where->memory)
        return cel_source_of_memory(where->memory, where->memory_size, &b->source);
    fd = open(where->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cel_fail(errno, "cannot open the file: %s", strerror(errno));
    rc = cel_source_of_file(fd, &b->source);
    if (rc != CEL_OK)
        close(fd);
    return rc;
}

static int read_header(struct blosc2_file *b)
{
    unsigned char head[24];
    uint64_t size = 0;
    size_t n;
    int rc = cel_source_size(b->source, &size);

    if (rc == CEL_OK)
        rc = cel_blosc2_read(b, 0, head, sizeof head);
    if (rc != CEL_OK)
        return rc;
    n = cel_get_be32(head + 11);
    if (n > size || n > HEADER_MAX)
        return cel_fail(NC_EFILTER, "blosc2: the header of the frame says it has %zu bytes", n);
    b->header = cel_malloc(n);
    if (!b->header)
        return NC_ENOMEM;
    rc = cel_blosc2_read(b, 0, b->header, n);
    return rc == CEL_OK ? cel_b2_frame_read(b->header, n, (size_t)size, &b->frame) : rc;
}

static int read_array(struct blosc2_file *b)
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

/* --- the variable ---------------------------------------------------------------------------- */

static int make_chain(const struct blosc2_file *b, struct cel_var *var, const struct cel_shape *shape)
{
    const struct cel_b2_frame *f = &b->frame;
    unsigned words[CEL_B2_NWORDS] = {1, (unsigned)f->block, (unsigned)f->elem, (unsigned)shape->nbytes, f->level};
    struct cel_step step;
    int rc;

    for (int i = 0; i < CEL_B2_FILTERS; i++)
        if (f->filter[i] > CEL_B2_NONE && f->filter[i] <= CEL_B2_DELTA)
            words[CEL_B2_WORD_FILTER] = f->filter[i];
    words[CEL_B2_WORD_COMPRESSOR] = f->compressor;
    words[CEL_B2_WORD_RANK] = (unsigned)b->array.rank;
    cel_b2_filters_put(f->filter, f->meta, words + CEL_B2_WORD_FILTERS);
    for (int d = 0; d < b->array.rank; d++) {
        words[CEL_B2_WORD_DIMS + d] = (unsigned)b->array.chunk[d];
        words[CEL_B2_WORD_BLOCKS + d] = (unsigned)b->array.block[d];
    }
    rc = cel_step_from_file(32026, false, CEL_B2_NWORDS, words, &step);
    if (rc == CEL_OK)
        rc = cel_chain_insert(&var->chain, 0, &step);
    return rc == CEL_OK ? cel_chain_prepare(&var->chain, shape, true) : rc;
}

static int describe(const struct blosc2_file *b, struct cel_var *var)
{
    struct cel_shape shape;
    bool big_endian;
    int rc;

    var->type = cel_blosc2_type(b->array.type, b->array.elem, &big_endian);
    var->loaded = true;
    var->saved = CEL_SAVED;
    var->fill.off = true;
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
    return rc == CEL_OK ? make_chain(b, var, &shape) : rc;
}

static int add_variable(struct cel_dataset *ds, struct blosc2_file *b)
{
    struct cel_var *var;
    int rc = cel_var_add(ds->root, "data", b->array.rank, &var);

    for (int d = 0; rc == CEL_OK && d < b->array.rank; d++) {
        char name[32];

        snprintf(name, sizeof name, "phony_dim_%d", d);
        rc = cel_dim_add(ds->root, name, b->array.shape[d], false, -1, &var->dim[d]);
    }
    if (rc == CEL_OK)
        rc = describe(b, var);
    if (rc != CEL_OK)
        return rc;
    var->atts.loaded = ds->root->atts.loaded = true;
    return cel_blosc2_atts_load(b, var);
}

static int open_it(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct blosc2_file *b;
    int rc;

    if (options->mode & NC_WRITE)
        return cel_fail(NC_EPERM, "arrays of Blosc2 can only be read: open the file without NC_WRITE");
    b = cel_calloc(1, sizeof *b);
    if (!b)
        return NC_ENOMEM;
    cel_mutex_init(&b->lock);
    ds->container = b;
    ds->format = NC_FORMAT_NETCDF4;
    b->work = cel_b2_work_make();
    rc = b->work ? open_source(b, where) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = read_header(b);
    if (rc == CEL_OK)
        rc = read_array(b);
    if (rc == CEL_OK)
        rc = cel_blosc2_index_open(b);
    return rc == CEL_OK ? add_variable(ds, b) : rc;
}

static int close_it(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int rc;

    if (memory)
        *memory = (struct cel_memory){0};
    if (!b)
        return CEL_OK;
    rc = cel_source_close(b->source);
    cel_b2_work_free(b->work);
    free(b->header);
    free(b->index);
    free(b->offsets);
    cel_mutex_dispose(&b->lock);
    free(b);
    ds->container = NULL;
    return rc;
}

/* --- the rest: all is loaded, nothing is written -------------------------------------------------- */

static int load_nothing(struct cel_dataset *ds)
{
    return CEL_OK;
}

static int load_var(struct cel_dataset *ds, struct cel_var *var)
{
    return CEL_OK;
}

static int load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    return CEL_OK;
}

static int fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    *out = (struct cel_fact){0};
    return CEL_ABSENT;
}

/* clang-format off */
const struct cel_container_ops cel_blosc2_ops = {
    .name = "blosc2", .formatx = NC_FORMATX_UNDEFINED, .features = CEL_KEEPS_CHUNKS | CEL_KEEPS_FILTERS | CEL_KEEPS_INT64 | CEL_KEEPS_ENDIAN,
    .bid = bid, .create = create, .open = open_it, .load_types = load_nothing, .load_var = load_var, .load_atts = load_atts,
    .save = load_nothing, .chunk_find = cel_blosc2_chunk_find, .chunk_read = cel_blosc2_chunk_read,
    .chunk_size = cel_blosc2_chunk_size, .chunk_locate = cel_blosc2_chunk_locate, .sync = load_nothing, .close = close_it, .fact = fact,
};
/* clang-format on */
