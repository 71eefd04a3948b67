/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool: every task is run once, by as many threads as were asked for; one
 * means none is made; a child of fork() makes its own; where no thread can be
 * made the callers do the work. */
#include "env.h"
#include "pool.h"
#include "status.h"
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define NTASKS 200

struct count {
    struct cel_task task;
    atomic_int runs;
    int depth; /* tasks below this one open a crew themselves */
};

static void run_crew(struct count *tasks, int n, int depth, bool alone);

static void count_run(struct cel_task *task)
{
    struct count *c = (struct count *)task;
    struct count inner[3] = {0};

    if (c->depth)
        run_crew(inner, 3, c->depth - 1, false);
    c->runs++;
}

static void run_crew(struct count *tasks, int n, int depth, bool alone)
{
    struct cel_task_group crew;

    cel_task_group_open(&crew, alone);
    for (int i = 0; i < n; i++) {
        tasks[i].task.run = count_run;
        tasks[i].depth = depth;
        cel_task_group_push(&crew, &tasks[i].task, i % 7 == 3);
    }
    for (int i = 0; i < n; i++) {
        cel_task_group_finish(&crew, &tasks[i].task);
        if (!cel_task_done(&tasks[i].task) || tasks[i].runs != 1)
            abort();
    }
}

static void every_task_runs_once(void **state)
{
    static const int sizes[] = {1, 2, 3, 8, 64, 2};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct count tasks[NTASKS] = {0};

        cel_pool_set_size(sizes[k]);
        assert_int_equal(cel_pool_size(), sizes[k]);
        run_crew(tasks, NTASKS, 0, false);
        assert_true(cel_pool_threads() <= 64);
    }
}

static void tasks_may_open_crews(void **state)
{
    struct count tasks[20] = {0};

    cel_pool_set_size(4);
    run_crew(tasks, 20, 3, false);
}

static void *caller(void *unused)
{
    for (int i = 0; i < 20; i++) {
        struct count tasks[NTASKS] = {0};

        run_crew(tasks, NTASKS, 0, i % 5 == 0);
    }
    return NULL;
}

static void many_callers_share_it(void **state)
{
    pthread_t thread[8];

    cel_pool_set_size(3);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, caller, NULL), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    /* A worker too many leaves when it next has nothing to do, which may be after this. */
    for (int i = 0; cel_pool_threads() > 2 && i < 1000; i++)
        usleep(10000);
    assert_true(cel_pool_threads() <= 2);
}

/* Run a piece in a fresh process: its exit code is the answer. */
static int in_child(int (*piece)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(piece());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int child_works(void)
{
    struct count tasks[NTASKS] = {0};

    if (cel_pool_threads() != 0)
        return 1;
    run_crew(tasks, NTASKS, 0, false);
    return cel_pool_threads() >= 1 && cel_pool_threads() <= 3 ? 0 : 2;
}

static void a_child_makes_its_own(void **state)
{
    struct count tasks[NTASKS] = {0};

#if defined(__SANITIZE_THREAD__)
    skip(); /* its runtime does not let such a child make threads */
#endif
    cel_pool_set_size(4);
    run_crew(tasks, NTASKS, 0, false);
    for (int i = 0; i < 20; i++)
        assert_int_equal(in_child(child_works), 0);
}

static int one_makes_no_thread(void)
{
    struct count tasks[NTASKS] = {0};

    cel_pool_set_size(1);
    run_crew(tasks, NTASKS, 0, false);
    return cel_pool_threads();
}

static void size_one_means_no_thread(void **state)
{
    assert_int_equal(in_child(one_makes_no_thread), 0);
}

static int no_room_for_threads(void)
{
    struct count tasks[NTASKS] = {0};
    struct rlimit little = {64 << 20, 64 << 20};

    if (setrlimit(RLIMIT_AS, &little) != 0)
        return 0;
    cel_pool_set_size(1000);
    run_crew(tasks, NTASKS, 0, false);
    return cel_pool_threads() < 100 ? 0 : 1;
}

static void fewer_threads_are_no_failure(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizers need more address space than any limit leaves */
#endif
    assert_int_equal(in_child(no_room_for_threads), 0);
}

static int default_size(void)
{
    return cel_pool_size() == cel_cores() ? 0 : 1;
}

static int size_of_three(void)
{
    return cel_pool_size() == 3 ? 0 : 1;
}

static atomic_int meeting;
static pthread_t opener;

/* Two of these end only when two threads run them. */
static void meet_and_warn(struct cel_task *task)
{
    (void)task;
    meeting++;
    while (meeting < 2)
        sched_yield();
    if (!pthread_equal(pthread_self(), opener))
        cel_warn("from a worker");
}

static void warnings_of_workers_reach_the_caller(void **state)
{
    struct cel_task tasks[2] = {{.run = meet_and_warn}, {.run = meet_and_warn}};
    struct cel_task_group crew;

    (void)state;
    cel_pool_set_size(2);
    meeting = 0;
    opener = pthread_self();
    cel_warning_clear();
    cel_task_group_open(&crew, false);
    for (int i = 0; i < 2; i++)
        cel_task_group_push(&crew, &tasks[i], false);
    for (int i = 0; i < 2; i++)
        cel_task_group_finish(&crew, &tasks[i]);
    assert_string_equal(cel_warning_text(), "from a worker");
}

/* A new worker is moved away from its maker's core, and free again soon after. */
static void wait_until_free(struct cel_task *task)
{
    cpu_set_t mine, all;

    sched_getaffinity(getpid(), sizeof all, &all);
    meeting++;
    do {
        sched_yield();
        sched_getaffinity(0, sizeof mine, &mine);
    } while (meeting < 2 || !CPU_EQUAL(&mine, &all));
}

static void workers_may_run_on_every_core(void **state)
{
    struct cel_task tasks[2] = {{.run = wait_until_free}, {.run = wait_until_free}};
    struct cel_task_group crew;

    cel_pool_set_size(1); /* the next one is made anew */
    while (cel_pool_threads())
        sched_yield();
    cel_pool_set_size(2);
    meeting = 0;
    cel_task_group_open(&crew, false);
    for (int i = 0; i < 2; i++)
        cel_task_group_push(&crew, &tasks[i], false);
    for (int i = 0; i < 2; i++)
        cel_task_group_finish(&crew, &tasks[i]);
    assert_int_equal(meeting, 2);
}

static void the_environment_is_checked(void **state)
{
    static const char *const bad[] = {"0", "-3", "many", "1000000", "", "2x", "1.5"};

    cel_pool_set_size(0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("CELLAR_NUM_THREADS", bad[i], 1);
        cel_pool_set_size(0);
        assert_int_equal(in_child(default_size), 0);
    }
    setenv("CELLAR_NUM_THREADS", "3", 1);
    cel_pool_set_size(0);
    assert_int_equal(in_child(size_of_three), 0);
    unsetenv("CELLAR_NUM_THREADS");
    assert_true(cel_cores() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_one_means_no_thread),      cmocka_unit_test(fewer_threads_are_no_failure),
        cmocka_unit_test(the_environment_is_checked),    cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(tasks_may_open_crews),          cmocka_unit_test(many_callers_share_it),
        cmocka_unit_test(a_child_makes_its_own),         cmocka_unit_test(warnings_of_workers_reach_the_caller),
        cmocka_unit_test(workers_may_run_on_every_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
