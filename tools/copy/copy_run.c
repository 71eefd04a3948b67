/* SPDX-License-Identifier: BSD-3-Clause */
/* A request from beginning to end. */

#include "copy.h"
#include "msg.h"
#include "output.h"
#include "unreadable.h"
#include <stdlib.h>
#include <unistd.h>

static void open_input(struct copy *c)
{
    int status = nc_open(c->req->in, c->req->in_in_memory ? NC_DISKLESS : NC_NOWRITE, &c->in);

    if (status == NC_NOERR)
        status = copy_formats(c);
    if (status)
        exit(msg_nc(status, "%s", c->req->in));
}

static bool failed(const struct copy *c, int status)
{
    msg_nc(status, "%s", c->req->out);
    return false;
}

static int create_output(struct copy *c)
{
    size_t before = 0;
    int status;

    nc_get_meta_block_size(&before);
    if (c->req->cloud)
        nc_set_meta_block_size(copy_front_size(c));
    status = nc_create(c->out_path, copy_create_mode(c), &c->out);
    nc_set_meta_block_size(before);
    return status;
}

/* A local output is removed with its folder. Of one in a bucket something may be left, as an archive in the folder for temporary
 * files, which the error of the end tells. */
static void give_up(struct copy *c)
{
    char *local = output_local_path(c->req->out);
    int status = nc_abort(c->out);

    if (status != NC_NOERR && !local)
        failed(c, status);
    free(local);
}

/* Writes everything; the output keeps its temporary name. */
static bool write_output(struct copy *c)
{
    int status = create_output(c);
    bool ok;

    if (status)
        return failed(c, status);
    copy_progress_start(c);
    ok = copy_define(c) && copy_data(c);
    copy_progress_end();
    if (!ok) {
        give_up(c);
        return false;
    }
    status = nc_close(c->out);
    return status == NC_NOERR || failed(c, status);
}

static int copy_file(struct copy *c)
{
    bool same = true;

    c->out_path = output_begin(c->req->out);
    if (!write_output(c))
        return MSG_FAILED;
    if (c->req->verify && !copy_verify(c, &same))
        return MSG_FAILED;
    if (!same)
        return MSG_DIFFERS;
    if (!output_commit())
        return MSG_FAILED;
    if (c->req->report || (isatty(STDERR_FILENO) && !c->req->quiet))
        copy_report(c, c->req->report ? stdout : stderr);
    return MSG_OK;
}

/* What the library could not read of the input is named, once for all. */
static void check_readable(const struct copy *c)
{
    size_t n = 0;
    int status = unreadable_warn(c->in, "copied", &n);

    if (status)
        exit(msg_nc(status, "%s", c->req->in));
    if (n && c->req->strict)
        msg_die(MSG_FAILED, "%s: --strict: %zu object%s of it cannot be copied", c->req->in, n, n == 1 ? "" : "s");
}

int copy_run(const struct copy_request *r)
{
    struct copy c = {.req = r};
    int code;

    open_input(&c);
    if (!r->dry_run)
        output_check(r->out, r->in);
    check_readable(&c);
    copy_plan(&c);
    if (r->dry_run) {
        code = copy_estimate(&c) ? MSG_OK : MSG_FAILED;
        if (code == MSG_OK)
            copy_report(&c, stdout);
    } else {
        code = copy_file(&c);
    }
    nc_close(c.in);
    copy_free(&c);
    return code;
}
