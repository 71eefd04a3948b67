/* SPDX-License-Identifier: BSD-3-Clause */
/* The hand of the Zarr interop tests: moves whole variables between a store and a
 * raw file, through the public API.
 *
 *   zarr_peer get URL VAR FILE                          prints type and lengths
 *   zarr_peer put URL VAR TYPE LENS CHUNKS CHAIN FILE   LENS, CHUNKS: "5,7"; "" for a scalar; CHAIN may be "";
 *                                                       TYPE "double*": lists of them
 *   zarr_peer put ... FILE ENDIAN FILL SHARDS TEXT      the same; ENDIAN "big" or "", FILL a number or "", SHARDS as
 *                                                       CHUNKS, TEXT an attribute; FILE "": no data is written
 *   zarr_peer att URL VAR                               prints the attributes, one a line
 *   zarr_peer fill URL VAR START COUNT VALUE            writes one value over a region
 *   zarr_peer churn URL VAR                             writes a value over all of it again and again: 1, 2, 3 ...
 *   zarr_peer again URL VAR                             reads all of it and writes it back
 *   zarr_peer count URL VAR START                       reads one element; prints it, and the reads and bytes that took
 *   zarr_peer serve                                     runs such commands, one a line of standard input, words between
 *                                                       tabs, each in a process of its own; "= CODE" ends each answer
 * VAR may be "group/sub/name". Strings are lines in FILE, and so are lists of numbers. */
#include <cellar.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int code, const char *what)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s (%d %s)\n", what, cellar_error(), code, nc_strerror(code));
    exit(1);
}

static int parse(const char *text, size_t *out)
{
    int n = 0;

    while (*text) {
        char *end;
        out[n++] = strtoull(text, &end, 10);
        text = *end ? end + 1 : end;
    }
    return n;
}

/* "a/b/v": the group a/b, made when create is set, and the name v. */
static const char *enter(int *ncid, char *path, int create)
{
    for (char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        int child;
        *slash = '\0';
        if (nc_inq_grp_ncid(*ncid, path, &child) != NC_NOERR)
            check(create ? nc_def_grp(*ncid, path, &child) : NC_ENOGRP, path);
        *ncid = child;
    }
    return path;
}

static void write_lists(int ncid, nc_type type, const nc_vlen_t *list, size_t n, FILE *out)
{
    nc_type base;

    check(nc_inq_user_type(ncid, type, NULL, NULL, &base, NULL, NULL), "type");
    for (size_t i = 0; i < n; i++, fprintf(out, "\n"))
        for (size_t k = 0; k < list[i].len; k++)
            fprintf(out, "%g ",
                    base == NC_DOUBLE  ? ((double *)list[i].p)[k]
                    : base == NC_FLOAT ? ((float *)list[i].p)[k]
                                       : ((int *)list[i].p)[k]);
}

static int is_list(int ncid, nc_type type)
{
    int klass = 0;

    return type > NC_STRING && nc_inq_user_type(ncid, type, NULL, NULL, NULL, NULL, &klass) == NC_NOERR &&
           klass == NC_VLEN;
}

static void get(const char *url, char *var, const char *file)
{
    int root, ncid, varid, ndims, dimids[32];
    size_t total = 1, size;
    char type_name[NC_MAX_NAME + 1];
    nc_type type;
    FILE *out;
    void *data;

    check(nc_open(url, NC_NOWRITE, &root), "open");
    ncid = root;
    check(nc_inq_varid(ncid, enter(&ncid, var, 0), &varid), var);
    check(nc_inq_var(ncid, varid, NULL, &type, &ndims, dimids, NULL), "inquire");
    check(nc_inq_type(ncid, type, type_name, &size), "type");
    printf("%s", type_name);
    for (int d = 0; d < ndims; d++) {
        size_t len;
        check(nc_inq_dimlen(ncid, dimids[d], &len), "length");
        total *= len;
        printf(" %zu", len);
    }
    printf("\n");
    data = calloc(total + 1, size);
    check(nc_get_var(ncid, varid, data), "get");
    out = fopen(file, "wb");
    if (type == NC_STRING)
        for (size_t i = 0; i < total; i++)
            fprintf(out, "%s\n", ((char **)data)[i]);
    else if (is_list(ncid, type))
        write_lists(ncid, type, data, total, out);
    else
        fwrite(data, size, total, out);
    fclose(out);
    check(nc_reclaim_data(ncid, type, data, total), "reclaim");
    free(data);
    check(nc_close(root), "close");
}

