/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters as text: the helpers of netcdf_aux.h, which only parse the text,
 * and the chains of cellar.h. */
#include "api.h"
#include "mem.h"
#include "spec.h"
#include <cellar.h>
#include <netcdf_aux.h>
#include <netcdf_filter.h>
#include <stdlib.h>
#include <string.h>

/* --- netcdf_aux.h ------------------------------------------------------------------------ */

static int copy_words(const struct cel_words *w, unsigned **out)
{
    *out = NULL;
    if (w->n == 0)
        return CEL_OK;
    *out = cel_memdup(w->w, w->n * sizeof *w->w);
    return *out ? CEL_OK : NC_ENOMEM;
}

int ncaux_h5filterspec_parse(const char *txt, unsigned int *idp, size_t *nparamsp, unsigned int **paramsp)
{
    struct cel_spec spec;
    size_t n = 0;
    int rc = txt ? cel_spec_parse(txt, &spec, 1, &n, NULL) : cel_fail(NC_EINVAL, "no filter text was given");

    if (rc == NC_EFILTER) /* a second filter: the text is not one spec */
        rc = NC_EINVAL;
    if (rc == CEL_OK && n == 0)
        rc = cel_fail(NC_EINVAL, "expected a filter id or name, but the text is empty");
    if (rc == CEL_OK && paramsp)
        rc = copy_words(&spec.words, paramsp);
    if (rc != CEL_OK)
        return rc;
    cel_output(idp, spec.id);
    cel_output(nparamsp, spec.words.n);
    return NC_NOERR;
}

void ncaux_h5filterspec_free(struct NC_H5_Filterspec *f)
{
    if (!f)
        return;
    free(f->params);
    free(f);
}

static void free_specs(size_t n, struct NC_H5_Filterspec **vector)
{
    for (size_t i = 0; vector && i < n; i++)
        ncaux_h5filterspec_free(vector[i]);
    free(vector);
}

static int copy_spec(const struct cel_spec *spec, struct NC_H5_Filterspec **out)
{
    struct NC_H5_Filterspec *f = cel_calloc(1, sizeof *f);
    int rc = f ? copy_words(&spec->words, &f->params) : NC_ENOMEM;

    if (rc != CEL_OK) {
        free(f);
        return rc;
    }
    f->filterid = spec->id;
    f->nparams = spec->words.n;
    *out = f;
    return CEL_OK;
}

static int copy_specs(const struct cel_spec *spec, size_t n, struct NC_H5_Filterspec ***out)
{
    struct NC_H5_Filterspec **vector = n ? cel_calloc(n, sizeof(struct NC_H5_Filterspec *)) : NULL;
    int rc = n && !vector ? NC_ENOMEM : CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = copy_spec(&spec[i], &vector[i]);
    if (rc != CEL_OK)
        free_specs(n, vector);
    else
        *out = vector;
    return rc;
}

int ncaux_h5filterspec_parselist(const char *txt0, int *formatp, size_t *nspecsp, struct NC_H5_Filterspec ***vectorp)
{
    struct cel_spec spec[CEL_CHAIN_MAX];
    size_t n = 0;
    int rc =
        txt0 ? cel_spec_parse(txt0, spec, CEL_CHAIN_MAX, &n, NULL) : cel_fail(NC_EINVAL, "no filter text was given");

    if (rc == CEL_OK && vectorp)
        rc = copy_specs(spec, n, vectorp);
    if (rc != CEL_OK)
        return rc;
    cel_output(formatp, 0);
    cel_output(nspecsp, n);
    return NC_NOERR;
}

int ncaux_h5filterspec_parse_parameter(const char *txt, size_t *nuiparamsp, unsigned int *uiparams)
{
    uint32_t words[2];
    size_t n, at;
    int rc = txt ? cel_spec_constant(txt, strlen(txt), words, &n, &at) : cel_fail(NC_EINVAL, "no text was given");

    if (rc != CEL_OK)
        return rc;
    for (size_t i = 0; uiparams && i < n; i++)
        uiparams[i] = words[i];
    cel_output(nuiparamsp, n);
    return NC_NOERR;
}

void ncaux_h5filterspec_fix8(unsigned char *mem, int decode)
{
    const uint16_t one = 1;

    (void)decode; /* changing places is its own inverse */
    cel_spec_fix8(mem, *(const unsigned char *)&one == 0);
}

