/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar: one command with subcommands that look at files, check them and advise. */

#include "command.h"
#include "complete.h"
#include "msg.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct command *const commands[] = {
    &command_help,
    &command_info,
    &command_verify,
    &command_salvage,
    &command_doctor,
    &command_diff,
    &command_refs,
    &command_bits,
    &command_chunks,
    &command_tune,
    &command_run,
};
/* clang-format on */
enum { NCOMMANDS = sizeof commands / sizeof *commands };

/* The program itself: --help and --version before any subcommand. */
static const struct opt_tool program = {
    "cellar", "COMMAND [options] ...", "Look at netCDF files and Zarr stores, check them, and advise.", NULL, 0, NULL};

static const char *name_of(const struct command *c)
{
    return strchr(c->tool->name, ' ') + 1;
}

const struct command *command_get(const char *name)
{
    const char *names[NCOMMANDS], *near;

    for (size_t i = 0; i < NCOMMANDS; i++) {
        names[i] = name_of(commands[i]);
        if (strcmp(names[i], name) == 0)
            return commands[i];
    }
    near = msg_nearest(name, names, NCOMMANDS);
    if (near)
        msg_die(MSG_USAGE, "unknown command %s: did you mean %s? (cellar help lists them all)", name, near);
    msg_die(MSG_USAGE, "unknown command %s: cellar help lists them all", name);
}

void command_list(void)
{
    printf("usage: %s %s\n%s\n\n", program.name, program.operands, program.purpose);
    for (size_t i = 0; i < NCOMMANDS; i++)
        printf("  %-10s %s\n", name_of(commands[i]), commands[i]->tool->purpose);
    printf("\ncellar help COMMAND says what a command takes; cellar --version tells the version.\n");
}

static int print_completion(const char *shell)
{
    const struct opt_tool *tools[NCOMMANDS];

    for (size_t i = 0; i < NCOMMANDS; i++)
        tools[i] = commands[i]->tool;
    if (strcmp(shell, "bash") == 0)
        complete_bash_commands(program.name, tools, NCOMMANDS);
    else if (strcmp(shell, "zsh") == 0)
        complete_zsh_commands(program.name, tools, NCOMMANDS);
    else
        msg_die(MSG_USAGE, "--completion %s: expected bash or zsh", shell);
    return MSG_OK;
}

int main(int argc, char **argv)
{
    const struct command *command;
    struct opt_line line;
    int code;

    msg_set_tool(program.name);
    if (argc > 1 && strncmp(argv[1], "--completion=", 13) == 0)
        return print_completion(argv[1] + 13);
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        command_list();
        return msg_finish(MSG_OK, MSG_FAILED);
    }
    opt_start(&line, &program, argc, argv);
    line.ends_at_operand = true;
    while (opt_next(&line) != OPT_END)
        ;
    if (line.noperands == 0)
        msg_die(MSG_USAGE, "expected a command: cellar help lists them");
    command = command_get(line.operands[0]);
    code = command->run((int)line.noperands, line.operands);
    opt_end(&line);
    return msg_finish(code, command->trouble);
}
