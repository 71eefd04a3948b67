/* SPDX-License-Identifier: BSD-3-Clause */
/* ncgen: CDL text to a file, or to a C program that makes it. */

#include "cdl.h"
#include "cdl_value.h"
#include "cellar.h"
#include "msg.h"
#include "opt.h"
#include "output.h"
#include <errno.h>
#include <netcdf_meta.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct opt options[] = {
    {'o', "output", "FILE", "file to make; a URL such as file://x.zarr#mode=zarr makes a Zarr store"},
    {'b', "binary", NULL, "make a file named after FILE, or after the CDL's own name: NAME.nc"},
    {'k', "kind", "KIND", "classic, 64-bit-offset, cdf5, netCDF-4, or netCDF-4-classic"},
    {'v', NULL, "KIND", "as -k"},
    {'1', NULL, NULL, "kind classic"},
    {'3', NULL, NULL, "kind classic"},
    {'4', NULL, NULL, "kind netCDF-4"},
    {'5', NULL, NULL, "kind cdf5"},
    {'6', NULL, NULL, "kind 64-bit-offset"},
    {'7', NULL, NULL, "kind netCDF-4-classic"},
    {'H', "header", NULL, "definitions only, no data"},
    {'x', "no-fill", NULL, "do not write fill values first"},
    {'n', NULL, NULL, "like -b, with the ending .cdf"},
    {'l', "language", "b|c", "b: make a file; c: print a C program that makes it"},
    {'c', NULL, NULL, "as -l c"},
    {'f', NULL, NULL, "refused: FORTRAN programs are not made"},
    {'M', "main", "NAME", "name of the C program's function (default main)"},
    {'N', "name", "NAME", "name of the data set, in place of the CDL's own"},
    {'L', NULL, "N", "log level of the library"},
    {'h', NULL, NULL, "this help"},
    {'d', NULL, NULL, "accepted for compatibility: errors say all there is to say"},
    {'D', NULL, "N", "accepted for compatibility, as -d"},
    {'P', NULL, NULL, "accepted for compatibility"},
    {'W', NULL, "N", "accepted for compatibility: variables are always written whole"},
};

static const struct opt_tool tool = {
    "ncgen",
    "[options] [FILE]",
    "Make a netCDF file or Zarr store from CDL text (FILE, or standard input).",
    options,
    sizeof options / sizeof *options,
    "Without -o, -b, -k, -n or -l the text is only checked.\n"
    "exit codes: 0 done; 1 the CDL is wrong or the file could not be made (none is left behind); 2 wrong "
    "command line\n"};

struct request {
    char *output;
    const char *ending; /* of a file named after the CDL */
    const char *main_name;
    const char *name;
    int format; /* 0: from the text */
    bool make, c_program;
    bool from_file; /* the CDL, not standard input */
    struct cdl_build_options build;
};

static void set_language(struct request *r, const char *value)
{
    if (strcmp(value, "b") == 0)
        r->make = true;
    else if (strcmp(value, "c") == 0 || strcmp(value, "C") == 0)
        r->c_program = true;
    else
        msg_die(MSG_USAGE, "-l %s: expected b (a file) or c (a C program)", value);
}

static void set_kind(struct request *r, int format, const char *value)
{
    r->format = format;
    r->make = true;
    if (!format)
        msg_die(MSG_USAGE, "-k %s: expected classic, 64-bit-offset, cdf5, netCDF-4 or netCDF-4-classic", value);
}

static const struct opt_switch switches[] = {
    {'b', offsetof(struct request, make)},
    {'H', offsetof(struct request, build.header_only)},
    {'x', offsetof(struct request, build.no_fill)},
    {0},
};

static void set_output(struct request *r, const char *value)
{
    free(r->output);
    r->output = output_target(value);
    r->make = true;
}

static void take_value(struct request *r, int key, const char *value)
{
    switch (key) {
    case 'o': set_output(r, value); break;
    case 'n':
        r->make = true;
        r->ending = ".cdf";
        break;
    case 'k':
    case 'v': set_kind(r, cdl_kind_of_name(value), value); break;
    case '1': set_kind(r, NC_FORMAT_CLASSIC, ""); break;
    case 'h': opt_help(&tool); exit(MSG_OK);
    case 'l': set_language(r, value); break;
    case 'c': set_language(r, "c"); break;
    case 'f': set_language(r, "f77"); break;
    case 'M': r->main_name = value; break;
    case 'N': r->name = value; break;
    case 'L': nc_set_log_level((int)opt_number("-L", value, 0, 10)); break;
    default: break;
    }
}

