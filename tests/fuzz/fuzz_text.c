/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter texts and JSON: whatever comes, cel_chain_parse gives a chain or an error with its
 * place inside the text; a chain survives every spelling, and a JSON value being printed. */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "status.h"
#include "target.h"
#include <string.h>

static void check_spelling(const struct cel_chain *c, enum cel_spelling spelling, const char *text)
{
    struct cel_buf out = CEL_BUF_INIT(1 << 20);
    struct cel_chain back = {0};

    if (cel_chain_print(c, spelling, &out) == CEL_OK && cel_chain_usable(c) == CEL_OK) {
        FUZZ_EXPECT(cel_buf_add(&out, "", 1) == CEL_OK, "no memory");
        FUZZ_EXPECT(cel_chain_parse(out.data, &back, NULL) == CEL_OK, "%s: not read back from %s: %s", text, out.data,
                    cel_error_text());
        FUZZ_EXPECT(back.n == c->n, "%s: %zu steps read back from %s", text, back.n, out.data);
    }
    cel_buf_dispose(&out);
    cel_chain_dispose(&back);
}

/* The chain runs over a chunk of floats, if it can. */
static void run(struct cel_chain *c)
{
    static struct cel_scratch *scratch;
    struct cel_shape shape = {.elem_size = 4, .kind = CEL_KIND_FLOAT, .rank = 2, .dims = {8, 8}, .nbytes = 256};
    float values[64], back[64];
    const void *out;
    size_t n;
    uint32_t skipped;
    void *copy;

    for (int i = 0; i < 64; i++)
        values[i] = (float)i * 0.37f;
    if ((!scratch && cel_scratch_make(&scratch) != CEL_OK) || cel_chain_usable(c) != CEL_OK ||
        cel_chain_prepare(c, &shape, false) != CEL_OK ||
        cel_chain_encode(c, scratch, values, sizeof values, &out, &n, &skipped) != CEL_OK)
        return;
    FUZZ_EXPECT(n <= cel_chain_bound(c), "%zu bytes, at most %zu were announced", n, cel_chain_bound(c));
    copy = malloc(n ? n : 1);
    memcpy(copy, out, n);
    FUZZ_EXPECT(cel_chain_decode(c, scratch, copy, n, skipped, back) == CEL_OK, "%s", cel_error_text());
    FUZZ_EXPECT(cel_chain_is_lossy(c) || memcmp(values, back, sizeof back) == 0, "other values");
    free(copy);
}

static void try_chain(const char *text)
{
    struct cel_chain c = {0};
    struct cel_sharding sharding = {0};
    size_t column = 0;

    if (cel_chain_parse_sharded(text, &c, &sharding, &column) == CEL_OK) {
        for (int s = CEL_SPELL_IDS; s <= CEL_SPELL_JSON3; s++)
            check_spelling(&c, (enum cel_spelling)s, text);
        run(&c);
    } else {
        FUZZ_EXPECT(column <= strlen(text) && cel_error_text()[0], "%s: the fault is at column %zu (%s)", text, column,
                    cel_error_text());
    }
    cel_chain_dispose(&c);
}

static void print(const struct cel_json *v, int indent, struct cel_buf *out)
{
    FUZZ_EXPECT(cel_json_print(v, indent, out) == CEL_OK, "%s", cel_error_text());
}

/* What is printed reads back as what prints the same. */
static void try_json(const char *text, size_t n)
{
    struct cel_buf once = CEL_BUF_INIT(1 << 22), twice = CEL_BUF_INIT(1 << 22);
    struct cel_json *v = NULL, *back = NULL, *copy = NULL;

    if (cel_json_parse(text, n, &v, NULL) == CEL_OK) {
        print(v, 2, &once);
        FUZZ_EXPECT(cel_json_parse(once.data, once.len, &back, NULL) == CEL_OK, "%s", cel_error_text());
        FUZZ_EXPECT(cel_json_copy(back, &copy) == CEL_OK, "%s", cel_error_text());
        print(copy, 2, &twice);
        FUZZ_EXPECT(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0, "printed otherwise");
    }
    cel_json_free(v);
    cel_json_free(back);
    cel_json_free(copy);
    cel_buf_dispose(&once);
    cel_buf_dispose(&twice);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);

    memcpy(text, data, n);
    text[n] = '\0';
    try_chain(text);
    try_json(text, n);
    free(text);
    return 0;
}
