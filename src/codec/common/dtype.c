/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements by dtype, converted one at a time: simple rather than fast, as the compressor that follows
 * such a filter takes longer. */
#include "bytes.h"
#include "half.h"
#include "dtype.h"
#include "status.h"
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

const char *const cel_dtypes[] = {"auto", "|i1", "|u1", "|b1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4",
                                  "<f8",  ">i2", ">u2", ">i4", ">u4", ">i8", ">u8", ">f2", ">f4", ">f8", NULL};
enum { NDTYPES = sizeof cel_dtypes / sizeof *cel_dtypes - 1 };
_Static_assert(NDTYPES == CEL_DTYPE_MAX + 1, "the ranges of parameters end with the list");

struct cel_dtype cel_dtype_at(uint32_t index)
{
    const char *text = index > 0 && index < NDTYPES ? cel_dtypes[index] : NULL;

    return text ? (struct cel_dtype){text[1], (size_t)(text[2] - '0'), text[0] == '>'} : (struct cel_dtype){0};
}

static uint32_t index_of(char kind, size_t size, bool big)
{
    for (uint32_t i = 1; i < NDTYPES; i++) {
        struct cel_dtype t = cel_dtype_at(i);
        if (t.kind == kind && t.size == size && (t.size == 1 || t.big == big))
            return i;
    }
    return 0;
}

uint32_t cel_dtype_turned(uint32_t index, bool big)
{
    struct cel_dtype t = cel_dtype_at(index);

    return index_of(t.kind, t.size, big);
}

uint32_t cel_dtype_of_shape(const struct cel_shape *shape)
{
    static const char kinds[] = {
        [CEL_KIND_INT] = 'i', [CEL_KIND_UINT] = 'u', [CEL_KIND_FLOAT] = 'f', [CEL_KIND_CHAR] = 'u'};

    return shape->kind == CEL_KIND_OTHER ? 0 : index_of(kinds[shape->kind], shape->elem_size, shape->big_endian);
}

int cel_dtype_pair(const struct cel_codec *codec, uint32_t a, uint32_t b, struct cel_dtype *first,
                   struct cel_dtype *second)
{
    *first = cel_dtype_at(a);
    *second = cel_dtype_at(b);
    return first->kind && second->kind ? CEL_OK
                                       : cel_fail(NC_EFILTER, "%s: its parameters name no number type", codec->name);
}

static uint64_t load_bits(const struct cel_dtype *t, const void *p)
{
    return cel_get_word(p, t->size, t->big);
}

static void store_bits(const struct cel_dtype *t, void *p, uint64_t v)
{
    cel_put_word(p, v, t->size, t->big);
}

/* A real that has no integer becomes the smallest one, as on x86. */
static int64_t real_to_int(double v)
{
    if (v >= -0x1p63 && v < 0x1p63)
        return (int64_t)v;
    return v >= 0x1p63 && v < 0x1p64 ? (int64_t)(uint64_t)v : INT64_MIN;
}

int64_t cel_load_int(const struct cel_dtype *t, const void *p)
{
    uint64_t v;

    if (t->kind == 'f')
        return real_to_int(cel_load_real(t, p));
    v = load_bits(t, p);
    if (t->kind == 'i' && t->size < 8 && v >> (8 * t->size - 1))
        v |= ~(uint64_t)0 << 8 * t->size;
    return (int64_t)v;
}

double cel_load_real(const struct cel_dtype *t, const void *p)
{
    uint64_t bits = load_bits(t, p);
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    if (t->kind != 'f')
        return t->kind == 'u' ? (double)bits : (double)cel_load_int(t, p);
    if (t->size == 2)
        return cel_half_to_float((uint16_t)bits);
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return t->size == 4 ? f : d;
}

void cel_store_int(const struct cel_dtype *t, void *p, int64_t v)
{
    if (t->kind == 'f')
        cel_store_real(t, p, (double)v);
    else
        store_bits(t, p, t->kind == 'b' ? v != 0 : (uint64_t)v);
}

void cel_store_real(const struct cel_dtype *t, void *p, double v)
{
    uint64_t bits;
    uint32_t low;
    float f = (float)v;

    if (t->kind != 'f') {
        store_bits(t, p, t->kind == 'b' ? v != 0 : (uint64_t)real_to_int(v));
        return;
    }
    memcpy(&bits, &v, sizeof v);
    memcpy(&low, &f, sizeof f);
    store_bits(t, p, t->size == 8 ? bits : t->size == 4 ? low : cel_float_to_half(f));
}

void cel_cast(const struct cel_dtype *from, const void *src, const struct cel_dtype *to, void *dst, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *in = (const char *)src + i * from->size;
        char *out = (char *)dst + i * to->size;
        if (from->kind == 'f' || to->kind == 'f')
            cel_store_real(to, out, cel_load_real(from, in));
        else
            cel_store_int(to, out, cel_load_int(from, in));
    }
}

