/* Files: made, opened, flushed and closed. We open the file ourselves, so that a
 * refusal has the system's own reason, and hand it to libhdf5 through our
 * driver. A create that fails takes away what it made; what was there before and
 * was not yet emptied stays. */
#include "disk.h"
#include "env.h"
#include "h5_int.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf_meta.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the bytes ------------------------------------------------------------------ */

static int os_code(int e, bool create)
{
    static const struct {
        int e, code;
    } map[] = {{ENOENT, NC_ENOTFOUND}, {EEXIST, NC_EEXIST}, {EACCES, NC_EPERM},
               {EPERM, NC_EPERM},      {EROFS, NC_EPERM},   {ENOMEM, NC_ENOMEM}};
    size_t i;

    for (i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].e == e && !(create && e == ENOENT))
            return map[i].code;
    return create ? NC_ECANTCREATE : NC_ECANTREAD;
}

static int check_regular(struct cel_h5_io *io, const char *path)
{
    struct stat st;

    if (fstat(io->fd, &st) != 0)
        return cel_fail(NC_ECANTREAD, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return cel_fail(NC_EINVAL, "%s is not a regular file", path);
    io->eof = (uint64_t)st.st_size;
    return CEL_OK;
}

/* An existing file is emptied only later, by the driver, when libhdf5 does not
 * have it open itself; another process that has it open keeps us out by its lock. */
static int create_fd(struct cel_h5_io *io, const char *path, bool clobber, bool *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc;

    *made = fd >= 0;
    if (!*made && errno == EEXIST && clobber)
        fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return cel_fail(os_code(errno, true), "%s cannot be created: %s", path, strerror(errno));
    rc = cel_h5_io_set_file(io, fd);
    if (rc == CEL_OK)
        rc = check_regular(io, path);
    if (rc == CEL_OK && cel_env_file_locking() && flock(io->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        rc = cel_fail(NC_EHDFERR, "%s cannot be created: another process has it open", path);
    return rc;
}

/* Nobody else may be at it, also none of this process; then what the last writer left is complete or is not. */
int cel_h5_io_recover(struct cel_h5_io *io)
{
    int mine = io->writable ? LOCK_EX : LOCK_SH;

    if (cel_h5_deferred_is_shared(io->deferred))
        return CEL_OK;
    if (cel_env_file_locking() && flock(io->fd, mine | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return CEL_OK; /* libhdf5 will say so */
    return cel_h5_recover(io->deferred, io->fd, io->path, io->writable);
}

static int open_fd(struct cel_h5_io *io, const char *path, bool writable)
{
    int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC), rc;

    if (fd < 0)
        return cel_fail(os_code(errno, false), "%s cannot be opened%s: %s", path, writable ? " for writing" : "",
                        strerror(errno));
    rc = cel_h5_io_set_file(io, fd);
    if (rc == CEL_OK)
        rc = check_regular(io, path);
    if (rc == CEL_OK)
        rc = cel_h5_io_recover(io);
    if (rc == CEL_OK)
        io->eof = io->deferred->end;
    return rc;
}

static int create_memory(struct cel_h5_io *io, const struct cel_location *where)
{
    io->cap = where->memory_size;
    io->data = cel_calloc(io->cap ? io->cap : 1, 1);
    return io->data ? CEL_OK : NC_ENOMEM;
}

/* The file is read through an io of its own, as what the last writer left may stand beside it. */
static int slurp(struct cel_h5_io *io, const char *path)
{
    struct cel_h5_io *file;
    int rc = cel_h5_io_make(path, &file);

    if (rc != CEL_OK)
        return rc;
    rc = open_fd(file, path, false);
    if (rc == CEL_OK) {
        io->eof = io->cap = (size_t)file->eof;
        io->data = cel_malloc(io->cap);
        rc = io->data ? cel_h5_io_read(file, 0, io->data, io->cap) : NC_ENOMEM;
    }
    cel_h5_io_release(file);
    return rc;
}

static int open_io(struct cel_h5_io *io, const struct cel_location *where)
{
    if (where->memory) {
        io->data = where->memory;
        io->eof = io->cap = where->memory_size;
        io->fixed = true; /* the caller's until the file is open */
        return CEL_OK;
    }
    return where->in_memory ? slurp(io, where->path) : open_fd(io, where->path, io->writable);
}

/* The finished bytes go to disk under the file's name. */
static int write_out(const struct cel_h5_io *io, const char *path)
{
    FILE *out = fopen(path, "wb");
    bool ok;

    if (!out)
        return cel_fail(os_code(errno, true), "%s cannot be created: %s", path, strerror(errno));
    ok = io->eof == 0 || fwrite(io->data, 1, (size_t)io->eof, out) == io->eof;
    ok = ok && fflush(out) == 0 && (errno = cel_disk_sync(fileno(out))) == 0;
    if (fclose(out) == 0 && ok && (errno = cel_disk_sync_folder(path)) == 0)
        return CEL_OK;
    cel_fail(NC_ECANTWRITE, "%s cannot be written: %s", path, strerror(errno));
    unlink(path);
    return NC_ECANTWRITE;
}

/* --- property lists ------------------------------------------------------------------ */

static int access_list(struct cel_h5_io *io, const struct cel_options *options, hid_t *out)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    int rc = CEL_OK;

    *out = fapl;
    if (fapl < 0 || H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "no file access list");
#if H5_VERSION_GE(1, 14, 4) /* refuses numbers of few bits in many bytes, which are what nbit is for */
    if (rc == CEL_OK && H5Pset_relax_file_integrity_checks(fapl, H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS) < 0)
        rc = cel_h5_fail(NC_EHDFERR, "no file access list");
#endif
    if (rc == CEL_OK && options->alignment > 0 &&
        H5Pset_alignment(fapl, (hsize_t)options->align_threshold, (hsize_t)options->alignment) < 0)
        rc = cel_h5_fail(NC_EINVAL, "alignment %d", options->alignment);
    return rc == CEL_OK ? cel_h5_driver_set(fapl, io) : rc;
}

static hid_t creation_list(void)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

    if (fcpl >= 0 && (H5Pset_obj_track_times(fcpl, 0) < 0 || H5Pset_link_creation_order(fcpl, order) < 0 ||
                      H5Pset_attr_creation_order(fcpl, order) < 0)) {
        H5Pclose(fcpl);
        return -1;
    }
    return fcpl;
}

/* --- making and opening ------------------------------------------------------------------ */

static int make_file(struct cel_dataset *ds, bool writable, struct cel_h5_file **out)
{
    struct cel_h5_file *f = cel_calloc(1, sizeof *f);
    int rc;

    if (!f)
        return NC_ENOMEM;
    f->ds = ds;
    f->id = f->string_type = -1;
    rc = cel_h5_io_make(ds->path, &f->io);
    if (rc != CEL_OK) {
        free(f);
        return rc;
    }
    f->io->writable = ds->writable = writable;
    ds->container = *out = f;
    return CEL_OK;
}

/* Under the lock, unless libhdf5 has never heard of the file. */
static int close_inside(struct cel_h5_file *f)
{
    int rc = CEL_OK;

    cel_h5_privs_free(f->ds);
    if (f->string_type >= 0)
        H5Tclose(f->string_type);
    f->io->closing = true;
    if (f->id >= 0 && H5Fclose(f->id) < 0) {
        rc = cel_h5_fail(NC_EHDFERR, "the file could not be finished");
        cel_h5_io_unlock(f->io); /* libhdf5 keeps it half open, and would keep others out until the process ends */
    }
    f->io->closing = false;
    if (rc == CEL_OK && f->io->lost)
        rc = cel_fail(NC_EHDFERR, "the file could not be finished: %s", strerror(f->io->lost));
    if (rc == CEL_OK && f->id >= 0 && (rc = cel_h5_io_commit(f->io)) != CEL_OK)
        rc = cel_h5_io_commit(f->io); /* there is no later sync to try again */
    return rc == CEL_OK ? cel_h5_others_failed() : rc;
}

/* Until cel_h5_deferred_resume(): no chunk of anybody in this process is on its way to the file. */
static bool stop_others(const struct cel_h5_file *f)
{
    if (!f->io->deferred || !f->io->writable || cel_h5_io_foreign(f->io))
        return false;
    cel_h5_deferred_pause(f->io->deferred);
    return true;
}

/* libhdf5 lets go of the bytes, and so do we. */
static int drop_file(struct cel_h5_file *f)
{
    struct cel_h5_entry entry;
    bool known = f->id >= 0 || f->string_type >= 0, shared = stop_others(f);
    int rc = known ? cel_h5_enter(&entry) : CEL_OK;

    f->ds->container = NULL;
    if (rc == CEL_OK)
        rc = close_inside(f);
    else
        known = false;
    if (known)
        cel_h5_leave(&entry);
    if (shared)
        cel_h5_deferred_resume(f->io->deferred);
    return rc;
}

static int make_root_priv(struct cel_h5_file *f)
{
    hid_t root = H5Gopen2(f->id, "/", H5P_DEFAULT);

    if (root < 0)
        return cel_h5_fail(NC_EHDFERR, "the root group cannot be opened");
    return cel_h5_group_make_priv(f->ds->root, root, cel_h5_addr_of(root));
}

/* The root's place is there already where it was found without libhdf5. */
static int settle_in(struct cel_h5_file *f)
{
    f->string_type = H5Tcopy(H5T_C_S1);
    if (f->string_type < 0 || H5Tset_size(f->string_type, H5T_VARIABLE) < 0 ||
        H5Tset_cset(f->string_type, H5T_CSET_UTF8) < 0)
        return cel_h5_fail(NC_EHDFERR, "no type for strings");
    return f->ds->root->priv ? CEL_OK : make_root_priv(f);
}

static int write_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    int rc = NC_EHDFERR;

    if (type >= 0 && H5Tset_size(type, strlen(text)) >= 0)
        rc = cel_h5_att_write(object, name, type, type, 0, NULL, text);
    H5Tclose(type);
    return rc;
}

/* Who made the file, in the form netCDF-C gives it; its readers look for the
 * keys netcdf and hdf5, so those stay. */
static int write_properties(struct cel_h5_file *f)
{
    hid_t root = cel_h5_group_id(f->ds->root);
    unsigned major, minor, release;
    char text[128];
    int one = 1, rc;

    H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "version=2,netcdf=%s,hdf5=%u.%u.%u,cellar=%s", NC_VERSION, major, minor, release,
             CELLAR_VERSION);
    rc = write_text(root, "_NCProperties", text);
    if (rc == CEL_OK && f->ds->classic_model)
        rc = cel_h5_att_write(root, "_nc3_strict", H5T_NATIVE_INT, H5T_NATIVE_INT, 0, NULL, &one);
    return rc;
}

