/* SPDX-License-Identifier: BSD-3-Clause */
/* A store whose values lie in other files: a JSON document of references, as kerchunk writes it, tells for each key the bytes
 * themselves, or a file with offset and size.
 *
 *     {"version": 1, "templates": {"u": "/data"}, "refs": {
 *         ".zgroup": "{\"zarr_format\":2}",      text
 *         "t/.zarray": {"shape": [10]},          the text of this JSON
 *         "t/0": "base64:AAEC",                  bytes
 *         "t/1": ["{{u}}/a.nc", 4016, 1200],     a range of a file
 *         "t/2": ["{{u}}/b.bin"]}}               a whole file
 *
 * Without "refs" the document is that object itself. Files are local, and relative to the folder of the document. It is for
 * reading only. */
#include "base64.h"
#include "env.h"
#include "file.h"
#include "json.h"
#include "keys.h"
#include "mem.h"
#include "store_int.h"
#include "thread.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DOCUMENT_MAX ((uint64_t)1 << 31)

struct value {
    char *path;          /* NULL: the bytes are here */
    bool whole;          /* all of the file */
    uint64_t offset;     /* in the file */
    uint64_t size;       /* of it, or of the bytes here */
    struct cel_buf here; /* decoded text */
};

struct refs {
    struct cel_store store;
    struct cel_mutex lock; /* cel_keys_list sorts */
    struct cel_keys keys;
    char *folder; /* of the document, with '/' at its end, or "" */
};

static struct refs *refs_of(struct cel_store *s)
{
    return (struct refs *)s;
}

static void free_value(void *p)
{
    struct value *v = p;

    if (!v)
        return;
    free(v->path);
    cel_buf_dispose(&v->here);
    free(v);
}

/* --- the document -------------------------------------------------------------------------- */

/* "{{name}}" by what the templates say. */
static int expand(const struct cel_json *templates, const char *text, struct cel_buf *out)
{
    int rc = CEL_OK;

    while (rc == CEL_OK && *text) {
        const char *begin = strstr(text, "{{"), *end = begin ? strstr(begin, "}}") : NULL, *by;
        char name[256];

        if (!end || (size_t)(end - begin - 2) >= sizeof name)
            return cel_buf_puts(out, text);
        memcpy(name, begin + 2, (size_t)(end - begin - 2));
        name[end - begin - 2] = '\0';
        by = cel_json_string(cel_json_get(templates, name), NULL);
        if (!by)
            return cel_fail(NC_EIO, "the references use the template %s, which they do not give", name);
        rc = cel_buf_add(out, text, (size_t)(begin - text));
        if (rc == CEL_OK)
            rc = cel_buf_puts(out, by);
        text = end + 2;
    }
    return rc;
}

static int local_path(const struct refs *r, const struct cel_json *templates, const char *text, char **out)
{
    struct cel_buf given = CEL_BUF_INIT(1 << 16), path = CEL_BUF_INIT(1 << 16);
    int rc = expand(templates, text, &given);

    if (rc == CEL_OK)
        rc = cel_buf_add(&given, "", 1);
    if (rc == CEL_OK) {
        const char *bare = strncmp(given.data, "file://", 7) == 0 ? given.data + 7 : given.data;

        if (strstr(bare, "://"))
            rc = cel_fail(NC_ENOTBUILT, "the references lead to %s; only local files can be read", bare);
        else
            rc = cel_buf_printf(&path, "%s%s", *bare == '/' ? "" : r->folder, bare);
    }
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, out);
    cel_buf_dispose(&given);
    cel_buf_dispose(&path);
    return rc;
}

static int bad_reference(const char *key)
{
    return cel_fail(NC_EIO, "the reference of %s is neither text, JSON nor [file, offset, size]", key);
}

static int read_range(const struct refs *r, const struct cel_json *templates, const char *key,
                      const struct cel_json *list, struct value *out)
{
    const char *path = cel_json_string(cel_json_item(list, 0), NULL);
    size_t n = cel_json_count(list);

    if (!path || (n != 1 && n != 3))
        return bad_reference(key);
    out->whole = n == 1;
    if (n == 3 && (!cel_json_uint(cel_json_item(list, 1), false, &out->offset) ||
                   !cel_json_uint(cel_json_item(list, 2), false, &out->size)))
        return bad_reference(key);
    return local_path(r, templates, path, &out->path);
}

