/* SPDX-License-Identifier: BSD-3-Clause */
/* Values: elements as a file has them, made into elements as memory has them. The file's type says where the bits are,
 * the model's type where they go; the two were made for each other (h5_type.c), part by part.
 *
 *   string of variable length: length(4) collection of the global heap(address) index in it(4)
 *   vlen: the same; the object has as many elements as the length says
 * HDF5 File Format Specification version 3, IV.B and III.E. */
#include "env.h"
#include "h5_read_int.h"
#include <math.h>
#include <stdlib.h>

struct reading {
    struct cel_h5r_reader *r;
    int depth;
    struct cel_h5r_heap_budget *left;
};

enum { DEPTH_MAX = 64 };
#define HEAP_MAX ((size_t)64 << 20)
#define HEAP_RATIO 64
#define HEAP_READ_RATIO 1024 /* where values lie in no order, each may need its collection read once more */
enum { INTEGER_PADDING = 6, FLOAT_PADDING = 14 }; /* bits of a type's message */

static int read_values(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *type,
                       const unsigned char *from, size_t n, char *to);

/* --- numbers -------------------------------------------------------------------------------- */

static bool host_is_big(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Does it say what unused bits are? libhdf5 then sees another type, though there are none. */
static bool has_padding(const struct cel_h5r_datatype *t)
{
    return t->message[1] & (t->klass == CEL_H5R_FLOAT ? FLOAT_PADDING : INTEGER_PADDING);
}

static bool is_ieee(const struct cel_h5r_datatype *t, const struct cel_h5r_bits *b)
{
    if (b->norm != 2 || b->sign_at != b->n - 1 || b->mantissa_at != 0 || b->exponent_at != b->mantissa_n)
        return false;
    return t->size == 4 ? b->exponent_n == 8 && b->mantissa_n == 23 && b->bias == 127
                        : t->size == 8 && b->exponent_n == 11 && b->mantissa_n == 52 && b->bias == 1023;
}

/* All its bits count, in the usual places. */
static bool is_plain(const struct cel_h5r_datatype *t)
{
    const struct cel_h5r_bits *b = &t->bits;

    if (t->odd_order || b->at != 0 || b->n != t->size * 8 || has_padding(t))
        return false;
    return t->klass == CEL_H5R_INTEGER || is_ieee(t, b);
}

/* n bits, at most 64, from bit `at` of an element. */
static uint64_t take_bits(const struct cel_h5r_datatype *t, const unsigned char *p, unsigned at, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned bit = at + n - 1 - i;
        size_t byte = t->big_endian ? t->size - 1 - bit / 8 : bit / 8;

        v = v << 1 | (p[byte] >> bit % 8 & 1);
    }
    return v;
}

static uint64_t integer_of(const struct cel_h5r_datatype *t, const unsigned char *p)
{
    unsigned n = t->bits.n > 64 ? 64 : t->bits.n;
    uint64_t v = take_bits(t, p, t->bits.at, n);

    if (t->is_signed && n < 64 && v >> (n - 1) & 1)
        v |= UINT64_MAX << n;
    return v;
}

static double power_of(const struct cel_h5r_bits *b, uint64_t mantissa, int64_t exponent, unsigned kept)
{
    int64_t e = exponent - (int64_t)b->bias - (int64_t)kept;

    return ldexp((double)mantissa, e < -32768 ? -32768 : e > 32767 ? 32767 : (int)e);
}

/* Infinity and what is no number: a mantissa that shows its first bit has it set for both. */
static double special_of(uint64_t mantissa, unsigned kept, bool implied)
{
    if (!implied)
        mantissa &= ((uint64_t)1 << (kept - 1)) - 1;
    return mantissa ? NAN : INFINITY;
}

/* The mantissa's first bits, at most `most`. The rest only says which way a half is rounded. */
static uint64_t mantissa_of(const struct cel_h5r_datatype *t, const unsigned char *p, unsigned most, unsigned *kept)
{
    const struct cel_h5r_bits *b = &t->bits;
    unsigned cut = b->mantissa_n > most ? b->mantissa_n - most : 0;
    uint64_t m;

    *kept = b->mantissa_n - cut;
    m = take_bits(t, p, b->mantissa_at + cut, *kept);
    for (unsigned i = 0; i < cut && !(m & 1); i += 32)
        m |= take_bits(t, p, b->mantissa_at + i, cut - i < 32 ? cut - i : 32) != 0;
    return m;
}