static void again(const char *url, char *var)
{
    int root, ncid, varid, ndims, dimids[32];
    size_t total = 1, size;
    nc_type type;
    void *data;

    check(nc_open(url, NC_WRITE, &root), "open");
    ncid = root;
    check(nc_inq_varid(ncid, enter(&ncid, var, 0), &varid), var);
    check(nc_inq_var(ncid, varid, NULL, &type, &ndims, dimids, NULL), "inquire");
    check(nc_inq_type(ncid, type, NULL, &size), "type");
    for (int d = 0; d < ndims; d++) {
        size_t len;
        check(nc_inq_dimlen(ncid, dimids[d], &len), "length");
        total *= len;
    }
    data = calloc(total + 1, size);
    check(nc_get_var(ncid, varid, data), "get");
    check(nc_put_var(ncid, varid, data), "put");
    check(nc_reclaim_data(ncid, type, data, total), "reclaim");
    free(data);
    check(nc_close(root), "close");
}

static nc_type type_of(const char *name)
{
    for (nc_type t = NC_BYTE; t <= NC_STRING; t++) {
        char text[NC_MAX_NAME + 1];
        size_t size;
        if (nc_inq_type(0, t, text, &size) == NC_NOERR && strcmp(text, name) == 0)
            return t;
    }
    return NC_NAT;
}

/* "double*": lists of doubles. */
static nc_type put_type(int root, const char *name)
{
    char base[NC_MAX_NAME + 1];
    size_t len = strcspn(name, "*");
    nc_type type;

    snprintf(base, sizeof base, "%.*s", (int)len, name);
    type = type_of(base);
    if (name[len])
        check(nc_def_vlen(root, "my_lists", type, &type), "type");
    return type;
}

/* Of doubles or of ints: one line each. */
static void read_lists(int ncid, nc_type type, nc_vlen_t *list, size_t n, FILE *in)
{
    static char line[65536];
    nc_type base;
    size_t size;

    check(nc_inq_user_type(ncid, type, NULL, NULL, &base, NULL, NULL), "type");
    check(nc_inq_type(ncid, base, NULL, &size), "type");
    for (size_t i = 0; i < n && fgets(line, sizeof line, in); i++) {
        char *at = line, *end;

        list[i].p = malloc(sizeof line);
        for (double v; v = strtod(at, &end), end != at; at = end, list[i].len++) {
            if (base == NC_DOUBLE)
                ((double *)list[i].p)[list[i].len] = v;
            else
                ((int *)list[i].p)[list[i].len] = (int)v;
        }
    }
}

/* A number of the variable's own type. */
static void put_fill(int ncid, int varid, nc_type type, const char *text)
{
    double real = strtod(text, NULL);
    float single = strtof(text, NULL);
    long long whole = *text == '-' ? strtoll(text, NULL, 10) : (long long)strtoull(text, NULL, 10);

    check(nc_put_att(ncid, varid, "_FillValue", type, 1,
                     type == NC_DOUBLE  ? (void *)&real
                     : type == NC_FLOAT ? (void *)&single
                                        : (void *)&whole),
          text);
}

/* ENDIAN FILL SHARDS TEXT */
static void put_extras(int ncid, int varid, nc_type type, char **extra)
{
    size_t shards[32];

    if (strcmp(extra[0], "big") == 0)
        check(nc_def_var_endian(ncid, varid, NC_ENDIAN_BIG), "endian");
    if (*extra[1])
        put_fill(ncid, varid, type, extra[1]);
    if (parse(extra[2], shards))
        check(cellar_def_var_shards(ncid, varid, shards), "shards");
    if (*extra[3])
        check(nc_put_att_text(ncid, varid, "text", strlen(extra[3]), extra[3]), "attribute");
}

