/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_LOOK_H
#define CELLAR_LOOK_H

/* An open file with all its variables in one list, in file order. What cannot be known of a variable is NULL or
 * "unknown" with the reason, so that the rest is still there. */

#include "types.h"
#include "walk.h"

enum look_format { LOOK_CLASSIC, LOOK_HDF5, LOOK_ZARR, LOOK_OTHER };

struct look_var {
    int group, id;
    char *path; /* "t2m", "/ocean/temp" */
    nc_type xtype;
    const struct type *type; /* NULL: it cannot be read */
    int ndims;
    size_t *shape;  /* ndims */
    char **dim;     /* their names */
    bool *grows;    /* unlimited dimensions */
    int storage;    /* NC_CHUNKED, NC_CONTIGUOUS, ...; -1: not known */
    size_t *piece;  /* lengths of what cellar_inq_chunk() counts: a chunk, all values, or one record */
    size_t *shard;  /* lengths of a shard; NULL: none */
    char *chain;    /* filters by name; "" for none */
    char *reason;   /* why its values cannot be read; NULL: they can, as far as is known */
    char *too_many; /* why they cannot all be gone through, written or not; NULL: they can */
    size_t nvalues;
    unsigned long long nbytes; /* of the values in memory */
};

/* What the file has and the library could not read: "t2m", "t2m:units", "/ocean:title". */
struct look_lost {
    char *path, *reason;
};

struct look {
    const char *path;
    int ncid;
    int kind; /* NC_FORMAT_* */
    enum look_format format;
    unsigned long long size; /* of the file, or of all files of a store; 0: on a server, not known */
    struct types types;
    struct look_var *var;
    struct look_lost *lost;
    size_t nvars, nlost, ngroups, natts;
};

/* A netCDF status; look_close() in any case, after the failure was told. */
int look_open(const char *path, struct look *out);
int look_load(struct look *l); /* the same of l->ncid, already open, with l->path */
void look_close(struct look *l);
const char *look_format_name(const struct look *l); /* "netCDF-4 in HDF5", "netCDF classic", "Zarr" */
/* The one variable of that name or path; ends the command with the nearest name when there is none. */
const struct look_var *look_get(const struct look *l, const char *name);

/* --- look_one.c: subcommands of one file and some of its variables ------------------------------------------- */
struct opt_line;
struct select;
/* The file that the line names, which must be one, with every variable of `only` in it. MSG_FAILED after saying why it cannot be
 * read; look_close() in any case. */
int look_open_operand(const struct opt_line *line, const struct select *only, struct look *out);
/* visit(arg, v) for the chosen variables, all where none is named, until one gives a code other than MSG_OK. */
int look_each_chosen(const struct look *l, const struct select *only, int (*visit)(void *arg, const struct look_var *v),
                     void *arg);

/* The pieces of a variable that may be stored, one after the other, last dimension fastest:
 *     for (look_pieces_start(&p, v); p.more; look_pieces_next(&p)) use p.index, p.number
 * In a damaged file they are those of which it cannot be told, too. */
struct look_pieces {
    const struct look_var *var;
    size_t *index, *n; /* of the piece; pieces along each dimension */
    size_t number, total;
    size_t given;
    bool more;
    bool each;  /* one by one: the file cannot tell which there are */
    char *why;  /* why there may be others behind the last; NULL: there are none */
    int status; /* ... and what the library answered; 0: there are more than can be gone through */
};
void look_pieces_start(struct look_pieces *p, const struct look_var *v);
void look_pieces_next(struct look_pieces *p);
void look_pieces_end(struct look_pieces *p);
/* First value and lengths of the piece, cut at the edges of the array. */
void look_piece_box(const struct look_pieces *p, size_t *start, size_t *count);
/* Are so few of the pieces written that what lies between them is better not read? */
bool look_is_sparse(size_t written, size_t missing);
size_t look_piece_values(const struct look_var *v); /* values in a whole one; SIZE_MAX: more than that */
/* Lengths of a box of whole pieces with at most that many values, but one piece at least; gives `box` back. */
size_t *look_box(const struct look_var *v, size_t most, size_t *box);

/* "3x4x5" or "-" of a scalar; yours to free. */
char *look_lengths(const size_t *len, int n);

#endif
