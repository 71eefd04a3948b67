/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints every variable of a file through the public API, one line each:
 * path, shape and all values; text in brackets, compound fields one after another.
 * check_h5_files.py compares it with what h5py reads.
 *
 * usage: h5_values FILE           all of it
 *        h5_values FILE regions   each line of the input: a variable, its rank, and start, count, stride of each dimension */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_) { \
            fprintf(stderr, "%s: %s\n", #call, nc_strerror(rc_)); \
            exit(1); \
        } \
    } while (0)

static void print_value(int nc, nc_type type, const char *p);

static void print_atomic(nc_type type, const char *p)
{
    switch (type) {
    case NC_BYTE:
        printf(" %d", *(const signed char *)p);
        break;
    case NC_CHAR:
        printf(" [%.1s]", p);
        break;
    case NC_SHORT:
        printf(" %d", *(const short *)p);
        break;
    case NC_INT:
        printf(" %d", *(const int *)p);
        break;
    case NC_FLOAT:
        printf(" %.9g", *(const float *)p);
        break;
    case NC_DOUBLE:
        printf(" %.17g", *(const double *)p);
        break;
    case NC_UBYTE:
        printf(" %u", *(const unsigned char *)p);
        break;
    case NC_USHORT:
        printf(" %u", *(const unsigned short *)p);
        break;
    case NC_UINT:
        printf(" %u", *(const unsigned *)p);
        break;
    case NC_INT64:
        printf(" %lld", *(const long long *)p);
        break;
    case NC_UINT64:
        printf(" %llu", *(const unsigned long long *)p);
        break;
    default:
        printf(" [%s]", *(char *const *)p ? *(char *const *)p : "");
    }
}

static void print_compound(int nc, nc_type type, const char *p)
{
    size_t nfields, f, offset, size;
    nc_type field;
    int ndims, dims[NC_MAX_VAR_DIMS], d, n, i;

    OK(nc_inq_compound_nfields(nc, type, &nfields));
    for (f = 0; f < nfields; f++) {
        OK(nc_inq_compound_field(nc, type, (int)f, NULL, &offset, &field, &ndims, dims));
        OK(nc_inq_type(nc, field, NULL, &size));
        for (n = 1, d = 0; d < ndims; d++)
            n *= dims[d];
        for (i = 0; i < n; i++)
            print_value(nc, field, p + offset + (size_t)i * size);
    }
}

static void print_vlen(int nc, nc_type base, const nc_vlen_t *v)
{
    size_t i, size;

    OK(nc_inq_type(nc, base, NULL, &size));
    for (i = 0; i < v->len; i++)
        print_value(nc, base, (const char *)v->p + i * size);
}

static void print_value(int nc, nc_type type, const char *p)
{
    size_t size, i;
    nc_type base;
    int klass;

    if (type <= NC_STRING) {
        print_atomic(type, p);
        return;
    }
    OK(nc_inq_user_type(nc, type, NULL, &size, &base, NULL, &klass));
    if (klass == NC_COMPOUND)
        print_compound(nc, type, p);
    else if (klass == NC_VLEN)
        print_vlen(nc, base, (const nc_vlen_t *)p);
    else if (klass == NC_ENUM)
        print_atomic(base, p);
    else
        for (i = 0; i < size; i++)
            printf(" %u", (unsigned char)p[i]);
}

static void print_var(int nc, int var, const char *group)
{
    char name[NC_MAX_NAME + 1];
    int ndims, dims[NC_MAX_VAR_DIMS], d, status;
    size_t n = 1, len, size, i;
    nc_type type;
    char *data;

    OK(nc_inq_var(nc, var, name, &type, &ndims, dims, NULL));
    OK(nc_inq_type(nc, type, NULL, &size));
    printf("%s%s (", group, name);
    for (d = 0; d < ndims; d++) {
        OK(nc_inq_dimlen(nc, dims[d], &len));
        printf("%s%zu", d ? "," : "", len);
        n *= len;
    }
    printf(")");
    data = calloc(n ? n : 1, size);
    status = nc_get_var(nc, var, data);
    if (status && strstr(cellar_error(), "null dataspace")) {
        printf(" no value\n");
        free(data);
        return;
    }
    OK(status);
    for (i = 0; i < n; i++)
        print_value(nc, type, data + i * size);
    printf("\n");
    OK(nc_reclaim_data(nc, type, data, n));
    free(data);
}

static void print_group(int nc, const char *path)
{
    char name[NC_MAX_NAME + 1], *inner;
    int nvars, v, ngroups, groups[256], g;

    OK(nc_inq_nvars(nc, &nvars));
    for (v = 0; v < nvars; v++)
        print_var(nc, v, path);
    OK(nc_inq_grps(nc, &ngroups, NULL));
    if (ngroups > 256)
        exit(1);
    OK(nc_inq_grps(nc, NULL, groups));
    for (g = 0; g < ngroups; g++) {
        OK(nc_inq_grpname(groups[g], name));
        inner = malloc(strlen(path) + strlen(name) + 2);
        sprintf(inner, "%s%s/", path, name);
        print_group(groups[g], inner);
        free(inner);
    }
}

static void print_region(int nc, const char *name, int ndims)
{
    size_t start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS], n = 1, size;
    ptrdiff_t stride[NC_MAX_VAR_DIMS];
    nc_type type;
    char *data;
    int var;

    for (int d = 0; d < ndims; d++) {
        if (scanf("%zu %zu %td", &start[d], &count[d], &stride[d]) != 3)
            exit(2);
        n *= count[d];
    }
    OK(nc_inq_varid(nc, name, &var));
    OK(nc_inq_vartype(nc, var, &type));
    OK(nc_inq_type(nc, type, NULL, &size));
    data = calloc(n ? n : 1, size);
    OK(nc_get_vars(nc, var, start, count, stride, data));
    printf("%s", name);
    for (size_t i = 0; i < n; i++)
        print_value(nc, type, data + i * size);
    printf("\n");
    OK(nc_reclaim_data(nc, type, data, n));
    free(data);
}

int main(int argc, char **argv)
{
    char name[NC_MAX_NAME + 1];
    int nc, ndims;

    if (argc != 2 && argc != 3)
        return 2;
    OK(nc_open(argv[1], NC_NOWRITE, &nc));
    while (argc == 3 && scanf("%256s %d", name, &ndims) == 2)
        print_region(nc, name, ndims);
    if (argc == 2)
        print_group(nc, "/");
    OK(nc_close(nc));
    return 0;
}
