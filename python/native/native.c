/* SPDX-License-Identifier: BSD-3-Clause */
/* The module itself: its parts' tables, and how failures become exceptions. */
#include "native.h"
#include <string.h>

struct state native_state;

PyObject *native_text(const char *text, size_t n)
{
    return PyUnicode_DecodeUTF8(text ? text : "", text ? (Py_ssize_t)n : 0, "surrogateescape");
}

static PyObject *part(enum cellar_part which)
{
    const char *text = cellar_error_part(which);

    return native_text(text, strlen(text));
}

PyObject *native_fail(int rc)
{
    const char *sentence = cellar_error();
    PyObject *result;

    if (!*sentence)
        sentence = nc_strerror(rc);
    if (PyErr_Occurred() || !native_state.fail)
        return NULL;
    result = PyObject_CallFunction(native_state.fail, "iNNNNN", rc, native_text(sentence, strlen(sentence)),
                                   part(CELLAR_FILE), part(CELLAR_VARIABLE), part(CELLAR_CHUNK), part(CELLAR_FILTER));
    Py_XDECREF(result);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "cellar: the error was not raised");
    return NULL;
}

PyObject *native_done(int rc)
{
    return rc == NC_NOERR ? Py_NewRef(Py_None) : native_fail(rc);
}

static Py_ssize_t tuple_length(PyObject *tuple, Py_ssize_t max)
{
    Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;

    if (n < 0 || n > max) {
        PyErr_Format(PyExc_ValueError, "a tuple of at most %zd numbers is needed", max);
        return -1;
    }
    return n;
}

Py_ssize_t native_sizes(PyObject *tuple, size_t *out, Py_ssize_t max)
{
    Py_ssize_t n = tuple_length(tuple, max);

    for (Py_ssize_t i = 0; i < n; i++) {
        out[i] = PyLong_AsSize_t(PyTuple_GetItem(tuple, i));
        if (out[i] == (size_t)-1 && PyErr_Occurred())
            return -1;
    }
    return n;
}

Py_ssize_t native_steps(PyObject *tuple, ptrdiff_t *out, Py_ssize_t max)
{
    Py_ssize_t n = tuple_length(tuple, max);

    for (Py_ssize_t i = 0; i < n; i++) {
        out[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
        if (out[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return n;
}

Py_ssize_t native_ints(PyObject *tuple, int *out, Py_ssize_t max)
{
    Py_ssize_t n = tuple_length(tuple, max);

    for (Py_ssize_t i = 0; i < n; i++) {
        long value = PyLong_AsLong(PyTuple_GetItem(tuple, i));

        if (value == -1 && PyErr_Occurred())
            return -1;
        out[i] = (int)value;
    }
    return n;
}

PyObject *native_size_tuple(const size_t *values, int n)
{
    PyObject *tuple = PyTuple_New(n);

    for (int i = 0; tuple && i < n; i++) {
        PyObject *value = PyLong_FromSize_t(values[i]);

        if (!value) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, i, value);
    }
    return tuple;
}

static void replace(PyObject **slot, PyObject *value)
{
    PyObject *old = *slot;

    *slot = Py_NewRef(value);
    Py_XDECREF(old);
}

static PyObject *setup(PyObject *self, PyObject *args)
{
    PyObject *fail, *empty;

    if (!PyArg_ParseTuple(args, "OO", &fail, &empty))
        return NULL;
    replace(&native_state.fail, fail);
    replace(&native_state.empty, empty);
    if (!native_state.nothing)
        native_state.nothing = PyTuple_New(0);
    return native_state.nothing ? Py_NewRef(Py_None) : NULL;
}

static PyObject *version(PyObject *self, PyObject *unused)
{
    return PyUnicode_FromString(cellar_version());
}

static PyObject *set_threads(PyObject *self, PyObject *args)
{
    int n;

    return PyArg_ParseTuple(args, "i", &n) ? native_done(cellar_set_threads(n)) : NULL;
}

static PyObject *get_threads(PyObject *self, PyObject *unused)
{
    return PyLong_FromLong(cellar_get_threads());
}

static PyObject *warning(PyObject *self, PyObject *unused)
{
    const char *text = cellar_warning();

    return native_text(text, strlen(text));
}

static PyMethodDef module_methods[] = {
    {"setup", setup, METH_VARARGS, "setup(fail, empty): what cellar/ gives the module."},
    {"version", version, METH_NOARGS, "The library's version."},
    {"set_threads", set_threads, METH_VARARGS, "set_threads(n)"},
    {"get_threads", get_threads, METH_NOARGS, "get_threads() -> n"},
    {"warning", warning, METH_NOARGS, "The last thing done otherwise than asked; '' for none."},
    {NULL, NULL, 0, NULL},
};

static int add_methods(PyObject *module)
{
    PyMethodDef *const parts[] = {module_methods,        native_file_methods,   native_describe_methods,
                                  native_define_methods, native_values_methods, native_objects_methods,
                                  native_coder_methods};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (PyModule_AddFunctions(module, parts[i]))
            return -1;
    }
    return 0;
}

/* Nothing here changes after setup() but what a caller hands over, and the library has its own locks. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)add_methods},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", "Cellar's C library.", 0, NULL, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module);
}
