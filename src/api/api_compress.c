/* SPDX-License-Identifier: BSD-3-Clause */
/* nc4compress.h: one compressor of a variable, by its name (model/var_compress.c). */
#include "api.h"
#include <nc4compress.h>

int nc_def_var_compress(int ncid, int varid, const char *algorithm, int nparams, unsigned int *params)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_compress(c.var, algorithm, nparams, params);
    return cel_call_end(&c, rc);
}

int nc_inq_var_compress(int ncid, int varid, char **algorithmp, int *nparamsp, unsigned int *paramsp)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        int nparams;
        const char *name = cel_var_compress(c.var, &nparams, paramsp);

        cel_output(algorithmp, (char *)name);
        cel_output(nparamsp, nparams);
    }
    return cel_call_end(&c, rc);
}
