/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores as datasets: which locations are Zarr, and opening, creating and closing
 * them. A URL's fragment says what is wanted, file:///data/t.zarr#mode=nczarr,file;
 * a plain directory or zip archive is Zarr when it holds Zarr's documents. */
#include "convert.h"
#include "env.h"
#include "mem.h"
#include "spec.h"
#include "zarr_int.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the words of a mode ------------------------------------------------------------ */

enum {
    WORD_NCZARR = 1,
    WORD_ZARR = 2,
    WORD_XARRAY = 4,
    WORD_NOXARRAY = 8,
    WORD_FILE = 16,
    WORD_ZIP = 32,
    WORD_V2 = 64,
    WORD_V3 = 128,
    WORD_CONSOLIDATED = 256,
    WORD_PREFIX = 512,
    WORD_S3 = 1024,
    WORD_BYTES = 2048,
    WORD_UTF8 = 4096
};
static const struct {
    const char *text;
    unsigned word;
} mode_words[] = {
    {"nczarr", WORD_NCZARR},
    {"zarr", WORD_ZARR},
    {"xarray", WORD_ZARR | WORD_XARRAY},
    {"noxarray", WORD_ZARR | WORD_NOXARRAY},
    {"file", WORD_FILE},
    {"zip", WORD_ZIP},
    {"v2", WORD_V2},
    {"zarr2", WORD_V2 | WORD_ZARR},
    {"v3", WORD_V3},
    {"zarr3", WORD_V3 | WORD_ZARR},
    {"consolidated", WORD_CONSOLIDATED},
    {"prefix", WORD_PREFIX},
    {"s3", WORD_S3},
    {"gs3", WORD_S3},
    {"bytes", WORD_BYTES},
    {"utf8", WORD_UTF8},
};
#define ZARR_WORDS (WORD_NCZARR | WORD_ZARR | WORD_V2 | WORD_V3)

static unsigned word_of(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof mode_words / sizeof *mode_words; i++)
        if (strlen(mode_words[i].text) == len && strncasecmp(mode_words[i].text, text, len) == 0)
            return mode_words[i].word;
    return 0;
}

/* "mode=a,b&key=value", or the words alone: "zarr". The first word of a mode that is not in the table goes to *unknown, with
 * its length; NULL: nobody asks. */
static unsigned read_words(const char *fragment, const char **unknown, size_t *unknown_len)
{
    unsigned words = 0;

    while (fragment && *fragment) {
        size_t len = strcspn(fragment, "&");
        bool is_mode = strncasecmp(fragment, "mode=", 5) == 0;
        const char *at = is_mode ? fragment + 5 : memchr(fragment, '=', len) ? fragment + len : fragment;

        while (at < fragment + len) {
            size_t n = strcspn(at, ",&");
            unsigned word = word_of(at, n);

            if (unknown && !*unknown && is_mode && n && !word) {
                *unknown = at;
                *unknown_len = n;
            }
            words |= word;
            at += n + (at[n] == ',');
        }
        fragment += len + (fragment[len] == '&');
    }
    return words;
}

static unsigned words_of(const char *fragment)
{
    return read_words(fragment, NULL, NULL);
}

/* A word that is mistyped, or against another one, would make another store than was asked for. A store that is opened is
 * what it is: there netCDF-C's other words do no harm. */
static int check_words(const char *fragment)
{
    const char *unknown = NULL;
    size_t len = 0;
    unsigned words = read_words(fragment, &unknown, &len);
    struct cel_guess guess;

    if (words & WORD_V2 && words & WORD_V3)
        return cel_fail(NC_EINVAL, "the mode asks for versions 2 and 3 of Zarr: leave one of them out");
    if (words & WORD_FILE && words & WORD_ZIP)
        return cel_fail(NC_EINVAL,
                        "the mode asks for a directory (file) and for an archive (zip): leave one of them out");
    if (!unknown)
        return CEL_OK;
    cel_guess_start(&guess);
    for (size_t i = 0; i < sizeof mode_words / sizeof *mode_words; i++)
        cel_guess_try(&guess, unknown, len, mode_words[i].text);
    return cel_fail(NC_EINVAL,
                    "mode= has no word %.*s%s; its words are nczarr, zarr, v2, v3, file, zip, noxarray, "
                    "consolidated, prefix, utf8 and s3",
                    (int)len, unknown, guess.text);
}

/* --- what is there ---------------------------------------------------------------------- */

static const char *const documents[] = {".zgroup", ".zarray", "zarr.json", ".zmetadata", ".zattrs", ".nczarr"};

