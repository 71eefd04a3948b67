/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes. Beside those listed there are facts of the file that can be read
 * by name only, as in netCDF-C: _NCProperties, _IsNetcdf4 and _SuperblockVersion
 * of the root group, and what the container knows of a variable (_Codecs). */
#include "api.h"
#include <string.h>

/* An attribute, whether kept or a fact. `fact` and `number` hold a fact's value. */
struct found {
    struct cel_att *att; /* NULL: it is a fact */
    struct cel_att fact;
    struct cel_fact value;
};

static void make_fact(struct found *out)
{
    const char *text = out->value.text;

    out->fact = (struct cel_att){
        .type = cel_type_atomic(text ? NC_CHAR : NC_INT),
        .n = text ? strlen(text) : 1,
        .data = text ? (void *)text : &out->value.number,
    };
}

static int find_fact(struct cel_call *c, const char *name, struct found *out)
{
    int rc = CEL_ABSENT;

    if (c->ds->ops->fact && (c->var || !c->group->parent))
        rc = c->ds->ops->fact(c->ds, c->var, name, &out->value);
    if (rc == CEL_ABSENT)
        return cel_fail(NC_ENOTATT, "there is no attribute %s", name);
    if (rc == CEL_OK)
        make_fact(out);
    return rc;
}

static int find_att(struct cel_call *c, const char *name, struct found *out)
{
    int rc = name ? cel_name_check_sought(c->ds, name) : cel_fail(NC_EBADNAME, "no attribute name was given");

    *out = (struct found){0};
    if (rc != CEL_OK)
        return rc;
    out->att = cel_att_find(cel_call_att_list(c), name);
    return out->att ? CEL_OK : find_fact(c, name, out);
}

static const struct cel_att *att_of(const struct found *found)
{
    return found->att ? found->att : &found->fact;
}

static void dispose(struct found *found)
{
    free(found->value.text);
}

/* --- inquiry ----------------------------------------------------------------------------- */

int nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp)
{
    struct cel_call c;
    struct found found = {0};
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = find_att(&c, name, &found);
    if (rc == CEL_OK) {
        cel_output(xtypep, att_of(&found)->type->id);
        cel_output(lenp, att_of(&found)->n);
    }
    dispose(&found);
    return cel_call_end(&c, rc);
}

int nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep)
{
    return nc_inq_att(ncid, varid, name, xtypep, NULL);
}

int nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp)
{
    return nc_inq_att(ncid, varid, name, NULL, lenp);
}

static int index_of(const struct cel_atts *atts, const struct cel_att *att)
{
    for (size_t i = 0; i < atts->list.n; i++)
        if (atts->list.at[i] == att)
            return (int)i;
    return -1;
}

int nc_inq_attid(int ncid, int varid, const char *name, int *idp)
{
    struct cel_call c;
    struct found found = {0};
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = find_att(&c, name, &found);
    if (rc == CEL_OK && !found.att)
        rc = cel_fail(NC_EATTMETA, "attribute %s is not listed, so it has no number", name);
    if (rc == CEL_OK)
        cel_output(idp, index_of(cel_call_att_list(&c), found.att));
    dispose(&found);
    return cel_call_end(&c, rc);
}

int nc_inq_attname(int ncid, int varid, int attnum, char *name)
{
    struct cel_call c;
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK) {
        const struct cel_vec *list = &cel_call_att_list(&c)->list;

        if (attnum < 0 || (size_t)attnum >= list->n)
            rc = cel_fail(NC_ENOTATT, "there is no attribute number %d", attnum);
        else
            cel_output_name(name, ((const struct cel_att *)list->at[attnum])->name);
    }
    return cel_call_end(&c, rc);
}

/* --- values ------------------------------------------------------------------------------- */

int cel_get_att(int ncid, int varid, const char *name, void *data, nc_type memtype)
{
    struct cel_call c;
    struct found found = {0};
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = find_att(&c, name, &found);
    if (rc == CEL_OK && !data && att_of(&found)->n)
        rc = cel_fail(NC_EINVAL, "attribute %s: there is nowhere to put its values", name);
    if (rc == CEL_OK)
        rc = cel_att_get(c.ds, att_of(&found), data, memtype);
    dispose(&found);
    return cel_call_end(&c, rc);
}

/* A fill value's type must be the variable's: that must be known. */
static int load_for_fill(struct cel_call *c, const char *name)
{
    return c->var && name && strcmp(name, NC_FillValue) == 0 ? cel_load_var(c->var) : CEL_OK;
}

