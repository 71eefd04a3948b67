/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: members of a JSON object to netCDF attributes and back.
 *
 * netCDF's types come from the map that netCDF-C keeps in _nczarr_attr; without
 * an entry they follow from the JSON: integers take the smallest of int, uint,
 * int64, uint64 that holds them all, reals are doubles, text is char, and what
 * netCDF has no form for (objects, nested lists, null) is kept as its JSON text.
 * Such text is written as JSON again (nczarr.md, appendix C), in version 2. */
#include "base64.h"
#include "bytes.h"
#include "convert.h"
#include "mem.h"
#include "zarr_int.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Ours and netCDF-C's own keys, not the user's attributes. */
static bool is_hidden(const char *name)
{
    static const char *const hidden[] = {"_ARRAY_DIMENSIONS",  "_NCProperties", "_nczarr_array", "_nczarr_group",
                                         "_nczarr_superblock", "_nczarr_attr",  "_nczarr_attrs", "_Netcdf4Dimid"};

    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strcasecmp(name, hidden[i]) == 0)
            return true;
    return false;
}

/* --- from JSON ---------------------------------------------------------------------- */

static const struct cel_json *type_map(const struct cel_json *attrs)
{
    static const char *const keys[] = {"_nczarr_attr", "_NCZARR_ATTR", "_nczarr_attrs"};
    const struct cel_json *map = NULL;

    for (size_t i = 0; !map && i < 3; i++)
        map = cel_json_get(cel_json_get(attrs, keys[i]), "types");
    return map;
}

/* The i-th value; a scalar is a list of one. */
static const struct cel_json *value_at(const struct cel_json *v, size_t i)
{
    return cel_json_type(v) == CEL_JSON_ARRAY ? cel_json_item(v, i) : v;
}

static size_t count_of(const struct cel_json *v)
{
    return cel_json_type(v) == CEL_JSON_ARRAY ? cel_json_count(v) : 1;
}

static nc_type integer_type(const struct cel_json *v)
{
    static const nc_type wider[] = {NC_INT, NC_UINT, NC_INT64, NC_UINT64};
    unsigned char sink[8];

    for (size_t t = 0; t < 4; t++) {
        bool fits = true;
        for (size_t i = 0; fits && i < count_of(v); i++) {
            int64_t s;
            uint64_t u;
            fits = cel_json_int(value_at(v, i), false, &s)    ? cel_converter(NC_INT64, wider[t])(sink, &s, 1) == 0
                   : cel_json_uint(value_at(v, i), false, &u) ? wider[t] == NC_UINT64
                                                              : false;
        }
        if (fits)
            return wider[t];
    }
    return NC_DOUBLE; /* a mixture of very negative and very large ones */
}

static nc_type inferred_type(const struct cel_json *v)
{
    bool all_int = true, all_real = true, all_bool = true, all_text = true;

    for (size_t i = 0; i < count_of(v); i++) {
        enum cel_json_type t = cel_json_type(value_at(v, i));
        all_int &= t == CEL_JSON_INT;
        all_real &= t == CEL_JSON_INT || t == CEL_JSON_DOUBLE;
        all_bool &= t == CEL_JSON_BOOL;
        all_text &= t == CEL_JSON_STRING;
    }
    if (cel_json_type(v) == CEL_JSON_STRING || count_of(v) == 0)
        return NC_CHAR;
    return all_int ? integer_type(v) : all_real ? NC_DOUBLE : all_bool ? NC_UBYTE : all_text ? NC_STRING : NC_NAT;
}

/* Text as it is; anything else as the JSON it was written as. */
static int text_value(const struct cel_json *v, size_t *n, void **data)
{
    struct cel_buf json = CEL_BUF_INIT(ZARR_META_MAX);
    const char *text = cel_json_string(v, n);
    int rc = CEL_OK;

    if (text) {
        *data = cel_memdup(text, *n);
        return *data ? CEL_OK : NC_ENOMEM;
    }
    if (cel_json_type(v) != CEL_JSON_ARRAY || cel_json_count(v))
        rc = cel_json_print(v, 0, &json);
    *n = json.len;
    *data = rc == CEL_OK ? cel_memdup(json.data, json.len) : NULL;
    cel_buf_dispose(&json);
    return rc == CEL_OK && !*data ? NC_ENOMEM : rc;
}

static int string_values(const struct cel_json *v, size_t n, void **data)
{
    char **out = cel_calloc(n, sizeof *out);

    *data = out;
    for (size_t i = 0; out && i < n; i++) {
        size_t len;
        const char *text = cel_json_string(value_at(v, i), &len);
        out[i] = cel_strndup(text ? text : "", text ? len : 0);
        if (!out[i]) {
            cel_value_reclaim(cel_type_atomic(NC_STRING), out, n);
            free(out);
            return NC_ENOMEM;
        }
    }
    return out ? CEL_OK : NC_ENOMEM;
}