static bool holds_zarr(const char *folder)
{
    char path[PATH_MAX]; /* no memory is asked for: its lack must not say that there is no store */
    bool found = false;

    for (size_t i = 0; !found && i < sizeof documents / sizeof *documents; i++) {
        int n = snprintf(path, sizeof path, "%s/%s", folder, documents[i]);
        found = n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
    }
    return found;
}

/* A folder of arrays or groups is a group that nobody wrote down, and so is a folder of such folders: a few levels are
 * looked at, and as many entries as a folder that is no store may cost. */
#define LOOK_LEVELS 3
#define LOOK_ENTRIES 1000

static bool holds_zarr_below(const char *folder, int levels, int *entries)
{
    DIR *dir = opendir(folder);
    char path[PATH_MAX];
    const struct dirent *entry;
    bool found = false;

    while (dir && !found && *entries > 0 && (entry = readdir(dir))) {
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);

        --*entries;
        if (*entry->d_name == '.' || n <= 0 || (size_t)n >= sizeof path)
            continue;
        found =
            holds_zarr(path) || (levels > 1 && entry->d_type != DT_REG && holds_zarr_below(path, levels - 1, entries));
    }
    if (dir)
        closedir(dir);
    return found;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A JSON document: kerchunk's references to the bytes of other files. */
static bool is_references(const struct cel_location *where)
{
    size_t at = 0;

    while (at < where->head_len && strchr(" \t\r\n", where->head[at]) && where->head[at])
        at++;
    return !where->is_directory && at < where->head_len && where->head[at] == '{';
}

static bool starts_as_zip(const struct cel_location *where)
{
    return where->head_len >= 4 && (memcmp(where->head, "PK\3\4", 4) == 0 || memcmp(where->head, "PK\5\6", 4) == 0);
}

/* Names say that there is a store; what is there is looked at when it is opened. */
static bool is_named(const char *path, const char *end)
{
    size_t n = strcspn(path, "?"), len = strlen(end);

    while (n && path[n - 1] == '/')
        n--;
    return n >= len && strncasecmp(path + n - len, end, len) == 0;
}

static bool names_store(const char *path)
{
    return is_named(path, ".zarr") || is_named(path, ".zip");
}

/* What is asked for of a store that is made: on a server the name is enough, too. */
static unsigned words_to_create(const struct cel_location *where)
{
    unsigned words = words_of(where->fragment);

    return where->is_remote && !(words & ZARR_WORDS) && is_named(where->path, ".zip") ? words | WORD_ZIP : words;
}

/* On a server: no file, or a page that a web server shows of a folder. */
static bool may_be_folder(const struct cel_location *where)
{
    size_t at = 0;

    while (at < where->head_len && strchr(" \t\r\n", where->head[at]) && where->head[at])
        at++;
    return where->looked_at && (!where->exists || where->head[at] == '<');
}

/* In a bucket nothing else than a store can be made. */
static int bid_remote(const struct cel_location *where, unsigned words, bool create)
{
    if (create)
        return names_store(where->path) ? 90 : 0;
    return words & WORD_BYTES               ? 0
           : is_named(where->path, ".zarr") ? 90
           : starts_as_zip(where)           ? 50
           : may_be_folder(where)           ? 20
                                            : 0;
}

static int bid(const struct cel_location *where, const struct cel_options *options, bool create)
{
    unsigned words = words_of(where->fragment);
    int entries = LOOK_ENTRIES;

    (void)options;
    if (words & ZARR_WORDS)
        return 100;
    if (where->is_remote)
        return bid_remote(where, words, create);
    if (create)
        return 0;
    if (where->is_directory)
        return holds_zarr(where->path) ? 90 : holds_zarr_below(where->path, LOOK_LEVELS, &entries) ? 80 : 0;
    if (is_references(where) && ends_with(where->path, ".json"))
        return 50;
    return starts_as_zip(where) ? 50 : 0;
}

/* --- opening ------------------------------------------------------------------------------- */

static unsigned keeps_of(const struct zarr *z)
{
    return cel_zarr_ops.features | CEL_KEEPS_TEXT_CODECS |
           (z->version == 3 ? CEL_KEEPS_SHARDS : CEL_KEEPS_OBJECT_CODECS | CEL_KEEPS_LISTS) |
           (z->nczarr ? 0 : CEL_KEEPS_COMPLEX);
}

