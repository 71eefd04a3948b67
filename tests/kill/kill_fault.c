/* SPDX-License-Identifier: BSD-3-Clause */
/* kill_fault CONTAINER MOST OURS [THEIRS]: in each session (create, append, redefine, read) the nth call of each kind fails, once or
 * from there on, or does half, for every n; when MOST is not 0, for so many n at most, spread evenly. The program carries on.
 * Each time: no crash, also none at exit; an error from some call, or everything right; OURS (records_read with
 * Cellar) and THEIRS (the same over another library) find every record acknowledged; the same process then does the same without
 * faults, and all is there. Where libhdf5 itself got no memory it may crash, or be of no use any more: that is counted, and
 * another process tries again. Prints one line for each kind.
 * To look at one thing: KILL_FAULT_KIND, KILL_FAULT_SESSION (parts of names), KILL_FAULT_FROM and _TO (which n);
 * KILL_FAULT_STACKS=1 also prints libhdf5's own crashes. */
#include "common/scratch.h"
#include "container.h"
#include "crash.h"
#include "faults.h"
#include "reader.h"
#include "session.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What is asked of a session beside that. */
enum {
    NOTHING_FAILS = 1,   /* a short count or an interruption is no failure */
    FAILS_TO_THE_END = 2 /* after a failed put no nc_sync and no nc_close says 0 */
};

static const struct kind {
    const char *name;
    unsigned demands;
    struct faults faults;
} kinds[] = {
    {"full from there on",
     FAILS_TO_THE_END,
     {.kinds = FAULT_WRITE | FAULT_LENGTH, .error = ENOSPC, .from_then_on = true, .half = true}},
    {"full once", FAILS_TO_THE_END, {.kinds = FAULT_WRITE | FAULT_LENGTH, .error = ENOSPC}},
    {"write broken once", FAILS_TO_THE_END, {.kinds = FAULT_WRITE | FAULT_LENGTH, .error = EIO, .half = true}},
    {"write broken from there on",
     FAILS_TO_THE_END,
     {.kinds = FAULT_WRITE | FAULT_LENGTH, .error = EIO, .from_then_on = true}},
    {"short write", NOTHING_FAILS, {.kinds = FAULT_WRITE, .brief = true}},
    {"interrupted write", NOTHING_FAILS, {.kinds = FAULT_WRITE, .error = EINTR}},
    {"read broken once", 0, {.kinds = FAULT_READ, .error = EIO}},
    {"read broken from there on", 0, {.kinds = FAULT_READ, .error = EIO, .from_then_on = true}},
    {"short read", NOTHING_FAILS, {.kinds = FAULT_READ, .brief = true}},
    {"interrupted read", NOTHING_FAILS, {.kinds = FAULT_READ, .error = EINTR}},
    {"rename, unlink or mkdir once", 0, {.kinds = FAULT_NAME, .error = EIO}},
    {"rename, unlink or mkdir from there on", 0, {.kinds = FAULT_NAME, .error = ENOSPC, .from_then_on = true}},
    {"open once", 0, {.kinds = FAULT_OPEN, .error = EMFILE}},
    {"open from there on", 0, {.kinds = FAULT_OPEN, .error = EMFILE, .from_then_on = true}},
    {"fsync once", 0, {.kinds = FAULT_SYNC, .error = EIO}},
    {"close once", 0, {.kinds = FAULT_CLOSE, .error = EIO}},
    {"no memory once", 0, {.kinds = FAULT_MEMORY, .error = ENOMEM}},
    {"no memory from there on", 0, {.kinds = FAULT_MEMORY, .error = ENOMEM, .from_then_on = true}},
};

struct shared { /* with the child; what is here outlives it */
    struct outcome first, again;
    long calls;          /* of the first try */
    bool libhdf5_denied; /* memory, in the first try */
    struct crash crash;
};

struct sweep {
    const struct container *c;
    char folder[600], path[700], base[600];
    long most;
    struct reader ours, theirs;
    struct shared *shared;
    long runs, wrong, crashed, useless,
        later; /* of one kind; crashed, useless: libhdf5 did or was, for want of memory; later: THEIRS reads it only after Cellar's next nc_sync */
};

/* --- the session, in a process of its own ----------------------------------------------- */

static void child(struct sweep *s, const struct session *session, const struct kind *k, long n)
{
    struct faults faults = k->faults;

    crash_watch(&s->shared->crash);
    if (faults.kinds & FAULT_SYNC)
        setenv("CELLAR_FSYNC", "1", 1);
    faults.folder = s->folder;
    faults.grain = s->c->grain;
    faults.at = n;
    faults_set(&faults);
    session->run(s->c, s->path, &s->shared->first);
    s->shared->calls = faults_count();
    s->shared->libhdf5_denied = faults_memory_denied_libhdf5();
    faults_set(&(struct faults){0});
    raise(SIGSTOP); /* until the first try has been judged */
    session->run(s->c, s->path, &s->shared->again);
    crash_watch_exit();
    exit(0); /* with all exit handlers */
}

