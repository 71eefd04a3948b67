/* SPDX-License-Identifier: BSD-3-Clause */
/* Values to and from arrays: any strides of the array in memory, any steps in the variable, negative ones too. The
 * memory is the array's own; what an index selects is told from the key here, since for small requests that costs
 * more than the read. */
#include "native.h"
#include <string.h>

/* A region of a variable and the memory it goes to or comes from. */
struct slab {
    int rank;
    size_t start[RANK_MAX], count[RANK_MAX];
    ptrdiff_t step[RANK_MAX];
    ptrdiff_t byte_step[RANK_MAX]; /* of the memory */
    char *memory;
    size_t item; /* bytes of one element */
};

static int is_empty(const struct slab *s)
{
    for (int i = 0; i < s->rank; i++) {
        if (s->count[i] == 0)
            return 1;
    }
    return 0;
}

static void pack(struct slab *s)
{
    ptrdiff_t bytes = (ptrdiff_t)s->item;

    for (int i = s->rank - 1; i >= 0; i--) {
        s->byte_step[i] = bytes;
        bytes *= (ptrdiff_t)s->count[i];
    }
}

/* The library's steps are positive: a negative one is the same elements with the memory the other way round. */
static void turn_round(struct slab *s)
{
    for (int i = 0; i < s->rank; i++) {
        ptrdiff_t last = (ptrdiff_t)s->count[i] - 1;

        if (s->step[i] > 0)
            continue;
        s->start[i] += (size_t)(last * s->step[i]);
        s->step[i] = -s->step[i];
        s->memory += last * s->byte_step[i];
        s->byte_step[i] = -s->byte_step[i];
    }
}

static int is_packed(const struct slab *s)
{
    ptrdiff_t bytes = (ptrdiff_t)s->item;

    for (int i = s->rank - 1; i >= 0; i--) {
        if (s->count[i] != 1 && s->byte_step[i] != bytes)
            return 0;
        bytes *= (ptrdiff_t)s->count[i];
    }
    return 1;
}

static int is_dense(const struct slab *s)
{
    for (int i = 0; i < s->rank; i++) {
        if (s->step[i] != 1 && s->count[i] != 1)
            return 0;
    }
    return 1;
}

/* --- the library's calls by the type of the memory ------------------------------------ */

typedef int (*mover)(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *step,
                     const ptrdiff_t *map, void *memory);

#define MOVERS(tag, ctype) \
    static int get_##tag(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *step, \
                         const ptrdiff_t *map, void *memory) \
    { \
        return nc_get_varm_##tag(ncid, varid, start, count, step, map, (ctype *)memory); \
    } \
    static int put_##tag(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *step, \
                         const ptrdiff_t *map, void *memory) \
    { \
        return nc_put_varm_##tag(ncid, varid, start, count, step, map, (const ctype *)memory); \
    }
MOVERS(schar, signed char)
MOVERS(text, char)
MOVERS(short, short)
MOVERS(int, int)
MOVERS(float, float)
MOVERS(double, double)
MOVERS(uchar, unsigned char)
MOVERS(ushort, unsigned short)
MOVERS(uint, unsigned int)
MOVERS(longlong, long long)
MOVERS(ulonglong, unsigned long long)

static int get_own(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *step,
                   const ptrdiff_t *map, void *memory)
{
    return nc_get_varm(ncid, varid, start, count, step, map, memory);
}

static int put_own(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *step,
                   const ptrdiff_t *map, void *memory)
{
    return nc_put_varm(ncid, varid, start, count, step, map, memory);
}

/* By nc_type; row 0 is the variable's own type, whose size depends on it. */
static const struct {
    mover get, put;
    size_t size;
} movers[] = {
    {get_own, put_own, 0},
    {get_schar, put_schar, 1},
    {get_text, put_text, 1},
    {get_short, put_short, 2},
    {get_int, put_int, 4},
    {get_float, put_float, 4},
    {get_double, put_double, 8},
    {get_uchar, put_uchar, 1},
    {get_ushort, put_ushort, 2},
    {get_uint, put_uint, 4},
    {get_longlong, put_longlong, 8},
    {get_ulonglong, put_ulonglong, 8},
};

static int move(int ncid, int varid, struct slab *s, mover call)
{
    ptrdiff_t map[RANK_MAX];
    const ptrdiff_t *step = s->step, *to = map;
    int rc;

    if (is_empty(s))
        return NC_NOERR;
    turn_round(s);
    for (int i = 0; i < s->rank; i++)
        map[i] = s->byte_step[i] / (ptrdiff_t)s->item;
    if (is_packed(s))
        to = NULL;
    if (is_dense(s))
        step = NULL;
    WITHOUT_GIL(rc = call(ncid, varid, s->start, s->count, step, to, s->memory));
    return rc;
}

