/* Bytes of a zip archive: every key it lists, whole and in part, then as a Zarr store. */
#include "read_all.h"
#include "fuzz_file.h"
#include "store.h"
#include "target.h"

enum { KEYS = 64, VALUE = 1 << 18 };

struct listing {
    char *key[KEYS];
    bool is_prefix[KEYS];
    int n;
};

static int note(void *context, const char *name, bool is_prefix)
{
    struct listing *l = context;

    if (l->n < KEYS) {
        l->is_prefix[l->n] = is_prefix;
        l->key[l->n++] = strdup(name);
    }
    return CEL_OK;
}

static void read_key(struct cel_store *s, const char *key)
{
    struct cel_buf value = CEL_BUF_INIT(VALUE);
    struct cel_store_mark mark;
    uint64_t size = 0;
    char part[16];

    if (cel_store_stat(s, key, &mark, &size) == CEL_OK && size >= sizeof part)
        cel_store_get_range_of(s, key, &mark, size - sizeof part, sizeof part, part);
    if (cel_store_get(s, key, &value) == CEL_OK)
        FUZZ_EXPECT(value.len == size, "%s has %zu bytes of %llu", key, value.len, (unsigned long long)size);
    cel_store_get_range(s, key, size / 2, size < sizeof part ? (size_t)size : sizeof part, part);
    cel_buf_dispose(&value);
}

static void read_prefix(struct cel_store *s, const char *prefix, int depth)
{
    struct listing l = {.n = 0};
    char key[1024];

    cel_store_list(s, prefix, note, &l);
    for (int i = 0; i < l.n; i++) {
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "/" : "", l.key[i]);
        read_key(s, key);
        if (l.is_prefix[i] && depth < 4)
            read_prefix(s, key, depth + 1);
        free(l.key[i]);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct cel_store *s;

    if (cel_store_open_zip(fuzz_file(data, n), CEL_STORE_READ, &s) != CEL_OK)
        return 0;
    read_prefix(s, "", 0);
    cel_store_close(s);
    fuzz_read_zip(data, n, "zarr,zip");
    return 0;
}
