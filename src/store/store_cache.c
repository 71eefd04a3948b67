/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache on disk. An entry is a file, named by a hash of URL and range:
 *
 *   OFFSET  SIZE  MEANING
 *        0     8  "CELCACH1"
 *        8   128  the ETag, and zeros
 *      136    32  SHA-256 of the SHA-256 of these 136 bytes and that of the value
 *      168        the value
 *
 * Entries appear whole, by a rename, and are used by their time of change, which each use sets: the oldest are removed when
 * all together would be too large. How large they are stands in the file "total", which is locked while it changes. */
#include "store_cache.h"
#include "env.h"
#include "file.h"
#include "fork.h"
#include "sha256.h"
#include "temporary.h"
#include "vec.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 8, HASHED = MAGIC + CEL_NET_TEXT, HEAD = HASHED + CEL_SHA256_SIZE };
enum { TRIES = 200 }; /* ms for the lock: a process that was stopped may have it */
#define VALUE_MAX ((size_t)256 << 20)
#define TOTAL "total"

static const char magic[MAGIC + 1] = "CELCACH1";

static struct cel_mutex lock = CEL_MUTEX_INIT; /* one thread at a time changes the folder */

CEL_FORK_LOCK(CEL_FORK_CACHE, &lock, false, NULL);

/* --- the folder -------------------------------------------------------------------------- */

static void warn_once(const char *what, const char *folder)
{
    static _Atomic bool warned;

    if (!atomic_exchange(&warned, true))
        cel_warn("CELLAR_CACHE is not used: %s%s", folder, what);
}

/* It is this user's, and nobody else may look into it: what lies there was read in this user's name. -1: no cache. */
static int open_folder(uint64_t *size)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 16);
    struct stat st;
    int fd = -1, rc = cel_env_cache(&path, size);

    if (rc == CEL_OK) {
        if (mkdir(path.data, 0700) != 0 && errno != EEXIST)
            warn_once(" cannot be made", path.data);
        else
            fd = open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & (S_IRWXG | S_IRWXO)))) {
            warn_once(" belongs to somebody else, or others may look into it: chmod 700 it", path.data);
            close(fd);
            fd = -1;
        }
    } else if (rc == NC_EINVAL) {
        warn_once("its form is folder:size, with the size in bytes or with K, M or G", "");
    }
    cel_buf_dispose(&path);
    return fd;
}

bool cel_cache_is_on(void)
{
    return cel_env_has_cache();
}

static bool name_of(const struct cel_cache_part *part, char name[CEL_SHA256_HEX])
{
    struct cel_buf text = CEL_BUF_INIT(SIZE_MAX / 2);
    bool good = cel_buf_printf(&text, "%llu %zu %s", (unsigned long long)part->offset, part->n, part->url) == CEL_OK;

    if (good)
        cel_sha256_hex(text.data, text.len, name);
    cel_buf_dispose(&text);
    return good;
}

/* --- entries ------------------------------------------------------------------------------ */

static void hash_entry(const char head[HEAD], const void *data, size_t n, unsigned char hash[CEL_SHA256_SIZE])
{
    unsigned char parts[2 * CEL_SHA256_SIZE];

    cel_sha256(head, HASHED, parts);
    cel_sha256(data, n, parts + CEL_SHA256_SIZE);
    cel_sha256(parts, sizeof parts, hash);
}

static bool is_whole(const char *bytes, size_t n)
{
    unsigned char hash[CEL_SHA256_SIZE];

    if (n < HEAD || memcmp(bytes, magic, MAGIC) != 0 || bytes[HASHED - 1])
        return false;
    hash_entry(bytes, bytes + HEAD, n - HEAD, hash);
    return memcmp(hash, bytes + HASHED, sizeof hash) == 0;
}

/* The file's bytes. */
static bool load(int fd, struct cel_buf *bytes)
{
    struct stat st;
    size_t done;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= VALUE_MAX + HEAD &&
           cel_buf_resize(bytes, (size_t)st.st_size) == CEL_OK &&
           cel_file_read(fd, 0, bytes->data, bytes->len, &done) == 0 && done == bytes->len;
}

static bool take(int folder, const struct cel_cache_part *part, char etag[CEL_NET_TEXT], struct cel_buf *out)
{
    struct cel_buf bytes = CEL_BUF_INIT(VALUE_MAX + HEAD);
    char name[CEL_SHA256_HEX];
    int fd = name_of(part, name) ? openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    bool good = fd >= 0 && load(fd, &bytes) && is_whole(bytes.data, bytes.len);

    if (fd >= 0 && !good)
        unlinkat(folder, name, 0);
    good = good && (part->n == SIZE_MAX || bytes.len - HEAD == part->n) &&
           cel_buf_add(out, bytes.data + HEAD, bytes.len - HEAD) == CEL_OK;
    if (good) {
        memcpy(etag, bytes.data + MAGIC, CEL_NET_TEXT);
        futimens(fd, NULL);
    }
    if (fd >= 0)
        close(fd);
    cel_buf_dispose(&bytes);
    return good;
}