/* --- a region told by numbers ------------------------------------------------------- */

static int fail_shape(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return -1;
}

/* The memory of an array whose shape is the region's. */
static int take_memory(struct slab *s, const Py_buffer *view)
{
    if (view->ndim != s->rank)
        return fail_shape("the array has not as many dimensions as the variable");
    s->memory = view->buf;
    s->item = (size_t)view->itemsize;
    for (int i = 0; i < s->rank; i++) {
        s->count[i] = (size_t)view->shape[i];
        s->byte_step[i] = view->strides[i];
        if (view->itemsize == 0 || view->strides[i] % view->itemsize)
            return fail_shape("the array's strides are no multiples of its elements");
    }
    return 0;
}

/* Elements of the wrong size would be written over the end of the array. */
static int check_item(int ncid, int varid, const struct slab *s, int memory_type)
{
    nc_type type = 0;
    size_t size = 0;
    int ndims = 0, rc = nc_inq_var(ncid, varid, NULL, &type, &ndims, NULL, NULL);

    if (rc == NC_NOERR)
        rc = nc_inq_type(ncid, type, NULL, &size);
    if (rc != NC_NOERR) {
        native_fail(rc);
        return -1;
    }
    if (memory_type)
        size = movers[memory_type].size;
    if (ndims != s->rank || size != s->item)
        return fail_shape("the array's elements or dimensions are not the variable's");
    return 0;
}

static int take_steps(struct slab *s, PyObject *start, PyObject *step)
{
    Py_ssize_t n = native_sizes(start, s->start, RANK_MAX);

    if (n < 0)
        return -1;
    s->rank = (int)n;
    if (native_steps(step, s->step, RANK_MAX) == n)
        return 0;
    return PyErr_Occurred() ? -1 : fail_shape("start and step differ in length");
}

static PyObject *move_region(PyObject *args, int write)
{
    PyObject *start, *step, *array, *result = NULL;
    int ncid, varid, type;
    struct slab s;
    Py_buffer view;

    if (!PyArg_ParseTuple(args, "iiOOOi", &ncid, &varid, &start, &step, &array, &type) || take_steps(&s, start, step))
        return NULL;
    if (type < 0 || type >= (int)(sizeof movers / sizeof *movers))
        return PyErr_Format(PyExc_ValueError, "there is no type %d of memory", type);
    if (PyObject_GetBuffer(array, &view, write ? PyBUF_STRIDES : PyBUF_STRIDES | PyBUF_WRITABLE))
        return NULL;
    if (take_memory(&s, &view) == 0 && check_item(ncid, varid, &s, type) == 0)
        result = native_done(move(ncid, varid, &s, write ? movers[type].put : movers[type].get));
    PyBuffer_Release(&view);
    return result;
}

static PyObject *get(PyObject *self, PyObject *args)
{
    return move_region(args, 0);
}

static PyObject *put(PyObject *self, PyObject *args)
{
    return move_region(args, 1);
}

/* --- a region told by an index ------------------------------------------------------- */

/* Numpy's basic indexing. keep[i]: the dimension stays in the result. */
struct index {
    struct slab slab;
    Py_ssize_t shape[RANK_MAX];
    char keep[RANK_MAX];
};

enum { NOT_BASIC = 1 }; /* an index of another kind: cellar/ takes it */

static int take_number(struct index *x, int dim, PyObject *number)
{
    Py_ssize_t at = PyNumber_AsSsize_t(number, PyExc_IndexError);
    Py_ssize_t n = x->shape[dim];

    if (at == -1 && PyErr_Occurred())
        return -1;
    if (at < -n || at >= n) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %zd", at, dim, n);
        return -1;
    }
    x->slab.start[dim] = (size_t)(at < 0 ? at + n : at);
    x->slab.count[dim] = 1;
    x->slab.step[dim] = 1;
    x->keep[dim] = 0;
    return 0;
}

static int take_slice(struct index *x, int dim, PyObject *slice)
{
    Py_ssize_t start, stop, step, n;

    if (PySlice_Unpack(slice, &start, &stop, &step))
        return -1;
    n = PySlice_AdjustIndices(x->shape[dim], &start, &stop, step);
    x->slab.start[dim] = n ? (size_t)start : 0;
    x->slab.count[dim] = (size_t)n;
    x->slab.step[dim] = n > 1 ? step : 1;
    x->keep[dim] = 1;
    return 0;
}

