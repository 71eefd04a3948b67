/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a classic file has no checksum, but says most things twice: names are padded with zeros, sizes follow from
 * dimensions and types, and variables lie one behind the other. A header that breaks these rules is changed where just one
 * change of a byte heals it.
 *
 *   "CDF" version(1) records(N) dimensions attributes variables; each list: tag(4) count(N) or 0(4) 0(N)
 *   dimension  name length(N);  attribute  name type(4) count(N) values
 *   variable   name rank(N) dimensions(N each) attributes type(4) size(N) begin(O)
 *   name       length(N) bytes, padded to 4
 * N: 4 bytes, in version 5 8; O: 4 bytes in version 1, else 8. */

#include "mend.h"
#include <string.h>

enum { DIM_TAG = 10, VAR_TAG = 11, ATT_TAG = 12, ITEMS_MAX = 512, NAME_MAX_BYTES = 1024 };

struct header {
    struct mend *m;
    size_t at;
    bool wrong;
    int version;
    uint64_t records, ndims, length[ITEMS_MAX];
    uint64_t end;          /* of the fixed variables so far, 0 before the first */
    uint64_t record_begin; /* of the first record variable; 0: none */
    uint64_t record_end, record_size;
    size_t record_vars;
};

static uint64_t take(struct header *h, size_t n)
{
    h->wrong = h->wrong || !mend_inside(h->m, h->at, n);
    if (h->wrong)
        return 0;
    h->at += n;
    return mend_be(h->m->bytes + h->at - n, n);
}

static uint64_t take_count(struct header *h)
{
    return take(h, h->version == 5 ? 8 : 4);
}

/* Bytes padded to a multiple of four, with zeros. */
static void skip_padded(struct header *h, uint64_t n, bool zeros)
{
    uint64_t padded = n + (4 - n % 4) % 4;

    if (h->wrong || n > h->m->size || !mend_inside(h->m, h->at, padded)) {
        h->wrong = true;
        return;
    }
    for (uint64_t i = n; zeros && i < padded; i++)
        h->wrong = h->wrong || h->m->bytes[h->at + i] != 0;
    h->at += padded;
}

