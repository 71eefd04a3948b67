/* SPDX-License-Identifier: BSD-3-Clause */
/* Option tables -> completion scripts. */

#include "complete.h"
#include <stdio.h>
#include <string.h>

static void put_bash_words(const struct opt_tool *tool)
{
    for (size_t i = 0; i < tool->nopts; i++) {
        if (tool->opts[i].key < 256)
            printf("-%c ", tool->opts[i].key);
        if (tool->opts[i].name)
            printf("--%s%s ", tool->opts[i].name, tool->opts[i].arg ? "=" : "");
    }
    fputs("--untrusted --help --version", stdout);
}

void complete_bash(const struct opt_tool *tool)
{
    printf("# bash completion for %s\n_%s()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]}\n    if [[ $cur == "
           "-* ]]; then\n"
           "        COMPREPLY=($(compgen -W '",
           tool->name, tool->name);
    put_bash_words(tool);
    printf("' -- \"$cur\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    "
           "fi\n}\n"
           "complete -o filenames -o nospace -F _%s %s\n",
           tool->name, tool->name);
}

static const char *command_name(const struct opt_tool *tool)
{
    return strrchr(tool->name, ' ') + 1;
}

void complete_bash_commands(const char *program, const struct opt_tool *const *tools, size_t n)
{
    printf("# bash completion for %s\n_%s()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
           "    if ((COMP_CWORD == 1)); then\n        compopt +o nospace +o filenames 2>/dev/null\n"
           "        COMPREPLY=($(compgen -W '",
           program, program);
    for (size_t i = 0; i < n; i++)
        printf("%s ", command_name(tools[i]));
    puts("--help --version' -- \"$cur\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < n; i++) {
        printf("    %s) words='", command_name(tools[i]));
        put_bash_words(tools[i]);
        puts("' ;;");
    }
    printf("    esac\n    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
           "complete -o filenames -o nospace -F _%s %s\n",
           program, program);
}

/* The characters that mean something to _arguments stand behind a backslash. */
static void put_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            putchar('\\');
        if (*text == '\'')
            fputs("'\\'", stdout);
        putchar(*text);
    }
}

/* What may follow: a file, one of some words ("text|json"), or something zsh cannot know. */
static void zsh_values(const char *arg)
{
    if (strcmp(arg, "FILE") == 0) {
        fputs("_files", stdout);
    } else if (strchr(arg, '|')) {
        putchar('(');
        for (; *arg; arg++)
            putchar(*arg == '|' ? ' ' : *arg);
        putchar(')');
    }
}

static void zsh_option(const struct opt *o, const char *dashes, const char *name)
{
    printf("  '*%s%s%s[", dashes, name, o->arg && *dashes && dashes[1] ? "=" : o->arg ? "+" : "");
    put_zsh_text(o->help);
    putchar(']');
    if (o->arg) {
        putchar(':');
        put_zsh_text(o->arg);
        putchar(':');
        zsh_values(o->arg);
    }
    puts("' \\");
}

static void zsh_arguments(const struct opt_tool *tool)
{
    puts("_arguments -s \\");
    for (size_t i = 0; i < tool->nopts; i++) {
        char letter[2] = {(char)tool->opts[i].key, '\0'};

        if (tool->opts[i].key < 256)
            zsh_option(&tool->opts[i], "-", letter);
        if (tool->opts[i].name)
            zsh_option(&tool->opts[i], "--", tool->opts[i].name);
    }
    puts("  '--untrusted[the input is not trusted]' \\\n  '--help[help]' \\\n  '--version[version]' \\\n  "
         "'*:file:_files'");
}

void complete_zsh(const struct opt_tool *tool)
{
    printf("#compdef %s\n", tool->name);
    zsh_arguments(tool);
}

void complete_zsh_commands(const char *program, const struct opt_tool *const *tools, size_t n)
{
    printf("#compdef %s\nlocal -a commands\ncommands=(\n", program);
    for (size_t i = 0; i < n; i++) {
        printf("  '%s:", command_name(tools[i]));
        put_zsh_text(tools[i]->purpose);
        puts("'");
    }
    puts(")\nif ((CURRENT == 2)) && [[ $PREFIX != -* ]]; then\n  _describe command commands\n  return\nfi\n"
         "if ((CURRENT > 2)); then\n  shift words\n  ((CURRENT--))\nfi\ncase $words[1] in");
    for (size_t i = 0; i < n; i++) {
        printf("%s)\n", command_name(tools[i]));
        zsh_arguments(tools[i]);
        puts(";;");
    }
    puts("*) _arguments '--untrusted[the input is not trusted]' '--help[help]' '--version[version]' ;;\nesac");
}