static int take_whole(struct index *x, int dim)
{
    x->slab.start[dim] = 0;
    x->slab.count[dim] = (size_t)x->shape[dim];
    x->slab.step[dim] = 1;
    x->keep[dim] = 1;
    return 0;
}

static int take_item(struct index *x, int dim, PyObject *item)
{
    if (PySlice_Check(item))
        return take_slice(x, dim, item);
    if (PyLong_Check(item) && !PyBool_Check(item))
        return take_number(x, dim, item);
    return NOT_BASIC;
}

static PyObject *item_of(PyObject *key, Py_ssize_t i)
{
    return PyTuple_Check(key) ? PyTuple_GetItem(key, i) : key;
}

static int take_key(struct index *x, PyObject *key)
{
    Py_ssize_t n = PyTuple_Check(key) ? PyTuple_Size(key) : 1, ellipses = 0;
    int dim = 0, rank = x->slab.rank, rc = 0;

    for (Py_ssize_t i = 0; i < n; i++)
        ellipses += item_of(key, i) == Py_Ellipsis;
    if (ellipses > 1 || n - ellipses > rank) {
        PyErr_Format(PyExc_IndexError, "too many indices: the variable has %d dimensions", rank);
        return -1;
    }
    for (Py_ssize_t i = 0; rc == 0 && i < n; i++) {
        if (item_of(key, i) == Py_Ellipsis) {
            for (Py_ssize_t k = rank - (n - 1); k > 0; k--)
                take_whole(x, dim++);
        } else {
            rc = take_item(x, dim++, item_of(key, i));
        }
    }
    while (rc == 0 && dim < rank)
        take_whole(x, dim++);
    return rc;
}

static PyObject *kept_shape(const struct index *x)
{
    size_t shape[RANK_MAX];
    int n = 0;

    for (int i = 0; i < x->slab.rank; i++) {
        if (x->keep[i])
            shape[n++] = x->slab.count[i];
    }
    return native_size_tuple(shape, n);
}

/* An array of the index's shape, filled; a scalar where nothing is kept. */
static PyObject *read_index(int ncid, int varid, struct index *x, PyObject *dtype)
{
    PyObject *shape = kept_shape(x), *array = NULL, *scalar;
    int rc, is_scalar = shape && PyTuple_Size(shape) == 0;
    Py_buffer view;

    if (shape)
        array = PyObject_CallFunctionObjArgs(native_state.empty, shape, dtype, NULL);
    Py_XDECREF(shape);
    if (!array || PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) {
        Py_XDECREF(array);
        return NULL;
    }
    x->slab.memory = view.buf;
    x->slab.item = (size_t)view.itemsize;
    pack(&x->slab);
    rc = move(ncid, varid, &x->slab, get_own);
    PyBuffer_Release(&view);
    if (rc == NC_NOERR && !is_scalar)
        return array;
    scalar = rc == NC_NOERR ? PyObject_GetItem(array, native_state.nothing) : native_fail(rc);
    Py_DECREF(array);
    return scalar;
}

/* getitem(id, varid, shape, dtype, key): the values, or NotImplemented for a key that is not basic. The caller knows
 * that dtype is the variable's and shape its shape. */
static PyObject *getitem(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    struct index x;
    int ncid, varid, rc;
    Py_ssize_t rank;

    if (nargs != 5)
        return PyErr_Format(PyExc_TypeError, "getitem takes 5 arguments, not %zd", nargs);
    ncid = (int)PyLong_AsLong(args[0]);
    varid = (int)PyLong_AsLong(args[1]);
    if (PyErr_Occurred())
        return NULL;
    rank = native_steps(args[2], x.shape, RANK_MAX);
    if (rank < 0)
        return NULL;
    x.slab.rank = (int)rank;
    rc = take_key(&x, args[4]);
    if (rc)
        return rc == NOT_BASIC ? Py_NewRef(Py_NotImplemented) : NULL;
    return read_index(ncid, varid, &x, args[3]);
}

PyMethodDef native_values_methods[] = {
    {"get", get, METH_VARARGS, "get(id, varid, start, step, array, type): reads a region of the array's shape; type 0: the variable's"},
    {"put", put, METH_VARARGS, "put(id, varid, start, step, array, type): writes the array"},
    {"getitem", (PyCFunction)(void (*)(void))getitem, METH_FASTCALL,
     "getitem(id, varid, shape, dtype, key) -> array, scalar or NotImplemented"},
    {NULL, NULL, 0, NULL},
};
