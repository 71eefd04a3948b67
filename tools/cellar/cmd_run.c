/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar run: a program that was built for netCDF-C runs on Cellar. Its loader is told to look for libnetcdf in our folder
 * first, and its PATH finds our ncdump, ncgen and nccopy. A program that does not look there, as it has folders or a libnetcdf
 * of its own, gets ours loaded before all others. */

#include "command.h"
#include "msg.h"
#include "program.h"
#include "run_stats.h"
#include "text.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_RUN = 126, BY_SIGNAL = 128 }; /* exit codes, as the shell has them */

enum { TRACE = 256 };

struct request {
    bool preload, stats;
    char *const *command;
};

static const struct opt options[] = {
    {'t', "threads", "N", "use N threads (CELLAR_NUM_THREADS)"},
    {'s', "stats", NULL, "at the end, say what was read and written, with which filters, in which time"},
    {TRACE, "trace", "FILE", "write a timeline of what Cellar does to FILE, for Perfetto (CELLAR_TRACE)"},
    {'p', "preload", NULL, "load Cellar before everything else: for programs that bring a libnetcdf of their own"},
};

static const struct opt_tool tool = {
    "cellar run",
    "[options] [--] COMMAND [ARGUMENT]...",
    "Run a program that was built for netCDF-C on Cellar.",
    options,
    sizeof options / sizeof *options,
    "The exit code is the program's; 127: it was not found, 126: it could not be run.\n"
    "Example: cellar run -- ncks -4 -L 1 in.nc out.nc\n"};

/* --- where our libnetcdf is ----------------------------------------------------------------------- */

/* The folder that `route` leads to from the one of this program; yours to free. */
static char *folder_at(const char *route)
{
    char file[PATH_MAX], *folder;
    ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
    struct text path = {0};

    if (!*route)
        msg_die(MSG_FAILED, "this Cellar was built without libnetcdf (CELLAR_COMPAT)");
    if (n <= 0)
        msg_die(MSG_FAILED, "the folder of this program is not known");
    file[n] = '\0';
    *strrchr(file, '/') = '\0';
    if (*route != '/')
        text_printf(&path, "%s/", file);
    text_puts(&path, route);
    folder = realpath(text_get(&path), NULL);
    if (!folder)
        msg_die(MSG_FAILED, "there is no %s: install Cellar with make install", text_get(&path));
    text_free(&path);
    return folder;
}

/* --- the program's environment --------------------------------------------------------------------- */

static void put_first(const char *variable, const char *what)
{
    const char *old = getenv(variable);
    struct text value = {0};

    text_puts(&value, what);
    if (old && *old)
        text_printf(&value, ":%s", old);
    setenv(variable, text_get(&value), 1);
    text_free(&value);
}

/* R makes its own LD_LIBRARY_PATH in each start. */
static bool makes_own_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return strcmp(name, "R") == 0 || strcmp(name, "Rscript") == 0 || strcmp(name, "littler") == 0;
}

static bool is_ours(const char *libnetcdf)
{
    return strcmp(libnetcdf, "libnetcdf.so.19") == 0 || strcmp(libnetcdf, "libnetcdf.so.22") == 0;
}

/* The library to be loaded before all others (LD_PRELOAD); NULL: none. Prints a warning where the program cannot be
 * redirected. R's package looks for libnetcdf.so.19; libnetcdf.so.22 exports netCDF's names only, and is for programs that
 * bring a libnetcdf of their own. */
static const char *loaded_first(const char *path, bool asked)
{
    struct program p;
    bool own = asked;

    program_look(path, &p);
    if (p.is_static)
        msg_warn("%s is a static program: if it has netCDF in it, that is not Cellar", path);
    if (p.libnetcdf && !is_ours(p.libnetcdf)) {
        msg_warn("%s is linked to a libnetcdf of its own (%s): Cellar is loaded before it", path, p.libnetcdf);
        own = true;
    }
    own = own || (p.libnetcdf && p.own_folder);
    program_dispose(&p);
    return makes_own_path(path) ? "libnetcdf.so.19" : own ? "libnetcdf.so.22" : NULL;
}

/* The program's file; yours to free. NULL: not found. */
static char *prepare(const struct request *request)
{
    char *bin = folder_at(CELLAR_NETCDF_BIN), *lib = folder_at(CELLAR_NETCDF_LIB), *path;
    const char *library;
    struct text first = {0};

    put_first("PATH", bin);
    put_first("LD_LIBRARY_PATH", lib);
    path = program_find(request->command[0], getenv("PATH"));
    library = path ? loaded_first(path, request->preload) : NULL;
    if (library) {
        text_printf(&first, "%s/%s", lib, library);
        put_first("LD_PRELOAD", text_get(&first));
    }
    text_free(&first);
    free(lib);
    free(bin);
    return path;
}

/* --- running it ------------------------------------------------------------------------------------ */

static int say_missing(const char *command)
{
    bool there = strchr(command, '/') && access(command, F_OK) == 0;

    msg_error(there ? "%s cannot be run: it is no program, or you have no right to run it" : "%s was not found",
              command);
    return there ? NOT_RUN : NOT_FOUND;
}

static int start(const char *path, const struct request *request)
{
    execv(path, request->command);
    msg_error("%s cannot be run: %s", path, strerror(errno));
    return NOT_RUN;
}

static int wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A new file in the folder for temporary ones; it cannot be made: the command ends. */
static char *make_stats_file(void)
{
    const char *folder = getenv("TMPDIR");
    struct text name = {0};
    char *file;
    int fd;

    text_printf(&name, "%s/cellar-run-XXXXXX", folder && *folder ? folder : "/tmp");
    file = text_take(&name);
    fd = mkstemp(file);
    if (fd < 0)
        msg_die(MSG_FAILED, "%s: no file for --stats can be made: %s; set TMPDIR to a folder that can be written to",
                file, strerror(errno));
    close(fd);
    return file;
}

/* The library adds to a file of ours what it has read and written, in whatever process it runs. Signals from the keyboard
 * are the program's; what it did until then is told. */
static int start_and_tell(const char *path, const struct request *request)
{
    char *file = make_stats_file();
    int code = MSG_FAILED;
    pid_t child;

    setenv("CELLAR_STATS", file, 1);
    child = fork();
    if (child == 0)
        _exit(start(path, request));
    if (child < 0) {
        msg_error("%s cannot be run: %s", path, strerror(errno));
    } else {
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        code = wait_for(child);
        run_stats_print(file, request->command[0]);
    }
    unlink(file);
    free(file);
    return code;
}

static bool read_options(struct opt_line *line, struct request *request)
{
    int key;

    line->ends_at_operand = true;
    while ((key = opt_next(line)) != OPT_END) {
        request->stats = request->stats || key == 's';
        request->preload = request->preload || key == 'p';
        if (key == 't') {
            opt_number("--threads", line->value, 1, 1024);
            setenv("CELLAR_NUM_THREADS", line->value, 1);
        }
        if (key == TRACE)
            setenv("CELLAR_TRACE", line->value, 1);
    }
    request->command = line->operands;
    return line->noperands > 0;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct opt_line line;
    char *path;
    int code;

    opt_start(&line, &tool, argc, argv);
    if (!read_options(&line, &request))
        msg_die(MSG_USAGE, "expected a command: cellar run -- COMMAND [ARGUMENT]...");
    path = prepare(&request);
    if (!path)
        code = say_missing(request.command[0]);
    else
        code = request.stats ? start_and_tell(path, &request) : start(path, &request);
    free(path);
    opt_end(&line);
    return code;
}

const struct command command_run = {&tool, run, MSG_FAILED};
