/* Filters by id, and the calls for single ones: all of them come down to a step
 * of the variable's chain.
 *
 * Two families check in two orders, as netCDF-C does: nc_def_var_filter and szip
 * insist on define mode (NC_EINDEFINE); deflate, fletcher32 and shuffle ask for
 * write access and for a variable that is not in the file yet. */
#include "api.h"
#include <netcdf_filter.h>
#include <string.h>

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3, SZIP = 4, BZIP2 = 307, BLOSC = 32001, ZSTD = 32015 };

/* --- defining ------------------------------------------------------------------------- */

/* What nc_def_var_filter asks before it looks at the filter. */
static int check_strictly(const struct cel_call *c)
{
    int rc = cel_dataset_refuse(c->ds, CEL_KEEPS_FILTERS, "a filter");

    if (rc != CEL_OK)
        return rc;
    if (!c->ds->defining)
        return cel_fail(NC_EINDEFINE, "a filter is defined in define mode only, right after the variable");
    if (c->var->ndims == 0)
        return cel_fail(NC_EINVAL, "a single value has no chunks to filter");
    return cel_var_may_define(c->var);
}

/* What nc_def_var_deflate and its like ask. */
static int check_loosely(const struct cel_call *c)
{
    int rc = cel_dataset_refuse(c->ds, CEL_KEEPS_FILTERS, "a filter");

    return rc == CEL_OK ? cel_var_may_define(c->var) : rc;
}

static int add(struct cel_call *c, unsigned id, size_t n, const unsigned *params)
{
    struct cel_step step;
    int rc;

    if (id == 0 || id > 65535)
        return cel_fail(NC_EBADID, "%u is no filter id: they go from 1 to 65535", id);
    rc = cel_step_make(id, n, params, &step);
    return rc == CEL_OK ? cel_var_add_filter(c->var, &step) : rc;
}

typedef int (*check_function)(const struct cel_call *c);

static int define(int ncid, int varid, check_function check, unsigned id, size_t n, const unsigned *params)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = check(&c);
    if (rc == CEL_OK)
        rc = add(&c, id, n, params);
    return cel_call_end(&c, rc);
}

int nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *params)
{
    return define(ncid, varid, check_strictly, id, nparams, params);
}

int nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block)
{
    const unsigned params[] = {(unsigned)options_mask, (unsigned)pixels_per_block};

    return define(ncid, varid, check_strictly, SZIP, 2, params);
}

int nc_def_var_bzip2(int ncid, int varid, int level)
{
    const unsigned params[] = {(unsigned)level};

    return define(ncid, varid, check_strictly, BZIP2, 1, params);
}

int nc_def_var_zstandard(int ncid, int varid, int level)
{
    const unsigned params[] = {(unsigned)level};

    return define(ncid, varid, check_strictly, ZSTD, 1, params);
}

int nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize,
                     unsigned addshuffle)
{
    const unsigned params[] = {0, 0, 0, blocksize, level, addshuffle, subcompressor};

    return define(ncid, varid, check_strictly, BLOSC, 7, params);
}

int nc_def_var_fletcher32(int ncid, int varid, int fletcher32)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = check_loosely(&c);
    if (rc == CEL_OK && fletcher32)
        rc = add(&c, FLETCHER32, 0, NULL);
    return cel_call_end(&c, rc);
}

/* Level 0 is no compression: nothing is added, as netCDF-C does for HDF5. */
static int add_deflate(struct cel_call *c, int level)
{
    const unsigned params[] = {(unsigned)level};

    if (level < 0 || level > 9)
        return cel_fail(NC_EINVAL, "deflate: level is %d; it must be from 0 to 9", level);
    if (level == 0 && !cel_chain_find(&c->var->chain, DEFLATE))
        return CEL_OK;
    return add(c, DEFLATE, 1, params);
}

int nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = check_loosely(&c);
    if (rc == CEL_OK && (shuffle || deflate) && c.var->ndims == 0)
        rc = cel_fail(NC_EINVAL, "a single value has no chunks to filter");
    if (rc == CEL_OK && deflate && (deflate_level < 0 || deflate_level > 9))
        rc = cel_fail(NC_EINVAL, "deflate: level is %d; it must be from 0 to 9", deflate_level);
    if (rc == CEL_OK && deflate && cel_chain_find(&c.var->chain, SZIP))
        rc = cel_fail(NC_EINVAL, "deflate and szip are not used together");
    if (rc == CEL_OK && shuffle)
        rc = add(&c, SHUFFLE, 0, NULL);
    if (rc == CEL_OK && deflate)
        rc = add_deflate(&c, deflate_level);
    return cel_call_end(&c, rc);
}

/* The one filter that can be taken out again. */
static void remove_shuffle(struct cel_chain *chain)
{
    for (size_t i = 0; i < chain->n; i++)
        if (chain->step[i].id == SHUFFLE) {
            cel_chain_remove(chain, i);
            return;
        }
}

