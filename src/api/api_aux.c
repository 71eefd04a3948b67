/* SPDX-License-Identifier: BSD-3-Clause */
/* The ncaux_ helpers that are not about filters or plugins: compound types whose
 * offsets are found as a C compiler would, any type by its id, whole files. */
#include "api.h"
#include <errno.h>
#include <netcdf_aux.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

/* --- alignment ------------------------------------------------------------------------- */

/* clang-format off */
static const size_t alignments[] = {
    [NC_BYTE] = alignof(signed char), [NC_CHAR] = alignof(char), [NC_SHORT] = alignof(short), [NC_INT] = alignof(int),
    [NC_FLOAT] = alignof(float), [NC_DOUBLE] = alignof(double), [NC_UBYTE] = alignof(unsigned char),
    [NC_USHORT] = alignof(unsigned short), [NC_UINT] = alignof(unsigned), [NC_INT64] = alignof(long long),
    [NC_UINT64] = alignof(unsigned long long), [NC_STRING] = alignof(char *), [NC_VLEN] = alignof(nc_vlen_t),
    [NC_OPAQUE] = 1,
};
/* clang-format on */

static size_t alignment_of(const struct cel_type *type)
{
    size_t most = 1;

    if (type->klass == NC_ENUM)
        return alignments[type->base->id];
    if (type->klass != NC_COMPOUND)
        return alignments[type->klass];
    for (size_t i = 0; i < type->nfields; i++) {
        size_t field = alignment_of(type->field[i].type);

        most = field > most ? field : most;
    }
    return most;
}

int ncaux_class_alignment(int ncclass, size_t *alignp)
{
    if (ncclass <= NC_NAT || (size_t)ncclass >= sizeof alignments / sizeof *alignments)
        return cel_fail(NC_EINVAL, "class %d has no alignment of its own", ncclass);
    cel_output(alignp, alignments[ncclass]);
    return NC_NOERR;
}

/* Size and alignment of a type; atomic ones need no dataset. */
static int measure(int ncid, nc_type xtype, size_t *size, size_t *align)
{
    const struct cel_type *type = cel_type_atomic(xtype);
    struct cel_call c = {0};
    int rc = CEL_OK;

    cel_error_clear();
    if (!type) {
        rc = cel_call_begin(&c, ncid);
        if (rc == CEL_OK)
            rc = cel_find_type(c.ds, xtype, &type);
    }
    if (rc == CEL_OK) {
        *size = type->size;
        *align = alignment_of(type);
    }
    return cel_call_end(&c, rc);
}

int ncaux_type_alignment(int xtype, int ncid, size_t *alignp)
{
    size_t size, align;
    int rc = measure(ncid, xtype, &size, &align);

    if (rc == CEL_OK)
        cel_output(alignp, align);
    return rc;
}

/* --- compound types, field by field ------------------------------------------------------ */

struct field {
    char *name;
    nc_type type;
    int ndims;
    int *dims;
    size_t offset;
};

struct compound {
    int ncid;
    bool padded;
    char *name;
    struct field *field;
    size_t nfields;
    size_t size;  /* so far */
    size_t align; /* of the strictest field */
};

int ncaux_begin_compound(int ncid, const char *name, int alignmode, void **tag)
{
    struct compound *made;

    cel_error_clear();
    if (!tag || !name || (alignmode != NCAUX_ALIGN_C && alignmode != NCAUX_ALIGN_UNIFORM))
        return cel_fail(NC_EINVAL, "a compound needs a name, a tag and one of the NCAUX_ALIGN_ modes");
    made = cel_calloc(1, sizeof *made);
    if (!made)
        return NC_ENOMEM;
    *made = (struct compound){.ncid = ncid, .padded = alignmode == NCAUX_ALIGN_C, .align = 1};
    made->name = cel_strdup(name);
    if (!made->name) {
        free(made);
        return NC_ENOMEM;
    }
    *tag = made;
    return NC_NOERR;
}

