/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_def_var_compress: one compressor of a variable, by its name. A thin layer
 * over the filter chain; the five methods of its specification have parameter
 * blocks of their own (nc_compression_t), every other codec takes its words.
 *
 * A block's leading members lie alike on 32-bit and 64-bit machines; what follows
 * (chunk lengths as size_t) does not, so both layouts are known here by their
 * length. The library fills in isdouble, rank and chunk lengths; where they are
 * given they must be the variable's. Every fault is NC_ECOMPRESS with a sentence. */
#include "model_int.h"
#include "params.h"
#include "spec.h"
#include <math.h>
#include <nc4compress.h>
#include <stdio.h>

enum { ZFP_RATE = 1, ZFP_PRECISION = 2, ZFP_ACCURACY = 3, ZFP_REVERSIBLE = 5 }; /* H5Z-ZFP's modes, zfp's word 0 */

/* What a caller's block says, and what the variable says. */
struct block {
    int isdouble, prec, rank;
    double rate, tolerance;
    size_t nchunks; /* chunk lengths given */
    size_t chunk[NC_COMPRESSION_MAX_DIMS];
};

/* --- reading a block ----------------------------------------------------------------------- */

static double load_double(const unsigned *w)
{
    double v;

    memcpy(&v, w, sizeof v); /* as it lies in the caller's union */
    return v;
}

/* Chunk lengths behind the leading words: one word each, or (after padding) two. */
static bool read_chunks(const unsigned *params, int n, int leading, struct block *b)
{
    int narrow = n - leading, wide = n - leading - 1;
    size_t full;

    if (b->rank < 0 || b->rank > NC_COMPRESSION_MAX_DIMS)
        return false;
    b->nchunks = (size_t)b->rank;
    if (narrow == b->rank || narrow == NC_COMPRESSION_MAX_DIMS) {
        for (int d = 0; d < b->rank; d++)
            b->chunk[d] = params[leading + d];
        return true;
    }
    if (wide != 2 * b->rank && wide != 2 * NC_COMPRESSION_MAX_DIMS)
        return false;
    for (int d = 0; d < b->rank; d++) {
        uint64_t length;

        memcpy(&length, params + leading + 1 + 2 * d, sizeof length);
        full = (size_t)length;
        b->chunk[d] = full == length ? full : SIZE_MAX;
    }
    return true;
}

/* Words before the chunk lengths: with the double ones whole or not at all. */
static bool read_leading(const unsigned *params, int n, bool is_zfp, struct block *b)
{
    int rank_at = is_zfp ? 6 : 2;

    if (is_zfp && (n == 3 || n == 5))
        return false;
    b->isdouble = n > 0 ? (int)params[0] : 0;
    b->prec = n > 1 ? (int)params[1] : 0;
    if (is_zfp) {
        b->rate = n > 3 ? load_double(params + 2) : 0;
        b->tolerance = n > 5 ? load_double(params + 4) : 0;
    }
    b->rank = n > rank_at ? (int)params[rank_at] : 0;
    return n <= rank_at + 1 || read_chunks(params, n, rank_at + 1, b);
}

static int read_block(const char *name, const unsigned *params, int n, bool is_zfp, struct block *b)
{
    memset(b, 0, sizeof *b);
    if (!read_leading(params, n, is_zfp, b))
        return cel_fail(NC_ECOMPRESS,
                        "%s: %d parameters make no block: give the %d of nc_compression_t, or only the "
                        "leading ones",
                        name, n, is_zfp ? NC_NELEMS_ZFP : NC_NELEMS_FPZIP);
    return CEL_OK;
}

/* --- a block against its variable -------------------------------------------------------------- */

static bool is_integer(const struct cel_type *type)
{
    return type->klass != NC_FLOAT && type->klass != NC_DOUBLE;
}

static int check_block(const char *name, const struct cel_var *var, const struct block *b)
{
    if (b->isdouble && var->type->klass != NC_DOUBLE)
        return cel_fail(NC_ECOMPRESS, "%s: isdouble is set, but the variable is of type %s", name, var->type->name);
    if (b->rank && b->rank != var->ndims)
        return cel_fail(NC_ECOMPRESS, "%s: rank is %d, but the variable has %d dimensions", name, b->rank, var->ndims);
    for (size_t d = 0; var->layout.chunk && d < b->nchunks; d++)
        if (b->chunk[d] && b->chunk[d] != var->layout.chunk[d])
            return cel_fail(NC_ECOMPRESS, "%s: chunk length %zu is %zu, but the variable's is %zu", name, d,
                            b->chunk[d], var->layout.chunk[d]);
    return CEL_OK;
}

