/* SPDX-License-Identifier: BSD-3-Clause */
/* The error that a lossy chain makes: the encoded chunk is decoded again and compared with the original. */
#include "chain.h"
#include "mem.h"
#include "status.h"
#include "dtype.h"
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>

unsigned cel_step_flags(const struct cel_step *step)
{
    const struct cel_codec *codec = step->codec;
    unsigned flags = codec ? codec->flags : 0;

    return codec && codec->flags_with ? flags | codec->flags_with(step->working.n ? &step->working : &step->visible)
                                      : flags;
}

static bool has_flag(const struct cel_chain *c, unsigned flag)
{
    for (size_t i = 0; i < c->n; i++)
        if (cel_step_flags(&c->step[i]) & flag)
            return true;
    return false;
}

bool cel_chain_is_lossy(const struct cel_chain *c)
{
    return has_flag(c, CEL_CODEC_LOSSY);
}

bool cel_chain_mixes(const struct cel_chain *c)
{
    return has_flag(c, CEL_CODEC_MIXES);
}

/* Values that are not numbers, or became none, have no distance. */
static void compare(const struct cel_dtype *t, const char *was, const char *is, size_t n, struct cel_loss *loss)
{
    for (size_t i = 0; i < n; i++) {
        double a = cel_load_real(t, was + i * t->size), off = fabs(a - cel_load_real(t, is + i * t->size));

        if (!isfinite(off))
            continue;
        loss->max_abs = fmax(loss->max_abs, off);
        if (a != 0)
            loss->max_rel = fmax(loss->max_rel, off / fabs(a));
    }
}

int cel_chain_loss(const struct cel_chain *c, struct cel_scratch *scratch, const void *src, const void *encoded,
                   size_t n, uint32_t skipped, struct cel_loss *loss)
{
    struct cel_dtype type = cel_dtype_at(cel_dtype_of_shape(&c->shape));
    void *decoded;
    int rc;

    if (!type.kind)
        return CEL_OK;
    decoded = cel_malloc(c->shape.nbytes);
    if (!decoded)
        return NC_ENOMEM;
    rc = cel_chain_decode(c, scratch, encoded, n, skipped, decoded);
    if (rc == CEL_OK)
        compare(&type, src, decoded, c->shape.nbytes / type.size, loss);
    free(decoded);
    return rc;
}
