/* SPDX-License-Identifier: BSD-3-Clause */
/* Credentials that a process prints (credential_process of a profile), as JSON. Its command line is split into words like
 * that of a shell, and run without a shell. Its standard error is the program's, so that the user sees it. */
#include "credentials_int.h"
#include "mem.h"
#include "text_file.h"
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 64
#define OUTPUT_MAX ((size_t)64 << 10)
#define SECONDS 60
#define BLANKS " \t\r"

extern char **environ;

/* --- words ------------------------------------------------------------------------------- */

/* A backslash stands for the character behind it; between double quotes before '"' and a backslash alone. */
static bool is_escape(const char *at, char quote)
{
    return *at == '\\' && at[1] && (!quote || (quote == '"' && strchr("\"\\", at[1])));
}

/* The next word from *at on, in place and without its quotes; NULL: there is none, or (*at NULL) a quote is not closed. */
static char *next_word(char **at)
{
    char *from = *at + strspn(*at, BLANKS), *word = from, *to = from, quote = '\0';

    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(BLANKS, *from)); from++) {
        if (*from == quote)
            quote = '\0';
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else if (is_escape(from, quote))
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *at = quote ? NULL : from + (*from != '\0');
    *to = '\0';
    return quote ? NULL : word;
}

static int split(char *line, char *word[WORDS + 1])
{
    size_t n = 0;

    while (n < WORDS && (word[n] = next_word(&line)))
        n++;
    return n > 0 && n < WORDS && line;
}

/* --- the process --------------------------------------------------------------------------- */

static int start(char *const word[], int out, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    int e = posix_spawn_file_actions_init(&files);

    if (e)
        return e;
    e = posix_spawnattr_init(&how);
    if (e) {
        posix_spawn_file_actions_destroy(&files);
        return e;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!e)
        e = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!e)
        e = posix_spawnp(child, word[0], &files, &how, word, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return e;
}

static int ms_until(time_t end)
{
    time_t now = time(NULL);

    return now < end ? (int)(end - now) * 1000 : 0;
}

/* All it prints; false: it takes too long, or prints too much. */
static bool read_all(int fd, time_t end, struct cel_buf *out)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    for (;;) {
        int ready = poll(&p, 1, ms_until(end));
        ssize_t n;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 || out->len == OUTPUT_MAX)
            return false;
        n = read(fd, out->data + out->len, OUTPUT_MAX - out->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        out->len += (size_t)n;
    }
}

/* Its exit code; 0 also where the program has others collect what its children end with. false: it goes on, though it
 * prints no more. */
static bool wait_for(pid_t child, time_t end, int *code)
{
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (!ms_until(end))
            return false;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    *code = ended < 0 ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

static void end_it(pid_t child)
{
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int run(const char *profile, char *const word[], struct cel_buf *out)
{
    int ends[2], e, code = 0;
    time_t end;
    bool complete;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return cel_fail(NC_EAUTH, "the credential_process of the profile '%s' cannot be run: %s", profile,
                        strerror(errno));
    e = start(word, ends[1], &child);
    close(ends[1]);
    if (e) {
        close(ends[0]);
        return cel_fail(NC_EAUTH, "%s, the credential_process of the profile '%s', cannot be run: %s", word[0], profile,
                        strerror(e));
    }
    end = time(NULL) + SECONDS;
    complete = read_all(ends[0], end, out) && wait_for(child, end, &code);
    close(ends[0]);
    if (!complete) {
        end_it(child);
        return cel_fail(NC_EAUTH,
                        "%s, the credential_process of the profile '%s', was ended: it ran for more than %d seconds or "
                        "printed more than %zu bytes",
                        word[0], profile, SECONDS, OUTPUT_MAX);
    }
    return code ? cel_fail(NC_EAUTH, "%s, the credential_process of the profile '%s', failed with code %d", word[0],
                           profile, code)
                : CEL_OK;
}

int cel_credentials_of_process(const char *profile, const char *command, struct cel_credentials *out)
{
    struct cel_buf text = CEL_BUF_INIT(OUTPUT_MAX);
    char *line = cel_strdup(command), *word[WORDS + 1];
    int rc = line ? cel_buf_reserve(&text, OUTPUT_MAX) : NC_ENOMEM;

    if (rc == CEL_OK && !split(line, word))
        rc = cel_fail(NC_EAUTH, "the credential_process of the profile '%s' is no command line of less than %d words",
                      profile, WORDS);
    if (rc == CEL_OK)
        rc = run(profile, word, &text);
    if (rc == CEL_OK)
        rc = cel_credentials_parse(text.data, text.len, "SessionToken", out);
    if (rc == CEL_ABSENT)
        rc = cel_fail(NC_EAUTH, "what the credential_process of the profile '%s' prints is no JSON with credentials",
                      profile);
    cel_text_wipe(&text);
    free(line);
    return rc;
}