static int check_real(const char *name, const char *what, double v)
{
    if (!isfinite(v) || v < 0)
        return cel_fail(NC_ECOMPRESS, "%s: %s is %g; it must be 0 (not used) or more", name, what, v);
    return CEL_OK;
}

/* --- methods --------------------------------------------------------------------------------------- */

static int fpzip_words(const struct cel_var *var, const struct block *b, struct cel_words *w)
{
    int most = var->type->klass == NC_DOUBLE ? 64 : 32;

    if (is_integer(var->type))
        return cel_fail(NC_ECOMPRESS, "fpzip is for float and double; type %s can have zip, szip, bzip2 or zfp",
                        var->type->name);
    if (b->prec < 0 || b->prec > most)
        return cel_fail(NC_ECOMPRESS, "fpzip: prec is %d; it must be from 0 (all) to %d", b->prec, most);
    *w = (struct cel_words){.n = 1, .w = {(uint32_t)b->prec}};
    return CEL_OK;
}

static void set_zfp(struct cel_words *w, uint32_t mode, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    *w = (struct cel_words){.n = 4, .w = {mode, 0, (uint32_t)bits, (uint32_t)(bits >> 32)}};
}

static int check_zfp(const struct cel_var *var, const struct block *b)
{
    int rc = check_real("zfp", "rate", b->rate);
    int set = (b->rate > 0) + (b->tolerance > 0) + (b->prec > 0);

    if (rc == CEL_OK)
        rc = check_real("zfp", "tolerance", b->tolerance);
    if (rc != CEL_OK)
        return rc;
    if (var->type->klass > NC_MAX_ATOMIC_TYPE || var->type->klass == NC_CHAR || var->type->size < 4)
        return cel_fail(NC_ECOMPRESS, "zfp is for numbers of 32 and 64 bits, not for type %s", var->type->name);
    if (b->prec < 0)
        return cel_fail(NC_ECOMPRESS, "zfp: prec is %d; it must be 0 (not used) or more", b->prec);
    if (set > 1)
        return cel_fail(NC_ECOMPRESS, "zfp: only one of rate, tolerance and prec can be set");
    if (b->tolerance > 0 && is_integer(var->type))
        return cel_fail(NC_ECOMPRESS, "zfp: a tolerance is for float and double, not for type %s", var->type->name);
    return CEL_OK;
}

static int zfp_words(const struct cel_var *var, const struct block *b, struct cel_words *w)
{
    int rc = check_zfp(var, b);

    if (rc != CEL_OK)
        return rc;
    if (b->rate > 0)
        set_zfp(w, ZFP_RATE, b->rate);
    else if (b->tolerance > 0)
        set_zfp(w, ZFP_ACCURACY, b->tolerance);
    else if (b->prec > 0)
        *w = (struct cel_words){.n = 3, .w = {ZFP_PRECISION, 0, (uint32_t)b->prec}};
    else
        *w = (struct cel_words){.n = 1, .w = {ZFP_REVERSIBLE}};
    return CEL_OK;
}

static void show_zfp(const struct cel_words *w, nc_compression_t *out)
{
    uint64_t bits = (uint64_t)w->w[3] << 32 | w->w[2];
    double v;

    memcpy(&v, &bits, sizeof v);
    if (w->w[0] == ZFP_RATE)
        out->zfp.rate = v;
    else if (w->w[0] == ZFP_ACCURACY)
        out->zfp.tolerance = v;
    else if (w->w[0] == ZFP_PRECISION)
        out->zfp.prec = (int)w->w[2];
}

/* The specification's methods; the rest go by the codec's own name. */
static const struct method {
    const char *name, *codec;
    int nelems; /* words that must be given; -1: a block, of which leading ones may be */
} methods[] = {
    {"zip", "deflate", NC_NELEMS_ZIP},
    {"szip", "szip", NC_NELEMS_SZIP},
    {"bzip2", "bzip2", NC_NELEMS_BZIP2},
    {"fpzip", "fpzip", -1},
    {"zfp", "zfp", -1},
};
enum { NMETHODS = sizeof methods / sizeof *methods };

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < NMETHODS; i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

