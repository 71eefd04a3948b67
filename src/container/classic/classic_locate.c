/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the values of a variable lie in the file, for inquiries: in one piece, or one piece in each record. */
#include "classic_int.h"

int cel_classic_chunk_locate(struct cel_dataset *ds, struct cel_var *var, const size_t *index,
                             struct cel_chunk_location *out, char **key)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_classic_var *p = priv_of(var);
    size_t nbytes = var->type->size;

    (void)key;
    for (int d = p->is_record ? 1 : 0; d < var->ndims; d++)
        if (!cel_mul(nbytes, var->dim[d]->len, &nbytes))
            return cel_fail(NC_EVARSIZE, "the variable has more bytes than memory could");
    cel_lock(&c->lock);
    *out =
        (struct cel_chunk_location){.address = p->begin + (p->is_record ? index[0] * c->recsize : 0), .nbytes = nbytes};
    cel_unlock(&c->lock);
    return nbytes ? CEL_OK : CEL_ABSENT;
}

/* A header may claim any number of records. Of a file that nobody writes, those behind its end are not there. */
int cel_classic_chunk_next(struct cel_dataset *ds, struct cel_var *var, const size_t *n, size_t *index)
{
    struct classic *c = cel_classic_of(ds);
    const struct cel_classic_var *p = priv_of(var);
    uint64_t records;

    (void)n;
    if (!p->is_record || ds->writable || !c->recsize)
        return CEL_OK;
    records = c->io.size > p->begin ? (c->io.size - p->begin - 1) / c->recsize + 1 : 0;
    if (index[0] < records)
        return CEL_OK;
    return cel_fail_in_var(cel_fail(NC_EIO, "the file has %llu records, and ends before record %zu",
                                    (unsigned long long)c->numrecs, index[0]),
                           var);
}
