/* A store in a directory: one file per key. A value is written to a temporary
 * file in the store's root and renamed, so that a reader, or a crash, finds the
 * old value or the new one. No lock: the file system keeps order. */
#include "mem.h"
#include "store_dir_int.h"
#include "vec.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* No such file, or a key whose parent is itself a file: simply not there. */
static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR;
}

static int open_value(struct directory *d, const char *key, int *fd, struct stat *st)
{
    *fd = openat(d->fd, key, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return is_absence(errno) ? CEL_ABSENT : cel_store_failure("open", key);
    if (fstat(*fd, st) == 0 && S_ISREG(st->st_mode))
        return CEL_OK;
    close(*fd);
    return CEL_ABSENT;
}

int cel_dir_read(int fd, const char *key, uint64_t offset, char *dst, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(fd, dst, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cel_store_failure("read", key);
        if (got == 0)
            return cel_fail(NC_EIO, "%s: the file ends %zu bytes too early", key, n);
        dst += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return CEL_OK;
}

static int get(struct cel_store *s, const char *key, struct cel_buf *out)
{
    struct stat st;
    int fd, rc = open_value(directory_of(s), key, &fd, &st);

    if (rc != CEL_OK)
        return rc;
    rc = cel_buf_resize(out, (size_t)st.st_size);
    if (rc == CEL_OK)
        rc = cel_dir_read(fd, key, 0, out->data, out->len);
    close(fd);
    return rc;
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* A value that is replaced has another file, which may get the number of a file that is
 * gone, but not its times. */
static void mark_of(const struct stat *st, struct cel_store_mark *out)
{
    *out = (struct cel_store_mark){true, {st->st_dev, st->st_ino, (uint64_t)st->st_size, nanoseconds(&st->st_mtim),
                                          nanoseconds(&st->st_ctim), 0}};
}

/* Clocks tick: within the tick of its last change a file could be replaced twice and look
 * the same. A mark made so early is like no other one. */
static void distrust_if_young(struct directory *d, const struct stat *st, struct cel_store_mark *mark)
{
    const int64_t tick = 50 * 1000000;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if ((int64_t)(nanoseconds(&now) - nanoseconds(&st->st_ctim)) < tick)
        mark->word[5] = atomic_fetch_add(&d->looks, 1) + 1;
}

static int look(struct cel_store *s, const char *key, struct cel_store_mark *mark, uint64_t *size)
{
    struct directory *d = directory_of(s);
    struct stat st;

    if (fstatat(d->fd, key, &st, 0) != 0)
        return is_absence(errno) ? CEL_ABSENT : cel_store_failure("look at", key);
    if (!S_ISREG(st.st_mode))
        return CEL_ABSENT;
    *size = (uint64_t)st.st_size;
    mark_of(&st, mark);
    distrust_if_young(d, &st, mark);
    return CEL_OK;
}

static bool is_marked(const struct stat *st, const struct cel_store_mark *mark)
{
    struct cel_store_mark now;

    mark_of(st, &now);
    now.word[5] = mark->word[5];
    return cel_store_mark_same(mark, &now);
}

static int get_range_of(struct cel_store *s, const char *key, const struct cel_store_mark *mark, uint64_t offset, size_t n,
                        void *dst)
{
    struct stat st;
    int fd, rc = open_value(directory_of(s), key, &fd, &st);

    if (rc != CEL_OK)
        return rc == CEL_ABSENT && mark ? CEL_STALE : rc;
    rc = mark && !is_marked(&st, mark) ? CEL_STALE : cel_dir_read(fd, key, offset, dst, n);
    close(fd);
    return rc;
}

static int get_range(struct cel_store *s, const char *key, uint64_t offset, size_t n, void *dst)
{
    return get_range_of(s, key, NULL, offset, n, dst);
}

static int size(struct cel_store *s, const char *key, uint64_t *out)
{
    struct stat st;

    if (fstatat(directory_of(s)->fd, key, &st, 0) != 0)
        return is_absence(errno) ? CEL_ABSENT : cel_store_failure("look at", key);
    *out = (uint64_t)st.st_size;
    return S_ISREG(st.st_mode) ? CEL_OK : CEL_ABSENT;
}

/* The parts that are left once `done` bytes are written. */
static int skip_parts(struct iovec *part, int n, size_t done)
{
    int first = 0;

    while (first < n && done >= part[first].iov_len)
        done -= part[first++].iov_len;
    if (first < n) {
        part[first].iov_base = (char *)part[first].iov_base + done;
        part[first].iov_len -= done;
    }
    memmove(part, part + first, (size_t)(n - first) * sizeof *part);
    return n - first;
}

static int write_few(int fd, const char *what, uint64_t offset, struct iovec *part, int n)
{
    while ((n = skip_parts(part, n, 0)) > 0) {
        ssize_t put = pwritev(fd, part, n, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cel_store_failure("write", what);
        offset += (uint64_t)put;
        n = skip_parts(part, n, (size_t)put);
    }
    return CEL_OK;
}

int cel_dir_write(int fd, const char *what, uint64_t offset, const struct cel_bytes *part, size_t n)
{
    struct iovec few[64];
    int rc = CEL_OK;

    for (size_t at = 0; rc == CEL_OK && at < n;) {
        uint64_t from = offset;
        int k = 0;

        for (; k < 64 && at < n; k++, at++) {
            few[k] = (struct iovec){(void *)part[at].data, part[at].n};
            offset += part[at].n;
        }
        rc = write_few(fd, what, from, few, k);
    }
    return rc;
}

/* The folders above a key. */
static int make_parents(struct directory *d, const char *key)
{
    char *path = cel_strdup(key);
    int rc = path ? CEL_OK : NC_ENOMEM;

    for (char *slash = path ? strchr(path, '/') : NULL; rc == CEL_OK && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(d->fd, path, 0777) != 0 && errno != EEXIST)
            rc = cel_store_failure("make the folder", path);
        *slash = '/';
    }
    free(path);
    return rc;
}

static int rename_to(struct directory *d, const char *tmp, const char *key)
{
    int rc;

    if (renameat(d->fd, tmp, d->fd, key) == 0)
        return CEL_OK;
    if (errno != ENOENT) /* else the folders above are not there yet */
        return cel_store_failure("put in place", key);
    rc = make_parents(d, key);
    if (rc == CEL_OK && renameat(d->fd, tmp, d->fd, key) != 0)
        rc = cel_store_failure("put in place", key);
    return rc;
}

int cel_dir_rename(struct directory *d, const char *tmp, const char *key)
{
    int rc = rename_to(d, tmp, key);

    if (rc == CEL_OK)
        cel_dir_touch(d, key);
    return rc;
}

int cel_dir_make_temporary(struct directory *d, char name[CEL_TMP_NAME], int *fd)
{
    snprintf(name, CEL_TMP_NAME, CEL_TMP_PREFIX "%ld-%u", (long)getpid(), atomic_fetch_add(&d->serial, 1));
    *fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return *fd < 0 ? cel_store_failure("make a temporary file in it", d->store.path) : CEL_OK;
}

static int put(struct cel_store *s, const char *key, const void *data, size_t n)
{
    struct directory *d = directory_of(s);
    char tmp[CEL_TMP_NAME];
    int fd, rc = cel_dir_make_temporary(d, tmp, &fd);

    if (rc != CEL_OK)
        return cel_fail_in(rc, "%s", key);
    rc = cel_dir_write(fd, key, 0, &(struct cel_bytes){data, n}, 1);
    if (close(fd) != 0 && rc == CEL_OK)
        rc = cel_store_failure("write", key);
    if (rc == CEL_OK)
        rc = cel_dir_rename(d, tmp, key);
    if (rc != CEL_OK)
        unlinkat(d->fd, tmp, 0);
    return rc;
}

static int erase(struct cel_store *s, const char *key)
{
    if (unlinkat(directory_of(s)->fd, key, 0) != 0)
        return is_absence(errno) ? CEL_ABSENT : cel_store_failure("remove", key);
    cel_dir_touch(directory_of(s), key);
    return CEL_OK;
}

/* --- listing ---------------------------------------------------------------- */

struct entry {
    bool is_prefix;
    char name[];
};

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

    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
        strncmp(e->d_name, CEL_TMP_PREFIX, strlen(CEL_TMP_PREFIX)) == 0)
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
    return (x->name[n] ? (unsigned char)x->name[n] : x->is_prefix ? '/' : 0) -
           (y->name[n] ? (unsigned char)y->name[n] : y->is_prefix ? '/' : 0);
}

/* The folder `path` below the root as a stream; NULL when there is none. */
static DIR *open_folder(struct directory *d, const char *path)
{
    int fd = openat(d->fd, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

static int list(struct cel_store *s, const char *prefix, cel_store_visit *visit, void *context)
{
    DIR *dir = open_folder(directory_of(s), prefix);
    struct cel_vec entries = {0};
    struct dirent *e;
    int rc = CEL_OK;

    if (!dir)
        return is_absence(errno) ? CEL_OK : cel_store_failure("list", *prefix ? prefix : s->path);
    while (rc == CEL_OK && (e = readdir(dir)))
        rc = add_entry(&entries, dirfd(dir), e);
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

/* --- life ------------------------------------------------------------------- */

/* Remove a folder and all below it. */
static int remove_tree(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = CEL_OK;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;

    if (!dir)
        return unlinkat(at, name, 0) == 0 ? CEL_OK : cel_store_failure("remove", name);
    while (rc == CEL_OK && (e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = remove_tree(fd, e->d_name);
    closedir(dir);
    if (rc == CEL_OK && unlinkat(at, name, AT_REMOVEDIR) != 0)
        rc = cel_store_failure("remove", name);
    return rc;
}

int cel_store_remove_dir(const char *path)
{
    return remove_tree(AT_FDCWD, path);
}

/* What writers that died left behind. */
static void remove_stale_files(struct directory *d)
{
    DIR *dir = open_folder(d, "");
    struct dirent *e;
    long pid;

    while (dir && (e = readdir(dir)))
        if (sscanf(e->d_name, CEL_TMP_PREFIX "%ld-", &pid) == 1 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(d->fd, e->d_name, 0);
    if (dir)
        closedir(dir);
}

/* An open of its own for each lock: flock() goes by the open file, so threads of
 * one process, too, wait for each other. */
static int lock_directory(struct cel_store *s, enum cel_store_lock how, int *fd)
{
    *fd = openat(directory_of(s)->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return cel_store_failure("open the folder", s->path);
    while (flock(*fd, how == CEL_LOCK_ALONE ? LOCK_EX : LOCK_SH) != 0)
        if (errno != EINTR) {
            int rc = cel_store_failure("lock the folder", s->path);
            close(*fd);
            *fd = -1;
            return rc;
        }
    return CEL_OK;
}

static int finish(struct cel_store *s)
{
    (void)s;
    return CEL_OK;
}

static void abandon(struct cel_store *s)
{
    if (s->created)
        remove_tree(AT_FDCWD, s->path);
}

static void free_directory(struct cel_store *s)
{
    struct directory *d = directory_of(s);

    if (d->fd >= 0)
        close(d->fd);
    cel_dir_forget(d);
    cel_mutex_dispose(&d->lock);
    free(d);
}

static const struct cel_store_ops ops = {
    .name = "directory", .get = get, .get_range = get_range, .size = size, .look = look, .get_range_of = get_range_of,
    .put = put, .erase = erase, .list = list, .lock = lock_directory, .sync = cel_dir_sync, .draft = &cel_dir_drafts, .finish = finish, .abandon = abandon, .free = free_directory,
};

static int make_root(struct directory *d, const char *path, enum cel_store_mode mode)
{
    int rc = CEL_OK;

    if (mode == CEL_STORE_REPLACE && access(path, F_OK) == 0)
        rc = remove_tree(AT_FDCWD, path);
    if (rc == CEL_OK && mkdir(path, 0777) != 0)
        rc = cel_store_failure("make the folder", path);
    d->store.created = rc == CEL_OK;
    return rc;
}

int cel_store_open_dir(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    struct directory *d = cel_calloc(1, sizeof *d);
    int rc;

    *out = NULL;
    if (!d)
        return NC_ENOMEM;
    d->fd = -1;
    cel_mutex_init(&d->lock);
    rc = cel_store_init(&d->store, &ops, path, mode);
    if (rc == CEL_OK && mode >= CEL_STORE_CREATE)
        rc = make_root(d, path, mode);
    if (rc == CEL_OK) {
        d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (d->fd < 0)
            rc = cel_store_failure("open the folder", path);
    }
    if (rc == CEL_OK && mode == CEL_STORE_WRITE && faccessat(d->fd, ".", W_OK, 0) != 0)
        rc = cel_store_failure("write to the folder", path);
    if (rc != CEL_OK) {
        cel_store_abandon(&d->store);
        return rc;
    }
    if (mode != CEL_STORE_READ)
        remove_stale_files(d);
    *out = &d->store;
    return CEL_OK;
}
