/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaving define mode, sync, close, and exit without close. A dataset is removed from
 * the id table before it is freed, so that no call finds one that is half freed. */
#include "api.h"
#include "credentials.h"
#include "exit.h"
#include "fork.h"
#include "plugin.h"
#include "rc.h"
#include "trace.h"
#include <netcdf_mem.h>

/* --- leaving define mode ------------------------------------------------------------- */

static int each_var(struct cel_dataset *ds, int (*act)(struct cel_var *))
{
    int rc = CEL_OK;

    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t v = 0; group && rc == CEL_OK && v < group->vars.n; v++)
            rc = act(group->vars.at[v]);
    }
    return rc;
}

static int settle_new(struct cel_var *var)
{
    int rc = var->saved == CEL_NEW ? cel_var_settle(var) : CEL_OK;

    return rc == CEL_OK ? rc : cel_fail_in_var(rc, var);
}

/* --- the CF conventions' attributes of quantized variables ------------------------- */

static int load_whole(struct cel_var *var)
{
    int rc = cel_load_var(var);

    return rc == CEL_OK ? cel_load_atts(var->group, var) : rc;
}

static int describe_quantization(struct cel_dataset *ds)
{
    int rc = ds->cf_quantization ? each_var(ds, load_whole) : CEL_OK;

    return rc == CEL_OK && ds->cf_quantization ? each_var(ds, cel_cf_describe) : rc;
}

static int note_error(struct cel_var *var)
{
    double max_abs = 0, max_rel = 0;

    cel_array_worst_error(var->group->dataset, var, &max_abs, &max_rel);
    return cel_cf_note_error(var, max_rel);
}

/* --- modes ------------------------------------------------------------------------ */

/* What was defined is whole. The dataset is locked. */
static int settle(struct cel_dataset *ds)
{
    int rc = cel_mode_check_enddef(ds);

    if (rc == CEL_OK)
        rc = describe_quantization(ds);
    return rc == CEL_OK ? each_var(ds, settle_new) : rc;
}

/* What was defined goes to the container. The dataset is locked. */
static int leave_define(struct cel_dataset *ds)
{
    CEL_TRACE(CEL_TRACE_SAVE, .file = ds->path);
    int rc = settle(ds);

    cel_array_store_puts(ds);
    if (rc == CEL_OK)
        rc = ds->ops->save(ds);
    if (rc == CEL_OK)
        ds->defining = ds->created = false;
    return rc;
}

int cel_data_mode(struct cel_dataset *ds)
{
    int rc = cel_mode_data(ds);

    if (rc != CEL_OK || !ds->defining)
        return rc;
    cel_par_note_definitions(ds->par);
    return leave_define(ds);
}

static int end_define(struct cel_call *c)
{
    int rc = leave_define(c->ds);

    if (rc == CEL_OK)
        cel_mode_settle_fill(c->group);
    return rc;
}

/* Of ranks, all leave define mode or none does; what they then read from the file is there. */
static int end_define_together(struct cel_call *c, int rc)
{
    rc = cel_call_meet(c, rc, CEL_PAR_ENDDEF);
    if (rc == CEL_OK) {
        rc = end_define(c);
        if (rc == CEL_OK && cel_is_shared(c->ds) && cel_par_has_file(c->ds->par))
            rc = c->ds->ops->sync(c->ds);
        rc = cel_call_share(c, rc);
        if (cel_is_shared(c->ds) && rc != CEL_OK)
            c->ds->defining = true;
        if (rc == CEL_OK)
            cel_call_grant(c, true);
    }
    return rc;
}

int nc_enddef(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_fit_new(&c);
    rc = cel_is_shared(c.ds) ? end_define_together(&c, rc) : rc == CEL_OK ? end_define(&c) : rc;
    return cel_call_end(&c, rc);
}

/* The paddings are for classic files about to grow. */
int nc__enddef(int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_fit_new(&c);
    if (c.ds)
        c.ds->padding = (struct cel_header_padding){h_minfree, v_align, v_minfree, r_align};
    rc = cel_is_shared(c.ds) ? end_define_together(&c, rc) : rc == CEL_OK ? end_define(&c) : rc;
    if (c.ds)
        c.ds->padding = (struct cel_header_padding){0};
    return cel_call_end(&c, rc);
}

