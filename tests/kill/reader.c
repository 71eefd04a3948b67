/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines to a program and back. */
#include "reader.h"
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *command, int in, int out)
{
    char line[2048];

    snprintf(line, sizeof line, "exec %s", command);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (!freopen("/dev/null", "w", stderr))
        _exit(127);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static bool start(struct reader *r)
{
    int ask[2], answer[2];

    signal(SIGPIPE, SIG_IGN); /* one that ended is seen by its missing answer */
    if (pipe(ask) != 0 || pipe(answer) != 0)
        return false;
    r->pid = fork();
    if (r->pid == 0)
        become(r->command, ask[0], answer[1]);
    close(ask[0]);
    close(answer[1]);
    r->ask = fdopen(ask[1], "w");
    r->answers = fdopen(answer[0], "r");
    return r->pid > 0 && r->ask && r->answers;
}

void reader_end(struct reader *r)
{
    if (r->pid <= 0)
        return;
    fclose(r->ask);
    fclose(r->answers);
    kill(r->pid, SIGTERM); /* a process that waits to be judged has the pipe open, too: it would not end by itself */
    waitpid(r->pid, NULL, 0);
    r->pid = 0;
}

const char *reader_check(struct reader *r, const char *path, size_t n, int nvars)
{
    if (!r->command)
        return NULL;
    if (!r->pid && !start(r))
        return "the reader does not start";
    fprintf(r->ask, "%zu %d %s\n", n, nvars, path);
    fflush(r->ask);
    if (!fgets(r->text, sizeof r->text, r->answers)) {
        reader_end(r);
        return "the reader crashed";
    }
    r->text[strcspn(r->text, "\n")] = '\0';
    if (strcmp(r->text, "right") == 0)
        return NULL;
    if (strncmp(r->text, READER_LATER, strlen(READER_LATER)) != 0)
        reader_end(r); /* netCDF-C keeps the lock of a file that it failed to read */
    return r->text;
}
