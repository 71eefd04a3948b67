/* SPDX-License-Identifier: BSD-3-Clause */
/* ncdump: a file, or parts of it, as CDL, NcML or JSON text. */

#include "cdl_print.h"
#include "cellar.h"
#include "msg.h"
#include "opt.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_EXPLAIN = 256 };

static const struct opt options[] = {
    {'h', "header", NULL, "header only, no data"},
    {'c', "coordinates", NULL, "header, and data of coordinate variables only"},
    {'v', "variables", "NAME,...", "data of these variables only"},
    {'g', "groups", "NAME,...", "data of these groups only"},
    {'s', "special", NULL, "special attributes: storage, chunks, filters, byte order"},
    {'F', "filters", NULL, "all filters as _Filter, in place of _Shuffle, _DeflateLevel, _Fletcher32"},
    {LONG_EXPLAIN, "explain", NULL, "say beside each _Filter what it is and what it saves (implies -s -F)"},
    {'j', "json", NULL, "JSON in place of CDL"},
    {'x', "ncml", NULL, "NcML (header only) in place of CDL"},
    {'t', "times", NULL, "time values as dates, \"1990-01-01 06\""},
    {'i', "iso-times", NULL, "time values as dates, \"1990-01-01T06\""},
    {'b', "brief", "c|f", "note the indices of each row, counted as in C or Fortran"},
    {'f', "full", "c|f", "note the indices of each value"},
    {'l', "line", "N", "length of data lines (default 80)"},
    {'n', "name", "NAME", "name after \"netcdf\" (default: from the file's name)"},
    {'p', "precision", "N[,N]", "significant digits of float[,double] values (default 7,15)"},
    {'d', NULL, "N[,N]", "as -p"},
    {'k', "kind", NULL, "print the kind of file and end"},
    {'K', "model", NULL, "print the format and its mode bits and end"},
    {'w', NULL, NULL, "accepted for compatibility: nothing is fetched ahead"},
    {'X', NULL, "p|m", "-Xp: leave out _NCProperties; -Xm: read the file into memory first"},
    {'L', NULL, "N", "log level of the library"},
};

static const struct opt_tool tool = {"ncdump",
                                     "[options] FILE",
                                     "Print a netCDF file or Zarr store as text.",
                                     options,
                                     sizeof options / sizeof *options,
                                     "exit codes: 0 printed; 1 the file could not be read or lacks what was "
                                     "asked for; 2 wrong command line\n"};

enum form { AS_CDL, AS_JSON, AS_NCML, AS_KIND, AS_MODEL };

static void set_notes(struct cdl_options *o, enum cdl_note notes, const char *value, int letter)
{
    if (strcmp(value, "c") != 0 && strcmp(value, "f") != 0)
        msg_die(MSG_USAGE, "-%c %s: expected c or f, for indices counted as in C or Fortran", letter, value);
    o->notes = notes;
    o->fortran = *value == 'f';
}

static void set_digits(struct cdl_options *o, const char *value, int key)
{
    const char *option = key == 'd' ? "-d" : "-p";
    char *comma = strchr(value, ','), *first = tool_strndup(value, comma ? (size_t)(comma - value) : strlen(value));

    o->digits.of_float = (int)opt_number(option, first, 1, 20);
    if (comma)
        o->digits.of_double = (int)opt_number(option, comma + 1, 1, 20);
    free(first);
}

static void set_extras(struct cdl_options *o, const char *value)
{
    for (const char *p = value; *p; p++) {
        o->no_properties = o->no_properties || *p == 'p';
        o->in_memory = o->in_memory || *p == 'm';
        if (*p != 'p' && *p != 'm')
            msg_die(MSG_USAGE, "-X %s: expected p (leave out _NCProperties) or m (read the file into memory)", value);
    }
}

static const struct opt_switch switches[] = {
    {'h', offsetof(struct cdl_options, header_only)},
    {'c', offsetof(struct cdl_options, coordinates_only)},
    {'s', offsetof(struct cdl_options, special)},
    {'F', offsetof(struct cdl_options, filters_only)},
    {0},
};

static bool take_form(enum form *form, int key)
{
    static const struct {
        int key;
        enum form form;
    } forms[] = {{'j', AS_JSON}, {'x', AS_NCML}, {'k', AS_KIND}, {'K', AS_MODEL}};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].key == key) {
            *form = forms[i].form;
            return true;
        }
    return false;
}

