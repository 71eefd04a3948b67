/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all ranks have the same definitions. Each writes its own as text, one object per line. The ranks compare hashes
 * and, only if these differ, the lines, so that the error can name the difference. */
#include "lookup3.h"
#include "par_int.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 30)

/* --- writing down ----------------------------------------------------------------------------- */

static uint32_t hash_values(const struct cel_att *att)
{
    uint32_t h = 0;

    if (att->type->klass == NC_STRING)
        for (size_t i = 0; i < att->n; i++) {
            const char *text = ((char *const *)att->data)[i];

            h = cel_lookup3(text ? text : "", text ? strlen(text) : 0, h + 1);
        }
    else if (!att->type->varsized)
        h = cel_lookup3(att->data, att->n * att->type->size, 0);
    return h;
}

static int write_atts(const struct cel_atts *atts, const char *owner, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < atts->list.n; i++) {
        const struct cel_att *att = atts->list.at[i];

        rc = cel_buf_printf(out, "attribute %s:%s, %zu of type %s, values with the hash %08x\n", owner, att->name,
                            att->n, att->type->name, (unsigned)hash_values(att));
    }
    return rc;
}

static int write_filters(const struct cel_var *var, struct cel_buf *out)
{
    int rc = var->chain.n ? cel_buf_puts(out, " filters ") : CEL_OK;

    return rc == CEL_OK && var->chain.n ? cel_chain_print(&var->chain, CEL_SPELL_NAMES, out) : rc;
}

static int write_var(const struct cel_var *var, struct cel_buf *out)
{
    char path[CEL_WHERE_TEXT];
    int rc =
        cel_buf_printf(out, "variable %s of type %s (", cel_var_path(var, path), var->type ? var->type->name : "?");

    for (int d = 0; rc == CEL_OK && d < var->ndims; d++)
        rc = cel_buf_printf(out, "%s%s", d ? ", " : "", var->dim[d]->name);
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, ")");
    for (int d = 0; rc == CEL_OK && var->layout.chunk && d < var->ndims; d++)
        rc = cel_buf_printf(out, "%s%zu", d ? "x" : " in chunks of ", var->layout.chunk[d]);
    if (rc == CEL_OK)
        rc = write_filters(var, out);
    if (rc == CEL_OK)
        rc = cel_buf_puts(out, "\n");
    return rc == CEL_OK ? write_atts(&var->atts, cel_var_path(var, path), out) : rc;
}

static int write_group(const struct cel_group *group, struct cel_buf *out)
{
    int rc = cel_buf_printf(out, "group %s\n", group->name);

    for (size_t i = 0; rc == CEL_OK && i < group->dims.n; i++) {
        const struct cel_dim *dim = group->dims.at[i];

        rc = dim->unlimited ? cel_buf_printf(out, "dimension %s, unlimited\n", dim->name)
                            : cel_buf_printf(out, "dimension %s of length %zu\n", dim->name, dim->len);
    }
    for (size_t i = 0; rc == CEL_OK && i < group->types.n; i++) {
        const struct cel_type *type = group->types.at[i];

        rc = cel_buf_printf(out, "type %s of %zu bytes, %zu fields, %zu members\n", type->name, type->size,
                            type->nfields, type->nmembers);
    }
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
    int high = (int)(hash >> 16), low = (int)(hash & 0xffff), halves[4] = {high, -high, low, -low}, all[4];
    char *first;

    rc = cel_par_share(par, rc);
    if (rc != CEL_OK)
        return rc;
    cel_par_least(par, halves, all, 4);
    if (all[0] == -all[1] && all[2] == -all[3])
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
