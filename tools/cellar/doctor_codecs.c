/* SPDX-License-Identifier: BSD-3-Clause */
/* A file in memory for each filter: written through it, opened again, read and compared. */

#include "cellar.h"
#include "doctor.h"
#include "msg.h"
#include <math.h>
#include <netcdf_mem.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 4, NY = 8, NZ = 32, NVALUES = NX * NY * NZ };
#define LOSS 0.05 /* of the range of the values: a larger difference is an error, not a loss of digits */

/* Parameters that a filter requires. of_ones: it does not keep single values, and is tried with an array of ones. */
static const struct {
    const char *name, *params;
    bool of_ones;
} needs[] = {{"deflate", "level=5", false},
             {"gzip", "level=5", false},
             {"szip", "mask=32,pixels-per-block=8", false},
             {"quantize", "digits=3", false},
             {"decimal", "digits=3", false},
             {"astype", "encode_dtype=<f4", false},
             {"cast_value", "data_type=<f4", false},
             {"packbits", NULL, true},
             {"ndmean", NULL, true}};

static int find_need(const char *name)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(name, needs[i].name) == 0)
            return (int)i;
    return -1;
}

static char *chain_of(const char *name)
{
    struct text t = {0};

    int need = find_need(name);

    text_puts(&t, name);
    if (need >= 0 && needs[need].params)
        text_printf(&t, ",%s", needs[need].params);
    return text_take(&t);
}

static void make_field(const char *name, double *out)
{
    int need = find_need(name);

    for (int i = 0; i < NVALUES; i++)
        out[i] = need >= 0 && needs[need].of_ones ? 1 : floor(64 * (1 + sin(i / NZ / 5.0) * cos(i % NZ / 7.0)));
}

static int write_file(const char *chain, nc_type type, const double *field, NC_memio *out)
{
    size_t lens[] = {NX, NY, NZ};
    int ncid, dim[3], var, status = nc_create_mem("doctor", NC_NETCDF4, 0, &ncid);

    if (status)
        return status;
    for (int d = 0; status == NC_NOERR && d < 3; d++)
        status = nc_def_dim(ncid, (const char *const[]){"x", "y", "z"}[d], lens[d], &dim[d]);
    if (status == NC_NOERR)
        status = nc_def_var(ncid, "v", type, 3, dim, &var);
    if (status == NC_NOERR)
        status = nc_def_var_chunking(ncid, var, NC_CHUNKED, lens);
    if (status == NC_NOERR)
        status = cellar_def_var_chain(ncid, var, chain);
    if (status == NC_NOERR)
        status = nc_put_var_double(ncid, var, field);
    if (status) {
        char *why = msg_reason(status);

        nc_abort(ncid);
        out->memory = why; /* the reason, where there is no file */
        return status;
    }
    return nc_close_memio(ncid, out);
}

static int read_file(NC_memio *file, double *out)
{
    int ncid, status = nc_open_mem("doctor", NC_NOWRITE, file->size, file->memory, &ncid);

    if (status)
        return status;
    status = nc_get_var_double(ncid, 0, out);
    if (status)
        return status;
    return nc_close(ncid);
}

static double worst_error(const double *a, const double *b)
{
    double worst = 0;

    for (int i = 0; i < NVALUES; i++)
        worst = fabs(a[i] - b[i]) > worst ? fabs(a[i] - b[i]) : worst;
    return worst;
}

static void compare(struct doctor_codec *c, const double *field, NC_memio *file)
{
    double *back = tool_alloc(NVALUES, sizeof *back), worst;
    int status = read_file(file, back);

    worst = status ? 0 : worst_error(field, back);
    c->state = status || worst > LOSS * 128 ? DOCTOR_FAILS : worst > 0 ? DOCTOR_LOSSY : DOCTOR_WORKS;
    if (status)
        c->note = msg_reason(status);
    else if (c->state == DOCTOR_FAILS)
        c->note = tool_strdup("what is read is not what was written");
    free(back);
}

/* The first type that the filter takes. */
static void try_codec(struct doctor_codec *c, const double *field)
{
    static const nc_type types[] = {NC_FLOAT, NC_INT, NC_SHORT, NC_UBYTE, NC_DOUBLE};
    char *chain = chain_of(c->name);

    for (size_t i = 0; c->state == DOCTOR_NOT_TRIED && i < sizeof types / sizeof *types; i++) {
        NC_memio file = {0};
        int status = write_file(chain, types[i], field, &file);

        if (status == NC_NOERR)
            compare(c, field, &file);
        else if (!c->note)
            c->note = tool_strdup(file.memory ? file.memory : nc_strerror(status));
        if (status == NC_NOERR && c->state != DOCTOR_FAILS) {
            free(c->note);
            c->note = NULL;
        }
        free(file.memory);
    }
    free(chain);
}

/* By its name or id a chain gets the built-in filter: the plugin would not be what is tried. */
static bool is_built_in(const struct doctor_codecs *known, const struct doctor_codec *c)
{
    for (size_t i = 0; i < known->n; i++)
        if (*c->origin && !*known->at[i].origin && known->at[i].id == c->id)
            return true;
    return false;
}

void doctor_codecs_load(struct doctor_codecs *out)
{
    double *field = tool_alloc(NVALUES, sizeof *field);
    struct doctor_codec c = {.state = DOCTOR_NOT_TRIED};

    *out = (struct doctor_codecs){0};
    while (cellar_inq_codec((int)out->n, &c.name, &c.id, &c.origin) == NC_NOERR) {
        c.spare = is_built_in(out, &c);
        make_field(c.name, field);
        if (c.spare)
            c.note = tool_strdup("the filter of its id is built in");
        else
            try_codec(&c, field);
        out->nspare += c.spare;
        out->at = tool_push(out->at, out->n, sizeof *out->at);
        out->at[out->n++] = c;
        out->nfailed += c.state == DOCTOR_FAILS;
        c = (struct doctor_codec){.state = DOCTOR_NOT_TRIED};
    }
    free(field);
}

void doctor_codecs_free(struct doctor_codecs *c)
{
    for (size_t i = 0; i < c->n; i++) {
        cellar_free(c->at[i].name);
        cellar_free(c->at[i].origin);
        free(c->at[i].note);
    }
    free(c->at);
}

const char *doctor_state_name(enum doctor_state state)
{
    static const char *const name[] = {"works", "works, loses digits", "not tried", "fails"};

    return name[state];
}