static int create_inside(struct cel_h5_file *f, const struct cel_options *options)
{
    hid_t fapl = -1, fcpl = creation_list();
    int rc = access_list(f->io, options, &fapl);

    if (rc == CEL_OK) {
        f->id = H5Fcreate(f->ds->path, H5F_ACC_TRUNC, fcpl, fapl);
        if (f->id < 0)
            rc = cel_h5_fail(NC_EHDFERR, "%s cannot be created", f->ds->path);
    }
    H5Pclose(fapl);
    H5Pclose(fcpl);
    if (rc == CEL_OK)
        rc = cel_h5_filters_offer();
    if (rc == CEL_OK)
        rc = settle_in(f);
    return rc == CEL_OK ? write_properties(f) : rc;
}

/* What a writer that was killed left behind the end that the file's superblock knows is nobody's. */
static void note_live_end(struct cel_h5_io *io)
{
    if (io->deferred && io->writable && !cel_h5_deferred_is_shared(io->deferred) && io->eoa < io->deferred->synced)
        io->deferred->synced = io->eoa;
}

static int start_with(struct cel_h5_file *f, const struct cel_options *options)
{
    hid_t fapl = -1;
    int rc = access_list(f->io, options, &fapl);

    if (rc == CEL_OK) {
        f->id = H5Fopen(f->ds->path, f->io->writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl);
        if (f->id < 0)
            rc = cel_h5_fail(NC_EHDFERR, "it cannot be opened as an HDF5 file");
    }
    H5Pclose(fapl);
    if (rc == CEL_OK)
        note_live_end(f->io);
    if (rc == CEL_OK)
        rc = cel_h5_filters_offer();
    return rc == CEL_OK ? settle_in(f) : rc;
}

