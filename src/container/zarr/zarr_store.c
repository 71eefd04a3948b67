/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata documents: found in the consolidated map when there is one, else in
 * the store; errors name the document and a pointer into it. */
#include "env.h"
#include "utf8.h"
#include "zarr_int.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* --- writing: which characters ------------------------------------------------------- */

static bool is_beyond_ascii(const struct cel_json *v)
{
    const char *text = cel_json_string(v, NULL);
    bool beyond = text && !cel_utf8_is_ascii(text);

    for (size_t i = 0; !beyond && i < cel_json_count(v); i++) {
        const char *key = "";
        const struct cel_json *inner =
            cel_json_type(v) == CEL_JSON_OBJECT ? cel_json_member(v, i, &key) : cel_json_item(v, i);

        beyond = !cel_utf8_is_ascii(key) || is_beyond_ascii(inner);
    }
    return beyond;
}

/* Whether the name of an attribute, or one that NCZarr's metadata refers to, has characters beyond ASCII. */
static bool has_names_beyond_ascii(const struct cel_json *doc)
{
    const struct cel_json *v;
    const void *at = NULL;
    const char *key;
    bool beyond = false;

    while (!beyond && (v = cel_json_next(doc, &at, &key))) {
        bool is_of_names = strncmp(key, "_nczarr_", 8) == 0 || strcmp(key, "_ARRAY_DIMENSIONS") == 0;

        beyond = !cel_utf8_is_ascii(key) || (is_of_names ? is_beyond_ascii(v) : has_names_beyond_ascii(v));
    }
    return beyond;
}

/* zarr-python up to 2.13 reads no other documents of version 2 than ASCII. netCDF-C reads no escapes: it would look
 * for objects by other names than they have. */
static int print_document(const struct zarr *z, const struct cel_json *doc, struct cel_buf *out)
{
    bool as_ascii = z->version == 2 && !z->utf8 && !(z->nczarr && has_names_beyond_ascii(doc));

    return as_ascii ? cel_json_print_ascii(doc, 2, out) : cel_json_print(doc, 2, out);
}

static int put_json(struct zarr *z, const char *path, const char *name, const struct cel_json *doc,
                    int (*put)(struct cel_store *, const char *, const void *, size_t))
{
    struct cel_buf key = CEL_BUF_INIT(1 << 20), text = CEL_BUF_INIT(ZARR_META_MAX);
    struct cel_json *copy = NULL;
    int rc = cel_zarr_key(path, name, &key);

    if (rc == CEL_OK)
        rc = print_document(z, doc, &text);
    z->changed = true;
    if (rc == CEL_OK)
        rc = put(z->store, key.data, text.data, text.len);
    if (rc == CEL_OK && z->all)
        rc = cel_json_copy(doc, &copy);
    if (rc == CEL_OK && z->all)
        rc = cel_json_set(z->all, key.data, copy);
    cel_buf_dispose(&key);
    cel_buf_dispose(&text);
    return rc;
}

int cel_zarr_put_json(struct zarr *z, const char *path, const char *name, const struct cel_json *doc)
{
    return put_json(z, path, name, doc, cel_store_put_document);
}

int cel_zarr_put_json_last(struct zarr *z, const char *path, const char *name, const struct cel_json *doc)
{
    return put_json(z, path, name, doc, cel_store_put);
}
