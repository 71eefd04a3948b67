/* Where the values of a variable lie in the file, for those who ask: in one piece, or a piece in each record. */
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
