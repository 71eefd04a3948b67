/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters: a variable's chain to and from a dataset's creation list, and our codecs
 * offered to libhdf5, which runs filters itself where data does not go by chunks
 * (and where it shrinks or pre-fills a dataset). The class functions run inside
 * libhdf5, also for other libraries of the process: they take no lock and use only
 * libhdf5's allocator. A filter class cannot carry a pointer of ours, so each
 * codec gets a pair of functions of its own, made by macro. */
#include "h5_int.h"
#include "h5z_run.h"
#include "plugin.h"
#include <stdlib.h>

/* --- running a codec as a filter class ------------------------------------------------- */

#define SLOTS 64
static const struct cel_codec *slots[SLOTS]; /* under the HDF5 lock; constant once set */

static bool set_words(struct cel_words *out, size_t n, const unsigned *words)
{
    size_t i;

    if (n > CEL_WORDS_MAX)
        return false;
    out->n = n;
    for (i = 0; i < n; i++)
        out->w[i] = words[i];
    return true;
}

static void *take(size_t nbytes)
{
    return H5allocate_memory(nbytes, 0);
}

static void give(void *p)
{
    H5free_memory(p);
}

static size_t run(const struct cel_codec *codec, unsigned flags, size_t n, const unsigned *words, size_t nbytes,
                  size_t *size, void **buf)
{
    static const struct cel_h5z_memory memory = {take, give};

    return cel_h5z_run(codec, &memory, flags & H5Z_FLAG_REVERSE, n, words, nbytes, size, buf);
}

/* --- fitting a codec to a dataset that another library makes ------------------------------ */

static enum cel_kind kind_of(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_ENUM:
        return H5Tget_sign(type) == H5T_SGN_NONE ? CEL_KIND_UINT : CEL_KIND_INT;
    case H5T_FLOAT:
        return CEL_KIND_FLOAT;
    case H5T_STRING:
        return CEL_KIND_CHAR;
    default:
        return CEL_KIND_OTHER;
    }
}

static bool shape_of(hid_t type, hid_t space, struct cel_shape *out)
{
    hsize_t dims[CEL_RANK_MAX];
    int d;

    *out = (struct cel_shape){.elem_size = H5Tget_size(type), .kind = kind_of(type)};
    out->big_endian = H5Tget_order(type) == H5T_ORDER_BE;
    out->rank = H5Sget_simple_extent_dims(space, dims, NULL);
    out->nbytes = out->elem_size;
    for (d = 0; d < out->rank; d++) {
        out->dims[d] = (size_t)dims[d];
        if (!cel_mul(out->nbytes, out->dims[d], &out->nbytes))
            return false;
    }
    return out->rank >= 0 && out->elem_size > 0;
}

static herr_t fit(const struct cel_codec *codec, hid_t dcpl, hid_t type, hid_t space)
{
    unsigned words[CEL_WORDS_MAX], flags, config;
    size_t n = CEL_WORDS_MAX;
    struct cel_words visible, working;
    struct cel_shape shape;

    if (!codec->prepare)
        return 0;
    if (H5Pget_filter_by_id2(dcpl, (H5Z_filter_t)codec->hdf5_id, &flags, &n, words, 0, NULL, &config) < 0 ||
        !set_words(&visible, n, words) || !shape_of(type, space, &shape))
        return -1;
    working = visible;
    if (codec->prepare(codec, &visible, &shape, &working) != CEL_OK)
        return -1;
    return H5Pmodify_filter(dcpl, (H5Z_filter_t)codec->hdf5_id, flags, working.n, working.w);
}

/* --- one pair of functions per slot; slot numbers are two octal digits ----------------------- */

