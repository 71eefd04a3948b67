/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of a store, run on each kind; then what only one kind promises. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "bytes.h"
#include "mem.h"
#include "store.h"
#include "status.h"
#include <netcdf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cellar-store-XXXXXX";

struct kind {
    const char *name;
    const char *file; /* below folder; NULL: cannot be opened again */
    int (*open)(const char *path, enum cel_store_mode mode, struct cel_store **out);
};

static int open_memory(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    (void)path, (void)mode;
    return cel_store_open_memory(out);
}

static const struct kind local_kinds[] = {
    {"directory", "d.zarr", cel_store_open_dir},
    {"zip", "z.zip", cel_store_open_zip},
    {"memory", NULL, open_memory},
};

static int open_zip_on_s3(const char *path, enum cel_store_mode mode, struct cel_store **out)
{
    return cel_store_open_zip_url(path, false, mode, NULL, out);
}

/* tests/net runs the contract on servers: CELLAR_TEST_STORE is the URL of a bucket there. */
static const struct kind remote_kinds[] = {{"s3", "d.zarr", cel_store_open_s3}, {"zip on s3", "z.zip", open_zip_on_s3}};
static const struct kind *kinds = local_kinds;
static size_t nkinds = sizeof local_kinds / sizeof *local_kinds;
static const char *base = folder;

static const char *path_of(const char *file)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", base, file ? file : "none");
    return path;
}

static void assert_value(struct cel_store *s, const char *key, const char *value)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);

    assert_int_equal(cel_store_get(s, key, &b), CEL_OK);
    assert_int_equal(b.len, strlen(value));
    if (b.len)
        assert_memory_equal(b.data, value, b.len);
    cel_buf_dispose(&b);
}

static void put_text(struct cel_store *s, const char *key, const char *value)
{
    assert_int_equal(cel_store_put(s, key, value, strlen(value)), CEL_OK);
}

static int join_names(void *context, const char *name, bool is_prefix)
{
    return cel_buf_printf(context, "%s%s ", name, is_prefix ? "/" : "");
}

static void assert_list(struct cel_store *s, const char *prefix, const char *want)
{
    struct cel_buf b = CEL_BUF_INIT(1 << 20);
    char *text;

    assert_int_equal(cel_store_list(s, prefix, join_names, &b), CEL_OK);
    assert_int_equal(cel_buf_take_string(&b, &text), CEL_OK);
    assert_string_equal(text, want);
    free(text);
}

static void assert_absent(struct cel_store *s, const char *key)
{
    struct cel_buf b = CEL_BUF_INIT(100);
    uint64_t n;
    char c;

    assert_int_equal(cel_store_get(s, key, &b), CEL_ABSENT);
    assert_int_equal(cel_store_size(s, key, &n), CEL_ABSENT);
    assert_int_equal(cel_store_get_range(s, key, 0, 1, &c), CEL_ABSENT);
    assert_int_equal(cel_store_erase(s, key), CEL_ABSENT);
}

static void check_verbs(struct cel_store *s)
{
    uint64_t n;
    char part[4] = "";

    assert_absent(s, "a/b");
    put_text(s, "a/b/0.0", "zero");
    put_text(s, "a/b/0.1", "");
    put_text(s, "a/.zarray", "{}");
    put_text(s, ".zgroup", "first");
    put_text(s, ".zgroup", "second, longer");
    put_text(s, "a-b", "sorts between a and a/");
    assert_value(s, "a/b/0.0", "zero");
    assert_value(s, "a/b/0.1", "");
    assert_value(s, ".zgroup", "second, longer");
    assert_absent(s, "a/b");
    assert_absent(s, "a/b/0.0/x");
    assert_int_equal(cel_store_size(s, ".zgroup", &n), CEL_OK);
    assert_int_equal(n, 14);
    assert_int_equal(cel_store_get_range(s, ".zgroup", 8, 3, part), CEL_OK);
    assert_string_equal(part, "lon");
    assert_int_equal(cel_store_get_range(s, ".zgroup", 12, 3, part), NC_EIO);
    assert_list(s, "", ".zgroup a-b a/ ");
    assert_list(s, "a", ".zarray b/ ");
    assert_list(s, "a/b", "0.0 0.1 ");
    assert_list(s, "nothing", "");
    assert_int_equal(cel_store_erase(s, "a/b/0.1"), CEL_OK);
    assert_absent(s, "a/b/0.1");
    assert_list(s, "a/b", "0.0 ");
}

