/* SPDX-License-Identifier: BSD-3-Clause */
/* What a group holds, each kind in one call: dimensions, variables, groups, types, attributes. The library is asked
 * without the GIL, then the answers become Python objects. */
#include "native.h"
#include <stdlib.h>
#include <string.h>

/* A list filled by `make(i)`; NULL when one of them is. */
typedef PyObject *(*maker)(void *rows, int i);

static PyObject *list_of(void *rows, int n, maker make)
{
    PyObject *list = PyList_New(n);

    for (int i = 0; list && i < n; i++) {
        PyObject *item = make(rows, i);

        if (!item) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

/* --- dimensions ------------------------------------------------------------------- */

struct dim {
    int id;
    int unlimited;
    size_t len;
    char name[NC_MAX_NAME + 1];
};

static int mark_unlimited(int ncid, struct dim *dims, int n)
{
    int nunlimited = 0, rc = nc_inq_unlimdims(ncid, &nunlimited, NULL);
    int *ids = malloc(((size_t)nunlimited + 1) * sizeof *ids);

    if (rc == NC_NOERR)
        rc = ids ? nc_inq_unlimdims(ncid, &nunlimited, ids) : NC_ENOMEM;
    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        for (int k = 0; k < nunlimited; k++)
            dims[i].unlimited |= ids[k] == dims[i].id;
    }
    free(ids);
    return rc;
}

static int ask_dims(int ncid, struct dim **out, int *n)
{
    struct dim *dims;
    int *ids, rc = nc_inq_dimids(ncid, n, NULL, 0);

    if (rc != NC_NOERR)
        return rc;
    ids = malloc(((size_t)*n + 1) * sizeof *ids);
    dims = calloc((size_t)*n + 1, sizeof *dims);
    *out = dims;
    rc = ids && dims ? nc_inq_dimids(ncid, n, ids, 0) : NC_ENOMEM;
    for (int i = 0; rc == NC_NOERR && i < *n; i++) {
        dims[i].id = ids[i];
        rc = nc_inq_dim(ncid, ids[i], dims[i].name, &dims[i].len);
    }
    free(ids);
    return rc == NC_NOERR ? mark_unlimited(ncid, dims, *n) : rc;
}

static PyObject *make_dim(void *rows, int i)
{
    const struct dim *d = (struct dim *)rows + i;

    return Py_BuildValue("iNKN", d->id, native_text(d->name, strlen(d->name)), (unsigned long long)d->len,
                         PyBool_FromLong(d->unlimited));
}

static PyObject *dims(PyObject *self, PyObject *args)
{
    struct dim *rows = NULL;
    PyObject *list;
    int ncid, n = 0, rc;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    WITHOUT_GIL(rc = ask_dims(ncid, &rows, &n));
    list = rc == NC_NOERR ? list_of(rows, n, make_dim) : native_fail(rc);
    free(rows);
    return list;
}

static PyObject *dim_length(PyObject *self, PyObject *args)
{
    int ncid, dimid, rc;
    size_t len = 0;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &dimid))
        return NULL;
    WITHOUT_GIL(rc = nc_inq_dimlen(ncid, dimid, &len));
    return rc == NC_NOERR ? PyLong_FromSize_t(len) : native_fail(rc);
}

/* --- variables ----------------------------------------------------------------------- */

struct var {
    int id, ndims;
    int *dims;
    nc_type type;
    char name[NC_MAX_NAME + 1];
};

static int ask_var(int ncid, struct var *v)
{
    int rc = nc_inq_varndims(ncid, v->id, &v->ndims);

    if (rc != NC_NOERR)
        return rc;
    v->dims = malloc(((size_t)v->ndims + 1) * sizeof *v->dims);
    return v->dims ? nc_inq_var(ncid, v->id, v->name, &v->type, NULL, v->dims, NULL) : NC_ENOMEM;
}

static int ask_vars(int ncid, struct var **out, int *n)
{
    struct var *vars;
    int *ids, rc = nc_inq_varids(ncid, n, NULL);

    if (rc != NC_NOERR)
        return rc;
    ids = malloc(((size_t)*n + 1) * sizeof *ids);
    vars = calloc((size_t)*n + 1, sizeof *vars);
    *out = vars;
    rc = ids && vars ? nc_inq_varids(ncid, n, ids) : NC_ENOMEM;
    for (int i = 0; rc == NC_NOERR && i < *n; i++) {
        vars[i].id = ids[i];
        rc = ask_var(ncid, &vars[i]);
    }
    free(ids);
    return rc;
}