#define ROW(X, a) X(a, 0) X(a, 1) X(a, 2) X(a, 3) X(a, 4) X(a, 5) X(a, 6) X(a, 7)
#define EACH(X) ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)
#define PAIR(a, b) \
    static size_t run_##a##b(unsigned flags, size_t n, const unsigned words[], size_t nbytes, size_t *size, \
                             void **buf) \
    { \
        return run(slots[0##a##b], flags, n, words, nbytes, size, buf); \
    } \
    static herr_t fit_##a##b(hid_t dcpl, hid_t type, hid_t space) \
    { \
        return fit(slots[0##a##b], dcpl, type, space); \
    }
EACH(PAIR)
#define ENTRY(a, b) {run_##a##b, fit_##a##b},
static const struct {
    H5Z_func_t run;
    H5Z_set_local_func_t fit;
} functions[SLOTS] = {EACH(ENTRY)};

static int offer(const struct cel_codec *codec, size_t slot)
{
    unsigned config;
    H5Z_class2_t klass = {.version = H5Z_CLASS_T_VERS,
                          .id = (H5Z_filter_t)codec->hdf5_id,
                          .encoder_present = codec->encode != NULL,
                          .decoder_present = codec->decode != NULL,
                          .name = codec->label ? codec->label : codec->name,
                          .set_local = functions[slot].fit,
                          .filter = functions[slot].run};

    if (H5Zget_filter_info(klass.id, &config) >= 0)
        return CEL_OK; /* somebody's already, perhaps ours */
    slots[slot] = codec;
    if (H5Zregister(&klass) < 0)
        return cel_h5_fail(NC_EHDFERR, "filter %s could not be offered to libhdf5", codec->name);
    return CEL_OK;
}

/* Asked at every open: H5close() forgets all classes. One look tells. */
int cel_h5_filters_offer(void)
{
    const struct cel_codec *codec;
    size_t i, slot = 0;
    int rc = CEL_OK;

    for (i = 0; rc == CEL_OK && slot < SLOTS && (codec = cel_codec_at(i)); i++)
        if (codec->hdf5_id >= 256 && !(codec->flags & CEL_CODEC_OUTSIDE))
            rc = offer(codec, slot++);
    return rc;
}

/* --- chains ------------------------------------------------------------------------------------- */

/* A filter of others was found on our path, which libhdf5 does not know. */
static void offer_outside(const struct cel_step *step)
{
    const void *klass = cel_plugin_class(step->codec);
    unsigned config;

    if (klass && H5Zget_filter_info((H5Z_filter_t)step->id, &config) < 0)
        H5Zregister(klass); /* if that fails, setting the filter says so */
}

static int set_filter(hid_t dcpl, const struct cel_step *step, bool fitted)
{
    const struct cel_words *w = step->codec && fitted ? &step->working : &step->visible;

    offer_outside(step);
    if (H5Pset_filter(dcpl, (H5Z_filter_t)step->id, step->optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY, w->n,
                      w->w) < 0)
        return cel_h5_fail(NC_EFILTER, "libhdf5 does not accept filter %u", step->id);
    return CEL_OK;
}

/* libhdf5 applies the filters of strings and other variable-sized types itself, to the references to them. */
int cel_h5_filters_set(struct cel_var *var, hid_t dcpl)
{
    bool fitted = !var->type->varsized;
    struct cel_shape shape;
    size_t i;
    int rc;

    if (var->chain.n == 0)
        return CEL_OK;
    rc = cel_var_shape(var, &shape);
    if (rc == CEL_OK)
        rc = cel_chain_usable(&var->chain);
    if (rc == CEL_OK && fitted)
        rc = cel_chain_prepare(&var->chain, &shape, false);
    for (i = 0; rc == CEL_OK && i < var->chain.n; i++)
        rc = set_filter(dcpl, &var->chain.step[i], fitted);
    return rc;
}

/* Filter i as the file has it. For a variable made in this session the words the
 * user gave stay visible, and those libhdf5 stored are worked with. */
static int get_filter(struct cel_var *var, hid_t dcpl, unsigned i)
{
    unsigned words[CEL_WORDS_MAX], flags = 0, config;
    size_t n = CEL_WORDS_MAX;
    H5Z_filter_t id = H5Pget_filter2(dcpl, i, &flags, &n, words, 0, NULL, &config);
    struct cel_step step;
    int rc;

    if (id < 0 || n > CEL_WORDS_MAX)
        return cel_h5_fail(NC_EFILTER, "filter %u of the list cannot be read", i);
    if (var->saved == CEL_NEW && i < var->chain.n && var->chain.step[i].id == (unsigned)id)
        return set_words(&var->chain.step[i].working, n, words) ? CEL_OK : NC_EFILTER;
    rc = cel_step_from_file((unsigned)id, flags & H5Z_FLAG_OPTIONAL, n, words, &step);
    return rc == CEL_OK ? cel_chain_insert(&var->chain, i, &step) : rc;
}

int cel_h5_filters_get(struct cel_var *var, hid_t dcpl)
{
    int i, n = H5Pget_nfilters(dcpl), rc = CEL_OK;

    if (n < 0)
        return cel_h5_fail(NC_EHDFERR, "the filters cannot be read");
    if (var->saved != CEL_NEW)
        cel_chain_dispose(&var->chain);
    for (i = 0; rc == CEL_OK && i < n; i++)
        rc = get_filter(var, dcpl, (unsigned)i);
    return rc;
}
