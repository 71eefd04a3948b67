/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

/* An output that appears whole or not at all. It is written in a folder of its own
 * beside its target (tmpfolder.h) and takes the target's place when complete and
 * flushed, with the owner and the permissions of what it replaces. Every way out (errors,
 * exit(), SIGINT, SIGTERM, SIGHUP) removes it; what a killed run left behind is removed by
 * the next run to the same target. Targets are files, or directories for Zarr. One output at a time.
 * A store in a bucket (s3://...) is the exception: it is written in place. */

#include <stdbool.h>
#include <stddef.h>

/* Call first in main: signals are taken by a thread that cleans up. */
void output_init(void);

/* Ends the tool where the target can be no output: it has no name, is the input (which may be NULL), its directory is
 * missing or cannot be written, or it is a directory that holds something else than a store. Call it before work
 * whose result goes there. */
void output_check(const char *target, const char *input);

/* The path (or file:// URL) to create, after output_check(target, NULL); borrowed until the output ends. */
const char *output_begin(const char *target);

/* Put it in place. False after saying why; the old target is then untouched. */
bool output_commit(void);
void output_discard(void);

/* A file of that text, begun and put in place; NULL: standard output. False after saying why. */
bool output_text(const char *target, const char *text, size_t n);

/* What an output name means: a plain path, or what lies in a bucket, is a store if it ends in .zarr or .zip, so that
 * "out.zarr" is "file://out.zarr#mode=nczarr", "s3://b/out.zip" "s3://b/out.zip#mode=nczarr,zip". Yours to free. */
char *output_target(const char *given);

/* The local path inside a path or file:// URL, without its #fragment; NULL: not local. Yours to free. */
char *output_local_path(const char *target);

/* Whether two paths or URLs name the same existing file or directory. */
bool output_same(const char *a, const char *b);

/* Bytes a file or directory takes. */
unsigned long long output_size(const char *target);

#endif
