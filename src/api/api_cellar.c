/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: what netCDF lacks. */
#include "api.h"
#include "env.h"
#include "pool.h"
#include <cellar.h>
#include <netcdf_meta.h>
#include <stdio.h>

const char *cellar_version(void)
{
    return CELLAR_VERSION;
}

/* --- errors and warnings ------------------------------------------------------------------- */

const char *cellar_error(void)
{
    return cel_error_text();
}

const char *cellar_error_part(enum cellar_part part)
{
    static const enum cel_part inside[] = {[CELLAR_FILE] = CEL_IN_FILE,
                                           [CELLAR_VARIABLE] = CEL_IN_VARIABLE,
                                           [CELLAR_CHUNK] = CEL_IN_CHUNK,
                                           [CELLAR_FILTER] = CEL_IN_FILTER};

    return (unsigned)part < sizeof inside / sizeof *inside ? cel_error_part(inside[part]) : "";
}

const char *cellar_warning(void)
{
    return cel_warning_text();
}

int nc_set_log_level(int new_level)
{
    cel_set_log_level(new_level);
    return NC_NOERR;
}

static int set_switch(void (*set)(int), int on)
{
    cel_error_clear();
    if (on < -1 || on > 1)
        return cel_fail(NC_EINVAL, "%d is neither 0, 1 nor -1 (as the environment says)", on);
    set(on);
    return NC_NOERR;
}

int cellar_set_strict(int on)
{
    return set_switch(cel_env_set_strict, on);
}

int cellar_set_untrusted(int on)
{
    return set_switch(cel_env_set_untrusted, on);
}

int cellar_set_storage(const char *const *settings)
{
    struct cel_env_settings *these = NULL;
    int rc;

    if (settings)
        cel_error_clear(); /* who goes back to none asks for the text of what failed meanwhile */
    rc = settings ? cel_env_settings_make(settings, &these) : CEL_OK;
    if (rc == CEL_OK)
        cel_env_settings_release(cel_env_settings_use(these));
    return rc;
}

int cellar_prefer_plugins(int on)
{
    return set_switch(cel_env_set_prefer_plugins, on);
}

/* --- threads ---------------------------------------------------------------------------------- */

int cellar_set_threads(int n)
{
    cel_error_clear();
    if (n < 0 || n > 1024)
        return cel_fail(NC_EINVAL, "%d threads: from 1 to 1024, or 0 for the default", n);
    cel_pool_set_size(n);
    return NC_NOERR;
}

int cellar_get_threads(void)
{
    return cel_pool_size();
}

/* --- memory (filters as text: api_filter_text.c) -------------------------------------------- */

void cellar_free(void *memory)
{
    free(memory);
}

/* --- the model, for those who debug ------------------------------------------------------------------ */

static void show_group(const struct cel_group *group)
{
    fprintf(stderr, "group %s: %zu groups, %zu types\n", group->name, group->groups.n, group->types.n);
    for (size_t i = 0; i < group->dims.n; i++) {
        const struct cel_dim *dim = group->dims.at[i];

        fprintf(stderr, "  dimension %d %s = %zu%s\n", dim->id, dim->name, dim->len,
                dim->unlimited ? ", unlimited" : "");
    }
    for (size_t i = 0; i < group->vars.n; i++) {
        const struct cel_var *var = group->vars.at[i];

        fprintf(stderr, "  variable %d %s: %d dimensions, %s\n", var->id, var->name, var->ndims,
                var->type ? var->type->name : "not loaded");
    }
}

int nc_show_metadata(int ncid)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    for (size_t i = 0; rc == CEL_OK && i < c.ds->groups.n; i++)
        if (c.ds->groups.at[i])
            show_group(c.ds->groups.at[i]);
    return cel_call_end(&c, rc);
}
