/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents of Zarr have no checksum, and no copy unless the store is consolidated. A damaged one is taken from its copy, or else a
 * change of one bit is looked for that makes the library read the array: the document then has all members that it must have and no
 * other, and each key of the array is one of a chunk. Changes after which the text says the same are one; if there is another that
 * fits as well, only one of them may decode every chunk. All is tried in a store that has nothing but the array, and the
 * documents of the root. */

#include "mend_store.h"
#include "cellar.h"
#include "mend_json.h"
#include "tmpfolder.h"
#include "unreadable.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOCUMENT_MAX = 4096 };

static const char *const documents[] = {".zarray", ".zattrs", "zarr.json"};
enum { ATTRIBUTES = 1, DOCUMENTS = sizeof documents / sizeof *documents };

struct array {
    const char *store, *name; /* of the store's folder, and of the array in it */
    const char *probe;        /* a store to try in */
    bool believed;            /* the library reads the documents: another reading has to prove itself */
    char *bytes[DOCUMENTS];   /* NULL: there is none */
    size_t n[DOCUMENTS];
};

static char *join(const char *a, const char *b, const char *c)
{
    struct text t = {0};

    text_printf(&t, "%s/%s%s%s", a, b, *c ? "/" : "", c);
    return text_take(&t);
}

/* What is there may be a link to the damaged one, which stays as it is. */
static bool write_file(const char *folder, const char *name, const char *bytes, size_t n)
{
    char *path = join(folder, name, "");
    FILE *f = unlink(path) == 0 || errno == ENOENT ? fopen(path, "wb") : NULL;
    bool ok = f && fwrite(bytes, 1, n, f) == n;

    if (f && fclose(f) != 0)
        ok = false;
    free(path);
    return ok;
}

static bool copy_bytes(const char *from, const char *folder, const char *name)
{
    size_t n;
    char *bytes = text_read_file(from, &n);
    bool ok = bytes && write_file(folder, name, bytes, n);

    free(bytes);
    return ok;
}

/* All files below, as links; copies where the folders lie on different disks. */
static bool link_folder(const char *from, const char *to)
{
    DIR *dir = mkdir(to, 0700) == 0 ? opendir(from) : NULL;
    struct dirent *e;
    bool ok = dir != NULL;

    while (ok && (e = readdir(dir))) {
        char *source = join(from, e->d_name, ""), *target = join(to, e->d_name, "");
        struct stat st;

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && lstat(source, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                ok = link_folder(source, target);
            else if (S_ISREG(st.st_mode))
                ok = link(source, target) == 0 || copy_bytes(source, to, e->d_name);
        }
        free(source);
        free(target);
    }
    if (dir)
        closedir(dir);
    return ok;
}

/* --- trying ---------------------------------------------------------------------------------- */

/* The array is there under its name, and not among what cannot be read. */
static bool has_array(int ncid, const char *name, int *varid)
{
    struct unreadable u = {0};
    bool ok = nc_inq_varid(ncid, name, varid) == NC_NOERR && unreadable_load(ncid, &u) == NC_NOERR &&
              !unreadable_reason(&u, name);

    unreadable_free(&u);
    return ok;
}

/* test() of the array as its documents in the probe describe it; false if they do not. */
static bool with_array(const struct array *a, bool (*test)(const struct array *a, int ncid, int varid))
{
    struct text url = {0};
    int ncid, varid;
    bool ok = false;

    text_printf(&url, "file://%s#mode=zarr", a->probe);
    if (nc_open(text_get(&url), NC_NOWRITE, &ncid) == NC_NOERR) {
        ok = has_array(ncid, tmpfolder_name_of(a->name), &varid) && test(a, ncid, varid);
        nc_close(ncid);
    }
    text_free(&url);
    return ok;
}

bool mend_store_is_document(const char *key)
{
    const char *name = tmpfolder_name_of(key);

    return *name == '.' || strcmp(name, "zarr.json") == 0;
}

/* Each key is one of a chunk that the shape has. Of shards, which hold several, there are more chunks than keys. */
static bool has_all_keys(const struct array *a, int ncid, int varid)
{
    size_t index[NC_MAX_VAR_DIMS], folder = strlen(tmpfolder_name_of(a->name)), nkeys = 0, nchunks = 0;
    unsigned long long size;
    char *keys = NULL;
    int more = 0;

    if (cellar_inq_keys(ncid, &keys) != NC_NOERR)
        return false;
    for (const char *key = keys; *key; key += strlen(key) + 1)
        nkeys +=
            strncmp(key, tmpfolder_name_of(a->name), folder) == 0 && key[folder] == '/' && !mend_store_is_document(key);
    cellar_free(keys);
    while (nchunks < nkeys && cellar_next_chunk(ncid, varid, index, &more) == NC_NOERR && more)
        nchunks += cellar_inq_chunk(ncid, varid, index, NULL, &size, NULL, NULL) == NC_NOERR && size > 0;
    return nchunks >= nkeys;
}

