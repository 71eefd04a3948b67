/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: the datatype message.
 *
 *   class and version(1) bits(3) size(4), then by class:
 *   0 integer    bit offset(2) precision(2); bits: 0 big-endian, 3 signed
 *   1 float      bit offset(2) precision(2) exponent at(1) size(1) mantissa at(1) size(1) bias(4);
 *                bits: 0 and 6 byte order, 4-5 normalisation, 8-15 position of the sign
 *   2 time       precision(2)
 *   3 string     nothing
 *   4 bitfield   bit offset(2) precision(2)
 *   5 opaque     a tag, of the length bits 0-7 give
 *   6 compound   as many members as bits 0-15 say: name(NUL, to version 2 padded to 8) offset(4, from version 3 on as
 *                wide as the size needs) [version 1: rank(1) 0(3) permutation(4) 0(4) lengths(4 each of 4)] type
 *   7 reference  nothing
 *   8 enum       type, then as many names as bits 0-15 say (NUL, to version 2 padded to 8), then their values
 *   9 vlen       type; bits 0-3: 1 is a string
 *   10 array     rank(1) [version 2: 0(3)] lengths(4 each) [version 2: permutation(4 each)] type
 *   11 complex   type of both parts; read as the compound of r and i that it stands for
 * HDF5 File Format Specification version 4, IV.A.2.d. */
#include "h5_datatype.h"
#include "h5_read_int.h"
#include <stdlib.h>

enum { DEPTH_MAX = 32, VERSION_MAX = 5, OLD_RANK = 4, PAD_TO = 2, SORTED_FROM = 256 };

struct head {
    unsigned version;
    uint64_t bits;
    int depth;
};

static int read_one(struct cel_h5_bytes *b, int depth, struct cel_h5r_datatype **out);

static int bad(const char *why)
{
    return cel_h5r_bad_message("type", why);
}

static int ended(const struct cel_h5_bytes *b)
{
    return cel_h5r_ended(b, "type");
}

/* --- numbers ------------------------------------------------------------------------------ */

static bool lies_inside(unsigned at, unsigned n, const struct cel_h5r_datatype *t)
{
    return (size_t)at + n <= t->size * 8;
}

static int read_integer(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    t->big_endian = h->bits & 1;
    t->is_signed = h->bits & 8;
    t->bits.at = (unsigned)cel_h5_take_number(b, 2);
    t->bits.n = (unsigned)cel_h5_take_number(b, 2);
    if (!lies_inside(t->bits.at, t->bits.n, t))
        return bad("it has more bits than bytes for them");
    return b->ended || t->bits.n ? ended(b) : CEL_ASK_LIBHDF5;
}

static int read_float(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    struct cel_h5r_bits *f = &t->bits;

    t->big_endian = h->bits & 1;
    t->odd_order = h->bits & 64;
    t->is_signed = true;
    f->sign_at = (unsigned)(h->bits >> 8 & 255);
    f->norm = (unsigned)(h->bits >> 4 & 3);
    f->at = (unsigned)cel_h5_take_number(b, 2);
    f->n = (unsigned)cel_h5_take_number(b, 2);
    f->exponent_at = (unsigned)cel_h5_take_number(b, 1);
    f->exponent_n = (unsigned)cel_h5_take_number(b, 1);
    f->mantissa_at = (unsigned)cel_h5_take_number(b, 1);
    f->mantissa_n = (unsigned)cel_h5_take_number(b, 1);
    f->bias = (uint32_t)cel_h5_take_number(b, 4);
    if (!lies_inside(f->at, f->n, t) || !lies_inside(f->exponent_at, f->exponent_n, t) ||
        !lies_inside(f->mantissa_at, f->mantissa_n, t) || !lies_inside(f->sign_at, 1, t))
        return bad("it has more bits than bytes for them");
    if (b->ended)
        return ended(b);
    return f->n && f->exponent_n && f->mantissa_n && f->exponent_n <= 31 ? CEL_OK : CEL_ASK_LIBHDF5;
}

static int read_time(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    t->big_endian = h->bits & 1;
    t->bits.n = (unsigned)cel_h5_take_number(b, 2);
    return ended(b);
}

/* --- bytes and texts ------------------------------------------------------------------------ */

static int read_nothing(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    (void)h;
    (void)t;
    return ended(b);
}

static int read_opaque(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    (void)t;
    cel_h5_take(b, (size_t)(h->bits & 255));
    return ended(b);
}

