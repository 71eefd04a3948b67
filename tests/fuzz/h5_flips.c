/* SPDX-License-Identifier: BSD-3-Clause */
/* Every byte of small HDF5 files changed in turn: what is read without libhdf5 is what the good file holds, or there is
 * an error; other values only where no checksum covers the byte. FILE.bare has the ranges without a checksum, a line
 * "first end" each (make_h5_flips.py).
 *   h5_flips CHANGES FILE...   so many changes of each byte, 255: all there are */
#include <cellar.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 20, FILE_MAX = 1 << 20, RANGES = 256, VALUES = 4096, DEPTH = 8 };

struct text {
    char at[TEXT];
    size_t n;
    int errors;
};

static void say(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (t->n < TEXT - 1)
        t->n += (size_t)vsnprintf(t->at + t->n, TEXT - t->n, fmt, ap);
    va_end(ap);
    if (t->n >= TEXT)
        t->n = TEXT - 1;
}

/* An error has a sentence. */
static bool failed(struct text *t, int rc)
{
    if (!rc)
        return false;
    if (!*cellar_error())
        say(t, "error %d without a sentence\n", rc);
    t->errors++;
    return true;
}

/* --- what a file holds ------------------------------------------------------------------------- */

static void say_bytes(struct text *t, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say(t, "%02x", ((const unsigned char *)p)[i]);
}

static void say_values(struct text *t, int nc, nc_type type, const void *data, size_t n)
{
    size_t size, nfields;
    nc_type base = NC_NAT;
    int klass = type;

    if (failed(t, nc_inq_type(nc, type, NULL, &size)) ||
        (type > NC_STRING && failed(t, nc_inq_user_type(nc, type, NULL, NULL, &base, &nfields, &klass))))
        return;
    for (size_t i = 0; i < n; i++) {
        const char *p = (const char *)data + i * size;

        if (klass == NC_STRING)
            say(t, " \"%s\"", *(char *const *)p ? *(char *const *)p : "");
        else if (klass == NC_VLEN)
            say_values(t, nc, base, ((const nc_vlen_t *)p)->p, ((const nc_vlen_t *)p)->len);
        else
            say_bytes(t, p, size);
    }
    say(t, "\n");
}

static void say_att(struct text *t, int nc, int var, int i)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n, size;
    void *data;

    if (failed(t, nc_inq_attname(nc, var, i, name)) || failed(t, nc_inq_att(nc, var, name, &type, &n)) ||
        failed(t, nc_inq_type(nc, type, NULL, &size)))
        return;
    say(t, "attribute %s %d %zu ", name, type, n);
    if (n > VALUES || !(data = calloc(n + 1, size + 1)))
        return;
    if (!failed(t, nc_get_att(nc, var, name, data))) {
        say_values(t, nc, type, data, n);
        nc_reclaim_data(nc, type, data, n);
    }
    free(data);
}

static void say_data(struct text *t, int nc, int var, nc_type type, int ndims, const int *dims)
{
    size_t n = 1, len, size;
    void *data;

    for (int d = 0; d < ndims; d++) {
        if (failed(t, nc_inq_dimlen(nc, dims[d], &len)))
            return;
        say(t, " %zu", len);
        n = len > VALUES ? VALUES + 1 : n * len;
        n = n > VALUES ? VALUES + 1 : n;
    }
    say(t, "\n");
    if (n > VALUES || failed(t, nc_inq_type(nc, type, NULL, &size)) || !(data = calloc(n + 1, size + 1)))
        return;
    if (!failed(t, nc_get_var(nc, var, data))) {
        say_values(t, nc, type, data, n);
        nc_reclaim_data(nc, type, data, n);
    }
    free(data);
}

static void say_var(struct text *t, int nc, int var)
{
    int ndims, dims[NC_MAX_VAR_DIMS], natts;
    char name[NC_MAX_NAME + 1];
    nc_type type;

    if (failed(t, nc_inq_var(nc, var, name, &type, &ndims, dims, &natts)))
        return;
    say(t, "variable %s %d", name, type);
    say_data(t, nc, var, type, ndims, dims);
    for (int i = 0; i < natts; i++)
        say_att(t, nc, var, i);
}

