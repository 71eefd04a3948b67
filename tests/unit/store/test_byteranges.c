/* SPDX-License-Identifier: BSD-3-Clause */
/* Several ranges in one answer: what servers send, and what they should not: cut off at each byte, and with each byte another. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "byteranges.h"
#include "status.h"
#include <stdlib.h>
#include <string.h>

static const char type[] = "multipart/byteranges; boundary=THIS";
static const char body_text[] =
    "\r\n--THIS\r\nContent-Type: text/plain\r\ncontent-range:  bytes 10-14/1000\r\n\r\nabcde\r\n"
    "--THIS\r\nContent-Range: bytes 500-502/1000\r\n\r\nxyz\r\n--THIS--\r\n";

/* In memory of just that size, so that a read beyond it is seen. */
static struct cel_buf copy_of(const char *text, size_t n)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);

    assert_int_equal(cel_buf_resize(&b, n), CEL_OK);
    free(b.data);
    b.data = malloc(n ? n : 1);
    b.cap = n;
    if (n)
        memcpy(b.data, text, n);
    return b;
}

static bool has(const char *kind, const char *text, size_t n, uint64_t offset, const char *want)
{
    struct cel_buf b = copy_of(text, n);
    struct cel_range range = {offset, strlen(want)};
    uint64_t total = 0;
    const char *found = cel_byteranges_find(kind, &b, &range, &total);
    bool same = found && total == 1000 && memcmp(found, want, range.n) == 0;

    assert_true(!found || (found >= b.data && found + range.n <= b.data + b.len));
    cel_buf_dispose(&b);
    return same;
}

static void parts_are_found(void **state)
{
    size_t n = sizeof body_text - 1;

    (void)state;
    assert_true(has(type, body_text, n, 10, "abcde"));
    assert_true(has(type, body_text, n, 12, "cd"));
    assert_true(has(type, body_text, n, 500, "xyz"));
    assert_false(has(type, body_text, n, 502, "z\r\n"));
    assert_false(has(type, body_text, n, 9, "?abc"));
    assert_false(has(type, body_text, n, 11, "bcde\r"));
    assert_true(has("Multipart/ByteRanges; charset=x; Boundary=\"THIS\"", body_text, n, 500, "xyz"));
    assert_false(has("multipart/byteranges; boundary=THAT", body_text, n, 10, "abcde"));
    assert_false(has("multipart/byteranges; boundary=\"THIS", body_text, n, 10, "abcde"));
    assert_false(has("multipart/byteranges; boundary=", body_text, n, 10, "abcde"));
    assert_false(has("text/plain; boundary=THIS", body_text, n, 10, "abcde"));
}

static void damaged_answers_give_nothing_else(void **state)
{
    char text[sizeof body_text];

    (void)state;
    for (size_t n = 0; n < sizeof body_text; n++) {
        has(type, body_text, n, 10, "abcde");
        has(type, body_text, n, 500, "xyz");
    }
    for (size_t i = 0; i < sizeof body_text - 1; i++)
        for (unsigned c = 0; c < 256; c += 5) {
            memcpy(text, body_text, sizeof text);
            text[i] = (char)c;
            has(type, text, sizeof text - 1, 500, "xyz");
        }
}

/* What the next part begins with is no value. */
static void a_part_that_is_too_short_ends_the_search(void **state)
{
    static const char text[] = "--THIS\r\nContent-Range: bytes 10-59/1000\r\n\r\nabcde\r\n"
                               "--THIS\r\nContent-Range: bytes 500-502/1000\r\n\r\nxyz\r\n--THIS--\r\n";

    (void)state;
    assert_false(has(type, text, sizeof text - 1, 10, "abcde"));
    assert_false(has(type, text, sizeof text - 1, 10, "abcde\r\n--THIS"));
}

static void lists_are_printed(void **state)
{
    struct cel_range range[] = {{0, 100}, {500, 1}, {(uint64_t)1 << 40, 16384}};
    struct cel_buf b = CEL_BUF_INIT(1 << 10);
    char *text;

    (void)state;
    assert_int_equal(cel_byteranges_print(range, 3, &b), CEL_OK);
    assert_int_equal(cel_buf_take_string(&b, &text), CEL_OK);
    assert_string_equal(text, "bytes=0-99,500-500,1099511627776-1099511644159");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(damaged_answers_give_nothing_else),
        cmocka_unit_test(a_part_that_is_too_short_ends_the_search),
        cmocka_unit_test(lists_are_printed),
    };

    return cmocka_run_group_tests_name("byteranges", tests, NULL, NULL);
}