static void take_option(struct request *r, int key, const char *value)
{
    if (cdl_kind_of_digit(key))
        set_kind(r, cdl_kind_of_digit(key), "");
    else if (!opt_set_switch(switches, key, r))
        take_value(r, key, value);
}

static int mode_of(const struct request *r, const struct cdl_doc *doc)
{
    bool url = r->output && strstr(r->output, "://");
    int format = r->format ? r->format : doc->format;

    if (!format)
        format = doc->enhanced || url || !NC_HAS_CDF5 ? NC_FORMAT_NETCDF4 : NC_FORMAT_CLASSIC;
    return cdl_mode_of_kind(format);
}

/* Where the file goes: -o, else -N, else as the CDL file is called, else as the CDL calls itself; in this folder. */
static char *target_of(const struct request *r, const struct cdl_doc *doc)
{
    const char *name = r->name || !r->from_file ? doc->name : doc->file, *slash, *dot;
    struct text t = {0};

    if (r->output)
        return tool_strdup(r->output);
    if (!*name)
        msg_die(MSG_FAILED, "%s: the CDL has no name after \"netcdf\": say the output with -o", doc->file);
    if (name == doc->file) {
        slash = strrchr(name, '/');
        name = slash ? slash + 1 : name;
        dot = strrchr(name, '.');
        text_putn(&t, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    } else {
        text_puts(&t, name);
    }
    text_puts(&t, r->ending);
    return text_take(&t);
}

/* Whether no object is named like a type of the output's format. If no format was asked for, the CDL decides it. */
static bool names_are_free(struct cdl_doc *doc, const struct request *r)
{
    return !doc->keyword || !cdl_is_keyword(doc->keyword, r->format) ||
           cdl_fail(doc, doc->keyword_at, "%s is a type of this kind of file: write \\%s where it is a name",
                    doc->keyword, doc->keyword);
}

static bool make_file(struct cdl_doc *doc, const struct request *r, const char *target)
{
    const char *path;

    output_check(target, r->from_file ? doc->file : NULL);
    path = output_begin(target);

    return cdl_build(doc, path, &r->build) && output_commit();
}

static bool generate(struct cdl_doc *doc, struct request *r)
{
    char *target;
    bool ok = true;

    if (r->name)
        doc->name = cdl_strndup(doc, r->name, strlen(r->name));
    if (!names_are_free(doc, r))
        return false;
    r->build.mode = mode_of(r, doc);
    if (r->c_program) {
        target = target_of(r, doc);
        cdl_emit_c(doc, target, r->main_name, &r->build, stdout);
        free(target);
    } else if (r->make) {
        target = target_of(r, doc);
        ok = make_file(doc, r, target);
        free(target);
    }
    return ok;
}

static bool is_netcdf(const char *text, size_t len)
{
    return len >= 4 && (memcmp(text, "\x89HDF", 4) == 0 || (memcmp(text, "CDF", 3) == 0 && (unsigned char)text[3] < 8));
}

int main(int argc, char **argv)
{
    struct request r = {.ending = ".nc", .main_name = "main"};
    struct opt_line line;
    struct cdl_doc doc;
    const char *file;
    char *text;
    size_t len;
    int key;
    bool ok;

    output_init();
    opt_start(&line, &tool, argc, argv);
    line.takes_stdin = true;
    while ((key = opt_next(&line)) != OPT_END)
        take_option(&r, key, line.value);
    if (line.noperands > 1)
        msg_die(MSG_USAGE, "expected one CDL file, got %zu: ncgen [options] [FILE]", line.noperands);
    file = line.noperands ? line.operands[0] : "-";
    r.from_file = strcmp(file, "-") != 0;
    text = text_read_file(file, &len);
    if (!text)
        msg_die(MSG_FAILED, "%s: %s", file, strerror(errno));
    if (is_netcdf(text, len))
        msg_die(MSG_FAILED, "%s: this is a netCDF file already, not CDL text: ncdump prints it as CDL", file);
    ok = cdl_parse(&doc, r.from_file ? file : "standard input", text, len) && cdl_check(&doc) && generate(&doc, &r);
    if (cdl_failed(&doc))
        msg_error("%s", text_get(&doc.error));
    cdl_free(&doc);
    free(r.output);
    free(text);
    opt_end(&line);
    return msg_finish(ok ? MSG_OK : MSG_FAILED, MSG_FAILED);
}
