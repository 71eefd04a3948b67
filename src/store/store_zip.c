/* A store in a zip archive: opening, the scratch file, closing.
 *
 * Reading (store_zip_read.c): the central directory is read once (opening costs
 * O(entries)). Writing (store_zip_write.c): new values go to a scratch file beside
 * the archive; at a sync and at close a new archive is made of both and renamed over the
 * old one (store_zip_publish.c). So there is a complete archive at any moment, and at close
 * its bytes do not depend on which thread wrote first, and no space is lost. The
 * scratch file is locked while in use: that is how a second writer is told to wait, and
 * how what a dead writer left is known. */
#include "env.h"
#include "mem.h"
#include "store_zip_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BASE_MAX = 180 }; /* bytes of the archive's name in the scratch file's, which must not be too long */

void cel_zip_begin(struct zip *z)
{
    cel_lock(&z->lock);
    while (z->publishing)
        cel_cond_wait(&z->idle, &z->lock);
    z->users++;
    cel_unlock(&z->lock);
}

void cel_zip_end(struct zip *z)
{
    cel_lock(&z->lock);
    if (--z->users == 0)
        cel_cond_wake_all(&z->idle);
    cel_unlock(&z->lock);
}

static void abandon(struct cel_store *s)
{
    (void)s; /* the archive is as it was when it was last synchronised */
}

static void free_zip(struct cel_store *s)
{
    struct zip *z = zip_of(s);

    if (z->scratch_path && z->owner == getpid())
        unlink(z->scratch_path);
    if (z->scratch >= 0) {
        if (z->owner == getpid())
            cel_tmp_unlock(z->scratch);
        close(z->scratch);
    }
    if (z->archive >= 0)
        close(z->archive);
    free(z->scratch_path);
    free(z->target);
    cel_keys_dispose(&z->keys, free);
    cel_cond_dispose(&z->idle);
    cel_mutex_dispose(&z->lock);
    free(z);
}

static const struct cel_store_ops ops = {
    .name = "zip",
    .get = cel_zip_get,
    .get_range = cel_zip_get_range,
    .size = cel_zip_size,
    .put = cel_zip_put,
    .erase = cel_zip_erase,
    .list = cel_zip_list,
    .sync = cel_zip_sync,
    .finish = cel_zip_finish,
    .abandon = abandon,
    .free = free_zip,
};

/* --- the archive's own path ------------------------------------------------------------ */

/* A link stays: what it leads to is written anew, in its own folder. */
static int find_target(struct zip *z)
{
    const char *path = z->store.path, *slash = strrchr(path, '/');
    struct cel_buf full = CEL_BUF_INIT(1 << 20);
    struct stat st;
    char *folder;
    int rc;

    z->target = realpath(path, NULL);
    if (z->target)
        return CEL_OK;
    if (errno != ENOENT)
        return cel_store_failure("find", path);
    if (lstat(path, &st) == 0)
        return cel_fail(NC_EIO, "%s: it is a symbolic link that leads nowhere; remove it, or make what it leads to",
                        path);
    folder = cel_strndup(slash ? path : "./", slash ? (size_t)(slash - path) + 1 : 2);
    z->target = folder ? realpath(folder, NULL) : NULL;
    rc = z->target ? cel_buf_printf(&full, "%s/%s", z->target, slash ? slash + 1 : path)
                   : cel_store_failure("find the folder of", path);
    free(z->target);
    z->target = NULL;
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&full, &z->target);
    cel_buf_dispose(&full);
    free(folder);
    return rc;
}

static const char *base_of(const struct zip *z)
{
    return strrchr(z->target, '/') + 1;
}

static int in_folder(const struct zip *z, const char *name, char **out)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    int rc = cel_buf_printf(&path, "%.*s%s", (int)(base_of(z) - z->target), z->target, name);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, out);
    cel_buf_dispose(&path);
    return rc;
}

/* --- the scratch file --------------------------------------------------------------------- */

/* Another writer's temporary file: locked means at work, else its process may have died. */
static int check_other(struct zip *z, int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool busy = false;

    if (fd < 0)
        return CEL_OK;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (cel_tmp_is_left(fd, name, cel_tmp_is_old(fd)))
            unlinkat(folder, name, 0);
        else
            busy = cel_tmp_lock(fd) != 0 && errno == EWOULDBLOCK;
    }
    close(fd);
    return busy ? cel_fail(NC_EPERM, "%s is being written by another process or file handle; close it there first",
                           z->store.path)
                : CEL_OK;
}