static int make_zarr(struct cel_dataset *ds, unsigned words, struct zarr **out)
{
    struct zarr *z;

    if (words & WORD_BYTES)
        return cel_fail(NC_EINVAL, "mode=bytes is for files, and a Zarr store is none: leave it out");
    z = cel_calloc(1, sizeof *z);
    if (!z)
        return NC_ENOMEM;
    z->version = words & WORD_V3 ? 3 : 2;
    z->nczarr = !(words & WORD_ZARR);
    z->xarray = !(words & WORD_NOXARRAY);
    z->consolidated = words & WORD_CONSOLIDATED || cel_env_consolidated();
    z->utf8 = words & WORD_UTF8;
    ds->container = z;
    ds->features = keeps_of(z);
    ds->format = NC_FORMAT_NETCDF4;
    *out = z;
    return CEL_OK;
}

/* An archive where the words or its first bytes say so; also where its name does, if there is one. */
static int open_remote_store(const struct cel_location *where, enum cel_store_mode mode, unsigned words,
                             struct cel_store **out)
{
    bool is_zip = words & WORD_ZIP || starts_as_zip(where);
    bool may_be = mode < CEL_STORE_CREATE && is_named(where->path, ".zip");
    int rc = CEL_ABSENT;

    if (is_zip || may_be)
        rc = cel_store_open_zip_url(where->path, words & WORD_S3, mode, where->source, out);
    if (rc == CEL_ABSENT && is_zip)
        return cel_fail(NC_ENOTFOUND, "there is no such archive");
    return rc == CEL_ABSENT ? cel_store_open_url(where->path, words & WORD_S3, mode, out) : rc;
}

static int open_store(const struct cel_location *where, enum cel_store_mode mode, unsigned words,
                      struct cel_store **out)
{
    bool zip = words & WORD_ZIP || (mode < CEL_STORE_CREATE && where->exists && !where->is_directory);

    if (where->is_remote)
        return open_remote_store(where, mode, words, out);
    if (where->in_memory && mode >= CEL_STORE_CREATE)
        return cel_store_open_memory(out);
    if (mode < CEL_STORE_CREATE && is_references(where))
        return cel_store_open_refs(where->path, mode, out);
    return zip ? cel_store_open_zip(where->path, mode, out) : cel_store_open_dir(where->path, mode, out);
}

static int cel_zarr_open(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    unsigned words = words_of(where->fragment);
    struct zarr *z;
    int rc = make_zarr(ds, words, &z);

    if (rc != CEL_OK)
        return rc;
    z->nczarr = false; /* until its metadata is seen */
    if (where->is_remote && !(options->mode & NC_WRITE))
        z->consolidated = true; /* one request instead of one for each document, and no lists */
    rc = open_store(where, options->mode & NC_WRITE ? CEL_STORE_WRITE : CEL_STORE_READ, words, &z->store);
    if (rc == CEL_OK)
        z->archive = cel_store_archive_bytes(z->store);
    if (rc == CEL_OK)
        rc = cel_zarr_find_root(z, where->path);
    if (rc == NC_ENOTZARR && may_be_folder(where))
        rc = cel_fail(NC_ENOTFOUND,
                      "there is neither an HDF5 or classic file nor a Zarr store; a server of OPeNDAP (DAP) is "
                      "not asked: download the file, and open that");
    ds->features = keeps_of(z);
    if (rc == CEL_OK)
        rc = cel_zarr_load(ds);
    if (z->store)
        cel_store_settle(z->store);
    return rc;
}

/* Nothing, or nothing but temporary files (store.h): of a store that could not be made. */
static bool holds_nothing(const char *folder)
{
    static const char temporary[] = ".cellar-tmp-";
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool other = !dir;

    while (!other && (entry = readdir(dir)))
        other = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                strncmp(entry->d_name, temporary, sizeof temporary - 1) != 0;
    if (dir)
        closedir(dir);
    return !other;
}

/* Only what is a store, or empty, is replaced. */
static int check_replaceable(const struct cel_location *where)
{
    if (!where->exists || (where->is_directory ? holds_zarr(where->path) || holds_nothing(where->path)
                                               : where->size == 0 || memcmp(where->head, "PK", 2) == 0))
        return CEL_OK;
    return cel_fail(NC_EEXIST, "%s exists and is no Zarr store; remove it first if it may go", where->path);
}

static int set_zip_prefix(struct zarr *z, const char *path)
{
    struct cel_buf prefix = CEL_BUF_INIT(1 << 16);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = ends_with(base, ".zip") ? strlen(base) - 4 : strlen(base);
    int rc = cel_buf_printf(&prefix, "%.*s/", (int)n, base);

    if (rc == CEL_OK)
        rc = cel_store_set_prefix(z->store, prefix.data);
    cel_buf_dispose(&prefix);
    return rc;
}