static const struct method *method_of(const struct cel_codec *codec)
{
    for (size_t i = 0; i < NMETHODS; i++)
        if (strcmp(methods[i].codec, codec->name) == 0)
            return &methods[i];
    return NULL;
}

static const char *shown_name(const struct cel_codec *codec)
{
    const struct method *m = method_of(codec);

    return m ? m->name : codec->name;
}

/* --- defining ------------------------------------------------------------------------------------------- */

static int unknown_method(const char *name)
{
    struct cel_guess guess;

    cel_guess_start(&guess);
    for (size_t i = 0; i < NMETHODS; i++)
        cel_guess_try(&guess, name, strlen(name), methods[i].name);
    for (size_t i = 0; cel_codec_at(i); i++)
        cel_guess_try(&guess, name, strlen(name), cel_codec_at(i)->name);
    return cel_fail(NC_ECOMPRESS,
                    "there is no compression method %.64s%s; there are zip, szip, bzip2, fpzip and zfp, and "
                    "the codecs by their names",
                    name, guess.text);
}

/* Whether the method is in the list this build was configured with: names between commas. */
static bool is_selected(const char *name)
{
    static const char list[] = "," CEL_COMPRESSION ",";
    const char *found = list;
    size_t n = strlen(name);

    while ((found = strstr(found, name))) {
        if (found > list && found[-1] == ',' && found[n] == ',')
            return true;
        found += n;
    }
    return false;
}

static int find_codec(const char *name, const struct cel_codec **out)
{
    const struct method *m;

    if (!name || !name[0])
        return cel_fail(NC_ECOMPRESS, "no compression method was named");
    if (strlen(name) >= NC_COMPRESSION_MAX_NAME)
        return unknown_method(name);
    m = find_method(name);
    if (m && !is_selected(name))
        return cel_fail(NC_ECOMPRESS, "%s is not in this build: configure with -DCOMPRESSION=...,%s", name, name);
    *out = cel_codec_by_name(m ? m->codec : name, strlen(m ? m->codec : name));
    if (*out && (m || strcmp((*out)->name, name) == 0))
        return CEL_OK;
    return m ? cel_fail(NC_ECOMPRESS, "%s: its library was not there when this was built", name) : unknown_method(name);
}

/* The compressor of a chain: the last one. */
static const struct cel_step *compressor_of(const struct cel_chain *chain)
{
    for (size_t i = chain->n; i-- > 0;)
        if (chain->step[i].codec && chain->step[i].codec->flags & CEL_CODEC_COMPRESSOR)
            return &chain->step[i];
    return NULL;
}

static int check_variable(const struct cel_var *var, const struct cel_codec *codec)
{
    const struct cel_step *other = compressor_of(&var->chain);
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK && var->ndims == 0)
        rc = cel_fail(NC_EINVAL, "a single value has no chunks to compress");
    if (rc == CEL_OK && other && other->codec != codec)
        rc = cel_fail(NC_ECOMPRESS, "the variable is compressed by %s already", shown_name(other->codec));
    return rc;
}

static int copy_words(const char *name, int n, const unsigned *params, struct cel_words *w)
{
    if (n > CEL_WORDS_MAX)
        return cel_fail(NC_ECOMPRESS, "%s: %d parameters are too many", name, n);
    w->n = (size_t)n;
    for (int i = 0; i < n; i++)
        w->w[i] = params[i];
    return CEL_OK;
}

static int words_from(const struct cel_var *var, const char *name, int n, const unsigned *params, struct block *b,
                      struct cel_words *w)
{
    const struct method *m = find_method(name);
    bool is_zfp = strcmp(name, "zfp") == 0;
    int rc;

    if (!m || m->nelems >= 0) {
        if (m && n != m->nelems)
            return cel_fail(NC_ECOMPRESS, "%s takes %d parameters, not %d", name, m->nelems, n);
        return copy_words(name, n, params, w);
    }
    if (var->ndims > NC_COMPRESSION_MAX_DIMS)
        return cel_fail(NC_ECOMPRESS, "%s: %d dimensions are more than the %d a parameter block has room for", name,
                        var->ndims, NC_COMPRESSION_MAX_DIMS);
    rc = read_block(name, params, n, is_zfp, b);
    if (rc == CEL_OK)
        rc = check_block(name, var, b);
    return rc != CEL_OK ? rc : is_zfp ? zfp_words(var, b, w) : fpzip_words(var, b, w);
}

