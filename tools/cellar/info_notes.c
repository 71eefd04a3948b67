/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill value, quantization and checksum of a variable. */

#include "cdl_value.h"
#include "info.h"
#include "protect.h"
#include <stdlib.h>

static bool is_number(const struct look_var *v)
{
    return v->type && v->xtype > NC_NAT && v->xtype < NC_STRING && v->xtype != NC_CHAR;
}

static void load_fill(const struct look_var *v, struct info_notes *out)
{
    static const struct cdl_digits digits = CDL_DIGITS_INIT;
    union number value;
    int no_fill = 0;
    struct text t = {0};

    if (!is_number(v) || nc_inq_var_fill(v->group, v->id, &no_fill, &value) != NC_NOERR)
        return;
    out->no_fill = no_fill;
    if (nc_inq_attid(v->group, v->id, "_FillValue", NULL) != NC_NOERR)
        return;
    cdl_put_value(&t, v->type, &value, &digits);
    out->fill = text_take(&t);
}

static void load_quantize(const struct look_var *v, struct info_notes *out)
{
    static const char *const name[] = {NULL, "bitgroom", "granular", "bitround"};
    int mode = 0, digits = 0;
    struct text t = {0};

    if (nc_inq_var_quantize(v->group, v->id, &mode, &digits) != NC_NOERR || mode < 1 || mode > 3)
        return;
    text_printf(&t, "%s=%d", name[mode], digits);
    out->quantize = text_take(&t);
}

void info_notes_load(const struct look_var *v, struct info_notes *out)
{
    *out = (struct info_notes){.checksum = protect_by(v->chain)};
    if (v->reason)
        return;
    load_fill(v, out);
    load_quantize(v, out);
}

void info_notes_free(struct info_notes *n)
{
    free(n->fill);
    free(n->quantize);
}
