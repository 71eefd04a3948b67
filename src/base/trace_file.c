/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a timeline, and the buffers that go there. Every block is written together with the "]" that ends the file, over
 * the "]" of the block before: a process may be killed at any time, and its file is whole; only if that happens while a block is
 * written may the last lines be cut. It lacks what was recorded since the last time that all was saved, which is when a dataset
 * is closed and when an event comes half a second after the time before, and what was under way.
 *
 * A file that exists is replaced if it is a timeline that no process writes any more. Where one does, and in forked
 * children, the number of the process is appended to the name, unless %p in it stands for that already. A descriptor may be
 * closed and given to another file by a program that closes all it finds: it is compared before each block.
 *
 * A file has cel_trace_max bytes at most; what comes later is counted, and the count is the file's last event. */
#include "buf.h"
#include "env.h"
#include "file.h"
#include "fork.h"
#include "mem.h"
#include "trace_int.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAG_NS 500000000u
static const char beginning[] = "[\n{\"ph\":\"M\",\"name\":\"process_name\"", ending[] = "\n]\n";

enum state { NOT_OPEN, OPEN, GIVEN_UP };

bool cel_trace_on;
size_t cel_trace_max = (size_t)256 << 20;

static struct cel_mutex lock = CEL_MUTEX_INIT; /* guards all that follows, but for what is atomic */
static struct cel_trace_buffer *buffers;
static enum state state;
static char *name; /* absolute, as CELLAR_TRACE has it */
static bool is_child;
static int fd = -1;
static struct stat file;
static uint64_t end;       /* where the "]" begins */
static size_t left_out;    /* events */
static size_t nleft_shown; /* of these, told in the file */
static _Atomic uint64_t saved_at;

static pthread_key_t key; /* a thread that ends gives its buffer back */
static _Thread_local struct cel_trace_buffer *own;

/* --- the file, with the lock held ------------------------------------------------------------------ */

static int give_up(const char *path, const char *why)
{
    fprintf(stderr, "cellar: warning: CELLAR_TRACE: %s: %s; no timeline is kept\n", path, why);
    if (fd >= 0)
        close(fd);
    fd = -1;
    state = GIVEN_UP;
    return NC_EPERM;
}

static int name_file(bool apart, struct cel_buf *out)
{
    int rc = CEL_OK;
    bool numbered = false;

    for (const char *p = name; rc == CEL_OK && *p; p++) {
        bool number = p[0] == '%' && p[1] == 'p';

        rc = number ? cel_buf_printf(out, "%d", (int)getpid()) : cel_buf_add(out, p, 1);
        numbered = numbered || number;
        p += number;
    }
    if (rc == CEL_OK && apart && !numbered)
        rc = cel_buf_printf(out, ".%d", (int)getpid());
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}

/* Nobody's data is overwritten: the file is new, empty, or a timeline. */
static bool may_be_replaced(void)
{
    char first[sizeof beginning - 1];
    size_t n = 0;

    return file.st_size == 0 || (cel_file_read(fd, 0, first, sizeof first, &n) == 0 && n == sizeof first &&
                                 memcmp(first, beginning, n) == 0);
}

static int begin_file(const char *path)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s,\"pid\":%d,\"args\":{\"name\":\"Cellar\"}}%s", beginning, (int)getpid(),
                     ending);

    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid())
        return give_up(path, "it is not a file of yours");
    if (!may_be_replaced())
        return give_up(path, "it exists and is not a timeline, and is left as it is");
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0 || cel_file_write(fd, 0, text, (size_t)n) != 0)
        return give_up(path, strerror(errno));
    end = (uint64_t)n - strlen(ending);
    state = OPEN;
    return CEL_OK;
}

static int open_file(bool apart)
{
    struct cel_buf path = CEL_BUF_INIT(1 << 20);
    int rc = name_file(apart, &path);
    bool taken = false;

    if (rc == CEL_OK)
        fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (rc == CEL_OK && fd < 0)
        rc = give_up(path.data, strerror(errno));
    if (rc == CEL_OK)
        taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (rc == CEL_OK && !taken)
        rc = begin_file(path.data);
    if (taken) {
        close(fd);
        rc = apart ? give_up(path.data, "another process writes it") : open_file(true);
    }
    cel_buf_dispose(&path);
    return rc;
}

static bool is_still_ours(void)
{
    struct stat now;

    return fstat(fd, &now) == 0 && now.st_dev == file.st_dev && now.st_ino == file.st_ino;
}

static void append(const char *text, size_t n)
{
    const struct cel_bytes parts[] = {{text, n}, {ending, strlen(ending)}};
    int e;

    if (!is_still_ours()) {
        fd = -1; /* somebody else's now */
        give_up(name, "the program closed it");
        return;
    }
    e = cel_file_write_parts(fd, end, parts, sizeof parts / sizeof *parts);
    if (e == 0) {
        end += n;
        return;
    }
    if (ftruncate(fd, (off_t)end) == 0) /* the blocks of the old ending are still there */
        cel_file_write(fd, end, ending, strlen(ending));
    give_up(name, strerror(e));
}