/* A name with its NUL; NULL: it does not end. */
static char *read_name(struct cel_h5_bytes *b, unsigned version, int *rc)
{
    const unsigned char *start = b->p, *end = b->n ? memchr(b->p, '\0', b->n) : NULL;
    size_t n = end ? (size_t)(end - start) : 0;
    char *name;

    *rc = end ? CEL_ASK_LIBHDF5 : bad("a name in it does not end");
    if (!end || n == 0)
        return NULL;
    cel_h5_take(b, version <= PAD_TO ? (n + 8) / 8 * 8 : n + 1);
    *rc = ended(b);
    if (b->ended)
        return NULL;
    name = cel_strndup((const char *)start, n);
    *rc = name ? CEL_OK : NC_ENOMEM;
    return name;
}

/* --- what is made of others ------------------------------------------------------------------- */

static int read_vlen(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    int rc = read_one(b, h->depth + 1, &t->base);

    t->varsized = true;
    if (rc == CEL_OK && (h->bits & 15) == 1) {
        cel_h5r_datatype_free(t->base);
        t->base = NULL;
        t->klass = CEL_H5R_STRING;
        t->varies = true;
    }
    return rc == CEL_OK && (h->bits & 15) > 1 ? bad("its values of variable size are of no known kind") : rc;
}

size_t cel_h5r_array_length(const struct cel_h5r_datatype *array)
{
    size_t n = 1;

    for (int d = 0; d < array->ndims; d++)
        n *= array->dims[d];
    return n;
}

/* Rank and lengths are known: do they make up the size? */
static bool array_fits(const struct cel_h5r_datatype *t)
{
    size_t n = t->base->size;

    for (int d = 0; d < t->ndims; d++)
        if (t->dims[d] == 0 || !cel_mul(n, t->dims[d], &n))
            return false;
    return n == t->size;
}

static int read_array(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    uint64_t rank = cel_h5_take_number(b, 1);
    int rc;

    cel_h5_take_if(b, h->version <= PAD_TO, 3);
    if (b->ended || rank == 0 || rank > CEL_RANK_MAX)
        return bad("an array has an impossible number of dimensions");
    t->ndims = (int)rank;
    for (int d = 0; d < t->ndims; d++)
        t->dims[d] = (size_t)cel_h5_take_number(b, 4);
    if (h->version <= PAD_TO)
        cel_h5_take(b, 4 * (size_t)rank);
    rc = read_one(b, h->depth + 1, &t->base);
    t->varsized = rc == CEL_OK && t->base->varsized;
    return rc == CEL_OK && !array_fits(t) ? bad("an array has another size than its elements") : rc;
}

static int make_parts(struct cel_h5r_datatype *t, size_t n)
{
    t->part = cel_calloc(n, sizeof *t->part);
    return t->part ? CEL_OK : NC_ENOMEM;
}

/* Version 1 has no type of arrays: the member says that it is one. */
static int wrap_in_array(const struct cel_h5_bytes *lengths, uint64_t rank, struct cel_h5r_part *part)
{
    struct cel_h5_bytes b = *lengths;
    struct cel_h5r_datatype *array = cel_calloc(1, sizeof *array);

    if (!array)
        return NC_ENOMEM;
    array->klass = CEL_H5R_ARRAY;
    array->ndims = (int)rank;
    array->base = part->type;
    array->varsized = array->base->varsized;
    array->size = array->base->size;
    part->type = array;
    for (int d = 0; d < array->ndims; d++) {
        array->dims[d] = (size_t)cel_h5_take_number(&b, 4);
        if (array->dims[d] == 0 || !cel_mul(array->size, array->dims[d], &array->size))
            return bad("an array has another size than its elements");
    }
    return CEL_OK;
}

static int read_member(struct cel_h5_bytes *b, const struct head *h, const struct cel_h5r_datatype *t,
                       struct cel_h5r_part *part)
{
    struct cel_h5_bytes lengths = {0};
    uint64_t rank = 0;
    int rc;

