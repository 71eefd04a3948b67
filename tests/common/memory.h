/* SPDX-License-Identifier: BSD-3-Clause */
/* This process's memory, as Linux counts it. */
#ifndef CEL_TEST_MEMORY_H
#define CEL_TEST_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes; `key` is "VmRSS:" (now) or "VmHWM:" (the most since the mark was reset). */
static inline size_t memory_line(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    size_t kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtoul(line + strlen(key), NULL, 10);
    if (f)
        fclose(f);
    return kib * 1024;
}

/* The mark survives exec(), so that it may tell of the program that started this one.
 * Gives the memory now; ends the program where the mark cannot be reset. */
static inline size_t memory_mark_reset(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (!f || fputs("5", f) < 0 || fclose(f) != 0) {
        perror("/proc/self/clear_refs");
        exit(1);
    }
    return memory_line("VmRSS:");
}

#endif
