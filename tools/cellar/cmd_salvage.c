/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar salvage: what can be read of a damaged file, in a new one. The bytes are mended in memory where they can be, then all
 * is copied that decodes. */

#include "cellar.h"
#include "command.h"
#include "mend_store.h"
#include "msg.h"
#include "output.h"
#include "progress.h"
#include "salvage.h"
#include "tmpfolder.h"
#include "unreadable.h"
#include <errno.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_JSON = 256, LONG_THREADS, LONG_TRUST };

static const struct opt options[] = {
    {LONG_JSON, "json", NULL, "JSON in place of lines (docs/schema/salvage.json)"},
    {LONG_THREADS, "threads", "N", "threads that decode (default: all cores)"},
    {LONG_TRUST, "trust", NULL, "plugins and libhdf5 may read the damaged file too"},
    {'q', "quiet", NULL, "print what is lost only"},
};

static const struct opt_tool tool = {
    "cellar salvage",
    "[options] FILE OUT",
    "Copy all that can be read of a damaged file, and say what is lost.",
    options,
    sizeof options / sizeof *options,
    "FILE stays as it is. Lost values are fill values in OUT, and are listed as variable[first:last,...].\n"
    "exit codes: 0 nothing is lost; 1 nothing could be saved; 2 wrong command line; 3 OUT has what is left\n"};

static void note_left(void *arg, const char *path, const char *why)
{
    salvage_lose(arg, path, why);
}

/* --- the input ------------------------------------------------------------------------------- */

/* Archives are read from files: the mended one lies beside the output while that is made. */
static int open_archive(struct salvage *s)
{
    char *local = output_local_path(s->copy.out_path), *folder = tmpfolder_directory_of(local ? local : ".");
    struct text path = {0};
    FILE *f;
    int status = NC_NOERR;

    text_printf(&path, "%s/mended.zip", folder);
    f = fopen(text_get(&path), "wb");
    if (!f || fwrite(s->mend.bytes, 1, s->mend.size, f) != s->mend.size)
        status = errno ? errno : NC_EIO;
    if (f && fclose(f) != 0)
        status = errno;
    if (status == NC_NOERR) {
        msg_set_alias(text_get(&path), s->mend.path);
        status = nc_open(text_get(&path), NC_NOWRITE, &s->copy.in);
    }
    text_free(&path);
    free(local);
    free(folder);
    return status;
}

static int open_input(struct salvage *s)
{
    const char *in = s->copy.req->in;
    char *local = output_local_path(in);
    enum mend_kind kind = local && mend_open(local, &s->mend) ? mend_file(&s->mend) : MEND_NONE;
    int status;

    s->mend.path = in;
    if (kind == MEND_ZIP)
        status = open_archive(s);
    else if (kind != MEND_NONE)
        status = nc_open_mem(in, NC_NOWRITE, s->mend.size, s->mend.bytes, &s->copy.in);
    else
        status = nc_open(in, NC_NOWRITE, &s->copy.in);
    free(local);
    return status;
}

static int lose_unreadable(int group, void *arg)
{
    struct salvage *s = arg;
    struct unreadable u = {0};
    char *path = walk_path(group);
    int status = unreadable_load(group, &u);

    for (int i = 0; i < u.n; i++) {
        struct text t = {0};

        if (path && path[1])
            text_printf(&t, "%s%s", path, u.name[i][0] == ':' ? "" : "/");
        text_puts(&t, u.name[i]);
        salvage_lose(s, text_get(&t), u.reason[i]);
        text_free(&t);
    }
    unreadable_free(&u);
    free(path);
    return status;
}

/* Arrays of a store whose documents can be read and do not make sense of its chunks, besides those that cannot. */
struct doubted {
    const char *store;
    char **name;
    size_t n;
};

static int doubt(int group, void *arg)
{
    struct doubted *d = arg;
    struct walk_ids vars;
    int status = walk_vars(group, &vars);

    for (int i = 0; status == NC_NOERR && i < vars.n; i++) {
        char *path = walk_var_path(group, vars.at[i]);

        if (path && (mend_store_lacks(d->store, path) || !mend_store_has_codecs(group, vars.at[i]))) {
            d->name = tool_push(d->name, d->n, sizeof *d->name);
            d->name[d->n++] = tool_strdup(path);
        }
        free(path);
    }
    walk_free(&vars);
    return status;
}

static int open_store(struct salvage *s, const char *store)
{
    struct text url = {0};
    int status;

    text_printf(&url, "file://%s#mode=zarr", store);
    status = nc_open(text_get(&url), NC_NOWRITE, &s->copy.in);
    text_free(&url);
    return status;
}

static char *make_folder(const struct salvage *s)
{
    char *local = output_local_path(s->copy.out_path), *folder = tmpfolder_directory_of(local ? local : ".");

    free(local);
    return folder;
}

/* The damaged document of a root group keeps all below it from being read or from its dimensions. NULL: none is damaged. */
static char *open_rooted(struct salvage *s, int *status)
{
    char *local = output_local_path(s->copy.req->in), *folder = make_folder(s), *rooted = NULL;

    if (local)
        rooted = mend_store_root(&s->mend, local, folder);
    if (rooted) {
        s->mend.path = s->copy.req->in;
        *status = open_store(s, rooted);
    }
    free(folder);
    free(local);
    return rooted;
}

