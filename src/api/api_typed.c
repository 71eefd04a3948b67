/* SPDX-License-Identifier: BSD-3-Clause */
/* Data in and out: every nc_{put,get}_{var,var1,vara,vars,varm} with its typed
 * faces, and the typed attribute calls, from one list of types.
 *
 * A call finds its variable, leaves define mode if need be, and lets go of the
 * dataset before it hands the region to the array engine. */
#include "api.h"

#define MEMTYPE_LONG (sizeof(long) == sizeof(int) ? NC_INT : NC_INT64)

static const size_t zeros[CEL_RANK_MAX];
static const size_t ones[CEL_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

int cel_call_ready(struct cel_call *c, const struct cel_region *region)
{
    int rc = cel_fit_new(c);

    if (rc == CEL_OK)
        rc = cel_data_mode(c->ds);
    if (rc == CEL_OK)
        rc = cel_fit_var(c, c->var);
    if (rc == CEL_OK)
        rc = cel_var_check_access(c->var, region->imap != NULL);
    return rc;
}

#ifdef CELLAR_MPI
static int put_shared(struct cel_call *c, const struct cel_region *region, const void *data, nc_type memtype, int rc)
{
    cel_call_unlock(c);
    return cel_call_end(c, cel_par_put(c->ds, c->var, region, data, memtype, rc));
}

static int get_shared(struct cel_call *c, const struct cel_region *region, void *data, nc_type memtype, int rc)
{
    cel_call_unlock(c);
    rc = cel_par_get(c->ds, c->var, region, data, memtype, rc);
    if (rc == CEL_PAR_READ_FILE)
        rc = cel_get_from_file(c, region, data, memtype);
    return cel_call_end(c, rc);
}
#else
#define put_shared(c, region, data, memtype, rc) (rc)
#define get_shared(c, region, data, memtype, rc) (rc)
#endif

static int put_var(int ncid, int varid, const struct cel_region *region, const void *data, nc_type memtype)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_mode_write(c.ds);
    if (rc == CEL_OK)
        rc = cel_call_ready(&c, region);
    if (cel_is_shared(c.ds))
        return put_shared(&c, region, data, memtype, rc);
    if (rc == CEL_OK && !cel_put_single(c.ds, c.var, region, data, memtype)) {
        cel_call_unlock(&c);
        rc = cel_put_region(c.ds, c.var, region, data, memtype);
    }
    return cel_call_end(&c, rc);
}

static int get_var(int ncid, int varid, const struct cel_region *region, void *data, nc_type memtype)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_call_ready(&c, region);
    if (cel_is_shared(c.ds))
        return get_shared(&c, region, data, memtype, rc);
    if (rc == CEL_OK && !cel_get_single(c.ds, c.var, region, data, memtype)) {
        cel_call_unlock(&c);
        rc = cel_get_region(c.ds, c.var, region, data, memtype);
    }
    return cel_call_end(&c, rc);
}

/* --- one value ------------------------------------------------------------------------ */

/* What cel_call_ready() would find has nothing to do. */
static bool is_ready(const struct cel_call *c)
{
    return !c->ds->defining && !cel_is_shared(c->ds) && c->var->loaded && !c->var->unreadable && !c->var->chain.n;
}

static int put_one(int ncid, int varid, const size_t *index, const void *data, nc_type memtype)
{
    struct cel_call c;
    bool done;

    if (cel_call_exclusive(&c, ncid, varid)) {
        done = is_ready(&c) && c.ds->writable && cel_put_value(c.ds, c.var, index, data, memtype, true);
        cel_call_exclusive_end(&c);
        if (done)
            return CEL_OK;
    }
    return put_var(ncid, varid, &(struct cel_region){.start = index, .count = ones}, data, memtype);
}

static int get_one(int ncid, int varid, const size_t *index, void *data, nc_type memtype)
{
    struct cel_call c;
    bool done;

    if (cel_call_exclusive(&c, ncid, varid)) {
        done = is_ready(&c) && cel_get_value(c.ds, c.var, index, data, memtype, true);
        cel_call_exclusive_end(&c);
        if (done)
            return CEL_OK;
    }
    return get_var(ncid, varid, &(struct cel_region){.start = index, .count = ones}, data, memtype);
}