/* What was put so far is saved: nc_abort() forgets the definitions that follow, and no data. */
int nc_redef(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);
    bool had_data = rc == CEL_OK && !c.ds->defining;

    rc = cel_call_meet(&c, rc, CEL_PAR_REDEF);
    if (rc == CEL_OK)
        rc = cel_mode_redef(c.ds);
    if (rc == CEL_OK && had_data) {
        cel_array_store_puts(c.ds);
        rc = c.ds->ops->save(c.ds);
    }
    rc = cel_call_share(&c, rc);
    return cel_call_end(&c, rc);
}

/* --- closing --------------------------------------------------------------------------- */

static void free_arrays(struct cel_dataset *ds)
{
    cel_array_forget_puts(ds);
    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t i = 0; group && i < group->vars.n; i++)
            cel_array_free(group->vars.at[i]);
    }
}

/* Outside define mode there is nothing to abort. Data that cannot be written does not keep the rest from it. */
static void finish(struct cel_dataset *ds, bool abort, struct cel_first_failure *first)
{
    if (!ds->writable || (abort && ds->created))
        return;
    abort = abort && ds->defining;
    if (ds->defining && !abort)
        cel_first_failure_note(first, leave_define(ds));
    if (first->rc != CEL_OK)
        return;
    cel_first_failure_note(first, cel_array_check_failed_puts(ds));
    cel_first_failure_note(first, cel_array_flush_all(ds));
    if (!abort)
        cel_first_failure_note(first, each_var(ds, note_error));
    if (!abort)
        cel_first_failure_note(first, ds->ops->save(ds));
}

/* The dataset is out of the table, so no other call can use it. A new dataset that
 * never got through its first nc_enddef() leaves no file. */
static int end_dataset(struct cel_dataset *ds, bool abort, struct cel_memory *memory)
{
    CEL_TRACE(CEL_TRACE_CLOSE, .file = ds->path);
    struct cel_first_failure first = {0};
    bool has_file = !cel_is_shared(ds) || !ds->writable || cel_par_has_file(ds->par);

    if (has_file)
        finish(ds, abort, &first);
    else
        ds->writable = false; /* it is rank 0's */
    free_arrays(ds);
    cel_first_failure_note(&first, ds->ops->close(ds, !ds->created && has_file, memory));
    if (cel_first_failure_restore(&first) != CEL_OK)
        cel_fail_at(first.rc, CEL_IN_FILE, "%s", ds->path);
    return first.rc;
}

static int close_dataset(struct cel_dataset *ds, bool abort, struct cel_memory *memory)
{
    int rc = end_dataset(ds, abort, memory);

    cel_dataset_free(ds);
    cel_trace_save();
    return rc;
}

static int close_id(int ncid, bool abort)
{
    struct cel_dataset *ds;
    struct cel_par *par;
    int rc;

    cel_error_clear();
    rc = cel_open_remove(ncid, &ds);
    if (rc != CEL_OK)
        return rc;
    par = ds->par;
    rc = close_dataset(ds, abort, NULL);
    if (par)
        rc = cel_par_share(par, rc);
    cel_par_free(par);
    return rc;
}

static int settle_before_close(int ncid, bool *shared)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    *shared = cel_is_shared(c.ds);
    if (rc == CEL_OK)
        rc = cel_fit_new(&c);
    if (rc == CEL_OK && c.ds->writable && c.ds->defining)
        rc = settle(c.ds);
    rc = cel_call_meet(&c, rc, CEL_PAR_CLOSE);
    return cel_call_end(&c, rc);
}

/* Definitions that cannot be kept leave the dataset open, as in netCDF-C: it can be mended and closed, or aborted.
 * What goes wrong later, with data, is an error of closing, and closed it is; so is want of memory, and so is what
 * ranks share: they would have to mend it together. */
int nc_close(int ncid)
{
    struct cel_first_failure first = {0};
    bool shared;

    cel_first_failure_note(&first, settle_before_close(ncid, &shared));
    if (first.rc == CEL_OK || first.rc == NC_ENOMEM || shared)
        cel_first_failure_note(&first, close_id(ncid, first.rc != CEL_OK));
    return cel_first_failure_restore(&first);
}

int nc_abort(int ncid)
{
    struct cel_first_failure first = {0};
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    rc = cel_call_meet(&c, rc, CEL_PAR_ABORT);
    cel_first_failure_note(&first, cel_call_end(&c, rc));
    cel_first_failure_note(&first, close_id(ncid, true));
    return cel_first_failure_restore(&first);
}

