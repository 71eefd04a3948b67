/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids of open datasets, and how an id becomes its object.
 *
 * An ncid is the dataset's row in the table, shifted, plus the group's id. The
 * table is the only global state of this folder that holds datasets. Rows are never moved or freed, and the dataset's
 * lock lies in its row: a call finds the row without a lock of the table, locks it, sees whether a dataset is open
 * there, and is its user until it ends. So one lock is all that a short call takes. Closing marks the row first, which
 * ends further calls, and waits until it is the only user.
 *
 * Datasets open for writing are also in a hash table by their file (device and inode), since every
 * nc_open() asks whether its file is among them.
 *
 * A forked child has none of the threads that were in a call: their datasets are locked,
 * perhaps half changed, for ever. There every call on such a dataset fails, and closing
 * it only forgets it. */
#include "api.h"
#include "fork.h"
#include "trace.h"
#include <assert.h>
#include <string.h>
#include <unistd.h>

#define GROUP_BITS 16
#define MAX_OPEN 0x7fff /* ncids stay positive */
#define FIRST_ROWS 16   /* the first part of the table has so many, each further part as many as all before it */
#define NPARTS 12       /* up to MAX_OPEN */
#define NBUCKETS 1024

struct cel_open {
    struct cel_mutex lock; /* the dataset's (ds->lock points here); guards what follows */
    struct cel_cond left;  /* the last user left a dataset that is being closed */
    struct cel_dataset *ds;
    _Atomic unsigned long users; /* calls at work, and CLOSED; others than those with the lock only look */
    _Atomic bool moves_values; /* its container may move single values at once: cel_call_exclusive() is worth a lock */
    int index;
    bool taken;              /* from here on written with the table's lock */
    bool lost;               /* a thread that this process does not have was in it */
    pid_t owner;             /* a forked child must not finish its parent's files */
    bool is_writer;          /* it is in table.writers ... */
    struct cel_file_id file; /* ... by this ... */
    struct cel_open *next;   /* ... in one bucket with this one */
};

#define CLOSED (~0ul - (~0ul >> 1)) /* the highest bit: no dataset is open here, or no longer for new calls */

static struct {
    struct cel_mutex lock;
    struct cel_open *_Atomic part[NPARTS]; /* NULL: not needed yet */
    int n;                                 /* rows, row 0 is never used */
    int low;                               /* no row below this one is free */
    struct cel_open *writers[NBUCKETS];    /* datasets open for writing whose file is known */
    int nwriters;
} table = {.lock = CEL_MUTEX_INIT, .low = 1};
static _Thread_local struct cel_call *innermost; /* of this thread's calls */

/* --- the table -------------------------------------------------------------------- */

/* The part that has row `at`, and the row within it. */
static int part_of(int at, int *within)
{
    int part = 0, first = FIRST_ROWS;

    for (*within = at; *within >= first; first = FIRST_ROWS << (part - 1)) {
        *within -= first;
        part++;
    }
    return part;
}

/* NULL: so many were never open. */
static struct cel_open *row_at(int at)
{
    int within, part = part_of(at, &within);
    struct cel_open *rows = atomic_load_explicit(&table.part[part], memory_order_acquire);

    return rows ? &rows[within] : NULL;
}

static struct cel_open *row_of(int ncid)
{
    return ncid > 0 ? row_at(ncid >> GROUP_BITS) : NULL;
}

static struct cel_open **bucket_of(struct cel_file_id file)
{
    return &table.writers[(file.device * 31 + file.inode) % NBUCKETS];
}

static void add_writer(struct cel_open *open)
{
    struct cel_open **bucket = bucket_of(open->file);

    open->next = *bucket;
    *bucket = open;
    table.nwriters++;
}

static void remove_writer(const struct cel_open *open)
{
    struct cel_open **at = bucket_of(open->file);

    while (*at != open)
        at = &(*at)->next;
    *at = open->next;
    table.nwriters--;
}

static int grow(void)
{
    int within, part = part_of(table.n, &within), n = table.n ? table.n : FIRST_ROWS;
    struct cel_open *rows = cel_calloc((size_t)n, sizeof *rows);

    if (!rows)
        return NC_ENOMEM;
    for (int i = 0; i < n; i++) {
        cel_mutex_init(&rows[i].lock);
        cel_cond_init(&rows[i].left);
        rows[i].index = table.n + i;
        rows[i].users = CLOSED;
    }
    table.n += n;
    atomic_store_explicit(&table.part[part], rows, memory_order_release);
    return CEL_OK;
}

