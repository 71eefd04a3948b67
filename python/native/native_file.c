/* Datasets and groups: open, create, close, define mode. */
#include "native.h"

static PyObject *open_dataset(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    int mode, ncid = 0, rc;

    if (!PyArg_ParseTuple(args, "O&i", PyUnicode_FSConverter, &path, &mode))
        return NULL;
    WITHOUT_GIL(rc = nc_open(PyBytes_AsString(path), mode, &ncid));
    Py_DECREF(path);
    return rc == NC_NOERR ? PyLong_FromLong(ncid) : native_fail(rc);
}

static PyObject *create(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    int mode, ncid = 0, rc;

    if (!PyArg_ParseTuple(args, "O&i", PyUnicode_FSConverter, &path, &mode))
        return NULL;
    WITHOUT_GIL(rc = nc_create(PyBytes_AsString(path), mode, &ncid));
    Py_DECREF(path);
    return rc == NC_NOERR ? PyLong_FromLong(ncid) : native_fail(rc);
}

/* The calls that take an id and nothing else. */
#define OF_ID(name, call) \
    static PyObject *name(PyObject *self, PyObject *args) \
    { \
        int ncid, rc; \
\
        if (!PyArg_ParseTuple(args, "i", &ncid)) \
            return NULL; \
        WITHOUT_GIL(rc = call(ncid)); \
        return native_done(rc); \
    }
OF_ID(close_dataset, nc_close)
OF_ID(sync_dataset, nc_sync)
OF_ID(abort_dataset, nc_abort)
OF_ID(enddef, nc_enddef)
OF_ID(redef, nc_redef)

static PyObject *format(PyObject *self, PyObject *args)
{
    int ncid, kind = 0, extended = 0, mode = 0, rc;

    if (!PyArg_ParseTuple(args, "i", &ncid))
        return NULL;
    WITHOUT_GIL(rc = nc_inq_format(ncid, &kind));
    if (rc == NC_NOERR)
        rc = nc_inq_format_extended(ncid, &extended, &mode);
    return rc == NC_NOERR ? Py_BuildValue("iii", kind, extended, mode) : native_fail(rc);
}

static PyObject *set_fill(PyObject *self, PyObject *args)
{
    int ncid, on;

    if (!PyArg_ParseTuple(args, "ip", &ncid, &on))
        return NULL;
    return native_done(nc_set_fill(ncid, on ? NC_FILL : NC_NOFILL, NULL));
}

static PyObject *cf_quantization(PyObject *self, PyObject *args)
{
    int ncid, on;

    if (!PyArg_ParseTuple(args, "ip", &ncid, &on))
        return NULL;
    return native_done(cellar_set_cf_quantization(ncid, on));
}

PyMethodDef native_file_methods[] = {
    {"open", open_dataset, METH_VARARGS, "open(path, mode) -> id"},
    {"create", create, METH_VARARGS, "create(path, mode) -> id"},
    {"close", close_dataset, METH_VARARGS, "close(id)"},
    {"sync", sync_dataset, METH_VARARGS, "sync(id)"},
    {"abort", abort_dataset, METH_VARARGS, "abort(id)"},
    {"enddef", enddef, METH_VARARGS, "enddef(id)"},
    {"redef", redef, METH_VARARGS, "redef(id)"},
    {"format", format, METH_VARARGS, "format(id) -> (format, extended format, mode)"},
    {"set_fill", set_fill, METH_VARARGS, "set_fill(id, on)"},
    {"cf_quantization", cf_quantization, METH_VARARGS, "cf_quantization(id, on)"},
    {NULL, NULL, 0, NULL},
};
