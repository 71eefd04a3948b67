/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of docs/codecs.md, from the registry itself: codec_table prints it,
 * codec_table FILE compares it with what the file has between its two marks. */
#include "codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM "<!-- made by codec_table from here -->\n"
#define TO "<!-- to here -->\n"

static void put_number(FILE *out, double v)
{
    if (v == 4294967295.0)
        fprintf(out, "2^32-1");
    else
        fprintf(out, "%.10g", v);
}

static void put_param(FILE *out, const struct cel_param *p)
{
    fprintf(out, "`%s`", p->name);
    if (p->json && strcmp(p->json, p->name) != 0)
        fprintf(out, " (JSON `%s`)", p->json);
    if (p->kind == CEL_PARAM_CHOICE) {
        fprintf(out, ": %s", p->help);
        if ((size_t)p->fallback < 64 && p->choices[(size_t)p->fallback])
            fprintf(out, ", default `%s`", p->choices[(size_t)p->fallback]);
    } else if (p->list) {
        fprintf(out, ": %s", p->help);
    } else if (p->kind == CEL_PARAM_BOOL) {
        fprintf(out, ": %s, default %s", p->help, p->fallback ? "true" : "false");
    } else {
        fprintf(out, " ");
        put_number(out, p->min);
        fprintf(out, " to ");
        put_number(out, p->max);
        fprintf(out, ": %s", p->help);
        if (!(p->flags & CEL_PARAM_REQUIRED)) {
            fprintf(out, ", default ");
            if (p->flags & CEL_PARAM_ELEM_SIZE)
                fprintf(out, "the variable's");
            else
                put_number(out, p->fallback);
        }
    }
    if (p->flags & CEL_PARAM_REQUIRED)
        fprintf(out, " (must be given)");
}

static void put_zarr(FILE *out, const char *own, const char *name)
{
    if (own)
        fprintf(out, " `%s` |", own);
    else
        fprintf(out, " `cellar.%s` |", name);
}

static void put_table(FILE *out)
{
    const struct cel_codec *codec;
    const struct cel_param *p;

    fprintf(out, "| name | HDF5 id | Zarr 2 | Zarr 3 | what it does | parameters |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; (codec = cel_codec_at(i)); i++) {
        fprintf(out, "| `%s` | %u |", codec->name, codec->hdf5_id);
        put_zarr(out, codec->zarr2, codec->name);
        put_zarr(out, codec->zarr3, codec->name);
        fprintf(out, " %s%s |", codec->about, codec->flags & CEL_CODEC_LOSSY ? " (values may change)" : "");
        for (p = codec->params; p && p->name; p++) {
            fprintf(out, "%s", p == codec->params ? " " : "; ");
            put_param(out, p);
        }
        fprintf(out, " |\n");
    }
}

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    if (in && text && fread(text, 1, (1 << 20) - 1, in) == 0)
        text[0] = '\0';
    if (in)
        fclose(in);
    return text;
}

static int compare(const char *path)
{
    char *text = read_all(path), *from = text ? strstr(text, FROM) : NULL, *to = from ? strstr(from, TO) : NULL;
    char *made = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&made, &n);
    int same;

    put_table(out);
    fclose(out);
    same = to && (size_t)(to - from) == strlen(FROM) + n && memcmp(from + strlen(FROM), made, n) == 0;
    if (!same)
        fprintf(stderr, "%s does not hold the table that codec_table prints\n", path);
    free(made);
    free(text);
    return !same;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return compare(argv[1]);
    put_table(stdout);
    return 0;
}
