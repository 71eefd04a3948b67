/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions: dimensions, variables and how they are kept, groups, types, attributes. */
#include "native.h"
#include <stdlib.h>
#include <string.h>

static PyObject *def_dim(PyObject *self, PyObject *args)
{
    const char *name;
    Py_ssize_t length; /* 0: unlimited */
    int ncid, id = 0, rc;

    if (!PyArg_ParseTuple(args, "isn", &ncid, &name, &length))
        return NULL;
    WITHOUT_GIL(rc = nc_def_dim(ncid, name, (size_t)length, &id));
    return rc == NC_NOERR ? PyLong_FromLong(id) : native_fail(rc);
}

static PyObject *def_group(PyObject *self, PyObject *args)
{
    const char *name;
    int ncid, id = 0, rc;

    if (!PyArg_ParseTuple(args, "is", &ncid, &name))
        return NULL;
    WITHOUT_GIL(rc = nc_def_grp(ncid, name, &id));
    return rc == NC_NOERR ? PyLong_FromLong(id) : native_fail(rc);
}

static PyObject *def_var(PyObject *self, PyObject *args)
{
    int ncid, id = 0, rc, dims[RANK_MAX];
    const char *name;
    PyObject *tuple;
    Py_ssize_t n;
    nc_type type;

    if (!PyArg_ParseTuple(args, "isiO", &ncid, &name, &type, &tuple))
        return NULL;
    n = native_ints(tuple, dims, RANK_MAX);
    if (n < 0)
        return NULL;
    WITHOUT_GIL(rc = nc_def_var(ncid, name, type, (int)n, dims, &id));
    return rc == NC_NOERR ? PyLong_FromLong(id) : native_fail(rc);
}

/* --- how a variable is kept ----------------------------------------------------- */

/* Lengths for each dimension of a variable, checked against their number. */
static int lengths_of(int ncid, int varid, PyObject *tuple, size_t *out)
{
    int ndims = 0, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc != NC_NOERR) {
        native_fail(rc);
        return -1;
    }
    if (native_sizes(tuple, out, RANK_MAX) == ndims)
        return 0;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "one length for each of the %d dimensions is needed", ndims);
    return -1;
}

static PyObject *def_chunks(PyObject *self, PyObject *args)
{
    int ncid, varid, storage;
    size_t chunks[RANK_MAX];
    PyObject *tuple;

    if (!PyArg_ParseTuple(args, "iiiO", &ncid, &varid, &storage, &tuple))
        return NULL;
    if (tuple == Py_None)
        return native_done(nc_def_var_chunking(ncid, varid, storage, NULL));
    if (lengths_of(ncid, varid, tuple, chunks))
        return NULL;
    return native_done(nc_def_var_chunking(ncid, varid, storage, chunks));
}

static PyObject *def_shards(PyObject *self, PyObject *args)
{
    size_t lengths[RANK_MAX];
    PyObject *tuple;
    int ncid, varid;

    if (!PyArg_ParseTuple(args, "iiO", &ncid, &varid, &tuple) || lengths_of(ncid, varid, tuple, lengths))
        return NULL;
    return native_done(cellar_def_var_shards(ncid, varid, lengths));
}

static PyObject *def_chain(PyObject *self, PyObject *args)
{
    const char *text;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "iis", &ncid, &varid, &text))
        return NULL;
    WITHOUT_GIL(rc = cellar_def_var_chain(ncid, varid, text)); /* may load plugins */
    return native_done(rc);
}

static PyObject *def_quantize(PyObject *self, PyObject *args)
{
    int ncid, varid, mode, digits;

    if (!PyArg_ParseTuple(args, "iiii", &ncid, &varid, &mode, &digits))
        return NULL;
    return native_done(nc_def_var_quantize(ncid, varid, mode, digits));
}

static PyObject *def_endian(PyObject *self, PyObject *args)
{
    int ncid, varid, endian;

    if (!PyArg_ParseTuple(args, "iii", &ncid, &varid, &endian))
        return NULL;
    return native_done(nc_def_var_endian(ncid, varid, endian));
}

/* None: no fill values. The bytes are one element, and as long as it. */
static PyObject *def_fill(PyObject *self, PyObject *args)
{
    const char *value;
    Py_ssize_t n;
    int ncid, varid;

    if (!PyArg_ParseTuple(args, "iiz#", &ncid, &varid, &value, &n))
        return NULL;
    return native_done(nc_def_var_fill(ncid, varid, value ? NC_FILL : NC_NOFILL, value));
}

