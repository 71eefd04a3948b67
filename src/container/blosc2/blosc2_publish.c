/* SPDX-License-Identifier: BSD-3-Clause */
/* The complete file: header, chunks, their offsets, trailer. It is written under a temporary name, and then renamed. */
#include "blosc2_output.h"
#include "blosc2_trailer.h"
#include "bytes.h"
#include "disk.h"
#include "env.h"
#include "file.h"
#include "mem.h"
#include "temporary.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY = 1 << 20, OFFSET = 8 };

static int write_at(const struct blosc2_output *o, int fd, uint64_t at, const void *bytes, size_t n)
{
    int error = n ? cel_file_write(fd, at, bytes, n) : 0;

    return error ? cel_fail(error, "%s: cannot write: %s", o->path, strerror(error)) : CEL_OK;
}

/* --- chunks ---------------------------------------------------------------------------------- */

static int copy_chunks(struct blosc2_file *b, int fd)
{
    uint64_t at = b->frame.header, end = at + b->frame.cbytes;
    char *buffer = cel_malloc(COPY);
    int rc = buffer ? CEL_OK : NC_ENOMEM;

    for (; rc == CEL_OK && at < end; at += COPY) {
        size_t n = end - at < COPY ? (size_t)(end - at) : COPY;

        rc = cel_blosc2_read(b, at, buffer, n);
        if (rc == CEL_OK)
            rc = write_at(b->output, fd, at, buffer, n);
    }
    free(buffer);
    return rc;
}

static bool is_zero(const unsigned char *p, size_t n)
{
    return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

/* A chunk that was never written: zeros are an offset without bytes, another fill value a chunk of one value. */
static int put_missing(struct blosc2_file *b, int fd, uint64_t *end, unsigned char offset[OFFSET])
{
    unsigned char chunk[CEL_B2_HEADER + 8];
    struct cel_shape shape;
    size_t at;
    bool special;
    int rc = cel_var_shape(b->output->var, &shape);

    if (rc != CEL_OK)
        return rc;
    if (!shape.has_fill || is_zero(shape.fill, shape.elem_size)) {
        cel_put_le64(offset, CEL_BLOSC2_SPECIAL_OF(CEL_B2_ZEROS));
        return CEL_OK;
    }
    rc = cel_b2_frame_offset(&b->frame, CEL_BLOSC2_SPECIAL_OF(CEL_B2_VALUE), b->frame.chunk, &at, chunk, &special);
    if (rc != CEL_OK)
        return rc;
    cel_put_le32(chunk + 8, (uint32_t)b->frame.block);
    cel_put_le32(chunk + 12, CEL_B2_HEADER + (uint32_t)shape.elem_size);
    memcpy(chunk + CEL_B2_HEADER, shape.fill, shape.elem_size);
    rc = write_at(b->output, fd, b->frame.header + *end, chunk, CEL_B2_HEADER + shape.elem_size);
    cel_put_le64(offset, *end);
    *end += CEL_B2_HEADER + shape.elem_size;
    return rc;
}

/* *end, the bytes of all chunks, grows by those that stand for fill values. */
static int put_offsets(struct blosc2_file *b, int fd, unsigned char *offsets, uint64_t *end)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < b->frame.nchunks; i++) {
        const struct cel_blosc2_slot *slot = &b->output->slots[i];

        if (slot->n)
            cel_put_le64(offsets + i * OFFSET, slot->at);
        else
            rc = put_missing(b, fd, end, offsets + i * OFFSET);
    }
    return rc;
}

/* --- what stands around them --------------------------------------------------------------------- */

static int add_index(struct blosc2_file *b, const unsigned char *offsets, struct cel_buf *out)
{
    struct cel_b2_options o = {.compressor = CEL_B2_BLOSCLZ, .level = 5, .elem = OFFSET};
    size_t n = b->frame.nchunks * OFFSET, len = 0;
    int rc = n ? cel_buf_resize(out, cel_b2_bound(n)) : CEL_OK;

    o.filter[CEL_B2_FILTERS - 1] = CEL_B2_SHUFFLE;
    o.block = cel_b2_choose_block(&o, n);
    if (rc == CEL_OK && n)
        rc = cel_b2_encode(b->work, &o, offsets, n, (unsigned char *)out->data, &len);
    out->len = len;
    return rc;
}

