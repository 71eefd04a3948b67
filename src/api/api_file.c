/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets: create, open, and what holds for one as a whole. A dataset is in the
 * id table only once its container has it. */
#include "api.h"
#include "trace.h"
#include <errno.h>
#include <netcdf_mem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_FLAGS (NC_DISKLESS | NC_INMEMORY | NC_MMAP)
#define SMALLEST_FILE 8 /* bytes: a shorter piece of memory holds no format */

/* --- making and opening ---------------------------------------------------------------- */

static void apply_settings(struct cel_dataset *ds, const struct cel_settings *set)
{
    ds->cache = set->cache;
}

static struct cel_file_id identify(const struct cel_location *at)
{
    struct stat st;

    if (at->in_memory || stat(at->path, &st) != 0)
        return (struct cel_file_id){0};
    return (struct cel_file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
}

/* Is it in data mode? A classic file keeps its own rules, those of NC_SHARE. */
static bool may_have_data(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);
    bool has = rc == CEL_OK && !c.ds->defining && !cel_is_classic_file(c.ds);

    cel_call_end(&c, rc);
    return has;
}

/* A second handle on a file sees what was put through the first: it is written before the second is opened. */
static int write_first(const struct cel_location *at)
{
    struct cel_file_id file = cel_open_has_writers() ? identify(at) : (struct cel_file_id){0};
    int ncid = file.inode ? cel_open_next_writer(file, 0) : 0, rc = CEL_OK;

    for (; rc == CEL_OK && ncid; ncid = cel_open_next_writer(file, ncid))
        if (may_have_data(ncid))
            rc = nc_sync(ncid);
    return rc;
}

static int give_up(struct cel_dataset *ds, int rc)
{
    struct cel_status why;

    cel_status_save(&why);
    if (ds->container)
        ds->ops->close(ds, false, NULL);
    cel_dataset_free(ds);
    cel_status_restore(&why);
    return rc;
}

static int begin_container(struct cel_dataset *ds, struct cel_where *where, bool create,
                           const struct cel_options *options)
{
    CEL_TRACE(CEL_TRACE_OPEN, .name = create ? "create" : NULL, .file = ds->path);
    return (create ? ds->ops->create : ds->ops->open)(ds, &where->at, options);
}

/* What create and open share once the location is known. */
static int start(const char *path, struct cel_where *where, int mode, bool create, int *ncidp)
{
    struct cel_settings set;
    struct cel_options options = {.mode = mode};
    const struct cel_container_ops *ops;
    struct cel_dataset *ds = NULL;
    int rc;

    cel_settings_get(&set);
    options.align_threshold = set.align_threshold;
    options.alignment = set.alignment;
    options.meta_block = set.meta_block_size;
    where->at.in_memory = where->at.in_memory || (mode & MEMORY_FLAGS);
    where->at.persist = (mode & NC_PERSIST) != 0;
    rc = cel_check_flavour();
    if (rc == CEL_OK)
        rc = cel_container_for(&where->at, &options, create, &ops);
    if (rc == CEL_OK)
        rc = cel_dataset_make(path, mode, &ds);
    if (rc != CEL_OK)
        return rc;
    ds->ops = ops;
    ds->features = ops->features;
    ds->writable = create || (mode & NC_WRITE);
    ds->defining = ds->created = create;
    apply_settings(ds, &set);
    rc = create ? CEL_OK : write_first(&where->at);
    if (rc == CEL_OK)
        rc = begin_container(ds, where, create, &options);
    if (rc == CEL_OK) {
        ds->file = identify(&where->at);
        cel_api_first_use(ops);
        rc = cel_open_add(ds, ncidp);
    }
    return rc == CEL_OK ? rc : give_up(ds, rc);
}

static int fail_path(int rc, const char *path)
{
    return rc == CEL_OK ? rc : cel_fail_at(rc, CEL_IN_FILE, "%s", path ? path : "(no path)");
}

/* The flags that say which format a dataset has: of its bytes, and of the model on top of them. */
static const int mode_flags[] = {
    [NC_FORMAT_64BIT_OFFSET] = NC_64BIT_OFFSET,
    [NC_FORMAT_NETCDF4] = NC_NETCDF4,
    [NC_FORMAT_NETCDF4_CLASSIC] = NC_NETCDF4,
    [NC_FORMAT_64BIT_DATA] = NC_64BIT_DATA,
};

