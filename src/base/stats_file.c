/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that CELLAR_STATS names. It must exist: `cellar run --stats` makes it, and removes it afterwards. */
#include "stats_file.h"
#include "env.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void tell_once(const char *file, const char *why)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "cellar: warning: CELLAR_STATS: %s: %s; no figures are kept\n", file, why);
}

void cel_stats_append(const struct cel_buf *line)
{
    const char *file = cel_env_stats();
    int fd = file ? open(file, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

    if (!file)
        return;
    errno = fd < 0 ? errno : ENOSPC; /* of a part that was written */
    if (fd < 0 || write(fd, line->data, line->len) != (ssize_t)line->len)
        tell_once(file, strerror(errno));
    if (fd >= 0)
        close(fd);
}