/* After a failure libhdf5 has it still closed, and may be asked again. */
int cel_h5_file_start(struct cel_h5_file *f)
{
    static const struct cel_options none = {0};
    int rc;

    if (f->id >= 0)
        return CEL_OK;
    rc = start_with(f, &none);
    if (rc == CEL_OK)
        return rc;
    if (f->string_type >= 0)
        H5Tclose(f->string_type);
    if (f->id >= 0)
        H5Fclose(f->id);
    f->id = f->string_type = -1;
    return rc;
}

/* A file that nobody is writing needs libhdf5 only for what is unusual in it. The lock is the one libhdf5
 * would take, and who has the file open for writing, in this process too, holds another. */
static bool nobody_writes(const struct cel_h5_io *io)
{
    return !io->writable && (io->fd < 0 || (cel_env_file_locking() && flock(io->fd, LOCK_SH | LOCK_NB) == 0));
}

static int open_directly(struct cel_h5_file *f)
{
    struct cel_h5r_source source = cel_h5_io_source(f->io);
    int rc = nobody_writes(f->io) ? cel_h5r_open(&source, &f->read) : CEL_ASK_LIBHDF5;

    if (rc != CEL_OK)
        return rc;
    f->own_reader = true;
    rc = cel_h5_group_make_priv(f->ds->root, -1, f->read.root);
    return rc == CEL_OK ? cel_h5_load(f->ds) : rc;
}