/* Parts read under a mark are parts of one value. */
static void check_marks(struct cel_store *s)
{
    struct cel_store_mark absent, mark, later;
    uint64_t n;
    char part[4] = "";

    assert_int_equal(cel_store_stat(s, "mv", &absent, &n), CEL_ABSENT);
    assert_int_equal(n, 0);
    put_text(s, "mv", "a value");
    assert_int_equal(cel_store_stat(s, "mv", &mark, &n), CEL_OK);
    assert_int_equal(n, 7);
    assert_true(cel_store_mark_same(&mark, &mark));
    assert_int_equal(cel_store_get_range_of(s, "mv", &mark, 2, 3, part), CEL_OK);
    assert_string_equal(part, "val");
    later = mark;
    later.known = false;
    assert_false(cel_store_mark_same(&mark, &later));
    assert_int_equal(cel_store_erase(s, "mv"), CEL_OK);
}

/* A draft is nobody's value until it is put; parts may come in any order. */
static void check_drafts(struct cel_store *s)
{
    struct cel_draft *d;
    char part[4] = "";

    if (!cel_store_has_drafts(s))
        return;
    put_text(s, "dv", "old");
    assert_int_equal(cel_draft_make(s, &d), CEL_OK);
    assert_int_equal(cel_draft_write(d, 6, (struct cel_bytes[]){{"", 0}, {"gh", 2}, {"ijk", 3}}, 3), CEL_OK);
    assert_int_equal(cel_draft_write(d, 0, &(struct cel_bytes){"abcdef", 6}, 1), CEL_OK);
    assert_int_equal(cel_draft_read(d, 5, 3, part), CEL_OK);
    assert_string_equal(part, "fgh");
    assert_int_equal(cel_draft_read(d, 9, 3, part), NC_EIO);
    assert_list(s, "", "dv ");
    assert_value(s, "dv", "old");
    assert_int_equal(cel_draft_put(d, "../v"), NC_EINVAL);
    assert_int_equal(cel_draft_put(d, "dv"), CEL_OK);
    assert_value(s, "dv", "abcdefghijk");
    assert_int_equal(cel_draft_make(s, &d), CEL_OK);
    cel_draft_drop(d);
    cel_draft_drop(NULL);
    assert_int_equal(cel_store_erase(s, "dv"), CEL_OK);
}

static void check_bad_keys(struct cel_store *s)
{
    static const char *const bad[] = {"..",  "a/..", "../x", "/etc/passwd", "a//b", "./a", "a/", ".cellar-tmp-1-2",
                                      "a\\b"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cel_store_put(s, bad[i], "x", 1), NC_EINVAL);
        assert_non_null(strstr(cel_error_text(), bad[i]));
    }
}

static void check_prefix(struct cel_store *s)
{
    assert_int_equal(cel_store_set_prefix(s, "a/"), CEL_OK);
    assert_value(s, "b/0.0", "zero");
    assert_list(s, "", ".zarray b/ ");
    assert_int_equal(cel_store_put(s, "../x", "x", 1), NC_EINVAL);
    assert_int_equal(cel_store_set_prefix(s, ""), CEL_OK);
}