/* xarray keeps the _FillValue of a v3 float as base64 of a little-endian double. */
static bool base64_real(const struct cel_json *v, nc_type type, void *out)
{
    size_t len, n, at;
    const char *text = cel_json_string(v, &len);
    unsigned char bytes[8];
    uint64_t bits;
    double d;

    if (!text || len != 12 || !cel_base64_decode(text, len, bytes, 8, &n, &at) || n != 8)
        return false;
    bits = cel_get_le64(bytes);
    memcpy(&d, &bits, sizeof d);
    cel_converter(NC_DOUBLE, type)(out, &d, 1);
    return true;
}

static int number_values(const struct cel_json *v, nc_type type, size_t n, void **data)
{
    const struct cel_zarr_dtype dtype = {
        .form = ZARR_NUMBERS, .size = cel_type_size(type), .type = cel_type_atomic(type)};
    char *out = cel_calloc(n, dtype.size);
    int rc = out ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; rc == CEL_OK && i < n; i++)
        rc = cel_zarr_fill_from_json("", value_at(v, i), &dtype, false, out + i * dtype.size);
    if (rc != CEL_OK)
        free(out);
    *data = rc == CEL_OK ? out : NULL;
    return rc;
}

static int add_attribute(const struct cel_json *v, const char *name, nc_type type, struct cel_atts *out)
{
    size_t n = count_of(v);
    struct cel_att *att;
    void *data;
    int rc;

    if (type == NC_CHAR || type == NC_NAT)
        rc = text_value(v, &n, &data);
    else if (type == NC_STRING)
        rc = string_values(v, n, &data);
    else
        rc = number_values(v, type, n, &data);
    if (rc != CEL_OK && rc != NC_ENOMEM) { /* not what its type says: keep what is there */
        type = NC_CHAR;
        rc = text_value(v, &n, &data);
    }
    if (rc != CEL_OK)
        return rc;
    return cel_att_add(out, name, cel_type_atomic(type == NC_NAT ? NC_CHAR : type), n, data, &att);
}

static nc_type type_for(const struct cel_json *types, const char *name, const struct cel_json *v, struct cel_var *var)
{
    const char *text = cel_json_string(cel_json_get(types, name), NULL);
    nc_type type = NC_NAT;
    bool big;

    if (strcmp(name, "_FillValue") == 0 && var && cel_type_atomic(var->type->id))
        return var->type->id;
    if (text && strcmp(text, "|J0") != 0)
        type = cel_zarr_dtype_atomic(text, &big);
    return type == NC_NAT ? inferred_type(v) : type;
}

int cel_zarr_atts_from_json(struct cel_dataset *ds, const struct cel_json *attrs, struct cel_atts *out,
                            struct cel_var *var)
{
    const struct cel_json *types = type_map(attrs);
    int rc = CEL_OK;

    (void)ds;
    for (size_t i = 0; rc == CEL_OK && i < cel_json_count(attrs); i++) {
        const char *name;
        const struct cel_json *v = cel_json_member(attrs, i, &name);
        nc_type type = is_hidden(name) ? NC_NAT : type_for(types, name, v, var);
        double real;
        if (is_hidden(name))
            continue;
        if (var && strcmp(name, "_FillValue") == 0 && (type == NC_FLOAT || type == NC_DOUBLE) &&
            base64_real(v, type, &real)) {
            struct cel_att *att;
            void *data = cel_memdup(&real, cel_type_size(type));
            rc = data ? cel_att_add(out, name, cel_type_atomic(type), 1, data, &att) : NC_ENOMEM;
        } else {
            rc = add_attribute(v, name, type, out);
        }
    }
    return rc;
}

/* --- to JSON ---------------------------------------------------------------------------- */

static const char blanks[] = " \t\r\n";

static struct cel_json *one_value(const struct cel_att *att, size_t i)
{
    const struct cel_zarr_dtype dtype = {.form = ZARR_NUMBERS, .size = att->type->size, .type = att->type};
    struct cel_json *v = NULL;

    return cel_zarr_fill_to_json((const char *)att->data + i * att->type->size, &dtype, 2, &v) == CEL_OK ? v : NULL;
}

static struct cel_json *att_to_json(const struct cel_att *att, bool base64)
{
    struct cel_json *list;

    if (base64) {
        char text[12];
        unsigned char bytes[8];
        uint64_t bits;
        double d;
        cel_converter(att->type->id, NC_DOUBLE)(&d, att->data, 1);
        memcpy(&bits, &d, sizeof d);
        for (int i = 0; i < 8; i++, bits >>= 8)
            bytes[i] = (unsigned char)bits;
        cel_base64_encode(bytes, sizeof bytes, text);
        return cel_json_new_string(text, sizeof text);
    }
    if (att->type->klass == NC_CHAR)
        return cel_zarr_text_to_json(att->data, att->n);
    if (att->n == 1)
        return one_value(att, 0);
    list = cel_json_new_array();
    for (size_t i = 0; list && i < att->n; i++)
        if (cel_json_push(list, one_value(att, i)) != CEL_OK) {
            cel_json_free(list);
            return NULL;
        }
    return list;
}

