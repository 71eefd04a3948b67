/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables, plugins, file locks. */

#include "cellar.h"
#include "doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf_filter.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The same rules as in src/base/env.c, which ignores what does not follow them. */
static bool is_number(const struct doctor_variable *v)
{
    char *end;
    unsigned long long n = strtoull(v->value, &end, 10);

    return v->value[0] != '-' && !*end && n >= v->min && n <= v->max;
}

static bool says_size(const char *text)
{
    static const char units[] = "KMG";
    const char *unit;
    unsigned long long n;
    char *end;

    errno = 0;
    n = strtoull(text, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    return *text >= '0' && *text <= '9' && !errno && (!*end || (unit && !end[1])) &&
           n <= SIZE_MAX >> (unit ? 10 * (unit - units + 1) : 0);
}

static bool is_size(const struct doctor_variable *v)
{
    return says_size(v->value);
}

static bool is_folder_and_size(const struct doctor_variable *v)
{
    const char *colon = strrchr(v->value, ':');

    return colon && colon > v->value && says_size(colon + 1);
}

static bool is_prefer(const struct doctor_variable *v)
{
    return strcmp(v->value, "prefer") == 0;
}

static struct doctor_variable variables[] = {
    {.name = "CELLAR_NUM_THREADS",
     .does = "how many threads encode and decode",
     .must = "a whole number from 1 to 1024",
     .accepts = is_number,
     .min = 1,
     .max = 1024},
    {.name = "CELLAR_PLUGINS",
     .does = "prefer: plugins win over built-in filters",
     .must = "prefer",
     .accepts = is_prefer},
    {.name = "CELLAR_STRICT", .does = "requests that cannot be kept fail, where else a warning is noted"},
    {.name = "CELLAR_STATS", .does = "what is read and written is noted in this file (cellar run --stats)"},
    {.name = "CELLAR_TRACE", .does = "a timeline of what is done is written to this file (cellar run --trace)"},
    {.name = "CELLAR_UNTRUSTED", .does = "files are read without libhdf5 and plugins, and lead to no other file"},
    {.name = "CELLAR_HUGE_PAGES", .does = "0: large reads into fresh memory do not ask for huge pages"},
    {.name = "CELLAR_FSYNC", .does = "nc_sync() waits until the bytes are on the disk"},
    {.name = "CELLAR_MAX_DECODED",
     .does = "how much memory a small file may ask for",
     .must = "a number of bytes, or one with K, M or G",
     .accepts = is_size},
    {.name = "CELLAR_CA_BUNDLE", .does = "whose certificates are believed, of servers of datasets"},
    {.name = "CELLAR_CACHE",
     .does = "where what was read from servers is kept, and how much",
     .must = "folder:size, the size in bytes, or with K, M or G",
     .accepts = is_folder_and_size},
    {.name = "CELLAR_HTTP_REQUESTS",
     .does = "how many requests to servers are under way at most",
     .must = "a whole number from 1 to 1024",
     .accepts = is_number,
     .min = 1,
     .max = 1024},
    {.name = "CELLAR_HTTP_RETRIES",
     .does = "how often a request that failed is made again",
     .must = "a whole number from 0 to 100",
     .accepts = is_number,
     .max = 100},
    {.name = "CELLAR_HTTP_TIMEOUT",
     .does = "seconds after which a silent server is given up",
     .must = "a whole number from 1 to 86400",
     .accepts = is_number,
     .min = 1,
     .max = 86400},
    {.name = "CELLAR_FOLLOW_LINKS", .does = "symbolic links that lead out of a Zarr directory are followed"},
    {.name = "HDF5_PLUGIN_PATH", .does = "directories with plugins"},
    {.name = "HDF5_EXTFILE_PREFIX", .does = "where libhdf5 looks for raw data in other files"},
    {.name = "HDF5_PLUGIN_PRELOAD", .does = "::  no plugin is loaded"},
    {.name = "HDF5_USE_FILE_LOCKING", .does = "FALSE: files are not locked while they are open"},
    {.name = "NETCDF_LOG_LEVEL",
     .does = "how much the library tells on standard error",
     .must = "a whole number from 0 to 100",
     .accepts = is_number,
     .max = 100},
    {.name = "NCLOGGING", .does = "set: the library tells its errors on standard error"},
};

size_t doctor_environment(const struct doctor_variable **out)
{
    size_t n = sizeof variables / sizeof *variables;

    for (size_t i = 0; i < n; i++) {
        struct doctor_variable *v = &variables[i];

        v->value = getenv(v->name);
        v->ignored = v->value && *v->value && v->accepts && !v->accepts(v);
    }
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