/* --- cellar.h -------------------------------------------------------------------------------- */

int cellar_def_var_chain(int ncid, int varid, const char *text)
{
    struct cel_call c;
    struct cel_sharding sharding = {0};
    struct cel_chain chain = {0};
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_may_filter(c.var);
    if (rc == CEL_OK)
        rc = text ? cel_chain_parse_sharded(text, &chain, &sharding, NULL)
                  : cel_fail(NC_EINVAL, "no filter text was given");
    if (rc == CEL_OK)
        rc = cel_chain_usable(&chain);
    if (rc == CEL_OK && sharding.there)
        rc = cel_var_set_sharding(c.var, &sharding);
    if (rc == CEL_OK)
        rc = cel_var_set_chain(c.var, &chain);
    cel_chain_dispose(&chain);
    return cel_call_end(&c, rc);
}

int cellar_def_var_shards(int ncid, int varid, const size_t *lengths)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_def_shards(c.var, lengths);
    return cel_call_end(&c, rc);
}

int cellar_inq_var_shards(int ncid, int varid, int *sharded, size_t *lengths)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK) {
        cel_output(sharded, c.var->layout.shards != NULL);
        if (lengths && c.var->layout.shards)
            memcpy(lengths, c.var->layout.shards->len, (size_t)c.var->ndims * sizeof *lengths);
    }
    return cel_call_end(&c, rc);
}

/* NULL for none; else text that is an object codec and nothing more. */
static int object_from_text(const char *json, char **out)
{
    struct cel_chain chain = {0};
    int rc;

    *out = NULL;
    if (!json || !*json)
        return CEL_OK;
    rc = cel_chain_parse(json, &chain, NULL);
    if (rc == CEL_OK && (chain.n || !chain.object))
        rc = cel_fail(NC_EINVAL, "this is no codec for elements alone: %s", json);
    if (rc == CEL_OK) {
        *out = chain.object;
        chain.object = NULL;
    }
    cel_chain_dispose(&chain);
    return rc;
}

int cellar_def_var_object_codec(int ncid, int varid, const char *json)
{
    char *object = NULL;
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK)
        rc = cel_var_may_filter(c.var);
    if (rc == CEL_OK)
        rc = object_from_text(json, &object);
    if (rc == CEL_OK)
        rc = cel_var_set_object(c.var, object);
    if (rc != CEL_OK)
        free(object);
    return cel_call_end(&c, rc);
}

int cellar_inq_var_object_codec(int ncid, int varid, char **json)
{
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && !json)
        rc = cel_fail(NC_EINVAL, "there is no place for the text");
    if (rc == CEL_OK && !(*json = cel_strdup(c.var->chain.object ? c.var->chain.object : "")))
        rc = NC_ENOMEM;
    return cel_call_end(&c, rc);
}

/* The chain as it would be prepared for this variable, so that JSON can give the
 * element size; it shares the steps. */
static struct cel_chain view_of(const struct cel_var *var)
{
    struct cel_chain view = var->chain;

    view.prepared = cel_var_shape(var, &view.shape) == CEL_OK;
    return view;
}

int cellar_inq_var_chain(int ncid, int varid, enum cellar_spelling spelling, char **text)
{
    static const enum cel_spelling inside[] = {[CELLAR_IDS] = CEL_SPELL_IDS,
                                               [CELLAR_NAMES] = CEL_SPELL_NAMES,
                                               [CELLAR_JSON] = CEL_SPELL_JSON2,
                                               [CELLAR_JSON3] = CEL_SPELL_JSON3};
    struct cel_buf out = CEL_BUF_INIT(1 << 20);
    struct cel_chain view;
    struct cel_call c;
    int rc = cel_call_loaded_var(&c, ncid, varid);

    if (rc == CEL_OK && ((unsigned)spelling >= sizeof inside / sizeof *inside || !text))
        rc = cel_fail(NC_EINVAL, "there is no spelling %d, or no place for the text", (int)spelling);
    if (rc == CEL_OK) {
        view = view_of(c.var);
        rc = spelling == CELLAR_JSON3 && c.var->layout.shards && c.var->layout.chunk
                 ? cel_shards_print(c.var->layout.shards, c.var->layout.chunk, &view, &out)
                 : cel_chain_print(&view, inside[spelling], &out);
    }
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&out, text);
    cel_buf_dispose(&out);
    return cel_call_end(&c, rc);
}