static PyObject *int_tuple(const int *values, int n)
{
    PyObject *tuple = PyTuple_New(n);

    for (int i = 0; tuple && i < n; i++)
        PyTuple_SetItem(tuple, i, PyLong_FromLong(values[i]));
    return tuple;
}

static PyObject *make_var(void *rows, int i)
{
    const struct var *v = (struct var *)rows + i;

    return Py_BuildValue("iNiN", v->id, native_text(v->name, strlen(v->name)), v->type, int_tuple(v->dims, v->ndims));
}

static PyObject *vars(PyObject *self, PyObject *args)
{
    struct var *rows = NULL;
    PyObject *list;
    int ncid, n = 0, rc;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    WITHOUT_GIL(rc = ask_vars(ncid, &rows, &n));
    list = rc == NC_NOERR ? list_of(rows, n, make_var) : native_fail(rc);
    for (int i = 0; rows && i < n; i++)
        free(rows[i].dims);
    free(rows);
    return list;
}

/* How a variable is kept. */
struct kept {
    int ndims, storage, sharded, endian, mode, digits;
    size_t *chunks, *shards; /* in one block */
    char *chain;             /* by names; as JSON where a codec is unknown */
};

static int ask_kept(int ncid, int varid, struct kept *k)
{
    int rc = nc_inq_varndims(ncid, varid, &k->ndims);

    if (rc != NC_NOERR)
        return rc;
    k->chunks = calloc(2 * (size_t)k->ndims + 1, sizeof *k->chunks);
    if (!k->chunks)
        return NC_ENOMEM;
    k->shards = k->chunks + k->ndims;
    rc = nc_inq_var_chunking(ncid, varid, &k->storage, k->chunks);
    if (rc != NC_NOERR)
        return rc;
    if (cellar_inq_var_shards(ncid, varid, &k->sharded, k->shards) != NC_NOERR)
        k->sharded = 0; /* a format without shards */
    if (nc_inq_var_endian(ncid, varid, &k->endian) != NC_NOERR)
        k->endian = NC_ENDIAN_BIG; /* classic files */
    if (nc_inq_var_quantize(ncid, varid, &k->mode, &k->digits) != NC_NOERR)
        k->mode = 0;
    if (cellar_inq_var_chain(ncid, varid, CELLAR_NAMES, &k->chain) == NC_NOERR)
        return NC_NOERR;
    return cellar_inq_var_chain(ncid, varid, CELLAR_JSON3, &k->chain);
}

static PyObject *make_kept(const struct kept *k)
{
    return Py_BuildValue("iNNiiiN", k->storage, native_size_tuple(k->chunks, k->ndims),
                         k->sharded ? native_size_tuple(k->shards, k->ndims) : Py_NewRef(Py_None), k->endian, k->mode,
                         k->digits, native_text(k->chain, strlen(k->chain)));
}

static void free_kept(struct kept *k)
{
    free(k->chunks);
    cellar_free(k->chain);
}

static PyObject *layout(PyObject *self, PyObject *args)
{
    struct kept kept = {0};
    PyObject *result;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &varid))
        return NULL;
    WITHOUT_GIL(rc = ask_kept(ncid, varid, &kept));
    result = rc == NC_NOERR ? make_kept(&kept) : native_fail(rc);
    free_kept(&kept);
    return result;
}

static PyObject *chain(PyObject *self, PyObject *args)
{
    int ncid, varid, spelling, rc;
    char *text = NULL;
    PyObject *result;

    if (!PyArg_ParseTuple(args, "iii", &ncid, &varid, &spelling))
        return NULL;
    WITHOUT_GIL(rc = cellar_inq_var_chain(ncid, varid, (enum cellar_spelling)spelling, &text));
    result = rc == NC_NOERR ? native_text(text, strlen(text)) : native_fail(rc);
    cellar_free(text);
    return result;
}

static PyObject *stored(PyObject *self, PyObject *args)
{
    unsigned long long bytes = 0;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &varid))
        return NULL;
    WITHOUT_GIL(rc = cellar_inq_var_stored(ncid, varid, &bytes));
    return rc == NC_NOERR ? PyLong_FromUnsignedLongLong(bytes) : native_fail(rc);
}

static PyObject *loss(PyObject *self, PyObject *args)
{
    double max_abs = 0, max_rel = 0;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &varid))
        return NULL;
    WITHOUT_GIL(rc = cellar_inq_var_loss(ncid, varid, &max_abs, &max_rel));
    return rc == NC_NOERR ? Py_BuildValue("dd", max_abs, max_rel) : native_fail(rc);
}