static void every_store_keeps_the_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < nkinds; i++) {
        const struct kind *k = &kinds[i];
        const char *path = path_of(k->file);
        struct cel_store *s;

        print_message("  %s\n", k->name);
        assert_int_equal(k->open(path, CEL_STORE_CREATE, &s), CEL_OK);
        check_drafts(s);
        check_marks(s);
        assert_int_equal(cel_store_sync(s), CEL_OK);
        check_verbs(s);
        assert_int_equal(cel_store_sync(s), CEL_OK);
        check_bad_keys(s);
        check_prefix(s);
        assert_int_equal(cel_store_close(s), CEL_OK);
        if (!k->file)
            continue;
        assert_int_equal(k->open(path, CEL_STORE_CREATE, &s), NC_EEXIST);
        assert_int_equal(k->open(path, CEL_STORE_READ, &s), CEL_OK);
        assert_value(s, "a/b/0.0", "zero");
        assert_int_equal(cel_store_put(s, "x", "x", 1), NC_EPERM);
        assert_int_equal(cel_store_erase(s, "a/b/0.0"), NC_EPERM);
        assert_int_equal(cel_store_close(s), CEL_OK);
        assert_int_equal(k->open(path, CEL_STORE_WRITE, &s), CEL_OK);
        put_text(s, "a/b/0.0", "one");
        assert_int_equal(cel_store_erase(s, "a-b"), CEL_OK);
        assert_int_equal(cel_store_close(s), CEL_OK);
        assert_int_equal(k->open(path, CEL_STORE_READ, &s), CEL_OK);
        assert_value(s, "a/b/0.0", "one");
        assert_value(s, "a/.zarray", "{}");
        assert_list(s, "", ".zgroup a/ ");
        assert_int_equal(cel_store_close(s), CEL_OK);
        assert_int_equal(k->open(path, CEL_STORE_REPLACE, &s), CEL_OK);
        put_text(s, "only", "this");
        assert_int_equal(cel_store_close(s), CEL_OK);
        assert_int_equal(k->open(path, CEL_STORE_READ, &s), CEL_OK);
        assert_list(s, "", "only ");
        assert_int_equal(cel_store_close(s), CEL_OK);
        if (kinds == remote_kinds)
            continue;
        assert_int_equal(k->open("/nowhere/at/all", CEL_STORE_READ, &s), NC_ENOTFOUND);
        assert_int_equal(k->open("/nowhere/at/all", CEL_STORE_CREATE, &s), NC_ENOTFOUND);
    }
}

/* --- threads --------------------------------------------------------------- */

struct writer {
    struct cel_store *s;
    int id;
};

static void *write_many(void *arg)
{
    struct writer *w = arg;
    char key[64], value[64];

    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "g/c/%d/%d", w->id, i);
        snprintf(value, sizeof value, "value %d of %d", i, w->id);
        if (cel_store_put(w->s, key, value, strlen(value)) != CEL_OK)
            return "failed";
    }
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < nkinds; i++) {
        struct cel_store *s;
        pthread_t t[8];
        struct writer w[8];
        char key[64], value[64];

        assert_int_equal(kinds[i].open(path_of(kinds[i].file), CEL_STORE_REPLACE, &s), CEL_OK);
        for (int j = 0; j < 8; j++) {
            w[j] = (struct writer){s, j};
            pthread_create(&t[j], NULL, write_many, &w[j]);
        }
        for (int j = 0; j < 8; j++) {
            void *bad;
            pthread_join(t[j], &bad);
            assert_null(bad);
        }
        for (int j = 0; j < 8 * 200; j++) {
            snprintf(key, sizeof key, "g/c/%d/%d", j % 8, j / 8);
            snprintf(value, sizeof value, "value %d of %d", j / 8, j % 8);
            assert_value(s, key, value);
        }
        assert_int_equal(cel_store_close(s), CEL_OK);
    }
}

/* --- servers ------------------------------------------------------------------ */

