/* The CF conventions' words for quantized data (CF-1.12, section 8.4), on request:
 *
 *     char quantization_info ;
 *         quantization_info:algorithm = "bitround" ;
 *         quantization_info:implementation = "libcellar 0.1.0" ;
 *     float t(x) ;
 *         t:quantization = "quantization_info" ;
 *         t:quantization_nsb = 9 ;
 *         t:quantization_maximum_relative_error = 0.00097 ;
 *
 * One such variable per algorithm, in the root group, where every group finds it. The
 * error is the largest made, so it is written last. */
#include "api.h"
#include "cellar.h"
#include <stdio.h>
#include <string.h>

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
    char implementation[64];
    int rc = cel_var_def(root, name, cel_type_atomic(NC_CHAR), 0, NULL, out);

    snprintf(implementation, sizeof implementation, "libcellar %s", cellar_version());
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
        int rc;

        if (!var)
            return make_info(root, name, algorithm, out);
        rc = cel_load_atts(root, var);
        *out = var;
        if (rc != CEL_OK || has_text(var, "algorithm", algorithm))
            return rc;
        snprintf(name, sizeof name, "quantization_info_%d", i);
    }
}

/* Variables found in a file have their setting in an attribute. */
static int learn(struct cel_var *var)
{
    int rc = cel_load_var(var);

    if (rc == CEL_OK)
        rc = cel_load_atts(var->group, var);
    if (rc == CEL_OK)
        cel_var_learn_quantize(var);
    return rc;
}

static const char *digits_name(const struct cel_var *var)
{
    return var->quantize.mode == NC_QUANTIZE_BITROUND ? "quantization_nsb" : "quantization_nsd";
}

static int describe(struct cel_var *var)
{
    struct cel_var *info;
    int rc = learn(var);

    if (rc != CEL_OK || var->quantize.mode == NC_NOQUANTIZE || cel_att_find(&var->atts, pointer_name))
        return rc;
    rc = find_info(var->group->dataset->root, algorithms[var->quantize.mode], &info);
    if (rc == CEL_OK)
        rc = put_text(var, pointer_name, info->name);
    if (rc == CEL_OK)
        rc = cel_att_put(var->group, var, digits_name(var), cel_type_atomic(NC_INT), 1, &var->quantize.nsd, NC_INT);
    return rc;
}

static int each_var(struct cel_dataset *ds, int (*act)(struct cel_var *))
{
    int rc = CEL_OK;

    for (size_t g = 0; g < ds->groups.n; g++) {
        const struct cel_group *group = ds->groups.at[g];

        for (size_t v = 0; group && rc == CEL_OK && v < group->vars.n; v++)
            rc = act(group->vars.at[v]);
    }
    return rc;
}

int cel_cf_describe(struct cel_dataset *ds)
{
    return ds->cf_quantization ? each_var(ds, describe) : CEL_OK;
}

/* A file that was told its error before is told again when this session made a larger one. */
static int note_error(struct cel_var *var)
{
    const struct cel_att *att = cel_att_find(&var->atts, error_name);
    double max_abs = 0, max_rel = 0, before = 0;

    cel_array_worst_error(var->group->dataset, var, &max_abs, &max_rel);
    if (var->quantize.mode == NC_NOQUANTIZE || max_rel == 0 || !(att || var->group->dataset->cf_quantization))
        return CEL_OK;
    if (att && att->n == 1 && !att->type->group && att->type->id != NC_CHAR && att->type->id != NC_STRING)
        cel_att_get(var->group->dataset, att, &before, NC_DOUBLE);
    return before >= max_rel
               ? CEL_OK
               : cel_att_put(var->group, var, error_name, cel_type_atomic(NC_DOUBLE), 1, &max_rel, NC_DOUBLE);
}

/* The attribute may be a new one, which the classic model takes in define mode only; the
 * user has left it, and nobody else has the dataset any more. */
int cel_cf_finish(struct cel_dataset *ds)
{
    bool defining = ds->defining;
    int rc;

    ds->defining = true;
    rc = each_var(ds, note_error);
    ds->defining = defining;
    return rc;
}