uint32_t cel_dtype_index(const char *text)
{
    static const struct {
        const char *name;
        char kind;
    } names[] = {{"int", 'i'}, {"uint", 'u'}, {"float", 'f'}, {"bool", 'b'}};
    char kind, end;
    unsigned bits;

    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(text, names[i].name, n) != 0)
            continue;
        if (names[i].kind == 'b' && !text[n])
            return index_of('b', 1, false);
        return sscanf(text + n, "%u%c", &bits, &end) == 1 ? index_of(names[i].kind, bits / 8, false) : 0;
    }
    if (strchr("<>|=", text[0]))
        return sscanf(text + 1, "%c%u%c", &kind, &bits, &end) == 2 ? index_of(kind, bits, text[0] == '>') : 0;
    return sscanf(text, "%c%u%c", &kind, &bits, &end) == 2 ? index_of(kind, bits, false) : 0;
}

int cel_dtype_from_json(const struct cel_json *config, const char *key, uint32_t *word)
{
    const struct cel_json *v = cel_json_get(config, key);
    const char *text = cel_json_string(v, NULL);

    *word = 0;
    if (!v || cel_json_type(v) == CEL_JSON_NULL)
        return CEL_OK;
    *word = text ? cel_dtype_index(text) : 0;
    return *word ? CEL_OK : cel_fail(NC_EFILTER, "/%s: '%s' is no number type", key, text ? text : "");
}

int cel_dtype_to_json(uint32_t word, const struct cel_shape *shape, const char *key, struct cel_json *config)
{
    if (!word && shape)
        word = cel_dtype_of_shape(shape);
    return word ? cel_json_set(config, key, cel_json_new_string(cel_dtypes[word], strlen(cel_dtypes[word]))) : CEL_OK;
}

int cel_dtype_resolve(const struct cel_codec *codec, const struct cel_shape *shape, uint32_t *word)
{
    if (!*word)
        *word = cel_dtype_of_shape(shape);
    if (!cel_dtype_at(*word).kind)
        return cel_fail(NC_EFILTER, "%s: works on numbers only", codec->name);
    if (cel_dtype_at(*word).size != shape->elem_size)
        return cel_fail(NC_EFILTER, "%s: type %s does not fit elements of %zu bytes", codec->name, cel_dtypes[*word],
                        shape->elem_size);
    return CEL_OK;
}

/* --- filters from one type to another ------------------------------------------------ */

int cel_dtypes_prepare(const struct cel_codec *codec, const struct cel_words *visible, const struct cel_shape *shape,
                       struct cel_words *working)
{
    uint32_t *own = &working->w[codec->own_type - 1], *stored = &working->w[codec->stored_type - 1];
    int rc = cel_dtype_resolve(codec, shape, own);

    if (!*stored)
        *stored = *own;
    return rc;
}

static uint32_t own_type(const struct cel_coding *coding)
{
    return coding->words->w[coding->codec->own_type - 1];
}

static uint32_t stored_type(const struct cel_coding *coding)
{
    return coding->words->w[coding->codec->stored_type - 1];
}

size_t cel_dtypes_bound(const struct cel_coding *coding, size_t n)
{
    struct cel_dtype own = cel_dtype_at(own_type(coding)), stored = cel_dtype_at(stored_type(coding));

    return own.size ? n / own.size * stored.size : n;
}

static int run_filter(const struct cel_coding *coding, uint32_t from, uint32_t to, cel_dtype_run_fn *convert,
                      const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_codec *codec = coding->codec;
    struct cel_dtype_run run = {.words = coding->words};
    int rc = cel_dtype_pair(codec, from, to, &run.from, &run.to);

    if (rc != CEL_OK)
        return rc;
    run.n = n / run.from.size;
    if (n % run.from.size || run.n > cap / run.to.size)
        return cel_fail(NC_EFILTER, "%s: %zu bytes are not the elements of one chunk", codec->name, n);
    convert(&run, src, dst);
    *len = run.n * run.to.size;
    return CEL_OK;
}

int cel_dtypes_encode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_dtype_filter *filter = coding->codec->variant;

    return run_filter(coding, own_type(coding), stored_type(coding), filter->encode, src, n, dst, cap, len);
}

int cel_dtypes_decode(const struct cel_coding *coding, const void *src, size_t n, void *dst, size_t cap, size_t *len)
{
    const struct cel_dtype_filter *filter = coding->codec->variant;

    return run_filter(coding, stored_type(coding), own_type(coding), filter->decode, src, n, dst, cap, len);
}

void cel_dtypes_cast(const struct cel_dtype_run *run, const void *src, void *dst)
{
    cel_cast(&run->from, src, &run->to, dst, run->n);
}

int cel_dtypes_to_json(const uint32_t *own_and_stored, const struct cel_shape *shape, struct cel_json *config)
{
    uint32_t own = own_and_stored[0], stored = own_and_stored[1];
    int rc = cel_dtype_to_json(own, shape, "dtype", config);

    return rc == CEL_OK ? cel_dtype_to_json(stored ? stored : own, shape, "astype", config) : rc;
}

int cel_dtypes_from_json(const struct cel_json *config, uint32_t *own_and_stored)
{
    int rc = cel_dtype_from_json(config, "dtype", &own_and_stored[0]);

    return rc == CEL_OK ? cel_dtype_from_json(config, "astype", &own_and_stored[1]) : rc;
}