static PyObject *def_fill_string(PyObject *self, PyObject *args)
{
    const char *value;
    int ncid, varid;

    if (!PyArg_ParseTuple(args, "iis", &ncid, &varid, &value))
        return NULL;
    return native_done(nc_def_var_fill(ncid, varid, NC_FILL, &value));
}

/* --- types -------------------------------------------------------------------------- */

static int insert_fields(int ncid, nc_type type, PyObject *fields)
{
    for (Py_ssize_t i = 0; i < PyList_Size(fields); i++) {
        int dims[RANK_MAX], rc;
        const char *name;
        Py_ssize_t offset, n;
        PyObject *shape;
        nc_type field;

        if (!PyArg_ParseTuple(PyList_GetItem(fields, i), "snOi", &name, &offset, &shape, &field))
            return -1;
        n = native_ints(shape, dims, RANK_MAX);
        if (n < 0)
            return -1;
        rc = n ? nc_insert_array_compound(ncid, type, name, (size_t)offset, field, (int)n, dims)
               : nc_insert_compound(ncid, type, name, (size_t)offset, field);
        if (rc != NC_NOERR) {
            native_fail(rc);
            return -1;
        }
    }
    return 0;
}

static PyObject *def_compound(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *fields;
    Py_ssize_t size;
    nc_type type = 0;
    int ncid, rc;

    if (!PyArg_ParseTuple(args, "isnO!", &ncid, &name, &size, &PyList_Type, &fields))
        return NULL;
    rc = nc_def_compound(ncid, (size_t)size, name, &type);
    if (rc != NC_NOERR)
        return native_fail(rc);
    return insert_fields(ncid, type, fields) ? NULL : PyLong_FromLong(type);
}

static PyObject *def_enum(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *members;
    nc_type base, type = 0;
    int ncid, rc;

    if (!PyArg_ParseTuple(args, "isiO!", &ncid, &name, &base, &PyList_Type, &members))
        return NULL;
    rc = nc_def_enum(ncid, base, name, &type);
    for (Py_ssize_t i = 0; rc == NC_NOERR && i < PyList_Size(members); i++) {
        const char *member, *value;
        Py_ssize_t n;

        if (!PyArg_ParseTuple(PyList_GetItem(members, i), "sy#", &member, &value, &n))
            return NULL;
        rc = nc_insert_enum(ncid, type, member, value);
    }
    return rc == NC_NOERR ? PyLong_FromLong(type) : native_fail(rc);
}

static PyObject *def_vlen(PyObject *self, PyObject *args)
{
    const char *name;
    nc_type base, type = 0;
    int ncid, rc;

    if (!PyArg_ParseTuple(args, "isi", &ncid, &name, &base))
        return NULL;
    rc = nc_def_vlen(ncid, name, base, &type);
    return rc == NC_NOERR ? PyLong_FromLong(type) : native_fail(rc);
}

static PyObject *def_opaque(PyObject *self, PyObject *args)
{
    const char *name;
    Py_ssize_t size;
    nc_type type = 0;
    int ncid, rc;

    if (!PyArg_ParseTuple(args, "isn", &ncid, &name, &size))
        return NULL;
    rc = nc_def_opaque(ncid, (size_t)size, name, &type);
    return rc == NC_NOERR ? PyLong_FromLong(type) : native_fail(rc);
}

/* --- attributes ------------------------------------------------------------------------ */

static PyObject *put_att(PyObject *self, PyObject *args)
{
    const char *name, *value;
    Py_ssize_t length, bytes;
    size_t size = 0;
    nc_type type;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "iisiny#", &ncid, &varid, &name, &type, &length, &value, &bytes))
        return NULL;
    rc = nc_inq_type(ncid, type, NULL, &size);
    if (rc == NC_NOERR && (length < 0 || (size_t)bytes != (size_t)length * size)) {
        PyErr_Format(PyExc_ValueError, "attribute %s: %zd bytes are not %zd values", name, bytes, length);
        return NULL;
    }
    if (rc == NC_NOERR)
        WITHOUT_GIL(rc = nc_put_att(ncid, varid, name, type, (size_t)length, value));
    return native_done(rc);
}

/* A list of bytes objects as an array of char pointers into them. */
static const char **pointers(PyObject *list)
{
    Py_ssize_t n = PyList_Size(list);
    const char **out = malloc(((size_t)n + 1) * sizeof *out);

    if (!out) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        out[i] = PyBytes_AsString(PyList_GetItem(list, i));
        if (!out[i]) {
            free(out);
            return NULL;
        }
    }
    return out;
}

