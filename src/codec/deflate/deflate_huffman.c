/* SPDX-License-Identifier: BSD-3-Clause */
/* Huffman codes for deflate: code words from counts, and how a block's header tells its codes.
 *
 * Code words in four steps, each over at most 286 symbols:
 *
 *   counts --sort_by_count--> symbols, rarest first
 *          --depths_in_place--> the length of each word in an optimal code
 *          --count_lengths--> how many words of each length, none longer than allowed
 *          --give_words--> canonical words, bits reversed as deflate sends them
 *
 * The limit. Deflate allows words of 15 bits; this encoder takes 14, so that four words and the 7
 * bits that wait in the sink fit a 64-bit store. An optimal code may have longer words where counts
 * are very uneven. Those are cut to the limit, which makes the code use more than there is:
 *
 *      sum over all words of 2^-length  >  1          (a complete code: exactly 1)
 *
 * It is repaired step by step. A word of the greatest length l below the limit is made one bit longer;
 * that frees one word of length l + 1, which one of the longest words takes:
 *
 *      words:      l, most      ->   l + 1, l + 1
 *      sum in units of 2^-most:      2^(most-l) + 1   ->   2 * 2^(most-l-1),    one less
 *
 * So the sum ends at exactly 1 (asserted), and as symbols keep their order (the rarest has the longest
 * word), the result is a valid code. It is not the best one under the limit, as package-merge would
 * give, but near it, and such counts are rare. What would break it: more symbols than 2^most. */
#include "deflate_huffman.h"
#include <assert.h>
#include <string.h>

#define BITS_MAX 15

/* --- lengths ------------------------------------------------------------------------------ */

/* The symbols that occur, rarest first: a radix sort, two passes of 8 bits. Counts above 65535 count as
 * 65535. An entry has the count in its upper half, the symbol in its lower. */
static unsigned sort_by_count(const uint32_t *count, unsigned n, uint32_t *sorted)
{
    uint32_t other[CEL_LITLENS];
    uint16_t at[2][256] = {{0}};
    unsigned used = 0, i;

    for (i = 0; i < n; i++)
        if (count[i]) {
            uint32_t c = count[i] < 0xffff ? count[i] : 0xffff;

            sorted[used++] = c << 16 | i;
            at[0][c & 0xff]++;
            at[1][c >> 8]++;
        }
    for (unsigned k = 0; k < 2; k++)
        for (uint16_t sum = 0, c = 0; c < 256; c++) {
            uint16_t here = at[k][c];

            at[k][c] = sum;
            sum = (uint16_t)(sum + here);
        }
    for (i = 0; i < used; i++)
        other[at[0][sorted[i] >> 16 & 0xff]++] = sorted[i];
    for (i = 0; i < used; i++)
        sorted[at[1][other[i] >> 24]++] = other[i];
    return used;
}

/* Huffman's algorithm in the array itself, after Moffat and Katajainen. On entry a[0..n) are counts in
 * rising order, on return lengths of words in falling order. Three passes over the same cells:
 *
 *   1. Left to right: the two smallest of the leaves not yet used and of the inner nodes not yet used
 *      are joined. As both are in rising order, they are the next of each. The cell of an inner node
 *      that was used holds its parent from then on.
 *   2. Right to left: the depth of an inner node is its parent's plus one; the root has 0.
 *   3. Right to left: of the nodes at each depth those that are no inner nodes are leaves. */
static void depths_in_place(uint32_t *a, unsigned n)
{
    unsigned root = 0, leaf = 2, next, avail = 1, used = 0, depth = 0;

    a[0] += a[1];
    for (next = 1; next < n - 1; next++) {
        if (leaf >= n || a[root] < a[leaf]) {
            a[next] = a[root];
            a[root++] = next;
        } else {
            a[next] = a[leaf++];
        }
        if (leaf >= n || (root < next && a[root] < a[leaf])) {
            a[next] += a[root];
            a[root++] = next;
        } else {
            a[next] += a[leaf++];
        }
    }
    a[n - 2] = 0;
    for (next = n - 2; next-- > 0;)
        a[next] = a[a[next]] + 1;
    root = n - 1; /* inner nodes that pass 3 has not counted yet */
    next = n;
    while (avail > 0) {
        while (root > 0 && a[root - 1] == depth) {
            used++;
            root--;
        }
        while (avail > used) {
            a[--next] = depth;
            avail--;
        }
        avail = 2 * used;
        depth++;
        used = 0;
    }
}

/* How many words of each length, none longer than `most`: see the head of this file. */
static void count_lengths(const uint32_t *depth, unsigned n, unsigned most, unsigned *words)
{
    uint32_t full = (uint32_t)1 << most, taken = 0;
    unsigned i, l;

    for (i = 0; i < n; i++)
        words[depth[i] < most ? depth[i] : most]++;
    for (l = 1; l <= most; l++)
        taken += (uint32_t)words[l] << (most - l);
    while (taken > full) {
        for (l = most - 1; words[l] == 0; l--)
            ;
        words[l]--;
        words[l + 1] += 2;
        words[most]--;
        taken--;
    }
    assert(taken == full);
}

/* --- words ----------------------------------------------------------------------------------- */

