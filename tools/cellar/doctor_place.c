/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables, plugins, file locks. */

#include "cellar.h"
#include "doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static struct doctor_variable variables[] = {
    {"CELLAR_NUM_THREADS", "how many threads encode and decode", NULL},
    {"CELLAR_PLUGINS", "prefer: plugins win over built-in filters", NULL},
    {"CELLAR_STRICT", "requests that cannot be kept fail, where else a warning is noted", NULL},
    {"CELLAR_STATS", "what is read and written is noted in this file (cellar run --stats)", NULL},
    {"CELLAR_TRACE", "a timeline of what is done is written to this file (cellar run --trace)", NULL},
    {"CELLAR_UNTRUSTED", "files are read without libhdf5 and plugins, and lead to no other file", NULL},
    {"CELLAR_HUGE_PAGES", "0: large reads into fresh memory do not ask for huge pages", NULL},
    {"CELLAR_FSYNC", "nc_sync() waits until the bytes are on the disk", NULL},
    {"CELLAR_MAX_DECODED", "how much memory a small file may ask for", NULL},
    {"CELLAR_CA_BUNDLE", "whose certificates are believed, of servers of datasets", NULL},
    {"CELLAR_CACHE", "where what was read from servers is kept, and how much", NULL},
    {"CELLAR_HTTP_REQUESTS", "how many requests to servers are under way at most", NULL},
    {"CELLAR_HTTP_RETRIES", "how often a request that failed is made again", NULL},
    {"CELLAR_HTTP_TIMEOUT", "seconds after which a silent server is given up", NULL},
    {"CELLAR_FOLLOW_LINKS", "symbolic links that lead out of a Zarr directory are followed", NULL},
    {"HDF5_PLUGIN_PATH", "directories with plugins", NULL},
    {"HDF5_EXTFILE_PREFIX", "where libhdf5 looks for raw data in other files", NULL},
    {"HDF5_PLUGIN_PRELOAD", "::  no plugin is loaded", NULL},
    {"HDF5_USE_FILE_LOCKING", "FALSE: files are not locked while they are open", NULL},
    {"NETCDF_LOG_LEVEL", "how much the library tells on standard error", NULL},
    {"NCLOGGING", "set: the library tells its errors on standard error", NULL},
};

size_t doctor_environment(const struct doctor_variable **out)
{
    size_t n = sizeof variables / sizeof *variables;

    for (size_t i = 0; i < n; i++)
        variables[i].value = getenv(variables[i].name);
    *out = variables;
    return n;
}

static void add(struct doctor_notes *out, const char *path, const char *why)
{
    out->at = tool_push(out->at, out->n, sizeof *out->at);
    out->at[out->n++] = (struct doctor_note){tool_strdup(path), why ? tool_strdup(why) : NULL};
}

void doctor_passed_over(struct doctor_notes *out)
{
    char *path, *why;

    *out = (struct doctor_notes){0};
    while (cellar_inq_plugin_note((int)out->n, &path, &why) == NC_NOERR) {
        add(out, path, why);
        cellar_free(path);
        cellar_free(why);
    }
}

void doctor_plugin_path(struct doctor_notes *out)
{
    NCPluginList list = {0};

    *out = (struct doctor_notes){0};
    if (nc_plugin_path_get(&list) != NC_NOERR)
        return;
    for (size_t i = 0; i < list.ndirs; i++) {
        add(out, list.dirs[i], NULL);
        free(list.dirs[i]);
    }
    free(list.dirs);
}

void doctor_notes_free(struct doctor_notes *n)
{
    for (size_t i = 0; i < n->n; i++) {
        free(n->at[i].path);
        free(n->at[i].why);
    }
    free(n->at);
}

/* As HDF5 does it, shared and without waiting; a directory can be asked as well as a file. */
char *doctor_locking(const char *path)
{
    struct text why = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        text_printf(&why, "it cannot be opened: %s", strerror(errno));
        return text_take(&why);
    }
    if (flock(fd, LOCK_SH | LOCK_NB) == 0)
        flock(fd, LOCK_UN);
    else if (errno == EWOULDBLOCK)
        text_puts(&why, "another process has it open for writing: wait until it is closed");
    else
        text_printf(&why, "%s: set HDF5_USE_FILE_LOCKING=FALSE, and see yourself that nobody writes what you read",
                    strerror(errno));
    close(fd);
    return why.len ? text_take(&why) : NULL;
}
