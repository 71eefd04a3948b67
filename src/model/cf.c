/* SPDX-License-Identifier: BSD-3-Clause */
/* The CF conventions' words for quantized data (CF-1.12, section 8.4), on request:
 *
 *     char quantization_info ;
 *         quantization_info:algorithm = "bitround" ;
 *         quantization_info:implementation = "libcellar 0.2.0" ;
 *     float t(x) ;
 *         t:quantization = "quantization_info" ;
 *         t:quantization_nsb = 9 ;
 *         t:quantization_maximum_relative_error = 0.00097 ;
 *
 * One such variable per algorithm, in the root group, where every group finds it. The
 * error is the largest made, so it is written last. */
#include "model_int.h"
#include <netcdf_meta.h>
#include <stdio.h>

static const char *const algorithms[] = {
    [NC_QUANTIZE_BITGROOM] = "bitgroom",
    [NC_QUANTIZE_GRANULARBR] = "granular_bitround",
    [NC_QUANTIZE_BITROUND] = "bitround",
};
static const char pointer_name[] = "quantization";
static const char error_name[] = "quantization_maximum_relative_error";

static int put_text(struct cel_var *var, const char *name, const char *text)
{
    return cel_att_put(var->group, var, name, cel_type_atomic(NC_CHAR), strlen(text), text, NC_CHAR);
}

static bool has_text(const struct cel_var *var, const char *name, const char *text)
{
    const struct cel_att *att = cel_att_find(&var->atts, name);

    return att && att->type->id == NC_CHAR && att->n == strlen(text) && memcmp(att->data, text, att->n) == 0;
}

static int make_info(struct cel_group *root, const char *name, const char *algorithm, struct cel_var **out)
{
    static const char implementation[] = "libcellar " CELLAR_VERSION;
    int rc = cel_var_def(root, name, cel_type_atomic(NC_CHAR), 0, NULL, out);

    if (rc == CEL_OK)
        rc = put_text(*out, "algorithm", algorithm);
    if (rc == CEL_OK)
        rc = put_text(*out, "implementation", implementation);
    return rc;
}

/* The variable that tells of this algorithm, found or made: the first name that is free
 * or already used for it. */
static int find_info(struct cel_group *root, const char *algorithm, struct cel_var **out)
{
    char name[40] = "quantization_info";

    for (int i = 2;; i++) {
        struct cel_var *var = cel_var_find(root, name);

        if (!var)
            return make_info(root, name, algorithm, out);
        assert(var->atts.loaded);
        *out = var;
        if (has_text(var, "algorithm", algorithm))
            return CEL_OK;
        snprintf(name, sizeof name, "quantization_info_%d", i);
    }
}

static const char *digits_name(const struct cel_var *var)
{
    return var->quantize.mode == NC_QUANTIZE_BITROUND ? "quantization_nsb" : "quantization_nsd";
}

int cel_cf_describe(struct cel_var *var)
{
    struct cel_var *info;
    int rc;

    assert(var->loaded && var->atts.loaded);
    cel_var_learn_quantize(var);
    if (var->quantize.mode == NC_NOQUANTIZE || cel_att_find(&var->atts, pointer_name))
        return CEL_OK;
    rc = find_info(var->group->dataset->root, algorithms[var->quantize.mode], &info);
    if (rc == CEL_OK)
        rc = put_text(var, pointer_name, info->name);
    if (rc == CEL_OK)
        rc = cel_att_put(var->group, var, digits_name(var), cel_type_atomic(NC_INT), 1, &var->quantize.nsd, NC_INT);
    return rc;
}

/* The attribute may be a new one, which the classic model takes in define mode only; the
 * user has left it. No other call can use the dataset here. */
static int put_error(struct cel_var *var, double max_rel)
{
    struct cel_dataset *ds = var->group->dataset;
    bool defining = ds->defining;
    int rc;

    ds->defining = true;
    rc = cel_att_put(var->group, var, error_name, cel_type_atomic(NC_DOUBLE), 1, &max_rel, NC_DOUBLE);
    ds->defining = defining;
    return rc;
}

/* The attribute is written again where a file has it already and this session made a larger error. */
int cel_cf_note_error(struct cel_var *var, double max_rel)
{
    const struct cel_att *att = cel_att_find(&var->atts, error_name);
    const struct cel_dataset *ds = var->group->dataset;
    double before = 0;

    if (var->quantize.mode == NC_NOQUANTIZE || max_rel == 0 || !(att || ds->cf_quantization))
        return CEL_OK;
    if (att && att->n == 1 && !att->type->group && att->type->id != NC_CHAR && att->type->id != NC_STRING)
        cel_att_get(ds, att, &before, NC_DOUBLE);
    return before >= max_rel ? CEL_OK : put_error(var, max_rel);
}

int cel_cf_set(struct cel_dataset *ds, bool on)
{
    int rc = cel_dataset_may_quantize(ds);

    if (rc == CEL_OK)
        rc = cel_mode_define(ds);
    if (rc == CEL_OK)
        ds->cf_quantization = on;
    return rc;
}
