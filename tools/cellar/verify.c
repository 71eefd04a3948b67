/* SPDX-License-Identifier: BSD-3-Clause */
/* One file: opened, its pieces found, its values read. */

#include "verify.h"
#include "cellar.h"
#include "msg.h"
#include "protect.h"
#include "safe.h"
#include <stdlib.h>
#include <string.h>

static char *chunk_text(const struct look_var *v, const size_t *index)
{
    struct text t = {0};

    for (int d = 0; d < v->ndims; d++)
        text_printf(&t, "%s%zu", d ? "," : "", index[d]);
    return t.len ? text_take(&t) : tool_strdup("");
}

static void locate(const struct look_var *v, const size_t *index, struct verify_damage *out)
{
    char *key = NULL;

    if (cellar_inq_chunk(v->group, v->id, index, &out->address, NULL, NULL, &key) == NC_NOERR && *key)
        out->key = tool_strdup(key);
    cellar_free(key);
}

/* The library names the chunk, as we do. */
static const char *without_chunk(const char *what)
{
    const char *end = strncmp(what, "chunk (", 7) == 0 ? strstr(what, "): ") : NULL;

    return end ? end + 3 : what;
}

void verify_note(struct verify_job *job, const struct look_var *v, const size_t *index, bool not_looked,
                 const char *fmt, ...)
{
    struct verify_result *r = job->out;
    struct verify_damage d = {.address = CELLAR_NO_ADDRESS, .not_looked = not_looked};
    struct text what = {0};
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(&what, fmt, ap);
    va_end(ap);
    r->damage = tool_push(r->damage, r->ndamage, sizeof *r->damage);
    d.var = v ? tool_strdup(v->path) : NULL;
    d.what = tool_strdup(without_chunk(text_get(&what)));
    text_free(&what);
    if (index) {
        d.chunk = chunk_text(v, index);
        locate(v, index, &d);
    }
    r->damage[r->ndamage++] = d;
    if (!not_looked)
        r->state = VERIFY_DAMAGED;
    else if (r->state == VERIFY_WHOLE)
        r->state = VERIFY_UNKNOWN;
}

bool verify_is_not_looked(const struct verify_job *job, int status)
{
    return status > 0 || status == NC_ENOTNC || status == NC_ENOMEM || status == NC_ENOFILTER || status == NC_EACCESS ||
           status == NC_EPERM || (status == NC_EIO && safe_is_remote(job->look.path));
}

static bool is_lost(const struct look *l, const char *path)
{
    for (size_t i = 0; i < l->nlost; i++)
        if (strcmp(l->lost[i].path, path) == 0)
            return true;
    return false;
}

static void note_lost_objects(struct verify_job *job)
{
    for (size_t i = 0; i < job->look.nvars; i++)
        if (job->look.var[i].reason && !is_lost(&job->look, job->look.var[i].path))
            verify_note(job, &job->look.var[i], NULL, true, "%s", job->look.var[i].reason);
    for (size_t i = 0; i < job->look.nlost; i++)
        verify_note(job, NULL, NULL, true, "%s: %s", job->look.lost[i].path, job->look.lost[i].reason);
}

static void list_unprotected(struct verify_job *job)
{
    struct verify_result *r = job->out;

    for (size_t i = 0; i < job->look.nvars; i++) {
        const struct look_var *v = &job->look.var[i];

        if (v->reason || !v->nvalues || protect_by(v->chain))
            continue;
        r->unprotected = tool_push(r->unprotected, r->nunprotected, sizeof *r->unprotected);
        r->unprotected[r->nunprotected++] = tool_strdup(v->path);
    }
}

static void note_unseen(void *arg, const char *var, const char *chunk)
{
    verify_note(arg, NULL, NULL, false, "%s: chunk (%s) of the manifest is not in the file", var, chunk);
}

void verify_file(const char *path, struct manifest *manifest, size_t most, struct verify_result *out)
{
    struct verify_job job = {.out = out, .manifest = manifest, .most = most};
    int status = look_open(path, &job.look);

    *out = (struct verify_result){.path = safe_url(path)};
    if (status) {
        char *why = msg_reason(status);

        verify_note(&job, NULL, NULL, verify_is_not_looked(&job, status), "%s", why);
        free(why);
    } else {
        out->nvars = job.look.nvars;
        note_lost_objects(&job);
        verify_extents(&job);
        verify_keys(&job);
        verify_values(&job);
        list_unprotected(&job);
        if (job.manifest)
            manifest_unseen(job.manifest, path, note_unseen, &job);
        extents_free(&job.extents);
    }
    look_close(&job.look);
}

void verify_result_free(struct verify_result *r)
{
    for (size_t i = 0; i < r->ndamage; i++) {
        free(r->damage[i].var);
        free(r->damage[i].chunk);
        free(r->damage[i].key);
        free(r->damage[i].what);
    }
    for (size_t i = 0; i < r->nunprotected; i++)
        free(r->unprotected[i]);
    free(r->damage);
    free(r->unprotected);
    free(r->path);
    *r = (struct verify_result){0};
}
