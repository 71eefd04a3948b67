/* SPDX-License-Identifier: BSD-3-Clause */
/* On the same host a free lock means that its holder has ended. On other hosts it does not, as some network file
 * systems have separate locks on each node: what another host left is removed after a day. */

#include "tmpfolder.h"
#include "msg.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_PART_MAX = 180, OLD_SECONDS = 24 * 60 * 60 };

/* --- names --------------------------------------------------------------------------- */
char *tmpfolder_directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return tool_strdup(".");
    return tool_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

const char *tmpfolder_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ".<name>.cellar-" */
static char *prefix_of(const char *target)
{
    struct text t = {0};

    text_printf(&t, ".%.*s.cellar-", NAME_PART_MAX, tmpfolder_name_of(target));
    return text_take(&t);
}

/* Linux's boot id: the same in all containers of a machine. */
static const char *host(void)
{
    static char name[16];
    char text[256] = "";
    FILE *f = *name ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");
    unsigned hash = 2166136261u;

    if (*name)
        return name;
    if (!f || !fgets(text, sizeof text, f))
        gethostname(text, sizeof text - 1);
    if (f)
        fclose(f);
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    snprintf(name, sizeof name, "n%08x-", hash);
    return name;
}

static char *inside(const char *folder, const char *name)
{
    struct text t = {0};

    text_printf(&t, "%s/%s", folder, name);
    return text_take(&t);
}

/* --- removing ------------------------------------------------------------------------ */
static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        struct stat st;
        char *each;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        each = inside(path, e->d_name);
        if (lstat(each, &st) == 0 && S_ISDIR(st.st_mode))
            remove_tree(each);
        else
            unlink(each);
        free(each);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* Other threads may still be adding files: again until nothing is left. */
void tmpfolder_remove(const char *path)
{
    struct stat st;

    for (int tries = 0; tries < 50 && lstat(path, &st) == 0; tries++) {
        if (S_ISDIR(st.st_mode))
            remove_tree(path);
        else
            unlink(path);
    }
}

static bool is_left(const char *path, const char *after_prefix)
{
    char *name = inside(path, "lock");
    struct stat st;
    int fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool mine = strncmp(after_prefix, host(), strlen(host())) == 0;
    bool unlocked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0, busy = fd >= 0 && !unlocked && errno == EWOULDBLOCK;
    bool old = lstat(path, &st) == 0 && time(NULL) - st.st_mtime > OLD_SECONDS &&
               (fd < 0 || (fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > OLD_SECONDS));

    if (fd >= 0)
        close(fd);
    free(name);
    return !busy && (old || (mine && unlocked));
}

void tmpfolder_remove_left(const char *target)
{
    char *where = tmpfolder_directory_of(target), *prefix = prefix_of(target);
    DIR *dir = opendir(where);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        char *path;
        if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        path = inside(where, e->d_name);
        if (rmdir(path) != 0 && is_left(path, e->d_name + strlen(prefix))) /* an empty one is remade by who needs it */
            tmpfolder_remove(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(where);
    free(prefix);
}

/* --- making --------------------------------------------------------------------------- */

/* Takes the lock, by a descriptor that stays open. False: another run has meanwhile taken the folder for one left
 * behind, and removed it. */
static bool hold(const char *folder)
{
    char *name = inside(folder, "lock");
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error = errno;
    struct stat st;
    bool is_locked = fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 &&
                     st.st_nlink > 0;

    if (fd >= 0 && !is_locked) {
        close(fd);
        error = ENOENT;
    }
    free(name);
    errno = error;
    return is_locked;
}

static char *try_to_make(const char *target)
{
    char *where = tmpfolder_directory_of(target), *prefix = prefix_of(target);
    struct text t = {0};
    char *path;

    if (strchr(target, '/'))
        text_printf(&t, "%s/", where);
    text_printf(&t, "%s%sXXXXXX", prefix, host());
    path = text_take(&t);
    free(where);
    free(prefix);
    if (mkdtemp(path) && hold(path))
        return path;
    free(path);
    return NULL;
}

char *tmpfolder_make(const char *target)
{
    char *path = NULL;

    for (int tries = 0; !path && tries < 100; tries++) {
        path = try_to_make(target);
        if (!path && errno != ENOENT)
            break;
    }
    return path;
}
