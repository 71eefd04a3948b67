/* SPDX-License-Identifier: BSD-3-Clause */
/* A sorted list of lines; looked up by bisection. */

#include "manifest.h"
#include "msg.h"
#include "output.h"
#include "safe.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "# cellar checksums 1"

static int compare(const void *x, const void *y)
{
    return strcmp(((const struct manifest_line *)x)->what, ((const struct manifest_line *)y)->what);
}

static void add(struct manifest *m, char *what, uint64_t hash)
{
    m->line = tool_push(m->line, m->n, sizeof *m->line);
    m->line[m->n++] = (struct manifest_line){.what = what, .hash = hash};
}

static bool parse(struct manifest *m, char *line)
{
    char *end;
    uint64_t hash = strtoull(line, &end, 16);
    char *tab = *end == '\t' ? strchr(end + 1, '\t') : NULL;

    if (end != line + 16 || !tab || !strchr(tab + 1, '\t'))
        return false;
    add(m, tool_strdup(end + 1), hash);
    return true;
}

static bool load(struct manifest *m, char *text)
{
    size_t number = 1;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), number++)
        if (number == 1 ? strcmp(line, HEAD) != 0 : !parse(m, line)) {
            msg_error(
                "%s: line %zu is none of a manifest of checksums: say another file, or remove this one to have it "
                "written anew",
                m->path, number);
            return false;
        }
    if (number == 1)
        msg_error("%s: the file is empty, which no manifest is: remove it to have it written anew", m->path);
    if (m->n)
        qsort(m->line, m->n, sizeof *m->line, compare);
    return number > 1;
}

bool manifest_open(const char *path, struct manifest *out)
{
    size_t len;
    char *text;
    bool ok = true;

    *out = (struct manifest){.path = path};
    pthread_mutex_init(&out->lock, NULL);
    text = text_read_file(path, &len);
    out->checking = text != NULL;
    if (text)
        ok = load(out, text);
    else if (errno != ENOENT) {
        msg_error("%s: %s", path, strerror(errno));
        ok = false;
    }
    free(text);
    return ok;
}

static char *key_of(const char *file, const char *var, const char *chunk)
{
    struct text t = {0};

    safe_put(&t, file, strlen(file));
    text_putc(&t, '\t');
    safe_put(&t, var, strlen(var));
    text_printf(&t, "\t%s", chunk);
    return text_take(&t);
}

static enum manifest_answer check(struct manifest *m, char *what, uint64_t hash)
{
    struct manifest_line wanted = {.what = what};
    struct manifest_line *found = m->n ? bsearch(&wanted, m->line, m->n, sizeof *m->line, compare) : NULL;

    if (!found)
        return MANIFEST_NEW;
    found->seen = true;
    return found->hash == hash ? MANIFEST_AGREES : MANIFEST_DIFFERS;
}

enum manifest_answer manifest_note(struct manifest *m, const char *file, const char *var, const char *chunk,
                                   uint64_t hash)
{
    enum manifest_answer answer = MANIFEST_AGREES;
    char *what = key_of(file, var, chunk);

    pthread_mutex_lock(&m->lock);
    if (m->checking) {
        answer = check(m, what, hash);
        free(what);
    } else {
        add(m, what, hash);
    }
    pthread_mutex_unlock(&m->lock);
    return answer;
}

/* How lines of this file begin, with one TAB. Yours to free. */
static char *prefix_of(const char *file)
{
    char *prefix = key_of(file, "", "");

    prefix[strlen(prefix) - 1] = '\0';
    return prefix;
}

bool manifest_has(const struct manifest *m, const char *file)
{
    char *prefix = prefix_of(file);
    bool has = !m->checking;

    for (size_t i = 0; !has && i < m->n; i++)
        has = strncmp(m->line[i].what, prefix, strlen(prefix)) == 0;
    free(prefix);
    return has;
}

void manifest_unseen(struct manifest *m, const char *file, void (*visit)(void *arg, const char *var, const char *chunk),
                     void *arg)
{
    char *prefix = prefix_of(file);
    size_t n = strlen(prefix);

    for (size_t i = 0; m->checking && i < m->n; i++)
        if (!m->line[i].seen && strncmp(m->line[i].what, prefix, n) == 0) {
            char *rest = tool_strdup(m->line[i].what + n), *tab = strrchr(rest, '\t');

            *tab = '\0';
            visit(arg, rest, tab + 1);
            free(rest);
        }
    free(prefix);
}

bool manifest_save(struct manifest *m)
{
    struct text t = {0};
    bool ok;

    if (m->checking)
        return true;
    if (m->n)
        qsort(m->line, m->n, sizeof *m->line, compare);
    text_printf(&t, "%s\n", HEAD);
    for (size_t i = 0; i < m->n; i++)
        text_printf(&t, "%016" PRIx64 "\t%s\n", m->line[i].hash, m->line[i].what);
    ok = output_text(m->path, t.s, t.len);
    text_free(&t);
    return ok;
}

void manifest_close(struct manifest *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->line[i].what);
    free(m->line);
    pthread_mutex_destroy(&m->lock);
    *m = (struct manifest){0};
}