/* The lowest free row, as netCDF-C chooses. */
static int free_row(int *out)
{
    while (table.low < table.n && row_at(table.low)->taken)
        table.low++;
    *out = table.low;
    if (table.low > MAX_OPEN)
        return cel_fail(NC_ENFILE, "%d datasets are open, which is the most there may be", MAX_OPEN);
    return table.low < table.n ? CEL_OK : grow();
}

static int take_row(const struct cel_dataset *ds, struct cel_open **out)
{
    int at, rc;

    cel_lock(&table.lock);
    rc = free_row(&at);
    if (rc == CEL_OK) {
        struct cel_open *open = *out = row_at(at);

        open->taken = true;
        open->lost = false;
        open->owner = getpid();
        open->file = ds->file;
        open->is_writer = ds->writable && ds->file.inode;
        if (open->is_writer)
            add_writer(open);
    }
    cel_unlock(&table.lock);
    return rc;
}

static void give_row(struct cel_open *open)
{
    cel_lock(&table.lock);
    if (open->is_writer)
        remove_writer(open);
    open->taken = false;
    table.low = open->index < table.low ? open->index : table.low;
    cel_unlock(&table.lock);
}

static unsigned long users_of(const struct cel_open *open)
{
    return atomic_load_explicit(&open->users, memory_order_relaxed);
}

/* With the row's lock held. */
static void set_users(struct cel_open *open, unsigned long users)
{
    atomic_store_explicit(&open->users, users, memory_order_relaxed);
}

int cel_open_add(struct cel_dataset *ds, int *ncid)
{
    struct cel_open *open;
    int rc = take_row(ds, &open);

    if (rc != CEL_OK)
        return rc;
    cel_lock(&open->lock);
    ds->lock = &open->lock;
    open->ds = ds;
    atomic_store_explicit(&open->moves_values, ds->ops->get_value != NULL, memory_order_relaxed);
    set_users(open, 0);
    cel_unlock(&open->lock);
    *ncid = open->index << GROUP_BITS;
    return CEL_OK;
}

/* With the row's lock held, which is let go. NULL: it is lost, and its memory stays as it is. */
static struct cel_dataset *remove_row(struct cel_open *open)
{
    struct cel_dataset *ds = open->lost ? NULL : open->ds;

    set_users(open, users_of(open) | CLOSED);
    while (ds && users_of(open) != CLOSED)
        cel_cond_wait(&open->left, &open->lock);
    set_users(open, CLOSED);
    open->ds = NULL;
    if (ds)
        ds->lock = &ds->own_lock;
    cel_unlock(&open->lock);
    give_row(open);
    return ds;
}

static int bad_id(int ncid)
{
    return cel_fail(NC_EBADID, "no open dataset or group has the id %d", ncid);
}

static int lost_id(void)
{
    return cel_fail(NC_EPERM, "another thread was working on the dataset when this process was forked: open it again");
}

/* With its lock held; NULL: no dataset is open there. */
static struct cel_open *lock_row(int ncid)
{
    struct cel_open *open = row_of(ncid);

    if (!open)
        return NULL;
    cel_trace_lock(&open->lock, CEL_TRACE_WAIT_DATASET);
    if (!(users_of(open) & CLOSED))
        return open;
    cel_unlock(&open->lock);
    return NULL;
}

int cel_open_remove(int ncid, struct cel_dataset **out)
{
    struct cel_open *open = lock_row(ncid);

    *out = open ? remove_row(open) : NULL;
    return *out ? CEL_OK : open ? lost_id() : bad_id(ncid);
}

/* Of this process, and nobody is in it, as far as can be seen without its lock. With the table's lock held. */
static bool is_idle(const struct cel_open *open)
{
    return open->taken && !open->lost && !users_of(open) && open->owner == getpid();
}

static int next_after(int at)
{
    int next = 0;

    cel_lock(&table.lock);
    for (int i = at + 1; !next && i < table.n; i++)
        if (is_idle(row_at(i)))
            next = i;
    cel_unlock(&table.lock);
    return next;
}

int cel_open_next(int ncid)
{
    return next_after(ncid >> GROUP_BITS) << GROUP_BITS;
}

bool cel_open_has_writers(void)
{
    bool has;

    cel_lock(&table.lock);
    has = table.nwriters > 0;
    cel_unlock(&table.lock);
    return has;
}

