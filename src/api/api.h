/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_API_H
#define CEL_API_H

/* The steps of every nc_* call: find the objects for its ids and lock the dataset, make one
 * call to the layer below, unlock, and, after a failure, put the file and the variable in
 * front of the error message:
 *
 *     struct cel_call c;
 *     int rc = cel_call_var(&c, ncid, varid);
 *
 *     if (rc == CEL_OK)
 *         rc = cel_var_rename(c.var, name);
 *     return cel_call_end(&c, rc);
 *
 * During a call no other thread can close its dataset. Locks are taken in the order
 * variable, dataset, HDF5, so functions that lock a variable (array.h) are called after
 * cel_call_unlock(). */

#include "array.h"
#include "container.h"
#include "model.h"
#include "par.h"

struct cel_open; /* a row of the id table */

struct cel_call {
    struct cel_open *open; /* NULL: ended, or never begun */
    struct cel_dataset *ds;
    struct cel_group *group;
    struct cel_var *var; /* NULL: the call is about the group */
    bool locked;
    struct cel_call *outer; /* the call this thread was in already: a filter called the API; NULL: none */
};

/* --- api_id.c ------------------------------------------------------------------ */
int cel_call_begin(struct cel_call *c, int ncid);                   /* NC_EBADID */
int cel_call_named(struct cel_call *c, int ncid, const char *name); /* also NC_EINVAL: there is no name */
int cel_call_var(struct cel_call *c, int ncid, int varid);        /* also NC_ENOTVAR; the variable may not be loaded */
int cel_call_loaded_var(struct cel_call *c, int ncid, int varid); /* type, storage, filters and fill are known */
int cel_call_atts(struct cel_call *c, int ncid, int varid);       /* NC_GLOBAL too; attributes are loaded */
void cel_call_unlock(struct cel_call *c);
void cel_call_lock(struct cel_call *c);
/* Begins what all ranks do together, if they share the dataset: one rank's failure is the answer on all (par.h). */
int cel_call_meet(struct cel_call *c, int rc, enum cel_par_call call);
/* Ends it. */
int cel_call_share(struct cel_call *c, int rc);
void cel_call_grant(struct cel_call *c, bool anew); /* ... where data is in the file then */
int cel_call_end(struct cel_call *c, int rc);       /* harmless when the beginning failed */
/* A short call, to move one value: it finds nobody else in the dataset, calls nothing that could come back to the API, and
 * cannot fail. Only the lock, the dataset, the group and the variable. false: it is not so, and nothing was done; begin a whole one. */
bool cel_call_exclusive(struct cel_call *c, int ncid, int varid);
void cel_call_exclusive_end(struct cel_call *c);

/* What the container left for later. The dataset is locked. */
int cel_load_var(struct cel_var *var);
int cel_load_atts(struct cel_group *group, struct cel_var *var);
int cel_load_types(struct cel_dataset *ds);
int cel_find_type(struct cel_dataset *ds, nc_type xtype, const struct cel_type **out); /* loaded; NC_EBADTYPE */
struct cel_atts *cel_call_att_list(struct cel_call *c);

/* Of the group's dataset and the group. */
int cel_ncid(const struct cel_call *c, const struct cel_group *group);

/* Put a dataset into the table (NC_ENFILE), or remove it once no other call is in it. */
int cel_open_add(struct cel_dataset *ds, int *ncid);
int cel_open_remove(int ncid, struct cel_dataset **out);
struct cel_dataset *
cel_open_remove_any(const void *ops); /* one of that container, NULL of any, that is not in use; NULL: none
                                                           (left) of this process */
int cel_open_next(int ncid);          /* the next after it that is not in use, of this process; 0: none */
bool cel_open_has_writers(void);      /* whether a dataset is open for writing in a file */
int cel_open_next_writer(struct cel_file_id file, int ncid); /* as cel_open_next, of those in this file */

/* --- api_close.c ------------------------------------------------------------------ */
/* Before data is moved: define mode is left by itself, or it is NC_EINDEFINE. */
int cel_data_mode(struct cel_dataset *ds);

/* --- api_typed.c: ... and all else that a get or put of this region waits for (region.imap: may it have one?). */
int cel_call_ready(struct cel_call *c, const struct cel_region *region);

/* The same for a dataset whose ranks have met already. */
int cel_sync_met(struct cel_call *c);

/* --- api_par_mpi.c: NC_EINVAL where libcellar is loaded beside libcellar_mpi ------------------- */
#ifdef CELLAR_MPI
int cel_check_flavour(void);
#else
#define cel_check_flavour() CEL_OK
#endif

/* A container has opened a dataset: from now on forgotten ones are closed at exit. */
void cel_api_first_use(const struct cel_container_ops *ops);

/* --- api_fit.c: plugins that want to see the variable. The dataset is locked, and
 * let go meanwhile. */
int cel_fit_var(struct cel_call *c, struct cel_var *var);
int cel_fit_new(struct cel_call *c); /* all that were defined since the last save */

/* --- api_par_mpi.c: what the last sync left in a file that another rank writes. The call is not locked. */
int cel_get_from_file(struct cel_call *c, const struct cel_region *region, void *data, nc_type memtype);

/* --- api_setting.c: what holds for the whole process --------------------------------- */
struct cel_settings {
    int format; /* nc_set_default_format() */
    int align_threshold, alignment;
    size_t meta_block_size; /* nc_set_meta_block_size() */
    struct cel_cache_settings cache;
};
void cel_settings_get(struct cel_settings *out);

/* --- api_att.c: what the typed calls become. memtype NC_NAT: the attribute's own type --------- */
int cel_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t n, const void *data, nc_type memtype);
int cel_get_att(int ncid, int varid, const char *name, void *data, nc_type memtype);

/* --- api_rc.c --- */

/* --- answers ------------------------------------------------------------------------- */
void cel_output_name(char *out, const char *name); /* at most NC_MAX_NAME bytes; out may be NULL */
/* Set *out, unless the caller left it NULL. */
#define cel_output(out, value) ((out) ? (void)(*(out) = (value)) : (void)0)

#endif
