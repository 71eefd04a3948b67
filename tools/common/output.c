/* SPDX-License-Identifier: BSD-3-Clause */
/* Written beside its target, renamed when complete. */

#include "output.h"
#include "msg.h"
#include "tmpfolder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The one output of the process. The signal thread reads it too. */
static struct {
    pthread_mutex_t lock;
    char *target;  /* local paths */
    char *folder;  /* temporary folder for the output ... */
    char *temp;    /* ... which has this path until it is complete */
    char *create;  /* what is given to nc_create */
    bool in_place; /* the output is complete: too late for a signal */
} now = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char scheme[] = "file://";

/* --- paths ------------------------------------------------------------------------- */
static bool has_scheme(const char *s)
{
    return strncmp(s, scheme, sizeof scheme - 1) == 0;
}

char *output_local_path(const char *target)
{
    const char *path = has_scheme(target) ? target + sizeof scheme - 1 : target;
    size_t len = has_scheme(target) ? strcspn(path, "#") : strlen(path); /* only a URL has a fragment */

    if (!has_scheme(target) && strstr(target, "://"))
        return NULL;
    while (len > 1 && path[len - 1] == '/')
        len--;
    return tool_strndup(path, len);
}

static bool is_in_bucket(const char *target)
{
    return strncmp(target, "s3://", 5) == 0 || strncmp(target, "gs://", 5) == 0;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len > n && strncmp(text + len - n, end, n) == 0;
}

char *output_target(const char *given)
{
    bool is_path = !strstr(given, "://"), told = !is_path && (!is_in_bucket(given) || strpbrk(given, "#?"));
    size_t len = strlen(given);
    struct text t = {0};
    bool archive;

    while (len > 1 && given[len - 1] == '/')
        len--;
    archive = ends_with(given, len, ".zip");
    if (!told && (archive || ends_with(given, len, ".zarr")))
        text_printf(&t, "%s%.*s#mode=nczarr%s", is_path ? scheme : "", (int)len, given, archive ? ",zip" : "");
    else
        text_puts(&t, given);
    return text_take(&t);
}

