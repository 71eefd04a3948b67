/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that other processes write: the one that has the file open makes it as long as they need it and sees to it that no
 * fill value is pending where they write, or it would be written over theirs. */
#include "classic_int.h"

static uint64_t element_address(const struct classic *c, const struct cel_var *var, uint64_t element, uint64_t *own)
{
    const struct cel_classic_var *p = priv_of(var);
    uint64_t each = 1, record, within;

    for (int d = p->is_record ? 1 : 0; d < var->ndims; d++)
        each *= var->dim[d]->len;
    record = p->is_record ? element / each : 0;
    within = (element - record * each) * var->type->size;
    *own = record * cel_classic_part(c, p) + within;
    return p->begin + record * c->recsize + within;
}

/* What was staged goes to the file, too, and what was read ahead is forgotten. */
static int make_ready(struct classic *c, const struct cel_var *var, const struct cel_value_range *range)
{
    struct cel_classic_var *p = priv_of(var);
    size_t size = var->type->size;
    uint64_t first, end, behind;
    bool covers;
    int rc = CEL_OK;

    element_address(c, var, range->first, &first);
    behind = element_address(c, var, range->end - 1, &end) + size;
    end += size;
    covers = range->all && end - first == (range->end - range->first) * size;
    if (p->done != UINT64_MAX)
        rc = cel_classic_write_fill(c, var, covers ? first : end);
    if (rc == CEL_OK)
        rc = cel_classic_io_flush(&c->io);
    if (rc == CEL_OK)
        rc = cel_classic_io_grow(&c->io, behind);
    if (rc == CEL_OK && p->done < end)
        p->done = end;
    cel_classic_io_forget(&c->io);
    return rc;
}

bool cel_classic_values_hand_over(struct cel_dataset *ds, struct cel_var *var, const struct cel_value_range *range,
                                  struct cel_value_place *out)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_classic_var *p = priv_of(var);
    int rc;

    if (!p || c->io.fd < 0 || ds->mode & NC_SHARE)
        return false;
    cel_lock(&c->lock);
    rc = make_ready(c, var, range);
    *out = (struct cel_value_place){.begin = p->begin,
                                    .record = p->is_record ? c->recsize : 0,
                                    .swap = __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ && var->type->size > 1};
    cel_unlock(&c->lock);
    return rc == CEL_OK;
}