static void say_group(struct text *t, int nc, int depth)
{
    int natts = 0, nvars = 0, ngroups = 0, unreadable = 0, groups[64];
    char name[NC_MAX_NAME + 1] = "";

    if (failed(t, nc_inq_grpname(nc, name)) || failed(t, nc_inq_nvars(nc, &nvars)))
        return;
    say(t, "group %s\n", name);
    for (int i = 0; i < nvars; i++)
        say_var(t, nc, i);
    if (!failed(t, nc_inq_natts(nc, &natts)))
        for (int i = 0; i < natts; i++)
            say_att(t, nc, NC_GLOBAL, i);
    if (!failed(t, nc_inq_grps(nc, &ngroups, NULL)) && ngroups <= 64 && depth < DEPTH) {
        nc_inq_grps(nc, &ngroups, groups);
        for (int i = 0; i < ngroups; i++)
            say_group(t, groups[i], depth + 1);
    }
    if (cellar_inq_nunreadable(nc, &unreadable) == NC_NOERR)
        t->errors += unreadable;
}

static void describe(struct text *t, const void *data, size_t n)
{
    int nc;

    t->n = 0;
    t->at[0] = '\0';
    t->errors = 0;
    if (failed(t, nc_open_mem("changed", NC_NOWRITE, n, (void *)data, &nc)))
        return;
    say_group(t, nc, 0);
    nc_close(nc);
}

/* --- one file ------------------------------------------------------------------------------------ */

static struct text good, now;
static unsigned char bytes[FILE_MAX];

struct ranges {
    size_t first[RANGES], end[RANGES], n;
};

static void read_ranges(const char *path, struct ranges *r)
{
    char name[512];
    FILE *f;

    r->n = 0;
    snprintf(name, sizeof name, "%s.bare", path);
    f = fopen(name, "r");
    while (f && r->n < RANGES && fscanf(f, "%zu %zu", &r->first[r->n], &r->end[r->n]) == 2)
        r->n++;
    if (f)
        fclose(f);
}

static bool is_bare(const struct ranges *r, size_t at)
{
    for (size_t i = 0; i < r->n; i++)
        if (at >= r->first[i] && at < r->end[i])
            return true;
    return false;
}

struct counts {
    long same, errors, others, wrong;
};

static void judge(const char *path, size_t at, unsigned change, bool bare, struct counts *c)
{
    bool same = strcmp(now.at, good.at) == 0;

    c->errors += now.errors > 0;
    c->same += !now.errors && same;
    c->others += !now.errors && !same && bare;
    if (strstr(now.at, "without a sentence") || (!now.errors && !same && !bare)) {
        printf("%s: offset %zu changed by %02x: other values, and no error\n", path, at, change);
        c->wrong++;
    }
}

static bool check(const char *path, int changes)
{
    struct counts c = {0};
    struct ranges bare;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;

    if (f)
        fclose(f);
    read_ranges(path, &bare);
    describe(&good, bytes, n);
    if (n == 0 || n == sizeof bytes || good.errors > 0) {
        printf("%s: it cannot be read: %s\n%s", path, cellar_error(), good.at);
        return false;
    }
    for (size_t at = 0; at < n; at++)
        for (int i = 0; i < changes; i++) {
            unsigned change = changes == 255 ? (unsigned)i + 1 : 1u << (at + (size_t)i) % 8;

            bytes[at] ^= (unsigned char)change;
            describe(&now, bytes, n);
            bytes[at] ^= (unsigned char)change;
            judge(path, at, change, is_bare(&bare, at), &c);
        }
    printf("%s: %zu bytes, %ld as before, %ld errors, %ld other values without a checksum, %ld wrong\n", path, n,
           c.same, c.errors, c.others, c.wrong);
    return c.wrong == 0;
}

int main(int argc, char **argv)
{
    bool ok = argc > 2;

    cellar_set_untrusted(1);
    cellar_set_threads(1);
    for (int i = 2; i < argc; i++)
        ok = check(argv[i], atoi(argv[1])) && ok;
    return !ok;
}