bool output_same(const char *a, const char *b)
{
    char *pa = output_local_path(a), *pb = output_local_path(b);
    struct stat sa, sb;
    bool same =
        pa && pb && stat(pa, &sa) == 0 && stat(pb, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;

    free(pa);
    free(pb);
    return same;
}

/* --- beginning -------------------------------------------------------------------------- */
static void check_directory(const char *target)
{
    char *where = tmpfolder_directory_of(target);
    struct stat st;

    if (stat(where, &st) != 0 || !S_ISDIR(st.st_mode))
        msg_die(MSG_FAILED, "%s: the directory %s is not there: create it first", target, where);
    if (access(where, W_OK) != 0)
        msg_die(MSG_FAILED, "%s: the directory %s cannot be written: %s", target, where, strerror(errno));
    free(where);
}

static bool is_empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *e;
    size_t n = 0;

    while (dir && (e = readdir(dir)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return dir && n == 0;
}

static bool is_store(const char *target)
{
    int ncid;

    return nc_open(target, NC_NOWRITE, &ncid) == NC_NOERR && nc_close(ncid) == NC_NOERR;
}

/* What is put in a directory's place removes all that is in it: only a store takes the place of a store. */
static void check_replaced(const char *target, const char *local)
{
    const char *fragment = strchr(target, '#');
    struct stat st;

    if (stat(local, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    if (!has_scheme(target) || !fragment || strstr(fragment, "zip"))
        msg_die(MSG_FAILED, "%s: it is a directory: say the name of a file", local);
    if (!is_empty_directory(local) && !is_store(target))
        msg_die(MSG_FAILED, "%s: it is a directory and no Zarr store, and is not replaced: say another output", local);
}

void output_check(const char *target, const char *input)
{
    char *local;

    if (!*target || strcmp(target, "-") == 0)
        msg_die(MSG_USAGE,
                *target ? "-: the output cannot be standard output: name a file" : "the name of the output is empty");
    if (!strstr(target, "://") && strstr(target, "#mode="))
        msg_die(MSG_USAGE, "%s: a name with #mode= must be a URL: file://%s", target, target);
    if (input && output_same(input, target))
        msg_die(MSG_USAGE, "%s: input and output are the same: say another output", target);
    local = output_local_path(target);
    if (local) {
        check_directory(local);
        check_replaced(target, local);
    }
    free(local);
}

/* A link stays: what it leads to is written. */
static char *follow_link(const char *local)
{
    struct stat st;
    char *real;

    if (lstat(local, &st) != 0 || !S_ISLNK(st.st_mode))
        return tool_strdup(local);
    real = realpath(local, NULL);
    if (!real)
        msg_die(MSG_FAILED, "%s: it is a symbolic link that leads nowhere: remove it, or make what it leads to", local);
    return real;
}

/* The name in the folder is the target's, as formats are told by its ending. */
static bool make_temp(void)
{
    struct text t = {0};

    now.folder = tmpfolder_make(now.target);
    if (!now.folder)
        return false;
    text_printf(&t, "%s/%s", now.folder, tmpfolder_name_of(now.target));
    now.temp = text_take(&t);
    return true;
}

/* In a bucket nothing can be renamed: values appear there one by one, and nothing is removed by a signal. */
static const char *begin_remote(const char *target)
{
    if (!is_in_bucket(target) && strncmp(target, "http", 4) != 0)
        msg_die(MSG_FAILED, "%s: only files, directories and buckets of S3 can be written", target);
    pthread_mutex_lock(&now.lock);
    now.create = tool_strdup(target);
    pthread_mutex_unlock(&now.lock);
    return now.create;
}

const char *output_begin(const char *target)
{
    char *local, *real;
    struct text create = {0};
    int error = 0;

    output_check(target, NULL);
    local = output_local_path(target);
    if (!local)
        return begin_remote(target);
    real = follow_link(local);
    tmpfolder_remove_left(real);
    pthread_mutex_lock(&now.lock);
    now.target = real;
    if (make_temp()) {
        text_printf(&create, "%s%s%s", has_scheme(target) ? scheme : "", now.temp,
                    has_scheme(target) ? target + strcspn(target, "#") : "");
        now.create = text_take(&create);
        msg_set_alias(now.temp, local);
    } else {
        error = errno;
    }
    pthread_mutex_unlock(&now.lock); /* exit() takes the lock, too */
    if (error)
        msg_die(MSG_FAILED, "%s: no folder for it can be made beside it: %s", target, strerror(error));
    free(local);
    return now.create;
}

/* --- ending -------------------------------------------------------------------------------- */
static void forget(void)
{
    free(now.target);
    free(now.folder);
    free(now.temp);
    free(now.create);
    now.target = now.folder = now.temp = now.create = NULL;
    msg_set_alias(NULL, NULL);
}

void output_discard(void)
{
    pthread_mutex_lock(&now.lock);
    if (now.folder)
        tmpfolder_remove(now.folder);
    forget();
    pthread_mutex_unlock(&now.lock);
}

static bool flush_to_disk(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) ? syncfs(fd) : fsync(fd)) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

/* A directory cannot be renamed over another. The two are exchanged in one step if the system can; otherwise the
 * old one is renamed to a name that no later run removes, until the new one is in place. */
static bool replace_directory(const char *temp, const char *target)
{
    struct text aside = {0};
    bool ok;

    if (renameat2(AT_FDCWD, temp, AT_FDCWD, target, RENAME_EXCHANGE) == 0)
        return true; /* the old one goes with the folder */
    text_printf(&aside, "%s.old-%s", target, strrchr(now.folder, '-') + 1);
    ok = rename(target, text_get(&aside)) == 0;
    if (ok && rename(temp, target) != 0) {
        ok = false;
        rename(text_get(&aside), target);
    } else if (ok) {
        tmpfolder_remove(text_get(&aside));
    }
    text_free(&aside);
    return ok;
}

/* The new file gives no user more rights than the old one did. Where its group cannot be set, the group gets only
 * the rights of all others. */
static bool keep_owner(const char *temp, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;

    if (lchown(temp, old->st_uid, old->st_gid) != 0 && lchown(temp, (uid_t)-1, old->st_gid) != 0)
        mode = (mode & 0707) | (mode & 0007) << 3;
    return chmod(temp, mode) == 0;
}

static bool put_in_place(const char *temp, const char *target)
{
    struct stat old, fresh;
    bool exists = lstat(target, &old) == 0;

    if (stat(temp, &fresh) != 0)
        return false;
    if (exists && S_ISDIR(old.st_mode) == S_ISDIR(fresh.st_mode) && !keep_owner(temp, &old))
        return false;
    if (exists && (S_ISDIR(old.st_mode) || S_ISDIR(fresh.st_mode)))
        return replace_directory(temp, target);
    return rename(temp, target) == 0;
}

bool output_commit(void)
{
    char *where;
    bool ok;

    pthread_mutex_lock(&now.lock);
    ok = !now.temp || (flush_to_disk(now.temp) && put_in_place(now.temp, now.target));
    now.in_place = ok;
    if (ok && !now.temp) {
        forget();
    } else if (ok) {
        where = tmpfolder_directory_of(now.target);
        flush_to_disk(where);
        free(where);
        tmpfolder_remove(now.folder);
        forget();
    } else {
        msg_error("%s: the output could not be put in place: %s", now.target, strerror(errno));
    }
    pthread_mutex_unlock(&now.lock);
    return ok;
}

/* --- signals ---------------------------------------------------------------------------------- */
static void *wait_for_signal(void *set)
{
    int sig;

    while (sigwait(set, &sig) == 0) {
        pthread_mutex_lock(&now.lock);
        if (!now.in_place) { /* the lock is kept: nothing is put in place any more */
            if (now.folder)
                tmpfolder_remove(now.folder);
            _exit(128 + sig);
        }
        pthread_mutex_unlock(&now.lock); /* the work is done: the exit code shall say so */
    }
    return NULL;
}

void output_init(void)
{
    static sigset_t set;
    pthread_t thread;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    if (pthread_create(&thread, NULL, wait_for_signal, &set) == 0)
        pthread_detach(thread);
    atexit(output_discard);
}

/* --- sizes --------------------------------------------------------------------------------------- */
static unsigned long long size_of(const char *path)
{
    struct stat st;
    unsigned long long n = 0;
    DIR *dir;
    struct dirent *e;

    if (lstat(path, &st) != 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return (unsigned long long)st.st_size;
    dir = opendir(path);
    while (dir && (e = readdir(dir))) {
        struct text t = {0};
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        text_printf(&t, "%s/%s", path, e->d_name);
        n += size_of(text_get(&t));
        text_free(&t);
    }
    if (dir)
        closedir(dir);
    return n;
}

unsigned long long output_size(const char *target)
{
    char *path = output_local_path(target);
    unsigned long long n = path ? size_of(path) : 0;

    free(path);
    return n;
}

bool output_text(const char *target, const char *text, size_t n)
{
    const char *to = target ? output_begin(target) : NULL;
    FILE *f = to ? fopen(to, "w") : stdout;
    bool ok = f && fwrite(text, 1, n, f) == n;

    if (f && to && fclose(f) != 0)
        ok = false;
    if (!ok && to)
        msg_error("%s: %s", target, strerror(errno));
    if (!to)
        return msg_finish(MSG_OK, MSG_FAILED) == MSG_OK;
    return ok && (!target || output_commit());
}
