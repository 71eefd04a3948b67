/* What lies in a folder of the store, in the order of keys. */
#include "mem.h"
#include "store_dir_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
    bool is_prefix;
    char name[];
};

/* Of a link it is told what it leads to, also when that is outside: who asks for a key
 * below it is told why there is none. */
static bool is_folder(int dirfd, const struct dirent *e)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
        return e->d_type == DT_DIR;
    return fstatat(dirfd, e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

static int add_entry(struct cel_vec *entries, int dirfd, const struct dirent *e)
{
    size_t len = strlen(e->d_name) + 1;
    struct entry *copy;

    if (!cel_store_part_is_legal(e->d_name, len - 1))
        return CEL_OK;
    copy = cel_malloc(sizeof *copy + len);
    if (!copy)
        return NC_ENOMEM;
    copy->is_prefix = is_folder(dirfd, e);
    memcpy(copy->name, e->d_name, len);
    if (cel_vec_add(entries, copy) == CEL_OK)
        return CEL_OK;
    free(copy);
    return NC_ENOMEM;
}

/* As keys sort: a folder counts as its name and the '/' that follows it. */
static int by_name(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    size_t n = 0;

    while (x->name[n] && x->name[n] == y->name[n])
        n++;
    return (x->name[n]     ? (unsigned char)x->name[n]
            : x->is_prefix ? '/'
                           : 0) -
           (y->name[n]     ? (unsigned char)y->name[n]
            : y->is_prefix ? '/'
                           : 0);
}

int cel_dir_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct cel_vec entries = {0};
    struct dirent *e;
    DIR *dir;
    int fd, rc = cel_dir_open(directory_of(s), *prefix ? prefix : ".", O_RDONLY | O_DIRECTORY, &fd);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT ? CEL_OK : rc;
    dir = fdopendir(fd);
    if (!dir) {
        rc = cel_store_failure("list", *prefix ? prefix : s->path);
        close(fd);
        return rc;
    }
    while (rc == CEL_OK && (errno = 0, e = readdir(dir)))
        rc = add_entry(&entries, fd, e);
    if (rc == CEL_OK && errno)
        rc = cel_store_failure("list", *prefix ? prefix : s->path);
    closedir(dir);
    if (entries.n)
        qsort(entries.at, entries.n, sizeof *entries.at, by_name);
    for (size_t i = 0; i < entries.n; i++) {
        struct entry *entry = entries.at[i];
        if (rc == CEL_OK)
            rc = visit(context, entry->name, entry->is_prefix);
        free(entry);
    }
    cel_vec_dispose(&entries);
    return rc;
}
