/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting plugin filters to a variable. HDF5 has a call-back for this, set_local; other
 * formats do not. There the codec half of a plugin turns the parameters a user gave into
 * those the filter works with. It asks the public API about the variable, so no lock may
 * be held meanwhile: it is called before define mode is left and before data is moved. */
#include "api.h"
#include "plugin.h"

static bool is_unfitted(const struct cel_step *step)
{
    return step->codec && step->codec->flags & CEL_CODEC_OUTSIDE && !step->fitted && cel_plugin_has_codec(step->codec);
}

static int fit_step(struct cel_call *c, struct cel_var *var, size_t i)
{
    struct cel_step *step = &var->chain.step[i];
    const struct cel_codec *codec = step->codec;
    struct cel_words visible = step->visible, working;
    int rc;

    cel_call_unlock(c);
    rc = cel_plugin_modify(codec, cel_ncid(c, var->group), var->id, &visible, &working);
    cel_call_lock(c);
    step = &var->chain.step[i];
    if (rc != CEL_OK || i >= var->chain.n || step->codec != codec || step->fitted)
        return rc; /* somebody else was here meanwhile */
    step->visible = visible;
    step->working = working;
    step->fitted = true;
    return CEL_OK;
}

int cel_fit_var(struct cel_call *c, struct cel_var *var)
{
    int rc = CEL_OK;

    if (!(c->ds->features & CEL_FILTERS_AS_CALLED))
        return CEL_OK;
    for (size_t i = 0; rc == CEL_OK && i < var->chain.n; i++)
        if (is_unfitted(&var->chain.step[i]))
            rc = fit_step(c, var, i);
    return rc;
}

/* Every variable about to be made. */
int cel_fit_new(struct cel_call *c)
{
    int rc = CEL_OK;

    if (!c->ds->defining || !(c->ds->features & CEL_FILTERS_AS_CALLED))
        return CEL_OK;
    for (size_t g = 0; rc == CEL_OK && g < c->ds->groups.n; g++) {
        const struct cel_group *group = c->ds->groups.at[g];

        for (size_t i = 0; rc == CEL_OK && group && i < group->vars.n; i++) {
            struct cel_var *var = group->vars.at[i];

            if (var->saved == CEL_NEW && var->chain.n)
                rc = cel_var_settle(var); /* the codec may ask for the chunk lengths */
            if (rc == CEL_OK && var->saved == CEL_NEW)
                rc = cel_fit_var(c, var);
        }
    }
    return rc;
}
