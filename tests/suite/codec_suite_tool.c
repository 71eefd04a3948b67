/* SPDX-License-Identifier: BSD-3-Clause */
/* One chunk through a codec given as Zarr JSON, for the comparison with numcodecs:
 *
 *   codec_suite_tool encode|decode|json CHAIN TYPE DIMS <in >out
 *
 * CHAIN is of any spelling; TYPE is i4, u1, f8, ...; DIMS is 5x13. json prints the
 * chain as Zarr 2 would store it. */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "mem.h"
#include "status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1 << 24)

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, cel_error_text());
    return 1;
}

static void read_shape(const char *type, const char *dims, struct cel_shape *s)
{
    char *end;

    *s = (struct cel_shape){.elem_size = (size_t)atoi(type + 1)};
    s->kind = type[0] == 'f' ? CEL_KIND_FLOAT : type[0] == 'i' ? CEL_KIND_INT : CEL_KIND_UINT;
    s->nbytes = s->elem_size;
    for (; *dims; dims = *end ? end + 1 : end) {
        s->dims[s->rank] = strtoul(dims, &end, 10);
        s->nbytes *= s->dims[s->rank++];
    }
}

int main(int argc, char **argv)
{
    struct cel_chain chain = {0};
    struct cel_scratch *scratch = NULL;
    struct cel_shape shape;
    char *in = cel_malloc(MOST), *back;
    const void *out = NULL;
    size_t n, len = 0;
    uint32_t skipped = 0;
    struct cel_buf text = CEL_BUF_INIT(65536);

    if (argc != 5 || !in)
        return 2;
    n = fread(in, 1, MOST, stdin);
    read_shape(argv[3], argv[4], &shape);
    if (cel_chain_parse(argv[2], &chain, NULL) != CEL_OK || cel_chain_prepare(&chain, &shape, false) != CEL_OK ||
        cel_scratch_make(&scratch) != CEL_OK)
        return fail(argv[2]);
    back = cel_malloc(shape.nbytes);
    if (strcmp(argv[1], "json") == 0) {
        if (cel_chain_print(&chain, CEL_SPELL_JSON2, &text) != CEL_OK)
            return fail("json");
        out = text.data;
        len = text.len;
    } else if (strcmp(argv[1], "encode") == 0) {
        if (cel_chain_encode(&chain, scratch, in, n, &out, &len, &skipped) != CEL_OK)
            return fail("encode");
    } else {
        if (cel_chain_decode(&chain, scratch, in, n, 0, back) != CEL_OK)
            return fail("decode");
        out = back;
        len = shape.nbytes;
    }
    fwrite(out, 1, len, stdout);
    cel_buf_dispose(&text);
    cel_scratch_free(scratch);
    cel_chain_dispose(&chain);
    free(back);
    free(in);
    return 0;
}
