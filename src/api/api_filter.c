/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters by id, and the calls for single ones: each becomes a step of the
 * variable's chain (model/def_filter.c). */
#include "api.h"
#include <netcdf_filter.h>
#include <string.h>

/* --- defining ------------------------------------------------------------------------- */

int nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *params)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_filter(c.var, id, nparams, params);
    return cel_call_end(&c, rc);
}

int nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block)
{
    const unsigned params[] = {(unsigned)options_mask, (unsigned)pixels_per_block};

    return nc_def_var_filter(ncid, varid, CEL_ID_SZIP, 2, params);
}

int nc_def_var_bzip2(int ncid, int varid, int level)
{
    const unsigned params[] = {(unsigned)level};

    return nc_def_var_filter(ncid, varid, CEL_ID_BZIP2, 1, params);
}

int nc_def_var_zstandard(int ncid, int varid, int level)
{
    const unsigned params[] = {(unsigned)level};

    return nc_def_var_filter(ncid, varid, CEL_ID_ZSTD, 1, params);
}

int nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize,
                     unsigned addshuffle)
{
    const unsigned params[] = {0, 0, 0, blocksize, level, addshuffle, subcompressor};

    return nc_def_var_filter(ncid, varid, CEL_ID_BLOSC, 7, params);
}

int nc_def_var_fletcher32(int ncid, int varid, int fletcher32)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_fletcher32(c.var, fletcher32 != 0);
    return cel_call_end(&c, rc);
}

int nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_deflate(c.var, shuffle != 0, deflate != 0, deflate_level);
    return cel_call_end(&c, rc);
}

int nc_def_var_shuffle(int ncid, int varid, int shuffle)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_shuffle(c.var, shuffle != 0);
    return cel_call_end(&c, rc);
}

/* --- inquiry ---------------------------------------------------------------------------- */

static void output_words(const struct cel_step *step, size_t *nparams, unsigned *params)
{
    struct cel_words w;

    cel_step_shown(step, &w);
    cel_output(nparams, w.n);
    for (size_t i = 0; params && i < w.n; i++)
        params[i] = w.w[i];
}

int nc_inq_var_filter_ids(int ncid, int varid, size_t *nfilters, unsigned int *filterids)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_output(nfilters, c.var->chain.n);
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
        output_words(step, nparams, params);
    return cel_call_end(&c, rc);
}

int nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparams, unsigned int *params)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_output(idp, c.var->chain.n ? c.var->chain.step[0].id : 0);
        if (c.var->chain.n)
            output_words(&c.var->chain.step[0], nparams, params);
    }
    return cel_call_end(&c, rc);
}

int nc_filter_path_query(int id)
{
    cel_error_clear();
    return id > 0 && cel_chain_codec((unsigned)id) ? NC_NOERR : cel_chain_missing((unsigned)id);
}

int nc_inq_filter_avail(int ncid, unsigned id)
{
    struct cel_call c;
    int rc = cel_call_begin(&c, ncid);

    if (rc == CEL_OK && !(c.ds->features & CEL_KEEPS_FILTERS))
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
    int rc = inquire(ncid, varid, CEL_ID_SHUFFLE, &shuffle);

    if (rc == NC_NOERR)
        rc = inquire(ncid, varid, CEL_ID_DEFLATE, &deflate);
    if (rc != NC_NOERR)
        return rc;
    cel_output(shufflep, shuffle.has);
    cel_output(deflatep, deflate.has);
    cel_output(deflate_levelp, (int)deflate.w.w[0]);
    return NC_NOERR;
}

int nc_inq_var_shuffle(int ncid, int varid, int *shufflep)
{
    return nc_inq_var_deflate(ncid, varid, shufflep, NULL, NULL);
}

int nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p)
{
    struct answer a;
    int rc = inquire(ncid, varid, CEL_ID_FLETCHER32, &a);

    if (rc == NC_NOERR)
        cel_output(fletcher32p, a.has ? NC_FLETCHER32 : NC_NOCHECKSUM);
    return rc;
}

int nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp)
{
    struct answer a;
    int rc = inquire(ncid, varid, CEL_ID_SZIP, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_output(options_maskp, (int)a.w.w[0]);
    cel_output(pixels_per_blockp, (int)a.w.w[1]);
    return NC_NOERR;
}

static int inquire_level(int ncid, int varid, unsigned id, int *hasfilterp, int *levelp)
{
    struct answer a;
    int rc = inquire(ncid, varid, id, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_output(hasfilterp, a.has);
    if (a.has)
        cel_output(levelp, (int)a.w.w[0]);
    return NC_NOERR;
}

int nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, CEL_ID_BZIP2, hasfilterp, levelp);
}

int nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp)
{
    return inquire_level(ncid, varid, CEL_ID_ZSTD, hasfilterp, levelp);
}

int nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp,
                     unsigned *blocksizep, unsigned *addshufflep)
{
    struct answer a;
    int rc = inquire(ncid, varid, CEL_ID_BLOSC, &a);

    if (rc != NC_NOERR)
        return rc;
    cel_output(hasfilterp, a.has);
    if (!a.has)
        return NC_NOERR;
    cel_output(blocksizep, a.w.w[3]);
    cel_output(levelp, a.w.w[4]);
    cel_output(addshufflep, a.w.w[5]);
    cel_output(subcompressorp, a.w.w[6]);
    return NC_NOERR;
}
