/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef READER_H
#define READER_H

/* A program that looks for records (records_read, or the same over another library), started once and asked again and
 * again. */

#include <stdio.h>
#include <sys/types.h>

#define READER_LATER "later: "

struct reader {
    const char *command; /* NULL: there is none, and it finds everything right */
    pid_t pid;           /* 0: not started, or it ended */
    FILE *ask, *answers;
    char text[512];
};

/* NULL when every record below n is right, else what is wrong, good until the next call. Text that starts with READER_LATER: the
 * records are all there, and this library will open the file after the next nc_sync. One that crashes is
 * started anew by the next call. */
const char *reader_check(struct reader *r, const char *path, size_t n, int nvars);
void reader_end(struct reader *r);

#endif
