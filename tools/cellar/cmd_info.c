/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar info: what is in a file, how it is stored, and where its bytes go. */

#include "command.h"
#include "info.h"
#include "cellar.h"
#include "msg.h"
#include "output.h"

enum { LONG_CHUNKS = 256, LONG_LAYOUT, LONG_HTML, LONG_JSON };

static const struct opt options[] = {
    {LONG_CHUNKS, "chunks", "VAR", "sizes of the chunks of one variable, with a map of them"},
    {LONG_LAYOUT, "layout", NULL, "where data and metadata lie in the file"},
    {LONG_HTML, "html", "PAGE", "write a page for a browser: where bytes go, chunk by chunk and bit by bit"},
    {LONG_JSON, "json", NULL, "JSON in place of text (docs/schema/info.json)"},
};

static const struct opt_tool tool = {"cellar info",
                                     "[options] FILE",
                                     "Show what is in a file, how it is stored, and where its bytes go.",
                                     options,
                                     sizeof options / sizeof *options,
                                     "exit codes: 0 shown; 1 the file could not be read or lacks the variable; "
                                     "2 wrong command line\n"};

static int run(int argc, char **argv)
{
    struct info_request r = {0};
    struct opt_line line;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END) {
        if (key == LONG_CHUNKS)
            r.chunks_of = line.value;
        if (key == LONG_HTML)
            r.html = line.value;
        r.layout = r.layout || key == LONG_LAYOUT;
        r.json = r.json || key == LONG_JSON;
    }
    if (line.noperands != 1)
        msg_die(MSG_USAGE, "expected one file, got %zu: cellar info [options] FILE (cellar help info says more)",
                line.noperands);
    if (r.html && (r.json || r.chunks_of || r.layout))
        msg_die(MSG_USAGE, "--html has all in one page: leave out --json, --chunks and --layout");
    if (r.html)
        output_check(r.html, line.operands[0]);
    code = info_file(line.operands[0], &r);
    opt_end(&line);
    return code;
}

const struct command command_info = {&tool, run, MSG_FAILED};
