/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters of a chunk as text and as words. */
#include "b2_words.h"
#include "b2_work.h"
#include "bytes.h"
#include "status.h"
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

void cel_b2_filters_put(const uint8_t *filter, const uint8_t *meta, uint32_t *w)
{
    uint8_t bytes[2 * CEL_B2_FILTERS];

    memcpy(bytes, filter, CEL_B2_FILTERS);
    memcpy(bytes + CEL_B2_FILTERS, meta, CEL_B2_FILTERS);
    for (size_t i = 0; i < sizeof bytes / 4; i++)
        w[i] = cel_get_le32(bytes + 4 * i);
}

void cel_b2_filters_get(const uint32_t *w, uint8_t *filter, uint8_t *meta)
{
    uint8_t bytes[2 * CEL_B2_FILTERS];

    for (size_t i = 0; i < sizeof bytes / 4; i++)
        cel_put_le32(bytes + 4 * i, w[i]);
    memcpy(filter, bytes, CEL_B2_FILTERS);
    memcpy(meta, bytes + CEL_B2_FILTERS, CEL_B2_FILTERS);
}

bool cel_b2_filters_have(const uint32_t *w, uint8_t id)
{
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];

    cel_b2_filters_get(w, filter, meta);
    return memchr(filter, id, sizeof filter) != NULL;
}

bool cel_b2_filters_lose(const uint32_t *w)
{
    return cel_b2_filters_have(w, CEL_B2_NDMEAN) || cel_b2_filters_have(w, CEL_B2_TRUNC_PREC) ||
           cel_b2_filters_have(w, CEL_B2_INT_TRUNC);
}

int cel_b2_filters_check(const uint32_t *w)
{
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];
    int rc = CEL_OK;

    cel_b2_filters_get(w, filter, meta);
    for (int i = 0; rc == CEL_OK && i < CEL_B2_FILTERS; i++) {
        rc = cel_b2_filter_check(filter[i]);
        if ((filter[i] == CEL_B2_NDCELL || filter[i] == CEL_B2_NDMEAN) && (meta[i] == 0 || meta[i] > INT8_MAX))
            rc = cel_fail(NC_EINVAL, "blosc2: %s needs the edge of its cells, as in %s:4",
                          cel_b2_filter_name(filter[i]), cel_b2_filter_name(filter[i]));
    }
    return rc;
}

int cel_b2_filters_fit(const uint32_t *w, const struct cel_shape *shape)
{
    bool is_real = shape->kind == CEL_KIND_FLOAT && (shape->elem_size == 4 || shape->elem_size == 8);

    if (!is_real && (cel_b2_filters_have(w, CEL_B2_NDMEAN) || cel_b2_filters_have(w, CEL_B2_TRUNC_PREC)))
        return cel_fail(NC_EFILTER, "blosc2: ndmean and trunc_prec are for float and double");
    if (shape->kind != CEL_KIND_INT && shape->kind != CEL_KIND_UINT && cel_b2_filters_have(w, CEL_B2_INT_TRUNC))
        return cel_fail(NC_EFILTER, "blosc2: int_trunc is for integers");
    if (shape->rank > CEL_B2_CELLS_RANK &&
        (cel_b2_filters_have(w, CEL_B2_NDCELL) || cel_b2_filters_have(w, CEL_B2_NDMEAN)))
        return cel_fail(NC_EFILTER, "blosc2: ndcell and ndmean take up to %d dimensions", CEL_B2_CELLS_RANK);
    if (shape->big_endian && shape->elem_size > 1 && cel_b2_filters_lose(w))
        return cel_fail(NC_EFILTER, "blosc2: ndmean, trunc_prec and int_trunc are for values with the low byte first");
    return CEL_OK;
}

/* The number behind a colon: -128 to 255, as one byte. */
static bool parse_meta(const char *text, size_t len, uint8_t *out)
{
    bool negative = len > 0 && text[0] == '-';
    int v = 0;

    if (len == (size_t)negative)
        return false;
    for (size_t i = negative; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || v > UINT8_MAX)
            return false;
        v = v * 10 + (text[i] - '0');
    }
    *out = (uint8_t)(negative ? -v : v);
    return v <= (negative ? 128 : UINT8_MAX);
}

static bool parse_one(const char *text, size_t len, uint8_t *filter, uint8_t *meta)
{
    const char *colon = memchr(text, ':', len);
    size_t name = colon ? (size_t)(colon - text) : len;

    *filter = cel_b2_filter_by_name(text, name);
    return *filter != CEL_B2_NONE && (!colon || parse_meta(colon + 1, len - name - 1, meta));
}

bool cel_b2_filters_parse(const char *text, size_t len, uint32_t *w)
{
    uint8_t filter[CEL_B2_FILTERS] = {0}, meta[CEL_B2_FILTERS] = {0};
    size_t n = 0, gap;

    for (size_t at = 0; len > 0 && at <= len;) {
        const char *plus = memchr(text + at, '+', len - at);
        size_t one = plus ? (size_t)(plus - text) - at : len - at;

        if (n == CEL_B2_FILTERS || !parse_one(text + at, one, &filter[n], &meta[n]))
            return false;
        n++;
        at += one + 1;
    }
    gap = CEL_B2_FILTERS - n; /* the last places are used, as other writers do */
    memmove(filter + gap, filter, n);
    memmove(meta + gap, meta, n);
    memset(filter, 0, gap);
    memset(meta, 0, gap);
    cel_b2_filters_put(filter, meta, w);
    return true;
}

void cel_b2_filters_print(const uint32_t *w, char text[CEL_B2_FILTERS_TEXT])
{
    uint8_t filter[CEL_B2_FILTERS], meta[CEL_B2_FILTERS];
    size_t n = 0;

    text[0] = '\0';
    cel_b2_filters_get(w, filter, meta);
    for (int i = 0; i < CEL_B2_FILTERS; i++) {
        const char *name = cel_b2_filter_name(filter[i]);
        bool is_signed = filter[i] == CEL_B2_TRUNC_PREC || filter[i] == CEL_B2_INT_TRUNC;

        if (filter[i] == CEL_B2_NONE)
            continue;
        n += (size_t)snprintf(text + n, CEL_B2_FILTERS_TEXT - n, "%s%s", n ? "+" : "", name ? name : "unknown");
        if (meta[i])
            n += (size_t)snprintf(text + n, CEL_B2_FILTERS_TEXT - n, ":%d", is_signed ? (int8_t)meta[i] : meta[i]);
    }
}
