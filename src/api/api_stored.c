/* cellar.h: chunks as they are stored. */
#include "api.h"
#include <cellar.h>

int cellar_inq_var_stored(int ncid, int varid, unsigned long long *bytes)
{
    struct cel_call c;
    uint64_t n = 0;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && !c.ds->defining) {
        cel_call_unlock(&c);
        rc = cel_array_stored(c.ds, c.var, &n);
    }
    cel_output(bytes, n);
    return cel_call_end(&c, rc);
}

int cellar_copy_var_chunks(int ncid_in, int varid_in, int ncid_out, int varid_out, int *as_stored)
{
    struct cel_call in, out = {0};
    int rc = cel_call_loaded_var(&in, ncid_in, varid_in);

    cel_output(as_stored, 0);
    if (rc == CEL_OK) {
        rc = cel_data_mode(in.ds);
        cel_call_unlock(&in);
    }
    if (rc == CEL_OK)
        rc = cel_call_loaded_var(&out, ncid_out, varid_out);
    if (rc == CEL_OK)
        rc = cel_mode_write(out.ds);
    if (rc == CEL_OK)
        rc = cel_data_mode(out.ds);
    if (rc == CEL_OK) {
        cel_call_unlock(&out);
        rc = cel_array_copy(in.ds, in.var, out.ds, out.var);
    }
    cel_output(as_stored, rc == CEL_OK);
    rc = rc == CEL_SKIP ? CEL_OK : rc;
    rc = cel_call_end(&out, rc);
    return cel_call_end(&in, rc);
}