/* Any binary float. */
static double float_of(const struct cel_h5r_datatype *t, const unsigned char *p)
{
    const struct cel_h5r_bits *b = &t->bits;
    bool implied = b->norm == 2;
    unsigned kept;
    uint64_t m = mantissa_of(t, p, implied ? 62 : 63, &kept), e = take_bits(t, p, b->exponent_at, b->exponent_n);
    double v;

    if (e == ((uint64_t)1 << b->exponent_n) - 1)
        v = special_of(m, kept, implied);
    else if (implied && e > 0)
        v = power_of(b, m | (uint64_t)1 << kept, (int64_t)e, kept);
    else
        v = power_of(b, m, e > 0 ? (int64_t)e : 1, implied ? kept : kept - 1);
    return take_bits(t, p, b->sign_at, 1) ? -v : v;
}

static void put_integer(uint64_t v, size_t size, char *to)
{
    cel_put_word(to, v, size, host_is_big());
}

static void put_float(double v, size_t size, char *to)
{
    float single = (float)v;

    if (size == sizeof single)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &v, sizeof v);
}

static int read_numbers(const struct cel_h5r_datatype *t, const struct cel_type *type, const unsigned char *from,
                        size_t n, char *to)
{
    if (t->odd_order || (t->klass != CEL_H5R_INTEGER && t->klass != CEL_H5R_FLOAT))
        return CEL_ASK_LIBHDF5;
    if (is_plain(t) && t->size == type->size) {
        if (t->big_endian == host_is_big() || t->size == 1)
            memcpy(to, from, n * t->size);
        else
            cel_swap_bytes(to, from, n, t->size);
        return CEL_OK;
    }
    for (size_t i = 0; i < n; i++, from += t->size, to += type->size) {
        if (t->klass == CEL_H5R_INTEGER)
            put_integer(integer_of(t, from), type->size, to);
        else
            put_float(float_of(t, from), type->size, to);
    }
    return CEL_OK;
}

/* --- values in the global heap -------------------------------------------------------------------- */

struct position {
    size_t n;
    uint64_t addr;
    size_t index;
};

struct cel_h5r_heap_budget cel_h5r_most_of_heap(const struct cel_h5r_file *file)
{
    uint64_t most = cel_env_max_decoded(HEAP_MAX);

    return (struct cel_h5r_heap_budget){most + file->size * HEAP_RATIO, most + file->size * HEAP_READ_RATIO};
}

/* Any number of elements may lead to one object: memory for what they lead to is in proportion to the file. */
static int take_memory(const struct reading *r, size_t n, size_t size)
{
    if (n > r->left->memory / size)
        return cel_fail(NC_EHDFERR,
                        "its texts or lists are together longer than a file of this size is believed to hold: "
                        "set CELLAR_MAX_DECODED to the bytes they may take, e.g. 4G");
    r->left->memory -= n * size;
    return CEL_OK;
}

static int get_object(const struct reading *r, const struct position *at, struct cel_h5_bytes *out)
{
    uint64_t before = r->r->collections_read;
    int rc = cel_h5r_global_heap_get(r->r, at->addr, at->index, out);
    uint64_t read = r->r->collections_read - before;

    if (rc == CEL_OK && read > r->left->read)
        return cel_fail(NC_EHDFERR,
                        "its texts or lists lie in such an order that the file would have to be read too often: "
                        "set CELLAR_MAX_DECODED to the bytes that may be read, e.g. 100G");
    r->left->read -= rc == CEL_OK ? read : 0;
    return rc;
}

/* CEL_ABSENT: nothing was written. */
static int take_position(const struct reading *r, const struct cel_h5r_datatype *t, const unsigned char *from,
                         struct position *out)
{
    struct cel_h5_bytes b = {.p = from, .n = t->size};

