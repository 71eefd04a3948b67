/* SPDX-License-Identifier: BSD-3-Clause */
/* Special attributes as input: how a variable is to be stored. Each is one row of
 * a table; a wrong value is told with its place. */

#include "cdl.h"
#include <string.h>
#include <strings.h>

typedef bool take(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a);

static bool one_text(struct cdl_doc *doc, const struct cdl_att *a, char **out)
{
    struct text t = {0};
    bool ok = a->list.n > 0;

    for (size_t i = 0; i < a->list.n; i++) {
        ok = ok && a->list.at[i].kind == CDL_STRING;
        if (ok)
            text_putn(&t, a->list.at[i].v.text.s, a->list.at[i].v.text.len);
    }
    *out = cdl_strndup(doc, text_get(&t), t.len);
    text_free(&t);
    return ok || cdl_fail(doc, a->where, "%s is a text", a->name);
}

static bool one_int(struct cdl_doc *doc, const struct cdl_att *a, long long lo, long long hi, long long *out)
{
    if (a->list.n != 1 || !cdl_const_int(&a->list.at[0], out) || *out < lo || *out > hi)
        return cdl_fail(doc, a->list.n ? a->list.at[0].where : a->where, "%s is a whole number from %lld to %lld",
                        a->name, lo, hi);
    return true;
}

static bool one_flag(struct cdl_doc *doc, const struct cdl_att *a, bool *out)
{
    char *text;
    long long v;

    if (a->list.n == 1 && cdl_const_int(&a->list.at[0], &v)) {
        *out = v != 0;
        return true;
    }
    if (!one_text(doc, a, &text))
        return false;
    *out = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *out || strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0 ||
           cdl_fail(doc, a->list.at[0].where, "%s is \"true\" or \"false\"", a->name);
}

static bool one_of(struct cdl_doc *doc, const struct cdl_att *a, const char *const *word, const int *value, size_t n,
                   int *out)
{
    char *text;
    struct text all = {0};
    bool found = false;

    if (!one_text(doc, a, &text))
        return false;
    for (size_t i = 0; i < n && !found; i++) {
        text_printf(&all, "%s%s", i ? ", " : "", word[i]);
        found = strcasecmp(text, word[i]) == 0;
        *out = value[i];
    }
    if (!found)
        cdl_fail(doc, a->list.at[0].where, "%s is one of %s, not %s", a->name, text_get(&all), text);
    text_free(&all);
    return found;
}

static bool take_layout(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    static const char *const word[] = {"contiguous", "chunked", "compact"};
    static const int value[] = {NC_CONTIGUOUS, NC_CHUNKED, NC_COMPACT};

    v->storage.layout_at = a->where;
    return one_of(doc, a, word, value, 3, &v->storage.layout);
}

static bool take_chunks(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    struct cdl_storage *s = &v->storage;

    s->chunk_at = a->where;
    s->nchunks = a->list.n;
    s->chunk = cdl_alloc(doc, a->list.n, sizeof *s->chunk);
    if (a->list.n != (size_t)v->ndims)
        return cdl_fail(doc, a->where, "_ChunkSizes has %zu values, but variable %s has %d dimensions", a->list.n,
                        v->name, v->ndims);
    for (size_t i = 0; i < a->list.n; i++) {
        long long len;
        if (!cdl_const_int(&a->list.at[i], &len) || len < 1)
            return cdl_fail(doc, a->list.at[i].where, "a chunk length is a whole number above 0");
        if (!v->dim[i]->unlimited && (size_t)len > v->dim[i]->len)
            return cdl_fail(doc, a->list.at[i].where, "chunk length %lld is beyond dimension %s, which has length %zu",
                            len, v->dim[i]->name, v->dim[i]->len);
        s->chunk[i] = (size_t)len;
    }
    return true;
}

static bool take_fletcher(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    return one_flag(doc, a, &v->storage.fletcher32);
}

static bool take_shuffle(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    return one_flag(doc, a, &v->storage.shuffle);
}

static bool take_deflate(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    long long level;

    v->storage.deflate_at = a->where;
    if (!one_int(doc, a, 0, 9, &level))
        return false;
    v->storage.deflate = (int)level;
    return true;
}

