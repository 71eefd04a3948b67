/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that is not moved chunk by chunk. libhdf5 moves it (a few MiB a call: the array
 * engine cuts it, so that the lock is never held long); whole rows of contiguous
 * data are read around it.
 * Fixed-length strings of other writers become strings here, which libhdf5 does not
 * do. Where libhdf5 would leave the caller's memory as it was (nothing written, no
 * fill value), zeros are given. */
#include "chunk_grid.h"
#include "convert.h"
#include "env.h"
#include "h5_int.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define DIRECT_MIN 4096 /* shorter rows are left to libhdf5 */
#define TEXTS_MAX ((size_t)64 << 20)
#define TEXTS_RATIO 64

struct region {
    struct cel_dataset *ds;
    struct cel_var *var;
    size_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], stride[CEL_RANK_MAX];
    int ndims;
    size_t n;    /* elements */
    size_t size; /* of one in memory */
};

static int set_region(struct region *r, struct cel_dataset *ds, struct cel_var *var, const size_t *start,
                      const size_t *count, const ptrdiff_t *stride)
{
    size_t nbytes;
    int d;

    *r = (struct region){.ds = ds, .var = var, .ndims = var->ndims, .n = 1, .size = var->type->size};
    if (var->unreadable)
        return cel_fail(NC_EBADTYPE, "%s", var->why);
    for (d = 0; d < r->ndims; d++) {
        r->start[d] = start[d];
        r->count[d] = count[d];
        r->stride[d] = stride ? (size_t)stride[d] : 1;
        if (!cel_mul(r->n, count[d], &r->n))
            return cel_fail(NC_EEDGE, "the region has too many elements");
    }
    return cel_mul(r->n, r->size, &nbytes) ? CEL_OK : cel_fail(NC_EEDGE, "the region has too many elements");
}

/* --- one slice through libhdf5 ---------------------------------------------------------- */

static hid_t file_space(const struct region *r)
{
    const struct cel_h5_var *v = r->var->priv;
    hsize_t start[CEL_RANK_MAX], count[CEL_RANK_MAX], stride[CEL_RANK_MAX];
    hid_t space = H5Dget_space(v->id);
    int d;

    for (d = 0; d < r->ndims; d++) {
        start[d] = r->start[d];
        count[d] = r->count[d];
        stride[d] = r->stride[d];
    }
    if (space >= 0 && r->ndims > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) < 0) {
        H5Sclose(space);
        return -1;
    }
    return space;
}

/* A dataset with a null dataspace, which netCDF presents as a scalar: there is no value to move. */
static int move_nothing(bool reading)
{
    if (reading)
        return cel_fail(NC_EHDFERR, "the dataset has a null dataspace: it holds no value");
    return cel_fail(NC_EINVAL, "the dataset has a null dataspace: it cannot hold a value");
}

static bool has_no_space(hid_t space)
{
    return space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
}

/* Closes the memory space. */
static int move_to_space(const struct region *r, hid_t memory, void *in, const void *out)
{
    struct cel_h5_var *v = r->var->priv;
    hid_t file = file_space(r);
    herr_t ok = -1;
    int rc = CEL_OK;

    assert(!v->stale);
    if (has_no_space(file))
        rc = move_nothing(in != NULL);
    else if (file >= 0 && memory >= 0)
        ok = in ? H5Dread(v->id, v->memory, memory, file, H5P_DEFAULT, in)
                : H5Dwrite(v->id, v->memory, memory, file, H5P_DEFAULT, out);
    if (rc == CEL_OK && ok < 0) /* asked for its reason before another call takes that away */
        rc = cel_h5_fail(NC_EHDFERR, "the data cannot be %s", in ? "read" : "written");
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
    return rc;
}

static int move(const struct region *r, void *in, const void *out)
{
    hsize_t n = r->n;

    return move_to_space(r, H5Screate_simple(1, &n, NULL), in, out);
}

/* --- fixed-length strings ------------------------------------------------------------------- */

/* A few bytes of a file can claim strings of any length: memory for them is in proportion to the file. */
static int check_texts(const struct region *r, size_t width)
{
    uint64_t most = cel_env_max_decoded(TEXTS_MAX) + cel_h5_file(r->ds)->io->eof * TEXTS_RATIO;

    if (r->n == 0 || width <= most / r->n)
        return CEL_OK;
    return cel_fail(NC_EHDFERR,
                    "%zu strings of %zu bytes each are more than a file of this size is believed to hold: "
                    "set CELLAR_MAX_DECODED to the bytes they may take, e.g. 4G",
                    r->n, width);
}