int nc_def_var_shuffle(int ncid, int varid, int shuffle)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = check_loosely(&c);
    if (rc == CEL_OK && shuffle)
        rc = add(&c, SHUFFLE, 0, NULL);
    else if (rc == CEL_OK)
        remove_shuffle(&c.var->chain);
    return cel_call_end(&c, rc);
}

/* --- inquiry ---------------------------------------------------------------------------- */

static void give_words(const struct cel_step *step, size_t *nparams, unsigned *params)
{
    struct cel_words w;

    cel_step_shown(step, &w);
    cel_give(nparams, w.n);
    for (size_t i = 0; params && i < w.n; i++)
        params[i] = w.w[i];
}

int nc_inq_var_filter_ids(int ncid, int varid, size_t *nfilters, unsigned int *filterids)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_give(nfilters, c.var->chain.n);
        for (size_t i = 0; filterids && i < c.var->chain.n; i++)
            filterids[i] = c.var->chain.step[i].id;
    }
    return cel_call_end(&c, rc);
}

int nc_inq_var_filter_info(int ncid, int varid, unsigned int id, size_t *nparams, unsigned int *params)
{
    struct cel_call c;
    const struct cel_step *step = NULL;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        step = cel_chain_find(&c.var->chain, id);
        if (!step)
            rc = cel_fail(NC_ENOFILTER, "filter %u is not on this variable", id);
    }
    if (rc == CEL_OK)
        give_words(step, nparams, params);
    return cel_call_end(&c, rc);
}

int nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparams, unsigned int *params)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_give(idp, c.var->chain.n ? c.var->chain.step[0].id : 0);
        if (c.var->chain.n)
            give_words(&c.var->chain.step[0], nparams, params);
    }
    return cel_call_end(&c, rc);
}

int nc_inq_filter_avail(int ncid, unsigned id)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && !(c.ds->keeps & CEL_KEEPS_FILTERS))
        rc = cel_fail(NC_ENOFILTER, "the format of this file has no filters");
    if (rc == CEL_OK && !cel_chain_codec(id))
        rc = cel_chain_missing(id);
    return cel_call_end(&c, rc);
}

/* One filter and the words it has: `has` is false, and every word 0, when it is
 * not on the variable. */
struct answer {
    bool has;
    struct cel_words w;
};

static int inquire(int ncid, int varid, unsigned id, struct answer *out)
{
    struct cel_call c;
    const struct cel_step *step;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    memset(out, 0, sizeof *out);
    if (rc == CEL_OK) {
        step = cel_chain_find(&c.var->chain, id);
        out->has = step != NULL;
        if (step)
            cel_step_shown(step, &out->w);
        for (size_t i = out->w.n; i < CEL_WORDS_MAX; i++)
            out->w.w[i] = 0;
    }
    return cel_call_end(&c, rc);
}

int nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp)
{
    struct answer shuffle, deflate;
    int rc = inquire(ncid, varid, SHUFFLE, &shuffle);

    if (rc == NC_NOERR)
        rc = inquire(ncid, varid, DEFLATE, &deflate);
    if (rc != NC_NOERR)
        return rc;
    cel_give(shufflep, shuffle.has);
    cel_give(deflatep, deflate.has);
    cel_give(deflate_levelp, (int)deflate.w.w[0]);
    return NC_NOERR;
}

int nc_inq_var_shuffle(int ncid, int varid, int *shufflep)
{
    return nc_inq_var_deflate(ncid, varid, shufflep, NULL, NULL);
}

int nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p)
{
    struct answer a;
    int rc = inquire(ncid, varid, FLETCHER32, &a);

    if (rc == NC_NOERR)
        cel_give(fletcher32p, a.has ? NC_FLETCHER32 : NC_NOCHECKSUM);
    return rc;
}

int nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp)
{
    struct answer a;
    int rc = inquire(ncid, varid, SZIP, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_give(options_maskp, (int)a.w.w[0]);
    cel_give(pixels_per_blockp, (int)a.w.w[1]);
    return NC_NOERR;
}

static int inquire_level(int ncid, int varid, unsigned id, int *hasfilterp, int *levelp)
{
    struct answer a;
    int rc = inquire(ncid, varid, id, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_give(hasfilterp, a.has);
    if (a.has)
        cel_give(levelp, (int)a.w.w[0]);
    return NC_NOERR;
}

int nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, BZIP2, hasfilterp, levelp);
}

int nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, ZSTD, hasfilterp, levelp);
}

int nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp,
                     unsigned *blocksizep, unsigned *addshufflep)
{
    struct answer a;
    int rc = inquire(ncid, varid, BLOSC, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_give(hasfilterp, a.has);
    if (!a.has)
        return NC_NOERR;
    cel_give(blocksizep, a.w.w[3]);
    cel_give(levelp, a.w.w[4]);
    cel_give(addshufflep, a.w.w[5]);
    cel_give(subcompressorp, a.w.w[6]);
    return NC_NOERR;
}