/* (no fill, the fill value's bytes) of a variable whose elements own no memory. */
static PyObject *fill(PyObject *self, PyObject *args)
{
    int ncid, varid, rc, no_fill = 0;
    Py_ssize_t size;
    PyObject *value;

    if (!PyArg_ParseTuple(args, "iin", &ncid, &varid, &size))
        return NULL;
    value = PyBytes_FromStringAndSize(NULL, size);
    if (!value)
        return NULL;
    memset(PyBytes_AsString(value), 0, (size_t)size);
    WITHOUT_GIL(rc = nc_inq_var_fill(ncid, varid, &no_fill, PyBytes_AsString(value)));
    if (rc == NC_NOERR)
        return Py_BuildValue("NN", PyBool_FromLong(no_fill), value);
    Py_DECREF(value);
    return native_fail(rc);
}

/* --- groups ------------------------------------------------------------------------------ */

static PyObject *groups(PyObject *self, PyObject *args)
{
    int ncid, n = 0, rc, *ids = NULL;
    PyObject *list = NULL;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    rc = nc_inq_grps(ncid, &n, NULL);
    if (rc == NC_NOERR) {
        ids = malloc(((size_t)n + 1) * sizeof *ids);
        rc = ids ? nc_inq_grps(ncid, &n, ids) : NC_ENOMEM;
    }
    Py_END_ALLOW_THREADS;
    list = rc == NC_NOERR ? PyList_New(0) : native_fail(rc);
    for (int i = 0; list && i < n; i++) {
        char name[NC_MAX_NAME + 1] = "";
        PyObject *row = NULL;

        if (nc_inq_grpname(ids[i], name) == NC_NOERR)
            row = Py_BuildValue("iN", ids[i], native_text(name, strlen(name)));
        if (!row || PyList_Append(list, row)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(row);
    }
    free(ids);
    return list;
}

/* What the file has and the library does not understand: [(name, reason)]. */
static PyObject *unreadable(PyObject *self, PyObject *args)
{
    int ncid, n = 0, rc;
    PyObject *list;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    WITHOUT_GIL(rc = cellar_inq_nunreadable(ncid, &n));
    if (rc != NC_NOERR)
        return native_fail(rc);
    list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        char *name = NULL, *reason = NULL;
        PyObject *row = NULL;

        rc = cellar_inq_unreadable(ncid, i, &name, &reason);
        if (rc == NC_NOERR)
            row = Py_BuildValue("NN", native_text(name, strlen(name)), native_text(reason, strlen(reason)));
        else
            native_fail(rc);
        cellar_free(name);
        cellar_free(reason);
        if (!row || PyList_Append(list, row)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(row);
    }
    return list;
}

/* --- user-defined types -------------------------------------------------------------------- */

static PyObject *fields(int ncid, nc_type type, size_t n)
{
    PyObject *list = PyList_New(0);

    for (int i = 0; list && i < (int)n; i++) {
        char name[NC_MAX_NAME + 1] = "";
        int ndims = 0, lengths[RANK_MAX] = {0};
        nc_type field = 0;
        size_t offset = 0;
        PyObject *row;
        int rc = nc_inq_compound_field(ncid, type, i, name, &offset, &field, &ndims, lengths);

        row = rc == NC_NOERR ? Py_BuildValue("NnNi", native_text(name, strlen(name)), (Py_ssize_t)offset,
                                             int_tuple(lengths, ndims), field)
                             : native_fail(rc);
        if (!row || PyList_Append(list, row)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *members(int ncid, nc_type type, size_t n, size_t size)
{
    PyObject *list = PyList_New(0);

    for (int i = 0; list && i < (int)n; i++) {
        char name[NC_MAX_NAME + 1] = "", value[8] = {0};
        int rc = nc_inq_enum_member(ncid, type, i, name, value);
        PyObject *row = rc == NC_NOERR
                            ? Py_BuildValue("Ny#", native_text(name, strlen(name)), value, (Py_ssize_t)(size > 8 ? 8 : size))
                            : native_fail(rc);

        if (!row || PyList_Append(list, row)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(row);
    }
    return list;
}

/* (name, class, size, base type, fields or members) of one type. */
static PyObject *describe_type(PyObject *self, PyObject *args)
{
    char name[NC_MAX_NAME + 1] = "";
    size_t size = 0, n = 0;
    nc_type type, base = 0;
    int ncid, rc, class = 0;
    PyObject *parts;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &type))
        return NULL;
    WITHOUT_GIL(rc = nc_inq_user_type(ncid, type, name, &size, &base, &n, &class));
    if (rc != NC_NOERR)
        return native_fail(rc);
    if (class == NC_COMPOUND)
        parts = fields(ncid, type, n);
    else if (class == NC_ENUM)
        parts = members(ncid, type, n, size);
    else
        parts = PyList_New(0);
    return parts ? Py_BuildValue("NiniN", native_text(name, strlen(name)), class, (Py_ssize_t)size, base, parts) : NULL;
}

static PyObject *types(PyObject *self, PyObject *args)
{
    int ncid, n = 0, rc, *ids = NULL;
    PyObject *result;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    rc = nc_inq_typeids(ncid, &n, NULL);
    if (rc == NC_NOERR) {
        ids = malloc(((size_t)n + 1) * sizeof *ids);
        rc = ids ? nc_inq_typeids(ncid, &n, ids) : NC_ENOMEM;
    }
    Py_END_ALLOW_THREADS;
    result = rc == NC_NOERR ? int_tuple(ids, n) : native_fail(rc);
    free(ids);
    return result;
}

/* --- attributes ------------------------------------------------------------------------------ */

struct att {
    nc_type type;
    size_t len, size; /* of one element */
    void *data;
    char name[NC_MAX_NAME + 1];
};

static int ask_att(int ncid, int varid, int i, struct att *a)
{
    int rc = nc_inq_attname(ncid, varid, i, a->name);

    if (rc == NC_NOERR)
        rc = nc_inq_att(ncid, varid, a->name, &a->type, &a->len);
    if (rc == NC_NOERR)
        rc = nc_inq_type(ncid, a->type, NULL, &a->size);
    if (rc != NC_NOERR)
        return rc;
    a->data = calloc(a->len + 1, a->size);
    return a->data ? nc_get_att(ncid, varid, a->name, a->data) : NC_ENOMEM;
}

static int ask_atts(int ncid, int varid, struct att **out, int *n)
{
    int rc = varid == NC_GLOBAL ? nc_inq_natts(ncid, n) : nc_inq_varnatts(ncid, varid, n);

    if (rc != NC_NOERR)
        return rc;
    *out = calloc((size_t)*n + 1, sizeof **out);
    if (!*out)
        return NC_ENOMEM;
    for (int i = 0; rc == NC_NOERR && i < *n; i++)
        rc = ask_att(ncid, varid, i, &(*out)[i]);
    return rc;
}

static PyObject *string_list(char **strings, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *text = native_text(strings[i], strings[i] ? strlen(strings[i]) : 0);

        if (!text) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, text);
    }
    return list;
}

/* Text as str, strings as a list of str, all else as bytes: vlens as their structs, which live as long as the call. */
static PyObject *make_att(void *rows, int i)
{
    const struct att *a = (struct att *)rows + i;
    PyObject *value;

    if (a->type == NC_CHAR)
        value = native_text(a->data, a->len);
    else if (a->type == NC_STRING)
        value = string_list(a->data, a->len);
    else
        value = PyBytes_FromStringAndSize(a->data, (Py_ssize_t)(a->len * a->size));
    return value ? Py_BuildValue("NinN", native_text(a->name, strlen(a->name)), a->type, (Py_ssize_t)a->len, value) : NULL;
}

/* A vlen attribute: a list of bytes, one for each element. */
static PyObject *vlen_list(const nc_vlen_t *vlens, size_t n, size_t size)
{
    PyObject *list = PyList_New((Py_ssize_t)n);

    for (size_t i = 0; list && i < n; i++) {
        PyObject *value = PyBytes_FromStringAndSize(vlens[i].p, (Py_ssize_t)(vlens[i].len * size));

        if (!value) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, value);
    }
    return list;
}

