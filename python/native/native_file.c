/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets and groups: open, create, close, define mode. */
#include "native.h"

#define SETTINGS_MAX 64

/* Names and values in turn, texts or None; each borrowed from the tuple. -1: with an exception. */
static int take_settings(PyObject *tuple, const char *out[SETTINGS_MAX + 1])
{
    Py_ssize_t n = PyTuple_Size(tuple);

    if (n < 0 || n > SETTINGS_MAX) {
        PyErr_SetString(PyExc_ValueError, "these are no settings of storage");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);

        out[i] = item == Py_None ? NULL : PyUnicode_AsUTF8AndSize(item, NULL);
        if (!out[i] && PyErr_Occurred())
            return -1;
    }
    out[n] = NULL;
    return 0;
}

/* Both with the settings of storage that are this dataset's own. */
static PyObject *begin(PyObject *args, int (*call)(const char *path, int mode, int *ncid))
{
    const char *settings[SETTINGS_MAX + 1] = {NULL};
    PyObject *path = NULL, *given;
    int mode, ncid = 0, rc = NC_NOERR;

    if (!PyArg_ParseTuple(args, "O&iO!", PyUnicode_FSConverter, &path, &mode, &PyTuple_Type, &given))
        return NULL;
    if (take_settings(given, settings) < 0) {
        Py_DECREF(path);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    if (settings[0])
        rc = cellar_set_storage(settings);
    if (rc == NC_NOERR)
        rc = call(PyBytes_AsString(path), mode, &ncid);
    if (settings[0])
        cellar_set_storage(NULL);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    return rc == NC_NOERR ? PyLong_FromLong(ncid) : native_fail(rc);
}

static PyObject *open_dataset(PyObject *self, PyObject *args)
{
    return begin(args, nc_open);
}

static PyObject *create(PyObject *self, PyObject *args)
{
    return begin(args, nc_create);
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