static size_t count_events(const char *text, size_t n)
{
    size_t events = 0;

    for (const char *at = text; (at = memchr(at, '\n', n - (size_t)(at - text))); at++)
        events++;
    return events;
}

static void put(const char *text, size_t n)
{
    if (state == NOT_OPEN && open_file(is_child) != CEL_OK)
        state = GIVEN_UP;
    if (state == OPEN && end + n <= cel_trace_max)
        append(text, n);
    else
        left_out += count_events(text, n);
}

/* --- buffers --------------------------------------------------------------------------------------- */

static void take(struct cel_trace_buffer *b)
{
    size_t len = atomic_load_explicit(&b->len, memory_order_acquire);

    if (len > b->taken)
        put(b->text + b->taken, len - b->taken);
    b->taken = len;
}

static void empty(struct cel_trace_buffer *b)
{
    take(b);
    b->taken = 0;
    atomic_store_explicit(&b->len, 0, memory_order_release);
}

void cel_trace_buffer_empty(struct cel_trace_buffer *b)
{
    cel_lock(&lock);
    empty(b);
    cel_unlock(&lock);
}

static void give_back(void *p)
{
    struct cel_trace_buffer *b = p;

    cel_lock(&lock);
    empty(b);
    b->in_use = false;
    cel_unlock(&lock);
    own = NULL;
}

static struct cel_trace_buffer *find_unused(void)
{
    struct cel_trace_buffer *b = buffers;

    while (b && b->in_use)
        b = b->next;
    if (!b && (b = calloc(1, sizeof *b)) != NULL) { /* its failure is not the program's */
        b->next = buffers;
        buffers = b;
    }
    return b;
}

static void adopt(struct cel_trace_buffer *b)
{
    b->in_use = true;
    b->named = false;
    b->pid = (int)getpid();
    b->tid = (int)syscall(SYS_gettid);
}

struct cel_trace_buffer *cel_trace_buffer_get(void)
{
    if (own)
        return own;
    cel_lock(&lock);
    own = find_unused();
    if (own)
        adopt(own);
    else
        left_out++;
    cel_unlock(&lock);
    if (own)
        pthread_setspecific(key, own);
    return own;
}

static void tell_left_out(void)
{
    char text[256];
    int n;

    if (state != OPEN || left_out == nleft_shown)
        return;
    n = snprintf(text, sizeof text,
                 ",\n{\"ph\":\"i\",\"s\":\"g\",\"name\":\"%zu events left out\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f}",
                 left_out, (int)getpid(), (int)getpid(), (double)cel_trace_now() / 1000);
    nleft_shown = left_out;
    append(text, (size_t)n);
}

static void take_all(void)
{
    for (struct cel_trace_buffer *b = buffers; b; b = b->next)
        take(b);
}

void cel_trace_save(void)
{
    if (!cel_trace_on)
        return;
    cel_lock(&lock);
    take_all();
    tell_left_out();
    cel_unlock(&lock);
}

/* Nobody waits: where another thread is writing, it takes what is here. */
void cel_trace_note_time(uint64_t now)
{
    uint64_t then = atomic_load_explicit(&saved_at, memory_order_relaxed);

    if (now < then + LAG_NS || !atomic_compare_exchange_strong(&saved_at, &then, now) || !cel_try_lock(&lock))
        return;
    take_all();
    cel_unlock(&lock);
}

/* --- the process ------------------------------------------------------------------------------------ */

/* The parent writes what it has recorded, the child begins a file of its own. */
static void start_in_child(void)
{
    if (fd >= 0 && is_still_ours())
        close(fd);
    fd = -1;
    state = NOT_OPEN;
    is_child = true;
    left_out = nleft_shown = 0;
    for (struct cel_trace_buffer *b = buffers; b; b = b->next) {
        b->in_use = false;
        b->taken = 0;
        atomic_store(&b->len, 0);
    }
    if (own)
        adopt(own);
}

CEL_FORK_LOCK(CEL_FORK_TRACE, &lock, false, start_in_child);

/* The program may go to another folder later. */
static char *absolute(const char *path)
{
    struct cel_buf text = CEL_BUF_INIT(1 << 20);
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *out = NULL;
    int rc = folder ? cel_buf_printf(&text, "%s/%s", folder, path) : cel_buf_puts(&text, path);

    if (rc == CEL_OK)
        rc = cel_buf_take_string(&text, &out);
    cel_buf_dispose(&text);
    free(folder);
    return rc == CEL_OK ? out : NULL;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = cel_env_trace();

    if (!path)
        return;
    name = absolute(path);
    cel_trace_on = name && pthread_key_create(&key, give_back) == 0;
}
