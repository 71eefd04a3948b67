/* Attributes: the layers of a frame's trailer ("vlmeta" of python-blosc2). The bytes of each are a chunk of Blosc2 with
 * a value in MessagePack: text, a number, true or false, or a list of numbers. Others are listed as unreadable. */
#include "blosc2_int.h"
#include "bytes.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MAX = 8192, VALUE_MAX = 1 << 24 };

/* A value of MessagePack that is not nested: one row for each marker with a number behind it. */
static const struct {
    unsigned char marker;
    size_t bytes;
    char kind; /* u, i, f; s text, a list: the number is its length */
} markers[] = {{0xcc, 1, 'u'}, {0xcd, 2, 'u'}, {0xce, 4, 'u'}, {0xcf, 8, 'u'}, {0xd0, 1, 'i'},
               {0xd1, 2, 'i'}, {0xd2, 4, 'i'}, {0xd3, 8, 'i'}, {0xca, 4, 'f'}, {0xcb, 8, 'f'},
               {0xd9, 1, 's'}, {0xda, 2, 's'}, {0xdb, 4, 's'}, {0xdc, 2, 'a'}, {0xdd, 4, 'a'}};

struct value {
    char kind; /* u, i, f, s, a as above; 0: another */
    uint64_t n;
    int64_t i;
    double f;
};

static struct value with_number(char kind, const unsigned char *p, size_t bytes)
{
    struct value v = {.kind = kind, .n = cel_get_be(p, bytes)};

    v.i = kind == 'i' ? (int64_t)(v.n << (64 - 8 * bytes)) >> (64 - 8 * bytes) : (int64_t)v.n;
    if (kind == 'f' && bytes == 4) {
        uint32_t bits = (uint32_t)v.n;
        float f;

        memcpy(&f, &bits, sizeof f);
        v.f = (double)f;
    } else if (kind == 'f') {
        memcpy(&v.f, &v.n, sizeof v.f);
    }
    return v;
}

/* *at moves behind the marker and its number. */
static struct value take(const unsigned char *p, size_t n, size_t *at)
{
    unsigned char marker = *at < n ? p[(*at)++] : 0xc1;

    if (marker < 0x80)
        return (struct value){.kind = 'u', .n = marker, .i = marker};
    if (marker >= 0xe0)
        return (struct value){.kind = 'i', .i = (int8_t)marker};
    if (marker == 0xc2 || marker == 0xc3)
        return (struct value){.kind = 'u', .n = marker == 0xc3, .i = marker == 0xc3};
    if (marker >> 5 == 5)
        return (struct value){.kind = 's', .n = marker & 31u};
    if (marker >> 4 == 9)
        return (struct value){.kind = 'a', .n = marker & 15u};
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (markers[i].marker == marker && n - *at >= markers[i].bytes) {
            *at += markers[i].bytes;
            return with_number(markers[i].kind, p + *at - markers[i].bytes, markers[i].bytes);
        }
    return (struct value){0};
}

/* Numbers become 64-bit integers, or doubles if one of them is one or does not fit. false: there is another value. */
static bool take_numbers(const unsigned char *p, size_t n, size_t at, size_t count, struct value *out, bool *is_real)
{
    *is_real = false;
    for (size_t i = 0; i < count; i++) {
        out[i] = take(p, n, &at);
        if (!out[i].kind || !strchr("uif", out[i].kind))
            return false;
        if (out[i].kind == 'f' || (out[i].kind == 'u' && out[i].n > INT64_MAX))
            *is_real = true;
    }
    return at == n;
}

