/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file is that is no dataset; and of a dataset, what in it cannot be read. */

#include "cellar.h"
#include "doctor.h"
#include "look.h"
#include "msg.h"
#include "output.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* First bytes of files that are taken for datasets, and what helps. */
static const struct {
    const char *head;
    size_t len;
    const char *what, *advice;
} kinds[] = {
    {"\x1f\x8b", 2, "it is compressed with gzip as a whole", "run gunzip on it"},
    {"BZh", 3, "it is compressed with bzip2 as a whole", "run bunzip2 on it"},
    {"\xfd"
     "7zXZ",
     5, "it is compressed with xz as a whole", "run unxz on it"},
    {"\x28\xb5\x2f\xfd", 4, "it is compressed with zstd as a whole", "run unzstd on it"},
    {"\x0e\x03\x13\x01", 4, "it is HDF4", "convert it with h4toh5, or nccopy of a netCDF-C with HDF4"},
    {"GRIB", 4, "it is GRIB", "convert it with cdo -f nc4 copy, or grib_to_netcdf"},
    {"BUFR", 4, "it is BUFR", "convert it with the tools of ecCodes"},
    {"version https://git-lfs", 23, "it is a pointer of git-lfs, not the file", "run git lfs pull"},
    {"<!DOCTYPE", 9, "it is a web page, as servers send it in place of a file",
     "download it again, and log in if asked to"},
    {"<html", 5, "it is a web page, as servers send it in place of a file",
     "download it again, and log in if asked to"},
    {"netcdf ", 7, "it is CDL text", "make a file of it with ncgen"},
    {"PK\3\4", 4, "it is a zip archive without Zarr's documents", "unpack it, and look at what is in it"},
};

static void add(struct doctor_file *f, const char *what, const char *advice)
{
    f->problem = tool_push(f->problem, f->n, sizeof *f->problem);
    f->problem[f->n++] = (struct doctor_problem){tool_strdup(what), advice ? tool_strdup(advice) : NULL};
}

static void add_reason(struct doctor_file *f, const char *where, int status)
{
    struct text t = {0};
    char *why = msg_reason(status);

    text_printf(&t, "%s%s%s", where, *where ? ": " : "", why);
    add(f, text_get(&t),
        status == NC_ENOFILTER ? "install a plugin for this filter and name its directory in HDF5_PLUGIN_PATH" : NULL);
    free(why);
    text_free(&t);
}

/* True when the bytes themselves tell what is wrong. */
static bool look_at_head(struct doctor_file *f, const char *path)
{
    char head[32] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;

    if (!file) {
        add(f, strerror(errno), errno == EACCES ? "ask its owner for the right to read it" : NULL);
        return true;
    }
    fclose(file);
    if (n == 0) {
        add(f, "it is empty", "whoever wrote it did not get to the first byte: write or copy it again");
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= kinds[i].len && memcmp(head, kinds[i].head, kinds[i].len) == 0) {
            add(f, kinds[i].what, kinds[i].advice);
            return true;
        }
    return false;
}

static void explain_failure(struct doctor_file *f, int status)
{
    char *why = msg_reason(status), *path = output_local_path(f->path);
    struct stat at;
    bool told = path && stat(path, &at) == 0 && S_ISREG(at.st_mode) && look_at_head(f, path);

    if (!told)
        add(f, why,
            strstr(why, "truncated") && !strstr(why, "salvage")
                ? "it was not written or copied to its end: copy it again, and compare the sizes"
                : NULL);
    free(path);
    free(why);
}

/* The first chunk stands for all: what filters lack shows there. cellar verify reads the others. */
static void try_var(struct doctor_file *f, const struct look_var *v)
{
    struct look_pieces p;
    size_t *start = tool_alloc((size_t)v->ndims + 1, sizeof *start),
           *count = tool_alloc((size_t)v->ndims + 1, sizeof *count);
    char *values;
    int status;

    look_pieces_start(&p, v);
    if (p.more) {
        size_t n = 1;

        look_piece_box(&p, start, count);
        for (int d = 0; d < v->ndims; d++) {
            count[d] = v->storage == NC_CHUNKED ? count[d] : 1;
            n *= count[d];
        }
        values = tool_alloc(n, v->type->size);
        status = nc_get_vara(v->group, v->id, start, count, values);
        if (status)
            add_reason(f, v->path, status);
        else
            type_release(v->type, values, n);
        free(values);
    }
    look_pieces_end(&p);
    free(start);
    free(count);
}

static void look_inside(struct doctor_file *f, const struct look *l)
{
    f->nvars = l->nvars;
    for (size_t i = 0; i < l->nlost; i++) {
        struct text t = {0};

        text_printf(&t, "%s: %s", l->lost[i].path, l->lost[i].reason);
        add(f, text_get(&t), NULL);
        text_free(&t);
    }
    for (size_t i = 0; i < l->nvars; i++)
        if (!l->var[i].reason && l->var[i].type)
            try_var(f, &l->var[i]);
}

void doctor_file_load(const char *path, struct doctor_file *out)
{
    char *local = output_local_path(path), *locked = NULL;
    struct look l;
    struct stat at;
    int status = look_open(path, &l);

    *out = (struct doctor_file){.path = path};
    if (status)
        explain_failure(out, status);
    else
        look_inside(out, &l);
    if (local && stat(local, &at) == 0)
        locked = doctor_locking(local);
    if (locked && (!status || strstr(locked, "another process")))
        add(out, locked, NULL);
    look_close(&l);
    free(local);
    free(locked);
}

void doctor_file_free(struct doctor_file *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->problem[i].what);
        free(f->problem[i].advice);
    }
    free(f->problem);
}
