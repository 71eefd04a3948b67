/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents and chunks of a Zarr store. An input is keys and values in a row, each
 *   0xff 'K' key 0xff 'V' value
 * which a mutation changes without breaking what frames them; it becomes a zip archive of
 * plain entries. */
#include "read_all.h"
#include "fuzz_file.h"
#include "target.h"
#include <libdeflate.h>

enum { ENTRIES = 64, KEY = 200, LOCAL = 30, CENTRAL = 46, END = 22 };

struct piece {
    const uint8_t *p;
    size_t n;
};

struct entry {
    struct piece key, value;
    size_t at;
};

struct archive {
    uint8_t *bytes;
    size_t n;
};

/* Up to the next mark of either kind, or the end. */
static struct piece take(const uint8_t **p, const uint8_t *end)
{
    struct piece out = {*p, 0};

    while (*p < end && !(**p == 0xff && end - *p > 1 && ((*p)[1] == 'K' || (*p)[1] == 'V')))
        ++*p;
    out.n = (size_t)(*p - out.p);
    return out;
}

static size_t split(const uint8_t *p, size_t n, struct entry *entries)
{
    const uint8_t *end = p + n;
    size_t count = 0;

    while (count < ENTRIES && end - p > 2) {
        struct entry *e = &entries[count];

        p += 2;
        e->key = take(&p, end);
        e->value = (struct piece){p, 0};
        if (end - p > 2 && p[1] == 'V') {
            p += 2;
            e->value = take(&p, end);
        }
        if (e->key.n > 0 && e->key.n < KEY)
            count++;
    }
    return count;
}

static void put(struct archive *a, const void *p, size_t n)
{
    memcpy(a->bytes + a->n, p, n);
    a->n += n;
}

static void put_number(struct archive *a, size_t n, uint64_t v)
{
    for (; n > 0; n--, v >>= 8)
        a->bytes[a->n++] = (uint8_t)v;
}

/* What a local header and an entry of the directory share: 26 bytes. */
static void put_facts(struct archive *a, const struct entry *e)
{
    put_number(a, 2, 20);
    put_number(a, 8, 0); /* flags, method, time */
    put_number(a, 4, libdeflate_crc32(0, e->value.p, e->value.n));
    put_number(a, 4, e->value.n);
    put_number(a, 4, e->value.n);
    put_number(a, 2, e->key.n);
    put_number(a, 2, 0);
}

static void put_local(struct archive *a, struct entry *e)
{
    e->at = a->n;
    put(a, "PK\3\4", 4);
    put_facts(a, e);
    put(a, e->key.p, e->key.n);
    put(a, e->value.p, e->value.n);
}

static void put_central(struct archive *a, const struct entry *e)
{
    put(a, "PK\1\2\24\0", 6);
    put_facts(a, e);
    put_number(a, 10, 0); /* comment, disk, attributes */
    put_number(a, 4, e->at);
    put(a, e->key.p, e->key.n);
}

static struct archive pack(struct entry *entries, size_t count, size_t n)
{
    struct archive a = {malloc(n + count * (LOCAL + CENTRAL + KEY) + END), 0};
    size_t directory;

    for (size_t i = 0; i < count; i++)
        put_local(&a, &entries[i]);
    directory = a.n;
    for (size_t i = 0; i < count; i++)
        put_central(&a, &entries[i]);
    n = a.n - directory;
    put(&a, "PK\5\6\0\0\0\0", 8);
    put_number(&a, 2, count);
    put_number(&a, 2, count);
    put_number(&a, 4, n);
    put_number(&a, 4, directory);
    put_number(&a, 2, 0);
    return a;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct entry entries[ENTRIES];
    struct archive a;

    if (n < 4 || data[0] != 0xff || data[1] != 'K')
        return 0;
    a = pack(entries, split(data, n, entries), n);
    fuzz_read_store(a.bytes, a.n, "zarr,zip");
    if (memmem(data, n, "metadata", 8))
        fuzz_read_store(a.bytes, a.n, "zarr,zip,consolidated");
    free(a.bytes);
    return 0;
}