static int add_numbers(struct cel_var *var, const char *name, const unsigned char *p, size_t n, size_t at, size_t count)
{
    struct value *values = count <= n ? cel_calloc(count, sizeof *values) : NULL;
    void *data = values ? cel_malloc_array(count, 8) : NULL;
    bool is_real;
    int rc = NC_ENOMEM;

    if (count > n)
        return CEL_ABSENT;
    if (data && take_numbers(p, n, at, count, values, &is_real)) {
        for (size_t i = 0; i < count; i++)
            if (is_real)
                ((double *)data)[i] = values[i].kind == 'f'   ? values[i].f
                                      : values[i].kind == 'u' ? (double)values[i].n
                                                              : (double)values[i].i;
            else
                ((int64_t *)data)[i] = values[i].i;
        rc = cel_att_add(&var->atts, name, cel_type_atomic(is_real ? NC_DOUBLE : NC_INT64), count, data, NULL);
        data = NULL;
    } else if (data) {
        rc = CEL_ABSENT;
    }
    free(data);
    free(values);
    return rc;
}

/* CEL_ABSENT: no value that an attribute can have. */
static int add_value(struct cel_var *var, const char *name, const unsigned char *p, size_t n)
{
    size_t at = 0;
    struct value v = take(p, n, &at);
    void *text;

    if (v.kind == 'a' && v.n > 0)
        return add_numbers(var, name, p, n, at, (size_t)v.n);
    if (v.kind && strchr("uif", v.kind))
        return add_numbers(var, name, p, n, 0, 1);
    if (v.kind != 's' || v.n != n - at)
        return CEL_ABSENT;
    text = cel_memdup(p + at, (size_t)v.n);
    return text ? cel_att_add(&var->atts, name, cel_type_atomic(NC_CHAR), (size_t)v.n, text, NULL) : NC_ENOMEM;
}

static int add_layer(struct blosc2_file *b, struct cel_var *var, const struct cel_b2_layer *layer)
{
    struct cel_b2_header h;
    unsigned char *value = NULL;
    int rc = cel_b2_header_read(layer->bytes, layer->len, &h);

    if (rc == CEL_OK && h.nbytes > VALUE_MAX)
        rc = cel_fail(NC_EFILTER, "blosc2: it says it has %zu bytes", h.nbytes);
    if (rc == CEL_OK && !(value = cel_malloc(h.nbytes)))
        return NC_ENOMEM;
    if (rc == CEL_OK && h.nbytes)
        rc = cel_b2_decode_blocks(b->work, &h, layer->bytes, NULL, 0, h.nblocks, value);
    if (rc == CEL_OK)
        rc = add_value(var, layer->name, value, h.nbytes);
    free(value);
    if (rc == CEL_OK || rc == NC_ENOMEM)
        return rc;
    rc = cel_group_note_unreadable(var->group, layer->name,
                                   rc == CEL_ABSENT ? "it is neither text nor numbers" : cel_error_text());
    cel_error_clear();
    return rc;
}

int cel_blosc2_atts_load(struct blosc2_file *b, struct cel_var *var)
{
    struct cel_b2_layer *layers = cel_calloc(LAYERS_MAX, sizeof *layers);
    unsigned char tail[CEL_B2_FRAME_TAIL], *trailer = NULL;
    size_t n = 0, nlayers = 0, least = b->frame.header + b->frame.cbytes;
    int rc = !layers                               ? NC_ENOMEM
             : b->frame.size - least < sizeof tail ? cel_fail(NC_EFILTER, "blosc2: the frame has no trailer")
                                                   : cel_blosc2_read(b, b->frame.size - sizeof tail, tail, sizeof tail);

    if (rc == CEL_OK) {
        n = cel_get_be32(tail + 1);
        if (tail[0] != 0xce || n > b->frame.size - least)
            rc = cel_fail(NC_EFILTER, "blosc2: the trailer of the frame is damaged");
    }
    if (rc == CEL_OK && !(trailer = cel_malloc(n)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_blosc2_read(b, b->frame.size - n, trailer, n);
    if (rc == CEL_OK)
        rc = cel_b2_trailer_read(trailer, n, LAYERS_MAX, layers, &nlayers);
    for (size_t i = 0; rc == CEL_OK && i < nlayers; i++)
        rc = add_layer(b, var, &layers[i]);
    free(trailer);
    free(layers);
    return rc;
}
