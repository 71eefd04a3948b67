/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar verify: is every chunk of these files there and whole? Files are looked at side by side, the chunks of one file by the
 * library's threads; what was found is printed in the order of the files. */

#include "cellar.h"
#include "command.h"
#include "filelist.h"
#include "msg.h"
#include "output.h"
#include "progress.h"
#include "tmpfolder.h"
#include "verify.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_CHECKSUMS = 256, LONG_JSON, LONG_THREADS };
enum {
    MEMORY = 64 << 20,
    MEMORY_OF_THREAD = 8 << 20
}; /* bytes of values to be hashed at a time, of all files at work: what fits the caches */

static const struct opt options[] = {
    {LONG_CHECKSUMS, "checksums", "FILE", "compare all values with this manifest; write it where there is none"},
    {LONG_JSON, "json", NULL, "JSON in place of lines (docs/schema/verify.json)"},
    {LONG_THREADS, "threads", "N", "threads that decode (default: all cores)"},
    {'q', "quiet", NULL, "print what is wrong only"},
};

static const struct opt_tool tool = {
    "cellar verify",
    "[options] FILE...",
    "Read every chunk of every variable and say which are damaged.",
    options,
    sizeof options / sizeof *options,
    "FILE is a netCDF or HDF5 file, a Zarr store, or a directory with such files in it and below.\n"
    "exit codes: 0 all whole; 1 damaged, one line for each; 2 something could not be looked at, or a wrong "
    "command line\n"};

struct request {
    const char *checksums;
    bool json, quiet;
};

struct work {
    const struct request *req;
    const struct filelist *files;
    struct manifest *manifest;
    struct verify_result *result;
    bool *done;
    size_t next, nworkers, memory;
    pthread_mutex_t lock;
    pthread_cond_t finished;
};

static void *run_worker(void *arg)
{
    struct work *w = arg;

    pthread_mutex_lock(&w->lock);
    while (w->next < w->files->n) {
        size_t i = w->next++;

        pthread_mutex_unlock(&w->lock);
        verify_file(w->files->at[i], w->manifest, w->memory / w->nworkers, &w->result[i]);
        pthread_mutex_lock(&w->lock);
        w->done[i] = true;
        pthread_cond_broadcast(&w->finished);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void print_in_order(struct work *w)
{
    for (size_t i = 0; i < w->files->n; i++) {
        pthread_mutex_lock(&w->lock);
        while (!w->done[i])
            pthread_cond_wait(&w->finished, &w->lock);
        pthread_mutex_unlock(&w->lock);
        if (w->req->json)
            continue;
        if (w->result[i].ndamage || !w->req->quiet)
            progress_pause();
        verify_print(&w->result[i], w->req->quiet);
    }
}

static void run_all(struct work *w)
{
    pthread_t *thread = tool_alloc(w->nworkers, sizeof *thread);
    size_t started = 0;

    while (started < w->nworkers && pthread_create(&thread[started], NULL, run_worker, w) == 0)
        started++;
    if (!started) {
        w->nworkers = 1;
        run_worker(w);
    }
    print_in_order(w);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}

static int summarize(const struct work *w)
{
    size_t n[3] = {0};

    for (size_t i = 0; i < w->files->n; i++)
        n[w->result[i].state]++;
    if (!w->req->json && !w->req->quiet && w->files->n > 1)
        printf("%zu files: %zu whole, %zu damaged, %zu could not be looked at\n", w->files->n, n[VERIFY_WHOLE],
               n[VERIFY_DAMAGED], n[VERIFY_UNKNOWN]);
    return n[VERIFY_DAMAGED] ? 1 : n[VERIFY_UNKNOWN] ? 2 : 0;
}

static size_t memory_for(size_t threads)
{
    return threads * MEMORY_OF_THREAD < MEMORY ? threads * MEMORY_OF_THREAD : MEMORY;
}

static int end_manifest(const struct work *w, int code)
{
    if (code && !w->manifest->checking)
        msg_warn("%s is not written: it would have the checksums of damaged values", w->req->checksums);
    if (code == 0 && !manifest_save(w->manifest))
        code = 2;
    manifest_close(w->manifest);
    return code;
}

static int verify_files(const struct request *req, const struct filelist *files)
{
    struct manifest manifest;
    size_t threads = (size_t)cellar_get_threads();
    struct work w = {.req = req, .files = files, .nworkers = files->n < threads ? files->n : threads};
    int code;

    if (req->checksums && !manifest_open(req->checksums, &manifest))
        return MSG_USAGE;
    w.manifest = req->checksums ? &manifest : NULL;
    w.memory = memory_for(threads);
    w.result = tool_alloc(files->n + 1, sizeof *w.result);
    w.done = tool_alloc(files->n + 1, sizeof *w.done);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.finished, NULL);
    progress_start(req->quiet, 0);
    run_all(&w);
    progress_end();
    code = summarize(&w);
    if (req->json && !verify_print_json(w.result, files->n))
        code = 2;
    if (w.manifest)
        code = end_manifest(&w, code);
    for (size_t i = 0; i < files->n; i++)
        verify_result_free(&w.result[i]);
    free(w.result);
    free(w.done);
    return code;
}

/* A manifest that cannot be written is told before everything is read. */
static void check_manifest(const char *file)
{
    char *folder = tmpfolder_directory_of(file);

    if (access(file, F_OK) != 0 && access(folder, W_OK) != 0)
        msg_die(MSG_USAGE, "--checksums %s: it cannot be written to the directory %s: %s", file, folder,
                strerror(errno));
    free(folder);
}

static int run(int argc, char **argv)
{
    struct request req = {0};
    struct filelist files = {0};
    struct opt_line line;
    bool listed = true;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END) {
        if (key == LONG_CHECKSUMS)
            req.checksums = line.value;
        if (key == LONG_THREADS)
            cellar_set_threads((int)opt_number("--threads", line.value, 1, 1024));
        req.json = req.json || key == LONG_JSON;
        req.quiet = req.quiet || key == 'q';
    }
    if (line.noperands == 0)
        msg_die(MSG_USAGE, "expected files: cellar verify [options] FILE... (cellar help verify says more)");
    for (size_t i = 0; i < line.noperands; i++)
        listed = filelist_add(&files, line.operands[i]) && listed;
    if (req.checksums && files.n)
        check_manifest(req.checksums);
    code = files.n ? verify_files(&req, &files) : MSG_OK;
    filelist_free(&files);
    opt_end(&line);
    return code == 0 && !listed ? 2 : code;
}

const struct command command_verify = {&tool, run, MSG_USAGE};