static uint16_t reversed(uint32_t word, unsigned len)
{
    uint32_t out = 0;

    for (unsigned i = 0; i < len; i++, word >>= 1)
        out = out << 1 | (word & 1);
    return (uint16_t)out;
}

static void give_words(const unsigned *words, unsigned n, struct cel_code *out)
{
    uint32_t next[BITS_MAX + 2] = {0};

    for (unsigned l = 1; l <= BITS_MAX; l++)
        next[l + 1] = (next[l] + words[l]) << 1;
    for (unsigned i = 0; i < n; i++)
        if (out->len[i])
            out->bits[i] = reversed(next[out->len[i]]++, out->len[i]);
}

/* Fewer than two symbols occur: two words of one bit. */
static void make_two(const uint32_t *sorted, unsigned used, struct cel_code *out)
{
    unsigned one = used ? sorted[0] & 0xffff : 0, two = one ? 0 : 1;

    out->len[one] = out->len[two] = 1;
    out->bits[one > two ? one : two] = 1;
}

void cel_code_make(const uint32_t *count, unsigned n, unsigned most, struct cel_code *out)
{
    uint32_t sorted[CEL_LITLENS], depth[CEL_LITLENS];
    unsigned words[BITS_MAX + 1] = {0}, used = sort_by_count(count, n, sorted), i = 0;

    memset(out, 0, sizeof *out);
    if (used < 2) {
        make_two(sorted, used, out);
        return;
    }
    for (unsigned k = 0; k < used; k++)
        depth[k] = sorted[k] >> 16;
    depths_in_place(depth, used);
    count_lengths(depth, used, most, words);
    for (unsigned l = most; l >= 1; l--)
        for (unsigned k = 0; k < words[l]; k++)
            out->len[sorted[i++] & 0xffff] = (uint8_t)l;
    give_words(words, n, out);
}

/* --- the header of a block --------------------------------------------------------------- */

#define COPY 16 /* the length before, 3 to 6 times */
#define ZEROS 17
#define MORE_ZEROS 18
#define LENS 19

static const uint8_t lens_order[LENS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
static const uint8_t lens_extra[LENS] = {[COPY] = 2, [ZEROS] = 3, [MORE_ZEROS] = 7};

static unsigned used_symbols(const struct cel_code *c, unsigned n, unsigned least)
{
    while (n > least && c->len[n - 1] == 0)
        n--;
    return n;
}

static void add_item(struct cel_code_table *t, uint32_t *count, unsigned symbol, unsigned extra)
{
    t->item[t->nitems++] = (uint16_t)(symbol | extra << 8);
    count[symbol]++;
}

/* Items for a length that occurs `run` times in a row. */
static void add_run(struct cel_code_table *t, uint32_t *count, unsigned len, unsigned run)
{
    while (len == 0 && run >= 3) {
        unsigned part = run < 138 ? run : 138;

        add_item(t, count, part < 11 ? ZEROS : MORE_ZEROS, part < 11 ? part - 3 : part - 11);
        run -= part;
    }
    if (len > 0 && run > 0) {
        add_item(t, count, len, 0);
        run--;
    }
    while (len > 0 && run >= 3) {
        unsigned part = run < 6 ? run : 6;

        add_item(t, count, COPY, part - 3);
        run -= part;
    }
    while (run-- > 0)
        add_item(t, count, len, 0);
}

void cel_code_table_make(const struct cel_code *litlens, const struct cel_code *dists, struct cel_code_table *t)
{
    uint8_t len[CEL_LITLENS + CEL_DISTANCES];
    uint32_t count[LENS] = {0};
    unsigned n, i, run;

    t->nlitlens = used_symbols(litlens, CEL_LITLENS, 257);
    t->ndists = used_symbols(dists, CEL_DISTANCES, 1);
    memcpy(len, litlens->len, t->nlitlens);
    memcpy(len + t->nlitlens, dists->len, t->ndists);
    n = t->nlitlens + t->ndists;
    t->nitems = 0;
    for (i = 0; i < n; i += run) {
        for (run = 1; i + run < n && len[i + run] == len[i]; run++)
            ;
        add_run(t, count, len[i], run);
    }
    cel_code_make(count, LENS, 7, &t->lens);
    for (t->nlens = LENS; t->nlens > 4 && t->lens.len[lens_order[t->nlens - 1]] == 0; t->nlens--)
        ;
    t->nbits = 5 + 5 + 4 + 3 * t->nlens;
    for (i = 0; i < LENS; i++)
        t->nbits += (uint64_t)count[i] * (t->lens.len[i] + lens_extra[i]);
}

void cel_code_table_put(const struct cel_code_table *t, struct cel_bit_sink *s)
{
    cel_sink_put(s, (t->nlitlens - 257) | (t->ndists - 1) << 5 | (t->nlens - 4) << 10, 14);
    for (unsigned i = 0; i < t->nlens; i++)
        cel_sink_put(s, t->lens.len[lens_order[i]], 3);
    for (unsigned i = 0; i < t->nitems; i++) {
        unsigned symbol = t->item[i] & 0xff;

        cel_sink_add(s, t->lens.bits[symbol], t->lens.len[symbol]);
        cel_sink_put(s, t->item[i] >> 8, lens_extra[symbol]);
    }
}
