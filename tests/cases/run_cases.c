/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs text cases: three lines each, blank lines and lines with # between them.
 *
 *   what is asked: ids, names, json, json3, error, or words (the numbers of the
 *   text, whether or not there are such filters)
 *   the filter text ("..." keeps blanks at its ends)
 *   the answer: the chain in that spelling, or for error the code, the column
 *   (from 1; 0: not said) and a part of the sentence
 *
 * Every case that gives a chain is also taken through the other spellings and
 * must come back the same. */
#include "buf.h"
#include "chain.h"
#include "spec.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int code;
} codes[] = {{"NC_EINVAL", NC_EINVAL}, {"NC_EFILTER", NC_EFILTER}, {"NC_ENOFILTER", NC_ENOFILTER}};

static const struct {
    const char *name;
    enum cel_spelling spelling;
} asks[] = {{"ids", CEL_SPELL_IDS}, {"names", CEL_SPELL_NAMES}, {"json", CEL_SPELL_JSON2}, {"json3", CEL_SPELL_JSON3}};

struct test_case {
    char ask[256], input[4096], answer[4096];
    int line;
};

static bool read_line(FILE *f, char *out, size_t cap, int *line)
{
    if (!fgets(out, (int)cap, f))
        return false;
    out[strcspn(out, "\r\n")] = '\0';
    ++*line;
    return true;
}

static void unquote(char *text)
{
    size_t n = strlen(text);

    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return;
    memmove(text, text + 1, n - 2);
    text[n - 2] = '\0';
}

static bool next_case(FILE *f, struct test_case *c, int *line)
{
    do
        if (!read_line(f, c->ask, sizeof c->ask, line))
            return false;
    while (c->ask[0] == '\0' || c->ask[0] == '#');
    c->line = *line;
    if (!read_line(f, c->input, sizeof c->input, line) || !read_line(f, c->answer, sizeof c->answer, line))
        return false;
    unquote(c->input);
    return true;
}

static int code_of(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strlen(codes[i].name) == len && strncmp(codes[i].name, name, len) == 0)
            return codes[i].code;
    return 0;
}

static bool check_error(const struct test_case *c, const char *file, int rc, size_t column)
{
    size_t n = strcspn(c->answer, " ");
    char *text;
    unsigned long want = strtoul(c->answer + n, &text, 10);

    text += *text == ' ';
    if (rc == code_of(c->answer, n) && (want == 0 || want == column + 1) && strstr(cel_error_text(), text))
        return true;
    printf("%s:%d: %s\n  wanted %s\n  got    code %d, column %zu: %s\n", file, c->line, c->input, c->answer, rc,
           column + 1, rc ? cel_error_text() : "no error");
    return false;
}

static bool print_as(const struct cel_chain *chain, enum cel_spelling spelling, char *out, size_t cap)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);
    bool ok = cel_chain_print(chain, spelling, &b) == CEL_OK && b.len < cap;

    if (ok) {
        memcpy(out, b.data ? b.data : "", b.len);
        out[b.len] = '\0';
    }
    cel_buf_dispose(&b);
    return ok;
}

/* Through every other spelling and back. */
static bool comes_back(const struct test_case *c, const char *file, const struct cel_chain *chain)
{
    char want[4096], text[8192], got[4096];
    bool ok = print_as(chain, CEL_SPELL_JSON2, want, sizeof want);

    for (size_t i = 0; i < chain->n; i++)
        if (!chain->step[i].codec)
            return ok; /* ids and names only stand for what is there */
    for (size_t i = 0; ok && i < sizeof asks / sizeof *asks; i++) {
        struct cel_chain back = {0};

        ok = print_as(chain, asks[i].spelling, text, sizeof text) && cel_chain_parse(text, &back, NULL) == CEL_OK &&
             print_as(&back, CEL_SPELL_JSON2, got, sizeof got) && strcmp(want, got) == 0;
        if (!ok)
            printf("%s:%d: %s is lost as %s: %s (%s)\n", file, c->line, c->input, asks[i].name, text, cel_error_text());
        cel_chain_dispose(&back);
    }
    return ok;
}

static bool check_chain(const struct test_case *c, const char *file, const struct cel_chain *chain)
{
    char got[8192] = "";

    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        if (strcmp(asks[i].name, c->ask) != 0)
            continue;
        if (print_as(chain, asks[i].spelling, got, sizeof got) && strcmp(got, c->answer) == 0)
            return comes_back(c, file, chain);
        break;
    }
    printf("%s:%d: %s\n  wanted %s\n  got    %s\n", file, c->line, c->input, c->answer, got);
    return false;
}

/* "id,word,word|id" */
static void print_specs(const struct cel_spec *spec, size_t n, char *out, size_t cap)
{
    size_t len = 0;

    out[0] = '\0';
    for (size_t i = 0; i < n && len < cap; i++) {
        len += (size_t)snprintf(out + len, cap - len, "%s%u", i ? "|" : "", spec[i].id);
        for (size_t k = 0; k < spec[i].words.n && len < cap; k++)
            len += (size_t)snprintf(out + len, cap - len, ",%u", spec[i].words.w[k]);
    }
}

static bool check_words(const struct test_case *c, const char *file)
{
    struct cel_spec spec[CEL_CHAIN_MAX];
    char got[8192];
    size_t n, column;
    int rc = cel_spec_parse(c->input, spec, CEL_CHAIN_MAX, &n, &column);

    if (rc != CEL_OK)
        return check_error(c, file, rc, column);
    print_specs(spec, n, got, sizeof got);
    if (strcmp(got, c->answer) == 0)
        return true;
    printf("%s:%d: %s\n  wanted %s\n  got    %s\n", file, c->line, c->input, c->answer, got);
    return false;
}

static bool run_case(const struct test_case *c, const char *file)
{
    struct cel_chain chain = {0};
    size_t column = 0;
    bool ok;
    int rc;

    if (strcmp(c->ask, "words") == 0)
        return check_words(c, file);
    rc = cel_chain_parse(c->input, &chain, &column);
    if (strcmp(c->ask, "error") == 0)
        ok = check_error(c, file, rc, column);
    else if (rc == CEL_OK)
        ok = check_chain(c, file, &chain);
    else
        ok = check_error(c, file, rc, column);
    cel_chain_dispose(&chain);
    return ok;
}

int main(int argc, char **argv)
{
    int ncases = 0, failed = 0;

    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        struct test_case c;
        int line = 0;

        if (!f) {
            perror(argv[i]);
            return 2;
        }
        for (; next_case(f, &c, &line); ncases++)
            failed += !run_case(&c, argv[i]);
        fclose(f);
    }
    printf("%d cases, %d failed\n", ncases, failed);
    return failed != 0 || ncases == 0;
}