/* Until it stops or ends: is it still there? */
static bool wait_for(pid_t pid, int *status)
{
    waitpid(pid, status, WUNTRACED);
    return WIFSTOPPED(*status);
}

/* --- what is asked of it ---------------------------------------------------------------- */

static const char *theirs_check(struct sweep *s, size_t n, int nvars)
{
    const char *wrong = reader_check(&s->theirs, s->path, n, nvars);
    char journal[800];

    snprintf(journal, sizeof journal, "%s.cellar-journal", s->path);
    if (!wrong || (access(journal, F_OK) != 0 && strncmp(wrong, READER_LATER, strlen(READER_LATER)) != 0))
        return wrong;
    s->later++;
    return NULL;
}

static const char *check_records(struct sweep *s, size_t n, int nvars)
{
    const char *wrong = reader_check(&s->ours, s->path, n, nvars);

    return wrong ? wrong : theirs_check(s, n, nvars);
}

static const char *judge_first(struct sweep *s, const struct kind *k, bool was_hit)
{
    const struct outcome *out = &s->shared->first;

    if (out->wrong)
        return "wrong values, and no error";
    if (out->failed && (!was_hit || (k->demands & NOTHING_FAILS)))
        return "a call failed that should not";
    if (out->lost_track && (k->demands & FAILS_TO_THE_END))
        return "nc_sync or nc_close said 0 after a put had failed";
    return check_records(s, out->acked, out->nvars);
}

static const char *judge_again(struct sweep *s)
{
    const struct outcome *again = &s->shared->again;

    if (again->failed)
        return again->first;
    return check_records(s, again->acked, again->nvars);
}

/* --- one run -------------------------------------------------------------------------- */

static void start_anew(struct sweep *s, const struct session *session)
{
    char command[1400];

    remove_tree(s->folder);
    snprintf(command, sizeof command, "cp -a '%s' '%s'", s->base, s->folder);
    if (session->on_a_file ? system(command) != 0 : mkdir(s->folder, 0777) != 0)
        perror(s->folder);
    *s->shared = (struct shared){0};
    s->shared->first = s->shared->again =
        (struct outcome){.acked = session->on_a_file ? SESSION_BEFORE : 0, .nvars = SESSION_VARS};
}

static const char *try_anew(struct sweep *s, const struct session *session)
{
    pid_t pid = fork();
    int status;

    s->shared->again = (struct outcome){.acked = session->on_a_file ? SESSION_BEFORE : 0, .nvars = SESSION_VARS};
    if (pid == 0) {
        session->run(s->c, s->path, &s->shared->again);
        exit(0);
    }
    waitpid(pid, &status, 0);
    return status ? "another process crashed" : judge_again(s);
}

/* Denied memory within some calls, libhdf5 uses or frees what it has freed or never set; the crash comes later, wherever chance
 * will have it. */
static bool is_libhdf5s_damage(const struct sweep *s, const struct session *session, const struct kind *k, long n)
{
    char command[8192];

    if (!s->shared->libhdf5_denied && !s->shared->crash.by_libhdf5)
        return false;
    snprintf(
        command, sizeof command,
        "KILL_FAULT_KIND='%s' KILL_FAULT_SESSION='%s' KILL_FAULT_FROM=%ld KILL_FAULT_TO=%ld '%s' /proc/%d/exe %s 0 ''",
        k->name, session->name, n, n, WHOSE_DAMAGE, (int)getpid(), s->c->name);
    return system(command) == 0;
}

static const char *crashed(struct sweep *s, const struct session *session, const struct kind *k, long n, int status,
                           const char *when)
{
    const struct crash *crash = &s->shared->crash;
    const struct outcome *out = &s->shared->first;
    const char *wrong = check_records(s, out->acked, out->nvars);

    if (!wrong && (crash->in_libhdf5 ? crash->by_libhdf5 : is_libhdf5s_damage(s, session, k, n))) {
        s->crashed++;
        if (getenv("KILL_FAULT_STACKS"))
            fprintf(stderr, "libhdf5's own crash %s:\n%s", when, crash->stack);
        return try_anew(s, session);
    }
    fprintf(stderr, "ended with status %x, signal %d %s%s:\n%s", (unsigned)status, crash->signal, when,
            crash->in_libhdf5 ? ", in libhdf5" : "", crash->stack);
    return wrong ? wrong : "the process crashed";
}