static void put_data(int root, int ncid, int varid, nc_type type, size_t total, const char *file)
{
    size_t size;
    void *data;
    FILE *in;

    check(nc_inq_type(root, type, NULL, &size), "type");
    data = calloc(total + 1, size);
    in = fopen(file, "rb");
    if (type == NC_STRING) {
        static char line[65536];
        for (size_t i = 0; i < total && fgets(line, sizeof line, in); i++) {
            line[strcspn(line, "\n")] = '\0';
            ((char **)data)[i] = strdup(line);
        }
    } else if (is_list(root, type)) {
        read_lists(root, type, data, total, in);
    } else if (fread(data, size, total, in) != total) {
        fprintf(stderr, "%s is too short\n", file);
        exit(1);
    }
    fclose(in);
    check(nc_put_var(ncid, varid, data), "put");
    check(nc_reclaim_data(ncid, type, data, total), "reclaim");
    free(data);
}

static void put(char **argv, int has_extras)
{
    size_t lens[32], chunks[32], total = 1;
    int ncid, root, varid, dimids[32], ndims = parse(argv[4], lens), nchunks = parse(argv[5], chunks);
    nc_type type;
    const char *name;

    if (nc_open(argv[1], NC_WRITE, &root) != NC_NOERR)
        check(nc_create(argv[1], NC_NETCDF4, &root), "create");
    ncid = root;
    type = put_type(root, argv[3]);
    name = enter(&ncid, argv[2], 1);
    for (int d = 0; d < ndims; d++) {
        char dim[40];
        snprintf(dim, sizeof dim, "dim_%d_%zu", d, lens[d]);
        if (nc_inq_dimid(ncid, dim, &dimids[d]) != NC_NOERR)
            check(nc_def_dim(ncid, dim, lens[d], &dimids[d]), "dimension");
        total *= lens[d];
    }
    check(nc_def_var(ncid, name, type, ndims, dimids, &varid), "define");
    if (nchunks)
        check(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunks), "chunks");
    if (*argv[6])
        check(cellar_def_var_chain(ncid, varid, argv[6]), argv[6]);
    if (has_extras)
        put_extras(ncid, varid, type, argv + 8);
    check(nc_enddef(root), "enddef");
    if (*argv[7])
        put_data(root, ncid, varid, type, total, argv[7]);
    check(nc_close(root), "close");
}

static void fill(char **argv)
{
    size_t start[32], count[32], total = 1;
    int root, ncid, varid, ndims = parse(argv[3], start);
    double *values;

    parse(argv[4], count);
    for (int d = 0; d < ndims; d++)
        total *= count[d];
    values = malloc(total * sizeof *values);
    for (size_t i = 0; i < total; i++)
        values[i] = atof(argv[5]);
    check(nc_open(argv[1], NC_WRITE, &root), "open");
    ncid = root;
    check(nc_inq_varid(ncid, enter(&ncid, argv[2], 0), &varid), argv[2]);
    check(nc_put_vara_double(ncid, varid, start, count, values), "put");
    check(nc_close(root), "close");
    free(values);
}

/* Until it is killed: a put of a constant over the whole variable, and a sync. */
static void churn(const char *url, char *var)
{
    int root, ncid, varid, ndims, dimids[32];
    size_t total = 1, len;
    double *values;

    for (int round = 1; round < 100000; round++, total = 1) {
        check(nc_open(url, NC_WRITE, &root), "open");
        ncid = root;
        check(nc_inq_varid(ncid, var, &varid), var);
        check(nc_inq_var(ncid, varid, NULL, NULL, &ndims, dimids, NULL), "inquire");
        for (int d = 0; d < ndims; d++) {
            check(nc_inq_dimlen(ncid, dimids[d], &len), "length");
            total *= len;
        }
        values = malloc(total * sizeof *values);
        for (size_t i = 0; i < total; i++)
            values[i] = round;
        check(nc_put_var_double(ncid, varid, values), "put");
        check(nc_close(root), "close");
        free(values);
    }
}

