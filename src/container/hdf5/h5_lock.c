/* SPDX-License-Identifier: BSD-3-Clause */
/* libhdf5 is entered under one lock of ours, by the calling thread only. The lock
 * may be taken again by the thread that holds it: a filter plugin that libhdf5
 * runs may call our API. What libhdf5 calls back (driver, filter classes) takes
 * no lock. Every entry silences HDF5's error printing and every exit puts it back.
 * That is a quarter of the instructions of a small chunk, so in a row of entries it is
 * done once: from the second of them to the end of the row libhdf5 stays silent. */
#include "env.h"
#include "exit.h"
#include "fork.h"
#include "h5_int.h"
#include "mem.h"
#include "plugin.h"
#include "trace.h"
#include <assert.h>
#include <stdlib.h>

static struct cel_mutex inside = CEL_MUTEX_INIT_RECURSIVE;
static bool started, broken; /* under `inside`, as the next */
static int depth;            /* entries that have not been left */

/* Rows that keep libhdf5 silent, and what the first of them found. */
struct silence {
    unsigned rows;
    H5E_auto2_t print;
    void *data;
};
static bool each_thread; /* printing is a setting of each thread: libhdf5 is thread-safe */
static struct silence of_all;
static _Thread_local struct silence of_this_thread;
static _Thread_local struct { /* of entries of this thread */
    unsigned begun, entries;
    bool is_silent;
} row;

static struct silence *silence_here(void)
{
    return each_thread ? &of_this_thread : &of_all;
}

static void end_silence(struct silence *s)
{
    if (--s->rows == 0)
        H5Eset_auto2(H5E_DEFAULT, s->print, s->data);
}

/* A forked child has no rows of other threads. */
static void forget_rows(void)
{
    while (of_all.rows > (row.is_silent ? 1U : 0U))
        end_silence(&of_all);
}

CEL_FORK_LOCK(CEL_FORK_HDF5, &inside, true, forget_rows);

static void enter_bare(void)
{
    cel_lock(&inside);
}

static void leave_bare(void)
{
    cel_unlock(&inside);
}

/* Filter plugins of others may call libhdf5: where it does not guard itself, they
 * run under the lock that does. */
static void guard_plugins(void)
{
    hbool_t safe = false;

    each_thread = H5is_library_threadsafe(&safe) >= 0 && safe;
    if (!each_thread)
        cel_plugin_use_lock(enter_bare, leave_bare);
}

/* Where the program itself started libhdf5, libhdf5 ends in its own exit handler. This runs before it, so that what is
 * open can still be written. Printing is switched off: after a damaged file libhdf5 may not have freed all of its
 * memory, and would complain when it ends ("infinite loop closing library"). */
static void before_libhdf5_ends(void)
{
    cel_exit_close(&cel_hdf5_ops);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* We started libhdf5 and keep it from ending by itself. Other libraries of the program may have files open in it: their
 * data is written here. */
static void flush_files_of_others(void)
{
    hid_t files[64];
    ssize_t n;

    if (cel_h5_shortages() > 0) /* it may be damaged */
        return;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    n = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, sizeof files / sizeof *files, files);
    for (ssize_t i = 0; i < n; i++)
        if (!cel_h5_driver_has(files[i]))
            H5Fflush(files[i], H5F_SCOPE_GLOBAL);
}

/* libhdf5 crashes after some failed requests for memory (docs/hdf5-crashes.md). So it is entered only while memory can be
 * had; closing a file is tried in any case. The block for a call is so small that the C library keeps it for the next. */
enum { MEMORY_TO_START = 4 << 20, MEMORY_FOR_A_CALL = 32 << 10 };

static int want_memory(size_t nbytes)
{
    void *block = cel_malloc(nbytes);

    free(block);
    return block ? CEL_OK : NC_ENOMEM;
}

/* libhdf5 ends in an exit handler that H5open() registers. Exit handlers that the program registered before that run
 * after it, perhaps with a last put. So libhdf5 is asked not to register one, unless it has been started already. */