    part->name = read_name(b, h->version, &rc);
    if (rc != CEL_OK)
        return rc;
    part->offset = (size_t)cel_h5_take_number(b, h->version <= PAD_TO ? 4 : cel_h5_bytes_for(t->size));
    if (h->version == 1) {
        rank = cel_h5_take_number(b, 1);
        cel_h5_take(b, 11);
        lengths.n = 4 * OLD_RANK;
        lengths.p = cel_h5_take(b, lengths.n);
    }
    if (b->ended || rank > OLD_RANK)
        return b->ended ? ended(b) : bad("an array has an impossible number of dimensions");
    rc = read_one(b, h->depth + 1, &part->type);
    if (rc == CEL_OK && rank > 0)
        rc = wrap_in_array(&lengths, rank, part);
    if (rc == CEL_OK && (part->type->size > t->size || part->offset > t->size - part->type->size))
        rc = bad("a member lies outside of it");
    return rc;
}

static int read_compound(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    size_t n = (size_t)(h->bits & 0xffff);
    int rc = n > b->n ? bad("it has more members than bytes for them") : make_parts(t, n);

    while (rc == CEL_OK && t->nparts < n)
        rc = read_member(b, h, t, &t->part[t->nparts++]);
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        t->varsized = t->varsized || t->part[i].type->varsized;
    return rc;
}

static int read_enum(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    size_t n = (size_t)(h->bits & 0xffff);
    int rc = read_one(b, h->depth + 1, &t->base);

    if (rc == CEL_OK && (t->base->klass != CEL_H5R_INTEGER || t->base->size != t->size || n > b->n))
        return bad("its names stand for no integers");
    if (rc == CEL_OK)
        rc = make_parts(t, n);
    while (rc == CEL_OK && t->nparts < n)
        t->part[t->nparts++].name = read_name(b, h->version, &rc);
    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        t->part[i].value = cel_h5_take(b, t->size);
    return rc == CEL_OK ? ended(b) : rc;
}

static int add_complex_part(struct cel_h5_bytes b, const struct head *h, const char *name, struct cel_h5r_part *part)
{
    part->name = cel_strdup(name);
    return part->name ? read_one(&b, h->depth + 1, &part->type) : NC_ENOMEM;
}

static int read_complex(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t)
{
    struct cel_h5_bytes part = *b;
    int rc = read_one(b, h->depth + 1, &t->base);

    t->klass = CEL_H5R_COMPOUND;
    if (rc == CEL_OK && (t->base->klass != CEL_H5R_FLOAT || t->base->size * 2 != t->size))
        return CEL_ASK_LIBHDF5;
    if (rc == CEL_OK)
        rc = make_parts(t, 2);
    for (; rc == CEL_OK && t->nparts < 2; t->nparts++) {
        t->part[t->nparts].offset = t->nparts * t->base->size;
        rc = add_complex_part(part, h, t->nparts ? "i" : "r", &t->part[t->nparts]);
    }
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------- */

typedef int read_fn(struct cel_h5_bytes *b, const struct head *h, struct cel_h5r_datatype *t);
static read_fn *const readers[] = {
    [CEL_H5R_INTEGER] = read_integer,   [CEL_H5R_FLOAT] = read_float,       [CEL_H5R_TIME] = read_time,
    [CEL_H5R_STRING] = read_nothing,    [CEL_H5R_BITFIELD] = read_integer,  [CEL_H5R_OPAQUE] = read_opaque,
    [CEL_H5R_COMPOUND] = read_compound, [CEL_H5R_REFERENCE] = read_nothing, [CEL_H5R_ENUM] = read_enum,
    [CEL_H5R_VLEN] = read_vlen,         [CEL_H5R_ARRAY] = read_array,       [CEL_H5R_COMPLEX] = read_complex,
};

static int read_body(struct cel_h5_bytes *b, int depth, struct cel_h5r_datatype *t)
{
    uint64_t first = cel_h5_take_number(b, 1);
    struct head h = {.version = (unsigned)first >> 4, .bits = cel_h5_take_number(b, 3), .depth = depth};

    t->klass = (int)(first & 15);
    t->size = (size_t)cel_h5_take_number(b, 4);
    if (b->ended || h.version < 1 || h.version > VERSION_MAX || (size_t)t->klass >= sizeof readers / sizeof *readers)
        return b->ended ? ended(b) : CEL_ASK_LIBHDF5;
    if (t->size == 0)
        return bad("its elements have no bytes");
    return readers[t->klass](b, &h, t);
}

/* Freed by the caller, also after a failure, when it is the root's. */
static int read_one(struct cel_h5_bytes *b, int depth, struct cel_h5r_datatype **out)
{
    struct cel_h5r_datatype *t;
    int rc;

    if (depth > DEPTH_MAX)
        return CEL_ASK_LIBHDF5;
    t = *out = cel_calloc(1, sizeof *t);
    if (!t)
        return NC_ENOMEM;
    t->message = b->p;
    rc = read_body(b, depth, t);
    t->nmessage = (size_t)(b->p - t->message);
    return rc;
}

int cel_h5r_datatype_decode(const unsigned char *message, size_t n, struct cel_h5r_datatype **out)
{
    unsigned char *own = cel_memdup(message, n);
    struct cel_h5_bytes b = {.p = own, .n = n};
    int rc;

    *out = NULL;
    if (!own)
        return NC_ENOMEM;
    rc = read_one(&b, 0, out);
    if (*out)
        (*out)->own = own;
    else
        free(own);
    if (rc != CEL_OK) {
        cel_h5r_datatype_free(*out);
        *out = NULL;
    }
    return rc;
}

void cel_h5r_datatype_free(struct cel_h5r_datatype *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->nparts; i++) {
        free(t->part[i].name);
        cel_h5r_datatype_free(t->part[i].type);
    }
    free(t->part);
    cel_h5r_datatype_free(t->base);
    free(t->own);
    free(t);
}

