/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a file and readable as an attribute, but not listed: _SuperblockVersion, _IsNetcdf4 and
 * _NCProperties. */
#include "h5_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int superblock_version(const struct cel_h5_file *f, struct cel_fact *out)
{
    H5F_info2_t info;

    if (H5Fget_info2(f->id, &info) < 0)
        return cel_h5_fail(NC_EHDFERR, "_SuperblockVersion");
    out->number = (int)info.super.version;
    return CEL_OK;
}

/* netCDF-C's rule: a mark of its own in the root group, or two of the kind that
 * only its files are full of. */
static int is_netcdf4(const struct cel_h5_file *f, struct cel_fact *out)
{
    hid_t root = cel_h5_group_id(f->ds->root);

    out->number = H5Aexists(root, "_NCProperties") > 0 || H5Aexists(root, "_nc3_strict") > 0 || f->marks > 1;
    return CEL_OK;
}

static int properties(const struct cel_h5_file *f, struct cel_fact *out)
{
    hid_t root = cel_h5_group_id(f->ds->root), att, type = -1;
    size_t n;
    int rc = CEL_ABSENT;

    if (H5Aexists(root, "_NCProperties") <= 0)
        return CEL_ABSENT;
    att = H5Aopen(root, "_NCProperties", H5P_DEFAULT);
    type = H5Aget_type(att);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        n = H5Tget_size(type);
        out->text = cel_calloc(n + 1, 1);
        rc = !out->text                          ? NC_ENOMEM
             : H5Aread(att, type, out->text) < 0 ? cel_h5_fail(NC_EHDFERR, "_NCProperties cannot be read")
                                                 : CEL_OK;
    }
    H5Tclose(type);
    H5Aclose(att);
    if (rc != CEL_OK) {
        free(out->text);
        out->text = NULL;
    }
    return rc;
}

/* --- without libhdf5 --------------------------------------------------------------------- */

static int read_version(struct cel_h5_file *f, struct cel_fact *out)
{
    out->number = f->read.version;
    return CEL_OK;
}

static int read_mark(struct cel_h5_file *f, struct cel_fact *out)
{
    char *text = NULL;
    int rc = f->marks > 1 ? CEL_OK : cel_h5_root_text(f, "_NCProperties", &text);

    free(text);
    text = NULL;
    if (rc == CEL_ABSENT)
        rc = cel_h5_root_text(f, "_nc3_strict", &text);
    free(text);
    out->number = rc == CEL_OK;
    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int read_properties(struct cel_h5_file *f, struct cel_fact *out)
{
    int rc = cel_h5_root_text(f, "_NCProperties", &out->text);

    return rc == CEL_OK && !out->text ? CEL_ABSENT : rc;
}

int cel_h5_fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    static const struct {
        const char *name;
        int (*read)(struct cel_h5_file *f, struct cel_fact *out);
        int (*ask)(const struct cel_h5_file *f, struct cel_fact *out);
    } facts[] = {{"_SuperblockVersion", read_version, superblock_version},
                 {"_IsNetcdf4", read_mark, is_netcdf4},
                 {"_NCProperties", read_properties, properties}};
    struct cel_h5_entry entry;
    size_t i;
    int rc;

    *out = (struct cel_fact){0};
    for (i = 0; i < sizeof facts / sizeof *facts && strcmp(facts[i].name, name) != 0; i++)
        ;
    if (var || i == sizeof facts / sizeof *facts)
        return CEL_ABSENT;
    rc = cel_h5_file(ds)->own_reader ? facts[i].read(cel_h5_file(ds), out) : CEL_ASK_LIBHDF5;
    if (rc != CEL_ASK_LIBHDF5)
        return rc;
    rc = cel_h5_enter_file(ds, &entry);
    if (rc != CEL_OK)
        return rc;
    rc = facts[i].ask(cel_h5_file(ds), out);
    cel_h5_leave(&entry);
    return rc;
}

int cel_h5_library(char **out)
{
    struct cel_h5_entry entry;
    unsigned major = 0, minor = 0, release = 0;
    char text[64];
    int rc = cel_h5_enter(&entry);

    if (rc != CEL_OK)
        return rc;
    H5get_libversion(&major, &minor, &release);
    cel_h5_leave(&entry);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
    *out = cel_strdup(text);
    return *out ? CEL_OK : NC_ENOMEM;
}
