/* SPDX-License-Identifier: BSD-3-Clause */
/* cel_process() is getpid(), also in children, made by fork() or by a call of the system that no handler sees. With NEVER_WIPED
 * the system claims to clear memory in children and does not, as qemu-user does: then fork() alone can be noticed. */
#include "fork.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef NEVER_WIPED
int __wrap_madvise(void *at, size_t n, int advice);
int __wrap_madvise(void *at, size_t n, int advice)
{
    (void)at, (void)n, (void)advice;
    return 0;
}
#else
static pid_t bare_clone(void)
{
#if defined(__s390x__) /* the stack comes first there */
    return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}
#endif

static void check_child(pid_t (*make)(void))
{
    pid_t parent = cel_process(), child;
    int status;

    assert_int_equal(parent, getpid());
    child = make();
    if (child == 0)
        _exit(cel_process() == getpid() && cel_process() != parent ? 0 : 1);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(cel_process(), parent);
}

static void test_children(void **state)
{
    (void)state;
    check_child(fork);
#ifndef NEVER_WIPED
    check_child(bare_clone);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_children)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
