/* SPDX-License-Identifier: BSD-3-Clause */
/* The sessions. */
#include "session.h"
#include "records.h"
#include <cellar.h>

/* --- what becomes of a call ------------------------------------------------------------ */

static bool noted(struct outcome *out, int rc, const char *call)
{
    if (rc && !out->failed)
        snprintf(out->first, sizeof out->first, "%s: %s", call, cellar_error());
    out->failed = out->failed || rc;
    return !rc;
}

#define DONE(call) noted(out, (call), #call)

static void put_record(const struct dataset *d, size_t t, struct outcome *out)
{
    bool ok = true;

    for (int v = 0; v < d->nvars; v++)
        ok = DONE(dataset_put(d, v, t)) && ok;
    ok = DONE(dataset_put_time(d, t)) && ok;
    out->put_failed = out->put_failed || !ok;
}

static void acknowledge(const struct dataset *d, size_t n, int rc, struct outcome *out)
{
    out->lost_track = out->lost_track || (!rc && out->put_failed);
    if (rc || out->put_failed)
        return;
    out->acked = n;
    out->nvars = d->nvars;
}

static void sync_records(const struct dataset *d, size_t n, struct outcome *out)
{
    int rc = nc_sync(d->nc);

    noted(out, rc, "nc_sync");
    acknowledge(d, n, rc, out);
}

static void close_records(const struct dataset *d, size_t n, struct outcome *out)
{
    int rc = nc_close(d->nc);

    noted(out, rc, "nc_close");
    acknowledge(d, n, rc, out);
}

/* A dataset that could not be made or opened as it should. */
static void give_up(const struct dataset *d, struct outcome *out)
{
    if (d->nc >= 0)
        DONE(nc_close(d->nc));
}

/* --- sessions ----------------------------------------------------------------------------- */

static void write_records(const struct dataset *d, size_t from, struct outcome *out)
{
    for (size_t t = from; t < SESSION_RECORDS; t++) {
        put_record(d, t, out);
        if (t % 3 == 2)
            sync_records(d, t + 1, out);
    }
    close_records(d, SESSION_RECORDS, out);
}

static void create(const struct container *c, const char *path, struct outcome *out)
{
    struct dataset d;

    if (DONE(dataset_create(&d, c, path, SESSION_VARS)))
        write_records(&d, 0, out);
    else
        give_up(&d, out);
}

static void append(const struct container *c, const char *path, struct outcome *out)
{
    struct dataset d;

    (void)c;
    if (DONE(dataset_open(&d, path, SESSION_VARS)))
        write_records(&d, SESSION_BEFORE, out);
    else
        give_up(&d, out);
}

/* One variable more, unless an earlier try has made it. */
static bool define_more(struct dataset *d, const struct container *c, struct outcome *out)
{
    if (nc_inq_varid(d->nc, "v2", &d->var[SESSION_VARS]) == NC_NOERR) {
        d->nvars++;
        return true;
    }
    if (!DONE(nc_redef(d->nc)) || !DONE(nc_put_att_text(d->nc, NC_GLOBAL, "note", 4, "more")))
        return false;
    return DONE(dataset_define(d, c)) && DONE(nc_enddef(d->nc));
}

static void redefine(const struct container *c, const char *path, struct outcome *out)
{
    struct dataset d;

    if (DONE(dataset_open(&d, path, SESSION_VARS)) && define_more(&d, c, out))
        write_records(&d, 0, out);
    else
        give_up(&d, out);
}

static void look(const struct container *c, const char *path, struct outcome *out)
{
    int code;
    const char *wrong = records_check(path, SESSION_BEFORE, SESSION_VARS, &code);

    (void)c;
    out->failed = wrong != NULL;
    out->wrong = wrong && !code;
    snprintf(out->first, sizeof out->first, "%s", wrong ? wrong : "");
}

const struct session sessions[] = {
    {"create", false, create}, {"append", true, append}, {"redef", true, redefine}, {"read", true, look}, {0},
};