static void take_value(struct cdl_options *o, int key, const char *value)
{
    switch (key) {
    case 'v': select_add(&o->vars, value); break;
    case 'g': select_add(&o->groups, value); break;
    case LONG_EXPLAIN: o->explain = o->special = o->filters_only = true; break;
    case 't': o->date_between = ' '; break;
    case 'i': o->date_between = 'T'; break;
    case 'b': set_notes(o, CDL_NOTES_BRIEF, value, key); break;
    case 'f': set_notes(o, CDL_NOTES_FULL, value, key); break;
    case 'l': o->line_length = (size_t)opt_number("-l", value, 10, 1000000); break;
    case 'n': o->name = value; break;
    case 'd':
    case 'p': set_digits(o, value, key); break;
    case 'X': set_extras(o, value); break;
    case 'L': nc_set_log_level((int)opt_number("-L", value, 0, 10)); break;
    default: break;
    }
}

static void take_option(struct cdl_options *o, enum form *form, int key, const char *value)
{
    if (!opt_set_switch(switches, key, o) && !take_form(form, key))
        take_value(o, key, value);
}

/* "dir/t2m.nc" is t2m, "file:///x/s.zarr#mode=zarr" is s. */
static char *dataset_name(const char *path)
{
    size_t len = strcspn(path, "#?");
    const char *start, *dot;
    char *whole = tool_strndup(path, len), *name;

    while (len > 1 && whole[len - 1] == '/')
        whole[--len] = '\0';
    start = strrchr(whole, '/');
    start = start ? start + 1 : whole;
    dot = strrchr(start, '.');
    name = tool_strndup(start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
    free(whole);
    return name;
}

static int print_kind(int ncid)
{
    int format, status = nc_inq_format(ncid, &format);

    if (status == NC_NOERR)
        printf("%s\n", cdl_kind_name(format));
    return status;
}

static int print_model(int ncid)
{
    static const char *const name[] = {
        [NC_FORMATX_NC_HDF5] = "HDF5", [NC_FORMATX_NC_HDF4] = "HDF4", [NC_FORMATX_PNETCDF] = "PNETCDF",
        [NC_FORMATX_DAP2] = "DAP2",    [NC_FORMATX_DAP4] = "DAP4",    [NC_FORMATX_NCZARR] = "NCZARR"};
    int model, mode, format, status = nc_inq_format_extended(ncid, &model, &mode);

    if (status == NC_NOERR)
        status = nc_inq_format(ncid, &format);
    if (status == NC_NOERR)
        printf("%s mode=%08x\n",
               format == NC_FORMAT_64BIT_DATA ? "64-bit data" /* netCDF-C's spelling, in this place only */
               : model > 0 && model <= NC_FORMATX_NCZARR && name[model] ? name[model]
                                                                        : cdl_kind_name(format),
               (unsigned)mode);
    return status;
}

static int print_open(int ncid, const char *path, const struct cdl_options *o, enum form form)
{
    select_check_vars(&o->vars, ncid, path);
    select_check_groups(&o->groups, ncid, path);
    switch (form) {
    case AS_JSON: return cdl_print_json(ncid, path, o, stdout);
    case AS_NCML: return cdl_print_ncml(ncid, path, o, stdout);
    case AS_KIND: return print_kind(ncid);
    case AS_MODEL: return print_model(ncid);
    default: return cdl_print_file(ncid, path, o, stdout);
    }
}

static int print_file(const char *path, const struct cdl_options *o, enum form form)
{
    int ncid, status = nc_open(path, o->in_memory ? NC_DISKLESS : NC_NOWRITE, &ncid);

    if (status)
        return msg_nc(status, "%s", path);
    status = print_open(ncid, path, o, form);
    nc_close(ncid);
    return msg_finish(status ? MSG_FAILED : MSG_OK, MSG_FAILED);
}

int main(int argc, char **argv)
{
    struct cdl_options o = {.line_length = 80, .digits = CDL_DIGITS_INIT};
    enum form form = AS_CDL;
    struct opt_line line;
    char *name = NULL;
    int key, code;

    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END)
        take_option(&o, &form, key, line.value);
    if (line.noperands != 1)
        msg_die(MSG_USAGE, "expected one file, got %zu: ncdump [options] FILE (ncdump --help says more)",
                line.noperands);
    if (!o.name)
        o.name = name = dataset_name(line.operands[0]);
    code = print_file(line.operands[0], &o, form);
    free(name);
    select_free(&o.vars);
    select_free(&o.groups);
    opt_end(&line);
    return code;
}
