/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_PAR_H
#define CEL_PAR_H

/* Datasets that the ranks of a communicator share. Rank 0 alone has the file; every rank has the same definitions in
 * memory. All of this is collective where it does not say otherwise, and called without the dataset's lock.
 * docs/mpi.md has the protocol and what it costs. In a library without MPI no dataset is shared. */

#include "array.h"

struct cel_par;

/* What a rank is about to do: ranks that meet must all be in the same. */
enum cel_par_call {
    CEL_PAR_SHARE,
    CEL_PAR_COLLECTIVE,
    CEL_PAR_INDEPENDENT,
    CEL_PAR_ENDDEF,
    CEL_PAR_REDEF,
    CEL_PAR_SYNC,
    CEL_PAR_PUT,
    CEL_PAR_GET,
    CEL_PAR_CLOSE, /* from here on the rank leaves */
    CEL_PAR_ABORT
};

/* cel_par_get(): this rank has to read the file through a dataset of its own, as it is since the last sync. */
#define CEL_PAR_READ_FILE 3

#ifdef CELLAR_MPI
#include <mpi.h>

#define cel_is_shared(ds) ((ds) && (ds)->par)

int cel_par_make(MPI_Comm comm, MPI_Info info, struct cel_par **out); /* duplicates both */
void cel_par_free(struct cel_par *par);
bool cel_par_has_file(const struct cel_par *par); /* is this rank 0? Not collective */
void cel_par_adopt(struct cel_par *par, struct cel_dataset *ds);
/* A dataset of another rank than 0 that was opened only for reading: definitions change in memory alone. Not collective. */
void cel_par_follow(struct cel_dataset *ds);
int cel_par_compare_text(struct cel_par *par, int rc, const char *text); /* do all ranks say the same? */
void cel_par_tell_file(struct cel_par *par, const char *path);           /* rank 0 has it: others may write to it */
void cel_par_note_definitions(struct cel_par *par);                      /* they were not compared. Not collective */
/* Not collective: memory for the second, which cannot fail then. */
int cel_par_prepare_access(const struct cel_var *var);
void cel_par_set_access(struct cel_var *var, bool collective);
bool cel_par_is_collective(const struct cel_var *var); /* not collective */

/* Begins a collective call: rc says how this rank's own checks ended; one rank's failure is the answer on all. Puts that
 * ranks made alone are carried out. var: what it is about, or NULL. */
int cel_par_meet(struct cel_dataset *ds, int rc, enum cel_par_call call, const struct cel_var *var);
/* Ends one that leaves what was put in the file: ranks may then move by themselves what rank 0 gives a place for. anew: what
 * was given before holds no more. */
void cel_par_grant(struct cel_dataset *ds, bool anew);
/* Ends one: the failure of the lowest rank is the answer on every rank that had none itself. */
int cel_par_share(struct cel_par *par, int rc);

/* Collective or not, as nc_var_par_access() said. rc as for cel_par_meet; var NULL: there is none, and rc says so: that
 * is collective where any variable is. */
int cel_par_put(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, const void *data,
                nc_type memtype, int rc);
int cel_par_get(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region, void *data,
                nc_type memtype, int rc);

#else

#define cel_is_shared(ds) false

static inline bool cel_par_has_file(const struct cel_par *par)
{
    (void)par;
    return true;
}

static inline void cel_par_free(struct cel_par *par)
{
    (void)par;
}

static inline void cel_par_note_definitions(struct cel_par *par)
{
    (void)par;
}

static inline int cel_par_meet(struct cel_dataset *ds, int rc, enum cel_par_call call, const struct cel_var *var)
{
    (void)ds, (void)call, (void)var;
    return rc;
}

static inline void cel_par_grant(struct cel_dataset *ds, bool anew)
{
    (void)ds, (void)anew;
}

static inline int cel_par_share(struct cel_par *par, int rc)
{
    (void)par;
    return rc;
}

#endif
#endif
