/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements that own memory: strings and variable-length lists, as lists of Python objects. */
#include "native.h"
#include <stdlib.h>
#include <string.h>

struct region {
    int rank;
    size_t start[RANK_MAX], count[RANK_MAX], n;
    ptrdiff_t step[RANK_MAX];
};

/* Steps are positive here: cellar/ turns the list round. */
static int take_region(struct region *r, int ncid, int varid, PyObject *start, PyObject *count, PyObject *step)
{
    int ndims = 0, rc = nc_inq_varndims(ncid, varid, &ndims);

    if (rc != NC_NOERR) {
        native_fail(rc);
        return -1;
    }
    r->rank = ndims;
    if (native_sizes(start, r->start, RANK_MAX) != ndims || native_sizes(count, r->count, RANK_MAX) != ndims ||
        native_steps(step, r->step, RANK_MAX) != ndims) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "start, count and step need %d numbers each", ndims);
        return -1;
    }
    r->n = 1;
    for (int i = 0; i < ndims; i++) {
        if (__builtin_mul_overflow(r->n, r->count[i], &r->n)) {
            PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

static int get_elements(int ncid, int varid, const struct region *r, size_t size, void **out)
{
    int rc = NC_NOERR;

    *out = calloc(r->n + 1, size);
    if (!*out)
        return NC_ENOMEM;
    if (r->n)
        WITHOUT_GIL(rc = nc_get_vars(ncid, varid, r->start, r->count, r->step, *out));
    return rc;
}

static PyObject *get_strings(PyObject *self, PyObject *args)
{
    PyObject *start, *count, *step, *list = NULL;
    struct region r;
    int ncid, varid, rc;
    void *memory;
    char **strings;

    if (!PyArg_ParseTuple(args, "iiOOO", &ncid, &varid, &start, &count, &step) ||
        take_region(&r, ncid, varid, start, count, step))
        return NULL;
    rc = get_elements(ncid, varid, &r, sizeof *strings, &memory);
    strings = memory;
    list = rc == NC_NOERR ? PyList_New((Py_ssize_t)r.n) : native_fail(rc);
    for (size_t i = 0; list && i < r.n; i++) {
        PyObject *text = native_text(strings[i], strings[i] ? strlen(strings[i]) : 0);

        if (!text) {
            Py_DECREF(list);
            list = NULL;
            break;
        }
        PyList_SetItem(list, (Py_ssize_t)i, text);
    }
    if (rc == NC_NOERR)
        nc_free_string(r.n, strings);
    free(memory);
    return list;
}

/* A list of bytes objects, each the values of one element. */
static PyObject *get_vlens(PyObject *self, PyObject *args)
{
    PyObject *start, *count, *step, *list = NULL;
    struct region r;
    Py_ssize_t size;
    int ncid, varid, rc;
    void *memory;
    nc_vlen_t *vlens;

    if (!PyArg_ParseTuple(args, "iiOOOn", &ncid, &varid, &start, &count, &step, &size) ||
        take_region(&r, ncid, varid, start, count, step))
        return NULL;
    rc = get_elements(ncid, varid, &r, sizeof *vlens, &memory);
    vlens = memory;
    list = rc == NC_NOERR ? PyList_New((Py_ssize_t)r.n) : native_fail(rc);
    for (size_t i = 0; list && i < r.n; i++) {
        PyObject *value = PyBytes_FromStringAndSize(vlens[i].p, (Py_ssize_t)vlens[i].len * size);

        if (!value) {
            Py_DECREF(list);
            list = NULL;
            break;
        }
        PyList_SetItem(list, (Py_ssize_t)i, value);
    }
    if (rc == NC_NOERR)
        nc_free_vlens(r.n, vlens);
    free(memory);
    return list;
}

static int put_elements(int ncid, int varid, const struct region *r, const void *memory)
{
    int rc = NC_NOERR;

    if (r->n)
        WITHOUT_GIL(rc = nc_put_vars(ncid, varid, r->start, r->count, r->step, memory));
    return rc;
}

static int check_length(PyObject *list, const struct region *r)
{
    if ((size_t)PyList_Size(list) == r->n)
        return 0;
    PyErr_Format(PyExc_ValueError, "%zd values for a region of %zu", PyList_Size(list), r->n);
    return -1;
}

static PyObject *put_strings(PyObject *self, PyObject *args)
{
    PyObject *start, *count, *step, *list, *result;
    struct region r;
    int ncid, varid;
    const char **strings;

    if (!PyArg_ParseTuple(args, "iiOOOO!", &ncid, &varid, &start, &count, &step, &PyList_Type, &list) ||
        take_region(&r, ncid, varid, start, count, step) || check_length(list, &r))
        return NULL;
    strings = malloc((r.n + 1) * sizeof *strings);
    if (!strings)
        return PyErr_NoMemory();
    for (size_t i = 0; i < r.n; i++) {
        strings[i] = PyBytes_AsString(PyList_GetItem(list, (Py_ssize_t)i));
        if (!strings[i]) {
            free(strings);
            return NULL;
        }
    }
    result = native_done(put_elements(ncid, varid, &r, strings));
    free(strings);
    return result;
}

static PyObject *put_vlens(PyObject *self, PyObject *args)
{
    PyObject *start, *count, *step, *list, *result;
    struct region r;
    Py_ssize_t size;
    int ncid, varid;
    nc_vlen_t *vlens;

    if (!PyArg_ParseTuple(args, "iiOOOnO!", &ncid, &varid, &start, &count, &step, &size, &PyList_Type, &list) ||
        take_region(&r, ncid, varid, start, count, step) || check_length(list, &r))
        return NULL;
    vlens = malloc((r.n + 1) * sizeof *vlens);
    if (!vlens)
        return PyErr_NoMemory();
    for (size_t i = 0; i < r.n; i++) {
        PyObject *value = PyList_GetItem(list, (Py_ssize_t)i);

        vlens[i].p = PyBytes_AsString(value);
        if (!vlens[i].p || size <= 0) {
            free(vlens);
            return NULL;
        }
        vlens[i].len = (size_t)(PyBytes_Size(value) / size);
    }
    result = native_done(put_elements(ncid, varid, &r, vlens));
    free(vlens);
    return result;
}

PyMethodDef native_objects_methods[] = {
    {"get_strings", get_strings, METH_VARARGS, "get_strings(id, varid, start, count, step) -> [str]"},
    {"get_vlens", get_vlens, METH_VARARGS, "get_vlens(id, varid, start, count, step, size) -> [bytes]"},
    {"put_strings", put_strings, METH_VARARGS, "put_strings(id, varid, start, count, step, [bytes])"},
    {"put_vlens", put_vlens, METH_VARARGS, "put_vlens(id, varid, start, count, step, size, [bytes])"},
    {NULL, NULL, 0, NULL},
};