static int start(void)
{
    bool stays;
    int rc;

    if (!broken && want_memory(MEMORY_TO_START) != CEL_OK)
        return NC_ENOMEM;
    rc = cel_h5_lib_load();
    if (rc != CEL_OK)
        return rc;
    stays = !broken && H5dont_atexit() >= 0;
    broken = broken || H5open() < 0; /* before anything else: whichever call comes second would say that all is well */
    rc = broken ? CEL_OK : cel_h5_lib_check();
    if (rc != CEL_OK)
        return rc;
    broken = broken || !cel_h5_convert_arrays() || (!stays && atexit(before_libhdf5_ends) != 0);
    if (broken)
        return cel_fail(NC_EHDFERR,
                        "libhdf5 could not be started, for want of memory: end the program and start it again");
    if (stays)
        cel_exit_last(flush_files_of_others);
    guard_plugins();
    if (cel_env_no_plugins())
        H5PLset_loading_state(0); /* libhdf5 looks at HDF5_PLUGIN_PATH by itself, also in set-uid programs */
    started = true;
    return CEL_OK;
}

int cel_h5_enter(struct cel_h5_entry *entry)
{
    int rc = CEL_OK;

    cel_trace_lock(&inside, CEL_TRACE_WAIT_HDF5);
    if (!started)
        rc = start();
    if (rc != CEL_OK) {
        cel_unlock(&inside);
        return rc;
    }
    depth++;
    entry->silenced = !silence_here()->rows;
    if (entry->silenced) {
        H5Eget_auto2(H5E_DEFAULT, &entry->print, &entry->data);
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    }
    return CEL_OK;
}

/* From here on the row keeps it silent. */
static void silence_row(const struct cel_h5_entry *entry)
{
    struct silence *s = silence_here();

    if (s->rows++ == 0) {
        s->print = entry->print;
        s->data = entry->data;
    }
    row.is_silent = true;
}

void cel_h5_leave(const struct cel_h5_entry *entry)
{
    assert(depth > 0);
    depth--;
    if (depth == 0 && row.begun && !row.is_silent && ++row.entries > 1)
        silence_row(entry);
    else if (entry->silenced)
        H5Eset_auto2(H5E_DEFAULT, entry->print, entry->data);
    cel_unlock(&inside);
}

void cel_h5_row_begin(void)
{
    row.begun++;
}

void cel_h5_row_end(void)
{
    assert(row.begun > 0);
    if (--row.begun > 0)
        return;
    row.entries = 0;
    if (!row.is_silent)
        return;
    row.is_silent = false;
    cel_lock(&inside);
    end_silence(silence_here());
    cel_unlock(&inside);
}

/* Files that are made here are libhdf5's to write, all others have been opened for reading. */
int cel_h5_refuse_untrusted(const struct cel_dataset *ds)
{
    if (cel_h5_file(ds)->io->writable)
        return CEL_OK;
#if defined(CEL_H5_READ_OWN)
    return cel_fail(NC_EHDFERR, "only libhdf5 can read this, and this build (CELLAR_HDF5_READ=own) reads without it");
#endif
    if (!cel_env_untrusted())
        return CEL_OK;
    return cel_fail(NC_EHDFERR, "only libhdf5 can read this, and files that are not trusted are read without it");
}

int cel_h5_enter_file(const struct cel_dataset *ds, struct cel_h5_entry *entry)
{
    int rc = cel_h5_refuse_untrusted(ds);

    if (rc != CEL_OK)
        return rc;
    if (cel_h5_io_is_parents(cel_h5_file(ds)->io))
        return cel_fail(NC_EPERM,
                        "%s was opened for writing before fork(): only the parent process may use it; "
                        "open it again in the child",
                        ds->path);
    rc = want_memory(MEMORY_FOR_A_CALL);
    if (rc == CEL_OK)
        rc = cel_h5_enter(entry);
    if (rc != CEL_OK)
        return rc;
    rc = cel_h5_file_start(cel_h5_file(ds));
    if (rc != CEL_OK)
        cel_h5_leave(entry);
    return rc;
}

int cel_h5_enter_var(struct cel_var *var, struct cel_h5_entry *entry)
{
    int rc = cel_h5_enter_file(var->group->dataset, entry);

    if (rc != CEL_OK)
        return rc;
    rc = cel_h5_var_open(var);
    if (rc != CEL_OK)
        cel_h5_leave(entry);
    return rc;
}