    out->n = (size_t)cel_h5_take_number(&b, 4);
    out->addr = cel_h5r_take_address(r->r->file, &b);
    out->index = (size_t)cel_h5_take_number(&b, 4);
    if (b.ended)
        return CEL_ASK_LIBHDF5;
    return out->addr == 0 ? CEL_ABSENT : CEL_OK;
}

static int read_string(const struct reading *r, const struct cel_h5r_datatype *t, const unsigned char *from, char *to)
{
    struct cel_h5_bytes b = {0};
    struct position at;
    char *text;
    int rc = take_position(r, t, from, &at);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    if (at.n > 0)
        rc = get_object(r, &at, &b);
    if (rc == CEL_OK && at.n > b.n)
        rc = CEL_ASK_LIBHDF5;
    if (rc == CEL_OK)
        rc = take_memory(r, at.n, 1);
    if (rc != CEL_OK)
        return rc;
    text = cel_strndup(at.n ? (const char *)b.p : "", at.n);
    if (!text)
        return NC_ENOMEM;
    memcpy(to, &text, sizeof text);
    return CEL_OK;
}

static int read_fixed_text(const struct cel_h5r_datatype *t, const unsigned char *from, char *to)
{
    char *text = cel_strndup((const char *)from, strnlen((const char *)from, t->size));

    if (!text)
        return NC_ENOMEM;
    memcpy(to, &text, sizeof text);
    return CEL_OK;
}

/* The elements may lead into the heap themselves, where what they lead to replaces the bytes at hand: a copy is read. */
static int read_elements(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *base,
                         struct cel_h5_bytes b, nc_vlen_t *value)
{
    struct reading deeper = {.r = r->r, .depth = r->depth + 1, .left = r->left};
    unsigned char *copy;
    int rc;

    if (value->len > b.n / t->base->size || deeper.depth > DEPTH_MAX)
        return CEL_ASK_LIBHDF5;
    rc = take_memory(r, value->len, base->size);
    if (rc != CEL_OK)
        return rc;
    value->p = cel_calloc(value->len, base->size);
    copy = base->varsized && value->p ? cel_memdup(b.p, value->len * t->base->size) : NULL;
    if (!value->p || (base->varsized && !copy)) {
        free(value->p);
        return NC_ENOMEM;
    }
    rc = read_values(&deeper, t->base, base, copy ? copy : b.p, value->len, value->p);
    free(copy);
    if (rc != CEL_OK) {
        cel_value_reclaim(base, value->p, value->len);
        free(value->p);
    }
    return rc;
}

static int read_vlen(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *type,
                     const unsigned char *from, char *to)
{
    struct cel_h5_bytes b;
    struct position at;
    nc_vlen_t value;
    int rc = take_position(r, t, from, &at);

    if (rc == CEL_ABSENT || (rc == CEL_OK && at.n == 0))
        return CEL_OK;
    if (rc == CEL_OK)
        rc = get_object(r, &at, &b);
    value = (nc_vlen_t){.len = at.n};
    if (rc == CEL_OK)
        rc = read_elements(r, t, type->base, b, &value);
    if (rc == CEL_OK)
        memcpy(to, &value, sizeof value);
    return rc;
}

/* --- compounds ------------------------------------------------------------------------------------- */

/* A member that is an array, or text, is as many elements of the field's type. */
static int read_field(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_field *field,
                      const unsigned char *from, char *to)
{
    if (cel_h5r_is_fixed_text(t)) {
        if (field->type->klass != NC_CHAR || t->size != field->n)
            return CEL_ASK_LIBHDF5;
        memcpy(to, from, field->n);
        return CEL_OK;
    }
    if (t->klass != CEL_H5R_ARRAY)
        return field->n == 1 ? read_values(r, t, field->type, from, 1, to) : CEL_ASK_LIBHDF5;
    if (cel_h5r_array_length(t) != field->n)
        return CEL_ASK_LIBHDF5;
    return read_values(r, t->base, field->type, from, field->n, to);
}