/* Given again, it adds to the chain. */
static bool take_filter(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    struct text chain = {0};
    char *more;

    if (!one_text(doc, a, &more))
        return false;
    if (v->storage.filter)
        text_printf(&chain, "%s|", v->storage.filter);
    text_puts(&chain, more);
    v->storage.filter = cdl_strndup(doc, text_get(&chain), chain.len);
    v->storage.filter_at = a->list.at[0].where;
    text_free(&chain);
    return true;
}

static bool take_codecs(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    if (!one_text(doc, a, &v->storage.codecs))
        return false;
    v->storage.codecs_at = a->list.at[0].where;
    return true;
}

static bool take_endianness(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    static const char *const word[] = {"little", "big", "native"};
    static const int value[] = {NC_ENDIAN_LITTLE, NC_ENDIAN_BIG, NC_ENDIAN_NATIVE};

    return one_of(doc, a, word, value, 3, &v->storage.endian);
}

static bool take_no_fill(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    return one_flag(doc, a, &v->storage.no_fill);
}

static bool take_quantize(struct cdl_doc *doc, struct cdl_var *v, const struct cdl_att *a)
{
    static const struct {
        const char *name;
        int mode, most_float, most_double;
    } known[] = {{"_QuantizeBitGroomNumberOfSignificantDigits", NC_QUANTIZE_BITGROOM, NC_QUANTIZE_MAX_FLOAT_NSD,
                  NC_QUANTIZE_MAX_DOUBLE_NSD},
                 {"_QuantizeGranularBitRoundNumberOfSignificantDigits", NC_QUANTIZE_GRANULARBR,
                  NC_QUANTIZE_MAX_FLOAT_NSD, NC_QUANTIZE_MAX_DOUBLE_NSD},
                 {"_QuantizeBitRoundNumberOfSignificantBits", NC_QUANTIZE_BITROUND, NC_QUANTIZE_MAX_FLOAT_NSB,
                  NC_QUANTIZE_MAX_DOUBLE_NSB}};
    bool single = v->type->kind == NC_FLOAT;
    long long n;

    if (!single && v->type->kind != NC_DOUBLE)
        return cdl_fail(doc, a->where, "%s: only float and double variables can be quantized, and %s has type %s",
                        a->name, v->name, v->type->name);
    if (v->storage.quantize)
        return cdl_fail(doc, a->where, "variable %s can be quantized in one way only", v->name);
    for (size_t i = 0; i < 3; i++)
        if (strcmp(known[i].name, a->name) == 0) {
            if (!one_int(doc, a, 1, single ? known[i].most_float : known[i].most_double, &n))
                return false;
            v->storage.quantize = known[i].mode;
            v->storage.quantize_n = (int)n;
            v->storage.quantize_at = a->where;
        }
    return true;
}

static const struct {
    const char *name;
    take *take; /* NULL: may stand in a file, and is computed anew */
    bool global;
} specials[] = {
    {"_Storage", take_layout, false},
    {"_ChunkSizes", take_chunks, false},
    {"_Fletcher32", take_fletcher, false},
    {"_Shuffle", take_shuffle, false},
    {"_DeflateLevel", take_deflate, false},
    {"_Deflate", take_deflate, false},
    {"_Filter", take_filter, false},
    {"_Codecs", take_codecs, false},
    {"_Endianness", take_endianness, false},
    {"_NoFill", take_no_fill, false},
    {"_QuantizeBitGroomNumberOfSignificantDigits", take_quantize, false},
    {"_QuantizeGranularBitRoundNumberOfSignificantDigits", take_quantize, false},
    {"_QuantizeBitRoundNumberOfSignificantBits", take_quantize, false},
    {"_Format", NULL, true},
    {"_NCProperties", NULL, true},
    {"_IsNetcdf4", NULL, true},
    {"_SuperblockVersion", NULL, true},
};
enum { NSPECIALS = sizeof specials / sizeof *specials };

bool cdl_is_special(const char *name, bool global)
{
    for (size_t i = 0; i < NSPECIALS; i++)
        if (specials[i].global == global && strcmp(specials[i].name, name) == 0)
            return true;
    return false;
}