static int read_text(const char *key, const char *text, size_t len, struct value *out)
{
    size_t n, at;
    int rc;

    if (len < 7 || memcmp(text, "base64:", 7) != 0)
        return cel_buf_add(&out->here, text, len);
    rc = cel_buf_resize(&out->here, len);
    if (rc != CEL_OK)
        return rc;
    if (!cel_base64_decode(text + 7, len - 7, out->here.data, len, &n, &at))
        return cel_fail(NC_EIO, "%s: character %zu of the reference is none of base64", key, at + 7);
    return cel_buf_resize(&out->here, n);
}

static int read_value(const struct refs *r, const struct cel_json *templates, const char *key, const struct cel_json *v,
                      struct value *out)
{
    size_t len;
    const char *text = cel_json_string(v, &len);
    int rc;

    out->here = CEL_BUF_INIT(SIZE_MAX / 2);
    if (cel_json_type(v) == CEL_JSON_ARRAY)
        return read_range(r, templates, key, v, out);
    rc = text                                  ? read_text(key, text, len, out)
         : cel_json_type(v) == CEL_JSON_OBJECT ? cel_json_print(v, 0, &out->here)
                                               : bad_reference(key);
    out->size = out->here.len;
    return rc;
}

/* Keys that no store has are passed over: nothing could ask for them. */
static bool is_legal(const char *key)
{
    while (*key) {
        size_t n = strcspn(key, "/");

        if (!cel_store_part_is_legal(key, n))
            return false;
        key += n + (key[n] == '/');
    }
    return true;
}

static int add(struct refs *r, const struct cel_json *templates, const char *key, const struct cel_json *v)
{
    struct value *value;
    void *old = NULL;
    int rc;

    if (!*key || !is_legal(key))
        return CEL_OK;
    value = cel_calloc(1, sizeof *value);
    if (!value)
        return NC_ENOMEM;
    rc = read_value(r, templates, key, v, value);
    if (rc == CEL_OK)
        rc = cel_keys_set(&r->keys, key, value, &old);
    free_value(rc == CEL_OK ? old : value);
    return rc;
}

static int read_document(struct refs *r, const struct cel_json *document)
{
    const struct cel_json *refs = cel_json_get(document, "refs"), *templates = cel_json_get(document, "templates"), *v;
    const void *at = NULL;
    const char *key;
    int rc = CEL_OK;

    if (cel_json_type(document) != CEL_JSON_OBJECT)
        return cel_fail(NC_EIO, "the JSON document holds no references");
    if (cel_json_count(cel_json_get(document, "gen")))
        return cel_fail(
            NC_ENOTBUILT,
            "the references are made by rules (\"gen\"), which cannot be read: have kerchunk write them out");
    refs = refs ? refs : document;
    while (rc == CEL_OK && (v = cel_json_next(refs, &at, &key)))
        rc = add(r, templates, key, v);
    return rc;
}

static int load(struct refs *r, const char *path)
{
    struct cel_buf text = CEL_BUF_INIT(DOCUMENT_MAX);
    struct cel_json *document = NULL;
    struct stat st;
    size_t done = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = CEL_OK, e;

    if (fd < 0 || fstat(fd, &st) != 0)
        rc = cel_store_failure("read", path);
    else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > DOCUMENT_MAX)
        rc = cel_fail(NC_EIO, "%s is no file of references", path);
    if (rc == CEL_OK)
        rc = cel_buf_resize(&text, (size_t)st.st_size);
    e = rc == CEL_OK ? cel_file_read(fd, 0, text.data, text.len, &done) : 0;
    if (e)
        rc = cel_store_error(e, "read", path);
    if (rc == CEL_OK)
        rc = cel_json_parse(text.data, done, &document, NULL);
    if (rc == CEL_OK)
        rc = read_document(r, document);
    if (fd >= 0)
        close(fd);
    cel_json_free(document);
    cel_buf_dispose(&text);
    return rc;
}

/* --- values ----------------------------------------------------------------------------------- */

static int bounds(const struct value *v, int fd, const char *key, uint64_t *size)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cel_store_failure("read", v->path);
    if (!S_ISREG(st.st_mode))
        return cel_fail(NC_EIO, "%s: %s is no file", key, v->path);
    *size = v->whole ? (uint64_t)st.st_size : v->size;
    if (v->offset > (uint64_t)st.st_size || *size > (uint64_t)st.st_size - v->offset)
        return cel_fail(NC_EIO, "%s: its %llu bytes from %llu on reach beyond the end of %s", key,
                        (unsigned long long)*size, (unsigned long long)v->offset, v->path);
    return CEL_OK;
}

