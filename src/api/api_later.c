/* Calls whose engine is not in this build yet: they say so. */
#include "api.h"

static int later(const char *call)
{
    return cel_fail(NC_ENOTBUILT, "%s is not in this version of Cellar", call);
}

int nc_def_var_compress(int ncid, int varid, const char *algorithm, int nparams, unsigned int *params)
{
    (void)ncid, (void)varid, (void)algorithm, (void)nparams, (void)params;
    return later("nc_def_var_compress");
}

int nc_inq_var_compress(int ncid, int varid, char **algorithmp, int *nparamsp, unsigned int *paramsp)
{
    (void)ncid, (void)varid, (void)algorithmp, (void)nparamsp, (void)paramsp;
    return later("nc_inq_var_compress");
}