/* The offsets and the trailer go behind the chunks, the header before them. */
static int put_around(struct blosc2_file *b, int fd, const unsigned char *offsets, uint64_t end)
{
    struct cel_buf index = CEL_BUF_INIT(SIZE_MAX / 2), trailer = CEL_BUF_INIT(SIZE_MAX / 2);
    unsigned char header[CEL_B2_FRAME_HEADER + CEL_B2_ARRAY_BYTES + 64], layer[CEL_B2_ARRAY_BYTES];
    struct cel_b2_frame f = b->frame;
    uint64_t at = f.header + end;
    int rc = add_index(b, offsets, &index);

    if (rc == CEL_OK)
        rc = cel_blosc2_trailer_make(b, b->output->var, &trailer);
    if (rc == CEL_OK)
        rc = write_at(b->output, fd, at, index.data, index.len);
    if (rc == CEL_OK)
        rc = write_at(b->output, fd, at + index.len, trailer.data, trailer.len);
    if (rc == CEL_OK && ftruncate(fd, (off_t)(at + index.len + trailer.len)) != 0)
        rc = cel_fail(errno, "%s: cannot write: %s", b->output->path, strerror(errno));
    f.size = (size_t)at + index.len + trailer.len;
    f.nbytes = f.nchunks * f.chunk;
    f.cbytes = (size_t)end;
    f.has_trailer_layers = true;
    f.layers[f.nlayers++] =
        (struct cel_b2_layer){.name = "b2nd", .bytes = layer, .len = cel_b2_array_put(&b->array, layer)};
    if (rc == CEL_OK)
        rc = write_at(b->output, fd, 0, header, cel_b2_frame_put(&f, header));
    cel_buf_dispose(&index);
    cel_buf_dispose(&trailer);
    return rc;
}

static int put_all(struct blosc2_file *b, int fd)
{
    unsigned char *offsets = cel_malloc_array(b->frame.nchunks + 1, OFFSET);
    uint64_t end = b->frame.cbytes;
    int rc = offsets ? put_offsets(b, fd, offsets, &end) : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = put_around(b, fd, offsets, end);
    free(offsets);
    return rc;
}

static int replace(const struct blosc2_output *o, const char *path, int fd)
{
    int rc = cel_beside_replace(&o->beside, path, fd, cel_env_fsync());

    return rc == CEL_OK && cel_env_fsync() ? cel_beside_flush(&o->beside) : rc;
}

/* --- sync and close -------------------------------------------------------------------------------- */

/* Whether there is all that a file needs. */
static int check_complete(const struct blosc2_output *o)
{
    if (!o->var)
        return cel_fail(NC_ENOTVAR, "a file of Blosc2 needs a variable: define one with nc_def_var");
    for (size_t i = 0; i < o->nslots; i++)
        if (o->slots[i].lost)
            return cel_fail(NC_EIO, "%s: a chunk could not be written; put its values again", o->path);
    return CEL_OK;
}

int cel_blosc2_sync(struct cel_dataset *ds)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    struct blosc2_output *o = b->output;
    char *path = NULL;
    int fd = -1, rc;

    if (!o || !o->changed)
        return CEL_OK;
    rc = check_complete(o);
    if (rc == CEL_OK)
        rc = cel_beside_create_new(&o->beside, &path, &fd);
    if (rc == CEL_OK)
        rc = copy_chunks(b, fd);
    if (rc == CEL_OK)
        rc = put_all(b, fd);
    if (rc == CEL_OK)
        rc = replace(o, path, fd);
    o->changed = rc != CEL_OK;
    if (rc != CEL_OK && path)
        unlink(path);
    if (fd >= 0)
        close(fd);
    free(path);
    return rc;
}

static int finish(struct blosc2_file *b)
{
    struct blosc2_output *o = b->output;
    int rc;

    if (!o->changed)
        return CEL_OK;
    rc = check_complete(o);
    if (rc == CEL_OK)
        rc = put_all(b, o->fd);
    if (rc == CEL_OK)
        rc = replace(o, o->scratch, o->fd);
    if (rc == CEL_OK) {
        cel_tmp_unlock(o->fd);
        free(o->scratch);
        o->scratch = NULL;
    }
    return rc;
}

int cel_blosc2_output_close(struct cel_dataset *ds, bool keep)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    struct blosc2_output *o = b->output;
    bool mine = o->owner == getpid();
    int rc = keep && mine ? finish(b) : CEL_OK;

    if (o->scratch && mine)
        unlink(o->scratch);
    if (o->fd >= 0 && mine)
        cel_tmp_unlock(o->fd);
    if (o->fd >= 0 && !b->source)
        close(o->fd);
    cel_beside_dispose(&o->beside);
    free(o->path);
    free(o->scratch);
    free(o->slots);
    free(o);
    b->output = NULL;
    return rc;
}
