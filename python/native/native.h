/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_NATIVE_H
#define CELLAR_NATIVE_H

/* The module cellar._native: the C library's calls for cellar/, one to one where that is possible. Written for the
 * limited API of Python 3.11, so that one build serves every later version; free-threaded Python before 3.15 has no
 * such API and takes a build of its own. Each call that may do I/O or coding releases the GIL. */

#define PY_SSIZE_T_CLEAN
#include <pyconfig.h>
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <cellar.h>

#define RANK_MAX NC_MAX_VAR_DIMS

/* What the module was given by cellar/: see native.c. */
struct state {
    PyObject *fail;  /* fail(code, sentence, file, variable, chunk, filter) raises */
    PyObject *empty; /* numpy.empty */
    PyObject *nothing; /* () */
};
extern struct state native_state;

/* Runs a statement without the GIL. */
#define WITHOUT_GIL(statement) \
    do { \
        Py_BEGIN_ALLOW_THREADS; \
        statement; \
        Py_END_ALLOW_THREADS; \
    } while (0)

/* NULL with the exception for `rc`, whose text the library still has. */
PyObject *native_fail(int rc);
/* None, or the exception. */
PyObject *native_done(int rc);

/* Text of a file: bytes that are not UTF-8 come back as they were (surrogateescape). */
PyObject *native_text(const char *text, size_t n);

/* A tuple of numbers; its length, or -1 with an exception. */
Py_ssize_t native_sizes(PyObject *tuple, size_t *out, Py_ssize_t max);
Py_ssize_t native_steps(PyObject *tuple, ptrdiff_t *out, Py_ssize_t max);
Py_ssize_t native_ints(PyObject *tuple, int *out, Py_ssize_t max);
PyObject *native_size_tuple(const size_t *values, int n);

extern PyMethodDef native_file_methods[];
extern PyMethodDef native_describe_methods[];
extern PyMethodDef native_define_methods[];
extern PyMethodDef native_values_methods[];
extern PyMethodDef native_objects_methods[];
extern PyMethodDef native_coder_methods[];

#endif