/* Values of fixed size, as far as the array reaches. */
static int read_chunk(int ncid, int varid, const size_t *index, const size_t *chunk)
{
    size_t start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS], length, n = 1, size;
    int ndims, dimid[NC_MAX_VAR_DIMS];
    nc_type type;
    void *values;
    int status;

    if (nc_inq_var(ncid, varid, NULL, &type, &ndims, dimid, NULL) != NC_NOERR || type >= NC_STRING ||
        nc_inq_type(ncid, type, NULL, &size) != NC_NOERR)
        return NC_EBADTYPE;
    for (int d = 0; d < ndims; d++) {
        start[d] = index[d] * chunk[d];
        if (nc_inq_dimlen(ncid, dimid[d], &length) != NC_NOERR || start[d] >= length)
            return NC_EINVALCOORDS;
        count[d] = length - start[d] < chunk[d] ? length - start[d] : chunk[d];
        n *= count[d];
    }
    values = tool_alloc(n, size);
    status = nc_get_vara(ncid, varid, start, count, values);
    free(values);
    return status;
}

bool mend_store_has_codecs(int ncid, int varid)
{
    size_t index[NC_MAX_VAR_DIMS], chunk[NC_MAX_VAR_DIMS];
    int more = 0, storage;

    return nc_inq_var_chunking(ncid, varid, &storage, chunk) != NC_NOERR || storage != NC_CHUNKED ||
           cellar_next_chunk(ncid, varid, index, &more) != NC_NOERR || !more ||
           read_chunk(ncid, varid, index, chunk) != NC_ENOFILTER;
}

static bool is_there(const struct array *a, int ncid, int varid)
{
    (void)a, (void)ncid, (void)varid;
    return true;
}

static bool is_readable(const struct array *a, int ncid, int varid)
{
    (void)a;
    return mend_store_has_codecs(ncid, varid);
}

/* Every chunk, of which there is one at least, to its exact length. */
static bool decodes_all(const struct array *a, int ncid, int varid)
{
    size_t index[NC_MAX_VAR_DIMS], chunk[NC_MAX_VAR_DIMS];
    int more = 0, status, storage;
    bool any = false;

    (void)a;
    if (nc_inq_var_chunking(ncid, varid, &storage, chunk) != NC_NOERR || storage != NC_CHUNKED)
        return false;
    while ((status = cellar_next_chunk(ncid, varid, index, &more)) == NC_NOERR && more) {
        if (read_chunk(ncid, varid, index, chunk) != NC_NOERR)
            return false;
        any = true;
    }
    return status == NC_NOERR && any;
}

static bool try_document(const struct array *a, int k, const char *bytes, size_t n)
{
    char *folder = join(a->probe, tmpfolder_name_of(a->name), "");
    bool ok = write_file(folder, documents[k], bytes, n);

    free(folder);
    return ok;
}

/* How well the array can be read with document k as it is now in memory, which is *reading. */
enum { NO_FIT, READABLE, NAMED = 1, ALL_KEYS = 2 };

static int fit_of(const struct array *a, int k, struct text *reading)
{
    struct mend_span json = {a->bytes[k], a->n[k]};

    if ((k != ATTRIBUTES && !mend_json_is_array(documents[k], json)) || !mend_json_read(json, reading) ||
        !try_document(a, k, json.at, json.n) || !with_array(a, is_readable))
        return NO_FIT;
    return READABLE + (memmem(json.at, json.n, "\"_ARRAY_DIMENSIONS\"", 19) ? NAMED : 0) +
           (with_array(a, has_all_keys) ? ALL_KEYS : 0);
}

static bool is_text(char c)
{
    return c == '\n' || c == '\t' || ((unsigned char)c >= ' ' && c != 127);
}

/* A change of one bit that makes the array readable. */
struct change {
    size_t at;
    char value;
    int fit;
    char *reading; /* the document without space between its parts */
};

/* Those that fit best, of which no two say the same. */
struct changes {
    struct change *change;
    size_t n;
    int fit;
};