/* What the codec says about its parameters is about compression parameters here. */
static int as_compression(int rc)
{
    return rc == NC_EINVAL || rc == NC_EFILTER || rc == NC_ENOFILTER ? cel_fail_in(NC_ECOMPRESS, "compression") : rc;
}

static int add(struct cel_var *var, const struct cel_codec *codec, const struct cel_words *w, const char *name,
               const struct block *b)
{
    struct cel_step step;
    bool was_chunked = var->layout.chunk != NULL;
    int rc = as_compression(cel_step_make(codec->hdf5_id, w->n, w->w, &step));

    if (rc == CEL_OK)
        rc = as_compression(cel_var_add_filter(var, &step));
    if (rc != CEL_OK || was_chunked)
        return rc;
    rc = check_block(name, var, b); /* again: now it has chunk lengths */
    if (rc != CEL_OK)
        cel_chain_remove(&var->chain, var->chain.n - 1);
    return rc;
}

int cel_var_def_compress(struct cel_var *var, const char *algorithm, int nparams, const unsigned *params)
{
    const struct cel_codec *codec = NULL;
    struct block block = {0};
    struct cel_words w = {0};
    int rc = cel_dataset_refuse(var->group->dataset, CEL_KEEPS_FILTERS, "compression");

    if (rc == CEL_OK)
        rc = find_codec(algorithm, &codec);
    if (rc == CEL_OK)
        rc = check_variable(var, codec);
    if (rc == CEL_OK && (nparams < 0 || (nparams > 0 && !params)))
        rc = cel_fail(NC_ECOMPRESS, "%s: %d parameters, or no list of them", algorithm, nparams);
    if (rc == CEL_OK)
        rc = words_from(var, algorithm, nparams, params, &block, &w);
    return rc == CEL_OK ? add(var, codec, &w, algorithm, &block) : rc;
}

/* --- inquiry ------------------------------------------------------------------------------------------------ */

/* A block with everything the library knows. */
static int show_block(const struct cel_var *var, const struct cel_words *w, bool is_zfp, nc_compression_t *out)
{
    int isdouble = var->type->klass == NC_DOUBLE;

    if (is_zfp)
        show_zfp(w, out);
    else
        out->fpzip.prec = (int)w->w[0];
    *(is_zfp ? &out->zfp.isdouble : &out->fpzip.isdouble) = isdouble;
    *(is_zfp ? &out->zfp.rank : &out->fpzip.rank) = var->ndims;
    for (int d = 0; var->layout.chunk && d < var->ndims && d < NC_COMPRESSION_MAX_DIMS; d++)
        *(is_zfp ? &out->zfp.chunksizes[d] : &out->fpzip.chunksizes[d]) = var->layout.chunk[d];
    return is_zfp ? NC_NELEMS_ZFP : NC_NELEMS_FPZIP;
}

static bool has_block(const struct cel_codec *codec, const struct cel_words *w)
{
    if (strcmp(codec->name, "zfp") == 0)
        return w->w[0] == ZFP_RATE || w->w[0] == ZFP_ACCURACY || w->w[0] == ZFP_PRECISION || w->w[0] == ZFP_REVERSIBLE;
    return strcmp(codec->name, "fpzip") == 0; /* zfp's expert mode has no member in its block: its words are shown */
}

static int show_step(const struct cel_var *var, const struct cel_step *step, unsigned *params)
{
    nc_compression_t block;
    struct cel_words w = {0};
    int n;

    memset(&block, 0, sizeof block);
    cel_step_reveal(step, &w);
    cel_params_complete(step->codec, &w);
    n = (int)w.n;
    if (has_block(step->codec, &w))
        n = show_block(var, &w, strcmp(step->codec->name, "zfp") == 0, &block);
    else
        memcpy(block.params, w.w, (w.n < NC_COMPRESSION_MAX_PARAMS ? w.n : NC_COMPRESSION_MAX_PARAMS) * sizeof *w.w);
    if (params)
        memcpy(params, block.params, (size_t)n * sizeof *params);
    return n;
}

const char *cel_var_compress(const struct cel_var *var, int *nparams, unsigned *params)
{
    const struct cel_step *step = compressor_of(&var->chain);

    *nparams = step ? show_step(var, step, params) : 0;
    return step ? shown_name(step->codec) : "";
}
