/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding and loading plugins.
 *
 * All directories are searched together the first time a filter is wanted that
 * is not built in, because the two halves of a plugin may lie in different
 * libraries. The search is done again when the path was changed; what was loaded
 * once stays. The first library found for an id is used; later ones are noted. */
#include "buf.h"
#include "env.h"
#include "fork.h"
#include "mem.h"
#include "plugin_int.h"
#include "status.h"
#include "thread.h"
#include "vec.h"
#include <dirent.h>
#include <netcdf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NOTES_MAX 256

/* A codec half found so far. */
struct half {
    const struct cel_ncz_codec *codec;
    char *path;
    bool is_default; /* from a library of defaults: used where no other library has one */
    bool used;
};

static struct {
    struct cel_mutex lock;
    bool searched;
    size_t version;        /* of the path at the last search */
    struct cel_vec files;  /* char *: libraries looked into already */
    struct cel_vec found;  /* struct cel_outside * */
    struct cel_vec halves; /* struct half * */
    struct cel_vec notes;  /* struct cel_plugin_note * */
} plugins = {.lock = CEL_MUTEX_INIT};

CEL_FORK_LOCK(CEL_FORK_PLUGINS, &plugins.lock, false, NULL);

/* --- names ------------------------------------------------------------------- */

struct name_pattern {
    const char *begin, *extension;
    bool at_end; /* the extension must end the name: no version after it */
};

static const struct name_pattern patterns[] = {
    {"lib", ".so", false},    /* Linux */
    {"lib", ".dylib", false}, /* macOS */
    {"cyg", ".dll", false},   /* Cygwin */
    {"", ".dll", true},       /* Windows */
};

#if defined(_WIN32)
#define PLATFORM 3
#elif defined(__CYGWIN__)
#define PLATFORM 2
#elif defined(__APPLE__)
#define PLATFORM 1
#else
#define PLATFORM 0
#endif

bool cel_plugin_matches(int platform, const char *name)
{
    const struct name_pattern *p = &patterns[platform];
    size_t begin = strlen(p->begin);
    const char *extension = strncmp(name, p->begin, begin) == 0 ? strstr(name + begin, p->extension) : NULL;

    return extension && (!p->at_end || extension[strlen(p->extension)] == '\0');
}

static bool is_library(const char *name)
{
    return cel_plugin_matches(PLATFORM, name);
}

/* --- notes -------------------------------------------------------------------- */

static void free_note(struct cel_plugin_note *note)
{
    if (note) {
        free(note->path);
        free(note->why);
    }
    free(note);
}

