/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_COMPLETE_H
#define TOOL_COMPLETE_H

/* What --completion=bash|zsh prints: the script that is installed, made of the option tables. */

#include "opt.h"

void complete_bash(const struct opt_tool *tool);
void complete_zsh(const struct opt_tool *tool);

/* The same for a program with subcommands: each of the n tools is named "program subcommand". */
void complete_bash_commands(const char *program, const struct opt_tool *const *tools, size_t n);
void complete_zsh_commands(const char *program, const struct opt_tool *const *tools, size_t n);

#endif