int cel_open_next_writer(struct cel_file_id file, int ncid)
{
    int after = ncid >> GROUP_BITS, next = 0;

    cel_lock(&table.lock);
    for (const struct cel_open *open = *bucket_of(file); open; open = open->next)
        if (open->index > after && (!next || open->index < next) && open->file.device == file.device &&
            open->file.inode == file.inode && is_idle(open))
            next = open->index;
    cel_unlock(&table.lock);
    return next << GROUP_BITS;
}

struct cel_dataset *cel_open_remove_any(const void *ops)
{
    struct cel_dataset *ds = NULL;

    for (int at = 0; !ds && (at = next_after(at)) != 0;) {
        struct cel_open *open = lock_row(at << GROUP_BITS);

        if (open && !users_of(open) && (!ops || open->ds->ops == ops))
            ds = remove_row(open);
        else if (open)
            cel_unlock(&open->lock);
    }
    return ds;
}

/* --- fork ------------------------------------------------------------------------- */

/* Calls on it that are this thread's own (a filter that forks is in one), and whether one has its lock. */
static unsigned long own_users(const struct cel_open *open, bool *locked)
{
    unsigned long n = 0;

    *locked = false;
    for (const struct cel_call *c = innermost; c; c = c->outer)
        if (c->open == open) {
            n++;
            *locked = *locked || c->locked;
        }
    return n;
}

/* A lock that no thread of this process will let go is made anew. */
static void give_up_row(struct cel_open *open)
{
    bool own_lock, busy;
    bool shared = users_of(open) != own_users(open, &own_lock);

    busy = !own_lock && !cel_try_lock(&open->lock);
    if (busy)
        cel_mutex_init(&open->lock);
    else if (!own_lock)
        cel_unlock(&open->lock);
    cel_cond_init(&open->left);
    if (open->taken && (shared || busy))
        open->lost = true;
}

static void give_up_lost(void)
{
    for (int i = 1; i < table.n; i++)
        give_up_row(row_at(i));
}

CEL_FORK_LOCK(CEL_FORK_IDS, &table.lock, false, give_up_lost);

/* --- a call ----------------------------------------------------------------------- */

void cel_call_lock(struct cel_call *c)
{
    assert(!c->locked);
    cel_trace_lock(c->ds->lock, CEL_TRACE_WAIT_DATASET);
    c->locked = true;
}

void cel_call_unlock(struct cel_call *c)
{
    assert(c->locked);
    cel_unlock(c->ds->lock);
    c->locked = false;
}

int cel_call_begin(struct cel_call *c, int ncid)
{
    struct cel_open *open = lock_row(ncid);

    cel_error_clear();
    if (!open || open->lost) {
        *c = (struct cel_call){0};
        if (!open)
            return bad_id(ncid);
        cel_unlock(&open->lock);
        return lost_id();
    }
    set_users(open, users_of(open) + 1);
    *c = (struct cel_call){.open = open, .ds = open->ds, .locked = true, .outer = innermost};
    innermost = c;
    c->group = cel_dataset_group(c->ds, ncid & ((1 << GROUP_BITS) - 1));
    return c->group ? CEL_OK : bad_id(ncid);
}

int cel_call_named(struct cel_call *c, int ncid, const char *name)
{
    int rc = cel_call_begin(c, ncid);

    return rc == CEL_OK && !name ? cel_fail(NC_EINVAL, "no name was given") : rc;
}

int cel_call_var(struct cel_call *c, int ncid, int varid)
{
    int rc = cel_call_begin(c, ncid);

    if (rc != CEL_OK)
        return rc;
    c->var = cel_var_by_id(c->group, varid);
    if (c->var)
        return CEL_OK;
    return varid == NC_GLOBAL ? cel_fail(NC_ENOTVAR, "a variable is needed here, not NC_GLOBAL")
                              : cel_fail(NC_ENOTVAR, "group %s has no variable with the id %d", c->group->name, varid);
}

int cel_call_loaded_var(struct cel_call *c, int ncid, int varid)
{
    int rc = cel_call_var(c, ncid, varid);

    return rc == CEL_OK ? cel_load_var(c->var) : rc;
}

int cel_call_atts(struct cel_call *c, int ncid, int varid)
{
    int rc = varid == NC_GLOBAL ? cel_call_begin(c, ncid) : cel_call_var(c, ncid, varid);

    return rc == CEL_OK ? cel_load_atts(c->group, c->var) : rc;
}