static size_t padded_to(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static int count_of(int ndims, const int *dims, size_t *n)
{
    *n = 1;
    if (ndims < 0 || ndims > CEL_RANK_MAX || (ndims && !dims))
        return cel_fail(NC_EINVAL, "%d dimensions, or no lengths for them", ndims);
    for (int d = 0; d < ndims; d++)
        if (dims[d] < 1 || !cel_mul(*n, (size_t)dims[d], n))
            return cel_fail(NC_EINVAL, "a length of %d makes no sense", dims[d]);
    return CEL_OK;
}

static void dispose_field(struct field *field)
{
    free(field->name);
    free(field->dims);
}

static int append(struct compound *to, struct field *field, const char *name, const int *dims)
{
    struct field *list = cel_realloc(to->field, to->nfields + 1, sizeof *list);

    if (!list)
        return NC_ENOMEM;
    to->field = list;
    field->name = cel_strdup(name);
    field->dims = field->ndims ? cel_memdup(dims, (size_t)field->ndims * sizeof *dims) : NULL;
    if (!field->name || (field->ndims && !field->dims)) {
        dispose_field(field);
        return NC_ENOMEM;
    }
    list[to->nfields++] = *field;
    return CEL_OK;
}

int ncaux_add_field(void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes)
{
    struct compound *to = tag;
    struct field field = {.type = field_type, .ndims = ndims};
    size_t size = 0, align = 1, n, end;
    int rc;

    cel_error_clear();
    if (!to || !name)
        return cel_fail(NC_EINVAL, "a field needs a name and a compound");
    rc = measure(to->ncid, field_type, &size, &align);
    if (rc == CEL_OK)
        rc = count_of(ndims, dimsizes, &n);
    if (rc == CEL_OK) {
        field.offset = to->padded ? padded_to(to->size, align) : to->size;
        if (!cel_mul(n, size, &end) || !cel_add(end, field.offset, &end))
            rc = cel_fail(NC_EINVAL, "field %s is larger than memory", name);
    }
    if (rc == CEL_OK)
        rc = append(to, &field, name, dimsizes);
    if (rc == CEL_OK) {
        to->size = end;
        to->align = align > to->align ? align : to->align;
    }
    return rc;
}

int ncaux_abort_compound(void *tag)
{
    struct compound *it = tag;

    if (!it)
        return NC_NOERR;
    for (size_t i = 0; i < it->nfields; i++)
        dispose_field(&it->field[i]);
    free(it->field);
    free(it->name);
    free(it);
    return NC_NOERR;
}

int ncaux_end_compound(void *tag, nc_type *xtypeid)
{
    const struct compound *it = tag;
    nc_type type;
    int rc;

    cel_error_clear();
    if (!it)
        return cel_fail(NC_EINVAL, "there is no compound to end");
    rc = nc_def_compound(it->ncid, it->padded ? padded_to(it->size, it->align) : it->size, it->name, &type);
    for (size_t i = 0; rc == NC_NOERR && i < it->nfields; i++) {
        const struct field *f = &it->field[i];

        rc = nc_insert_array_compound(it->ncid, type, f->name, f->offset, f->type, f->ndims, f->dims);
    }
    if (rc == NC_NOERR)
        cel_output(xtypeid, type);
    ncaux_abort_compound(tag);
    return rc;
}

/* --- any type --------------------------------------------------------------------------------- */

int ncaux_inq_any_type(int ncid, nc_type xtype, char *name, size_t *size, nc_type *basetypep, size_t *nfieldsp,
                       int *classp)
{
    const struct cel_type *atomic = cel_type_atomic(xtype);

    if (!atomic)
        return nc_inq_user_type(ncid, xtype, name, size, basetypep, nfieldsp, classp);
    cel_output_name(name, atomic->name);
    cel_output(size, atomic->size);
    cel_output(basetypep, xtype);
    cel_output(nfieldsp, 0);
    cel_output(classp, xtype);
    return NC_NOERR;
}

/* --- whole files ---------------------------------------------------------------------------------- */

static int read_all(FILE *in, struct cel_buf *out)
{
    int rc = CEL_OK;

    do {
        size_t more = out->len ? out->len : 65536, got;

        rc = cel_buf_reserve(out, out->len + more);
        if (rc != CEL_OK)
            return rc;
        got = fread(out->data + out->len, 1, more, in);
        out->len += got;
    } while (!feof(in) && !ferror(in));
    return ferror(in) ? cel_fail(NC_EIO, "cannot read: %s", strerror(errno)) : CEL_OK;
}

int ncaux_readfile(const char *filename, size_t *sizep, void **content)
{
    struct cel_buf bytes = CEL_BUF_INIT(SIZE_MAX);
    size_t n;
    char *text;
    FILE *in;
    int rc;

    cel_error_clear();
    if (!filename || !content)
        return cel_fail(NC_EINVAL, "there is no file name, or nowhere to put the content");
    in = fopen(filename, "rb");
    if (!in)
        return cel_fail(errno, "%s: %s", filename, strerror(errno));
    rc = read_all(in, &bytes);
    fclose(in);
    n = bytes.len;
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&bytes, &text); /* with a NUL after the last byte */
    cel_buf_dispose(&bytes);
    if (rc != CEL_OK)
        return cel_fail_at(rc, CEL_IN_FILE, "%s", filename);
    cel_output(sizep, n);
    *content = text;
    return NC_NOERR;
}

int ncaux_writefile(const char *filename, size_t size, void *content)
{
    FILE *out;
    bool whole;

    cel_error_clear();
    if (!filename || (size && !content))
        return cel_fail(NC_EINVAL, "there is no file name, or nothing to write");
    out = fopen(filename, "wb");
    if (!out)
        return cel_fail(errno, "%s: %s", filename, strerror(errno));
    whole = fwrite(content, 1, size, out) == size;
    if (fclose(out) != 0 || !whole)
        return cel_fail(NC_EIO, "%s: cannot write: %s", filename, strerror(errno));
    return NC_NOERR;
}
