/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

/* A subcommand of `cellar`: one file cmd_<name>.c and one row of the table in main.c. Its option table is named
 * "cellar <name>"; help, completions and suggestions come from it. */

#include "opt.h"

struct command {
    const struct opt_tool *tool;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; gives the exit code */
    int trouble;                       /* exit code where its answer is lost */
};

extern const struct command command_bits;
extern const struct command command_chunks;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_help;
extern const struct command command_info;
extern const struct command command_refs;
extern const struct command command_run;
extern const struct command command_salvage;
extern const struct command command_tune;
extern const struct command command_verify;

/* main.c: the row of that name; ends the command with a suggestion when there is none. */
const struct command *command_get(const char *name);
void command_list(void); /* the usage line and one line for each subcommand */

#endif
