/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar help: what there is, or what one subcommand takes. */

#include "command.h"
#include "msg.h"

static const struct opt_tool tool = {
    "cellar help", "[COMMAND]", "Say which commands there are, or what one of them takes.", NULL, 0, NULL};

static int run(int argc, char **argv)
{
    struct opt_line line;

    opt_start(&line, &tool, argc, argv);
    while (opt_next(&line) != OPT_END)
        ;
    if (line.noperands > 1)
        msg_die(MSG_USAGE, "expected one command, got %zu: cellar help COMMAND", line.noperands);
    if (line.noperands == 1)
        opt_help(command_get(line.operands[0])->tool);
    else
        command_list();
    opt_end(&line);
    return MSG_OK;
}

const struct command command_help = {&tool, run, MSG_FAILED};