static int read_compound(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *type,
                         const unsigned char *from, char *to)
{
    int rc = t->nparts == type->nfields ? CEL_OK : CEL_ASK_LIBHDF5;

    for (size_t i = 0; rc == CEL_OK && i < t->nparts; i++)
        rc = read_field(r, t->part[i].type, &type->field[i], from + t->part[i].offset, to + type->field[i].offset);
    return rc;
}

/* --- all of them ------------------------------------------------------------------------------------ */

static int read_value(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *type,
                      const unsigned char *from, char *to)
{
    if (type->klass == NC_STRING && cel_h5r_is_fixed_text(t))
        return read_fixed_text(t, from, to);
    if (type->klass == NC_STRING && t->varies)
        return read_string(r, t, from, to);
    if (type->klass == NC_VLEN && t->klass == CEL_H5R_VLEN)
        return read_vlen(r, t, type, from, to);
    if (type->klass == NC_COMPOUND && t->klass == CEL_H5R_COMPOUND)
        return read_compound(r, t, type, from, to);
    return CEL_ASK_LIBHDF5;
}

static bool is_bytes(const struct cel_h5r_datatype *t, const struct cel_type *type)
{
    return ((type->klass == NC_OPAQUE && t->klass == CEL_H5R_OPAQUE) ||
            (type->klass == NC_CHAR && cel_h5r_is_fixed_text(t))) &&
           t->size == type->size;
}

static int read_values(const struct reading *r, const struct cel_h5r_datatype *t, const struct cel_type *type,
                       const unsigned char *from, size_t n, char *to)
{
    int rc = CEL_OK;

    if (is_bytes(t, type)) {
        memcpy(to, from, n * t->size);
        return CEL_OK;
    }
    if (type->klass == NC_ENUM && t->klass == CEL_H5R_ENUM)
        return read_numbers(t->base, type, from, n, to);
    if (!type->group && type->klass != NC_STRING && type->klass != NC_CHAR)
        return read_numbers(t, type, from, n, to);
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = read_value(r, t, type, from + i * t->size, to + i * type->size);
    return rc;
}

int cel_h5r_values_read(struct cel_h5r_reader *r, const struct cel_h5r_datatype *from_type,
                        const struct cel_type *to_type, struct cel_h5_bytes from, size_t n,
                        struct cel_h5r_heap_budget *left, void *to)
{
    struct cel_h5r_heap_budget own = {0};
    struct reading reading = {.r = r, .left = left ? left : &own};

    if (n > from.n / from_type->size)
        return CEL_ASK_LIBHDF5;
    if (from_type->varsized && !left)
        own = cel_h5r_most_of_heap(r->file);
    return n ? read_values(&reading, from_type, to_type, from.p, n, to) : CEL_OK;
}

/* --- without any work ------------------------------------------------------------------------------- */

static bool field_is_native(const struct cel_h5r_part *part, const struct cel_field *field)
{
    const struct cel_h5r_datatype *t = part->type;
    bool swap = false;

    if (part->offset != field->offset)
        return false;
    if (cel_h5r_is_fixed_text(t))
        return field->type->klass == NC_CHAR && t->size == field->n;
    if (t->klass == CEL_H5R_ARRAY)
        t = t->base;
    return cel_h5r_is_native(t, field->type, &swap) && !swap;
}

bool cel_h5r_is_native(const struct cel_h5r_datatype *t, const struct cel_type *type, bool *swap)
{
    bool native = t->size == type->size && !type->varsized;

    *swap = false;
    if (!native || is_bytes(t, type))
        return native;
    if (type->klass == NC_COMPOUND) {
        native = t->klass == CEL_H5R_COMPOUND && t->nparts == type->nfields;
        for (size_t i = 0; native && i < t->nparts; i++)
            native = field_is_native(&t->part[i], &type->field[i]);
        return native;
    }
    if (type->klass == NC_ENUM)
        t = t->base;
    if (!t || (t->klass != CEL_H5R_INTEGER && t->klass != CEL_H5R_FLOAT) || !is_plain(t))
        return false;
    *swap = t->size > 1 && t->big_endian != host_is_big();
    return true;
}
