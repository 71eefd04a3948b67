/* SPDX-License-Identifier: BSD-3-Clause */
/* Object headers: their messages, one by one, at the address a link gives. Anything unusual (unknown versions, very long
 * blocks) is libhdf5's; damage is a failure. All blocks together are no longer than the file: so a loop ends.
 *
 *   version 2: "OHDR" 2 flags [times 16] [phase change 4] size(1,2,4,8) messages checksum(4)
 *              message: type(1) size(2) flags(1) [creation order 2] body
 *   version 1: 1 0 nmessages(2) references(4) size(4) pad(4) messages
 *              message: type(2) size(2) flags(1) reserved(3) body
 *   both continue in other blocks ("OCHK" messages checksum in version 2).
 * HDF5 File Format Specification version 3, chapter IV.A. */
#include "h5_read_int.h"
#include <assert.h>
#include <stdlib.h>

#define HEADER_MAX (16 << 20) /* of a block: libhdf5 makes the last one longer and longer */

struct walk {
    struct cel_h5r_reader *reader;
    uint64_t addr;
    cel_h5r_message_fn *visit;
    void *data;
    int version;
    bool ordered;           /* v2 messages carry a creation order */
    struct cel_range *todo; /* continuation blocks, by their addresses */
    size_t ntodo, cap;
    uint64_t all;   /* their bytes */
    int turn;       /* the reader's, when the messages now visited were read */
    uint32_t types; /* of the messages so far, a bit each */
    unsigned nth;   /* how many there were */
};

static int damaged(const struct walk *w, uint64_t addr, const char *why)
{
    return cel_h5r_damaged(w->reader->file, addr, "object header", why);
}

/* A part of a header that cannot be had, though its address lies in the file: libhdf5 reads it again, and says why not. */
static int missing(const struct walk *w, uint64_t addr, size_t n)
{
    if (addr == CEL_H5R_NOWHERE || !cel_h5r_is_inside(w->reader->file, addr, n))
        return damaged(w, addr, "it lies beyond the end of the file");
    return CEL_ASK_LIBHDF5;
}

static int note_continuation(struct walk *w, struct cel_h5_bytes b)
{
    uint64_t addr = cel_h5r_take_address(w->reader->file, &b), n = cel_h5r_take_length(w->reader->file, &b);

    if (b.ended)
        return cel_h5r_ended(&b, "header");
    if (n > HEADER_MAX)
        return CEL_ASK_LIBHDF5;
    w->all += n;
    if (w->all > w->reader->file->size)
        return damaged(w, w->addr, "its blocks are longer than the file");
    if (w->ntodo == w->cap) {
        struct cel_range *grown = cel_realloc(w->todo, w->cap ? 2 * w->cap : 8, sizeof *grown);

        if (!grown)
            return NC_ENOMEM;
        w->todo = grown;
        w->cap = w->cap ? 2 * w->cap : 8;
    }
    w->todo[w->ntodo++] = (struct cel_range){addr, n};
    return CEL_OK;
}

/* Only these may stand in a header more than once. Of others libhdf5 believes one, which is not ours to choose. */
static bool is_second(struct walk *w, int type)
{
    const uint32_t many = 1u << CEL_H5R_NIL | 1u << CEL_H5R_LINK | 1u << CEL_H5R_ATTRIBUTE | 1u << CEL_H5R_CONTINUATION;
    uint32_t bit = type < 32 ? 1u << type : 0;
    bool second = w->types & bit & ~many;

    w->types |= bit;
    return second;
}

