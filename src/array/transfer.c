/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses how the values of one request are transferred: the kernels between the caller's
 * type and the elements of a chunk, and the value of absent elements. */
#include "array_int.h"
#include <string.h>

static bool is_atomic(const struct cel_type *type)
{
    return type->id <= NC_MAX_ATOMIC_TYPE;
}

/* The element type whose bytes a chunk holds in one byte order; NC_NAT: several or none. */
static nc_type number_type(const struct cel_type *type)
{
    if (type->klass == NC_ENUM)
        return type->base->id;
    return is_atomic(type) && type->id != NC_STRING ? type->id : NC_NAT;
}

static int choose_converter(struct cel_request *req, nc_type memtype)
{
    const struct cel_type *type = req->var->type;
    struct cel_transfer *transfer = &req->transfer;
    nc_type own = type->id;

    transfer->user_size = transfer->size_in_chunk = type->size;
    if (memtype == NC_NAT || memtype == own)
        return CEL_OK;
    if (memtype == NC_CHAR || own == NC_CHAR)
        return cel_fail(NC_ECHAR, "text and numbers do not convert into each other");
    transfer->convert =
        is_atomic(type) && memtype <= NC_MAX_ATOMIC_TYPE
            ? req->writing ? cel_dataset_converter(req->ds, memtype, own) : cel_dataset_converter(req->ds, own, memtype)
            : NULL;
    if (!transfer->convert)
        return cel_fail(NC_EBADTYPE, "type %s does not convert to or from the type asked for", type->name);
    transfer->user_size = cel_type_size(memtype);
    return CEL_OK;
}

/* The fill element in both forms. Without fill, absent elements are zeros. */
static void choose_fill(struct cel_request *req)
{
    struct cel_transfer *transfer = &req->transfer;
    const void *fill = req->var->fill.off || req->var->fill.never ? NULL : cel_var_fill_value(req->var);

    transfer->user_fill = transfer->fill_in_chunk = fill;
    if (!fill)
        return;
    if (transfer->swap) {
        cel_swap_bytes(transfer->chunk_fill_bytes, fill, 1, transfer->size_in_chunk);
        transfer->fill_in_chunk = transfer->chunk_fill_bytes;
    }
    if (transfer->convert && !req->writing) {
        transfer->fill_out_of_range = transfer->convert(transfer->user_fill_bytes, fill, 1) > 0;
        transfer->user_fill = transfer->user_fill_bytes;
    }
}

/* The quantizer is made by the first put and kept with the variable. */
static int choose_quantizer(struct cel_request *req)
{
    const struct cel_var *var = req->var;
    struct cel_array *array = req->array;
    struct cel_quantize_setting setting = {var->quantize.mode, var->quantize.nsd, var->type->id, CEL_TIES_AWAY,
                                           cel_var_fill_value(var)};
    int rc = CEL_OK;

    if (var->quantize.mode == NC_NOQUANTIZE || !req->writing)
        return CEL_OK;
    if (!array->quantizer)
        rc = cel_quantizer_make(&setting, &array->quantizer);
    req->transfer.quantizer = array->quantizer;
    return rc;
}

int cel_transfer_init(struct cel_request *req, nc_type memtype)
{
    struct cel_transfer *transfer = &req->transfer;
    const struct cel_var *var = req->var;
    nc_type number = number_type(var->type);
    int rc = choose_converter(req, memtype);

    if (rc == CEL_OK)
        rc = choose_quantizer(req);
    if (rc != CEL_OK)
        return rc;
    transfer->swap = !var->layout.unchunked && number != NC_NAT && var->type->size > 1 &&
                     (var->endian == NC_ENDIAN_BIG || var->endian == NC_ENDIAN_LITTLE) &&
                     (var->endian == NC_ENDIAN_BIG) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    if (req->writing) {
        transfer->hole = req->array->hole;
        transfer->nholes = req->array->nholes;
        transfer->deep_holes = var->type->varsized && cel_type_has_holes(var->type);
    }
    transfer->same =
        !transfer->convert && !transfer->swap && !transfer->quantizer && !transfer->nholes && !transfer->deep_holes;
    transfer->deep = var->type->varsized ? var->type : NULL;
    choose_fill(req);
    return CEL_OK;
}

const char *cel_trace_of_transfer(const struct cel_transfer *transfer)
{
    static const char *const names[2][2][2] = {
        {{NULL, "quantize"}, {"swap", "swap, quantize"}},
        {{"convert", "convert, quantize"}, {"convert, swap", "convert, swap, quantize"}},
    };

    return names[transfer->convert != NULL][transfer->swap][transfer->quantizer != NULL];
}
