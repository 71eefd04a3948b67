/* Ids of open datasets, and how an id becomes its object.
 *
 * An ncid is the dataset's row in the table, shifted, plus the group's id. The
 * table is the only global state of this folder that holds datasets. Its lock is
 * held for the look-up only: a call adds 1 to the dataset's users, then locks the dataset.
 * Closing removes the row first and waits until it is the only user.
 *
 * Datasets open for writing are also in a hash table by their file (device and inode), since every
 * nc_open() asks whether its file is among them.
 *
 * A forked child has none of the threads that were in a call: their datasets are locked,
 * perhaps half changed, for ever. There every call on such a dataset fails, and closing
 * it only forgets it. */
#include "api.h"
#include "fork.h"
#include <assert.h>
#include <string.h>
#include <unistd.h>

#define GROUP_BITS 16
#define MAX_OPEN 0x7fff /* ncids stay positive */

struct cel_open {
    struct cel_dataset *ds;
    int index;
    _Atomic unsigned long users; /* calls at work, and CLOSING: who leaves takes no lock */
    bool lost;                   /* a thread that this process does not have was in it */
    pid_t owner;                 /* a forked child must not finish its parent's files */
    bool is_writer;              /* it is in table.writers ... */
    struct cel_open *next;       /* ... in one bucket with this one */
};

#define CLOSING (~0ul - (~0ul >> 1)) /* the highest bit */

static struct {
    struct cel_mutex lock;
    struct cel_cond left; /* somebody left a dataset that is being closed */
    struct cel_open **row;
    int n;                     /* rows, row 0 is never used */
    int low;                   /* no row below this one is free */
    struct cel_open **writers; /* n buckets: datasets open for writing whose file is known */
    int nwriters;
} table = {CEL_MUTEX_INIT, CEL_COND_INIT, NULL, 0, 1, NULL, 0};
static _Thread_local struct cel_call *innermost; /* of this thread's calls */

/* --- the table -------------------------------------------------------------------- */

static struct cel_open **bucket_of(struct cel_file_id file)
{
    return &table.writers[(file.device * 31 + file.inode) % (uint64_t)table.n];
}

static void add_writer(struct cel_open *open)
{
    struct cel_open **bucket = bucket_of(open->ds->file);

    open->next = *bucket;
    *bucket = open;
}

static void remove_writer(const struct cel_open *open)
{
    struct cel_open **at = bucket_of(open->ds->file);

    while (*at != open)
        at = &(*at)->next;
    *at = open->next;
}

static int grow(void)
{
    int n = table.n ? table.n * 2 : 16;
    struct cel_open **row, **writers;

    n = n > MAX_OPEN + 1 ? MAX_OPEN + 1 : n;
    writers = cel_calloc((size_t)n, sizeof *writers);
    row = writers ? cel_realloc(table.row, (size_t)n, sizeof *row) : NULL;
    if (!row) {
        free(writers);
        return NC_ENOMEM;
    }
    memset(row + table.n, 0, (size_t)(n - table.n) * sizeof *row);
    free(table.writers);
    table.row = row;
    table.writers = writers;
    table.n = n;
    for (int i = 1; i < n; i++)
        if (row[i] && row[i]->is_writer)
            add_writer(row[i]);
    return CEL_OK;
}

/* The lowest free row, as netCDF-C chooses. */
static int free_row(int *out)
{
    while (table.low < table.n && table.row[table.low])
        table.low++;
    *out = table.low;
    if (table.low > MAX_OPEN)
        return cel_fail(NC_ENFILE, "%d datasets are open, which is the most there may be", MAX_OPEN);
    return table.low < table.n ? CEL_OK : grow();
}

int cel_open_add(struct cel_dataset *ds, int *ncid)
{
    struct cel_open *open = cel_calloc(1, sizeof *open);
    int at, rc;

    if (!open)
        return NC_ENOMEM;
    cel_lock(&table.lock);
    rc = free_row(&at);
    if (rc == CEL_OK) {
        *open = (struct cel_open){.ds = ds, .index = at, .owner = getpid()};
        table.row[at] = open;
        open->is_writer = ds->writable && ds->file.inode;
        if (open->is_writer) {
            add_writer(open);
            table.nwriters++;
        }
    }
    cel_unlock(&table.lock);
    if (rc == CEL_OK)
        *ncid = at << GROUP_BITS;
    else
        free(open);
    return rc;
}

static unsigned long users_of(const struct cel_open *open)
{
    return atomic_load_explicit(&open->users, memory_order_acquire);
}

/* With the table's lock held. */
static struct cel_open *row_of(int ncid)
{
    int at = ncid >> GROUP_BITS;

    return ncid > 0 && at > 0 && at < table.n && table.row[at] && !(users_of(table.row[at]) & CLOSING) ? table.row[at]
                                                                                                       : NULL;
}

