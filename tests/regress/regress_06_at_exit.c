/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's own exit handlers may still use its files, whenever they were registered: what they put is in the file,
 * whether they close it or leave that to the library. Each case is a child process; the file it leaves is what counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "containers.h"
#include <sys/wait.h>

#define assert_ok(call) assert_int_equal(call, NC_NOERR)

enum { N = 1000 };

static int ncid;
static bool closes; /* the handler calls nc_close */
static int values[N];

/* Ends the child for good: exit handlers cannot fail otherwise. */
static void need(int rc)
{
    if (rc != NC_NOERR) {
        fprintf(stderr, "%s\n", nc_strerror(rc));
        _exit(9);
    }
}

static void put_at_exit(void)
{
    need(nc_put_var_int(ncid, 1, values));
    need(nc_put_vara_int(ncid, 2, (size_t[]){2, 0}, (size_t[]){1, N}, values));
    if (closes)
        need(nc_close(ncid));
}

/* Runs after every exit handler of main(), as destructors of static objects in other languages do. */
static bool late;
__attribute__((destructor)) static void put_at_the_very_end(void)
{
    if (late)
        put_at_exit();
}

static void use(const struct container *c)
{
    int dims[2], id;
    size_t chunks[2] = {1, 100};

    need(nc_create(container_path(c, "exit"), NC_CLOBBER | c->mode, &ncid));
    need(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    need(nc_def_dim(ncid, "x", N, &dims[1]));
    need(nc_def_var(ncid, "early", NC_INT, 1, &dims[1], &id));
    need(nc_def_var(ncid, "late", NC_INT, 1, &dims[1], &id));
    need(nc_def_var(ncid, "records", NC_INT, 2, dims, &id));
    if (c->mode & NC_NETCDF4)
        need(nc_def_var_chunking(ncid, id, NC_CHUNKED, chunks));
    need(nc_enddef(ncid));
    need(nc_put_vara_int(ncid, 0, &(size_t){1}, &(size_t){N - 2}, values + 1));
    for (size_t t = 0; t < 2; t++)
        need(nc_put_vara_int(ncid, 2, (size_t[]){t, 0}, (size_t[]){1, N}, values));
}

static void check(const struct container *c, bool put_late)
{
    int got[N], id;

    assert_ok(nc_open(container_path(c, "exit"), NC_NOWRITE, &ncid));
    assert_ok(nc_get_var_int(ncid, 0, got));
    assert_int_equal(got[0], NC_FILL_INT);
    assert_memory_equal(got + 1, values + 1, (N - 2) * sizeof *got);
    for (size_t t = 0; t < (put_late ? 3 : 2); t++) {
        assert_ok(nc_inq_varid(ncid, "records", &id));
        assert_ok(nc_get_vara_int(ncid, id, (size_t[]){t, 0}, (size_t[]){1, N}, got));
        assert_memory_equal(got, values, sizeof values);
    }
    assert_ok(nc_inq_varid(ncid, "late", &id));
    assert_ok(nc_get_var_int(ncid, id, got));
    if (put_late)
        assert_memory_equal(got, values, sizeof values);
    else
        assert_int_equal(got[0], NC_FILL_INT);
    assert_ok(nc_close(ncid));
}

static void registered_before(const struct container *c)
{
    atexit(put_at_exit);
    use(c);
}

static void registered_before_and_closes(const struct container *c)
{
    closes = true;
    registered_before(c);
}

static void registered_after(const struct container *c)
{
    use(c);
    atexit(put_at_exit);
}

static void in_a_destructor(const struct container *c)
{
    late = true;
    use(c);
}

/* The file of another kind is used first, so that handlers of the library are there already. */
static void after_another_kind(const struct container *c)
{
    int other;

    need(nc_create("other.nc", NC_CLOBBER, &other));
    atexit(put_at_exit);
    use(c);
}

static void nothing_at_exit(const struct container *c)
{
    use(c);
}

/* A child of the child goes through its exit handlers with the file of its parent open. */
static void forks(const struct container *c)
{
    int status;
    pid_t pid;

    use(c);
    pid = fork();
    if (pid == 0)
        exit(0);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        _exit(8);
    atexit(put_at_exit);
}

/* _exit() runs nothing: what nc_sync() acknowledged is there, for any reader. */
static void syncs_and_dies(const struct container *c)
{
    use(c);
    need(nc_sync(ncid));
    _exit(0);
}

static void (*const cases[])(const struct container *) = {
    registered_before,  registered_before_and_closes,
    registered_after,   in_a_destructor,
    after_another_kind, forks,
    nothing_at_exit,    syncs_and_dies,
};

enum { NHANDLERS = 6, NOTHING = NHANDLERS, SYNCS };

/* A program of its own, in which nothing was registered yet. */
static int run(int container, int number)
{
    char text[2][16];
    int status;
    pid_t pid;

    snprintf(text[0], sizeof text[0], "%d", container);
    snprintf(text[1], sizeof text[1], "%d", number);
    pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "case", text[0], text[1], (char *)NULL);
        _exit(7);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void handlers_use_their_files(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++)
        for (int k = 0; k < NHANDLERS; k++) {
            print_message("%s, case %d\n", containers[i].name, k);
            assert_int_equal(run(i, k), 0);
            check(&containers[i], true);
        }
}

static void forgotten_files_are_closed(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++) {
        assert_int_equal(run(i, NOTHING), 0);
        check(&containers[i], false);
    }
}

static void a_sudden_end_keeps_what_was_synchronised(void **state)
{
    (void)state;
    for (int i = 0; i < NCONTAINERS; i++) {
        if (strcmp(containers[i].name, "zip") == 0)
            continue; /* item 3 */
        assert_int_equal(run(i, SYNCS), 0);
        check(&containers[i], false);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_use_their_files),
        cmocka_unit_test(forgotten_files_are_closed),
        cmocka_unit_test(a_sudden_end_keeps_what_was_synchronised),
    };
    int failed;

    for (int i = 0; i < N; i++)
        values[i] = i;
    values[N - 1] = NC_FILL_INT;
    if (argc == 3) {
        cases[atoi(argv[2])](&containers[atoi(argv[1])]);
        return 0;
    }
    scratch_enter();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_leave();
    return failed;
}
