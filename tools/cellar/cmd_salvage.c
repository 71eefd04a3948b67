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

/* Of a store in a directory: documents are mended once it is known which are lost. */
static int reopen_store(struct salvage *s)
{
    char *store = output_local_path(s->copy.req->in), *local = output_local_path(s->copy.out_path);
    char *folder = tmpfolder_directory_of(local ? local : "."), **lost = tool_alloc(s->nlost + 1, sizeof *lost),
         *mended = NULL;
    int status = NC_NOERR;

    for (size_t i = 0; i < s->nlost; i++)
        lost[i] = s->lost[i].path;
    if (s->copy.in_zarr && !s->mend.bytes && store)
        mended = mend_store(&s->mend, store, folder, lost, s->nlost);
    if (mended) {
        struct text url = {0};

        text_printf(&url, "file://%s#mode=zarr", mended);
        nc_close(s->copy.in);
        salvage_forget(s);
        status = nc_open(text_get(&url), NC_NOWRITE, &s->copy.in);
        if (status == NC_NOERR)
            status = walk_all(s->copy.in, lose_unreadable, s);
        text_free(&url);
    }
    free(mended);
    free(lost);
    free(folder);
    free(local);
    free(store);
    return status;
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

static int run_salvage(struct salvage *s, bool json, bool quiet)
{
    struct copy *c = &s->copy;
    int status, code;

    c->out_path = output_begin(c->req->out);
    status = open_input(s);
    if (status == NC_NOERR)
        status = copy_formats(c);
    if (status)
        return refuse(s, status);
    walk_all(c->in, lose_unreadable, s);
    status = reopen_store(s);
    if (status)
        return msg_nc(status, "%s", c->req->in);
    for (size_t i = 0; i < s->mend.nlosses; i++)
        salvage_lose(s, s->mend.loss[i].name, s->mend.loss[i].why);
    copy_plan(c);
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
    if (output_same(req.in, req.out))
        msg_die(MSG_USAGE, "%s: input and output are the same: say another output", req.out);
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

const struct command command_salvage = {&tool, run};