/* Why something was passed over. A note that finds no memory is lost: the search goes on. */
CEL_PRINTF(2, 3) static void remember(const char *path, const char *fmt, ...)
{
    struct cel_plugin_note *note = plugins.notes.n < NOTES_MAX ? cel_calloc(1, sizeof *note) : NULL;
    char why[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (!note)
        return;
    note->path = cel_strdup(path);
    note->why = cel_strdup(why);
    if (!note->path || !note->why || cel_vec_add(&plugins.notes, note) != CEL_OK)
        free_note(note);
}

const struct cel_plugin_note *cel_plugin_note_at(size_t i)
{
    const struct cel_plugin_note *note;

    cel_lock(&plugins.lock);
    note = i < plugins.notes.n ? plugins.notes.at[i] : NULL;
    cel_unlock(&plugins.lock);
    return note;
}

/* --- libraries ------------------------------------------------------------------ */

static struct cel_outside *find_id(unsigned id)
{
    for (size_t i = 0; i < plugins.found.n; i++) {
        struct cel_outside *o = plugins.found.at[i];

        if (o->codec.hdf5_id == id)
            return o;
    }
    return NULL;
}

static bool add_half(const struct cel_ncz_codec *codec, const char *path, bool is_default)
{
    const char *why = cel_ncz_verify(codec);
    struct half *half;

    if (why) {
        remember(path, "%s", why);
        return false;
    }
    half = cel_calloc(1, sizeof *half);
    if (!half)
        return false;
    *half = (struct half){.codec = codec, .path = cel_strdup(path), .is_default = is_default};
    if (!half->path || cel_vec_add(&plugins.halves, half) != CEL_OK) {
        free(half->path);
        free(half);
        return false;
    }
    return true;
}

static bool add_defaults(const struct cel_ncz_codec *const *list, const char *path)
{
    bool any = false;

    if (!list)
        remember(path, "NCZ_codec_info_defaults gives no list");
    for (; list && *list; list++)
        any |= add_half(*list, path, true);
    return any;
}

static bool add_class(struct cel_dl *lib, const char *path, const struct cel_h5z_class *klass)
{
    const struct cel_outside *other = find_id((unsigned)klass->id);
    struct cel_outside *o;

    if (other) {
        remember(path, "filter %d is already provided by %s", klass->id, other->path);
        return false;
    }
    o = cel_outside_make(lib, path, klass);
    if (!o || cel_vec_add(&plugins.found, o) != CEL_OK) {
        cel_outside_free(o);
        return false;
    }
    return true;
}

/* The filter class of a library; NULL when it has none that can be used. */
static const struct cel_h5z_class *class_of(struct cel_dl *lib, const char *path, bool *has_entry)
{
    int (*type)(void) = (int (*)(void))cel_dl_function(lib, "H5PLget_plugin_type");
    const void *(*info)(void) = (const void *(*)(void))cel_dl_function(lib, "H5PLget_plugin_info");
    const struct cel_h5z_class *klass;
    const char *why;

    *has_entry = type || info;
    if (!type || !info) {
        if (*has_entry)
            remember(path, "it has only one of H5PLget_plugin_type and H5PLget_plugin_info");
        return NULL;
    }
    if (type() != CEL_H5PL_FILTER) {
        remember(path, "it is an HDF5 plugin, but not a filter");
        return NULL;
    }
    klass = info();
    why = cel_h5z_verify(klass);
    if (why)
        remember(path, "%s", why);
    return why ? NULL : klass;
}

/* True when something of the library is used: then it stays loaded. */
static bool take_library(struct cel_dl *lib, const char *path)
{
    const void *(*defaults)(void) = (const void *(*)(void))cel_dl_function(lib, "NCZ_codec_info_defaults");
    const void *(*info)(void) = (const void *(*)(void))cel_dl_function(lib, "NCZ_get_codec_info");
    const struct cel_h5z_class *klass;
    const struct cel_ncz_codec *half = NULL;
    bool has_class, used;

    if (defaults)
        return add_defaults(defaults(), path);
    klass = class_of(lib, path, &has_class);
    if (info) {
        half = info();
        if (!half)
            remember(path, "NCZ_get_codec_info gives no codec");
    }
    if (klass && half && (unsigned)klass->id != half->hdf5id) {
        remember(path, "its filter has id %d, its codec %u: both are left out", klass->id, half->hdf5id);
        return false;
    }
    if (!has_class && !info)
        remember(path, "it is neither a filter nor a codec");
    used = klass && add_class(lib, path, klass);
    if (half)
        used |= add_half(half, path, false);
    return used;
}

static bool is_known_file(const char *path)
{
    for (size_t i = 0; i < plugins.files.n; i++)
        if (strcmp(plugins.files.at[i], path) == 0)
            return true;
    return false;
}

/* The loader names what it misses. */
static struct cel_dl *open_library(const char *path)
{
    struct cel_dl *lib = cel_dl_open(path);

    return !lib && strstr(cel_error_text(), " H5") && cel_outside_show_hdf5() ? cel_dl_open(path) : lib;
}

static void look_into(const char *path)
{
    struct cel_dl *lib;
    struct stat st;
    char *copy;

    if (is_known_file(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    copy = cel_strdup(path);
    if (!copy || cel_vec_add(&plugins.files, copy) != CEL_OK) {
        free(copy);
        return;
    }
    if (st.st_mode & S_IWOTH) {
        remember(path, "anybody may write this file, so it is not loaded");
        return;
    }
    lib = open_library(path);
    if (!lib)
        remember(path, "%s", cel_error_text());
    else if (!take_library(lib, path))
        cel_dl_close(lib);
}

/* --- directories ------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the libraries in a directory, sorted, so that "first" means the same everywhere. */
static void list_libraries(DIR *d, struct cel_vec *names)
{
    struct dirent *entry;

    while ((entry = readdir(d))) {
        char *name = is_library(entry->d_name) ? cel_strdup(entry->d_name) : NULL;

        if (name && cel_vec_add(names, name) != CEL_OK)
            free(name);
    }
    if (names->n > 0)
        qsort(names->at, names->n, sizeof *names->at, by_name);
}

static const char *refuse_dir(const char *dir)
{
    struct stat st;

    if (stat(dir, &st) != 0)
        return "the directory does not exist or cannot be reached";
    if (!S_ISDIR(st.st_mode))
        return "it is not a directory";
    if (st.st_mode & S_IWOTH)
        return "anybody may write to this directory, so nothing is loaded from it";
    return NULL;
}

static void search_dir(const char *dir)
{
    struct cel_vec names = {0};
    const char *why = dir[0] ? refuse_dir(dir) : "the entry is empty";
    DIR *d = why ? NULL : opendir(dir);

    if (!d) {
        remember(dir, "%s", why ? why : "the directory cannot be read");
        return;
    }
    list_libraries(d, &names);
    closedir(d);
    for (size_t i = 0; i < names.n; i++) {
        char path[4096];

        if (snprintf(path, sizeof path, "%s/%s", dir, (char *)names.at[i]) < (int)sizeof path)
            look_into(path);
        free(names.at[i]);
    }
    cel_vec_dispose(&names);
}

/* --- pairing ------------------------------------------------------------------------ */

/* On the match, and again on the first use after nc_finalize. */
static void initialize(struct cel_outside *o)
{
    if (!o->half || o->initialized)
        return;
    o->initialized = true;
    if (o->half->initialize)
        o->half->initialize();
}

static void try_pair(struct cel_outside *o, bool defaults)
{
    for (size_t i = 0; !o->half && i < plugins.halves.n; i++) {
        struct half *half = plugins.halves.at[i];

        if (half->is_default != defaults || half->codec->hdf5id != o->codec.hdf5_id)
            continue;
        cel_outside_pair(o, half->codec);
        half->used = true;
    }
}

/* A codec half without filter can do nothing; one for a built-in filter is not needed. */
static void note_unpaired(void)
{
    for (size_t i = 0; i < plugins.halves.n; i++) {
        struct half *half = plugins.halves.at[i];

        if (half->used || half->is_default)
            continue;
        remember(half->path, "its codec %s is for filter %u, %s", half->codec->codecid, half->codec->hdf5id,
                 cel_codec_by_id(half->codec->hdf5id) ? "which is built in"
                 : find_id(half->codec->hdf5id)       ? "which has another codec already"
                                                      : "for which no plugin was found");
        half->used = true; /* said once */
    }
}

static void pair_all(void)
{
    for (size_t i = 0; i < plugins.found.n; i++) {
        try_pair(plugins.found.at[i], false);
        try_pair(plugins.found.at[i], true);
        initialize(plugins.found.at[i]);
    }
    note_unpaired();
}

/* --- looking up ----------------------------------------------------------------------- */

#ifdef CEL_NO_PLUGIN_LOADING
#define LOADING false
#else
#define LOADING true
#endif

/* The lock is held. The thread's last error is none of the caller's business here. */
static void search(void)
{
    struct cel_status before;
    size_t n = 0, version = cel_plugin_path_version();
    char **dirs = NULL;

    if (!LOADING || cel_env_no_plugins() || (plugins.searched && plugins.version == version))
        return;
    cel_status_save(&before);
    if (cel_plugin_path_get(&n, &dirs) == CEL_OK) {
        for (size_t i = 0; i < n; i++)
            search_dir(dirs[i]);
        if (cel_plugin_built_in_dir()[0])
            search_dir(cel_plugin_built_in_dir());
        pair_all();
        plugins.searched = true;
        plugins.version = version;
    }
    cel_plugin_path_free(n, dirs);
    cel_status_restore(&before);
}

const struct cel_codec *cel_plugin_at(size_t i, const char **path)
{
    struct cel_outside *o;

    cel_lock(&plugins.lock);
    search();
    o = i < plugins.found.n ? plugins.found.at[i] : NULL;
    cel_unlock(&plugins.lock);
    if (!o)
        return NULL;
    *path = o->path;
    return &o->codec;
}

const struct cel_codec *cel_plugin_by_id(unsigned hdf5_id)
{
    struct cel_outside *o;

    cel_lock(&plugins.lock);
    search();
    o = find_id(hdf5_id);
    if (o)
        initialize(o);
    cel_unlock(&plugins.lock);
    return o ? &o->codec : NULL;
}

const struct cel_codec *cel_plugin_by_zarr(const char *codecid)
{
    const struct cel_codec *codec = NULL;

    cel_lock(&plugins.lock);
    search();
    for (size_t i = 0; !codec && i < plugins.found.n; i++) {
        struct cel_outside *o = plugins.found.at[i];

        if (!o->half || strcmp(o->half->codecid, codecid) != 0)
            continue;
        initialize(o);
        codec = &o->codec;
    }
    cel_unlock(&plugins.lock);
    return codec;
}

void cel_plugin_finalize(void)
{
    cel_lock(&plugins.lock);
    for (size_t i = 0; i < plugins.found.n; i++) {
        struct cel_outside *o = plugins.found.at[i];

        if (o->initialized && o->half->finalize)
            o->half->finalize();
        o->initialized = false;
    }
    cel_unlock(&plugins.lock);
}
