/* SPDX-License-Identifier: BSD-3-Clause */
/* Coders: filters run on chunks that another library keeps, many in one call. */
#include "native.h"
#include <stdlib.h>
#include <string.h>

#define CAPSULE "cellar.coder"

static void free_coder(PyObject *capsule)
{
    cellar_coder_free(PyCapsule_GetPointer(capsule, CAPSULE));
}

static PyObject *coder(PyObject *self, PyObject *args)
{
    size_t lengths[RANK_MAX];
    cellar_chunk_shape shape = {.lengths = lengths};
    const char *chain, *kind, *fill;
    Py_ssize_t size, nfill, rank;
    cellar_coder *made = NULL;
    PyObject *tuple, *capsule;
    int rc, omit;

    if (!PyArg_ParseTuple(args, "snsOz#p", &chain, &size, &kind, &tuple, &fill, &nfill, &omit))
        return NULL;
    rank = native_sizes(tuple, lengths, RANK_MAX);
    if (rank < 0)
        return NULL;
    if (fill && nfill != size)
        return PyErr_Format(PyExc_ValueError, "a fill value of %zd bytes for elements of %zd", nfill, size);
    shape.size = (size_t)size;
    shape.kind = *kind;
    shape.rank = (int)rank;
    shape.fill = fill;
    shape.omit_empty = omit;
    WITHOUT_GIL(rc = cellar_coder_make(chain, &shape, &made));
    if (rc != NC_NOERR)
        return native_fail(rc);
    capsule = PyCapsule_New(made, CAPSULE, free_coder);
    if (!capsule)
        cellar_coder_free(made);
    return capsule;
}

/* --- a request: [(path, bytes, start, step, array, merge)] ------------------------------- */

struct item {
    Py_buffer array, bytes;
    int has_array, has_bytes;
    PyObject *path; /* as bytes of the file system */
    size_t *start, *count;
    ptrdiff_t *step, *byte_step;
};

struct request {
    Py_ssize_t n;
    struct item *item;
    cellar_chunk *chunk;
};

static void release(struct request *r)
{
    for (Py_ssize_t i = 0; r->item && i < r->n; i++) {
        struct item *item = &r->item[i];

        if (item->has_array)
            PyBuffer_Release(&item->array);
        if (item->has_bytes)
            PyBuffer_Release(&item->bytes);
        Py_XDECREF(item->path);
        free(item->start);
    }
    free(r->item);
    free(r->chunk);
}

/* The four lists of a box lie in one block. */
static int take_box(struct item *item, cellar_chunk *chunk, PyObject *start, PyObject *step)
{
    int rank = item->array.ndim;

    item->start = malloc(((size_t)rank + 1) * 4 * sizeof(size_t));
    if (!item->start) {
        PyErr_NoMemory();
        return -1;
    }
    item->count = item->start + rank;
    item->step = (ptrdiff_t *)(item->count + rank);
    item->byte_step = item->step + rank;
    if (native_sizes(start, item->start, rank) != rank || native_steps(step, item->step, rank) != rank) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "start and step need %d numbers each", rank);
        return -1;
    }
    for (int d = 0; d < rank; d++) {
        item->count[d] = (size_t)item->array.shape[d];
        item->byte_step[d] = item->array.strides[d];
    }
    chunk->start = item->start;
    chunk->count = item->count;
    chunk->step = item->step;
    chunk->byte_step = item->byte_step;
    chunk->memory = item->array.buf;
    return 0;
}

static int take_item(struct item *item, cellar_chunk *chunk, PyObject *row, Py_ssize_t rank, Py_ssize_t size, int write)
{
    PyObject *path, *bytes, *start, *step, *array;

    if (!PyArg_ParseTuple(row, "OOOOOp", &path, &bytes, &start, &step, &array, &chunk->merge))
        return -1;
    if (path != Py_None) {
        if (!PyUnicode_FSConverter(path, &item->path))
            return -1;
        chunk->path = PyBytes_AsString(item->path);
    }
    if (bytes != Py_None) {
        if (PyObject_GetBuffer(bytes, &item->bytes, PyBUF_SIMPLE))
            return -1;
        item->has_bytes = 1;
        chunk->encoded = item->bytes.buf;
        chunk->nencoded = (size_t)item->bytes.len;
    }
    if (PyObject_GetBuffer(array, &item->array, write ? PyBUF_STRIDES : PyBUF_STRIDES | PyBUF_WRITABLE))
        return -1;
    item->has_array = 1;
    if (item->array.ndim != rank || item->array.itemsize != size) {
        PyErr_SetString(PyExc_ValueError, "the array's elements or dimensions are not the chunk's");
        return -1;
    }
    return take_box(item, chunk, start, step);
}

