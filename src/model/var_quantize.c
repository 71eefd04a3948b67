/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable's quantize setting: what nc_def_var_quantize() allows, and the attribute
 * that carries it in the file. The attribute is an ordinary one, so whatever it holds
 * is looked at with care when a file is opened. */
#include "model_int.h"
#include "quantize.h"

/* By mode; files are looked at in this order, and the first one found counts. */
static const char *const att_names[] = {
    [NC_QUANTIZE_BITGROOM] = NC_QUANTIZE_BITGROOM_ATT_NAME,
    [NC_QUANTIZE_GRANULARBR] = NC_QUANTIZE_GRANULARBR_ATT_NAME,
    [NC_QUANTIZE_BITROUND] = NC_QUANTIZE_BITROUND_ATT_NAME,
};
enum { NMODES = sizeof att_names / sizeof *att_names };

static struct cel_quantize_setting setting_of(const struct cel_var *var, int mode, int digits)
{
    return (struct cel_quantize_setting){.mode = mode, .digits = digits, .type = var->type->id};
}

int cel_dataset_may_quantize(const struct cel_dataset *ds)
{
    return cel_dataset_refuse(ds, CEL_KEEPS_CHUNKS, "quantization");
}

int cel_var_set_quantize(struct cel_var *var, int mode, int digits)
{
    struct cel_quantize_setting setting = setting_of(var, mode, digits);
    int rc = cel_var_may_define(var);

    if (rc == CEL_OK && mode != NC_NOQUANTIZE)
        rc = cel_quantize_check(&setting);
    if (rc != CEL_OK)
        return rc;
    var->quantize.mode = mode;
    var->quantize.nsd = mode == NC_NOQUANTIZE ? 0 : digits;
    return CEL_OK;
}

int cel_var_note_quantize(struct cel_var *var)
{
    if (var->saved != CEL_NEW || var->quantize.mode == NC_NOQUANTIZE)
        return CEL_OK;
    return cel_att_put(var->group, var, att_names[var->quantize.mode], cel_type_atomic(NC_INT), 1, &var->quantize.nsd,
                       NC_INT);
}

static bool is_usable(const struct cel_var *var, const struct cel_att *att, int mode)
{
    int digits, most = cel_quantize_max(mode, var->type->id);
    char text[CEL_WHERE_TEXT];

    if (att->type->id != NC_INT || att->n != 1) {
        cel_warn("%s: attribute %s is ignored: it is not one NC_INT", cel_var_path(var, text), att->name);
        return false;
    }
    memcpy(&digits, att->data, sizeof digits);
    if (digits < 1 || digits > most) {
        cel_warn("%s: attribute %s is ignored: %d is not possible for type %s", cel_var_path(var, text), att->name,
                 digits, var->type->name);
        return false;
    }
    return true;
}

void cel_var_learn_quantize(struct cel_var *var)
{
    if (var->quantize.known || !var->loaded || !var->atts.loaded || var->unreadable)
        return;
    var->quantize.known = true;
    for (int mode = NC_QUANTIZE_BITGROOM; mode < NMODES; mode++) {
        const struct cel_att *att = cel_att_find(&var->atts, att_names[mode]);
        if (att && is_usable(var, att, mode)) {
            var->quantize.mode = mode;
            memcpy(&var->quantize.nsd, att->data, sizeof var->quantize.nsd);
            return;
        }
    }
}
