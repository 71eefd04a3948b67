/* SPDX-License-Identifier: BSD-3-Clause */
/* One codec as an HDF5 filter plugin. Compiled once for each codec; CODEC is its name. */
#include "codec.h"
#include "h5z_abi.h"
#include "h5z_run.h"
#include "host.h"
#include "mem.h"
#include "ncz_half.h"
#include "params.h"
#include "status.h"
#include <netcdf.h>
#include <stdatomic.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

extern const struct cel_codec CODEC;
static struct cel_h5z_class class; /* constant once loaded */

/* --- memory that crosses the ABI: HDF5's own where there is one ------------------------- */

typedef void *take_fn(size_t nbytes, int clear);
typedef int give_fn(void *p);
static _Atomic(take_fn *) hdf5_take;
static _Atomic(give_fn *) hdf5_give;

static void find_memory(const void *caller)
{
    take_fn *take;
    give_fn *give;

    if (atomic_load(&hdf5_take))
        return;
    take = (take_fn *)cel_host_find(caller, "H5allocate_memory");
    give = (give_fn *)cel_host_find(caller, "H5free_memory");
    if (take && give) {
        atomic_store(&hdf5_give, give);
        atomic_store(&hdf5_take, take);
    }
}

static void *take_memory(size_t nbytes)
{
    take_fn *take = atomic_load(&hdf5_take);

    return take ? take(nbytes, 0) : malloc(nbytes);
}

static void give_memory(void *p)
{
    if (atomic_load(&hdf5_take))
        atomic_load (&hdf5_give)(p);
    else
        free(p);
}

static size_t filter(unsigned flags, size_t n, const unsigned *words, size_t nbytes, size_t *size, void **buf)
{
    static const struct cel_h5z_memory memory = {take_memory, give_memory};
    size_t len;

    find_memory(CEL_CALLER);
    cel_error_clear();
    len = cel_h5z_run(&CODEC, &memory, flags & CEL_H5Z_REVERSE, n, words, nbytes, size, buf);
    if (len == 0)
        cel_host_report(CEL_CALLER);
    return len;
}

/* --- fitting the filter to a dataset ------------------------------------------------------ */

enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1, CLASS_STRING = 3, CLASS_ENUM = 8 };
enum { ORDER_BIG = 1 };
enum { FILL_BY_USER = 2 };

static enum cel_kind kind_of(int class_of_type, int sign)
{
    switch (class_of_type) {
    case CLASS_INTEGER:
    case CLASS_ENUM:
        return sign == 0 ? CEL_KIND_UINT : CEL_KIND_INT;
    case CLASS_FLOAT:
        return CEL_KIND_FLOAT;
    case CLASS_STRING:
        return CEL_KIND_CHAR;
    default:
        return CEL_KIND_OTHER;
    }
}

/* The functions of libhdf5 that set_local calls. */
struct hdf5 {
    size_t (*type_size)(cel_hid type);
    int (*type_class)(cel_hid type);
    int (*type_order)(cel_hid type);
    int (*type_sign)(cel_hid type);
    int (*space_dims)(cel_hid space, unsigned long long *dims, unsigned long long *most);
    int (*fill_status)(cel_hid dcpl, int *status);
    int (*fill_value)(cel_hid dcpl, cel_hid type, void *value);
    int (*get_filter)(cel_hid dcpl, int id, unsigned *flags, size_t *n, unsigned *words, size_t name_cap, char *name,
                      unsigned *config);
    int (*set_filter)(cel_hid dcpl, int id, unsigned flags, size_t n, const unsigned *words);
};

static bool find_hdf5(const void *caller, struct hdf5 *h)
{
    static const char *const names[] = {"H5Tget_size",
                                        "H5Tget_class",
                                        "H5Tget_order",
                                        "H5Tget_sign",
                                        "H5Sget_simple_extent_dims",
                                        "H5Pfill_value_defined",
                                        "H5Pget_fill_value",
                                        "H5Pget_filter_by_id2",
                                        "H5Pmodify_filter"};
    void *found[sizeof names / sizeof *names];

    _Static_assert(sizeof found == sizeof *h, "one name for each function");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = cel_host_find(caller, names[i]);
        if (!found[i])
            return false;
    }
    __builtin_memcpy(h, found, sizeof *h);
    return true;
}