static void skip_name(struct header *h)
{
    uint64_t n = take_count(h);
    const unsigned char *p = h->m->bytes + h->at;

    if (h->wrong || n == 0 || n > NAME_MAX_BYTES || !mend_inside(h->m, h->at, n)) {
        h->wrong = true;
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        h->wrong = h->wrong || p[i] < 32 || p[i] == 127 || p[i] == '/';
    skip_padded(h, n, true);
}

/* Types without a sign and of 64 bits came with version 5. */
static size_t type_size(const struct header *h, uint64_t type)
{
    static const unsigned char size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

    return type < (h->version == 5 ? sizeof size : 7) ? size[type] : 0;
}

/* The count of a list; an absent one has no tag. */
static uint64_t take_list(struct header *h, uint64_t tag)
{
    uint64_t found = take(h, 4), n = take_count(h);

    h->wrong = h->wrong || n > ITEMS_MAX || (found != tag && (found || n));
    return h->wrong ? 0 : n;
}

static void skip_attributes(struct header *h)
{
    uint64_t n = take_list(h, ATT_TAG);

    for (uint64_t i = 0; i < n && !h->wrong; i++) {
        size_t size;
        uint64_t count;

        skip_name(h);
        size = type_size(h, take(h, 4));
        count = take_count(h);
        h->wrong = h->wrong || size == 0 || count > h->m->size;
        skip_padded(h, count * size, size < 4);
    }
}

static void take_dims(struct header *h)
{
    h->ndims = take_list(h, DIM_TAG);
    for (uint64_t i = 0; i < h->ndims && !h->wrong; i++) {
        skip_name(h);
        h->length[i] = take_count(h);
        for (uint64_t k = 0; k < i; k++)
            h->wrong = h->wrong || (h->length[i] == 0 && h->length[k] == 0);
    }
}

/* Bytes of one record, or of all values; *record: it has records. */
static uint64_t size_of_shape(struct header *h, bool *record)
{
    uint64_t rank = take_count(h), n = 1;

    h->wrong = h->wrong || rank > ITEMS_MAX;
    for (uint64_t d = 0; d < rank && !h->wrong; d++) {
        uint64_t dim = take_count(h);

        h->wrong = h->wrong || dim >= h->ndims;
        if (h->wrong)
            return 0;
        *record = *record || (d == 0 && h->length[dim] == 0);
        h->wrong = h->wrong || (d > 0 && h->length[dim] == 0);
        if (h->length[dim] && __builtin_mul_overflow(n, h->length[dim], &n))
            h->wrong = true;
    }
    return n;
}

/* Variables follow one another; the first may leave space for a header that grows, and so may the first record. */
static void follow(struct header *h, bool record, uint64_t begin, uint64_t size)
{
    uint64_t *end = record ? &h->record_end : &h->end;

    h->wrong = h->wrong || (*end && begin != *end);
    if (record && !h->record_begin)
        h->record_begin = begin;
    *end = begin + size;
    h->record_size += record ? size : 0;
    h->record_vars += record;
}

static void take_var(struct header *h)
{
    uint64_t values, size, claimed, begin, most;
    bool record = false;
    size_t element;

    skip_name(h);
    values = size_of_shape(h, &record);
    skip_attributes(h);
    element = type_size(h, take(h, 4));
    claimed = take_count(h);
    begin = take(h, h->version == 1 ? 4 : 8);
    if (h->wrong || element == 0 || __builtin_mul_overflow(values, element, &size)) {
        h->wrong = true;
        return;
    }
    size += (4 - size % 4) % 4;
    most = h->version == 5 ? UINT64_MAX : 0xffffffffu;
    h->wrong = claimed != (size < most ? size : most) && size < most - 3;
    follow(h, record, begin, size);
}

static bool header_fits(void *arg)
{
    struct header *h = arg;
    uint64_t nvars;

    *h = (struct header){.m = h->m};
    if (memcmp(h->m->bytes, "CDF", 3) != 0)
        return false;
    h->version = h->m->bytes[3];
    if (h->version != 1 && h->version != 2 && h->version != 5)
        return false;
    h->at = 4;
    h->records = take_count(h);
    take_dims(h);
    skip_attributes(h);
    nvars = take_list(h, VAR_TAG);
    for (uint64_t i = 0; i < nvars && !h->wrong; i++)
        take_var(h);
    return !h->wrong && (!h->end || !h->record_begin || h->record_begin >= h->end);
}

/* The length of the file as well: where several changes heal the header, this chooses. */
static bool file_fits(void *arg)
{
    struct header *h = arg;
    uint64_t end;

    if (!header_fits(h))
        return false;
    end = h->record_begin ? h->record_begin + h->records * h->record_size : h->end;
    return h->m->size <= end && end - h->m->size < 4;
}

/* Records that are there and not counted, as after a crash: all that fill the file exactly. */
static void count_records(struct mend *m, struct header *h)
{
    size_t n = h->version == 5 ? 8 : 4;
    uint64_t there, streaming = n == 8 ? UINT64_MAX : 0xffffffffu;

    if (!h->record_begin || !h->record_size || h->record_begin > m->size || h->record_vars < 2)
        return;
    there = (m->size - h->record_begin) / h->record_size;
    if (h->records == streaming || there <= h->records || (m->size - h->record_begin) % h->record_size)
        return;
    mend_note(m, "the header counts %llu records, and there are %llu", (unsigned long long)h->records,
              (unsigned long long)there);
    for (size_t i = 0; i < n; i++)
        m->bytes[4 + i] = (unsigned char)(there >> 8 * (n - 1 - i));
}

/* Where the header ends is not known when it is damaged: as far as it made sense, and some more. */
static size_t searched(const struct header *h)
{
    size_t n = h->at + 512;

    return n < h->m->size ? n : h->m->size;
}

void mend_classic(struct mend *m)
{
    struct header h = {.m = m};

    if (!header_fits(&h)) {
        size_t n = searched(&h);

        if (!mend_byte_once(m, 0, n, file_fits, &h, "header"))
            mend_byte_once(m, 0, n, header_fits, &h, "header");
    }
    if (header_fits(&h))
        count_records(m, &h);
}
