/* SPDX-License-Identifier: BSD-3-Clause */
/* The version-2 interface, over version 3: ids and values as results, -1 for any
 * failure, and a global switch that says whether to print and exit. */
#include "api.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The two globals are the interface itself; version 2 never was for threads. */
int ncerr;
int ncopts = NC_FATAL | NC_VERBOSE;

void nc_advise(const char *cdf_routine_name, int err, const char *fmt, ...)
{
    va_list ap;

    ncerr = NC_ISSYSERR(err) ? NC_SYSERR : err;
    if (ncopts & NC_VERBOSE) {
        fprintf(stderr, "%s: ", cdf_routine_name);
        va_start(ap, fmt);
        vfprintf(stderr, fmt, ap);
        va_end(ap);
        fprintf(stderr, err == NC_NOERR ? "\n" : ": %s\n", nc_strerror(err));
        fflush(stderr);
    }
    if ((ncopts & NC_FATAL) && err != NC_NOERR)
        exit(ncopts);
}

/* The result of a call that gives `value` when it went well. */
static int answer(const char *who, int rc, int ncid, int value)
{
    if (rc == NC_NOERR)
        return value;
    nc_advise(who, rc, "ncid %d", ncid);
    return -1;
}

/* long[] as the index types of version 3. The rank is the variable's; where it is above CEL_RANK_MAX, the call of
 * version 3 fails before it looks at an index. */
struct index {
    size_t u[CEL_RANK_MAX];
    ptrdiff_t s[CEL_RANK_MAX];
};

static const size_t *unsigned_of(struct index *out, int n, const long *in)
{
    for (int d = 0; in && d < n && d < CEL_RANK_MAX; d++)
        out->u[d] = (size_t)in[d];
    return in ? out->u : NULL;
}

static const ptrdiff_t *signed_of(struct index *out, int n, const long *in, long unit)
{
    for (int d = 0; in && d < n && d < CEL_RANK_MAX; d++)
        out->s[d] = in[d] / unit;
    return in ? out->s : NULL;
}

int nctypelen(nc_type datatype)
{
    const struct cel_type *type = cel_type_atomic(datatype);

    return type && datatype != NC_STRING ? (int)type->size : -1;
}

/* --- datasets ------------------------------------------------------------------------------- */

int nccreate(const char *path, int cmode)
{
    int ncid, rc = nc_create(path, cmode, &ncid);

    if (rc == NC_NOERR)
        return ncid;
    nc_advise("nccreate", rc, "filename \"%s\"", path);
    return -1;
}

int ncopen(const char *path, int mode)
{
    int ncid, rc = nc_open(path, mode, &ncid);

    if (rc == NC_NOERR)
        return ncid;
    nc_advise("ncopen", rc, "filename \"%s\"", path);
    return -1;
}

int ncsetfill(int ncid, int fillmode)
{
    int old = 0, rc = nc_set_fill(ncid, fillmode, &old);

    return answer("ncsetfill", rc, ncid, old);
}

int ncredef(int ncid)
{
    return answer("ncredef", nc_redef(ncid), ncid, 0);
}

int ncendef(int ncid)
{
    return answer("ncendef", nc_enddef(ncid), ncid, 0);
}

int ncsync(int ncid)
{
    return answer("ncsync", nc_sync(ncid), ncid, 0);
}

int ncabort(int ncid)
{
    return answer("ncabort", nc_abort(ncid), ncid, 0);
}

int ncclose(int ncid)
{
    return answer("ncclose", nc_close(ncid), ncid, 0);
}

int ncinquire(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimp)
{
    return answer("ncinquire", nc_inq(ncid, ndimsp, nvarsp, nattsp, unlimdimp), ncid, ncid);
}

/* --- dimensions ------------------------------------------------------------------------------ */

int ncdimdef(int ncid, const char *name, long len)
{
    int id = -1,
        rc = len < 0 ? cel_fail(NC_EDIMSIZE, "a length of %ld", len) : nc_def_dim(ncid, name, (size_t)len, &id);

    return answer("ncdimdef", rc, ncid, id);
}

int ncdimid(int ncid, const char *name)
{
    int id = -1, rc = nc_inq_dimid(ncid, name, &id);

    return answer("ncdimid", rc, ncid, id);
}

int ncdiminq(int ncid, int dimid, char *name, long *lenp)
{
    size_t len = 0;
    int rc = nc_inq_dim(ncid, dimid, name, &len);

    if (rc == NC_NOERR)
        cel_output(lenp, (long)len);
    return answer("ncdiminq", rc, ncid, dimid);
}