bool cel_cache_take(const struct cel_cache_part *part, char etag[CEL_NET_TEXT], struct cel_buf *out)
{
    struct cel_status before;
    uint64_t size;
    int folder;
    bool good;

    cel_status_save(&before);
    folder = open_folder(&size);
    good = folder >= 0 && take(folder, part, etag, out);
    if (folder >= 0)
        close(folder);
    cel_status_restore(&before);
    return good;
}

/* --- the oldest go ---------------------------------------------------------------------------- */

struct file {
    struct timespec used;
    uint64_t size;
    char name[CEL_SHA256_HEX];
};

static int compare_files(const void *a, const void *b)
{
    const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static void add_file(int folder, const char *name, struct cel_vec *files)
{
    struct file *f = strlen(name) < sizeof f->name ? cel_calloc(1, sizeof *f) : NULL;
    struct stat st;

    if (!f || strcmp(name, TOTAL) == 0 || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode) || cel_vec_add(files, f) != CEL_OK) {
        free(f);
        return;
    }
    f->used = st.st_mtim;
    f->size = (uint64_t)st.st_size;
    memcpy(f->name, name, strlen(name) + 1);
}

/* All that lies there, also what processes that were killed left, is counted; the oldest go until it is at most so large. */
static uint64_t sweep(int folder, uint64_t most)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    struct cel_vec files = {0};
    const struct dirent *e;
    uint64_t total = 0;

    while (d && (e = readdir(d)))
        add_file(folder, e->d_name, &files);
    if (d)
        closedir(d);
    else if (copy >= 0)
        close(copy);
    for (size_t i = 0; i < files.n; i++)
        total += ((struct file *)files.at[i])->size;
    if (files.n)
        qsort(files.at, files.n, sizeof *files.at, compare_files);
    for (size_t i = 0; i < files.n; i++) {
        struct file *f = files.at[i];

        if (total > most && unlinkat(folder, f->name, 0) == 0)
            total -= f->size;
        free(f);
    }
    cel_vec_dispose(&files);
    return total;
}

static bool lock_total(int fd)
{
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return false;
}

/* Room for n bytes more; the total then counts them. false: not now. */
static bool make_room(int folder, uint64_t n, uint64_t size)
{
    int fd = openat(folder, TOTAL, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    uint64_t total = 0;
    size_t done = 0;
    bool good = fd >= 0 && lock_total(fd);

    if (good) {
        if (cel_file_read(fd, 0, &total, sizeof total, &done) != 0 || done != sizeof total || total > size - n)
            total = sweep(folder, size - n > size / 8 ? size - n - size / 8 : 0);
        total += n;
        good = total <= size && cel_file_write(fd, 0, &total, sizeof total) == 0;
    }
    if (fd >= 0)
        close(fd);
    return good;
}

/* --- new entries --------------------------------------------------------------------------------- */

static bool write_entry(int folder, const char *name, char head[HEAD], const void *data, size_t n)
{
    struct cel_bytes parts[2] = {{head, HEAD}, {data, n}};
    char temporary[CEL_TMP_NAME];
    bool good;
    int fd;

    cel_tmp_name(temporary);
    fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    good = cel_file_write_parts(fd, 0, parts, 2) == 0;
    close(fd);
    good = good && renameat(folder, temporary, folder, name) == 0;
    if (!good)
        unlinkat(folder, temporary, 0);
    return good;
}

static void keep(int folder, uint64_t size, const struct cel_cache_part *part, const char *etag, const void *data,
                 size_t n)
{
    char head[HEAD] = {0}, name[CEL_SHA256_HEX];
    unsigned char hash[CEL_SHA256_SIZE];

    if (!name_of(part, name))
        return;
    memcpy(head, magic, MAGIC);
    memcpy(head + MAGIC, etag, strlen(etag));
    hash_entry(head, data, n, hash);
    memcpy(head + HASHED, hash, sizeof hash);
    cel_lock(&lock);
    if (make_room(folder, n + HEAD, size))
        write_entry(folder, name, head, data, n);
    cel_unlock(&lock);
}

void cel_cache_keep(const struct cel_cache_part *part, const char *etag, const void *data, size_t n)
{
    struct cel_status before;
    uint64_t size;
    int folder;

    if (etag[0] != '"' || strlen(etag) >= CEL_NET_TEXT || n > VALUE_MAX)
        return;
    cel_status_save(&before);
    folder = open_folder(&size);
    if (folder >= 0 && n + HEAD <= size / 4)
        keep(folder, size, part, etag, data, n);
    if (folder >= 0)
        close(folder);
    cel_status_restore(&before);
}