static int take_request(struct request *r, PyObject *list, Py_ssize_t rank, Py_ssize_t size, int write)
{
    r->n = PyList_Size(list);
    r->item = calloc((size_t)r->n + 1, sizeof *r->item);
    r->chunk = calloc((size_t)r->n + 1, sizeof *r->chunk);
    if (!r->item || !r->chunk) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < r->n; i++) {
        if (take_item(&r->item[i], &r->chunk[i], PyList_GetItem(list, i), rank, size, write))
            return -1;
    }
    return 0;
}

/* --- answers --------------------------------------------------------------------------------- */

/* The numbers of the chunks that are not there. */
static PyObject *absent_list(const struct request *r)
{
    PyObject *list = PyList_New(0);

    for (Py_ssize_t i = 0; list && i < r->n; i++) {
        PyObject *number = r->chunk[i].absent ? PyLong_FromSsize_t(i) : NULL;

        if (number && PyList_Append(list, number)) {
            Py_DECREF(list);
            list = NULL;
        }
        Py_XDECREF(number);
    }
    return list;
}

/* For each chunk that has no file its bytes; None where it was not written, or has one. */
static PyObject *encoded_list(struct request *r)
{
    PyObject *list = PyList_New(r->n);

    for (Py_ssize_t i = 0; i < r->n; i++) {
        cellar_chunk *chunk = &r->chunk[i];
        PyObject *value = NULL;

        if (list && !chunk->path && !chunk->absent)
            value = PyBytes_FromStringAndSize(chunk->encoded, (Py_ssize_t)chunk->nencoded);
        else if (list)
            value = Py_NewRef(Py_None);
        if (list && value)
            PyList_SetItem(list, i, value);
        if (list && !value) {
            Py_DECREF(list);
            list = NULL;
        }
    }
    return list;
}

/* What encoding made; the rest is the caller's own bytes. */
static void free_encoded(struct request *r)
{
    for (Py_ssize_t i = 0; i < r->n; i++) {
        if (!r->item[i].has_bytes || r->chunk[i].encoded != r->item[i].bytes.buf)
            cellar_free(r->chunk[i].encoded);
    }
}

static PyObject *run(PyObject *args, int write)
{
    PyObject *capsule, *list, *result = NULL;
    struct request r = {0};
    Py_ssize_t rank, size;
    cellar_coder *made;
    int rc;

    if (!PyArg_ParseTuple(args, "OnnO!", &capsule, &rank, &size, &PyList_Type, &list))
        return NULL;
    made = PyCapsule_GetPointer(capsule, CAPSULE);
    if (made && take_request(&r, list, rank, size, write) == 0) {
        if (write)
            WITHOUT_GIL(rc = cellar_coder_encode(made, (size_t)r.n, r.chunk));
        else
            WITHOUT_GIL(rc = cellar_coder_decode(made, (size_t)r.n, r.chunk));
        if (rc != NC_NOERR)
            native_fail(rc);
        else
            result = write ? encoded_list(&r) : absent_list(&r);
        if (write)
            free_encoded(&r);
    }
    release(&r);
    return result;
}

static PyObject *decode(PyObject *self, PyObject *args)
{
    return run(args, 0);
}

static PyObject *encode(PyObject *self, PyObject *args)
{
    return run(args, 1);
}

static PyObject *codecs(PyObject *self, PyObject *unused)
{
    char *json = NULL;
    int rc = cellar_codec_table(&json);
    PyObject *text = rc == NC_NOERR ? native_text(json, strlen(json)) : native_fail(rc);

    cellar_free(json);
    return text;
}

PyMethodDef native_coder_methods[] = {
    {"coder", coder, METH_VARARGS, "coder(chain, size, kind, lengths, fill, omit_empty) -> coder"},
    {"decode", decode, METH_VARARGS,
     "decode(coder, rank, size, [(path, bytes, start, step, array, merge)]) -> numbers of absent chunks"},
    {"encode", encode, METH_VARARGS,
     "encode(coder, rank, size, [(path, bytes, start, step, array, merge)]) -> [bytes or None]"},
    {"codecs", codecs, METH_NOARGS, "The table of codecs as JSON."},
    {NULL, NULL, 0, NULL},
};