/* Also a server that ignores conditions: what it answers with tells. */
static void a_server_keeps_marks(void **state)
{
    struct cel_store *s;
    struct cel_store_mark mark, again, other;
    uint64_t n;
    char part[4] = "";

    (void)state;
    assert_int_equal(cel_store_open_s3(path_of("m.zarr"), CEL_STORE_REPLACE, &s), CEL_OK);
    put_text(s, "k =+%(1)*\303\251", "a value");
    assert_list(s, "", "k =+%(1)*\303\251 ");
    assert_value(s, "k =+%(1)*\303\251", "a value");
    put_text(s, "v", "first value");
    assert_int_equal(cel_store_stat(s, "v", &mark, &n), CEL_OK);
    assert_int_equal(cel_store_stat(s, "v", &again, &n), CEL_OK);
    assert_true(cel_store_mark_same(&mark, &again));
    put_text(s, "v", "other value");
    assert_int_equal(cel_store_get_range_of(s, "v", &mark, 0, 3, part), CEL_STALE);
    assert_int_equal(cel_store_stat(s, "v", &other, &n), CEL_OK);
    assert_false(cel_store_mark_same(&mark, &other));
    assert_int_equal(cel_store_get_range_of(s, "v", &other, 0, 3, part), CEL_OK);
    assert_string_equal(part, "oth");
    assert_int_equal(cel_store_erase(s, "v"), CEL_OK);
    assert_int_equal(cel_store_get_range_of(s, "v", &other, 0, 3, part), CEL_STALE);
    assert_int_equal(cel_store_close(s), CEL_OK);
}

static void a_large_value_goes_in_parts(void **state)
{
    const size_t n = ((size_t)33 << 20) + 12345;
    struct cel_buf back = CEL_BUF_INIT(n);
    char *value = malloc(n);
    struct cel_store *s;

    (void)state;
    for (size_t i = 0; i < n; i++)
        value[i] = (char)(i * 2654435761u >> 24);
    assert_int_equal(cel_store_open_s3(path_of("large.zarr"), CEL_STORE_REPLACE, &s), CEL_OK);
    assert_int_equal(cel_store_put(s, "large", value, n), CEL_OK);
    assert_int_equal(cel_store_get(s, "large", &back), CEL_OK);
    assert_int_equal(back.len, n);
    assert_memory_equal(back.data, value, n);
    back.max = 100;
    assert_int_equal(cel_store_get(s, "large", &back), NC_EIO);
    cel_store_abandon(s);
    cel_buf_dispose(&back);
    free(value);
}

static int count_names(void *context, const char *name, bool is_prefix)
{
    (void)name, (void)is_prefix;
    ++*(int *)context;
    return CEL_OK;
}

static void a_thousand_keys_take_several_pages(void **state)
{
    struct cel_store *s;
    int n = 0;

    (void)state;
    assert_int_equal(cel_store_open_s3(path_of("pages.zarr"), CEL_STORE_REPLACE, &s), CEL_OK);
    for (int i = 0; i < 1001; i++) {
        char key[32];

        snprintf(key, sizeof key, "c/%d", i);
        assert_int_equal(cel_store_put(s, key, "x", 1), CEL_OK);
    }
    assert_int_equal(cel_store_list(s, "c", count_names, &n), CEL_OK);
    assert_int_equal(n, 1001);
    assert_int_equal(cel_store_close(s), CEL_OK);
    assert_int_equal(cel_store_open_s3(path_of("pages.zarr"), CEL_STORE_CREATE, &s), NC_EEXIST);
    assert_int_equal(cel_store_open_s3(path_of("pages.zarr"), CEL_STORE_REPLACE, &s), CEL_OK);
    assert_list(s, "", "");
    assert_int_equal(cel_store_close(s), CEL_OK);
}

/* --- directory ---------------------------------------------------------------- */

static int count_temporaries(void *context, const char *name, bool is_prefix)
{
    (void)context, (void)is_prefix;
    return strncmp(name, ".cellar-tmp-", 12) == 0 ? NC_EIO : CEL_OK; /* listings never show them */
}

static int temporaries_in(const char *path)
{
    char command[400], text[32] = "";
    FILE *f;

    snprintf(command, sizeof command, "ls -A %s | grep -c '^.cellar-tmp-'", path);
    f = popen(command, "r");
    assert_non_null(fgets(text, sizeof text, f));
    pclose(f);
    return atoi(text);
}

