/* SPDX-License-Identifier: BSD-3-Clause */
/* One element, by form: as it is stored, and in memory. */
#include "bytes.h"
#include "convert.h"
#include "half.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>

/* --- text ------------------------------------------------------------------------ */

int cel_zarr_nul_in_text(void)
{
    return cel_fail(NC_EBADTYPE,
                    "an element holds a NUL character within its text, which a netCDF string would be cut at: store "
                    "such data with vlen-bytes, which is read as lists of bytes");
}

static bool is_zero(const unsigned char *p, size_t n)
{
    while (n && !*p)
        p++, n--;
    return n == 0;
}

static int no_character(uint32_t c)
{
    return cel_fail(NC_EBADTYPE, "an element of text holds %#x, which is no character", (unsigned)c);
}

static int take_utf32(const unsigned char *p, size_t nbytes, bool big, char **out)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 28);
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i + 4 <= nbytes; i += 4) {
        uint32_t c = (uint32_t)cel_get_word(p + i, 4, big);
        char utf8[4];
        size_t n = 0;
        if (!c && is_zero(p + i, nbytes - i))
            break;
        if (!c || c > 0x10ffff) {
            rc = c ? no_character(c) : cel_zarr_nul_in_text();
            break;
        }
        if (c < 0x80) {
            utf8[n++] = (char)c;
        } else if (c < 0x800) {
            utf8[n++] = (char)(0xc0 | c >> 6);
        } else if (c < 0x10000) {
            utf8[n++] = (char)(0xe0 | c >> 12);
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        } else {
            utf8[n++] = (char)(0xf0 | (c >> 18 & 7));
            utf8[n++] = (char)(0x80 | (c >> 12 & 63));
            utf8[n++] = (char)(0x80 | (c >> 6 & 63));
        }
        if (c >= 0x80)
            utf8[n++] = (char)(0x80 | (c & 63));
        rc = cel_buf_add(&text, utf8, n);
    }
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, out);
    cel_buf_dispose(&text);
    return rc;
}

static int put_utf32(const char *text, unsigned char *p, size_t nbytes, bool big)
{
    memset(p, 0, nbytes);
    for (size_t i = 0; *text; i += 4) {
        unsigned char lead = (unsigned char)*text++;
        int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        uint32_t c = more ? lead & (0x3f >> more) : lead;
        for (; more > 0 && (*text & 0xc0) == 0x80; more--)
            c = c << 6 | (*text++ & 0x3f);
        if (i + 4 > nbytes)
            return NC_EINVAL;
        cel_put_word(p + i, c, 4, big);
    }
    return CEL_OK;
}

static int put_bytes(const char *text, unsigned char *p, size_t nbytes)
{
    size_t len = strlen(text);

    memset(p, 0, nbytes);
    if (len > nbytes)
        return cel_fail(
            NC_EINVAL,
            "a string of %zu bytes does not fit in %zu: set the attribute _nczarr_maxstrlen of the variable "
            "before data is written, or give it the codec vlen-utf8",
            len, nbytes);
    memcpy(p, text, len);
    return CEL_OK;
}

static int take_text(const struct cel_zarr_dtype *t, const unsigned char *p, char **out)
{
    size_t len;

    if (t->form == ZARR_CATEGORY)
        return cel_zarr_category_take(t, p, out);
    if (t->form == ZARR_UTF32)
        return take_utf32(p, t->size, t->big, out);
    len = strnlen((const char *)p, t->size);
    if (!is_zero(p + len, t->size - len))
        return cel_zarr_nul_in_text();
    *out = cel_strndup((const char *)p, len);
    return *out ? CEL_OK : NC_ENOMEM;
}

static int too_many_characters(size_t nbytes)
{
    return cel_fail(NC_EINVAL, "a string has more than the %zu characters that fit", nbytes / 4);
}

static int put_text(const struct cel_zarr_dtype *t, const char *text, unsigned char *p)
{
    if (t->form == ZARR_CATEGORY)
        return cel_zarr_category_put(t, text, p);
    if (t->form == ZARR_BYTES)
        return put_bytes(text, p, t->size);
    return put_utf32(text, p, t->size, t->big) == CEL_OK ? CEL_OK : too_many_characters(t->size);
}

/* --- numbers --------------------------------------------------------------------- */