/* The file, and how many bytes of it are the value. */
static int open_file(const struct value *v, const char *key, int *fd, uint64_t *size)
{
    int rc;

    if (cel_env_untrusted())
        return cel_fail(NC_EPERM,
                        "%s: it lies in another file, %s, and references that are not trusted are not followed", key,
                        v->path);
    *fd = open(v->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return cel_store_failure("read", v->path);
    rc = bounds(v, *fd, key, size);
    if (rc != CEL_OK)
        close(*fd);
    return rc;
}

static int read_file(const struct value *v, int fd, uint64_t offset, size_t n, void *dst)
{
    size_t done;
    int e = cel_file_read(fd, v->offset + offset, dst, n, &done);

    if (e)
        return cel_store_error(e, "read", v->path);
    return done == n ? CEL_OK : cel_fail(NC_EIO, "%s became shorter while it was read", v->path);
}

static int get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    const struct value *v = cel_keys_find(&refs_of(s)->keys, key);
    uint64_t size;
    int fd, rc;

    if (!v)
        return CEL_ABSENT;
    if (!v->path) {
        out->len = 0;
        rc = cel_store_check_size(key, v->here.len, out);
        return rc == CEL_OK ? cel_buf_add(out, v->here.data, v->here.len) : rc;
    }
    rc = open_file(v, key, &fd, &size);
    if (rc != CEL_OK)
        return rc;
    rc = cel_store_check_size(key, size, out);
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)size);
    if (rc == CEL_OK)
        rc = read_file(v, fd, 0, out->len, out->data);
    close(fd);
    return rc;
}

static int too_short(const char *key, uint64_t size, uint64_t offset, size_t n)
{
    return cel_fail(NC_EIO, "%s: has %llu bytes, too few for %zu from %llu on", key, (unsigned long long)size, n,
                    (unsigned long long)offset);
}

static int get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    const struct value *v = cel_keys_find(&refs_of(s)->keys, key);
    uint64_t size = v ? v->here.len : 0;
    int fd = -1, rc = CEL_OK;

    if (!v)
        return CEL_ABSENT;
    if (v->path)
        rc = open_file(v, key, &fd, &size);
    if (rc != CEL_OK)
        return rc;
    if (offset > size || n > size - offset)
        rc = too_short(key, size, offset, n);
    else if (v->path)
        rc = read_file(v, fd, offset, n, dst);
    else if (n)
        memcpy(dst, v->here.data + offset, n);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int size_of(struct cel_store *s, const char *key, uint64_t *out)
{
    const struct value *v = cel_keys_find(&refs_of(s)->keys, key);
    int fd, rc;

    if (!v)
        return CEL_ABSENT;
    *out = v->size;
    if (!v->whole)
        return CEL_OK;
    rc = open_file(v, key, &fd, out);
    if (rc == CEL_OK)
        close(fd);
    return rc;
}

static int list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct refs *r = refs_of(s);

    return cel_keys_list(&r->keys, &r->lock, prefix, visit, context);
}

static void free_refs(struct cel_store *s)
{
    struct refs *r = refs_of(s);

    cel_keys_dispose(&r->keys, free_value);
    cel_mutex_dispose(&r->lock);
    free(r->folder);
    free(r);
}

/* clang-format off */
static const struct cel_store_ops ops = {
    .name = "references", .get = get, .get_range = get_range, .size = size_of, 
    .list = list, .free = free_refs,
};
/* clang-format on */

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = cel_strdup(slash ? path : "");

    if (folder && slash)
        folder[slash - path + 1] = '\0';
    return folder;
}

int cel_store_open_refs(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct refs *r;
    int rc;

    *out = NULL;
    if (mode != CEL_STORE_READ)
        return cel_fail(NC_EPERM, "a store of references cannot be written");
    r = cel_calloc(1, sizeof *r);
    if (!r)
        return NC_ENOMEM;
    cel_mutex_init(&r->lock);
    rc = cel_store_init(&r->store, &ops, path, mode);
    r->folder = folder_of(path);
    if (rc == CEL_OK)
        rc = r->folder ? load(r, path) : NC_ENOMEM;
    if (rc == CEL_OK)
        *out = &r->store;
    else
        cel_store_abandon(&r->store);
    return rc;
}