bool cdl_take_storage(struct cdl_doc *doc, struct cdl_var *v)
{
    bool ok = true;

    v->storage.layout = v->storage.deflate = -1;
    v->storage.endian = NC_ENDIAN_NATIVE;
    for (size_t i = 0; ok && i < v->atts.n; i++)
        for (size_t k = 0; ok && k < NSPECIALS; k++)
            if (specials[k].take && strcmp(specials[k].name, v->atts.at[i]->name) == 0) {
                v->storage.any = true;
                ok = specials[k].take(doc, v, v->atts.at[i]);
            }
    if (ok && v->storage.chunk && v->storage.layout > 0)
        return cdl_fail(doc, v->storage.layout_at, "variable %s has _ChunkSizes, so its _Storage is \"chunked\"",
                        v->name);
    return ok;
}

int cdl_mode_of_kind(int format)
{
    static const int mode[] = {[NC_FORMAT_CLASSIC] = 0,
                               [NC_FORMAT_64BIT_OFFSET] = NC_64BIT_OFFSET,
                               [NC_FORMAT_NETCDF4] = NC_NETCDF4,
                               [NC_FORMAT_NETCDF4_CLASSIC] = NC_NETCDF4 | NC_CLASSIC_MODEL,
                               [NC_FORMAT_64BIT_DATA] = NC_64BIT_DATA};

    return mode[format];
}

int cdl_kind_of_digit(int letter)
{
    static const int kinds[] = {NC_FORMAT_CLASSIC, NC_FORMAT_NETCDF4, NC_FORMAT_64BIT_DATA, NC_FORMAT_64BIT_OFFSET,
                                NC_FORMAT_NETCDF4_CLASSIC};

    return letter >= '3' && letter <= '7' ? kinds[letter - '3'] : 0;
}

int cdl_kind_of_name(const char *name)
{
    static const struct {
        const char *name;
        int format;
    } kind[] = {{"classic", NC_FORMAT_CLASSIC},
                {"nc3", NC_FORMAT_CLASSIC},
                {"1", NC_FORMAT_CLASSIC},
                {"64-bit offset", NC_FORMAT_64BIT_OFFSET},
                {"64-bit-offset", NC_FORMAT_64BIT_OFFSET},
                {"nc6", NC_FORMAT_64BIT_OFFSET},
                {"2", NC_FORMAT_64BIT_OFFSET},
                {"64-bit data", NC_FORMAT_64BIT_DATA},
                {"64-bit-data", NC_FORMAT_64BIT_DATA},
                {"cdf5", NC_FORMAT_64BIT_DATA},
                {"cdf-5", NC_FORMAT_64BIT_DATA},
                {"nc5", NC_FORMAT_64BIT_DATA},
                {"5", NC_FORMAT_64BIT_DATA},
                {"netCDF-4", NC_FORMAT_NETCDF4},
                {"netCDF4", NC_FORMAT_NETCDF4},
                {"nc4", NC_FORMAT_NETCDF4},
                {"hdf5", NC_FORMAT_NETCDF4},
                {"enhanced", NC_FORMAT_NETCDF4},
                {"3", NC_FORMAT_NETCDF4},
                {"netCDF-4 classic model", NC_FORMAT_NETCDF4_CLASSIC},
                {"netCDF-4-classic", NC_FORMAT_NETCDF4_CLASSIC},
                {"netCDF-4 classic", NC_FORMAT_NETCDF4_CLASSIC},
                {"nc7", NC_FORMAT_NETCDF4_CLASSIC},
                {"hdf5-nc3", NC_FORMAT_NETCDF4_CLASSIC},
                {"enhanced-nc3", NC_FORMAT_NETCDF4_CLASSIC},
                {"4", NC_FORMAT_NETCDF4_CLASSIC}};

    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (strcasecmp(kind[i].name, name) == 0)
            return kind[i].format;
    return 0;
}

bool cdl_take_global(struct cdl_doc *doc, const struct cdl_att *a)
{
    char *text;

    if (strcmp(a->name, "_Format") != 0)
        return true;
    if (!one_text(doc, a, &text))
        return false;
    doc->format = cdl_kind_of_name(text);
    return doc->format || cdl_fail(doc, a->where, "_Format: there is no kind of file named %s", text);
}
