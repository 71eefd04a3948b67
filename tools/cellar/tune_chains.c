/* SPDX-License-Identifier: BSD-3-Clause */
/* The chains that race: each has won somewhere. Those that a build lacks drop out. */

#include "bits_var.h"
#include "tune.h"
#include <stdlib.h>
#include <string.h>

enum { ANY, WIDE, REAL }; /* elements of more than a byte; floats and doubles */

static const struct {
    const char *text;
    int fits;
} chains[] = {
    {"lz4", ANY},
    {"zstd,level=3", ANY},
    {"zstd,level=19", ANY},
    {"deflate,level=6", ANY},
    {"ndcell,cell=4|bitshuffle|lz4", ANY},
    {"ndcell,cell=4|bitshuffle|zstd,level=3", ANY},
    {"ndcell,cell=4|bitshuffle|zstd,level=19", ANY},
    {"shuffle|lz4", WIDE},
    {"shuffle|deflate,level=1", WIDE},
    {"shuffle|deflate,level=5", WIDE},
    {"shuffle|deflate,level=9", WIDE},
    {"shuffle|zstd,level=1", WIDE},
    {"shuffle|zstd,level=3", WIDE},
    {"shuffle|zstd,level=9", WIDE},
    {"shuffle|zstd,level=19", WIDE},
    {"shuffle|bzip2,level=9", WIDE},
    {"bitshuffle|lz4", WIDE},
    {"bitshuffle|zstd,level=3", WIDE},
    {"ndlorenzo|shuffle|lz4", WIDE},
    {"ndlorenzo|shuffle|zstd,level=1", WIDE},
    {"ndlorenzo|shuffle|zstd,level=3", WIDE},
    {"ndlorenzo|shuffle|zstd,level=19", WIDE},
    {"ndlorenzo|shuffle|deflate,level=6", WIDE},
    {"ndlorenzo|shuffle|bzip2,level=9", WIDE},
    {"ndlorenzo|bitshuffle|lz4", WIDE},
    {"ndlorenzo|bitshuffle|zstd,level=3", WIDE},
    {"ndlorenzo|bitshuffle|zstd,level=19", WIDE},
    {"fpzip", REAL},
    {"zfp,mode=reversible", REAL},
};

static bool is_real(const struct look_var *v)
{
    return v->xtype == NC_FLOAT || v->xtype == NC_DOUBLE;
}

/* A checksum that the variable has stays. */
static const char *checksum_of(const struct look_var *v)
{
    static const char *const names[] = {"fletcher32", "crc32c"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(v->chain, names[i]))
            return names[i];
    return NULL;
}

static void add(struct tune_var *t, bool lossy, const char *before, const char *chain)
{
    const char *checksum = t->nchains ? checksum_of(t->v) : NULL; /* the first is the chain it has */
    struct text text = {0};

    text_printf(&text, "%s%s", before, chain);
    if (checksum)
        text_printf(&text, "|%s", checksum);
    for (size_t i = 0; i < t->nchains; i++)
        if (strcmp(t->chain[i].text, text_get(&text)) == 0) {
            text_free(&text);
            return;
        }
    t->chain = tool_push(t->chain, t->nchains, sizeof *t->chain);
    t->chain[t->nchains++] = (struct tune_chain){.text = tool_strdup(text_get(&text)), .lossy = lossy};
    text_free(&text);
}

static void add_rounded(struct tune_var *t, const char *rounding)
{
    static const char *const behind[] = {"shuffle|zstd,level=3", "shuffle|deflate,level=5", "shuffle|zstd,level=19",
                                         "bitshuffle|zstd,level=3", "ndlorenzo|shuffle|zstd,level=3"};

    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        add(t, true, rounding, behind[i]);
}

/* Within the bound, whatever the values are: zfp, which knows it, and rounding to decimal places. */
static void add_bounded(struct tune_var *t, double bound)
{
    struct text text = {0};
    int digits = 0;

    text_printf(&text, "zfp,mode=accuracy,accuracy=%.17g", bound);
    add(t, true, "", text_get(&text));
    for (double step = 1; step > 2 * bound && digits < 15; digits++)
        step /= 10;
    text_clear(&text);
    text_printf(&text, "quantize,digits=%d|", digits);
    add_rounded(t, text_get(&text));
    text_free(&text);
}

/* As many bits as are information. */
static int add_informed(struct tune_var *t, const struct look_var *v)
{
    struct bits_request how = {.threshold = BITS_TAIL, .confidence = 0.99};
    struct bits_var bits;
    struct text text = {0};
    int status = bits_var_measure(&how, v, &bits);

    if (status == NC_NOERR && bits.v && bits.advised) {
        text_printf(&text, TUNE_ROUND "%d|", bits.keep[0] ? bits.keep[0] : 1);
        add_rounded(t, text_get(&text));
    }
    text_free(&text);
    bits_var_free(&bits);
    return status;
}

/* The chain the variable has comes first: it is what the others are held against. */
int tune_list_chains(const struct tune_request *req, const struct look_var *v, struct tune_var *out)
{
    add(out, false, "", v->chain);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        if (chains[i].fits == ANY || (chains[i].fits == WIDE && v->type->size > 1) ||
            (chains[i].fits == REAL && is_real(v)))
            add(out, false, "", chains[i].text);
    if (req->bound > 0 && is_real(v))
        add_bounded(out, req->bound);
    return req->bits && is_real(v) ? add_informed(out, v) : NC_NOERR;
}
