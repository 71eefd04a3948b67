/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables -> parse, help, suggestions. */

#include "opt.h"
#include "cellar.h"
#include "complete.h"
#include "msg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void opt_start(struct opt_line *line, const struct opt_tool *tool, int argc, char **argv)
{
    *line = (struct opt_line){.tool = tool, .argc = argc, .argv = argv, .next = 1};
    line->operands = tool_alloc((size_t)argc + 1, sizeof *line->operands);
    msg_set_tool(tool->name);
}

void opt_end(struct opt_line *line)
{
    free(line->operands);
    *line = (struct opt_line){0};
}

enum { HELP_WIDTH = 100, HELP_COLUMN = 27 };

/* Lines of at most HELP_WIDTH characters, all but the first behind so many blanks. A line end in the text stays one. */
static void print_words(const char *text, size_t indent)
{
    size_t column = indent;

    while (*text) {
        size_t n = strcspn(text, " \n");

        if (column > indent && column + 1 + n > HELP_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)n, text);
        column += n;
        text += n;
        if (*text == '\n') {
            putchar('\n');
            column = indent;
        }
        text += *text != '\0';
    }
    if (column > indent)
        putchar('\n');
}

static void print_option(const struct opt *o)
{
    struct text head = {0};

    if (o->key < 256)
        text_printf(&head, "-%c", o->key);
    if (o->name)
        text_printf(&head, "%s--%s", head.len ? ", " : "    ", o->name);
    if (o->arg)
        text_printf(&head, "%s%s", o->name ? "=" : " ", o->arg);
    if (head.len > HELP_COLUMN - 3)
        printf("  %s\n%*s", text_get(&head), HELP_COLUMN, "");
    else
        printf("  %-*s ", HELP_COLUMN - 3, text_get(&head));
    print_words(o->help, HELP_COLUMN);
    text_free(&head);
}

static const struct opt common[] = {
    {256, "untrusted", NULL, "the input comes from people you do not trust: libhdf5 and plugins are not used"},
    {256, "help", NULL, "this text"},
    {256, "version", NULL, "version of the tool and the library"},
};

void opt_help(const struct opt_tool *tool)
{
    printf("usage: %s %s\n%s\n\n", tool->name, tool->operands, tool->purpose);
    for (size_t i = 0; i < tool->nopts; i++)
        print_option(&tool->opts[i]);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        print_option(&common[i]);
    if (tool->notes) {
        putchar('\n');
        print_words(tool->notes, 0);
    }
}

static const struct opt *find_letter(const struct opt_tool *tool, int letter)
{
    for (size_t i = 0; i < tool->nopts; i++)
        if (tool->opts[i].key == letter)
            return &tool->opts[i];
    return NULL;
}

static noreturn void unknown_long(const struct opt_tool *tool, const char *name)
{
    const char **names = tool_alloc(tool->nopts + 3, sizeof *names);
    size_t n = 0;
    const char *near;

    for (size_t i = 0; i < tool->nopts; i++)
        if (tool->opts[i].name)
            names[n++] = tool->opts[i].name;
    names[n++] = "untrusted";
    names[n++] = "help";
    names[n++] = "version";
    near = msg_nearest(name, names, n);
    free(names);
    if (near)
        msg_die(MSG_USAGE, "unknown option --%s: did you mean --%s? (%s --help lists them all)", name, near,
                tool->name);
    msg_die(MSG_USAGE, "unknown option --%s: %s --help lists them all", name, tool->name);
}

static const struct opt *find_long(const struct opt_tool *tool, const char *word, size_t len)
{
    for (size_t i = 0; i < tool->nopts; i++)
        if (tool->opts[i].name && strlen(tool->opts[i].name) == len && strncmp(tool->opts[i].name, word, len) == 0)
            return &tool->opts[i];
    return NULL;
}

static void end_with_info(const struct opt_tool *tool, const char *word)
{
    if (strcmp(word, "help") == 0) {
        opt_help(tool);
        exit(msg_finish(MSG_OK, MSG_FAILED));
    }
    if (strcmp(word, "version") == 0) {
        printf("%s of Cellar %s\n", tool->name, cellar_version());
        exit(msg_finish(MSG_OK, MSG_FAILED));
    }
    if (strcmp(word, "completion=bash") == 0 || strcmp(word, "completion=zsh") == 0) {
        (word[11] == 'b' ? complete_bash : complete_zsh)(tool);
        exit(MSG_OK);
    }
}