static int read_messages(struct walk *w, const unsigned char *bytes, size_t n)
{
    struct cel_h5_bytes b = {.p = bytes, .n = n};
    bool v2 = w->version == 2;
    size_t head = v2 ? 4 + (w->ordered ? 2 : 0) : 8;
    int rc = CEL_OK;

    w->turn = w->reader->turn;
    while (rc == CEL_OK && b.n >= head) {
        const unsigned char *p = cel_h5_take(&b, head);
        struct cel_h5r_message m = {.type = (int)cel_get_le(p, v2 ? 1 : 2), .shared = p[v2 ? 3 : 4] & 2};

        m.order = w->ordered ? cel_get_le16(p + 4) : w->nth++;
        m.body.n = (size_t)cel_get_le(p + (v2 ? 1 : 2), 2);
        m.body.p = cel_h5_take(&b, m.body.n);
        if (b.ended)
            return damaged(w, w->addr, "a message in it is longer than it is");
        if (is_second(w, m.type))
            return CEL_ASK_LIBHDF5;
        rc = m.type == CEL_H5R_CONTINUATION ? note_continuation(w, m.body) : w->visit(&m, w->data);
        assert(w->turn == w->reader->turn); /* a visitor that reads would replace the block under us */
    }
    return rc;
}

static int read_first_v2(struct walk *w, uint64_t addr)
{
    const unsigned char *p = cel_h5r_look(w->reader, addr, 6);
    size_t at = 6, width;
    uint64_t n;

    if (!p)
        return missing(w, addr, 6);
    if (memcmp(p, "OHDR", 4) != 0)
        return damaged(w, addr, "its signature is missing");
    if (p[4] != 2)
        return CEL_ASK_LIBHDF5;
    width = (size_t)1 << (p[5] & 3);
    w->ordered = p[5] & 4;
    at += (p[5] & 32 ? 16 : 0) + (p[5] & 16 ? 4 : 0);
    p = cel_h5r_look(w->reader, addr, at + width);
    if (!p)
        return missing(w, addr, at + width);
    n = cel_get_le(p + at, width);
    at += width;
    if (n > HEADER_MAX)
        return CEL_ASK_LIBHDF5;
    p = cel_h5r_look(w->reader, addr, at + (size_t)n + 4);
    if (!p)
        return missing(w, addr, at + (size_t)n + 4);
    if (!cel_h5_sum_matches(p, at + (size_t)n + 4))
        return damaged(w, addr, "its checksum does not match");
    return read_messages(w, p + at, (size_t)n);
}

static int read_first_v1(struct walk *w, uint64_t addr)
{
    const unsigned char *p = cel_h5r_look(w->reader, addr, 16);
    uint64_t n;

    if (!p)
        return missing(w, addr, 16);
    if (p[0] != 1)
        return damaged(w, addr, "there is none");
    n = cel_get_le(p + 8, 4);
    if (n > HEADER_MAX)
        return CEL_ASK_LIBHDF5;
    p = cel_h5r_look(w->reader, addr, 16 + (size_t)n);
    return p ? read_messages(w, p + 16, (size_t)n) : missing(w, addr, 16 + (size_t)n);
}

static int read_next(struct walk *w, struct cel_range block)
{
    size_t n = (size_t)block.n;
    const unsigned char *p = cel_h5r_look(w->reader, block.offset, n);

    if (!p)
        return missing(w, block.offset, n);
    if (w->version == 1)
        return read_messages(w, p, n);
    if (n < 8 || memcmp(p, "OCHK", 4) != 0 || !cel_h5_sum_matches(p, n))
        return damaged(w, block.offset, "its checksum does not match");
    return read_messages(w, p + 4, n - 8);
}

int cel_h5r_messages_each(struct cel_h5r_reader *reader, uint64_t addr, cel_h5r_message_fn *visit, void *data)
{
    struct walk w = {.reader = reader, .addr = addr, .visit = visit, .data = data};
    const unsigned char *p = cel_h5r_look(reader, addr, 4);
    int rc;

    if (!p)
        return missing(&w, addr, 4);
    w.version = p[0] == 'O' ? 2 : 1;
    rc = w.version == 2 ? read_first_v2(&w, addr) : read_first_v1(&w, addr);
    for (size_t i = 0; rc == CEL_OK && i < w.ntodo; i++)
        rc = read_next(&w, w.todo[i]);
    free(w.todo);
    return rc;
}