/* ".cellar-tmp-HOST-RANDOM-<base>" */
static bool names_archive(const struct zip *z, const char *name)
{
    char pattern[CEL_TMP_NAME];
    size_t n;

    cel_tmp_name(pattern);
    n = strlen(pattern);
    return cel_tmp_is_named(name) && strlen(name) > n && name[n] == '-' &&
           strncmp(name + n + 1, base_of(z), BASE_MAX) == 0;
}

static int check_others(struct zip *z)
{
    char *folder = NULL;
    int rc = in_folder(z, "", &folder);
    const char *mine = z->scratch_path + (base_of(z) - z->target);
    DIR *dir = rc == CEL_OK ? opendir(folder) : NULL;
    struct dirent *e;

    while (dir && rc == CEL_OK && (e = readdir(dir)))
        if (strcmp(e->d_name, mine) != 0 && names_archive(z, e->d_name))
            rc = check_other(z, dirfd(dir), e->d_name);
    if (dir)
        closedir(dir);
    free(folder);
    return rc;
}

/* CEL_SKIP: the name is taken. */
static int try_to_create(struct zip *z, mode_t mode, char **path, int *fd)
{
    struct cel_buf name = CEL_BUF_INIT(1 << 20);
    char tmp[CEL_TMP_NAME];
    int rc;

    cel_tmp_name(tmp);
    rc = cel_buf_printf(&name, "%s-%.*s", tmp, BASE_MAX, base_of(z));
    if (rc == CEL_OK)
        rc = in_folder(z, name.data, path);
    cel_buf_dispose(&name);
    if (rc != CEL_OK)
        return rc;
    *fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (*fd >= 0)
        return CEL_OK;
    free(*path);
    *path = NULL;
    return errno == EEXIST ? CEL_SKIP : cel_store_failure("create a file beside it", z->store.path);
}

int cel_zip_create_beside(struct zip *z, mode_t mode, char **path, int *fd)
{
    int rc, tries = 100;

    do
        rc = try_to_create(z, mode, path, fd);
    while (rc == CEL_SKIP && --tries > 0);
    if (rc == CEL_OK && cel_tmp_lock(*fd) != 0 && errno == EWOULDBLOCK) /* one that looks for dead writers has it */
        return cel_fail(NC_EPERM, "%s is being opened by another process; try again", z->store.path);
    return rc == CEL_SKIP ? cel_store_failure("create a file beside it", z->store.path) : rc;
}

static int open_scratch(struct zip *z)
{
    int rc = cel_zip_create_beside(z, 0600, &z->scratch_path, &z->scratch);

    z->owner = getpid();
    return rc == CEL_OK ? check_others(z) : rc;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int open_archive(struct zip *z, enum cel_store_mode mode)
{
    struct stat st;

    if (mode == CEL_STORE_REPLACE || mode == CEL_STORE_CREATE) {
        z->store.created = true;
        if (mode == CEL_STORE_CREATE && access(z->store.path, F_OK) == 0)
            return cel_fail(NC_EEXIST, "%s exists already", z->store.path);
        return CEL_OK;
    }
    z->archive = open(z->store.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (z->archive < 0 || fstat(z->archive, &st) != 0)
        return cel_store_failure("open", z->store.path);
    if (!S_ISREG(st.st_mode))
        return cel_fail(NC_EIO, "%s: it is no regular file, so no zip archive", z->store.path);
    z->archive_size = (uint64_t)st.st_size;
    return cel_zip_load_directory(z);
}

int cel_store_open_zip(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct zip *z = cel_calloc(1, sizeof *z);
    int rc;

    *out = NULL;
    if (!z)
        return NC_ENOMEM;
    z->archive = z->scratch = -1;
    z->flush = cel_env_fsync();
    cel_mutex_init(&z->lock);
    cel_cond_init(&z->idle);
    rc = cel_store_init(&z->store, &ops, path, mode);
    if (rc == CEL_OK)
        rc = open_archive(z, mode);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = find_target(z);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = open_scratch(z);
    if (rc != CEL_OK) {
        cel_store_abandon(&z->store);
        return rc;
    }
    *out = &z->store;
    return CEL_OK;
}