static void free_changes(struct changes *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->change[i].reading);
    free(c->change);
    *c = (struct changes){0};
}

static void note_change(const struct array *a, int k, size_t at, struct changes *c)
{
    struct text reading = {0};
    int fit = fit_of(a, k, &reading);
    bool known = fit < c->fit || fit == NO_FIT;

    if (fit > c->fit)
        free_changes(c);
    for (size_t i = 0; i < c->n && !known; i++)
        known = strcmp(c->change[i].reading, text_get(&reading)) == 0;
    if (!known) {
        c->fit = fit;
        c->change = tool_push(c->change, c->n, sizeof *c->change);
        c->change[c->n++] = (struct change){at, a->bytes[k][at], fit, tool_strdup(text_get(&reading))};
    }
    text_free(&reading);
}

/* Every change of a bit of document k. */
static void find_changes(const struct array *a, int k, struct changes *out)
{
    *out = (struct changes){0};
    for (size_t i = 0; i < a->n[k]; i++)
        for (int bit = 0; bit < 8; bit++) {
            char old = a->bytes[k][i];

            a->bytes[k][i] ^= (char)(1 << bit);
            if (is_text(a->bytes[k][i]) && mend_json_read((struct mend_span){a->bytes[k], a->n[k]}, NULL))
                note_change(a, k, i, out);
            a->bytes[k][i] = old;
        }
    try_document(a, k, a->bytes[k], a->n[k]);
}

/* One within whose shape all keys lie; of several the one with which every chunk decodes. NULL: there is none, or more than one. */
static const struct change *choose(const struct array *a, int k, const struct changes *c)
{
    const struct change *chosen = NULL;
    bool only = true;

    if (c->fit < READABLE + ALL_KEYS)
        return NULL;
    if (c->n == 1 && !a->believed)
        return c->change;
    for (size_t i = 0; i < c->n && only; i++) {
        const struct change *x = &c->change[i];
        char old = a->bytes[k][x->at];

        a->bytes[k][x->at] = x->value;
        if (try_document(a, k, a->bytes[k], a->n[k]) && with_array(a, decodes_all)) {
            only = !chosen;
            chosen = x;
        }
        a->bytes[k][x->at] = old;
    }
    try_document(a, k, a->bytes[k], a->n[k]);
    return only ? chosen : NULL;
}

/* --- one array --------------------------------------------------------------------------------- */

/* The group it lies in has the documents of the store's root, which name its dimensions. */
static void load_root(const struct array *a)
{
    static const char *const names[] = {".zgroup", ".zattrs", "zarr.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *from = join(a->store, names[i], "");

        copy_bytes(from, a->probe, names[i]);
        free(from);
    }
}

static void load_array(struct array *a)
{
    char *folder = join(a->probe, tmpfolder_name_of(a->name), ""), *source = join(a->store, a->name, "");

    tmpfolder_remove(a->probe);
    mkdir(a->probe, 0700);
    link_folder(source, folder);
    load_root(a);
    for (int k = 0; k < DOCUMENTS; k++) {
        char *path = join(a->store, a->name, documents[k]);

        a->bytes[k] = text_read_file(path, &a->n[k]);
        free(path);
    }
    free(folder);
    free(source);
}

static bool replace(const struct array *a, int k, const char *copy, struct mend_span json)
{
    char *folder = join(copy, a->name, "");
    bool ok = write_file(folder, documents[k], json.at, json.n);

    free(folder);
    return ok;
}

/* Without its attributes the array can be read at least. */
static bool drop_attributes(struct mend *m, struct array *a, const char *copy)
{
    char *name = join(a->name, documents[ATTRIBUTES], "");
    bool ok = a->bytes[ATTRIBUTES] && try_document(a, ATTRIBUTES, "{}", 2) && with_array(a, is_readable);

    if (ok) {
        ok = replace(a, ATTRIBUTES, copy, (struct mend_span){"{}", 2});
        mend_lose(m, name, strlen(name), "the document is damaged: attributes and names of dimensions are lost");
    }
    free(name);
    return ok;
}

/* The document without one member of its attributes. */
static void cut_member(struct mend_span json, struct mend_span value, const char *name, struct text *out)
{
    const char *end = json.at + json.n, *from = value.at - strlen(name), *to = value.at + value.n;

    while (strncmp(from, name, strlen(name)) != 0)
        from--;
    from--; /* its quote */
    while (to < end && strchr(" \t\r\n", *to))
        to++;
    if (to < end && *to == ',') {
        to++;
    } else {
        while (from > json.at && strchr(" \t\r\n", from[-1]))
            from--;
        from -= from > json.at && from[-1] == ',';
    }
    text_putn(out, json.at, (size_t)(from - json.at));
    text_putn(out, to, (size_t)(end - to));
}

