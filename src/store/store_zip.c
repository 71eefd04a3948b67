/* A store in a zip archive: opening, the scratch file, closing.
 *
 * Reading (store_zip_read.c): the central directory is read once (opening costs
 * O(entries)). Writing (store_zip_write.c): new values go to a scratch file beside
 * the archive; at close the archive is written anew, entries in the order of their
 * keys, and renamed over the old one. So the old archive is intact until the new
 * one is complete, the bytes do not depend on which thread wrote first, and no
 * space is lost. The scratch file is locked while in use: that is how a second
 * writer is told to wait, and how what a dead writer left is known. */
#include "mem.h"
#include "store_zip_int.h"
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void abandon(struct cel_store *s)
{
    (void)s; /* the archive itself is touched only by cel_zip_finish() */
}

static void free_zip(struct cel_store *s)
{
    struct zip *z = zip_of(s);

    if (z->scratch_path)
        unlink(z->scratch_path);
    free(z->scratch_path);
    if (z->scratch >= 0)
        close(z->scratch);
    if (z->archive >= 0)
        close(z->archive);
    cel_keys_dispose(&z->keys, free);
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
    .finish = cel_zip_finish,
    .abandon = abandon,
    .free = free_zip,
};

/* Another writer's scratch file for the same archive: locked means at work,
 * unlocked means its process died. */
static int look_at_other(struct zip *z, int dirfd, const char *name)
{
    int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;

    if (fd >= 0 && !busy)
        unlinkat(dirfd, name, 0);
    if (fd >= 0)
        close(fd);
    return busy ? cel_fail(NC_EPERM, "%s is being written by another process or file handle; close it there first",
                           z->store.path)
                : CEL_OK;
}

/* ".cellar-tmp-PID-SERIAL-<base>", or that with ".new". */
static bool names_archive(const char *name, const char *base)
{
    const char *tail = name;
    long pid;
    unsigned serial;
    int len = 0;

    if (sscanf(name, CEL_TMP_PREFIX "%ld-%u-%n", &pid, &serial, &len) < 2 || len == 0)
        return false;
    tail += len;
    return strncmp(tail, base, strlen(base)) == 0 &&
           (!tail[strlen(base)] || strcmp(tail + strlen(base), ".new") == 0);
}

static int look_for_others(struct zip *z, const char *folder, const char *base, const char *mine)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    int rc = CEL_OK;

    while (dir && rc == CEL_OK && (e = readdir(dir))) {
        if (strcmp(e->d_name, mine) != 0 && names_archive(e->d_name, base))
            rc = look_at_other(z, dirfd(dir), e->d_name);
    }
    if (dir)
        closedir(dir);
    return rc;
}

static int open_scratch(struct zip *z)
{
    static _Atomic unsigned serial;
    struct cel_buf mine = CEL_BUF_INIT(1 << 20), path = CEL_BUF_INIT(1 << 20);
    char *one = cel_strdup(z->store.path), *two = cel_strdup(z->store.path);
    const char *folder = one ? dirname(one) : NULL, *base = two ? basename(two) : NULL;
    int rc = folder && base ? cel_buf_printf(&mine, CEL_TMP_PREFIX "%ld-%u-%s", (long)getpid(),
                                             atomic_fetch_add(&serial, 1), base)
                            : NC_ENOMEM;

    if (rc == CEL_OK)
        rc = cel_buf_printf(&path, "%s/%s", folder, mine.data);
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&path, &z->scratch_path);
    if (rc == CEL_OK && (z->scratch = open(z->scratch_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0) {
        rc = cel_store_failure("create a file beside it", z->store.path);
        free(z->scratch_path);
        z->scratch_path = NULL;
    }
    if (rc == CEL_OK && flock(z->scratch, LOCK_EX | LOCK_NB) != 0)
        rc = cel_store_failure("lock", z->scratch_path);
    if (rc == CEL_OK)
        rc = look_for_others(z, folder, base, mine.data);
    cel_buf_dispose(&mine);
    cel_buf_dispose(&path);
    free(one);
    free(two);
    return rc;
}

static int open_archive(struct zip *z, enum cel_store_mode mode)
{
    struct stat st;

    if (mode == CEL_STORE_REPLACE || mode == CEL_STORE_CREATE) {
        z->store.created = true;
        if (mode == CEL_STORE_CREATE && access(z->store.path, F_OK) == 0)
            return cel_fail(NC_EEXIST, "%s exists already", z->store.path);
        return CEL_OK;
    }
    z->archive = open(z->store.path, O_RDONLY | O_CLOEXEC);
    if (z->archive < 0 || fstat(z->archive, &st) != 0)
        return cel_store_failure("open", z->store.path);
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
    cel_mutex_init(&z->lock);
    rc = cel_store_init(&z->store, &ops, path, mode);
    if (rc == CEL_OK)
        rc = open_archive(z, mode);
    if (rc == CEL_OK && mode != CEL_STORE_READ)
        rc = open_scratch(z);
    if (rc != CEL_OK) {
        cel_store_abandon(&z->store);
        return rc;
    }
    *out = &z->store;
    return CEL_OK;
}
