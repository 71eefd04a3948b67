/* Filter texts and JSON, changed at random: whatever comes, cel_chain_parse gives
 * a chain or an error with its place inside the text, and a chain survives every
 * spelling.
 *
 *   fuzz_text rounds [seed] */
#include "buf.h"
#include "chain.h"
#include "json.h"
#include "status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const seeds[] = {
    "shuffle|zstd,level=3",
    "307,9|4,32,32",
    "2|32015,3|3",
    "32768, -17b, 23ub, -25S, 27US, 77, 93U, 789f, 12345678.12345678d, -9223372036854775807L, 18446744073709551615UL",
    "zfp,rate=8|blosc,cname=lz4,clevel=5,shuffle=1",
    "szip,mask=32,pixels-per-block=16",
    "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\", \"level\": 5}]",
    "{\"id\": \"blosc\", \"cname\": \"zstd\", \"clevel\": 5, \"shuffle\": 1, \"blocksize\": 0}",
    "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"zstd\", \"configuration\": {\"level\": 1}}]",
    "{\"id\": \"cellar.hdf5\", \"filter\": 32015, \"params\": [1, 2, 4294967295]}",
    "{\"id\": \"fixedscaleoffset\", \"scale\": 10, \"offset\": 1000, \"dtype\": \"<f8\", \"astype\": \"|u1\"}",
    "{\"id\": \"zfpy\", \"mode\": 4, \"tolerance\": 0.001, \"rate\": -1, \"precision\": -1}",
    "[1, -0, 1e5, NaN, Infinity, \"\\u00e9\\n\", null, true, {\"a\": [[[]]]}]",
};
enum { NSEEDS = sizeof seeds / sizeof *seeds };

static uint64_t state;

static unsigned next_random(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* Bytes that mean something here come more often than others. */
static char random_byte(void)
{
    static const char usual[] = "0123456789,|=.-+eEuUbBsSlLfFdD{}[]:\"\\ \tnaz";

    return next_random(4) ? usual[next_random(sizeof usual - 1)] : (char)next_random(256);
}

static size_t change(char *text, size_t n, size_t cap)
{
    size_t at = n ? next_random((unsigned)n) : 0, len;

    switch (next_random(5)) {
    case 0: /* another byte */
        if (n)
            text[at] = random_byte();
        return n;
    case 1: /* one more */
        if (n + 1 >= cap)
            return n;
        memmove(text + at + 1, text + at, n - at);
        text[at] = random_byte();
        return n + 1;
    case 2: /* some less */
        len = n ? 1 + next_random((unsigned)(n - at)) : 0;
        memmove(text + at, text + at + len, n - at - len);
        return n - len;
    case 3: /* some twice */
        len = n ? 1 + next_random((unsigned)(n - at)) : 0;
        if (n + len >= cap)
            return n;
        memmove(text + at + len, text + at, n - at);
        return n + len;
    default: /* the end of another */
        len = strlen(seeds[next_random(NSEEDS)]);
        return n > 4 ? n - 1 : len < cap ? n : 0;
    }
}

static int check_chain(const struct cel_chain *c, const char *text)
{
    for (int s = CEL_SPELL_IDS; s <= CEL_SPELL_JSON3; s++) {
        struct cel_buf out = CEL_BUF_INIT(1 << 20);
        struct cel_chain back = {0};
        int rc = cel_chain_print(c, (enum cel_spelling)s, &out);

        if (rc == CEL_OK && cel_chain_usable(c) == CEL_OK) {
            if (cel_buf_add(&out, "", 1) != CEL_OK || cel_chain_parse(out.data, &back, NULL) != CEL_OK || back.n != c->n) {
                fprintf(stderr, "%s: not read back from %s: %s\n", text, out.data, cel_error_text());
                rc = -1;
            }
        } else {
            rc = CEL_OK;
        }
        cel_buf_dispose(&out);
        cel_chain_dispose(&back);
        if (rc != CEL_OK)
            return 1;
    }
    return 0;
}

static int try_text(const char *text)
{
    struct cel_chain c = {0};
    struct cel_json *json = NULL;
    size_t column = 0;
    int failed = 0;

    if (cel_chain_parse(text, &c, &column) == CEL_OK)
        failed = check_chain(&c, text);
    else if (column > strlen(text) || !cel_error_text()[0])
        failed = fprintf(stderr, "%s: the fault is at column %zu (%s)\n", text, column, cel_error_text()) > 0;
    cel_chain_dispose(&c);
    if (cel_json_parse(text, strlen(text), &json, NULL) == CEL_OK)
        cel_json_free(json);
    return failed;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10000;
    char text[1024];
    int failed = 0;

    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (long r = 0; r < rounds && !failed; r++) {
        const char *seed = seeds[next_random(NSEEDS)];
        size_t n = strlen(seed);

        memcpy(text, seed, n);
        for (unsigned k = 1 + next_random(6); k > 0; k--)
            n = change(text, n, sizeof text - 1);
        text[n] = '\0';
        failed = try_text(text);
    }
    printf("%ld texts\n", rounds);
    return failed;
}
