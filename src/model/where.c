/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an error happened: the one place that writes variables and chunks into error texts.
 * A variable is named with its path, "/ocean/temp"; one of the root group by its name alone, "t2m".
 * No memory is asked for, so that NC_ENOMEM too can say where it happened. */
#include "model_int.h"
#include <stdio.h>

enum { INDEX_DIGITS = 22 }; /* at most, of one number of a chunk index with its comma */

/* Put `word` before what `text` holds from `at` on. What does not fit is cut at its front, between characters. */
static size_t prepend(char *text, size_t at, const char *word)
{
    size_t n = strlen(word), kept = n < at ? n : at;

    while (kept && kept < n && ((unsigned char)word[n - kept] & 0xc0) == 0x80)
        kept--;
    memcpy(text + at - kept, word + n - kept, kept);
    return at - kept;
}

static const char *write_path(const struct cel_group *group, const char *name, char text[CEL_WHERE_TEXT])
{
    size_t at = prepend(text, CEL_WHERE_TEXT - 1, name);

    for (; group->parent; group = group->parent) {
        at = prepend(text, at, "/");
        at = prepend(text, at, group->name);
        if (!group->parent->parent)
            at = prepend(text, at, "/");
    }
    memmove(text, text + at, CEL_WHERE_TEXT - 1 - at);
    text[CEL_WHERE_TEXT - 1 - at] = '\0';
    return text;
}

const char *cel_var_path(const struct cel_var *var, char text[CEL_WHERE_TEXT])
{
    return write_path(var->group, var->name, text);
}

const char *cel_chunk_text(const size_t *index, int rank, char text[CEL_WHERE_TEXT])
{
    size_t at = (size_t)snprintf(text, CEL_WHERE_TEXT, "chunk (");
    int d = 0;

    assert(rank >= 0);
    for (; d < rank && at + INDEX_DIGITS + sizeof ",...)" <= CEL_WHERE_TEXT; d++)
        at += (size_t)snprintf(text + at, CEL_WHERE_TEXT - at, "%s%zu", d ? "," : "", index[d]);
    snprintf(text + at, CEL_WHERE_TEXT - at, d < rank ? ",...)" : ")");
    return text;
}

int cel_fail_in_var(int rc, const struct cel_var *var)
{
    return cel_fail_in_new_var(rc, var->group, var->name);
}

int cel_fail_in_new_var(int rc, const struct cel_group *group, const char *name)
{
    char text[CEL_WHERE_TEXT];

    assert(rc != CEL_OK);
    return cel_fail_at(rc, CEL_IN_VARIABLE, "%s", write_path(group, name, text));
}

int cel_fail_in_chunk(int rc, const size_t *index, int rank)
{
    char text[CEL_WHERE_TEXT];

    assert(rc != CEL_OK);
    return cel_fail_at(rc, CEL_IN_CHUNK, "%s", cel_chunk_text(index, rank, text));
}