static int open_inside(struct cel_h5_file *f, const struct cel_options *options)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_enter(&entry);

    if (rc != CEL_OK)
        return rc;
    rc = start_with(f, options);
    if (rc == CEL_OK)
        rc = cel_h5_load(f->ds);
    cel_h5_leave(&entry);
    return rc;
}

/* After a failure: close what is open, and say the first reason. */
static int give_up(struct cel_h5_file *f, int rc)
{
    struct cel_status why;

    cel_status_save(&why);
    drop_file(f);
    cel_h5_io_release(f->io);
    free(f);
    cel_status_restore(&why);
    return rc;
}

static int check_new(const struct cel_location *where, const struct cel_options *options)
{
    if (where->in_memory && where->persist && (options->mode & NC_NOCLOBBER) && access(where->path, F_OK) == 0)
        return cel_fail(NC_EEXIST, "%s exists already", where->path);
    return CEL_OK;
}

int cel_h5_create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct cel_h5_entry entry;
    struct cel_h5_file *f;
    bool made = false;
    int rc = check_new(where, options);

    if (rc == CEL_OK)
        rc = make_file(ds, true, &f);
    if (rc != CEL_OK)
        return rc;
    f->made = !where->in_memory;
    f->persist = where->in_memory && where->persist;
    f->io->fresh = true;
    ds->classic_model = options->mode & NC_CLASSIC_MODEL;
    ds->format = ds->classic_model ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4;
    rc = where->in_memory ? create_memory(f->io, where)
                          : create_fd(f->io, where->path, !(options->mode & NC_NOCLOBBER), &made);
    if (rc == CEL_OK)
        rc = cel_h5_enter(&entry);
    if (rc == CEL_OK) {
        rc = create_inside(f, options);
        cel_h5_leave(&entry);
    }
    if (rc == CEL_OK && f->io->deferred)
        rc = cel_h5_start_anew(f->io->deferred, where->path);
    if (rc == CEL_OK)
        return CEL_OK;
    if (made || f->io->emptied)
        unlink(where->path);
    return give_up(f, rc);
}

int cel_h5_open(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct cel_h5_file *f;
    int rc = make_file(ds, options->mode & NC_WRITE, &f);

    if (rc != CEL_OK)
        return rc;
    f->persist = where->in_memory && !where->memory && where->persist && ds->writable;
    rc = open_io(f->io, where);
    if (rc == CEL_OK)
        rc = open_directly(f);
    if (rc == CEL_ASK_LIBHDF5)
        rc = open_inside(f, options);
    if (rc != CEL_OK)
        return give_up(f, rc);
    f->io->fixed = where->memory && where->memory_locked;
    return CEL_OK;
}

/* --- flushing and closing --------------------------------------------------------------------- */

static int flush_inside(struct cel_h5_file *f)
{
    if (H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0)
        return cel_h5_fail(NC_EHDFERR, "%s could not be flushed", f->ds->path);
    return cel_h5_io_commit(f->io);
}

/* Chunks placed in the file all have their bytes, and stay where they are. */
static int sync_inside(struct cel_dataset *ds)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    int rc = ds->writable ? cel_h5_extend_coordinates(ds) : CEL_OK;

    if (rc == CEL_OK)
        rc = flush_inside(f);
    return rc == CEL_OK && ds->writable ? cel_h5_others_flush(ds) : rc;
}

int cel_h5_sync(struct cel_dataset *ds)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_entry entry;
    bool stopped = stop_others(f);
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc == CEL_OK) {
        rc = sync_inside(ds);
        cel_h5_synced_forget(ds);
        cel_h5_leave(&entry);
    }
    if (stopped)
        cel_h5_deferred_resume(f->io->deferred);
    return rc;
}

/* --- while chunks move ------------------------------------------------------------------------- */

void cel_h5_chunk_io_begin(struct cel_dataset *ds)
{
    const struct cel_h5_io *io = cel_h5_file(ds)->io;

    if (io->deferred && io->writable && !cel_h5_io_foreign(io))
        cel_h5_deferred_begin(io->deferred);
}

void cel_h5_chunk_io_end(struct cel_dataset *ds)
{
    const struct cel_h5_io *io = cel_h5_file(ds)->io;

    if (io->deferred && io->writable && !cel_h5_io_foreign(io))
        cel_h5_deferred_end(io->deferred);
}