/* NULL: it is lost, and its memory stays as it is. */
static struct cel_dataset *remove_row(struct cel_open *open)
{
    struct cel_dataset *ds = open->lost ? NULL : open->ds;

    atomic_fetch_or_explicit(&open->users, CLOSING, memory_order_acq_rel);
    while (ds && users_of(open) != CLOSING)
        cel_cond_wait(&table.left, &table.lock);
    table.row[open->index] = NULL;
    if (open->is_writer) {
        remove_writer(open);
        table.nwriters--;
    }
    table.low = open->index < table.low ? open->index : table.low;
    free(open);
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

int cel_open_remove(int ncid, struct cel_dataset **out)
{
    struct cel_open *open;

    *out = NULL;
    cel_lock(&table.lock);
    open = row_of(ncid);
    if (open)
        *out = remove_row(open);
    cel_unlock(&table.lock);
    return *out ? CEL_OK : open ? lost_id() : bad_id(ncid);
}

/* Of this process, and nobody is in it. With the table's lock held. */
static bool is_idle(const struct cel_open *open)
{
    return open && !open->lost && !users_of(open) && open->owner == getpid();
}

int cel_open_next(int ncid)
{
    int next = 0;

    cel_lock(&table.lock);
    for (int i = (ncid >> GROUP_BITS) + 1; !next && i < table.n; i++)
        if (is_idle(table.row[i]))
            next = i << GROUP_BITS;
    cel_unlock(&table.lock);
    return next;
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
    for (struct cel_open *open = table.nwriters ? *bucket_of(file) : NULL; open; open = open->next)
        if (open->index > after && (!next || open->index < next) && open->ds->file.device == file.device &&
            open->ds->file.inode == file.inode && is_idle(open))
            next = open->index;
    cel_unlock(&table.lock);
    return next << GROUP_BITS;
}

struct cel_dataset *cel_open_remove_any(const void *ops)
{
    struct cel_dataset *ds = NULL;

    cel_lock(&table.lock);
    for (int i = 1; !ds && i < table.n; i++) {
        struct cel_open *open = table.row[i];

        if (is_idle(open) && (!ops || open->ds->ops == ops))
            ds = remove_row(open);
    }
    cel_unlock(&table.lock);
    return ds;
}

void cel_open_tidy(void)
{
    bool empty = true;

    cel_lock(&table.lock);
    for (int i = 1; i < table.n; i++)
        empty = empty && !table.row[i];
    if (empty) {
        free(table.row);
        free(table.writers);
        table.row = table.writers = NULL;
        table.n = 0;
        table.low = 1;
    }
    cel_unlock(&table.lock);
}

/* --- fork ------------------------------------------------------------------------- */

/* Calls on it that are this thread's own: a filter that forks is in one. */
static unsigned long own_users(const struct cel_open *open)
{
    unsigned long n = 0;

    for (const struct cel_call *c = innermost; c; c = c->outer)
        n += c->open == open;
    return n;
}

static void give_up_lost(void)
{
    cel_cond_init(&table.left);
    for (int i = 1; i < table.n; i++)
        if (table.row[i] && users_of(table.row[i]) != own_users(table.row[i]))
            table.row[i]->lost = true;
}

CEL_FORK_LOCK(CEL_FORK_IDS, &table.lock, false, give_up_lost);

/* --- a call ----------------------------------------------------------------------- */

void cel_call_lock(struct cel_call *c)
{
    assert(!c->locked);
    cel_lock(&c->ds->lock);
    c->locked = true;
}

void cel_call_unlock(struct cel_call *c)
{
    assert(c->locked);
    cel_unlock(&c->ds->lock);
    c->locked = false;
}

int cel_call_begin(struct cel_call *c, int ncid)
{
    bool lost;

    *c = (struct cel_call){0};
    cel_error_clear();
    cel_lock(&table.lock);
    c->open = row_of(ncid);
    lost = c->open && c->open->lost;
    if (lost)
        c->open = NULL;
    if (c->open)
        atomic_fetch_add_explicit(&c->open->users, 1, memory_order_relaxed);
    cel_unlock(&table.lock);
    if (!c->open)
        return lost ? lost_id() : bad_id(ncid);
    c->outer = innermost;
    innermost = c;
    c->ds = c->open->ds;
    cel_call_lock(c);
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

int cel_call_share(struct cel_call *c, int rc)
{
    return cel_is_shared(c->ds) ? cel_par_share(c->ds->par, rc) : rc;
}

/* The thread that closes may free `open` as soon as the last other user has left. */
static void leave(struct cel_open *open)
{
    if (atomic_fetch_sub_explicit(&open->users, 1, memory_order_acq_rel) != (CLOSING | 1))
        return;
    cel_lock(&table.lock);
    cel_cond_wake_all(&table.left);
    cel_unlock(&table.lock);
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
    if (c->locked)
        cel_unlock(&c->ds->lock);
    assert(innermost == c);
    innermost = c->outer;
    leave(c->open);
    c->open = NULL;
    return rc;
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