int cel_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t n, const void *data, nc_type memtype)
{
    struct cel_call c;
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK && xtype >= NC_FIRSTUSERTYPEID)
        rc = cel_load_types(c.ds);
    if (rc == CEL_OK && n && !data)
        rc = cel_fail(NC_EINVAL, "there are no values to put");
    if (rc == CEL_OK)
        rc = load_for_fill(&c, name);
    if (rc == CEL_OK)
        rc = cel_att_put(c.group, c.var, name, cel_type_by_id(c.ds, xtype), n, data, memtype);
    if (xtype == NC_NAT && (rc == NC_EBADTYPID || rc == NC_ESTRICTNC3))
        rc = cel_fail(NC_EBADTYPE, "attribute %s: NC_NAT is no type", name);
    return cel_call_end(&c, rc);
}

int nc_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, const void *op)
{
    return cel_put_att(ncid, varid, name, xtype, len, op, xtype);
}

int nc_get_att(int ncid, int varid, const char *name, void *ip)
{
    return cel_get_att(ncid, varid, name, ip, NC_NAT);
}

/* --- changes -------------------------------------------------------------------------------- */

int nc_rename_att(int ncid, int varid, const char *name, const char *newname)
{
    struct cel_call c;
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK && (!name || !newname))
        rc = cel_fail(NC_EBADNAME, "no attribute name was given");
    if (rc == CEL_OK)
        rc = cel_att_rename(c.group, c.var, name, newname);
    return cel_call_end(&c, rc);
}

int nc_del_att(int ncid, int varid, const char *name)
{
    struct cel_call c;
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK && !name)
        rc = cel_fail(NC_EBADNAME, "no attribute name was given");
    if (rc == CEL_OK)
        rc = cel_att_del(c.group, c.var, name);
    return cel_call_end(&c, rc);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* A type of the output dataset that is equal to one of the input's. */
static const struct cel_type *counterpart(const struct cel_dataset *ds, const struct cel_type *type)
{
    if (!type->group || type->group->dataset == ds)
        return type;
    for (size_t i = 0; i < ds->types.n; i++)
        if (ds->types.at[i] && cel_type_equal(ds->types.at[i], type))
            return ds->types.at[i];
    return NULL;
}

/* The copy keeps the input dataset from being closed while its type is looked at. */
struct copied {
    const struct cel_type *type;
    size_t n;
    void *data;
};

static int copy_value(struct cel_call *c, const char *name, struct copied *out)
{
    struct found found = {0};
    int rc = find_att(c, name, &found);

    if (rc == CEL_OK) {
        const struct cel_att *att = att_of(&found);

        *out = (struct copied){.type = att->type, .n = att->n, .data = cel_malloc_array(att->n, att->type->size)};
        rc = out->data ? cel_value_copy(att->type, att->data, att->n, out->data) : NC_ENOMEM;
        if (rc != CEL_OK) {
            free(out->data);
            out->data = NULL;
        }
    }
    dispose(&found);
    return rc;
}

static int put_copy(int ncid, int varid, const char *name, const struct copied *from)
{
    struct cel_call c;
    const struct cel_type *type = NULL;
    int rc = cel_call_atts(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_load_types(c.ds);
    if (rc == CEL_OK) {
        type = counterpart(c.ds, from->type);
        if (!type)
            rc = cel_fail(NC_EBADTYPE, "attribute %s has the type %s, which the output file does not have", name,
                          from->type->name);
    }
    if (rc == CEL_OK)
        rc = load_for_fill(&c, name);
    if (rc == CEL_OK)
        rc = cel_att_put(c.group, c.var, name, type, from->n, from->data, type->id);
    return cel_call_end(&c, rc);
}

int nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    struct cel_call in;
    struct copied copy = {0};
    int rc = cel_call_atts(&in, ncid_in, varid_in);

    if (rc == CEL_OK)
        rc = copy_value(&in, name, &copy);
    if (rc != CEL_OK)
        return cel_call_end(&in, rc);
    cel_call_unlock(&in); /* the output may be the same dataset */
    rc = put_copy(ncid_out, varid_out, name, &copy);
    cel_value_reclaim(copy.type, copy.data, copy.n);
    free(copy.data);
    in.var = NULL; /* a failure is the output's, whose names it has already */
    return cel_call_end(&in, rc);
}
