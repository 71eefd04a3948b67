/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all ranks have the same definitions. Each writes its own as text, one object per line. The ranks compare hashes
 * and, only if these differ, the lines, so that the error can name the difference. */
#include "lookup3.h"
#include "mem.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 30)

/* --- writing down ----------------------------------------------------------------------------- */

static int hash_values(const struct cel_att *att, uint32_t *hash)
{
    uint64_t nbytes;
    char *flat;
    int rc = cel_par_flat_bytes(att->type, att->data, att->n, &nbytes);

    if (rc != CEL_OK)
        return rc;
    flat = cel_malloc((size_t)nbytes + 1);
    if (!flat)
        return NC_ENOMEM;
    cel_par_flatten(att->type, att->data, att->n, flat);
    *hash = cel_lookup3(flat, (size_t)nbytes, 0);
    free(flat);
    return CEL_OK;
}

static int write_atts(const struct cel_atts *atts, const char *owner, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < atts->list.n; i++) {
        const struct cel_att *att = atts->list.at[i];
        uint32_t hash = 0;

        rc = hash_values(att, &hash);
        if (rc == CEL_OK)
            rc = cel_buf_printf(out, "attribute %s:%s, %zu of type %s, values with the hash %08x\n", owner, att->name,
                                att->n, att->type->name, (unsigned)hash);
    }
    return rc;
}

static int write_filters(const struct cel_var *var, struct cel_buf *out)
{
    int rc = var->chain.n ? cel_buf_puts(out, " filters ") : CEL_OK;

    return rc == CEL_OK && var->chain.n ? cel_chain_print(&var->chain, CEL_SPELL_NAMES, out) : rc;
}

static int write_shape(const struct cel_var *var, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (int d = 0; rc == CEL_OK && d < var->ndims; d++)
        rc = cel_buf_printf(out, "%s%s", d ? ", " : "", var->dim[d]->name);
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, ")");
    for (int d = 0; rc == CEL_OK && var->layout.chunk && d < var->ndims; d++)
        rc = cel_buf_printf(out, "%s%zu", d ? "x" : " in chunks of ", var->layout.chunk[d]);
    return rc;
}

static int write_var(const struct cel_var *var, struct cel_buf *out)
{
    char path[CEL_WHERE_TEXT];
    int rc =
        cel_buf_printf(out, "variable %s of type %s (", cel_var_path(var, path), var->type ? var->type->name : "?");

    if (rc == CEL_OK)
        rc = write_shape(var, out);
    if (rc == CEL_OK)
        rc = write_filters(var, out);
    if (rc == CEL_OK && var->quantize.mode)
        rc = cel_buf_printf(out, " quantized (mode %d, %d)", var->quantize.mode, var->quantize.nsd);
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, var->endian == NC_ENDIAN_BIG ? " big-endian\n" : "\n");
    return rc == CEL_OK ? write_atts(&var->atts, cel_var_path(var, path), out) : rc;
}

static int write_type(const struct cel_type *type, struct cel_buf *out)
{
    int rc = cel_buf_printf(out, "type %s of %zu bytes", type->name, type->size);

    if (rc == CEL_OK && type->base)
        rc = cel_buf_printf(out, " of %s", type->base->name);
    for (size_t i = 0; rc == CEL_OK && i < type->nfields; i++)
        rc = cel_buf_printf(out, ", field %s of type %s, %zu at %zu", type->field[i].name, type->field[i].type->name,
                            type->field[i].n, type->field[i].offset);
    for (size_t i = 0; rc == CEL_OK && i < type->nmembers; i++) {
        uint64_t value;

        memcpy(&value, type->member[i].value, sizeof value);
        rc = cel_buf_printf(out, ", member %s of value %016llx", type->member[i].name, (unsigned long long)value);
    }
    return rc == CEL_OK ? cel_buf_puts(out, "\n") : rc;
}

static int write_group(const struct cel_group *group, struct cel_buf *out)
{
    int rc = cel_buf_printf(out, "group %s\n", group->name);

    for (size_t i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        const struct cel_dim *dim = group->dims.at[i];

        rc = dim->unlimited ? cel_buf_printf(out, "dimension %s, unlimited\n", dim->name)
                            : cel_buf_printf(out, "dimension %s of length %zu\n", dim->name, dim->len);
    }
    for (size_t i = 0; rc == CEL_OK && i < group->types.n; i++)
        rc = write_type(group->types.at[i], out);
    if (rc == CEL_OK)
        rc = write_atts(&group->atts, "", out);
    for (size_t i = 0; rc == CEL_OK && i < group->vars.n; i++)
        rc = write_var(group->vars.at[i], out);
    for (size_t i = 0; rc == CEL_OK && i < group->groups.n; i++)
        rc = write_group(group->groups.at[i], out);
    return rc;
}

/* --- comparing --------------------------------------------------------------------------------- */

/* The first line in which two texts differ; its length in each. */
static void first_difference(const char *a, const char *b, const char **line_a, const char **line_b)
{
    *line_a = a;
    *line_b = b;
    for (; *a && *a == *b; a++, b++)
        if (*a == '\n') {
            *line_a = a + 1;
            *line_b = b + 1;
        }
}

static int say_difference(const char *ours, const char *theirs)
{
    const char *a, *b;
    int n, m;

    first_difference(ours, theirs, &a, &b);
    n = (int)strcspn(a, "\n");
    m = (int)strcspn(b, "\n");
    return cel_fail(NC_EINVAL, "it has \"%.*s\" where rank 0 has \"%.*s\": ranks must say the same", n < 300 ? n : 300,
                    n ? a : "nothing more", m < 300 ? m : 300, m ? b : "nothing more");
}

int cel_par_compare_text(struct cel_par *par, int rc, const char *text)
{
    uint64_t len = strlen(text);
    uint32_t hash = cel_lookup3(text, (size_t)len, 0);
    int64_t ends[2] = {hash, -(int64_t)hash}, all[2];
    char *first;

    rc = cel_par_share(par, rc);
    if (rc != CEL_OK)
        return rc;
    cel_par_least(par, ends, all, 2);
    if (all[0] == -all[1])
        return CEL_OK;
    cel_par_tell(par, 0, &len, sizeof len);
    first = calloc((size_t)len + 1, 1);
    rc = cel_par_share(par, first ? CEL_OK : NC_ENOMEM);
    if (rc == CEL_OK && par->rank == 0)
        memcpy(first, text, (size_t)len);
    if (rc == CEL_OK)
        cel_par_tell(par, 0, first, (size_t)len);
    if (rc == CEL_OK)
        rc = cel_par_share(par, strcmp(first, text) == 0 ? CEL_OK : say_difference(text, first));
    free(first);
    return rc;
}

int cel_par_compare(struct cel_dataset *ds)
{
    struct cel_buf text = CEL_BUF_INIT(TEXT_MAX);
    int rc;

    cel_lock(ds->lock);
    rc = write_group(ds->root, &text);
    cel_unlock(ds->lock);
    if (rc == CEL_OK)
        rc = cel_buf_add(&text, "", 1);
    rc = cel_par_compare_text(ds->par, rc, rc == CEL_OK ? text.data : "");
    cel_buf_dispose(&text);
    return rc;
}