/* A writer that ends without a word while it holds a draft. */
static void die_writing(const char *path)
{
    pid_t child = fork();

    if (child == 0) {
        struct cel_store *s;
        struct cel_draft *d;
        if (cel_store_open_dir(path, CEL_STORE_WRITE, &s) == CEL_OK && cel_draft_make(s, &d) == CEL_OK)
            cel_draft_write(d, 0, &(struct cel_bytes){"half", 4}, 1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void a_dead_writers_files_vanish(void **state)
{
    const char *path = path_of("stale.zarr");
    struct cel_store *live, *s;
    struct cel_draft *d;

    (void)state;
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_CREATE, &live), CEL_OK);
    assert_int_equal(cel_draft_make(live, &d), CEL_OK);
    assert_int_equal(cel_draft_write(d, 0, &(struct cel_bytes){"mine", 4}, 1), CEL_OK);
    die_writing(path);
    assert_int_equal(temporaries_in(path), 2);
    assert_int_equal(cel_store_list(live, "", count_temporaries, NULL), CEL_OK);
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_WRITE, &s), CEL_OK);
    assert_int_equal(temporaries_in(path), 1); /* the live writer's */
    cel_store_close(s);
    assert_int_equal(cel_draft_put(d, "v"), CEL_OK);
    assert_value(live, "v", "mine");
    cel_store_close(live);
    assert_int_equal(temporaries_in(path), 0);
}

/* Of another host nothing is known but the time. Names of earlier versions are such, too. */
static void others_files_vanish_when_old(void **state)
{
    static const char *const names[] = {".cellar-tmp-n00000000-0123456789abcdef", ".cellar-tmp-4711-0"};
    const char *path = path_of("foreign.zarr");
    char name[2][400], command[2000];
    struct cel_store *s;

    (void)state;
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_CREATE, &s), CEL_OK);
    cel_store_close(s);
    for (int i = 0; i < 2; i++)
        snprintf(name[i], sizeof name[i], "%s/%s", path, names[i]);
    snprintf(command, sizeof command, "mkdir %s && touch %s/0 %s/lock %s", name[0], name[0], name[0], name[1]);
    assert_int_equal(system(command), 0);
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_WRITE, &s), CEL_OK);
    cel_store_close(s);
    assert_int_equal(temporaries_in(path), 2);
    snprintf(command, sizeof command, "touch -d '2 days ago' %s/0 %s/lock %s %s", name[0], name[0], name[0], name[1]);
    assert_int_equal(system(command), 0);
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_WRITE, &s), CEL_OK);
    cel_store_close(s);
    assert_int_equal(temporaries_in(path), 0);
}

/* However soon it is replaced, and however alike the new file is. */
static void another_value_has_another_mark(void **state)
{
    struct cel_store *s, *other;
    struct cel_store_mark mark, again;
    uint64_t n;
    char c;

    (void)state;
    assert_int_equal(cel_store_open_dir(path_of("marks.zarr"), CEL_STORE_CREATE, &s), CEL_OK);
    assert_int_equal(cel_store_open_dir(path_of("marks.zarr"), CEL_STORE_WRITE, &other), CEL_OK);
    put_text(s, "v", "0");
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(cel_store_stat(s, "v", &mark, &n), CEL_OK);
        put_text(other, "v", "1");
        put_text(other, "v", "2"); /* this file may have the number of the first */
        assert_int_equal(cel_store_stat(s, "v", &again, &n), CEL_OK);
        assert_false(cel_store_mark_same(&mark, &again));
    }
    usleep(60000);
    assert_int_equal(cel_store_stat(s, "v", &mark, &n), CEL_OK);
    assert_int_equal(cel_store_stat(s, "v", &again, &n), CEL_OK);
    assert_true(cel_store_mark_same(&mark, &again));
    put_text(other, "v", "3");
    assert_int_equal(cel_store_get_range_of(s, "v", &mark, 0, 1, &c), CEL_STALE);
    assert_int_equal(cel_store_erase(other, "v"), CEL_OK);
    assert_int_equal(cel_store_get_range_of(s, "v", &mark, 0, 1, &c), CEL_STALE);
    cel_store_close(other);
    cel_store_close(s);
}