static int read_texts(const struct region *r, char **out)
{
    size_t width = ((struct cel_h5_var *)r->var->priv)->fixed_string, i;
    int rc = check_texts(r, width);
    char *texts = rc == CEL_OK ? cel_calloc(r->n, width) : NULL;

    if (rc == CEL_OK)
        rc = texts ? move(r, texts, NULL) : NC_ENOMEM;

    for (i = 0; rc == CEL_OK && i < r->n; i++) {
        out[i] = cel_strndup(texts + i * width, strnlen(texts + i * width, width));
        rc = out[i] ? CEL_OK : NC_ENOMEM;
    }
    free(texts);
    return rc;
}

static int write_texts(const struct region *r, char *const *in)
{
    size_t width = ((struct cel_h5_var *)r->var->priv)->fixed_string, i, len;
    char *texts = cel_calloc(r->n, width);
    int rc = texts ? CEL_OK : NC_ENOMEM;

    for (i = 0; rc == CEL_OK && i < r->n; i++) {
        len = in[i] ? strlen(in[i]) : 0;
        if (len > width)
            rc = cel_fail(NC_ERANGE, "a string of %zu bytes does not fit the %zu this file has for each", len, width);
        else if (len)
            memcpy(texts + i * width, in[i], len);
    }
    if (rc == CEL_OK)
        rc = move(r, NULL, texts);
    free(texts);
    return rc;
}

/* --- through libhdf5 --------------------------------------------------------------------------- */

/* Contiguous data is overwritten where the last sync had it (in_place): whole arrays are not deferred in memory. */
void cel_h5_synced_range_use(struct cel_var *var)
{
    struct cel_h5_io *io = cel_h5_file(var->group->dataset)->io;
    struct cel_h5_var *v = var->priv;
    hsize_t n = var->layout.storage == CEL_CONTIGUOUS && !v->synced_known ? H5Dget_storage_size(v->id) : 0;
    haddr_t at = n ? H5Dget_offset(v->id) : HADDR_UNDEF;

    if (!v->synced_known) {
        v->synced_begin = at == HADDR_UNDEF ? 0 : at;
        v->synced_end = at == HADDR_UNDEF ? 0 : at + n;
    }
    v->synced_known = true;
    io->synced_begin = v->synced_begin;
    io->synced_end = v->synced_end;
}

/* A write that the disk refused is no error to libhdf5. */
static int check_faults(struct cel_h5_io *io, unsigned before)
{
    int e = 0;

    if (cel_h5_io_faults(io, &e) == before)
        return CEL_OK;
    return cel_fail(e == ENOMEM ? NC_ENOMEM : NC_EHDFERR, "the data cannot be written: %s", strerror(e));
}

static int put_inside(const struct region *r, const char *out)
{
    struct cel_h5_io *io = cel_h5_file(r->ds)->io;
    struct cel_h5_var *v = r->var->priv;
    int rc, e;
    unsigned before = cel_h5_io_faults(io, &e);

    cel_h5_synced_range_use(r->var);
    rc = v->fixed_string ? write_texts(r, (char *const *)out) : move(r, NULL, out);
    io->synced_begin = io->synced_end = 0;
    v->unflushed = true;
    return rc == CEL_OK ? check_faults(io, before) : rc;
}

static int move_locked(const struct region *r, char *in, const char *out)
{
    struct cel_h5_var *v = r->var->priv;
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_var(r->var, &entry);

    if (rc != CEL_OK)
        return rc;
    if (in && (r->var->fill.off || r->var->fill.never))
        memset(in, 0, r->n * r->size);
    rc = cel_h5_var_memory_type(r->var);
    if (rc == CEL_OK && out)
        rc = put_inside(r, out);
    else if (rc == CEL_OK)
        rc = v->fixed_string ? read_texts(r, (char **)in) : move(r, in, NULL);
    cel_h5_leave(&entry);
    return rc;
}

/* --- values of variable size in chunks never written ------------------------------------------- */

/* libhdf5 gives such a chunk by writing its fill value to the file first, so a file
 * open for reading cannot be read. Here they are filled in memory, chunk by chunk. */

/* The part of a region that lies in one chunk: `from` counts positions of the region. */
struct part {
    struct region r;
    size_t from[CEL_RANK_MAX];
};

static void cut_part(const struct region *r, const size_t *index, struct part *out)
{
    int d;

    out->r = *r;
    out->r.n = 1;
    for (d = 0; d < r->ndims; d++) {
        size_t len = r->var->layout.chunk[d], end = cel_chunk_end(len, index[d]);

        out->from[d] = cel_chunk_count_before(r->start[d], r->count[d], r->stride[d], index[d] * len);
        out->r.start[d] = r->start[d] + out->from[d] * r->stride[d];
        out->r.count[d] = cel_chunk_count_before(r->start[d], r->count[d], r->stride[d], end) - out->from[d];
        out->r.n *= out->r.count[d];
    }
}