int ncdimrename(int ncid, int dimid, const char *name)
{
    return answer("ncdimrename", nc_rename_dim(ncid, dimid, name), ncid, dimid);
}

/* --- attributes ------------------------------------------------------------------------------ */

int ncattput(int ncid, int varid, const char *name, nc_type xtype, int len, const void *op)
{
    int rc = len < 0 ? cel_fail(NC_EINVAL, "%d values", len) : nc_put_att(ncid, varid, name, xtype, (size_t)len, op);

    return answer("ncattput", rc, ncid, 0);
}

int ncattinq(int ncid, int varid, const char *name, nc_type *xtypep, int *lenp)
{
    size_t len = 0;
    int rc = nc_inq_att(ncid, varid, name, xtypep, &len);

    if (rc == NC_NOERR)
        cel_output(lenp, (int)len);
    return answer("ncattinq", rc, ncid, 1);
}

int ncattget(int ncid, int varid, const char *name, void *ip)
{
    return answer("ncattget", nc_get_att(ncid, varid, name, ip), ncid, 1);
}

int ncattcopy(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out)
{
    return answer("ncattcopy", nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out), ncid_in, 0);
}

int ncattname(int ncid, int varid, int attnum, char *name)
{
    return answer("ncattname", nc_inq_attname(ncid, varid, attnum, name), ncid, attnum);
}

int ncattrename(int ncid, int varid, const char *name, const char *newname)
{
    return answer("ncattrename", nc_rename_att(ncid, varid, name, newname), ncid, 1);
}

int ncattdel(int ncid, int varid, const char *name)
{
    return answer("ncattdel", nc_del_att(ncid, varid, name), ncid, 1);
}

/* --- variables ------------------------------------------------------------------------------- */

int ncvardef(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp)
{
    int varid = -1, rc = nc_def_var(ncid, name, xtype, ndims, dimidsp, &varid);

    return answer("ncvardef", rc, ncid, varid);
}

int ncvarid(int ncid, const char *name)
{
    int varid = -1, rc = nc_inq_varid(ncid, name, &varid);

    return answer("ncvarid", rc, ncid, varid);
}

int ncvarinq(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp)
{
    return answer("ncvarinq", nc_inq_var(ncid, varid, name, xtypep, ndimsp, dimidsp, nattsp), ncid, varid);
}

int ncvarrename(int ncid, int varid, const char *name)
{
    return answer("ncvarrename", nc_rename_var(ncid, varid, name), ncid, varid);
}

int ncvarcopy(int ncid_in, int varid, int ncid_out)
{
    return answer("ncvarcopy", nc_copy_var(ncid_in, varid, ncid_out), ncid_in, 0);
}

int ncvarput1(int ncid, int varid, const long *indexp, const void *op)
{
    struct index at;
    int ndims, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc == NC_NOERR)
        rc = nc_put_var1(ncid, varid, unsigned_of(&at, ndims, indexp), op);
    return answer("ncvarput1", rc, ncid, 0);
}

int ncvarget1(int ncid, int varid, const long *indexp, void *ip)
{
    struct index at;
    int ndims, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc == NC_NOERR)
        rc = nc_get_var1(ncid, varid, unsigned_of(&at, ndims, indexp), ip);
    return answer("ncvarget1", rc, ncid, 0);
}

/* The others are this one with strides or map left out. Maps count bytes here
 * and elements in version 3. */
struct region {
    struct index start, count, stride, map;
    const size_t *startp, *countp;
    const ptrdiff_t *stridep, *mapp;
};

static int read_region(int ncid, int varid, const long *start, const long *count, const long *stride, const long *map,
                       struct region *out)
{
    int ndims;
    nc_type type;
    size_t size;
    int rc = nc_inq_var(ncid, varid, NULL, &type, &ndims, NULL, NULL);

    if (rc == NC_NOERR)
        rc = nc_inq_type(ncid, type, NULL, &size);
    if (rc != NC_NOERR)
        return rc;
    out->startp = unsigned_of(&out->start, ndims, start);
    out->countp = unsigned_of(&out->count, ndims, count);
    out->stridep = signed_of(&out->stride, ndims, stride, 1);
    out->mapp = signed_of(&out->map, ndims, map, (long)size);
    return NC_NOERR;
}

