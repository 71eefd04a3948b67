/* SPDX-License-Identifier: BSD-3-Clause */
/* Files made and opened: through libhdf5 over our driver or, for reading, mostly without it. A create that fails
 * removes what it made; a file that was there before and was not yet emptied stays. */
#include "env.h"
#include "h5_int.h"
#include <netcdf_meta.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

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
    if (rc == CEL_OK && options->meta_block > 0 && H5Pset_meta_block_size(fapl, (hsize_t)options->meta_block) < 0)
        rc = cel_h5_fail(NC_EINVAL, "metadata in blocks of %zu bytes", options->meta_block);
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

static int make_root_priv(struct cel_h5_file *f)
{
    hid_t root = H5Gopen2(f->id, "/", H5P_DEFAULT);

    if (root < 0)
        return cel_h5_fail(NC_EHDFERR, "the root group cannot be opened");
    return cel_h5_group_make_priv(f->ds->root, root, cel_h5_addr_of(root));
}

/* The root group is known already where it was found without libhdf5. */
static int finish_start(struct cel_h5_file *f)
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
            rc = cel_h5_fail(NC_EHDFERR, "it cannot be created");
    }
    H5Pclose(fapl);
    H5Pclose(fcpl);
    if (rc == CEL_OK)
        rc = cel_h5_filters_offer();
    if (rc == CEL_OK)
        rc = finish_start(f);
    return rc == CEL_OK ? write_properties(f) : rc;
}

/* Bytes behind the end that the superblock knows were left by a writer that was killed: they may be overwritten. */
static void note_synced_end(struct cel_h5_io *io)
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
        note_synced_end(f->io);
    if (rc == CEL_OK)
        rc = cel_h5_filters_offer();
    return rc == CEL_OK ? finish_start(f) : rc;
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

/* The lock is the one libhdf5 would take; a writer, in this process too, holds one that excludes it. */
static bool nobody_writes(const struct cel_h5_io *io)
{
    return !io->writable && (io->fd < 0 || (cel_env_file_locking() && flock(io->fd, LOCK_SH | LOCK_NB) == 0));
}

static int open_directly(struct cel_h5_file *f)
{
    int rc = nobody_writes(f->io) ? cel_h5r_cache_make(&f->io->source, &f->cache) : CEL_ASK_LIBHDF5;

    if (rc == CEL_OK)
        rc = cel_h5r_open(f->cache, &f->read);
    if (rc != CEL_OK)
        return rc;
    f->own_reader = true;
    f->att_left = cel_h5r_most_of_heap(&f->read);
    rc = cel_h5_group_make_priv(f->ds->root, -1, f->read.root);
    return rc == CEL_OK ? cel_h5_load(f->ds) : rc;
}

int cel_h5_reader(struct cel_h5_file *f, uint64_t *addr, struct cel_h5r_reader **out)
{
    const struct cel_h5_outside *o = cel_h5_outside_at(f, *addr);
    int rc = CEL_OK;

    if (!f->own_reader || !*addr || (cel_h5_is_in_other_file(*addr) && !o))
        return CEL_ASK_LIBHDF5;
    if (o) {
        *out = o->reader;
        *addr = cel_h5_unmarked(*addr);
        return CEL_OK;
    }
    if (!f->reader)
        rc = cel_h5r_reader_make(&f->read, &f->reader);
    *out = f->reader;
    return rc;
}

static int open_inside(struct cel_h5_file *f, const struct cel_options *options)
{
    struct cel_h5_entry entry;
    int rc = cel_h5_refuse_untrusted(f->ds);

    if (rc == CEL_OK)
        rc = cel_h5_enter(&entry);
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
    cel_h5_file_drop(f);
    cel_h5_outsides_free(f);
    cel_h5_io_release(f->io);
    cel_h5r_reader_free(f->reader);
    cel_source_close(f->cache);
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
    rc = cel_h5_io_create(f->io, where, !(options->mode & NC_NOCLOBBER), &made);
    if (rc == CEL_OK)
        rc = cel_h5_enter(&entry);
    if (rc == CEL_OK) {
        rc = create_inside(f, options);
        cel_h5_leave(&entry);
    }
    if (rc == CEL_OK && f->io->deferred)
        rc = cel_h5_commit_new_file(f->io->deferred, where->path);
    if (rc == CEL_OK)
        return CEL_OK;
    if (made || f->io->emptied)
        unlink(where->path);
    return give_up(f, rc);
}

/* A file that is written is libhdf5's as a whole. */
static int check_trusted(const struct cel_location *where, const struct cel_options *options)
{
    if (!(options->mode & NC_WRITE) || !cel_env_untrusted())
        return CEL_OK;
    return cel_fail(NC_EPERM, "%s is not trusted: open it for reading, or turn untrusted mode off", where->path);
}

int cel_h5_open(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct cel_h5_file *f;
    int rc = check_trusted(where, options);

    if (rc == CEL_OK)
        rc = make_file(ds, options->mode & NC_WRITE, &f);
    if (rc != CEL_OK)
        return rc;
    f->persist = where->in_memory && !where->memory && where->persist && ds->writable;
    rc = cel_h5_io_open(f->io, where);
    if (rc == CEL_OK)
        rc = open_directly(f);
    if (rc == CEL_ASK_LIBHDF5)
        rc = open_inside(f, options);
    if (rc != CEL_OK)
        return give_up(f, rc);
    f->io->fixed = where->memory && where->memory_locked;
    return CEL_OK;
}
