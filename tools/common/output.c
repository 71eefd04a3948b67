/* Written beside its target, renamed when complete. */

#include "output.h"
#include "msg.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    char *target; /* local paths */
    char *temp;
    char *create; /* what is given to nc_create */
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
    size_t len = strcspn(path, "#");

    if (!has_scheme(target) && strstr(target, "://"))
        return NULL;
    while (len > 1 && path[len - 1] == '/')
        len--;
    return tool_strndup(path, len);
}

char *output_target(const char *given)
{
    size_t len = strlen(given);
    struct text t = {0};
    bool store = !strstr(given, "://") && len > 5 && strcmp(given + len - 5, ".zarr") == 0;

    if (store)
        text_printf(&t, "%s%s#mode=nczarr", scheme, given);
    else
        text_puts(&t, given);
    return text_take(&t);
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return tool_strdup(".");
    return tool_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ".<name>.cellar-", with the directory before it when `in` is not NULL. */
static char *prefix_of(const char *path, const char *in)
{
    struct text t = {0};

    if (in)
        text_printf(&t, "%s/", in);
    text_printf(&t, ".%s.cellar-", name_of(path));
    return text_take(&t);
}

bool output_same(const char *a, const char *b)
{
    char *pa = output_local_path(a), *pb = output_local_path(b);
    struct stat sa, sb;
    bool same = pa && pb && stat(pa, &sa) == 0 && stat(pb, &sb) == 0 && sa.st_dev == sb.st_dev &&
                sa.st_ino == sb.st_ino;

    free(pa);
    free(pb);
    return same;
}

/* --- removing ------------------------------------------------------------------------ */
static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        struct text t = {0};
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        text_printf(&t, "%s/%s", path, e->d_name);
        if (lstat(text_get(&t), &st) == 0 && S_ISDIR(st.st_mode))
            remove_tree(text_get(&t));
        else
            unlink(text_get(&t));
        text_free(&t);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* Other threads may still be adding files: again until nothing is left. */
static void remove_path(const char *path)
{
    struct stat st;

    for (int tries = 0; tries < 50 && lstat(path, &st) == 0; tries++) {
        if (S_ISDIR(st.st_mode))
            remove_tree(path);
        else
            unlink(path);
    }
}

/* What a run that was killed left: the number in the name is its process. */
static void remove_leftovers(const char *target)
{
    char *where = directory_of(target), *prefix = prefix_of(target, NULL);
    DIR *dir = opendir(where);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        struct text t = {0};
        long pid;
        if (strncmp(e->d_name, prefix, strlen(prefix)) != 0)
            continue;
        pid = strtol(e->d_name + strlen(prefix), NULL, 10);
        if (pid > 0 && kill((pid_t)pid, 0) == 0)
            continue;
        text_printf(&t, "%s/%s", where, e->d_name);
        remove_path(text_get(&t));
        text_free(&t);
    }
    if (dir)
        closedir(dir);
    free(where);
    free(prefix);
}

/* --- beginning -------------------------------------------------------------------------- */
static void check_directory(const char *target)
{
    char *where = directory_of(target);
    struct stat st;

    if (stat(where, &st) != 0 || !S_ISDIR(st.st_mode))
        msg_die(MSG_FAILED, "%s: the directory %s is not there: create it first", target, where);
    if (access(where, W_OK) != 0)
        msg_die(MSG_FAILED, "%s: the directory %s cannot be written: %s", target, where, strerror(errno));
    free(where);
}

/* The ending is kept, as formats are told by it. */
static char *temp_path(const char *target)
{
    char *where = directory_of(target), *prefix = prefix_of(target, strchr(target, '/') ? where : NULL);
    const char *dot = strrchr(name_of(target), '.');
    struct text t = {0};

    text_printf(&t, "%s%ld%s", prefix, (long)getpid(), dot ? dot : "");
    free(where);
    free(prefix);
    return text_take(&t);
}

const char *output_begin(const char *target)
{
    char *local = output_local_path(target);
    struct text create = {0};

    if (!local)
        msg_die(MSG_FAILED, "%s: only local files and directories can be written", target);
    check_directory(local);
    remove_leftovers(local);
    pthread_mutex_lock(&now.lock);
    now.target = local;
    now.temp = temp_path(local);
    text_printf(&create, "%s%s%s", has_scheme(target) ? scheme : "", now.temp, target + strcspn(target, "#"));
    now.create = text_take(&create);
    msg_set_alias(now.temp, now.target);
    pthread_mutex_unlock(&now.lock);
    return now.create;
}

/* --- ending -------------------------------------------------------------------------------- */
static void forget(void)
{
    free(now.target);
    free(now.temp);
    free(now.create);
    now.target = now.temp = now.create = NULL;
    msg_set_alias(NULL, NULL);
}

void output_discard(void)
{
    pthread_mutex_lock(&now.lock);
    if (now.temp)
        remove_path(now.temp);
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

/* A directory cannot be renamed over another: the old one steps aside until the
 * new one is in place. */
static bool replace_directory(const char *temp, const char *target)
{
    struct text aside = {0};
    bool ok;

    text_printf(&aside, "%s.old", temp);
    ok = rename(target, text_get(&aside)) == 0;
    if (ok && rename(temp, target) != 0) {
        ok = false;
        rename(text_get(&aside), target);
    } else if (ok) {
        remove_path(text_get(&aside));
    }
    text_free(&aside);
    return ok;
}

static bool put_in_place(const char *temp, const char *target)
{
    struct stat old, fresh;
    bool exists = lstat(target, &old) == 0;

    if (stat(temp, &fresh) != 0)
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
    ok = flush_to_disk(now.temp) && put_in_place(now.temp, now.target);
    now.in_place = ok;
    if (ok) {
        where = directory_of(now.target);
        flush_to_disk(where);
        free(where);
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
            if (now.temp)
                remove_path(now.temp);
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