/* Names of dimensions are there twice in NCZarr: with the group that has them, which may be lost, and alone. */
static bool drop_references(struct mend *m, const struct array *a, int k, const char *copy)
{
    static const char name[] = "_nczarr_array";
    struct mend_span json = {a->bytes[k], a->n[k]}, attributes = json, value;
    struct text rest = {0};
    bool ok = a->bytes[k] && mend_json_read(json, NULL) &&
              (k == ATTRIBUTES || mend_json_member(json, "attributes", &attributes)) &&
              mend_json_member(attributes, name, &value);

    if (ok) {
        cut_member(json, value, name, &rest);
        ok = try_document(a, k, text_get(&rest), rest.len) && with_array(a, has_all_keys) &&
             replace(a, k, copy, (struct mend_span){text_get(&rest), rest.len});
        if (!ok)
            try_document(a, k, json.at, json.n);
    }
    if (ok)
        mend_note(m, "%s/%s: its dimensions have their names alone, as their group's document is lost", a->name,
                  documents[k]);
    text_free(&rest);
    return ok;
}

/* What a store with consolidated metadata says a second time; false: it has none of this document. The text is all's. */
static bool find_copy(const struct array *a, int k, struct mend_span all, struct mend_span *out)
{
    bool version3 = strcmp(documents[k], "zarr.json") == 0;
    char *key = version3 ? tool_strdup(a->name) : join(a->name, documents[k], "");
    bool ok = (!version3 || mend_json_member(all, "consolidated_metadata", &all)) &&
              mend_json_member(all, "metadata", &all) && mend_json_member(all, key, out);

    free(key);
    return ok;
}

static bool take_copy(struct mend *m, const struct array *a, int k, const char *copy)
{
    const char *holder = strcmp(documents[k], "zarr.json") == 0 ? "zarr.json" : ".zmetadata";
    char *path = join(a->store, holder, "");
    struct mend_span all = {0}, json;
    bool ok;

    all.at = text_read_file(path, &all.n);
    ok = all.at && find_copy(a, k, all, &json) && (k == ATTRIBUTES || mend_json_is_array(documents[k], json)) &&
         try_document(a, k, json.at, json.n) && with_array(a, has_all_keys) && replace(a, k, copy, json);
    if (ok)
        mend_note(m, "%s/%s: taken from its copy in %s", a->name, documents[k], holder);
    else if (a->bytes[k])
        try_document(a, k, a->bytes[k], a->n[k]);
    free((char *)all.at);
    free(path);
    return ok;
}

static bool change_bit(struct mend *m, const struct array *a, int k, const char *copy)
{
    struct changes c;
    const struct change *x;
    bool ok = false;

    if (!a->bytes[k] || a->n[k] > DOCUMENT_MAX)
        return false;
    find_changes(a, k, &c);
    x = choose(a, k, &c);
    if (x) {
        mend_note(m, "%s/%s: byte %zu was 0x%02x and is 0x%02x again", a->name, documents[k], x->at,
                  (unsigned char)a->bytes[k][x->at], (unsigned char)x->value);
        a->bytes[k][x->at] = x->value;
        ok = replace(a, k, copy, (struct mend_span){a->bytes[k], a->n[k]});
    }
    free_changes(&c);
    return ok;
}

static bool mend_array(struct mend *m, struct array *a, const char *copy)
{
    bool mended = false;

    load_array(a);
    a->believed = with_array(a, is_there);
    for (int k = 0; k < DOCUMENTS && !mended; k++)
        mended = take_copy(m, a, k, copy);
    for (int k = 0; k < DOCUMENTS && !mended; k++)
        mended = drop_references(m, a, k, copy) || change_bit(m, a, k, copy);
    mended = mended || (!a->believed && drop_attributes(m, a, copy));
    for (int k = 0; k < DOCUMENTS; k++)
        free(a->bytes[k]);
    return mended;
}

/* --- the store ------------------------------------------------------------------------------------ */

bool mend_store_lacks(const char *store, const char *name)
{
    bool lacks = false;

    for (int k = 0; k < DOCUMENTS && !lacks; k++) {
        char *path = join(store, name, documents[k]);
        struct mend_span json = {0};

        json.at = k == ATTRIBUTES ? NULL : text_read_file(path, &json.n);
        lacks = json.at && mend_json_lacks(documents[k], json);
        free((char *)json.at);
        free(path);
    }
    return lacks;
}