static PyObject *put_att_strings(PyObject *self, PyObject *args)
{
    const char *name, **strings;
    PyObject *list;
    int ncid, varid, rc;

    if (!PyArg_ParseTuple(args, "iisO!", &ncid, &varid, &name, &PyList_Type, &list))
        return NULL;
    strings = pointers(list);
    if (!strings)
        return NULL;
    rc = nc_put_att_string(ncid, varid, name, (size_t)PyList_Size(list), strings);
    free(strings);
    return native_done(rc);
}

static PyObject *del_att(PyObject *self, PyObject *args)
{
    const char *name;
    int ncid, varid;

    if (!PyArg_ParseTuple(args, "iis", &ncid, &varid, &name))
        return NULL;
    return native_done(nc_del_att(ncid, varid, name));
}

static PyObject *copy_att(PyObject *self, PyObject *args)
{
    const char *name;
    int from, from_var, to, to_var, rc;

    if (!PyArg_ParseTuple(args, "iisii", &from, &from_var, &name, &to, &to_var))
        return NULL;
    WITHOUT_GIL(rc = nc_copy_att(from, from_var, name, to, to_var));
    return native_done(rc);
}

/* Whether the chunks could be copied as they are stored. */
static PyObject *copy_chunks(PyObject *self, PyObject *args)
{
    int from, from_var, to, to_var, rc, as_stored = 0;

    if (!PyArg_ParseTuple(args, "iiii", &from, &from_var, &to, &to_var))
        return NULL;
    WITHOUT_GIL(rc = cellar_copy_var_chunks(from, from_var, to, to_var, &as_stored));
    return rc == NC_NOERR ? PyBool_FromLong(as_stored) : native_fail(rc);
}

static PyObject *watch_loss(PyObject *self, PyObject *args)
{
    int ncid, varid, on;

    if (!PyArg_ParseTuple(args, "iip", &ncid, &varid, &on))
        return NULL;
    return native_done(cellar_watch_var_loss(ncid, varid, on));
}

PyMethodDef native_define_methods[] = {
    {"def_dim", def_dim, METH_VARARGS, "def_dim(id, name, length) -> dimid; length 0: unlimited"},
    {"def_group", def_group, METH_VARARGS, "def_group(id, name) -> id"},
    {"def_var", def_var, METH_VARARGS, "def_var(id, name, type, dimids) -> varid"},
    {"def_chunks", def_chunks, METH_VARARGS, "def_chunks(id, varid, storage, chunks or None)"},
    {"def_shards", def_shards, METH_VARARGS, "def_shards(id, varid, lengths)"},
    {"def_chain", def_chain, METH_VARARGS, "def_chain(id, varid, text)"},
    {"def_quantize", def_quantize, METH_VARARGS, "def_quantize(id, varid, mode, digits)"},
    {"def_endian", def_endian, METH_VARARGS, "def_endian(id, varid, endian)"},
    {"def_fill", def_fill, METH_VARARGS, "def_fill(id, varid, bytes or None)"},
    {"def_fill_string", def_fill_string, METH_VARARGS, "def_fill_string(id, varid, text)"},
    {"def_compound", def_compound, METH_VARARGS, "def_compound(id, name, size, [(name, offset, shape, type)]) -> type"},
    {"def_enum", def_enum, METH_VARARGS, "def_enum(id, name, base, [(name, bytes)]) -> type"},
    {"def_vlen", def_vlen, METH_VARARGS, "def_vlen(id, name, base) -> type"},
    {"def_opaque", def_opaque, METH_VARARGS, "def_opaque(id, name, size) -> type"},
    {"put_att", put_att, METH_VARARGS, "put_att(id, varid, name, type, length, bytes)"},
    {"put_att_strings", put_att_strings, METH_VARARGS, "put_att_strings(id, varid, name, [bytes])"},
    {"del_att", del_att, METH_VARARGS, "del_att(id, varid, name)"},
    {"copy_att", copy_att, METH_VARARGS, "copy_att(from id, from varid, name, to id, to varid)"},
    {"copy_chunks", copy_chunks, METH_VARARGS, "copy_chunks(from id, from varid, to id, to varid) -> as stored"},
    {"watch_loss", watch_loss, METH_VARARGS, "watch_loss(id, varid, on)"},
    {NULL, NULL, 0, NULL},
};
