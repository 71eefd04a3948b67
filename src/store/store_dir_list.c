/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies in a folder of the store, in the order of keys. */
#include "listing.h"
#include "store_dir_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Of a link it is told what it leads to, also when that is outside: who asks for a key
 * below it is told why there is none. */
static bool is_folder(int dirfd, const struct dirent *e)
{
    struct stat st;

    if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
        return e->d_type == DT_DIR;
    return fstatat(dirfd, e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

int cel_dir_list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    struct cel_listing names = {0};
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
        rc = cel_listing_add(&names, e->d_name, strlen(e->d_name), is_folder(fd, e));
    if (rc == CEL_OK && errno)
        rc = cel_store_failure("list", *prefix ? prefix : s->path);
    closedir(dir);
    if (rc == CEL_OK)
        rc = cel_listing_visit(&names, visit, context);
    cel_listing_dispose(&names);
    return rc;
}