/* What every tool has. */
static bool take_common(const char *word)
{
    return strcmp(word, "untrusted") == 0 && cellar_set_untrusted(1) == 0;
}

static int take_long(struct opt_line *line, const char *word)
{
    size_t len = strcspn(word, "=");
    const struct opt *o = find_long(line->tool, word, len);

    if (!o) {
        end_with_info(line->tool, word);
        char *name = tool_strndup(word, len);
        unknown_long(line->tool, name);
    }
    line->value = word[len] ? word + len + 1 : NULL;
    if (!o->arg && line->value)
        msg_die(MSG_USAGE, "--%s takes no value", o->name);
    if (o->arg && !line->value) {
        if (line->next >= line->argc)
            msg_die(MSG_USAGE, "--%s needs a value: --%s=%s", o->name, o->name, o->arg);
        line->value = line->argv[line->next++];
    }
    return o->key;
}

static int take_letter(struct opt_line *line)
{
    int letter = (unsigned char)*line->rest++;
    const struct opt *o = find_letter(line->tool, letter);

    if (!o)
        msg_die(MSG_USAGE, "unknown option -%c: %s --help lists them all", letter, line->tool->name);
    line->value = NULL;
    if (o->arg && *line->rest) {
        line->value = line->rest;
        line->rest = NULL;
    } else if (o->arg) {
        if (line->next >= line->argc)
            msg_die(MSG_USAGE, "-%c needs a value: -%c %s", letter, letter, o->arg);
        line->value = line->argv[line->next++];
        line->rest = NULL;
    } else if (!*line->rest) {
        line->rest = NULL;
    }
    return letter;
}

/* Datasets are read and written at any place. */
static void check_operand(const struct opt_line *line, const char *word)
{
    if (!*word)
        msg_die(MSG_USAGE, "the name of a file is empty: %s %s", line->tool->name, line->tool->operands);
    if (strcmp(word, "-") == 0 && !line->takes_stdin && !line->only_operands)
        msg_die(MSG_USAGE, "-: datasets are not read from standard input or written to standard output: name a file");
}

int opt_next(struct opt_line *line)
{
    if (line->rest)
        return take_letter(line);
    while (line->next < line->argc) {
        char *word = line->argv[line->next++];
        if (line->only_operands || word[0] != '-' || !word[1]) {
            if (!line->ends_at_operand)
                check_operand(line, word);
            line->operands[line->noperands++] = word;
            line->only_operands = line->only_operands || line->ends_at_operand;
        } else if (strcmp(word, "--") == 0) {
            line->only_operands = true;
        } else if (word[1] == '-') {
            if (!take_common(word + 2))
                return take_long(line, word + 2);
        } else {
            line->rest = word + 1;
            return take_letter(line);
        }
    }
    return OPT_END;
}

long long opt_number(const char *option, const char *text, long long lo, long long hi)
{
    static const struct {
        char letter;
        long long factor;
    } unit[] = {{'K', 1000}, {'M', 1000000}, {'G', 1000000000}, {'T', 1000000000000}};
    char *end;
    double v = strtod(text, &end);

    for (size_t i = 0; i < sizeof unit / sizeof *unit && end != text; i++)
        if (*end == unit[i].letter || *end == unit[i].letter + ('a' - 'A')) {
            v *= (double)unit[i].factor;
            end++;
            break;
        }
    if (end == text || *end || v != (double)(long long)v || v < (double)lo || v > (double)hi)
        msg_die(MSG_USAGE, "%s %s: expected a whole number from %lld to %lld%s", option, text, lo, hi,
                hi > 1000000 ? ", or one with K, M, G or T" : "");
    return (long long)v;
}

bool opt_set_switch(const struct opt_switch *table, int key, void *request)
{
    for (; table->key; table++)
        if (table->key == key) {
            *(bool *)((char *)request + table->offset) = true;
            return true;
        }
    return false;
}
