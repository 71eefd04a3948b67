/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands of one file and some of its variables. */

#include "look.h"
#include "msg.h"
#include "opt.h"
#include "select.h"
#include <string.h>

int look_open_operand(const struct opt_line *line, const struct select *only, struct look *out)
{
    const char *name = line->tool->name;
    int status;

    *out = (struct look){0};
    if (line->noperands != 1)
        msg_die(MSG_USAGE, "expected one file, got %zu: %s %s (cellar help %s says more)", line->noperands, name,
                line->tool->operands, strchr(name, ' ') + 1);
    status = look_open(line->operands[0], out);
    if (status)
        return msg_nc(status, "%s", line->operands[0]);
    select_check_vars(only, out->ncid, line->operands[0]);
    return MSG_OK;
}

int look_each_chosen(const struct look *l, const struct select *only, int (*visit)(void *arg, const struct look_var *v),
                     void *arg)
{
    int code = MSG_OK;

    for (size_t i = 0; i < l->nvars && code == MSG_OK; i++)
        if (!only->n || select_has_var(only, l->var[i].group, l->var[i].id))
            code = visit(arg, &l->var[i]);
    return code;
}