/* What is held back goes to the file, as a sync would have it, when it has become much. */
int cel_h5_flush_deferred(struct cel_dataset *ds)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_entry entry;
    bool stopped = stop_others(f);
    int rc = cel_h5_enter_file(ds, &entry);

    if (rc == CEL_OK) {
        rc = flush_inside(f);
        cel_h5_synced_forget(ds);
        cel_h5_leave(&entry);
    }
    if (stopped)
        cel_h5_deferred_resume(f->io->deferred);
    return rc;
}

bool cel_h5_is_full(struct cel_dataset *ds)
{
    struct cel_h5_deferred *h = cel_h5_file(ds)->io->deferred;

    return h && cel_h5_deferred_is_full(h);
}

static void hand_over(struct cel_h5_io *io, struct cel_memory *memory)
{
    memory->data = io->data;
    memory->size = (size_t)io->eof;
    io->data = NULL;
    io->cap = 0;
    io->eof = 0;
}

int cel_h5_close(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct cel_h5_file *f = cel_h5_file(ds);
    struct cel_h5_entry entry;
    int rc = CEL_OK, rc2;

    if (!f)
        return CEL_OK;
    if (keep && ds->writable && !cel_h5_io_foreign(f->io)) {
        rc = cel_h5_enter(&entry);
        if (rc == CEL_OK) {
            rc = cel_h5_extend_coordinates(ds);
            cel_h5_leave(&entry);
        }
    }
    rc2 = drop_file(f);
    rc = rc == CEL_OK ? rc2 : rc;
    if (keep && rc == CEL_OK && memory && f->io->fd < 0)
        hand_over(f->io, memory);
    else if (keep && rc == CEL_OK && f->persist)
        rc = write_out(f->io, ds->path);
    if (!keep && f->made)
        unlink(ds->path);
    rc2 = cel_h5_io_release(f->io);
    if (rc2 && rc == CEL_OK)
        rc = cel_fail(NC_EHDFERR, "%s could not be closed: %s", ds->path, strerror(rc2));
    free(f);
    return rc;
}

/* --- facts --------------------------------------------------------------------------------------- */

static int superblock_version(const struct cel_h5_file *f, struct cel_fact *out)
{
    H5F_info2_t info;

    if (H5Fget_info2(f->id, &info) < 0)
        return cel_h5_fail(NC_EHDFERR, "_SuperblockVersion");
    out->number = (int)info.super.version;
    return CEL_OK;
}

/* netCDF-C's rule: a mark of its own in the root group, or two of the kind that
 * only its files are full of. */
static int is_netcdf4(const struct cel_h5_file *f, struct cel_fact *out)
{
    hid_t root = cel_h5_group_id(f->ds->root);

    out->number = H5Aexists(root, "_NCProperties") > 0 || H5Aexists(root, "_nc3_strict") > 0 || f->marks > 1;
    return CEL_OK;
}

static int properties(const struct cel_h5_file *f, struct cel_fact *out)
{
    hid_t root = cel_h5_group_id(f->ds->root), att, type = -1;
    size_t n;
    int rc = CEL_ABSENT;

    if (H5Aexists(root, "_NCProperties") <= 0)
        return CEL_ABSENT;
    att = H5Aopen(root, "_NCProperties", H5P_DEFAULT);
    type = H5Aget_type(att);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        n = H5Tget_size(type);
        out->text = cel_calloc(n + 1, 1);
        rc = !out->text                          ? NC_ENOMEM
             : H5Aread(att, type, out->text) < 0 ? cel_h5_fail(NC_EHDFERR, "_NCProperties cannot be read")
                                                 : CEL_OK;
    }
    H5Tclose(type);
    H5Aclose(att);
    if (rc != CEL_OK) {
        free(out->text);
        out->text = NULL;
    }
    return rc;
}

int cel_h5_fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    static const struct {
        const char *name;
        int (*get)(const struct cel_h5_file *f, struct cel_fact *out);
    } facts[] = {{"_SuperblockVersion", superblock_version}, {"_IsNetcdf4", is_netcdf4}, {"_NCProperties", properties}};
    struct cel_h5_entry entry;
    size_t i;
    int rc;

    *out = (struct cel_fact){0};
    for (i = 0; i < sizeof facts / sizeof *facts && strcmp(facts[i].name, name) != 0; i++)
        ;
    if (var || i == sizeof facts / sizeof *facts)
        return CEL_ABSENT;
    rc = cel_h5_enter_file(ds, &entry);
    if (rc != CEL_OK)
        return rc;
    rc = facts[i].get(cel_h5_file(ds), out);
    cel_h5_leave(&entry);
    return rc;
}