/* On a server: is what lies there a store? */
static int check_remote_replaceable(const struct cel_location *where, unsigned words)
{
    struct cel_store *old;
    uint64_t size;
    int rc = open_store(where, CEL_STORE_READ, words, &old), found = words & WORD_ZIP ? CEL_OK : CEL_ABSENT;

    for (size_t i = 0; rc == CEL_OK && found == CEL_ABSENT && i < sizeof documents / sizeof *documents; i++)
        found = cel_store_size(old, documents[i], &size);
    if (rc == CEL_OK)
        cel_store_abandon(old);
    if (rc == CEL_OK && found == CEL_ABSENT)
        return cel_fail(NC_EEXIST, "%s exists and is no Zarr store; remove it first if it may go", where->path);
    return rc == CEL_OK ? found : rc;
}

/* Whether something is there is asked by making it. */
static int create_remote(const struct cel_location *where, bool keep, unsigned words, struct cel_store **out)
{
    int rc = open_store(where, CEL_STORE_CREATE, words, out);

    if (rc != NC_EEXIST || keep)
        return rc;
    rc = check_remote_replaceable(where, words);
    return rc == CEL_OK ? open_store(where, CEL_STORE_REPLACE, words, out) : rc;
}

static int cel_zarr_create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    unsigned words = words_to_create(where);
    bool keep = options->mode & NC_NOCLOBBER;
    struct zarr *z;
    int rc = check_words(where->fragment);

    if (rc == CEL_OK)
        rc = keep && where->exists ? cel_fail(NC_EEXIST, "%s exists already", where->path) : check_replaceable(where);
    if (rc == CEL_OK)
        rc = make_zarr(ds, words, &z);
    if (rc == CEL_OK)
        rc = where->is_remote
                 ? create_remote(where, keep, words, &z->store)
                 : open_store(where, where->exists ? CEL_STORE_REPLACE : CEL_STORE_CREATE, words, &z->store);
    if (rc == CEL_OK && words & WORD_ZIP && words & WORD_PREFIX)
        rc = set_zip_prefix(z, where->path);
    return rc;
}

/* --- closing ---------------------------------------------------------------------------------- */

static int each_var(struct cel_group *group, int (*act)(struct cel_dataset *, struct cel_var *))
{
    int rc = CEL_OK;

    for (size_t i = 0; i < group->vars.n; i++) {
        int one = act(group->dataset, group->vars.at[i]);
        rc = rc == CEL_OK ? one : rc;
    }
    for (size_t i = 0; i < group->groups.n; i++) {
        int one = each_var(group->groups.at[i], act);
        rc = rc == CEL_OK ? one : rc;
    }
    return rc;
}

static int flush_shards(struct cel_dataset *ds, struct cel_var *var)
{
    struct cel_zarr_array *a = var->priv;

    return a && a->shard ? cel_zarr_shard_flush(ds, var) : CEL_OK;
}

static int finish_writing(struct cel_dataset *ds)
{
    struct zarr *z = cel_zarr_of(ds);
    int rc = each_var(ds->root, flush_shards);

    return rc == CEL_OK && z->changed ? cel_zarr_consolidated_save(ds) : rc;
}

static int cel_zarr_sync(struct cel_dataset *ds)
{
    int rc = ds->writable ? finish_writing(ds) : CEL_OK;

    return rc == CEL_OK && ds->writable ? cel_store_sync(cel_zarr_of(ds)->store) : rc;
}

static int free_array(struct cel_dataset *ds, struct cel_var *var)
{
    (void)ds;
    cel_zarr_array_free(var->priv);
    var->priv = NULL;
    return CEL_OK;
}

static void free_groups(struct cel_group *group)
{
    cel_zarr_group_free(group->priv);
    group->priv = NULL;
    for (size_t i = 0; i < group->groups.n; i++)
        free_groups(group->groups.at[i]);
}

/* Types come with the variables that have them. */
static void warn_of_types(const struct cel_dataset *ds)
{
    for (size_t i = 0; i < ds->types.n; i++) {
        const struct cel_type *type = ds->types.at[i];
        if (type && type->saved == CEL_NEW && !type->in_use)
            cel_warn("%s: type %s is not kept: no variable has it", ds->path, type->name);
    }
}