static int mode_with_format(int mode)
{
    struct cel_settings set;

    cel_settings_get(&set);
    if (mode & CEL_MODE_FORMATS)
        return mode;
    return mode | mode_flags[set.format] | (set.format == NC_FORMAT_NETCDF4_CLASSIC ? NC_CLASSIC_MODEL : 0);
}

static int check_create_mode(int mode, const int *ncidp)
{
    return ncidp ? cel_mode_check_create(mode) : cel_fail(NC_EINVAL, "there is nowhere to put the id");
}

static int check_location(const struct cel_where *where, int mode)
{
    if ((mode & NC_NOCLOBBER) && where->at.exists && !((mode & NC_DISKLESS) && !(mode & NC_PERSIST)))
        return cel_fail(NC_EEXIST, "the file exists, and NC_NOCLOBBER says not to replace it");
    if (where->error && !where->at.exists)
        return cel_fail(mode & NC_NETCDF4 ? EACCES : where->error, "cannot create: %s", strerror(where->error));
    return CEL_OK;
}

static int create(const char *path, int mode, int *ncidp)
{
    struct cel_where where;
    int rc = check_create_mode(mode, ncidp);

    if (rc != CEL_OK)
        return fail_path(rc, path);
    rc = cel_where_init(path, &where);
    if (rc == CEL_OK)
        rc = check_location(&where, mode = mode_with_format(mode));
    if (rc == CEL_OK)
        rc = start(path, &where, mode, true, ncidp);
    cel_where_dispose(&where);
    return fail_path(rc, path);
}

int nc_create(const char *path, int cmode, int *ncidp)
{
    cel_error_clear();
    return create(path, cmode, ncidp);
}

/* Sizes are hints for classic files. */
int nc__create(const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int *ncidp)
{
    (void)initialsz, (void)chunksizehintp;
    return nc_create(path, cmode, ncidp);
}

int nc_create_mem(const char *path, int mode, size_t initialsize, int *ncidp)
{
    struct cel_where where;
    int rc;

    cel_error_clear();
    rc = check_create_mode(mode, ncidp);
    if (rc != CEL_OK)
        return fail_path(rc, path);
    rc = cel_where_in_memory(path, NULL, initialsize, &where);
    if (rc == CEL_OK)
        rc = start(path, &where, mode_with_format(mode | NC_INMEMORY), true, ncidp);
    cel_where_dispose(&where);
    return fail_path(rc, path);
}

static int check_open_mode(int mode, const int *ncidp)
{
    return ncidp ? cel_mode_check_open(mode) : cel_fail(NC_EINVAL, "there is nowhere to put the id");
}

static int check_there(const struct cel_where *where)
{
    if (where->error == ESPIPE)
        return cel_fail(where->error, "it is a pipe, and is not read: write what comes from it to a file first");
    if (where->error)
        return cel_fail(where->error, "cannot open: %s", strerror(where->error));
    if (!where->at.exists && !where->at.is_url)
        return cel_fail(ENOENT,
                        strstr(where->at.path, "#mode=")
                            ? "there is no such file; a name with #mode= must be a URL, such as file://NAME#mode=zarr"
                            : "there is no such file");
    return CEL_OK;
}

int nc_open(const char *path, int mode, int *ncidp)
{
    struct cel_where where;
    int rc;

    cel_error_clear();
    rc = check_open_mode(mode, ncidp);
    if (rc != CEL_OK)
        return fail_path(rc, path);
    rc = cel_where_init(path, &where);
    if (rc == CEL_OK)
        rc = check_there(&where);
    if (rc == CEL_OK)
        rc = cel_where_look_remote(&where);
    if (rc == CEL_OK)
        rc = start(path, &where, mode & ~CEL_MODE_FORMATS, false, ncidp);
    cel_where_dispose(&where);
    return fail_path(rc, path);
}

int nc__open(const char *path, int mode, size_t *chunksizehintp, int *ncidp)
{
    (void)chunksizehintp;
    return nc_open(path, mode, ncidp);
}