/* A libhdf5 that cannot go on may keep the file and its lock until the process ends. */
static const char *judge_without(struct sweep *s, const struct session *session, const struct kind *k, pid_t pid)
{
    const char *wrong;

    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    s->useless++;
    wrong = judge_first(s, k, true);
    return wrong ? wrong : try_anew(s, session);
}

static const char *run(struct sweep *s, const struct session *session, const struct kind *k, long n)
{
    const char *wrong = NULL;
    pid_t pid;
    int status;

    start_anew(s, session);
    pid = fork();
    if (pid == 0)
        child(s, session, k, n);
    if (!wait_for(pid, &status))
        return crashed(s, session, k, n, status, "under the fault");
    wrong = judge_first(s, k, n && s->shared->calls >= n);
    if (wrong && s->shared->libhdf5_denied)
        return judge_without(s, session, k, pid);
    kill(pid, SIGCONT);
    if (!wait_for(pid, &status) && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        return wrong ? wrong : crashed(s, session, k, n, status, s->shared->again.acked ? "at exit" : "trying again");
    wrong = wrong ? wrong : judge_again(s);
    if (!wrong || !s->shared->libhdf5_denied || !s->shared->again.failed)
        return wrong;
    s->useless++;
    return try_anew(s, session);
}

/* --- sweeps ----------------------------------------------------------------------------- */

static long try_one(struct sweep *s, const struct session *session, const struct kind *k, long n)
{
    const char *wrong = run(s, session, k, n);
    const struct outcome *out = &s->shared->first;

    if (wrong)
        fprintf(stderr, "%s: %s: %s at %ld of %ld (acknowledged %zu%s%s): %s\n", s->c->name, session->name, k->name, n,
                s->shared->calls, out->acked, out->failed ? ", first failure " : "", out->first, wrong);
    s->wrong += wrong != NULL;
    s->runs++;
    return s->shared->calls;
}

static long number_asked_for(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? atol(text) : otherwise;
}

static void sweep_session(struct sweep *s, const struct session *session, const struct kind *k)
{
    long calls = try_one(s, session, k, 0), steps = s->most && s->most < calls ? s->most : calls;
    long from = number_asked_for("KILL_FAULT_FROM", 1), to = number_asked_for("KILL_FAULT_TO", calls);

    for (long i = 0; i < steps; i++) {
        long n = 1 + i * calls / steps;

        if (n >= from && n <= to)
            try_one(s, session, k, n);
    }
}

static bool is_asked_for(const char *variable, const char *name)
{
    const char *part = getenv(variable);

    return !part || strstr(name, part);
}

static bool sweep_kind(struct sweep *s, const struct kind *k)
{
    s->runs = s->wrong = s->crashed = s->useless = s->later = 0;
    for (const struct session *session = sessions; session->name; session++)
        if (is_asked_for("KILL_FAULT_SESSION", session->name))
            sweep_session(s, session, k);
    printf("%s: %s: %ld sessions, %ld wrong", s->c->name, k->name, s->runs, s->wrong);
    if (s->crashed || s->useless)
        printf(", for want of memory libhdf5 crashed %ld times and was of no use afterwards %ld times", s->crashed,
               s->useless);
    if (s->later)
        printf(", %ld times readable for others only after Cellar's next sync", s->later);
    printf("\n");
    fflush(stdout);
    return s->wrong == 0;
}

static bool make_base(const struct sweep *s)
{
    char path[700];
    struct dataset d;
    int status;
    pid_t pid = fork();

    snprintf(path, sizeof path, s->c->path, s->base);
    if (pid == 0)
        _exit(dataset_create(&d, s->c, path, SESSION_VARS) || dataset_put_records(&d, 0, SESSION_BEFORE) ||
              nc_close(d.nc));
    waitpid(pid, &status, 0);
    return status == 0;
}

int main(int argc, char **argv)
{
    struct sweep s = {.c = argc > 3 ? container_named(argv[1]) : NULL};
    bool ok = true;

    if (!s.c)
        return 2;
    setenv("CELLAR_NUM_THREADS", "1", 1); /* the nth is the same in every run */
    snprintf(s.folder, sizeof s.folder, "%s/now", scratch_make());
    snprintf(s.path, sizeof s.path, s.c->path, s.folder);
    snprintf(s.base, sizeof s.base, "%s/base", scratch_folder);
    s.most = atol(argv[2]);
    s.ours.command = *argv[3] ? argv[3] : NULL;
    s.theirs.command = argc > 4 && *argv[4] ? argv[4] : NULL;
    s.shared = mmap(NULL, sizeof *s.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(mkdir(s.base, 0777) == 0 && make_base(&s));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is_asked_for("KILL_FAULT_KIND", kinds[k].name))
            ok = sweep_kind(&s, &kinds[k]) && ok;
    reader_end(&s.ours);
    reader_end(&s.theirs);
    return !ok;
}
