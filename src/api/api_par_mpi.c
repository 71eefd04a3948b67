/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets that ranks share: how they are made and opened, and how their variables are accessed. Rank 0 makes or opens the
 * file; the others have a dataset in memory with the same definitions, or one open for reading. Files that ranks write are not
 * locked: the lock of one rank would keep the others out. */
#include "api.h"
#include "dl.h"
#include "env.h"
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>

#define MPI_FLAGS 0x2000 /* NC_MPIIO: the default, and all there is */
#define MEMORY_FLAGS (NC_DISKLESS | NC_INMEMORY | NC_MMAP)

int cel_check_flavour(void)
{
    if (!cel_dl_is_loaded("libcellar.so"))
        return CEL_OK;
    return cel_fail(NC_EINVAL,
                    "libcellar and libcellar_mpi are both loaded in this process: link the program, and all it "
                    "uses, with libcellar_mpi alone");
}

static int check_arguments(const char *path, int mode, const int *ncidp)
{
    if (!path || !ncidp)
        return cel_fail(NC_EINVAL, "there is no path, or nowhere to put the id");
    return mode & MEMORY_FLAGS ? cel_fail(NC_EINVAL, "a dataset in memory is not shared by ranks: leave the flag out")
                               : CEL_OK;
}

static int meet_first(struct cel_par *par, const char *path, int mode, const int *ncidp)
{
    char text[4096];
    int rc = check_arguments(path, mode, ncidp);

    snprintf(text, sizeof text, "path %s, mode 0x%x", rc == CEL_OK ? path : "", (unsigned)mode);
    return cel_par_compare_text(par, rc, text);
}

/* --- create and open ----------------------------------------------------------------------------- */

/* On one rank, without a lock. */
static int start(const char *path, int mode, bool create, int *ncid)
{
    int rc;

    cel_env_set_unlocked(create || (mode & NC_WRITE));
    rc = create ? nc_create(path, mode, ncid) : nc_open(path, mode, ncid);
    cel_env_set_unlocked(false);
    return rc;
}

static int follow(const char *path, int mode, bool create, int *ncid)
{
    int rc;

    if (create)
        return start(path, mode | NC_DISKLESS, true, ncid);
    cel_env_set_unlocked((mode & NC_WRITE) != 0);
    rc = nc_open(path, mode & ~NC_WRITE, ncid);
    cel_env_set_unlocked(false);
    return rc;
}

static int load_all(struct cel_dataset *ds)
{
    int rc = cel_load_types(ds);

    for (size_t g = 0; rc == CEL_OK && g < ds->groups.n; g++) {
        struct cel_group *group = ds->groups.at[g];

        if (group)
            rc = cel_load_atts(group, NULL);
        for (size_t v = 0; group && rc == CEL_OK && v < group->vars.n; v++) {
            rc = cel_load_var(group->vars.at[v]);
            if (rc == CEL_OK)
                rc = cel_load_atts(group, group->vars.at[v]);
        }
    }
    return rc;
}

/* What the file has is known to every rank before one of them changes it. */
static int adopt(struct cel_par *par, int ncid, int mode, bool create)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && !create && (mode & NC_WRITE))
        rc = load_all(c.ds);
    if (rc == CEL_OK) {
        cel_par_adopt(par, c.ds);
        c.ds->mode = mode;
    }
    if (rc == CEL_OK && !create && (mode & NC_WRITE) && !cel_par_has_file(par))
        cel_par_follow(c.ds);
    return cel_call_end(&c, rc);
}

static void forget(struct cel_par *par, int ncid)
{
    struct cel_call c;
    struct cel_status why;

    cel_status_save(&why);
    if (cel_call_begin(&c, ncid) == CEL_OK)
        c.ds->par = NULL;
    cel_call_end(&c, CEL_OK);
    nc_abort(ncid);
    cel_par_free(par);
    cel_status_restore(&why);
}

static int begin(const char *path, int mode, bool create, MPI_Comm comm, MPI_Info info, int *ncidp)
{
    struct cel_par *par;
    int ncid = 0, rc;

    cel_error_clear();
    mode &= ~MPI_FLAGS;
    rc = cel_par_make(comm, info, &par);
    if (rc != CEL_OK)
        return rc;
    rc = meet_first(par, path, mode, ncidp);
    if (rc == CEL_OK)
        rc = cel_par_share(par, cel_par_has_file(par) ? start(path, mode, create, &ncid) : CEL_OK);
    if (rc == CEL_OK)
        cel_par_tell_file(par, path);
    if (rc == CEL_OK && !cel_par_has_file(par))
        rc = follow(path, mode, create, &ncid);
    if (rc == CEL_OK)
        rc = adopt(par, ncid, mode, create);
    rc = cel_par_share(par, rc);
    if (rc != CEL_OK)
        forget(par, ncid);
    else
        *ncidp = ncid;
    return rc;
}

int nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncidp)
{
    return begin(path, cmode, true, comm, info, ncidp);
}

int nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncidp)
{
    return begin(path, mode, false, comm, info, ncidp);
}

int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp)
{
    return nc_create_par(path, cmode, MPI_Comm_f2c(comm), MPI_Info_f2c(info), ncidp);
}

int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp)
{
    return nc_open_par(path, mode, MPI_Comm_f2c(comm), MPI_Info_f2c(info), ncidp);
}

/* --- access --------------------------------------------------------------------------------------- */

static int check_access(const struct cel_call *c, int access)
{
    bool filtered = c->ds->writable && c->var->chain.n;

    if (!cel_is_shared(c->ds))
        return cel_fail(NC_ENOPAR, "the dataset is not shared by ranks: open it with nc_open_par or nc_create_par");
    if (access != NC_INDEPENDENT && access != NC_COLLECTIVE && access != CELLAR_WHOLE_CHUNKS)
        return cel_fail(NC_EINVAL, "access %d is none of NC_INDEPENDENT, NC_COLLECTIVE and CELLAR_WHOLE_CHUNKS",
                        access);
    if (access == NC_INDEPENDENT && filtered)
        return cel_fail(NC_EINVAL, "a variable with filters is written by all ranks together: keep NC_COLLECTIVE, or "
                                   "say CELLAR_WHOLE_CHUNKS where each rank puts whole chunks");
    if (access == CELLAR_WHOLE_CHUNKS && filtered && c->var->layout.unchunked)
        return cel_fail(NC_EINVAL, "filtered elements of this type are written by all ranks together: keep "
                                   "NC_COLLECTIVE");
    return cel_par_prepare_access(c->var);
}

/* In data mode what was put so far can then be read by each rank. */
int nc_var_par_access(int ncid, int varid, int par_access)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = check_access(&c, par_access);
    rc = cel_call_meet(&c, rc, par_access == NC_COLLECTIVE ? CEL_PAR_COLLECTIVE : CEL_PAR_INDEPENDENT);
    if (rc == CEL_OK)
        cel_par_set_access(c.var, par_access == NC_COLLECTIVE);
    if (rc == CEL_OK && c.ds->writable && !c.ds->defining)
        rc = cel_sync_met(&c);
    return cel_call_end(&c, rc);
}

/* --- reading alone what rank 0 writes ------------------------------------------------------------ */

static int find_group(int ncid, const struct cel_group *group, int *out)
{
    struct cel_buf path = CEL_BUF_INIT((size_t)1 << 20);
    int rc = group->parent ? cel_group_path(group, &path) : CEL_OK;

    *out = ncid;
    if (rc == CEL_OK && group->parent)
        rc = cel_buf_add(&path, "", 1);
    if (rc == CEL_OK && group->parent)
        rc = nc_inq_grp_full_ncid(ncid, path.data, out);
    cel_buf_dispose(&path);
    return rc;
}

static int get_from(int ncid, const struct cel_var *own, const struct cel_region *region, void *data, nc_type memtype)
{
    struct cel_call c = {0};
    int group, varid, rc = find_group(ncid, own->group, &group);

    if (rc == CEL_OK)
        rc = nc_inq_varid(group, own->name, &varid);
    if (rc == CEL_OK)
        rc = cel_call_loaded_var(&c, group, varid);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_get_region(c.ds, c.var, region, data, memtype);
    }
    return cel_call_end(&c, rc);
}

int cel_get_from_file(struct cel_call *c, const struct cel_region *region, void *data, nc_type memtype)
{
    struct cel_first_failure first = {0};
    int ncid, rc = follow(c->ds->path, NC_WRITE, false, &ncid);

    if (rc != CEL_OK)
        return rc;
    cel_first_failure_note(&first, get_from(ncid, c->var, region, data, memtype));
    cel_first_failure_note(&first, nc_close(ncid));
    return cel_first_failure_restore(&first);
}