struct cel_atts *cel_call_att_list(struct cel_call *c)
{
    return c->var ? &c->var->atts : &c->group->atts;
}

int cel_call_meet(struct cel_call *c, int rc, enum cel_par_call call)
{
    if (!cel_is_shared(c->ds))
        return rc;
    cel_call_unlock(c); /* ranks wait for each other, and rank 0 carries out what others have put */
    rc = cel_par_meet(c->ds, rc, call, c->var);
    cel_call_lock(c);
    return rc;
}

void cel_call_grant(struct cel_call *c, bool anew)
{
    if (!cel_is_shared(c->ds))
        return;
    cel_call_unlock(c);
    cel_par_grant(c->ds, anew);
    cel_call_lock(c);
}

int cel_call_share(struct cel_call *c, int rc)
{
    return cel_is_shared(c->ds) ? cel_par_share(c->ds->par, rc) : rc;
}

/* With the row's lock held, which is let go. */
static void leave(struct cel_open *open)
{
    unsigned long users = users_of(open) - 1;

    set_users(open, users);
    if (users == CLOSED)
        cel_cond_wake_all(&open->left);
    cel_unlock(&open->lock);
}

int cel_call_end(struct cel_call *c, int rc)
{
    if (rc != CEL_OK && cel_error_code() == 0)
        cel_fail(rc, "%s", nc_strerror(rc));
    if (!c->open)
        return rc;
    if (rc != CEL_OK) {
        if (c->var)
            cel_fail_in_var(rc, c->var);
        cel_fail_at(rc, CEL_IN_FILE, "%s", c->ds->path);
    }
    if (!c->locked)
        cel_call_lock(c);
    assert(innermost == c);
    innermost = c->outer;
    leave(c->open);
    c->open = NULL;
    return rc;
}

/* Who holds the lock and finds no users is alone until it lets the lock go. */
bool cel_call_exclusive(struct cel_call *c, int ncid, int varid)
{
    struct cel_open *open = row_of(ncid);

    if (!open || !atomic_load_explicit(&open->moves_values, memory_order_relaxed))
        return false;
    cel_trace_lock(&open->lock, CEL_TRACE_WAIT_DATASET);
    c->open = open;
    if (!users_of(open) && !open->lost) {
        c->ds = open->ds;
        c->group = cel_dataset_group(c->ds, ncid & ((1 << GROUP_BITS) - 1));
        c->var = c->group ? cel_var_by_id(c->group, varid) : NULL;
        if (c->var)
            return true;
    }
    cel_unlock(&open->lock);
    return false;
}

void cel_call_exclusive_end(struct cel_call *c)
{
    cel_unlock(&c->open->lock);
    cel_error_clear();
}

int cel_ncid(const struct cel_call *c, const struct cel_group *group)
{
    return c->open->index << GROUP_BITS | group->id;
}

/* --- what open left for later ------------------------------------------------------- */

int cel_load_types(struct cel_dataset *ds)
{
    for (; ds->ops->load_types && ds->types_loaded < ds->types.n; ds->types_loaded++) {
        const struct cel_type *type = ds->types.at[ds->types_loaded];

        if (type && !type->loaded)
            return ds->ops->load_types(ds);
    }
    return CEL_OK;
}

int cel_find_type(struct cel_dataset *ds, nc_type xtype, const struct cel_type **out)
{
    int rc = xtype >= NC_FIRSTUSERTYPEID ? cel_load_types(ds) : CEL_OK;

    *out = rc == CEL_OK ? cel_type_by_id(ds, xtype) : NULL;
    return rc != CEL_OK || *out ? rc : cel_fail(NC_EBADTYPE, "no type has the id %d", xtype);
}

int cel_load_var(struct cel_var *var)
{
    struct cel_dataset *ds = var->group->dataset;

    return var->loaded || !ds->ops->load_var ? CEL_OK : ds->ops->load_var(ds, var);
}

int cel_load_atts(struct cel_group *group, struct cel_var *var)
{
    struct cel_dataset *ds = group->dataset;
    const struct cel_atts *atts = var ? &var->atts : &group->atts;

    return atts->loaded || !ds->ops->load_atts ? CEL_OK : ds->ops->load_atts(ds, group, var);
}

/* --- answers ------------------------------------------------------------------------- */

void cel_output_name(char *out, const char *name)
{
    if (out) {
        size_t n = strnlen(name, NC_MAX_NAME);

        memcpy(out, name, n);
        out[n] = '\0';
    }
}
