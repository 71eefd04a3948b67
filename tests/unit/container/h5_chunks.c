/* SPDX-License-Identifier: BSD-3-Clause */
/* Says of every variable of HDF5 files what the reader without libhdf5 knows: how it is stored, where each chunk lies,
 * and all its values. check_h5_chunks.py compares that with h5py.
 *
 *   usage: h5_chunks OUT FILE...      values go to OUT, native bytes, those of a variable as they are and of every
 *                                     second index one behind the other (of many: of every 61st and 122nd)
 *
 *   file PATH
 *   var NAME STORAGE INDEX            INDEX: the kind's number, - without chunks
 *   chunk I,J ADDRESS NBYTES MASK     of each chunk that was written
 *   bytes N                           in OUT
 *   error NAME TEXT
 *   libhdf5                           it was needed after all */
#include "chunk_grid.h"
#include "h5_int.h"
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { LARGE = 100000, LARGE_STEP = 61 };

static struct cel_dataset *open_file(const char *path)
{
    struct cel_location where = {.path = path};
    struct cel_options options = {0};
    struct cel_dataset *ds;

    if (cel_dataset_make(path, 0, &ds) != CEL_OK)
        exit(1);
    ds->ops = &cel_hdf5_ops;
    ds->features = ds->ops->features;
    if (ds->ops->open(ds, &where, &options) != CEL_OK) {
        fprintf(stderr, "%s: %s\n", path, cel_error_text());
        exit(1);
    }
    return ds;
}

static bool next(const struct cel_var *var, size_t *index)
{
    for (int d = var->ndims - 1; d >= 0; d--) {
        if ((index[d] + 1) * var->layout.chunk[d] < var->layout.extent[d]) {
            index[d]++;
            return true;
        }
        index[d] = 0;
    }
    return false;
}

/* The walk that passes over what was never written comes to the same chunks. */
struct walk {
    size_t n[CEL_RANK_MAX], index[CEL_RANK_MAX];
    int rc;
};

static void walk_on(struct cel_dataset *ds, struct cel_var *var, struct walk *w)
{
    w->rc = cel_chunk_wrap(var->ndims, w->n, w->index) ? ds->ops->chunk_next(ds, var, w->n, w->index) : CEL_ABSENT;
}

static void check_walk(struct cel_dataset *ds, struct cel_var *var, struct walk *w, const size_t *index, bool found)
{
    bool here = w->rc == CEL_OK && memcmp(index, w->index, (size_t)var->ndims * sizeof *index) == 0;

    if (here != found)
        printf("error %s the walk %s chunk %zu,...\n", var->name, here ? "has" : "passes over", index[0]);
    if (!here)
        return;
    w->index[var->ndims - 1]++;
    walk_on(ds, var, w);
}

static void say_chunks(struct cel_dataset *ds, struct cel_var *var)
{
    size_t index[CEL_RANK_MAX] = {0};
    struct walk walk = {0};

    for (int d = 0; d < var->ndims; d++) {
        walk.n[d] = (var->layout.extent[d] + var->layout.chunk[d] - 1) / var->layout.chunk[d];
        if (var->layout.extent[d] == 0)
            return;
    }
    walk_on(ds, var, &walk);
    do {
        struct cel_chunk_location at = {0};
        int rc = ds->ops->chunk_find(ds, var, index, &at);

        check_walk(ds, var, &walk, index, rc == CEL_OK);

        if (rc < 0)
            printf("error %s %s\n", var->name, cel_error_text());
        if (rc != CEL_OK)
            continue;
        printf("chunk ");
        for (int d = 0; d < var->ndims; d++)
            printf("%s%zu", d ? "," : "", index[d]);
        printf(" %llu %zu %u\n", (unsigned long long)at.address, at.nbytes, at.skipped);
    } while (next(var, index));
}

static int say_values(struct cel_dataset *ds, struct cel_var *var, FILE *out)
{
    size_t start[CEL_RANK_MAX] = {0}, count[CEL_RANK_MAX], n = 1, total = 0;
    ptrdiff_t stride[CEL_RANK_MAX];
    int rc = CEL_OK, most;

    for (int d = 0; d < var->ndims; d++)
        n *= var->layout.extent[d];
    most = n > LARGE ? 2 * LARGE_STEP : 2;
    for (int step = most / 2; rc == CEL_OK && step <= most; step += most / 2) {
        struct cel_region region = {.start = start, .count = count, .stride = stride};
        char *values;

        n = 1;
        for (int d = 0; d < var->ndims; d++) {
            stride[d] = step;
            count[d] = (var->layout.extent[d] + (size_t)step - 1) / (size_t)step;
            n *= count[d];
        }
        values = calloc(n ? n : 1, var->type->size);
        rc = n ? cel_get_region(ds, var, &region, values, NC_NAT) : CEL_OK;
        fwrite(values, var->type->size, rc == CEL_OK ? n : 0, out);
        total += rc == CEL_OK ? n * var->type->size : 0;
        free(values);
    }
    printf("bytes %zu\n", total);
    return rc;
}

static void say_var(struct cel_dataset *ds, struct cel_var *var, FILE *out)
{
    const struct cel_h5_var *v = var->priv;
    int rc = ds->ops->load_var(ds, var);

    if (rc == CEL_OK) {
        printf("var %s %d ", var->name, var->layout.storage);
        printf(v->index ? "%d\n" : "-\n", v->index ? (int)cel_h5r_index_kind(v->index) : 0);
        if (v->index)
            say_chunks(ds, var);
        rc = say_values(ds, var, out);
    }
    if (rc != CEL_OK)
        printf("error %s %s\n", var->name, cel_error_text());
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[1], "wb") : NULL;

    if (!out)
        return 1;
    for (int i = 2; i < argc; i++) {
        struct cel_dataset *ds = open_file(argv[i]);

        printf("file %s\n", argv[i]);
        for (size_t k = 0; k < ds->root->vars.n; k++)
            say_var(ds, ds->root->vars.at[k], out);
        if (cel_h5_file(ds)->id >= 0)
            printf("libhdf5\n");
        for (size_t k = 0; k < ds->root->vars.n; k++)
            cel_array_free(ds->root->vars.at[k]);
        if (ds->ops->close(ds, true, NULL) != CEL_OK)
            return 1;
        cel_dataset_free(ds);
    }
    return fclose(out) == 0 ? 0 : 1;
}