/* Takes out the blanks between the parts of a JSON text; false where it has a number that is no JSON (NaN, Infinity). */
static bool squeeze(char *text, size_t *n)
{
    bool quoted = false, escaped = false;
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        char c = text[i];
        if (!quoted && (c == 'N' || c == 'I'))
            return false;
        if (quoted || !memchr(blanks, c, 4))
            text[kept++] = c;
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    *n = kept;
    return true;
}

static bool may_be_json(const char *text, size_t n)
{
    while (n && memchr(blanks, *text, 4))
        text++, n--;
    return n && memchr("{[-0123456789tfn", *text, 16);
}

static bool comes_back(const struct zarr *z, const struct cel_att *att, const struct cel_json *v)
{
    char *given = cel_memdup(att->data, att->n);
    void *text = NULL;
    size_t n, given_n = att->n;
    bool same = given && (z->nczarr || inferred_type(v) == NC_NAT) && text_value(v, &n, &text) == CEL_OK &&
                squeeze(text, &n) && squeeze(given, &given_n) && n == given_n && memcmp(text, given, n) == 0;

    free(text);
    free(given);
    return same;
}

/* nczarr.md, appendix C: text that is JSON is written as that JSON, here where reading it gives the text again. NULL: it
 * is not such text. */
static struct cel_json *json_of_text(const struct zarr *z, const struct cel_att *att)
{
    struct cel_json *v = NULL;

    if (z->version != 2 || att->type->klass != NC_CHAR || !may_be_json(att->data, att->n))
        return NULL;
    if (cel_json_parse(att->data, att->n, &v, NULL) != CEL_OK)
        cel_error_clear(); /* plain text is no fault */
    else if (comes_back(z, att, v))
        return v;
    cel_json_free(v);
    return NULL;
}

/* Text that netCDF-C would take for JSON, and every type but char, needs an entry. */
static int note_type(struct cel_json *types, const struct cel_att *att)
{
    const char *text = cel_zarr_dtype_text(att->type->id, false);

    return cel_json_set(types, att->name, cel_json_new_string(text, strlen(text)));
}

/* xarray's form of a v3 float's fill value; base64_real() reads it. */
static bool is_base64(const struct zarr *z, const struct cel_att *att, const struct cel_var *var)
{
    bool is_real = att->type->id == NC_FLOAT || att->type->id == NC_DOUBLE;

    return z->version == 3 && var && is_real && att->n == 1 && strcmp(att->name, "_FillValue") == 0;
}

/* What a data type says of its own accord is no attribute of the store. */
static bool is_implied(const struct cel_att *att, const struct cel_var *var, const struct cel_json *attrs)
{
    const struct cel_zarr_array *a = var ? var->priv : NULL;

    return a && a->implied_units && att->saved == CEL_SAVED && strcmp(att->name, "units") == 0 &&
           !cel_json_get(attrs, "units");
}

static int set_attribute(const struct zarr *z, const struct cel_att *att, const struct cel_var *var,
                         struct cel_json *attrs, struct cel_json *types)
{
    struct cel_json *v;
    int rc = CEL_OK;

    if (att->type->id > NC_STRING && (att->saved == CEL_SAVED || cel_type_is_complex(att->type)))
        return CEL_OK; /* the fill value of such an array, which its document has */
    if (is_implied(att, var, attrs))
        return CEL_OK;
    if (att->type->id > NC_STRING)
        return cel_fail(NC_EBADTYPE, "attribute %s: Zarr keeps no user-defined types; use a basic type", att->name);
    if (att->saved_name)
        cel_json_remove(attrs, att->saved_name);
    if (att->saved != CEL_SAVED || !cel_json_get(attrs, att->name)) {
        v = json_of_text(z, att);
        rc = cel_json_set(attrs, att->name, v ? v : att_to_json(att, is_base64(z, att, var)));
    }
    return rc == CEL_OK && z->nczarr ? note_type(types, att) : rc;
}

/* {"types": types}, which it takes over. */
static int set_types(struct cel_json *attrs, struct cel_json *types)
{
    struct cel_json *holder = cel_json_new_object();
    int rc = NC_ENOMEM;

    if (holder)
        rc = cel_json_set(holder, "types", types);
    else
        cel_json_free(types);
    if (rc == CEL_OK) /* where it was: nothing that did not change is written again */
        return cel_json_set(attrs, "_nczarr_attr", holder);
    cel_json_free(holder);
    return rc;
}

int cel_zarr_atts_to_json(struct cel_dataset *ds, struct cel_atts *atts, struct cel_json *attrs, struct cel_var *var)
{
    const struct zarr *z = cel_zarr_of(ds);
    struct cel_json *types = cel_json_new_object();
    int rc = types ? CEL_OK : NC_ENOMEM;

    for (size_t i = 0; i < atts->removed.n; i++)
        cel_json_remove(attrs, atts->removed.at[i]);
    for (size_t i = 0; rc == CEL_OK && i < atts->list.n; i++)
        rc = set_attribute(z, atts->list.at[i], var, attrs, types);
    if (rc == CEL_OK && z->nczarr)
        return set_types(attrs, types);
    cel_json_free(types);
    return rc;
}