static int read_shape(const struct hdf5 *h, cel_hid dcpl, cel_hid type, cel_hid space, struct cel_shape *out)
{
    unsigned long long dims[CEL_RANK_MAX];
    int class_of_type = h->type_class(type), status = 0, d;

    *out = (struct cel_shape){.elem_size = h->type_size(type)};
    out->kind = kind_of(class_of_type, class_of_type == CLASS_INTEGER ? h->type_sign(type) : 1);
    out->big_endian = h->type_order(type) == ORDER_BIG;
    out->rank = h->space_dims(space, dims, NULL);
    out->nbytes = out->elem_size;
    for (d = 0; d < out->rank; d++) {
        out->dims[d] = (size_t)dims[d];
        if (!cel_mul(out->nbytes, out->dims[d], &out->nbytes))
            return cel_fail(NC_EFILTER, "%s: the chunk is too long", CODEC.name);
    }
    if (out->elem_size == 0 || out->rank < 0)
        return cel_fail(NC_EFILTER, "%s: the type or shape of the dataset cannot be read", CODEC.name);
    if (out->elem_size <= sizeof out->fill && h->fill_status(dcpl, &status) >= 0 && status == FILL_BY_USER)
        out->has_fill = h->fill_value(dcpl, type, out->fill) >= 0;
    return CEL_OK;
}

static int fit_words(const struct cel_shape *shape, struct cel_words *words)
{
    struct cel_words visible = *words;
    int rc;

    if (shape->big_endian && !CODEC.shape_of && CODEC.flags & CEL_CODEC_NEEDS_ELEMENTS)
        return cel_fail(NC_EFILTER, "%s: as a plugin it takes elements in the byte order of this machine only",
                        CODEC.name);
    rc = cel_params_check(&CODEC, &visible);
    if (rc != CEL_OK)
        return rc;
    cel_params_complete(&CODEC, &visible);
    *words = visible;
    return CODEC.prepare ? CODEC.prepare(&CODEC, &visible, shape, words) : CEL_OK;
}

/* Without access to libhdf5 (linked statically, symbols not exported) the words stay as
 * they were given. */
static int set_local(cel_hid dcpl, cel_hid type, cel_hid space)
{
    struct cel_words words = {.n = CEL_WORDS_MAX};
    unsigned flags = 0, config = 0;
    struct cel_shape shape;
    struct hdf5 h;
    int rc;

    if (!find_hdf5(CEL_CALLER, &h))
        return 0;
    if (h.get_filter(dcpl, (int)CODEC.hdf5_id, &flags, &words.n, words.w, 0, NULL, &config) < 0)
        return -1;
    rc = read_shape(&h, dcpl, type, space, &shape);
    if (rc == CEL_OK)
        rc = fit_words(&shape, &words);
    if (rc != CEL_OK) {
        cel_host_report(CEL_CALLER);
        return -1;
    }
    return h.set_filter(dcpl, (int)CODEC.hdf5_id, flags, words.n, words.w);
}

/* --- entry points ---------------------------------------------------------------------------- */

EXPORT int H5PLget_plugin_type(void);
EXPORT const void *H5PLget_plugin_info(void);
EXPORT const void *NCZ_get_codec_info(void);

__attribute__((constructor)) static void fill_class(void)
{
    class = (struct cel_h5z_class){.version = CEL_H5Z_CLASS_VERSION,
                                   .id = (int)CODEC.hdf5_id,
                                   .encoder_present = 1,
                                   .decoder_present = 1,
                                   .name = CODEC.label,
                                   .set_local = set_local,
                                   .filter = filter};
}

__attribute__((destructor)) static void free_all(void)
{
    cel_h5z_forget();
}

int H5PLget_plugin_type(void)
{
    return CEL_H5PL_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &class;
}

const void *NCZ_get_codec_info(void)
{
    return &NCZ_HALF;
}