/* --- comparing ------------------------------------------------------------------------------------ */

static bool parts_equal(const struct cel_h5r_datatype *a, const struct cel_h5r_part *x, const struct cel_h5r_part *y)
{
    if (strcmp(x->name, y->name) != 0)
        return false;
    if (a->klass == CEL_H5R_ENUM)
        return memcmp(x->value, y->value, a->size) == 0;
    return (a->varsized || x->offset == y->offset) && cel_h5r_datatype_equal(x->type, y->type);
}

/* libhdf5 compares members by name, whatever their order. Nearly always it is the same; where there are many and it is
 * not, the types count as two. */
static bool all_parts_equal(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b)
{
    size_t i, j;

    for (i = 0; i < a->nparts; i++) {
        if (parts_equal(a, &a->part[i], &b->part[i]))
            continue;
        for (j = a->nparts > SORTED_FROM ? b->nparts : 0; j < b->nparts && !parts_equal(a, &a->part[i], &b->part[j]);
             j++)
            ;
        if (j == b->nparts)
            return false;
    }
    return true;
}

static bool bits_equal(const struct cel_h5r_bits *a, const struct cel_h5r_bits *b)
{
    return a->at == b->at && a->n == b->n && a->sign_at == b->sign_at && a->exponent_at == b->exponent_at &&
           a->exponent_n == b->exponent_n && a->mantissa_at == b->mantissa_at && a->mantissa_n == b->mantissa_n &&
           a->norm == b->norm && a->bias == b->bias;
}

/* Classes whose bits and tags say more than this tree does. */
static bool says_the_same(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b)
{
    if (a->klass != CEL_H5R_STRING && a->klass != CEL_H5R_OPAQUE && a->klass != CEL_H5R_REFERENCE)
        return true;
    if (a->varies)
        return memcmp(a->message + 1, b->message + 1, 3) == 0;
    return a->nmessage == b->nmessage && memcmp(a->message + 1, b->message + 1, a->nmessage - 1) == 0;
}

static bool numbers_equal(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b)
{
    return a->big_endian == b->big_endian && a->odd_order == b->odd_order && a->is_signed == b->is_signed &&
           bits_equal(&a->bits, &b->bits);
}

/* libhdf5 gives elements that lead into the heap the size they have in memory: sizes and offsets do not count there. */
bool cel_h5r_datatype_equal(const struct cel_h5r_datatype *a, const struct cel_h5r_datatype *b)
{
    if (a->klass != b->klass || a->varies != b->varies || a->nparts != b->nparts || a->varsized != b->varsized ||
        (!a->varsized && a->size != b->size))
        return false;
    if (!numbers_equal(a, b) || !says_the_same(a, b))
        return false;
    if (a->ndims != b->ndims || memcmp(a->dims, b->dims, (size_t)a->ndims * sizeof *a->dims) != 0)
        return false;
    if (!a->base != !b->base || (a->base && !cel_h5r_datatype_equal(a->base, b->base)))
        return false;
    return all_parts_equal(a, b);
}

bool cel_h5r_is_fixed_text(const struct cel_h5r_datatype *t)
{
    return t->klass == CEL_H5R_STRING && !t->varies;
}

bool cel_h5r_is_long_text(const struct cel_h5r_datatype *t)
{
    return cel_h5r_is_fixed_text(t) && t->size > 1;
}
