/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: chunks as they are stored. */
#include "api.h"
#include "mem.h"
#include <cellar.h>
#include <stdlib.h>

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

/* An absent chunk has no address and no bytes. */
static void give_location(const struct cel_chunk_location *at, bool absent, unsigned long long *address,
                          unsigned long long *size, unsigned *skipped)
{
    cel_output(address, absent || at->address == UINT64_MAX ? CELLAR_NO_ADDRESS : at->address);
    cel_output(size, absent ? 0 : at->nbytes);
    cel_output(skipped, absent ? 0 : at->skipped);
}

/* found: NULL in a file. Given on, or freed. */
static int give_key(char *found, char **out)
{
    if (!out) {
        free(found);
        return CEL_OK;
    }
    *out = found ? found : cel_strdup("");
    return *out ? CEL_OK : NC_ENOMEM;
}

/* Whether chunks can be asked for by this index. */
static int check_chunk(struct cel_call *c, const size_t *index)
{
    if (!index && c->var->ndims > 0)
        return cel_fail(NC_EINVAL, "no index was given: one number for each dimension");
    return cel_data_mode(c->ds);
}

int cellar_inq_chunk(int ncid, int varid, const size_t *index, unsigned long long *address, unsigned long long *size,
                     unsigned *skipped, char **key)
{
    struct cel_chunk_location at = {0};
    struct cel_call c;
    char *found = NULL;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    cel_output(key, NULL);
    give_location(&at, true, address, size, skipped);
    if (rc == CEL_OK)
        rc = check_chunk(&c, index);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_array_locate(c.ds, c.var, index, &at, &found);
    }
    if (rc == CEL_OK || rc == CEL_ABSENT) {
        give_location(&at, rc == CEL_ABSENT, address, size, skipped);
        rc = give_key(found, key);
    }
    return cel_call_end(&c, rc);
}

int cellar_next_chunk(int ncid, int varid, size_t *index, int *more)
{
    struct cel_call c;
    bool found = false;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && !more)
        rc = cel_fail(NC_EINVAL, "no pointer was given for whether there is one more chunk");
    if (rc == CEL_OK)
        rc = check_chunk(&c, index);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_array_next_chunk(c.ds, c.var, !*more, index);
        found = rc == CEL_OK;
    }
    if (rc == CEL_OK || rc == CEL_ABSENT)
        *more = found;
    return cel_call_end(&c, rc == CEL_ABSENT ? CEL_OK : rc);
}

int cellar_get_chunk(int ncid, int varid, const size_t *index, size_t *size, unsigned *skipped, void **bytes)
{
    struct cel_buf stored = CEL_BUF_INIT(SIZE_MAX / 2);
    struct cel_call c;
    uint32_t mask = 0;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && !bytes)
        rc = cel_fail(NC_EINVAL, "no pointer was given for the bytes");
    if (rc == CEL_OK)
        rc = check_chunk(&c, index);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_array_read_stored(c.ds, c.var, index, &stored, &mask);
    }
    if (rc != CEL_OK)
        cel_buf_dispose(&stored);
    cel_output(size, stored.len);
    cel_output(skipped, mask);
    cel_output(bytes, stored.data);
    return cel_call_end(&c, rc == CEL_ABSENT ? CEL_OK : rc);
}

int cellar_check_vara(int ncid, int varid, const size_t *start, const size_t *count)
{
    struct cel_region region = {.start = start, .count = count};
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && cel_is_shared(c.ds))
        rc = cel_fail(NC_EINVAL, "a dataset that ranks share is not checked: open the file in one of them");
    if (rc == CEL_OK)
        rc = cel_call_ready(&c, &region);
    if (rc == CEL_OK) {
        cel_call_unlock(&c);
        rc = cel_check_region(c.ds, c.var, &region);
    }
    return cel_call_end(&c, rc);
}

int cellar_inq_keys(int ncid, char **keys)
{
    struct cel_call c;
    char *found = NULL;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK)
        rc = c.ds->ops->keys ? c.ds->ops->keys(c.ds, &found) : (found = cel_strdup("")) ? CEL_OK : NC_ENOMEM;
    cel_output(keys, found);
    if (!keys)
        free(found);
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
