/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory is a store when it holds a document of Zarr; a file is a dataset by its first bytes. */

#include "filelist.h"
#include "msg.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct filelist *list, const char *path)
{
    list->at = tool_push(list->at, list->n, sizeof *list->at);
    list->at[list->n++] = tool_strdup(path);
}

static char *join(const char *folder, const char *name)
{
    struct text t = {0};

    text_printf(&t, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    return text_take(&t);
}

static bool is_store(const char *folder)
{
    static const char *const document[] = {".zgroup", ".zarray", ".zmetadata", "zarr.json"};
    struct stat at;
    bool found = false;

    for (size_t i = 0; !found && i < sizeof document / sizeof *document; i++) {
        char *path = join(folder, document[i]);

        found = stat(path, &at) == 0 && S_ISREG(at.st_mode);
        free(path);
    }
    return found;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A zip archive may be anything; one that is meant as a store says so in its name. */
static bool is_dataset(const char *path)
{
    unsigned char head[8] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;

    if (f)
        fclose(f);
    return (n >= 4 && memcmp(head, "CDF", 3) == 0 && strchr("\1\2\5", head[3]) && head[3]) ||
           (n == 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0) ||
           (n >= 4 && memcmp(head, "PK\3\4", 4) == 0 && (ends_with(path, ".zarr.zip") || ends_with(path, ".zarr"))) ||
           ends_with(path, ".nc") || ends_with(path, ".nc4") || ends_with(path, ".h5");
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool add_folder(struct filelist *list, const char *folder);

/* Links to files are followed; links to directories are not, as they may lead back to a parent. */
static bool add_entry(struct filelist *list, const char *path)
{
    struct stat at;
    bool ok = true;

    if (lstat(path, &at) == 0 && S_ISDIR(at.st_mode))
        ok = add_folder(list, path);
    else if (stat(path, &at) == 0 && S_ISREG(at.st_mode) && is_dataset(path))
        add(list, path);
    else
        list->passed_over++;
    return ok;
}

static bool add_folder(struct filelist *list, const char *folder)
{
    struct dirent **entry;
    bool ok = true;
    int n;

    if (is_store(folder)) {
        add(list, folder);
        return true;
    }
    n = scandir(folder, &entry, visible, alphasort);
    if (n < 0) {
        msg_error("%s: %s", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        char *path = join(folder, entry[i]->d_name);

        ok = add_entry(list, path) && ok;
        free(path);
        free(entry[i]);
    }
    free(entry);
    return ok;
}

bool filelist_add(struct filelist *list, const char *operand)
{
    struct stat at;
    size_t before = list->n;
    bool ok = true;

    if (stat(operand, &at) == 0 && S_ISDIR(at.st_mode))
        ok = add_folder(list, operand);
    else
        add(list, operand);
    if (ok && list->n == before)
        msg_error("%s: there is no dataset in it", operand);
    return ok && list->n > before;
}

void filelist_free(struct filelist *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i]);
    free(list->at);
    *list = (struct filelist){0};
}