/* With CELLAR_FSYNC=1: what was put twice, erased, or lies in new folders. */
static void values_are_flushed(void **state)
{
    struct cel_store *s;
    char key[64];

    (void)state;
    setenv("CELLAR_FSYNC", "1", 1);
    assert_int_equal(cel_store_open_dir(path_of("flush.zarr"), CEL_STORE_CREATE, &s), CEL_OK);
    unsetenv("CELLAR_FSYNC");
    for (int n = 1; n < 100; n *= 5) {
        for (int i = 0; i < n; i++) {
            snprintf(key, sizeof key, "c/%d/%d", n, i);
            put_text(s, key, "x");
            put_text(s, key, "y");
        }
        assert_int_equal(cel_store_erase(s, key), CEL_OK);
        assert_int_equal(cel_store_sync(s), CEL_OK);
    }
    assert_int_equal(cel_store_sync(s), CEL_OK);
    cel_store_close(s);
}

static void a_childs_drop_leaves_the_draft(void **state)
{
    struct cel_store *s;
    struct cel_draft *d;
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(cel_store_open_dir(path_of("child.zarr"), CEL_STORE_CREATE, &s), CEL_OK);
    assert_int_equal(cel_draft_make(s, &d), CEL_OK);
    assert_int_equal(cel_draft_write(d, 0, &(struct cel_bytes){"kept", 4}, 1), CEL_OK);
    child = fork();
    if (child == 0) {
        if (cel_draft_write(d, 0, &(struct cel_bytes){"lost", 4}, 1) != NC_EPERM || cel_draft_put(d, "v") != NC_EPERM)
            _exit(1);
        cel_draft_drop(d);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(cel_draft_put(d, "in/new/folders"), CEL_OK);
    assert_value(s, "in/new/folders", "kept");
    cel_store_close(s);
}

static void an_abandoned_directory_is_gone(void **state)
{
    const char *path = path_of("gone.zarr");
    struct cel_store *s;

    (void)state;
    assert_int_equal(cel_store_open_dir(path, CEL_STORE_CREATE, &s), CEL_OK);
    put_text(s, "a/b/c", "x");
    cel_store_abandon(s);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* --- zip ------------------------------------------------------------------------ */

static void run(const char *fmt, const char *path)
{
    char command[1024];

    snprintf(command, sizeof command, fmt, path);
    assert_int_equal(system(command), 0);
}

static void python_reads_our_zip_and_we_read_its(void **state)
{
    const char *path = path_of("peer.zip");
    struct cel_store *s;

    (void)state;
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_CREATE, &s), CEL_OK);
    put_text(s, "a/b", "from us");
    put_text(s, "c", "");
    assert_int_equal(cel_store_close(s), CEL_OK);
    run("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('%s'); assert z.testzip() is None; "
        "assert z.read('a/b') == b'from us'; assert z.namelist() == ['a/b', 'c']\"",
        path);
    run("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('%s', 'w', zipfile.ZIP_DEFLATED); z.writestr('t/x', "
        "b'7' * 100000); "
        "z.mkdir('t/d') if hasattr(z, 'mkdir') else None; z.writestr(zipfile.ZipInfo('t/y'), b'plain'); z.comment = "
        "b'hello'; z.close()\"",
        path);
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_WRITE, &s), CEL_OK);
    uint64_t n;
    char part[4] = "";
    assert_int_equal(cel_store_size(s, "t/x", &n), CEL_OK);
    assert_int_equal(n, 100000);
    assert_int_equal(cel_store_get_range(s, "t/x", 99990, 3, part), CEL_OK);
    assert_string_equal(part, "777");
    assert_value(s, "t/y", "plain");
    put_text(s, "t/z", "added");
    assert_int_equal(cel_store_close(s), CEL_OK);
    run("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('%s'); assert z.testzip() is None; "
        "assert z.read('t/x') == b'7' * 100000 and z.read('t/z') == b'added'\"",
        path);
}