/* --- the calls ------------------------------------------------------------------------- */

/* A count that is NULL reaches to the end of each dimension. */
#define ALL ((struct cel_region){.start = zeros})
#define PART(start, count, stride, imap) ((struct cel_region){start, count, stride, imap})

#define VAR_CALLS(suffix, in, out, memtype) \
    int nc_put_var##suffix(int ncid, int varid, in op) \
    { \
        return put_var(ncid, varid, &ALL, op, memtype); \
    } \
    int nc_get_var##suffix(int ncid, int varid, out ip) \
    { \
        return get_var(ncid, varid, &ALL, ip, memtype); \
    } \
    int nc_put_var1##suffix(int ncid, int varid, const size_t *indexp, in op) \
    { \
        return put_one(ncid, varid, indexp, op, memtype); \
    } \
    int nc_get_var1##suffix(int ncid, int varid, const size_t *indexp, out ip) \
    { \
        return get_one(ncid, varid, indexp, ip, memtype); \
    } \
    int nc_put_vara##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, in op) \
    { \
        return put_var(ncid, varid, &PART(startp, countp, NULL, NULL), op, memtype); \
    } \
    int nc_get_vara##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, out ip) \
    { \
        return get_var(ncid, varid, &PART(startp, countp, NULL, NULL), ip, memtype); \
    } \
    int nc_put_vars##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                            in op) \
    { \
        return put_var(ncid, varid, &PART(startp, countp, stridep, NULL), op, memtype); \
    } \
    int nc_get_vars##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                            out ip) \
    { \
        return get_var(ncid, varid, &PART(startp, countp, stridep, NULL), ip, memtype); \
    } \
    int nc_put_varm##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                            const ptrdiff_t *imapp, in op) \
    { \
        return put_var(ncid, varid, &PART(startp, countp, stridep, imapp), op, memtype); \
    } \
    int nc_get_varm##suffix(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                            const ptrdiff_t *imapp, out ip) \
    { \
        return get_var(ncid, varid, &PART(startp, countp, stridep, imapp), ip, memtype); \
    }

#define ATT_CALLS(tag, ctype, memtype) \
    int nc_put_att_##tag(int ncid, int varid, const char *name, nc_type xtype, size_t len, const ctype *op) \
    { \
        return cel_put_att(ncid, varid, name, xtype, len, op, memtype); \
    } \
    int nc_get_att_##tag(int ncid, int varid, const char *name, ctype *ip) \
    { \
        return cel_get_att(ncid, varid, name, ip, memtype); \
    }

#define TYPED(tag, ctype, memtype) \
    VAR_CALLS(_##tag, const ctype *, ctype *, memtype) \
    ATT_CALLS(tag, ctype, memtype)

TYPED(schar, signed char, NC_BYTE)
TYPED(uchar, unsigned char, NC_UBYTE)
TYPED(ubyte, unsigned char, NC_UBYTE)
TYPED(short, short, NC_SHORT)
TYPED(ushort, unsigned short, NC_USHORT)
TYPED(int, int, NC_INT)
TYPED(uint, unsigned int, NC_UINT)
TYPED(long, long, MEMTYPE_LONG)
TYPED(longlong, long long, NC_INT64)
TYPED(ulonglong, unsigned long long, NC_UINT64)
TYPED(float, float, NC_FLOAT)
TYPED(double, double, NC_DOUBLE)
VAR_CALLS(_text, const char *, char *, NC_CHAR)
VAR_CALLS(_string, const char **, char **, NC_STRING)
VAR_CALLS(, const void *, void *, NC_NAT)

int nc_put_att_text(int ncid, int varid, const char *name, size_t len, const char *op)
{
    return cel_put_att(ncid, varid, name, NC_CHAR, len, op, NC_CHAR);
}

int nc_get_att_text(int ncid, int varid, const char *name, char *ip)
{
    return cel_get_att(ncid, varid, name, ip, NC_CHAR);
}

int nc_put_att_string(int ncid, int varid, const char *name, size_t len, const char **op)
{
    return cel_put_att(ncid, varid, name, NC_STRING, len, op, NC_STRING);
}

int nc_get_att_string(int ncid, int varid, const char *name, char **ip)
{
    return cel_get_att(ncid, varid, name, ip, NC_STRING);
}
