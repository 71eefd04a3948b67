/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers for the signals of a crash. A sanitizer has its own, and says more. */
#include "crash.h"
#include "faults.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 40, SECONDS = 300 };

static struct crash *report;
static bool may_exit;

void crash_watch_exit(void)
{
    may_exit = true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void catch_signals(void)
{
}
#else
static char other_stack[1 << 16];

static const char *file_of(const Dl_info *where)
{
    const char *slash = where->dli_fname ? strrchr(where->dli_fname, '/') : NULL;

    return slash ? slash + 1 : "?";
}

static bool is_libhdf5(const void *address)
{
    Dl_info where;

    return address && dladdr(address, &where) && strncmp(file_of(&where), "libhdf5", 7) == 0;
}

static bool is_nobody(const Dl_info *where, const Dl_info *self)
{
    return where->dli_fbase == self->dli_fbase || strncmp(file_of(where), "libc.", 5) == 0;
}

static void add_line(const Dl_info *where)
{
    size_t n = strlen(report->stack);

    snprintf(report->stack + n, sizeof report->stack - n, "    %s %s\n", file_of(where),
             where->dli_sname ? where->dli_sname : "?");
}

/* Nothing here may ask for memory: the allocator may be what is broken. */
static void describe(int signal)
{
    void *frame[FRAMES];
    int n;
    Dl_info where, self = {0};
    bool found = false;

    faults_set(&(struct faults){0});
    n = backtrace(frame, FRAMES);
    dladdr((void *)describe, &self);
    for (int i = 1; i < n; i++) {
        if (!dladdr(frame[i], &where))
            continue;
        add_line(&where);
        if (!found && !is_nobody(&where, &self)) {
            found = true;
            report->in_libhdf5 = is_libhdf5(frame[i]);
        }
    }
    report->by_libhdf5 = faults_memory_denied_libhdf5();
    report->signal = signal;
    _exit(98);
}

static void describe_exit(void)
{
    if (report && !may_exit && !report->signal)
        describe(-1);
}

static void catch_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    struct sigaction action = {.sa_handler = describe, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    void *frame[2];

    atexit(describe_exit);
    backtrace(frame, 2); /* it loads a library the first time */
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
#endif

void crash_watch(struct crash *out)
{
    report = out;
    *report = (struct crash){0};
    catch_signals();
    alarm(SECONDS);
}