static void many_entries_need_zip64(void **state)
{
    const char *path = path_of("many.zip");
    struct cel_store *s;
    unsigned char value[4];
    char key[32];

    (void)state;
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_CREATE, &s), CEL_OK);
    for (uint32_t i = 0; i < 70000; i++) {
        snprintf(key, sizeof key, "c/%u", i);
        cel_put_le32(value, i);
        assert_int_equal(cel_store_put(s, key, value, sizeof value), CEL_OK);
    }
    assert_int_equal(cel_store_close(s), CEL_OK);
    run("/usr/bin/python3 -c \"import zipfile; z = zipfile.ZipFile('%s'); assert len(z.namelist()) == 70000; "
        "assert int.from_bytes(z.read('c/69999'), 'little') == 69999\"",
        path);
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_READ, &s), CEL_OK);
    assert_int_equal(cel_store_get_range(s, "c/69999", 0, sizeof value, value), CEL_OK);
    assert_int_equal(cel_get_le32(value), 69999);
    assert_int_equal(cel_store_close(s), CEL_OK);
}

static void one_writer_at_a_time(void **state)
{
    const char *path = path_of("busy.zip");
    struct cel_store *first, *second;

    (void)state;
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_CREATE, &first), CEL_OK);
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_CREATE, &second), NC_EPERM);
    assert_non_null(strstr(cel_error_text(), "being written"));
    put_text(first, "a", "1");
    assert_int_equal(cel_store_close(first), CEL_OK);
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_WRITE, &second), CEL_OK);
    cel_store_abandon(second);
    assert_int_equal(cel_store_open_zip(path, CEL_STORE_READ, &second), CEL_OK);
    assert_value(second, "a", "1");
    cel_store_close(second);
}

/* Every truncation and every byte changed: an error or a right answer, no crash. */
static void damaged_archives_are_refused(void **state)
{
    char good[256], bad[256];
    struct cel_store *s;
    unsigned char bytes[4096];
    size_t n;
    FILE *f;

    (void)state;
    snprintf(good, sizeof good, "%s/good.zip", folder);
    snprintf(bad, sizeof bad, "%s/bad.zip", folder);
    assert_int_equal(cel_store_open_zip(good, CEL_STORE_REPLACE, &s), CEL_OK);
    put_text(s, "a", "12345");
    put_text(s, "b/c", "6789");
    assert_int_equal(cel_store_close(s), CEL_OK);
    f = fopen(good, "rb");
    n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < 2 * n; i++) {
        struct cel_buf b = CEL_BUF_INIT(1 << 20);
        size_t len = i < n ? i : n;

        if (i >= n)
            bytes[i - n] ^= 0x41;
        f = fopen(bad, "wb");
        fwrite(bytes, 1, len, f);
        fclose(f);
        if (i >= n)
            bytes[i - n] ^= 0x41;
        if (cel_store_open_zip(bad, CEL_STORE_READ, &s) != CEL_OK)
            continue;
        if (cel_store_get(s, "a", &b) == CEL_OK)
            assert_memory_equal(b.data, "12345", 5);
        cel_buf_dispose(&b);
        assert_int_equal(cel_store_close(s), CEL_OK);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_store_keeps_the_contract),
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(a_dead_writers_files_vanish),
        cmocka_unit_test(others_files_vanish_when_old),
        cmocka_unit_test(another_value_has_another_mark),
        cmocka_unit_test(values_are_flushed),
        cmocka_unit_test(a_childs_drop_leaves_the_draft),
        cmocka_unit_test(an_abandoned_directory_is_gone),
        cmocka_unit_test(python_reads_our_zip_and_we_read_its),
        cmocka_unit_test(many_entries_need_zip64),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(damaged_archives_are_refused),
    };
    const struct CMUnitTest remote_tests[] = {
        cmocka_unit_test(every_store_keeps_the_contract),
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(a_server_keeps_marks),
        cmocka_unit_test(a_large_value_goes_in_parts),
        cmocka_unit_test(a_thousand_keys_take_several_pages),
    };

    if (getenv("CELLAR_TEST_STORE")) {
        kinds = remote_kinds;
        nkinds = sizeof remote_kinds / sizeof *remote_kinds;
        base = getenv("CELLAR_TEST_STORE");
        return cmocka_run_group_tests_name("store on a server", remote_tests, NULL, NULL);
    }
    return cmocka_run_group_tests_name("store", tests, make_folder, remove_folder);
}