int ncvarputg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
              const void *op)
{
    struct region r;
    int rc = read_region(ncid, varid, startp, countp, stridep, imapp, &r);

    if (rc == NC_NOERR)
        rc = nc_put_varm(ncid, varid, r.startp, r.countp, r.stridep, r.mapp, op);
    return answer("ncvarput", rc, ncid, 0);
}

int ncvargetg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
              void *ip)
{
    struct region r;
    int rc = read_region(ncid, varid, startp, countp, stridep, imapp, &r);

    if (rc == NC_NOERR)
        rc = nc_get_varm(ncid, varid, r.startp, r.countp, r.stridep, r.mapp, ip);
    return answer("ncvarget", rc, ncid, 0);
}

int ncvarputs(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const void *op)
{
    return ncvarputg(ncid, varid, startp, countp, stridep, NULL, op);
}

int ncvargets(int ncid, int varid, const long *startp, const long *countp, const long *stridep, void *ip)
{
    return ncvargetg(ncid, varid, startp, countp, stridep, NULL, ip);
}

int ncvarput(int ncid, int varid, const long *startp, const long *countp, const void *op)
{
    return ncvarputg(ncid, varid, startp, countp, NULL, NULL, op);
}

int ncvarget(int ncid, int varid, const long *startp, const long *countp, void *ip)
{
    return ncvargetg(ncid, varid, startp, countp, NULL, NULL, ip);
}

/* --- records: all variables along the unlimited dimension --------------------------------------- */

struct record_var {
    int varid, ndims;
    size_t count[NC_MAX_VAR_DIMS]; /* one record */
    size_t nbytes;
};

/* Whether variable `varid` has records, and how large one is. */
static int record_var(int ncid, int varid, int unlimited, struct record_var *out, bool *is_record)
{
    int dims[NC_MAX_VAR_DIMS];
    nc_type type;
    int rc = nc_inq_var(ncid, varid, NULL, &type, &out->ndims, dims, NULL);

    *is_record = rc == NC_NOERR && out->ndims && dims[0] == unlimited;
    if (!*is_record)
        return rc;
    out->varid = varid;
    rc = nc_inq_type(ncid, type, NULL, &out->nbytes);
    out->count[0] = 1;
    for (int d = 1; rc == NC_NOERR && d < out->ndims; d++) {
        rc = nc_inq_dimlen(ncid, dims[d], &out->count[d]);
        out->nbytes *= out->count[d];
    }
    return rc;
}

/* Call `each` for every record variable in order. */
struct records {
    int ncid, n;
    size_t recnum;
    int *ids;
    long *sizes;
    void **get;
    void *const *put;
};

static int visit(struct records *r, const struct record_var *var)
{
    size_t start[NC_MAX_VAR_DIMS] = {r->recnum};

    if (r->ids)
        r->ids[r->n] = var->varid;
    if (r->sizes)
        r->sizes[r->n] = (long)var->nbytes;
    if (r->get && r->get[r->n])
        return nc_get_vara(r->ncid, var->varid, start, var->count, r->get[r->n]);
    if (r->put && r->put[r->n])
        return nc_put_vara(r->ncid, var->varid, start, var->count, r->put[r->n]);
    return NC_NOERR;
}

static int visit_records(struct records *r)
{
    int nvars, unlimited, rc = nc_inq(r->ncid, NULL, &nvars, NULL, &unlimited);

    for (int i = 0; rc == NC_NOERR && unlimited >= 0 && i < nvars; i++) {
        struct record_var var;
        bool is_record;

        rc = record_var(r->ncid, i, unlimited, &var, &is_record);
        if (rc == NC_NOERR && is_record) {
            rc = visit(r, &var);
            r->n++;
        }
    }
    return rc;
}

int ncrecinq(int ncid, int *nrecvarsp, int *recvaridsp, long *recsizesp)
{
    struct records r = {.ncid = ncid, .ids = recvaridsp, .sizes = recsizesp};
    int rc = visit_records(&r);

    if (rc == NC_NOERR)
        cel_output(nrecvarsp, r.n);
    return answer("ncrecinq", rc, ncid, r.n);
}

int ncrecget(int ncid, long recnum, void **datap)
{
    struct records r = {.ncid = ncid, .recnum = (size_t)recnum, .get = datap};

    return answer("ncrecget", visit_records(&r), ncid, 0);
}

int ncrecput(int ncid, long recnum, void *const *datap)
{
    struct records r = {.ncid = ncid, .recnum = (size_t)recnum, .put = datap};

    return answer("ncrecput", visit_records(&r), ncid, 0);
}
