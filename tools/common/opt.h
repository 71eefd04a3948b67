/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_OPT_H
#define TOOL_OPT_H

/* Command lines from one table per tool: parsing, the usage line, --help and the
 * "did you mean" of a misspelt option all come from it. */

#include "text.h"

struct opt {
    int key;          /* what opt_next gives: the letter, or a number above 255 for long names only */
    const char *name; /* long name without "--", or NULL */
    const char *arg;  /* what its value is called in the help; NULL: a switch */
    const char *help;
};

struct opt_tool {
    const char *name;
    const char *operands; /* "[options] infile outfile" */
    const char *purpose;  /* one line */
    const struct opt *opts;
    size_t nopts;
    const char *notes; /* after the options: exit codes, examples; may be NULL */
};

struct opt_line {
    const struct opt_tool *tool;
    int argc;
    char **argv;
    int next;             /* index of the next word */
    const char *rest;     /* further letters of a word such as -hs */
    bool only_operands;   /* after "--" */
    bool ends_at_operand; /* set after opt_start: options behind the first operand are another program's */
    bool takes_stdin;     /* set after opt_start: the operand - is standard input; else it is refused */
    const char *value;    /* of the option just given */
    char **operands;
    size_t noperands;
};

enum { OPT_END = -1, OPT_HELP = 1000, OPT_VERSION };

void opt_start(struct opt_line *line, const struct opt_tool *tool, int argc, char **argv);

/* The key of the next option, OPT_END after the last; operands met on the way are
 * collected. A wrong command line ends the tool with one line and exit code 2;
 * --help and --version print and end it with 0. */
int opt_next(struct opt_line *line);
void opt_end(struct opt_line *line);

/* A whole number from lo to hi with an optional K, M, G (1000s as in netCDF's tools); ends the tool when it
 * is not. */
long long opt_number(const char *option, const char *text, long long lo, long long hi);

/* Switches that only set a bool of the tool's request: the key, and the offset of the bool in it. Key 0 ends
 * a table. opt_set_switch returns whether the key is in the table. */
struct opt_switch {
    int key;
    size_t offset;
};
bool opt_set_switch(const struct opt_switch *table, int key, void *request);

void opt_help(const struct opt_tool *tool); /* what --help prints */

#endif