int nc_close_memio(int ncid, NC_memio *info)
{
    struct cel_memory memory = {NULL, 0};
    struct cel_call c;
    struct cel_dataset *ds;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && !info)
        rc = cel_fail(NC_EINVAL, "there is no NC_memio to put the file into");
    if (rc == CEL_OK && !(c.ds->mode & (NC_INMEMORY | NC_DISKLESS)))
        rc = cel_fail(NC_EINMEMORY, "the dataset is not in memory: close it with nc_close");
    rc = cel_call_end(&c, rc);
    if (rc == CEL_OK)
        rc = cel_open_remove(ncid, &ds);
    if (rc != CEL_OK)
        return rc;
    rc = close_dataset(ds, false, &memory);
    *info = (NC_memio){.size = memory.size, .memory = memory.data};
    return rc;
}

/* All that can be written is, and the first failure is the answer; so is a put that failed before. */
static int sync_all(struct cel_call *c)
{
    CEL_TRACE(CEL_TRACE_SYNC, .file = c->ds->path);
    struct cel_first_failure first = {0};

    if (c->ds->writable) {
        cel_call_unlock(c);
        cel_first_failure_note(&first, cel_array_check_failed_puts(c->ds)); /* it names the variable */
        cel_first_failure_note(&first, cel_array_flush_all(c->ds));
        cel_call_lock(c);
        cel_first_failure_note(&first, c->ds->ops->save(c->ds));
    }
    if (!cel_is_shared(c->ds) || cel_par_has_file(c->ds->par))
        cel_first_failure_note(&first, c->ds->ops->sync(c->ds));
    return cel_first_failure_restore(&first);
}

int cel_sync_met(struct cel_call *c)
{
    int rc = cel_data_mode(c->ds);

    if (rc == CEL_OK)
        rc = sync_all(c);
    rc = cel_call_share(c, rc);
    if (rc == CEL_OK && c->ds->writable)
        cel_call_grant(c, false);
    return rc;
}

int nc_sync(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_fit_new(&c);
    rc = cel_call_meet(&c, rc, CEL_PAR_SYNC);
    if (rc == CEL_OK)
        rc = cel_sync_met(&c);
    return cel_call_end(&c, rc);
}

/* --- at exit ---------------------------------------------------------------------------- */

/* A program that forgets nc_close() keeps its data. It is written as early as an exit handler can, and the
 * files stay open for handlers of the program that run later; they are closed when the library goes (exit.h).
 * Exit handlers run in reverse order: ours is registered again after the first dataset of each kind, so
 * that it runs before a library that the container needs takes itself apart. */

static bool has_data_to_flush(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);
    bool has =
        rc == CEL_OK && c.ds->writable && !c.ds->defining && !cel_is_shared(c.ds); /* ranks need not exit together */

    cel_call_end(&c, rc);
    return has;
}

static void flush_all(void)
{
    for (int ncid = 0; (ncid = cel_open_next(ncid)) != 0;)
        if (has_data_to_flush(ncid) && nc_sync(ncid) != NC_NOERR)
            cel_warn("at exit: %s", cel_error_text());
}

static void close_all(const void *kind)
{
    struct cel_dataset *ds;

    while ((ds = cel_open_remove_any(kind)) != NULL)
        if (close_dataset(ds, false, NULL) != CEL_OK)
            cel_warn("at exit: %s", cel_error_text());
}

static struct cel_mutex first_use = CEL_MUTEX_INIT; /* guards cel_api_first_use() */

CEL_FORK_LOCK(CEL_FORK_FIRST_USE, &first_use, false, NULL);

void cel_api_first_use(const struct cel_container_ops *ops)
{
    static const struct cel_container_ops *seen[8];
    size_t i = 0;

    cel_lock(&first_use);
    while (i < sizeof seen / sizeof *seen && seen[i] && seen[i] != ops)
        i++;
    if (i < sizeof seen / sizeof *seen && !seen[i]) {
        seen[i] = ops;
        cel_exit_set(flush_all, close_all);
        atexit(cel_exit_flush);
    }
    cel_unlock(&first_use);
}

int nc_initialize(void)
{
    return NC_NOERR;
}

int nc_finalize(void)
{
    cel_plugin_finalize();
    cel_rc_tidy();
    cel_credentials_forget();
    return NC_NOERR;
}