/* --- groups --------------------------------------------------------------------------------------- */

static bool has_file(const char *folder, const char *name)
{
    char *path = join(folder, name, "");
    bool has = access(path, F_OK) == 0;

    free(path);
    return has;
}

/* Folders right below that have this document. */
static bool has_below(const char *folder, const char *document)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    bool has = false;

    while (dir && !has && (e = readdir(dir)))
        if (*e->d_name != '.') {
            char *below = join(folder, e->d_name, "");

            has = has_file(below, document);
            free(below);
        }
    if (dir)
        closedir(dir);
    return has;
}

/* All that a group's document has to say is known, but for its attributes; a long .zgroup is one of an old NCZarr, with
 * dimensions, that only its author can write again. */
enum { ZGROUP_MAX = 64 };

/* Or that it is an array's. */
static bool says_group(const char *document, struct mend_span json)
{
    bool version2 = *document == '.';
    struct mend_span format, type;

    return mend_json_read(json, NULL) && mend_json_member(json, "zarr_format", &format) && format.n == 1 &&
           *format.at == (version2 ? '2' : '3') &&
           (version2 || (mend_json_member(json, "node_type", &type) && type.n == 7 &&
                         (memcmp(type.at, "\"group\"", 7) == 0 || memcmp(type.at, "\"array\"", 7) == 0)));
}

static bool is_damaged(const char *folder, const char *document)
{
    char *path = join(folder, document, "");
    struct mend_span json = {0};
    bool damaged;

    json.at = text_read_file(path, &json.n);
    damaged = json.at && (*document != '.' || json.n <= ZGROUP_MAX) && !says_group(document, json);
    free((char *)json.at);
    free(path);
    return damaged;
}

/* group: "" or "g/h". */
static bool mend_group(struct mend *m, const char *group, const char *copy)
{
    char *folder = *group ? join(copy, group, "") : tool_strdup(copy),
         *name = *group ? join(group, "", "") : tool_strdup("");
    struct text lost = {0};
    bool mended = false;

    if (is_damaged(folder, ".zgroup") && !has_file(folder, ".zarray")) {
        mended = write_file(folder, ".zgroup", "{\"zarr_format\": 2}", 18);
        mend_note(m, "%s.zgroup: written anew, it says the version only", name);
    } else if (is_damaged(folder, "zarr.json") && has_below(folder, "zarr.json")) {
        static const char json[] = "{\"zarr_format\": 3, \"node_type\": \"group\"}";

        mended = write_file(folder, "zarr.json", json, sizeof json - 1);
        mend_note(m, "%szarr.json: that of a group written anew, as documents of arrays or groups lie below it", name);
        text_printf(&lost, "%szarr.json", name);
        mend_lose(m, text_get(&lost), lost.len, "the document is damaged: attributes of the group are lost");
        text_free(&lost);
    }
    free(folder);
    free(name);
    return mended;
}

char *mend_store_root(struct mend *m, const char *store, const char *folder)
{
    char *copy = join(folder, "rooted.zarr", "");

    if ((is_damaged(store, ".zgroup") || is_damaged(store, "zarr.json")) && link_folder(store, copy) &&
        mend_group(m, "", copy))
        return copy;
    free(copy);
    return NULL;
}

/* The group that "g:attributes" is said of. */
static char *group_of(const char *name)
{
    static const char attributes[] = ":attributes";
    size_t n = strlen(name), tail = sizeof attributes - 1;

    return tool_strndup(name, n >= tail && strcmp(name + n - tail, attributes) == 0 ? n - tail : n);
}

static bool mend_node(struct mend *m, struct array *a, const char *copy)
{
    char *group = group_of(a->name);
    bool mended = mend_group(m, group, copy);

    if (!mended && strcmp(group, a->name) == 0)
        mended = mend_array(m, a, copy);
    free(group);
    return mended;
}

char *mend_store(struct mend *m, const char *store, const char *folder, char *const *lost, size_t nlost)
{
    char *probe = join(folder, "probe", ""), *copy = join(folder, "mended.zarr", "");
    bool linked = nlost && link_folder(store, copy), any = false;

    for (size_t i = 0; i < nlost && linked; i++) {
        struct array a = {.store = store, .name = lost[i] + (*lost[i] == '/'), .probe = probe};

        any = mend_node(m, &a, copy) || any;
    }
    free(probe);
    if (any)
        return copy;
    free(copy);
    return NULL;
}
