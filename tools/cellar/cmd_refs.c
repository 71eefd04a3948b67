/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar refs: files as one Zarr dataset, without copying them. */

#include "command.h"
#include "filelist.h"
#include "msg.h"
#include "output.h"
#include "progress.h"
#include "refs.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONG_CONCAT = 256, LONG_INLINE, LONG_AS_GIVEN };

static const struct opt options[] = {
    {'o', "output", "FILE", "write the references there (default: standard output)"},
    {LONG_CONCAT, "concat", "DIM", "several files follow one another along DIM (default: the unlimited dimension)"},
    {LONG_INLINE, "inline", "BYTES", "chunks smaller than this are written into the document (default 500)"},
    {LONG_AS_GIVEN, "as-given", NULL, "names of files as they are given (default: absolute)"},
    {'q', "quiet", NULL, "no progress on a terminal"},
};

static const struct opt_tool tool = {
    "cellar refs",
    "[options] FILE...",
    "Write references to the chunks of files (kerchunk JSON): one Zarr dataset, nothing is copied.",
    options,
    sizeof options / sizeof *options,
    "Read it as any other store: file://OUT.json#mode=zarr, or with xarray's engine kerchunk. FILE is an HDF5 or "
    "netCDF file, or a directory of them.\n"
    "exit codes: 0 written; 1 failed, OUT is as it was; 2 wrong command line\n"};

static int make(const struct refs_request *req, const struct filelist *files, const char *output)
{
    struct refs r = {.req = req};
    struct text document = {0};
    int code = MSG_FAILED;
    bool ok = refs_start(&r, files->at[0], files->n > 1);

    progress_start(req->quiet, files->n);
    for (size_t i = 0; ok && i < files->n; i++)
        ok = refs_add(&r, files->at[i]);
    progress_end();
    if (ok) {
        refs_document(&r, &document);
        code = output_text(output, document.s, document.len) ? MSG_OK : MSG_FAILED;
    }
    text_free(&document);
    refs_free(&r);
    return code;
}

static int run(int argc, char **argv)
{
    struct refs_request req = {.inlined = 500};
    struct filelist files = {0};
    const char *output = NULL;
    struct opt_line line;
    bool listed = true;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END) {
        switch (key) {
        case 'o': output = line.value; break;
        case LONG_CONCAT: req.concat = line.value; break;
        case LONG_INLINE: req.inlined = (unsigned long long)opt_number("--inline", line.value, 0, 1LL << 30); break;
        case LONG_AS_GIVEN: req.as_given = true; break;
        default: req.quiet = true; break;
        }
    }
    if (line.noperands == 0)
        msg_die(MSG_USAGE, "expected files: cellar refs [options] FILE... (cellar help refs says more)");
    for (size_t i = 0; i < line.noperands; i++)
        listed = filelist_add(&files, line.operands[i]) && listed;
    for (size_t i = 0; output && i < files.n; i++)
        output_check(output, files.at[i]);
    code = listed ? make(&req, &files, output) : MSG_FAILED;
    filelist_free(&files);
    opt_end(&line);
    return code;
}

const struct command command_refs = {&tool, run, MSG_FAILED};