/* Of a store in a directory: documents are mended once it is known which are damaged. */
static int reopen_store(struct salvage *s, const char *store)
{
    struct doubted d = {.store = store};
    char *folder, *mended;
    int status = NC_NOERR;

    if (!s->copy.in_zarr || s->mend.bytes || !store)
        return NC_NOERR;
    folder = make_folder(s);
    for (size_t i = 0; i < s->nlost; i++) {
        d.name = tool_push(d.name, d.n, sizeof *d.name);
        d.name[d.n++] = tool_strdup(s->lost[i].path);
    }
    walk_all(s->copy.in, doubt, &d);
    mended = mend_store(&s->mend, store, folder, d.name, d.n);
    if (mended) {
        nc_close(s->copy.in);
        salvage_forget(s);
        status = open_store(s, mended);
        if (status == NC_NOERR)
            status = walk_all(s->copy.in, lose_unreadable, s);
    }
    for (size_t i = 0; i < d.n; i++)
        free(d.name[i]);
    free(d.name);
    free(mended);
    free(folder);
    return status;
}

/* The chunks of an array that is lost as a whole stay in the store, for one who knows what its document said. */
static void name_chunks(struct salvage_lost *x, const char *keys)
{
    const char *name = x->path + (*x->path == '/');
    size_t n = strlen(name), count = 0;
    struct text t = {0};

    for (const char *key = keys; *key; key += strlen(key) + 1)
        if (strncmp(key, name, n) == 0 && key[n] == '/' && !mend_store_is_document(key)) {
            text_printf(&t, " %s", key);
            count++;
        }
    if (count) {
        struct text why = {0};

        text_printf(&why, "%s; its %zu value%s in the store:%s", x->why, count, count == 1 ? "" : "s", text_get(&t));
        free(x->why);
        x->why = text_take(&why);
    }
    text_free(&t);
}

static void name_all_chunks(struct salvage *s)
{
    char *keys = NULL;

    if (!s->copy.in_zarr || cellar_inq_keys(s->copy.in, &keys) != NC_NOERR)
        return;
    for (size_t i = 0; i < s->nlost; i++)
        if (s->lost[i].ndims < 0)
            name_chunks(&s->lost[i], keys);
    cellar_free(keys);
}

/* --- the output ---------------------------------------------------------------------------------- */

static bool write_output(struct salvage *s, bool quiet)
{
    struct copy *c = &s->copy;
    int status = nc_create(c->out_path, copy_create_mode(c), &c->out);
    bool ok;

    if (status)
        return msg_nc(status, "%s", c->req->out), false;
    progress_start(quiet, c->total);
    ok = copy_define(c) && salvage_data(s);
    progress_end();
    if (!ok) {
        nc_abort(c->out);
        return false;
    }
    status = nc_close(c->out);
    return status == NC_NOERR || (msg_nc(status, "%s", c->req->out), false);
}

/* What our reader leaves to libhdf5, that may try. */
static int refuse(const struct salvage *s, int status)
{
    bool hdf5 = s->mend.bytes && s->mend.size > 8 && memcmp(s->mend.bytes, "\x89HDF", 4) == 0;
    char *why = msg_reason(status);

    msg_error("%s: %s%s", s->copy.req->in, why, hdf5 ? ": --trust lets libhdf5 and plugins try" : "");
    free(why);
    return MSG_FAILED;
}

static int open_all(struct salvage *s)
{
    char *store;
    int status = NC_NOERR;

    s->copy.out_path = output_begin(s->copy.req->out);
    store = open_rooted(s, &status);
    if (!store)
        status = open_input(s);
    if (status == NC_NOERR)
        status = copy_formats(&s->copy);
    if (status == NC_NOERR)
        status = walk_all(s->copy.in, lose_unreadable, s);
    if (!store)
        store = output_local_path(s->copy.req->in);
    if (status == NC_NOERR)
        status = reopen_store(s, store);
    free(store);
    return status;
}

static int run_salvage(struct salvage *s, bool json, bool quiet)
{
    struct copy *c = &s->copy;
    int status = open_all(s), code;

    if (status)
        return refuse(s, status);
    for (size_t i = 0; i < s->mend.nlosses; i++)
        salvage_lose(s, s->mend.loss[i].name, s->mend.loss[i].why);
    copy_plan(c);
    name_all_chunks(s);
    if (!write_output(s, quiet) || !output_commit())
        return MSG_FAILED;
    code = s->nlost ? MSG_DIFFERS : MSG_OK;
    if (!json)
        salvage_print(s, quiet);
    else if (!salvage_print_json(s))
        code = MSG_FAILED;
    return code;
}

static int run(int argc, char **argv)
{
    struct salvage s = {0};
    struct copy_request req = COPY_REQUEST_INIT;
    struct opt_line line;
    bool json = false, quiet = false, trust = false;
    char *out;
    int key, code;

    output_init();
    opt_start(&line, &tool, argc, argv);
    while ((key = opt_next(&line)) != OPT_END) {
        if (key == LONG_THREADS)
            cellar_set_threads((int)opt_number("--threads", line.value, 1, 1024));
        json = json || key == LONG_JSON;
        quiet = quiet || key == 'q';
        trust = trust || key == LONG_TRUST;
    }
    if (line.noperands != 2)
        msg_die(MSG_USAGE,
                "expected a damaged file and an output: cellar salvage [options] FILE OUT (cellar help salvage "
                "says more)");
    req.in = line.operands[0];
    req.out = out = output_target(line.operands[1]);
    output_check(req.out, req.in);
    req.damaged = true;
    req.on_left = note_left;
    req.on_left_arg = &s;
    s.copy.req = &req;
    cellar_set_untrusted(trust ? -1 : 1);
    code = run_salvage(&s, json, quiet);
    if (s.copy.in)
        nc_close(s.copy.in);
    salvage_free(&s);
    free(out);
    copy_request_free(&req);
    opt_end(&line);
    return code;
}

const struct command command_salvage = {&tool, run, MSG_FAILED};
