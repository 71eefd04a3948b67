/* SPDX-License-Identifier: BSD-3-Clause */
/* Every name of a folder once and in order, whatever bytes it has; and many keys removed in little time. */
#include "common/scratch.h"
#include "status.h"
#include "store.h"
#include <netcdf.h>

static int join(void *context, const char *name, bool is_prefix)
{
    strcat(context, name);
    strcat(context, is_prefix ? "/ " : " ");
    return CEL_OK;
}

static void check_list(struct cel_store *s, const char *prefix, const char *want)
{
    char text[400] = "";

    MUST(cel_store_list(s, prefix, join, text) == CEL_OK);
    if (strcmp(text, want) != 0)
        fprintf(stderr, "is '%s', should be '%s'\n", text, want);
    MUST(strcmp(text, want) == 0);
}

static void check_names(void)
{
    static const char *const keys[] = {"a/\xff\xffx",    "a/\xff",   "a/b",      "a-",       "a0",
                                       "\xff/\xff/\xff", "\xff\xff", "b/\xff/y", "b/\xff/z", "b/c"};
    struct cel_store *s;

    MUST(cel_store_open_memory(&s) == CEL_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        MUST(cel_store_put(s, keys[i], "1", 1) == CEL_OK);
    check_list(s, "", "a- a/ a0 b/ \xff/ \xff\xff ");
    check_list(s, "a", "b \xff \xff\xffx ");
    check_list(s, "b", "c \xff/ ");
    check_list(s, "b/\xff", "y z ");
    check_list(s, "\xff", "\xff/ ");
    MUST(cel_store_erase(s, "b/\xff/y") == CEL_OK && cel_store_erase(s, "b/c") == CEL_OK);
    check_list(s, "b", "\xff/ ");
    MUST(cel_store_put(s, "b/c", "1", 1) == CEL_OK);
    check_list(s, "b", "c \xff/ ");
    cel_store_close(s);
}

/* In the order that is worst for a search from the end. */
static void check_removal(void)
{
    enum { N = 300000 };
    struct cel_store *s;
    char key[32];

    MUST(cel_store_open_memory(&s) == CEL_OK);
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "c/%d", i);
        MUST(cel_store_put(s, key, "", 0) == CEL_OK);
    }
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "c/%d", i);
        MUST(cel_store_erase(s, key) == CEL_OK);
    }
    check_list(s, "c", "");
    cel_store_close(s);
}

int main(void)
{
    alarm(200);
    check_names();
    check_removal();
    return 0;
}