static int cel_zarr_close(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct zarr *z = cel_zarr_of(ds);
    int rc = CEL_OK, closed = CEL_OK;

    if (memory)
        *memory = (struct cel_memory){0};
    if (!z)
        return CEL_OK;
    if (keep && ds->writable && z->store) {
        warn_of_types(ds);
        rc = finish_writing(ds);
    }
    each_var(ds->root, free_array); /* with drafts that belong to the store */
    if (z->store && keep)
        closed = cel_store_close(z->store);
    else
        cel_store_abandon(z->store);
    free_groups(ds->root);
    cel_json_free(z->all);
    cel_json_free(z->tree);
    free(z);
    ds->container = NULL;
    return rc == CEL_OK ? closed : rc;
}

/* --- the rest ------------------------------------------------------------------------------------- */

static int load_nothing(struct cel_dataset *ds)
{
    (void)ds;
    return CEL_OK;
}

static int load_var(struct cel_dataset *ds, struct cel_var *var)
{
    (void)ds;
    var->loaded = true;
    return CEL_OK;
}

static int extend(struct cel_dataset *ds, struct cel_var *var, const size_t *extent)
{
    (void)ds;
    memcpy(var->layout.extent, extent, (size_t)var->ndims * sizeof *extent);
    if (var->saved == CEL_SAVED)
        var->saved = CEL_CHANGED;
    return CEL_OK;
}

/* bid() may have gone by the mode words; what is removed must be a store. */
static int remove_store(const struct cel_location *where)
{
    if (!holds_zarr(where->path))
        return cel_fail(EISDIR, "it is a directory, and no Zarr store: remove it with the system's own means");
    return cel_store_remove_dir(where->path);
}

static int fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    struct zarr *z = cel_zarr_of(ds);
    const struct cel_zarr_group *root = ds->root->priv;
    struct cel_buf text = CEL_BUF_INIT(ZARR_META_MAX);
    const char *properties;
    int rc;

    *out = (struct cel_fact){0};
    if (!var && strcmp(name, "_NCProperties") == 0) {
        properties = root ? cel_json_string(cel_json_get(root->attrs, "_NCProperties"), NULL) : NULL;
        if (!properties)
            return CEL_ABSENT;
        out->text = cel_strdup(properties);
        return out->text ? CEL_OK : NC_ENOMEM;
    }
    if (!var || strcmp(name, "_Codecs") != 0 || (!var->chain.n && !var->chain.object && !var->layout.shards))
        return CEL_ABSENT;
    rc = var->layout.shards ? cel_shards_print(var->layout.shards, var->layout.chunk, &var->chain, &text)
                            : cel_chain_print(&var->chain, z->version == 2 ? CEL_SPELL_JSON2 : CEL_SPELL_JSON3, &text);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &out->text);
    cel_buf_dispose(&text);
    return rc;
}

const struct cel_container_ops cel_zarr_ops = {
    .name = "zarr",
    .formatx = NC_FORMATX_NCZARR,
    .features = CEL_KEEPS_GROUPS | CEL_KEEPS_STRINGS | CEL_KEEPS_INT64 | CEL_KEEPS_UNLIMITED | CEL_KEEPS_CHUNKS |
                CEL_KEEPS_FILTERS | CEL_KEEPS_ENDIAN | CEL_FILTERS_AS_CALLED | CEL_FILTERS_VARSIZED,
    .thread_rules = CEL_CONCURRENT,
    .bid = bid,
    .create = cel_zarr_create,
    .open = cel_zarr_open,
    .load_types = load_nothing,
    .load_var = load_var,
    .load_atts = cel_zarr_load_atts,
    .save = cel_zarr_save,
    .extend = extend,
    .chunk_find = cel_zarr_chunk_find,
    .chunk_next = cel_zarr_chunk_next,
    .chunk_read = cel_zarr_chunk_read,
    .chunk_want = cel_zarr_chunk_want,
    .chunk_size = cel_zarr_chunk_size,
    .chunk_locate = cel_zarr_chunk_locate,
    .chunk_allocate = cel_zarr_chunk_allocate,
    .chunk_write = cel_zarr_chunk_write,
    .chunk_hand_over = cel_zarr_chunk_hand_over,
    .peer_open = cel_zarr_peer_open,
    .chunk_lend = cel_zarr_chunk_lend,
    .peer_read = cel_zarr_peer_read,
    .peer_write = cel_zarr_peer_write,
    .peer_sync = cel_zarr_peer_sync,
    .peer_close = cel_zarr_peer_close,
    .elements_bytes = cel_zarr_elements_bytes,
    .elements_check = cel_zarr_elements_check,
    .elements_decode = cel_zarr_elements_decode,
    .elements_encode = cel_zarr_elements_encode,
    .sync = cel_zarr_sync,
    .close = cel_zarr_close,
    .remove = remove_store,
    .fact = fact,
    .keys = cel_zarr_keys,
};