static int vlen_size(int ncid, nc_type type, size_t *size)
{
    nc_type base = 0;
    int class = 0, rc = type < NC_FIRSTUSERTYPEID ? NC_EBADTYPE : nc_inq_user_type(ncid, type, NULL, NULL, &base, NULL, &class);

    if (rc == NC_NOERR && class == NC_VLEN)
        return nc_inq_type(ncid, base, NULL, size);
    return NC_EBADTYPE;
}

static PyObject *att_rows(int ncid, struct att *rows, int n)
{
    PyObject *list = list_of(rows, n, make_att);

    for (int i = 0; list && i < n; i++) {
        size_t size;
        PyObject *values, *row;

        if (rows[i].type < NC_FIRSTUSERTYPEID || vlen_size(ncid, rows[i].type, &size) != NC_NOERR)
            continue;
        values = vlen_list(rows[i].data, rows[i].len, size);
        row = values ? Py_BuildValue("NinN", native_text(rows[i].name, strlen(rows[i].name)), rows[i].type,
                                     (Py_ssize_t)rows[i].len, values)
                     : NULL;
        if (!row) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, i, row);
    }
    return list;
}

static void free_atts(int ncid, struct att *rows, int n, int rc)
{
    for (int i = 0; rows && i < n; i++) {
        if (rows[i].data && rows[i].type >= NC_STRING && rc == NC_NOERR)
            nc_reclaim_data(ncid, rows[i].type, rows[i].data, rows[i].len);
        free(rows[i].data);
    }
    free(rows);
}

