/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COPY_H
#define COPY_H

/* nccopy's engine. The command line is a *request*; opening the input turns it
 * into a *plan*, one entry per variable that says how it will be stored and why;
 * then definitions are copied, data is copied, and the plan is the report. */

#include "select.h"
#include "tool_att.h"
#include "types.h"
#include <netcdf.h>
#include <stdio.h>

/* --- the request ------------------------------------------------------------------ */
struct copy_filter { /* one -F */
    char *given;     /* as written, for messages */
    bool all;        /* "*", or "none" alone */
    char **name;     /* variables, escapes undone */
    size_t n;
    char *chain; /* NULL: none */
};

struct copy_chunks { /* one item of -c */
    char *name;      /* of a dimension or a variable; NULL: all ("/") */
    bool is_var;
    size_t *len; /* a dimension: 1 of them, 0 = the whole dimension; a variable: as many as given */
    size_t n;
};

struct copy_quantize { /* one item of --quantize */
    char *name;        /* NULL: "*" */
    int mode, n;
};

struct copy_request {
    const char *in, *out;
    int format;  /* NC_FORMAT_* of -k; 0: as the input */
    int deflate; /* -1: not said */
    bool shuffle;
    bool fix_unlimited;                        /* -u */
    bool cloud;                                /* metadata together at the front */
    bool out_in_memory;                        /* -w */
    bool in_in_memory;                         /* -r */
    bool keep_order;                           /* fletcher32 keeps its position in Zarr */
    bool strict;                               /* what would be left out with a warning fails */
    struct select data_of, only;               /* -v, -V */
    struct select groups_data_of, groups_only; /* -g, -G */
    size_t buffer;                             /* -m */
    long long cache_bytes, cache_chunks;       /* -h, -e; -1: not said */
    size_t least_chunked;                      /* -M: smaller variables are not chunked by -c */
    struct copy_filter *filter;
    size_t nfilters;
    struct copy_chunks *chunks;
    size_t nchunks;
    struct copy_quantize *quantize;
    size_t nquantize;
    bool verify, dry_run, quiet;
    bool damaged; /* cellar salvage: what cannot be read is left out too, and on_left is told */
    void (*on_left)(void *arg, const char *path, const char *why); /* NULL: a warning */
    void *on_left_arg;
    enum { REPORT_NONE, REPORT_TEXT, REPORT_JSON } report;
};
#define COPY_REQUEST_INIT \
    { \
        .deflate = -1, .buffer = (size_t)64 << 20, .cache_bytes = -1, .cache_chunks = -1, .least_chunked = 8192 \
    }

/* Each ends the tool (exit code 2) when the text is wrong. */
void copy_add_filter(struct copy_request *r, const char *text);
void copy_add_chunks(struct copy_request *r, const char *text);
void copy_add_quantize(struct copy_request *r, const char *text);
void copy_request_free(struct copy_request *r);

/* --- the plan --------------------------------------------------------------------------- */
struct copy_var {
    int group, id; /* in the input */
    int out_group, out_id;
    char *path; /* "t2m", "/g/t2m" */
    const struct type *type;
    nc_type out_type;
    int ndims;
    int dimid[NC_MAX_VAR_DIMS];
    size_t shape[NC_MAX_VAR_DIMS];
    unsigned long long nbytes; /* of all values in memory */
    bool unreadable;           /* the library has said why */
    bool defined, with_data;
    bool retyped;    /* an enum, copied as its base type */
    char *in_chain;  /* as ids; "" without filters */
    char *chain;     /* what the output gets */
    bool refilter;   /* differs from the input by request */
    bool unfiltered; /* by request */
    bool was_chunked, was_compact, chunked, rechunked, contiguous;
    size_t in_chunk[NC_MAX_VAR_DIMS], chunk[NC_MAX_VAR_DIMS];
    bool library_chunks; /* chunked, lengths left to the library */
    int quantize, quantize_n;
    const char *note; /* why something asked for by "*" does not apply; NULL */
    /* what came of it */
    bool as_stored;
    double seconds;
    unsigned long long stored;
    char *filters; /* of the output, by name */
    bool lossy;
    double max_abs, max_rel;
};

struct copy {
    const struct copy_request *req;
    int in, out;
    const char *out_path; /* what is being written */
    int in_format, format;
    bool in_zarr, out_zarr, out_blosc2;
    bool classic; /* the output is a classic file */
    struct types types;
    nc_type *out_types; /* parallel to types.at; NC_NAT: the output has no such type */
    bool *tried_types;  /* the same: defined, or refused */
    int scratch;        /* a file in memory to try names in; 0: not needed yet */
    struct select_names names;
    struct copy_var *var;
    size_t nvars;
    int *group_in, *group_out; /* -1: the output has no such group */
    size_t ngroups;
    int *dim_out; /* by input id; -1: left out */
    size_t ndims;
    unsigned long long total, done; /* bytes of data */
};

int copy_run(const struct copy_request *r); /* all of it; the exit code */

/* What the open input is, and what the output will be. */
int copy_formats(struct copy *c);
int copy_create_mode(const struct copy *c); /* for nc_create */

/* The bytes that all metadata of a netCDF-4 output takes at most. */
size_t copy_front_size(const struct copy *c);

/* What each variable gets; ends the tool when the request names what is not there. */
void copy_plan(struct copy *c);
/* Do values that were never written have the same fill value in both files, or none? */
bool copy_keeps_fill(const struct copy_var *v);
/* After chunks of a variable were left out: the output as long as the input. value: room for one. A netCDF status. */
int copy_reach_end(const struct copy_var *v, char *value);
bool copy_define(struct copy *c); /* false after saying why */
bool copy_data(struct copy *c);
bool copy_verify(struct copy *c, bool *same);
bool copy_estimate(struct copy *c);
void copy_free(struct copy *c);

/* What the output cannot hold is left out: `path` is named in one line, and all else is copied. False, after saying
 * so, with --strict. */
bool copy_leave_out(const struct copy *c, const char *path, const char *why);

/* Whether a status means that the output's format lacks the feature, so that the object can be left out. False for
 * classic formats: there the copy fails. */
bool copy_can_leave(const struct copy *c, int status);

/* Why the output cannot have a group or variable of this name; NULL: it can. */
const char *copy_name_refused(const struct copy *c, const char *name);

/* The output's counterparts; -1 and NC_NAT: it has none, and the reason (yours to free) has been said. */
int copy_group_of(const struct copy *c, int in);
nc_type copy_out_type(const struct copy *c, const struct type *t);
char *copy_type_refused(const struct copy *c, const struct type *t);
bool copy_define_types(struct copy *c);

/* Zarr of version 2 keeps strings in as many bytes as this says, or 128. */
bool copy_fit_strings(struct copy *c, const struct copy_var *v);

/* Blocks to move a variable in: whole chunks of both sides where they fit the buffer. */
void copy_box(const struct copy_var *v, size_t buffer, size_t *box);

/* --- telling ---------------------------------------------------------------------------------- */
void copy_progress_start(const struct copy *c);
void copy_progress(const struct copy *c, const struct copy_var *v);
void copy_progress_end(void);
void copy_report(const struct copy *c, FILE *out);

#endif
