/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading without a destination: every stored chunk that a region touches is read and decoded in the workspace of its job, and
 * what comes out is dropped. So it costs neither memory for the values nor the last pass over them: out of byte planes elements
 * are not made. What is in the cache is written first, and is not looked at. */
#include "array_int.h"
#include "trace.h"

static int check_stored(struct cel_job *job)
{
    const struct cel_stream *s = job->stream;
    struct cel_planes planes;
    void *chunk;
    int rc;

    if (s->array->has_codec)
        return cel_elements_check(job);
    if (cel_chain_has_planes(&s->var->chain, job->at.skipped))
        return cel_job_load_planes(job, &planes);
    rc = cel_job_buffer(job, s->array->nbytes, &chunk);
    return rc == CEL_OK ? cel_job_load(job, chunk) : rc;
}

static int send_chunk(struct cel_stream *stream, const size_t *index)
{
    struct cel_job *job = cel_stream_next(stream, index);
    int rc = cel_job_find(job);

    if (rc != CEL_OK || job->input != CEL_INPUT_STORED)
        return rc;
    job->work = check_stored;
    cel_stream_send(job);
    return CEL_OK;
}

static int check_locked(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region)
{
    char path[CEL_WHERE_TEXT], nowhere;
    struct cel_request req;
    int rc;

    CEL_TRACE(CEL_TRACE_GET, .file = ds->path, .variable = cel_var_path(var, path));
    rc = cel_request_begin(ds, var, region, &nowhere, NC_NAT, false, &req);
    if (rc == CEL_OK && req.n && !var->layout.unchunked)
        rc = cel_chain_usable(&var->chain);
    if (rc != CEL_OK)
        return rc;
    cel_read_ahead_stop(var->array);
    cel_request_clip(&req);
    if (!req.n)
        return CEL_OK;
    return var->layout.unchunked && !var->array->has_codec ? cel_unchunked_check(&req)
                                                           : cel_stream_chunks(&req, send_chunk);
}

int cel_check_region(struct cel_dataset *ds, struct cel_var *var, const struct cel_region *region)
{
    struct cel_array *array;
    int rc = cel_array_get(ds, var, &array);

    if (rc == CEL_OK)
        rc = cel_array_flush(ds, var);
    if (rc == CEL_OK) {
        cel_trace_lock(&array->lock, CEL_TRACE_WAIT_VARIABLE);
        rc = check_locked(ds, var, region);
        cel_unlock(&array->lock);
    }
    return rc == CEL_OK ? CEL_OK : cel_fail_in_var(rc, var);
}