/* [(name, type, length, value)] of a variable, or of the group (varid -1). */
static PyObject *atts(PyObject *self, PyObject *args)
{
    struct att *rows = NULL;
    PyObject *list;
    int ncid, varid, n = 0, rc;

    if (!PyArg_ParseTuple(args, "ii", &ncid, &varid))
        return NULL;
    WITHOUT_GIL(rc = ask_atts(ncid, varid, &rows, &n));
    list = rc == NC_NOERR ? att_rows(ncid, rows, n) : native_fail(rc);
    free_atts(ncid, rows, n, rc);
    return list;
}

/* --- all variables at once: their attributes, and how they are kept ---------------------------------- */

struct detail {
    int ncid, natts;
    struct att *atts;
    struct kept kept;
};

static int ask_details(int ncid, struct detail **out, int *n)
{
    struct detail *rows;
    int *ids, rc = nc_inq_varids(ncid, n, NULL);

    if (rc != NC_NOERR)
        return rc;
    ids = malloc(((size_t)*n + 1) * sizeof *ids);
    rows = calloc((size_t)*n + 1, sizeof *rows);
    *out = rows;
    rc = ids && rows ? nc_inq_varids(ncid, n, ids) : NC_ENOMEM;
    for (int i = 0; rc == NC_NOERR && i < *n; i++) {
        rows[i].ncid = ncid;
        rc = ask_kept(ncid, ids[i], &rows[i].kept);
        if (rc == NC_NOERR)
            rc = ask_atts(ncid, ids[i], &rows[i].atts, &rows[i].natts);
    }
    free(ids);
    return rc;
}

static PyObject *make_detail(void *rows, int i)
{
    const struct detail *d = (struct detail *)rows + i;
    PyObject *attributes = att_rows(d->ncid, d->atts, d->natts);

    return attributes ? Py_BuildValue("NN", attributes, make_kept(&d->kept)) : NULL;
}

static PyObject *details(PyObject *self, PyObject *args)
{
    struct detail *rows = NULL;
    PyObject *list;
    int ncid, n = 0, rc;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    WITHOUT_GIL(rc = ask_details(ncid, &rows, &n));
    list = rc == NC_NOERR ? list_of(rows, n, make_detail) : native_fail(rc);
    for (int i = 0; rows && i < n; i++) {
        free_atts(ncid, rows[i].atts, rows[i].natts, rc);
        free_kept(&rows[i].kept);
    }
    free(rows);
    return list;
}

PyMethodDef native_describe_methods[] = {
    {"dims", dims, METH_VARARGS, "dims(id) -> [(dimid, name, length, unlimited)]"},
    {"dim_length", dim_length, METH_VARARGS, "dim_length(id, dimid) -> length"},
    {"vars", vars, METH_VARARGS, "vars(id) -> [(varid, name, type, dimids)]"},
    {"layout", layout, METH_VARARGS, "layout(id, varid) -> (storage, chunks, shards, endian, quantize mode, digits, chain)"},
    {"chain", chain, METH_VARARGS, "chain(id, varid, spelling) -> text"},
    {"stored", stored, METH_VARARGS, "stored(id, varid) -> bytes in the file"},
    {"loss", loss, METH_VARARGS, "loss(id, varid) -> (largest absolute error, largest relative error)"},
    {"fill", fill, METH_VARARGS, "fill(id, varid, size) -> (no fill, bytes)"},
    {"groups", groups, METH_VARARGS, "groups(id) -> [(id, name)]"},
    {"unreadable", unreadable, METH_VARARGS, "unreadable(id) -> [(name, reason)]"},
    {"types", types, METH_VARARGS, "types(id) -> (type id, ...)"},
    {"describe_type", describe_type, METH_VARARGS, "describe_type(id, type) -> (name, class, size, base, parts)"},
    {"atts", atts, METH_VARARGS, "atts(id, varid) -> [(name, type, length, value)]"},
    {"details", details, METH_VARARGS, "details(id) -> [(atts, layout)], of each variable"},
    {NULL, NULL, 0, NULL},
};