static int read_part(const struct region *whole, const struct part *p, char *data)
{
    hsize_t shape[CEL_RANK_MAX], from[CEL_RANK_MAX], count[CEL_RANK_MAX];
    struct cel_h5_entry entry;
    int d, rc = cel_h5_enter_file(whole->ds, &entry);
    hid_t memory;

    if (rc != CEL_OK)
        return rc;
    for (d = 0; d < whole->ndims; d++) {
        shape[d] = whole->count[d];
        from[d] = p->from[d];
        count[d] = p->r.count[d];
    }
    memory = H5Screate_simple(whole->ndims, shape, NULL);
    if (H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, count, NULL) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "a part of memory cannot be selected");
    if (rc == CEL_OK)
        rc = move_to_space(&p->r, memory, data, NULL);
    else
        H5Sclose(memory);
    cel_h5_leave(&entry);
    return rc;
}

static bool next_index(const size_t *first, const size_t *last, int ndims, size_t *index)
{
    int d;

    for (d = ndims - 1; d >= 0; d--) {
        if (index[d]++ < last[d])
            return true;
        index[d] = first[d];
    }
    return false;
}

static int fill_part(const struct region *whole, const struct part *p, char *data)
{
    bool zeros = whole->var->fill.off || whole->var->fill.never;
    const void *fill = zeros ? cel_type_zeros(whole->var->type) : cel_var_fill_value(whole->var);
    size_t last[CEL_RANK_MAX], index[CEL_RANK_MAX];
    int d, rc = fill ? CEL_OK : NC_ENOMEM;

    for (d = 0; d < whole->ndims; d++) {
        index[d] = p->from[d];
        last[d] = p->from[d] + p->r.count[d] - 1;
    }
    do {
        size_t at = 0;
        for (d = 0; d < whole->ndims; d++)
            at = at * whole->count[d] + index[d];
        if (rc == CEL_OK)
            rc = cel_value_copy(whole->var->type, fill, 1, data + at * whole->size);
    } while (rc == CEL_OK && next_index(p->from, last, whole->ndims, index));
    return rc;
}

static int read_with_gaps(const struct region *r, char *data)
{
    struct cel_chunk_walk walk;
    int rc = CEL_OK;

    if (r->var->layout.storage != CEL_CHUNKED || !r->var->layout.chunk || !r->var->type->varsized ||
        ((struct cel_h5_var *)r->var->priv)->fixed_string)
        return CEL_ASK_LIBHDF5;
    memset(data, 0, r->n * r->size);
    cel_chunk_walk_begin(&walk, r->ndims, r->var->layout.chunk, r->start, r->count, r->stride);
    for (; rc == CEL_OK && walk.more; cel_chunk_walk_next(&walk)) {
        struct cel_chunk_location location;
        struct part p;

        cut_part(r, walk.index, &p);
        rc = cel_h5_chunk_find(r->ds, r->var, walk.index, &location);
        if (rc == CEL_OK)
            rc = read_part(r, &p, data);
        else if (rc == CEL_ABSENT)
            rc = fill_part(r, &p, data);
    }
    if (rc != CEL_OK)
        cel_value_reclaim(r->var->type, data, r->n);
    return rc;
}

/* --- contiguous data around libhdf5 ------------------------------------------------------------- */

/* The elements that lie together in the file, from the last dimension up. */
static size_t run_of(const struct region *r, int *outer)
{
    size_t run = 1;
    int d;

    for (d = r->ndims - 1; d >= 0 && (r->stride[d] == 1 || r->count[d] == 1); d--) {
        run *= r->count[d];
        if (r->count[d] != r->var->layout.extent[d]) {
            d--;
            break;
        }
    }
    *outer = d + 1;
    return run;
}

/* Where the data lies. libhdf5 may keep small writes in memory, so they are flushed first; behind a user block it
 * gives a wrong offset for data never allocated, so the size is asked first. */
static int locate(const struct region *r, uint64_t *addr)
{
    struct cel_h5_var *v = r->var->priv;
    size_t want = r->size;
    haddr_t offset;
    int d;

    for (d = 0; d < r->ndims; d++)
        if (!cel_mul(want, r->var->layout.extent[d], &want))
            return CEL_ASK_LIBHDF5;
    if (v->unflushed && H5Dflush(v->id) < 0)
        return cel_h5_fail(NC_EHDFERR, "the data cannot be flushed");
    v->unflushed = false;
    if (H5Dget_storage_size(v->id) != want || want == 0)
        return CEL_ASK_LIBHDF5;
    offset = H5Dget_offset(v->id);
    if (offset == HADDR_UNDEF || want > UINT64_MAX / 2 || offset > UINT64_MAX / 2 - want)
        return CEL_ASK_LIBHDF5;
    *addr = offset;
    return CEL_OK;
}

static int locate_locked(const struct region *r, uint64_t *addr)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter_var(r->var, &entry);

    if (rc != CEL_OK)
        return rc;
    rc = locate(r, addr);
    cel_h5_leave(&entry);
    return rc;
}