static int open_memory(const char *path, int mode, const NC_memio *info, int *ncidp)
{
    struct cel_where where = {.text = NULL};
    int rc;

    cel_error_clear();
    rc = check_open_mode(mode, ncidp);
    if (rc == CEL_OK && (!info || !info->memory || info->size < SMALLEST_FILE))
        rc = cel_fail(NC_EINVAL, "there is no memory to read, or too little of it to be a file");
    if (rc == CEL_OK && (mode & NC_MMAP))
        rc = cel_fail(NC_EINVAL, "NC_MMAP makes no sense for memory");
    if (rc == CEL_OK)
        rc = cel_where_in_memory(path, info->memory, info->size, &where);
    if (rc == CEL_OK) {
        where.at.memory_locked = (info->flags & NC_MEMIO_LOCKED) != 0;
        rc = start(path, &where, (mode & ~CEL_MODE_FORMATS) | NC_INMEMORY, false, ncidp);
    }
    cel_where_dispose(&where);
    return fail_path(rc, path);
}

int nc_open_mem(const char *path, int mode, size_t size, void *memory, int *ncidp)
{
    NC_memio info = {.size = size, .memory = memory, .flags = NC_MEMIO_LOCKED};

    if (mode & NC_WRITE)
        return cel_fail(NC_EINVAL, "nc_open_mem reads only: use nc_open_memio to change the file");
    return open_memory(path, mode, &info, ncidp);
}

int nc_open_memio(const char *path, int mode, NC_memio *info, int *ncidp)
{
    return open_memory(path, mode, info, ncidp);
}

/* Of folders only those that a format keeps its data in, so that nothing else is lost. */
static int delete_folder(const struct cel_location *at)
{
    static const struct cel_options none = {0};
    const struct cel_container_ops *ops;

    if (cel_container_for(at, &none, false, &ops) != CEL_OK || !ops->remove)
        return cel_fail(EISDIR, "it is a directory, and no Zarr store: remove it with the system's own means");
    return ops->remove(at);
}

int nc_delete(const char *path)
{
    struct cel_where where;
    int rc;

    cel_error_clear();
    rc = cel_where_init(path, &where);
    if (rc == CEL_OK)
        rc = check_there(&where);
    if (rc == CEL_OK && where.at.is_directory)
        rc = delete_folder(&where.at);
    else if (rc == CEL_OK && unlink(where.at.path) != 0)
        rc = cel_fail(errno, "cannot remove: %s", strerror(errno));
    cel_where_dispose(&where);
    return fail_path(rc, path);
}

/* --- of the dataset as a whole ------------------------------------------------------------ */

int nc_set_fill(int ncid, int fillmode, int *old_modep)
{
    struct cel_call c;
    int old, rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_mode_set_fill(c.ds, fillmode, &old);
    if (rc == CEL_OK)
        cel_output(old_modep, old);
    return cel_call_end(&c, rc);
}

int nc_inq_format(int ncid, int *formatp)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        cel_output(formatp, c.ds->format);
    return cel_call_end(&c, rc);
}

int nc_inq_format_extended(int ncid, int *formatp, int *modep)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK) {
        cel_output(formatp, c.ds->ops->formatx);
        cel_output(modep, c.ds->mode | mode_flags[c.ds->format]);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_path(int ncid, size_t *pathlen, char *path)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK) {
        cel_output(pathlen, strlen(c.ds->path));
        if (path)
            strcpy(path, c.ds->path); /* the caller asked for the length first */
    }
    return cel_call_end(&c, rc);
}

/* --- processing elements: there is only number 0 -------------------------------------------- */

static int only_pe0(int pe)
{
    return pe ? cel_fail(NC_EINVAL, "processing element %d: there is only 0", pe) : CEL_OK;
}

int nc__create_mp(const char *path, int cmode, size_t initialsz, int basepe, size_t *chunksizehintp, int *ncidp)
{
    int rc = only_pe0(basepe);

    return rc == CEL_OK ? nc__create(path, cmode, initialsz, chunksizehintp, ncidp) : rc;
}

int nc__open_mp(const char *path, int mode, int basepe, size_t *chunksizehintp, int *ncidp)
{
    int rc = only_pe0(basepe);

    return rc == CEL_OK ? nc__open(path, mode, chunksizehintp, ncidp) : rc;
}

int nc_delete_mp(const char *path, int basepe)
{
    int rc = only_pe0(basepe);

    return rc == CEL_OK ? nc_delete(path) : rc;
}

/* As in netCDF-C a dataset takes any number, and stays with 0. */
int nc_set_base_pe(int ncid, int pe)
{
    struct cel_call c;

    (void)pe;
    return cel_call_end(&c, cel_call_begin(&c, ncid));
}

int nc_inq_base_pe(int ncid, int *pe)
{
    int rc = nc_set_base_pe(ncid, 0);

    if (rc == CEL_OK)
        cel_output(pe, 0);
    return rc;
}