static void take_half(const struct cel_zarr_dtype *t, const unsigned char *p, void *out)
{
    uint16_t bits = (uint16_t)cel_get_word(p, 2, t->big);
    float f = t->form == ZARR_HALF ? cel_half_to_float(bits) : cel_bfloat_to_float(bits);

    memcpy(out, &f, sizeof f);
}

static void put_half(const struct cel_zarr_dtype *t, const void *in, unsigned char *p)
{
    float f;

    memcpy(&f, in, sizeof f);
    cel_put_word(p, t->form == ZARR_HALF ? cel_float_to_half(f) : cel_float_to_bfloat(f), 2, t->big);
}

/* Every number of a complex one has its own bytes to turn. */
static void turn(const struct cel_type *type, unsigned char *to, const unsigned char *from)
{
    if (type->klass == NC_OPAQUE)
        memcpy(to, from, type->size);
    else if (type->klass != NC_COMPOUND)
        cel_swap_bytes(to, from, 1, type->size);
    for (size_t f = 0; f < type->nfields; f++)
        turn(type->field[f].type, to + type->field[f].offset, from + type->field[f].offset);
}

static void move_number(const struct cel_zarr_dtype *t, unsigned char *to, const unsigned char *from)
{
    if (t->big)
        turn(t->type, to, from);
    else
        memcpy(to, from, t->size);
}

/* --- structures -------------------------------------------------------------------- */

static int take_leaf_text(const struct cel_zarr_leaf *leaf, bool big, const unsigned char *from, unsigned char *to)
{
    char *text;
    int rc = take_utf32(from, leaf->size, big, &text);

    if (rc != CEL_OK)
        return rc;
    memset(to, 0, leaf->size);
    memcpy(to, text, strnlen(text, leaf->size)); /* at most four bytes for each code point */
    free(text);
    return CEL_OK;
}

static int put_leaf_text(const struct cel_zarr_leaf *leaf, bool big, const unsigned char *from, unsigned char *to)
{
    char *text = cel_strndup((const char *)from, strnlen((const char *)from, leaf->size));
    int rc = text ? put_utf32(text, to, leaf->size, big) : NC_ENOMEM;

    free(text);
    return rc == NC_EINVAL ? too_many_characters(leaf->size) : rc;
}

/* All of the structure is copied, then its leaves. */
static int move_struct(const struct cel_zarr_dtype *t, const unsigned char *from, unsigned char *to, bool taking)
{
    int rc = CEL_OK;

    memcpy(to, from, t->size);
    for (size_t i = 0; i < t->nleaf; i++) {
        const struct cel_zarr_leaf *leaf = &t->leaf[i];
        bool big = leaf->big || t->big;

        if (!leaf->text && big)
            cel_swap_bytes(to + leaf->at, from + leaf->at, leaf->n, leaf->size);
        for (size_t k = 0; rc == CEL_OK && leaf->text && k < leaf->n; k++) {
            size_t at = leaf->at + k * leaf->size;

            rc = taking ? take_leaf_text(leaf, big, from + at, to + at) : put_leaf_text(leaf, big, from + at, to + at);
        }
    }
    return rc;
}

/* --- all forms --------------------------------------------------------------------- */

static bool is_half(const struct cel_zarr_dtype *t)
{
    return t->form == ZARR_HALF || t->form == ZARR_BFLOAT;
}

int cel_zarr_element_take(const struct cel_zarr_dtype *t, const unsigned char *p, void *out)
{
    char *text = NULL;
    int rc;

    if (t->leaf)
        return move_struct(t, p, out, true);
    if (t->form == ZARR_NUMBERS || is_half(t)) {
        if (is_half(t))
            take_half(t, p, out);
        else
            move_number(t, out, p);
        return CEL_OK;
    }
    rc = take_text(t, p, &text);
    if (rc == CEL_OK)
        memcpy(out, &text, sizeof text);
    return rc;
}

int cel_zarr_element_put(const struct cel_zarr_dtype *t, const void *in, unsigned char *p)
{
    const char *text;

    if (t->leaf)
        return move_struct(t, in, p, false);
    if (t->form == ZARR_NUMBERS || is_half(t)) {
        if (is_half(t))
            put_half(t, in, p);
        else
            move_number(t, p, in);
        return CEL_OK;
    }
    memcpy(&text, in, sizeof text);
    return put_text(t, text ? text : "", p);
}
