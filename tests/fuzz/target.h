/* SPDX-License-Identifier: BSD-3-Clause */
/* A fuzz target is one function over any bytes. libFuzzer calls it in the fuzz build; in
 * all others replay.c calls it with the files of the corpus. A target answers 0, and ends
 * the process where something is wrong. */
#ifndef CEL_FUZZ_TARGET_H
#define CEL_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv); /* once, before the first input */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Says what is wrong, and ends the process in the way libFuzzer keeps the input for. */
#define FUZZ_EXPECT(what, ...) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #what); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

#endif
