/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that an object shares with others: instead of the message its header has a reference to it.
 *
 *   version 1: 1 kind(1) 0(6) unused(length) address     the header of a committed type
 *   version 2: 2 kind(1) address                         the same
 *   version 3: 3 kind(1), then by kind: 1 id(8)          in the file's heap of shared messages
 *                                       2 address        the header of a committed type
 * HDF5 File Format Specification version 3, IV.A.2 (shared messages). */
#include "h5_read_int.h"

enum { IN_HEAP = 1, COMMITTED = 2 };

struct search {
    int type;
    bool found, shared;
    struct cel_buf *out;
};

uint64_t cel_h5r_committed_at(const struct cel_h5r_reader *r, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), kind = cel_h5_take_number(&b, 1), addr;

    if (version == 1)
        cel_h5_take(&b, 6 + r->file->length_size);
    addr = cel_h5r_take_address(r->file, &b);
    return b.ended || version < 1 || version > 3 || (version == 3 && kind != COMMITTED) ? 0 : addr;
}

static int take_message(const struct cel_h5r_message *m, void *data)
{
    struct search *s = data;

    if (m->type != s->type)
        return CEL_OK;
    s->found = true;
    s->shared = m->shared;
    s->out->len = 0;
    return cel_buf_add(s->out, m->body.p, m->body.n);
}

int cel_h5r_message_copy(struct cel_h5r_reader *r, uint64_t addr, int type, bool *shared, struct cel_buf *out)
{
    struct search s = {.type = type, .out = out};
    int rc = cel_h5r_messages_each(r, addr, take_message, &s);

    *shared = s.shared;
    return rc == CEL_OK && !s.found ? CEL_ASK_LIBHDF5 : rc;
}

/* What is shared is not shared once more. */
int cel_h5r_shared_read(struct cel_h5r_reader *r, int type, struct cel_h5_bytes body, struct cel_buf *out)
{
    uint64_t addr = cel_h5r_committed_at(r, body);
    bool shared = false;
    int rc;

    if (addr)
        rc = cel_h5r_message_copy(r, addr, type, &shared, out);
    else if (body.n >= 10 && body.p[0] == 3 && body.p[1] == IN_HEAP)
        rc = cel_h5r_sohm_get(r, type, body.p + 2, out);
    else
        rc = CEL_ASK_LIBHDF5;
    return rc == CEL_OK && shared ? CEL_ASK_LIBHDF5 : rc;
}

int cel_h5r_object_datatype(struct cel_h5r_reader *r, uint64_t addr, struct cel_h5r_datatype **out)
{
    struct cel_buf message = CEL_BUF_INIT(SIZE_MAX / 2), real = CEL_BUF_INIT(SIZE_MAX / 2);
    bool shared = false;
    int rc = cel_h5r_message_copy(r, addr, CEL_H5R_DATATYPE, &shared, &message);

    *out = NULL;
    if (rc == CEL_OK && shared)
        rc = cel_h5r_shared_read(r, CEL_H5R_DATATYPE, cel_h5r_bytes_of(&message), &real);
    if (rc == CEL_OK) {
        const struct cel_buf *b = shared ? &real : &message;

        rc = cel_h5r_datatype_decode((const unsigned char *)b->data, b->len, out);
    }
    cel_buf_dispose(&message);
    cel_buf_dispose(&real);
    return rc;
}
