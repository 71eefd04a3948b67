/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantization of a variable, and the errors it makes. */
#include "api.h"
#include "cellar.h"
#include "quantize.h"

/* netCDF-C's order of refusals: NC_GLOBAL, the format, then (to define) a file that
 * cannot be written, then the variable. */
static int find_var(struct cel_call *c, int ncid, int varid, bool define)
{
    int rc = cel_call_begin(c, ncid);

    if (rc == CEL_OK && varid == NC_GLOBAL)
        rc = cel_fail(NC_EGLOBAL, "a variable is quantized, not NC_GLOBAL");
    if (rc == CEL_OK)
        rc = cel_dataset_may_quantize(c->ds);
    if (rc == CEL_OK && define)
        rc = cel_mode_write(c->ds);
    if (rc != CEL_OK)
        return rc;
    c->var = cel_var_by_id(c->group, varid);
    if (!c->var)
        return cel_fail(NC_ENOTVAR, "group %s has no variable with the id %d", c->group->name, varid);
    return cel_load_var(c->var);
}

int nc_def_var_quantize(int ncid, int varid, int quantize_mode, int nsd)
{
    struct cel_call c;
    int rc = find_var(&c, ncid, varid, true);

    if (rc == CEL_OK)
        rc = cel_var_set_quantize(c.var, quantize_mode, nsd);
    return cel_call_end(&c, rc);
}

int nc_inq_var_quantize(int ncid, int varid, int *quantize_modep, int *nsdp)
{
    struct cel_call c;
    int rc = find_var(&c, ncid, varid, false);

    if (rc == CEL_OK && !c.var->quantize.known)
        rc = cel_load_atts(c.group, c.var);
    if (rc == CEL_OK) {
        cel_var_learn_quantize(c.var);
        cel_output(quantize_modep, c.var->quantize.mode);
        cel_output(nsdp, c.var->quantize.nsd);
    }
    return cel_call_end(&c, rc);
}

int cellar_inq_var_loss(int ncid, int varid, double *max_abs, double *max_rel)
{
    struct cel_call c;
    double by_value = 0, by_share = 0;
    int rc = find_var(&c, ncid, varid, false);

    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        cel_array_worst_error(c.ds, c.var, &by_value, &by_share);
        cel_output(max_abs, by_value);
        cel_output(max_rel, by_share);
    }
    return cel_call_end(&c, rc);
}

int cellar_watch_var_loss(int ncid, int varid, int on)
{
    struct cel_call c;
    int rc = find_var(&c, ncid, varid, false);

    if (rc == CEL_OK)
        c.var->watch_loss = on != 0;
    return cel_call_end(&c, rc);
}

/* Their first names, for programs that were linked with them. */
#undef cellar_inq_var_error
#undef cellar_watch_var_error

int cellar_inq_var_error(int ncid, int varid, double *max_abs, double *max_rel)
{
    return cellar_inq_var_loss(ncid, varid, max_abs, max_rel);
}

int cellar_watch_var_error(int ncid, int varid, int on)
{
    return cellar_watch_var_loss(ncid, varid, on);
}

int cellar_set_cf_quantization(int ncid, int on)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = cel_cf_set(c.ds, on != 0);
    return cel_call_end(&c, rc);
}

int cellar_bits_for_digits(int nsd)
{
    return cel_quantize_bits_for(nsd);
}