static size_t element_at(const struct region *r, const size_t *index)
{
    size_t at = 0;
    int d;

    for (d = 0; d < r->ndims; d++)
        at = at * r->var->layout.extent[d] + r->start[d] + index[d] * r->stride[d];
    return at;
}

static bool next_run(const struct region *r, int outer, size_t *index)
{
    int d;

    for (d = outer - 1; d >= 0; d--) {
        if (++index[d] < r->count[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static int read_runs(const struct region *r, uint64_t addr, char *data)
{
    struct cel_h5_io *io = cel_h5_file(r->ds)->io;
    size_t index[CEL_RANK_MAX] = {0};
    int outer, rc;
    size_t run = run_of(r, &outer);

    do {
        rc = cel_h5_io_read(io, addr + (uint64_t)element_at(r, index) * r->size, data, run * r->size);
        data += run * r->size;
    } while (rc == CEL_OK && next_run(r, outer, index));
    return rc;
}

static int read_directly(const struct region *r, void *data)
{
    const struct cel_h5_var *v = r->var->priv;
    uint64_t addr = 0;
    int outer, rc;

    if (r->var->layout.storage != CEL_CONTIGUOUS || !v->native || cel_h5_is_in_other_file(v->addr) ||
        (v->swap && r->var->type->group) || (run_of(r, &outer) * r->size < DIRECT_MIN && outer > 0))
        return CEL_ASK_LIBHDF5;
    rc = locate_locked(r, &addr);
    if (rc == CEL_OK)
        rc = read_runs(r, addr, data);
    if (rc == CEL_OK && v->swap)
        cel_swap_bytes(data, data, r->n, r->size);
    return rc;
}

/* --- without libhdf5 ------------------------------------------------------------------------------- */

static int read_own(const struct region *r, void *data)
{
    struct cel_h5r_region region;

    if (!((const struct cel_h5_var *)r->var->priv)->own)
        return CEL_ASK_LIBHDF5;
    memcpy(region.start, r->start, sizeof region.start);
    memcpy(region.count, r->count, sizeof region.count);
    memcpy(region.stride, r->stride, sizeof region.stride);
    return cel_h5_own_get(r->var, &region, r->n, data);
}

/* --- the verbs --------------------------------------------------------------------------------------- */

/* A filter that neither we nor libhdf5 have is the better reason. */
static int explain(struct cel_var *var, int rc)
{
    if (rc == NC_EHDFERR && var->chain.n) {
        struct cel_status why;

        cel_status_save(&why);
        if (cel_chain_usable(&var->chain) != CEL_OK)
            rc = NC_ENOFILTER;
        else
            cel_status_restore(&why);
    }
    return cel_fail_in_var(rc, var);
}

int cel_h5_unchunked_get(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, void *data)
{
    struct region r;
    int rc = set_region(&r, ds, var, start, count, stride);

    if (rc == CEL_OK && r.n == 0)
        return CEL_OK;
    if (rc == CEL_OK)
        rc = read_own(&r, data);
    if (rc == CEL_ASK_LIBHDF5)
        rc = read_directly(&r, data);
    if (rc == CEL_ASK_LIBHDF5)
        rc = read_with_gaps(&r, data);
    if (rc == CEL_ASK_LIBHDF5)
        rc = move_locked(&r, data, NULL);
    return rc == CEL_OK ? rc : explain(var, rc);
}

/* An optional filter nobody has would be left out by libhdf5 without a word. */
static int check_filters(struct cel_dataset *ds, const struct cel_var *var)
{
    struct cel_h5_entry entry;
    size_t i;
    int rc = cel_chain_usable(&var->chain);

    if (rc == CEL_OK)
        return CEL_OK;
    rc = cel_h5_enter_file(ds, &entry);
    if (rc != CEL_OK)
        return rc;
    for (i = 0; rc == CEL_OK && i < var->chain.n; i++)
        if (!var->chain.step[i].codec && H5Zfilter_avail((H5Z_filter_t)var->chain.step[i].id) <= 0)
            rc = NC_ENOFILTER;
    cel_h5_leave(&entry);
    return rc == CEL_OK ? rc : cel_chain_usable(&var->chain);
}

int cel_h5_unchunked_put(struct cel_dataset *ds, struct cel_var *var, const size_t *start, const size_t *count,
                         const ptrdiff_t *stride, const void *data)
{
    struct region r;
    int rc = set_region(&r, ds, var, start, count, stride);

    if (rc == CEL_OK && r.n > 0)
        rc = check_filters(ds, var);
    if (rc == CEL_OK && r.n > 0)
        rc = move_locked(&r, NULL, data);
    return rc == CEL_OK ? rc : explain(var, rc);
}
