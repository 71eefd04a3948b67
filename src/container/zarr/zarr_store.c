/* Metadata documents: found in the consolidated map when there is one, else in
 * the store; errors name the document and a pointer into it. */
#include "env.h"
#include "zarr_int.h"
#include <stdarg.h>
#include <stdio.h>

int cel_zarr_key(const char *path, const char *name, struct cel_buf *out)
{
    out->len = 0;
    int rc = *path ? cel_buf_printf(out, "%s/%s", path, name) : cel_buf_puts(out, name);
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}

int cel_zarr_bad(const char *path, const char *pointer, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return cel_fail(NC_ENCZARR, "/%s: %s: %s", path, pointer, text);
}

/* Documents of an archive, all together, are in proportion to its size. */
static int check_unpacked(struct zarr *z, const char *key)
{
    uint64_t size, most = cel_env_max_decoded(ZARR_PACKED_META) + z->archive * ZARR_PACKED_RATIO;
    int rc = z->archive ? cel_store_size(z->store, key, &size) : CEL_ABSENT;

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    if (size > most || z->unpacked > most - size)
        return cel_fail(NC_ENCZARR,
                        "%s: with its %llu bytes the metadata is more than %llu, %d times the archive's size: set "
                        "CELLAR_MAX_DECODED to %llu or more if it is to be read",
                        key, (unsigned long long)size, (unsigned long long)most, ZARR_PACKED_RATIO,
                        (unsigned long long)(z->unpacked + size));
    z->unpacked += size;
    return CEL_OK;
}

static int read_document(struct zarr *z, const char *key, struct cel_json **out)
{
    struct cel_buf text = CEL_BUF_INIT(cel_env_max_decoded(ZARR_META_MAX));
    int rc = check_unpacked(z, key);

    if (rc == CEL_OK)
        rc = cel_store_get(z->store, key, &text);

    if (rc == CEL_OK) {
        rc = cel_json_parse(text.data, text.len, out, NULL);
        if (rc != CEL_OK)
            rc = cel_fail_in(rc == NC_ENOMEM ? rc : NC_ENCZARR, "%s", key);
    }
    if (rc == CEL_OK && cel_json_type(*out) != CEL_JSON_OBJECT) {
        cel_json_free(*out);
        *out = NULL;
        rc = cel_fail(NC_ENCZARR, "%s: must hold a JSON object", key);
    }
    cel_buf_dispose(&text);
    return rc;
}

int cel_zarr_get_json(struct zarr *z, const char *path, const char *name, struct cel_json **out)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20);
    int rc = cel_zarr_key(path, name, &key);

    *out = NULL;
    if (rc == CEL_OK && z->all) {
        const struct cel_json *doc = cel_json_get(z->all, key.data);
        rc = cel_json_type(doc) == CEL_JSON_OBJECT ? cel_json_copy(doc, out) : CEL_ABSENT;
    } else if (rc == CEL_OK) {
        rc = read_document(z, key.data, out);
    }
    cel_buf_dispose(&key);
    return rc;
}

int cel_zarr_put_json(struct zarr *z, const char *path, const char *name, const struct cel_json *doc)
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20), text = CEL_BUF_INIT(ZARR_META_MAX);
    struct cel_json *copy = NULL;
    int rc = cel_zarr_key(path, name, &key);

    if (rc == CEL_OK)
        rc = cel_json_print(doc, 2, &text);
    if (rc == CEL_OK)
        rc = cel_store_put(z->store, key.data, text.data, text.len);
    if (rc == CEL_OK && z->all)
        rc = cel_json_copy(doc, &copy);
    if (rc == CEL_OK && z->all)
        rc = cel_json_set(z->all, key.data, copy);
    cel_buf_dispose(&key);
    cel_buf_dispose(&text);
    return rc;
}
