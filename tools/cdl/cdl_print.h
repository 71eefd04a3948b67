/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CDL_PRINT_H
#define CDL_PRINT_H

/* An open file as CDL text on standard output: what ncdump prints. */

#include "cdl_value.h"
#include "select.h"
#include <stdio.h>

enum cdl_note { CDL_NOTES_NONE, CDL_NOTES_BRIEF, CDL_NOTES_FULL };

struct cdl_options {
    bool header_only;
    bool coordinates_only; /* data of coordinate variables only */
    bool special;          /* -s */
    bool filters_only;     /* -F: every filter in _Filter */
    bool explain;          /* a comment after each _Filter */
    bool no_properties;    /* -Xp */
    bool in_memory;        /* -Xm */
    char date_between;     /* 0: times as numbers; else the character between day and hour */
    enum cdl_note notes;
    bool fortran; /* notes count from 1, fastest axis first */
    size_t line_length;
    struct cdl_digits digits;
    const char *name;   /* after "netcdf" */
    struct select vars; /* empty: all */
    struct select groups;
};

struct cdl_printer {
    const struct cdl_options *opt;
    struct types types;
    int root;
    int format;    /* nc_inq_format */
    size_t indent; /* blanks before each header line */
    size_t column; /* of the data line being written */
    FILE *out;
    bool to_file; /* what is printed goes to a file, where no byte can be a command */
    struct text value;
    bool reported; /* the failure has been said */
    bool skipped;  /* data that was asked for could not be read; all else is printed */
};

/* Each gives a netCDF status; what failed has been reported by msg_nc. */
int cdl_print_file(int root, const char *path, const struct cdl_options *opt, FILE *out);

/* --- the parts, used by one another ------------------------------------- */
int cdl_print_data(struct cdl_printer *p, int group);
void cdl_print_var_specials(struct cdl_printer *p, int group, int varid);
void cdl_print_global_specials(struct cdl_printer *p);
void cdl_put_unreadable(struct cdl_printer *p, const char *name, const char *reason); /* a comment */
void cdl_put_line(struct cdl_printer *p, const char *fmt, ...) TOOL_PRINTF(2, 3);     /* indented, with line feed */

/* Text of more than two characters goes to a new line, indented by `margin`, when
 * it would pass the end of this one; commas and the like stay where they are. */
void cdl_put_wrapped(struct cdl_printer *p, const char *s, size_t margin);

/* How the values of a variable count time; false when they do not. */
struct cdl_clock;
bool cdl_var_clock(const struct cdl_printer *p, int group, int varid, struct cdl_clock *out);
double cdl_as_double(const struct type *t, const void *value);

/* What stands for "no value" in a variable: NULL when nothing does. Release with
 * type_release and free(). */
void *cdl_fill_of(const struct types *types, int group, int varid, const struct type *t);

/* The header as NcML; the file as JSON (data as the options say). */
int cdl_print_ncml(int root, const char *path, const struct cdl_options *opt, FILE *out);
int cdl_print_json(int root, const char *path, const struct cdl_options *opt, FILE *out);

/* A name of a dimension, variable, attribute or group. */
void cdl_put_own_name(const struct cdl_printer *p, struct text *out, const char *name);

void cdl_put_owner(const struct cdl_printer *p, struct text *out,
                   const char *var); /* of an attribute, with its colon */

const char *cdl_kind_name(int format); /* "netCDF-4" for NC_FORMAT_NETCDF4 */

#endif