static void io_so_far(long *reads, long *bytes)
{
    FILE *f = fopen("/proc/self/io", "r");

    if (!f || fscanf(f, "rchar: %ld wchar: %*d syscr: %ld", bytes, reads) != 2)
        *reads = *bytes = -1;
    if (f)
        fclose(f);
}

static void count(char **argv)
{
    size_t start[32];
    int root, ncid, varid;
    long reads[3], bytes[3];
    double value;

    parse(argv[3], start);
    check(nc_open(argv[1], NC_NOWRITE, &root), "open");
    ncid = root;
    check(nc_inq_varid(ncid, enter(&ncid, argv[2], 0), &varid), argv[2]);
    io_so_far(&reads[0], &bytes[0]);
    io_so_far(&reads[1], &bytes[1]); /* what asking costs */
    check(nc_get_var1_double(ncid, varid, start, &value), "get");
    io_so_far(&reads[2], &bytes[2]);
    printf("%.17g %ld %ld\n", value, (reads[2] - reads[1]) - (reads[1] - reads[0]),
           (bytes[2] - bytes[1]) - (bytes[1] - bytes[0]));
    check(nc_close(root), "close");
}

static void atts(const char *url, char *var)
{
    int root, ncid, varid = NC_GLOBAL, n;

    check(nc_open(url, NC_NOWRITE, &root), "open");
    ncid = root;
    if (*var)
        check(nc_inq_varid(ncid, enter(&ncid, var, 0), &varid), var);
    check(nc_inq_varnatts(ncid, varid, &n), "attributes");
    for (int i = 0; i < n; i++) {
        char name[NC_MAX_NAME + 1], type_name[NC_MAX_NAME + 1];
        size_t len;
        nc_type type;
        check(nc_inq_attname(ncid, varid, i, name), "name");
        check(nc_inq_att(ncid, varid, name, &type, &len), name);
        check(nc_inq_type(ncid, type, type_name, NULL), "type");
        printf("%s %s", name, type_name);
        if (type == NC_CHAR) {
            char *text = calloc(len + 1, 1);
            check(nc_get_att_text(ncid, varid, name, text), name);
            printf(" %s\n", text);
            free(text);
        } else if (type == NC_STRING) {
            char **text = calloc(len + 1, sizeof *text);
            check(nc_get_att_string(ncid, varid, name, text), name);
            for (size_t k = 0; k < len; k++)
                printf(" %s", text[k]);
            printf("\n");
            nc_free_string(len, text);
            free(text);
        } else {
            double *values = calloc(len + 1, sizeof *values);
            check(nc_get_att_double(ncid, varid, name, values), name);
            for (size_t k = 0; k < len; k++)
                printf(" %.17g", values[k]);
            printf("\n");
            free(values);
        }
    }
    check(nc_close(root), "close");
}

static int serve(void);

static int run(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "get") == 0)
        get(argv[2], argv[3], argv[4]);
    else if ((argc == 9 || argc == 13) && strcmp(argv[1], "put") == 0)
        put(argv + 1, argc == 13);
    else if (argc == 7 && strcmp(argv[1], "fill") == 0)
        fill(argv + 1);
    else if (argc == 4 && strcmp(argv[1], "churn") == 0)
        churn(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "again") == 0)
        again(argv[2], argv[3]);
    else if (argc == 5 && strcmp(argv[1], "count") == 0)
        count(argv + 1);
    else if (argc == 4 && strcmp(argv[1], "att") == 0)
        atts(argv[2], argv[3]);
    else if (argc == 2 && strcmp(argv[1], "serve") == 0)
        return serve();
    else
        return 2;
    return 0;
}

static int run_line(char *line)
{
    char *word[16] = {"zarr_peer", line};
    int n = 2;

    for (char *tab = line; (tab = strchr(tab, '\t')) && n < 16; word[n++] = tab)
        *tab++ = '\0';
    return run(n, word);
}

static int serve(void)
{
    static char line[1 << 16];

    while (fgets(line, sizeof line, stdin)) {
        int status = 0;
        pid_t child;

        line[strcspn(line, "\n")] = '\0';
        fflush(stdout);
        child = fork();
        if (child == 0) {
            dup2(1, 2);
            exit(run_line(line));
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        printf("= %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    return run(argc, argv);
}
