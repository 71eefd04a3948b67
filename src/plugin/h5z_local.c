/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls a plugin's set_local without a file. set_local fits the plugin's parameters (cd_values) to a dataset.
 * It gets a temporary creation list, type and dataspace made for one chunk, and the parameters that it leaves
 * in the list are the working words. libhdf5 is used where the process, or the plugin, has loaded it; this
 * folder does not link to it. */
#include "plugin_int.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#define FLAG_OPTIONAL 1u
#define CLASS_OPAQUE 5

/* The functions of libhdf5 that are needed, by name. */
struct hdf5 {
    int (*open)(void);
    int (*avail)(int id);
    int (*reg)(const void *klass);
    cel_hid (*list)(cel_hid klass);
    int (*list_close)(cel_hid list);
    int (*set_chunk)(cel_hid list, int rank, const unsigned long long *lens);
    int (*set_filter)(cel_hid list, int id, unsigned flags, size_t n, const unsigned *words);
    int (*get_filter)(cel_hid list, int id, unsigned *flags, size_t *n, unsigned *words, size_t len, char *name,
                      unsigned *config);
    cel_hid (*type_copy)(cel_hid type);
    cel_hid (*type_create)(int klass, size_t size);
    int (*type_close)(cel_hid type);
    cel_hid (*space)(int rank, const unsigned long long *lens, const unsigned long long *max);
    int (*space_close)(cel_hid space);
    const cel_hid *list_class;
};

/* false: one of them is not there. */
static bool find_all(const struct cel_outside *o, struct hdf5 *h)
{
    static const char *const names[] = {"H5open",        "H5Zfilter_avail",
                                        "H5Zregister",   "H5Pcreate",
                                        "H5Pclose",      "H5Pset_chunk",
                                        "H5Pset_filter", "H5Pget_filter_by_id2",
                                        "H5Tcopy",       "H5Tcreate",
                                        "H5Tclose",      "H5Screate_simple",
                                        "H5Sclose",      "H5P_CLS_DATASET_CREATE_ID_g"};
    cel_function f[sizeof names / sizeof *names];

    _Static_assert(sizeof *h == sizeof f, "one name for each member");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(f[i] = cel_outside_hdf5(o->lib, names[i])))
            return false;
    memcpy(h, f, sizeof *h);
    return true;
}

static cel_hid make_type(const struct cel_outside *o, const struct hdf5 *h, const struct cel_shape *shape)
{
    bool real = shape->kind == CEL_KIND_FLOAT, whole = shape->kind == CEL_KIND_INT || shape->kind == CEL_KIND_UINT;
    cel_function found = NULL;
    const cel_hid *type;
    char name[40];

    snprintf(name, sizeof name,
             real                          ? "H5T_IEEE_F%zu%s_g"
             : shape->kind == CEL_KIND_INT ? "H5T_STD_I%zu%s_g"
                                           : "H5T_STD_U%zu%s_g",
             8 * shape->elem_size, shape->big_endian ? "BE" : "LE");
    if (real || whole)
        found = cel_outside_hdf5(o->lib, name);
    if (!found)
        return h->type_create(CLASS_OPAQUE, shape->elem_size);
    memcpy(&type, &found, sizeof type);
    return h->type_copy(*type);
}

/* The lengths of a chunk; a plain run of bytes has one. */
static int lengths_of(const struct cel_shape *shape, unsigned long long *lens)
{
    for (int i = 0; i < shape->rank; i++)
        lens[i] = shape->dims[i];
    if (!shape->rank)
        lens[0] = shape->nbytes / shape->elem_size ? shape->nbytes / shape->elem_size : 1;
    return shape->rank ? shape->rank : 1;
}

static bool ask(const struct cel_outside *o, const struct hdf5 *h, const struct cel_words *visible,
                const struct cel_shape *shape, struct cel_words *working)
{
    unsigned long long lens[CEL_RANK_MAX];
    int rank = lengths_of(shape, lens), id = o->klass->id;
    unsigned flags, config;
    cel_hid list, type, space;
    bool ok;

    h->open();
    if (h->avail(id) <= 0)
        h->reg(o->klass);
    list = h->list(*h->list_class);
    type = make_type(o, h, shape);
    space = h->space(rank, lens, NULL);
    working->n = CEL_WORDS_MAX;
    ok = list >= 0 && type >= 0 && space >= 0 && h->set_chunk(list, rank, lens) >= 0 &&
         h->set_filter(list, id, FLAG_OPTIONAL, visible->n, visible->w) >= 0 &&
         (!o->klass->can_apply || o->klass->can_apply(list, type, space) > 0) &&
         o->klass->set_local(list, type, space) >= 0 &&
         h->get_filter(list, id, &flags, &working->n, working->w, 0, NULL, &config) >= 0 && working->n <= CEL_WORDS_MAX;
    if (space >= 0)
        h->space_close(space);
    if (type >= 0)
        h->type_close(type);
    if (list >= 0)
        h->list_close(list);
    return ok;
}

bool cel_plugin_needs_local(const struct cel_codec *codec)
{
    const struct cel_outside *o = codec ? codec->outside : NULL;

    return o && o->klass->set_local && !o->half;
}

int cel_plugin_set_local(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                         struct cel_words *working)
{
    const struct cel_outside *o = codec->outside;
    const struct cel_plugin_lock *lock;
    struct hdf5 h;
    bool ok;

    if (!find_all(o, &h) && !(cel_outside_show_hdf5() && find_all(o, &h)))
        return cel_fail(NC_ENOFILTER,
                        "%s: the plugin %s fits its parameters to a variable through libhdf5 (set_local), which is not "
                        "here, and has no codec half that could do it",
                        o->name, o->path);
    lock = cel_plugin_enter();
    ok = ask(o, &h, visible, shape, working);
    cel_plugin_leave(lock);
    return ok ? CEL_OK : cel_fail(NC_EFILTER, "%s: the plugin %s refuses this variable", o->name, o->path);
}
