/* SPDX-License-Identifier: BSD-3-Clause */
/* nccopy: a file or store to another, with other chunks, filters or format. */

#include "cellar.h"
#include "cdl.h"
#include "copy.h"
#include "msg.h"
#include "opt.h"
#include "output.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONG_QUANTIZE = 256,
    LONG_VERIFY,
    LONG_DRY_RUN,
    LONG_REPORT,
    LONG_KEEP_ORDER,
    LONG_THREADS,
    LONG_STRICT,
    LONG_CLOUD
};

static const struct opt options[] = {
    {'F', "filter", "VARS,CHAIN",
     "filters: \"t2m,shuffle|zstd,level=3\", \"v1&v2,307,9\", \"*,none\", none; repeatable"},
    {'d', "deflate", "N", "deflate level 0 to 9 for variables no -F names (0: no filters)"},
    {'s', "shuffle", NULL, "shuffle before deflate"},
    {'c', "chunks", "SPEC", "chunk lengths: dim/N,dim/N or var:N,N,...; / for none; repeatable"},
    {'M', "min-chunked", "BYTES", "variables smaller than this are not chunked by dim/N (default 8192)"},
    {LONG_QUANTIZE, "quantize", "SPEC", "lose digits: \"t2m:bitround=9,*:granular=3\" (bitgroom, granular, bitround)"},
    {'k', "kind", "KIND", "classic, 64-bit-offset, cdf5, netCDF-4 or netCDF-4-classic (default: as the input)"},
    {'3', NULL, NULL, "kind classic"},
    {'4', NULL, NULL, "kind netCDF-4"},
    {'5', NULL, NULL, "kind cdf5"},
    {'6', NULL, NULL, "kind 64-bit-offset"},
    {'7', NULL, NULL, "kind netCDF-4-classic"},
    {'u', "fix-unlimited", NULL, "unlimited dimensions become fixed ones"},
    {LONG_CLOUD, "cloud", NULL, "netCDF-4 with all metadata at the front, to be read from servers in few requests"},
    {'v', "data", "NAME,...", "data of these variables only, definitions of all"},
    {'V', "variables", "NAME,...", "only these variables"},
    {'g', "data-groups", "NAME,...", "data of variables in these groups only, definitions of all"},
    {'G', "groups", "NAME,...", "only variables in these groups"},
    {'m', "buffer", "BYTES", "memory to copy through (default 64M)"},
    {'h', "cache", "BYTES", "chunk cache of each output variable"},
    {'e', "cache-chunks", "N", "chunks that cache may hold"},
    {'w', "write-memory", NULL, "keep the output in memory until it is complete"},
    {'x', NULL, NULL, "accepted for compatibility"},
    {'r', "read-memory", NULL, "read the whole input into memory first"},
    {LONG_VERIFY, "verify", NULL, "read the output back and compare it with the input"},
    {LONG_DRY_RUN, "dry-run", NULL, "write nothing: estimate the sizes from samples"},
    {LONG_REPORT, "report", "text|json", "print what was done with each variable"},
    {LONG_KEEP_ORDER, "keep-order", NULL, "keep fletcher32 first on the way to Zarr"},
    {LONG_STRICT, "strict", NULL, "fail where something of the input cannot be copied (else it is named and left out)"},
    {LONG_THREADS, "threads", "N", "threads that compress (default: all cores)"},
    {'q', "quiet", NULL, "no progress on a terminal"},
    {'L', NULL, "N", "log level of the library"},
};

static const struct opt_tool tool = {
    "nccopy",
    "[options] INPUT OUTPUT",
    "Copy a netCDF file or Zarr store, changing chunks, filters or format on the way.",
    options,
    sizeof options / sizeof *options,
    "INPUT and OUTPUT are files, or URLs such as file://out.zarr#mode=zarr. OUTPUT appears when it is "
    "complete.\n"
    "exit codes: 0 copied; 1 failed, OUTPUT is as it was; 2 wrong command line; 3 --verify found a "
    "difference\n"};

static void set_kind(struct copy_request *r, const char *value)
{
    r->format = cdl_kind_of_name(value);
    if (!r->format)
        msg_die(MSG_USAGE, "-k %s: expected classic, 64-bit-offset, cdf5, netCDF-4 or netCDF-4-classic", value);
}

static void set_report(struct copy_request *r, const char *value)
{
    if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
        msg_die(MSG_USAGE, "--report %s: expected text or json", value);
    r->report = *value == 't' ? REPORT_TEXT : REPORT_JSON;
}

static const struct opt_switch switches[] = {
    {'s', offsetof(struct copy_request, shuffle)},
    {'u', offsetof(struct copy_request, fix_unlimited)},
    {'w', offsetof(struct copy_request, out_in_memory)},
    {'r', offsetof(struct copy_request, in_in_memory)},
    {'q', offsetof(struct copy_request, quiet)},
    {LONG_VERIFY, offsetof(struct copy_request, verify)},
    {LONG_DRY_RUN, offsetof(struct copy_request, dry_run)},
    {LONG_KEEP_ORDER, offsetof(struct copy_request, keep_order)},
    {LONG_STRICT, offsetof(struct copy_request, strict)},
    {LONG_CLOUD, offsetof(struct copy_request, cloud)},
    {0},
};

static bool take_selection(struct copy_request *r, int key, const char *value)
{
    struct select *selection = key == 'v'   ? &r->data_of
                               : key == 'V' ? &r->only
                               : key == 'g' ? &r->groups_data_of
                               : key == 'G' ? &r->groups_only
                                            : NULL;

    if (selection)
        select_add(selection, value);
    return selection != NULL;
}

static void take_value(struct copy_request *r, int key, const char *value)
{
    switch (key) {
    case 'F': copy_add_filter(r, value); break;
    case 'd': r->deflate = (int)opt_number("-d", value, 0, 9); break;
    case 'c': copy_add_chunks(r, value); break;
    case 'M': r->least_chunked = (size_t)opt_number("-M", value, 0, 1LL << 60); break;
    case LONG_QUANTIZE: copy_add_quantize(r, value); break;
    case 'k': set_kind(r, value); break;
    case 'm': r->buffer = (size_t)opt_number("-m", value, 1, 1LL << 50); break;
    case 'h': r->cache_bytes = opt_number("-h", value, 0, 1LL << 50); break;
    case 'e': r->cache_chunks = opt_number("-e", value, 0, 1LL << 50); break;
    case LONG_REPORT: set_report(r, value); break;
    case LONG_THREADS: cellar_set_threads((int)opt_number("--threads", value, 1, 1024)); break;
    case 'L': nc_set_log_level((int)opt_number("-L", value, 0, 10)); break;
    default: break;
    }
}

static void take_option(struct copy_request *r, int key, const char *value)
{
    if (cdl_kind_of_digit(key))
        r->format = cdl_kind_of_digit(key);
    else if (!opt_set_switch(switches, key, r) && !take_selection(r, key, value))
        take_value(r, key, value);
}

int main(int argc, char **argv)
{
    struct copy_request r = COPY_REQUEST_INIT;
    struct opt_line line;
    char *out;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END)
        take_option(&r, key, line.value);
    if (line.noperands != 2)
        msg_die(MSG_USAGE,
                "expected an input and an output, got %zu: nccopy [options] INPUT OUTPUT (nccopy --help says "
                "more)",
                line.noperands);
    r.in = line.operands[0];
    r.out = out = output_target(line.operands[1]);
    code = copy_run(&r);
    free(out);
    copy_request_free(&r);
    opt_end(&line);
    return msg_finish(code, MSG_FAILED);
}
