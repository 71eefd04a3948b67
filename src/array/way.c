/* How the values of one request travel: which kernels run between the caller's
 * type and the elements of a chunk, and what absent elements read as. */
#include "engine.h"
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
    struct cel_way *way = &req->way;
    nc_type own = type->id;

    way->user_size = way->cell_size = type->size;
    if (memtype == NC_NAT || memtype == own)
        return CEL_OK;
    if (memtype == NC_CHAR || own == NC_CHAR)
        return cel_fail(NC_ECHAR, "text and numbers do not convert into each other");
    way->convert = is_atomic(type) && memtype <= NC_MAX_ATOMIC_TYPE
                       ? req->writing ? cel_dataset_converter(req->ds, memtype, own)
                                      : cel_dataset_converter(req->ds, own, memtype) : NULL;
    if (!way->convert)
        return cel_fail(NC_EBADTYPE, "type %s does not convert to or from the type asked for", type->name);
    way->user_size = cel_type_size(memtype);
    return CEL_OK;
}

/* The fill element in both forms. Without fill, absent elements are zeros. */
static void choose_fill(struct cel_request *req)
{
    struct cel_way *way = &req->way;
    const void *fill = req->var->no_fill ? NULL : cel_var_fill_value(req->var);

    way->user_fill = way->cell_fill = fill;
    if (!fill)
        return;
    if (way->swap) {
        cel_swap_bytes(way->cell_room, fill, 1, way->cell_size);
        way->cell_fill = way->cell_room;
    }
    if (way->convert && !req->writing) {
        way->fill_out_of_range = way->convert(way->user_room, fill, 1) > 0;
        way->user_fill = way->user_room;
    }
}

/* The quantizer is made by the first put and kept with the variable. */
static int choose_quantizer(struct cel_request *req)
{
    const struct cel_var *var = req->var;
    struct cel_array *array = req->array;
    struct cel_quantize_setting setting = {var->quantize_mode, var->quantize_nsd, var->type->id, CEL_TIES_AWAY,
                                           cel_var_fill_value(var)};
    int rc = CEL_OK;

    if (var->quantize_mode == NC_NOQUANTIZE || !req->writing)
        return CEL_OK;
    if (!array->quantizer)
        rc = cel_quantizer_make(&setting, &array->quantizer);
    req->way.quantizer = array->quantizer;
    return rc;
}

int cel_way_init(struct cel_request *req, nc_type memtype)
{
    struct cel_way *way = &req->way;
    const struct cel_var *var = req->var;
    nc_type number = number_type(var->type);
    int rc = choose_converter(req, memtype);

    if (rc == CEL_OK)
        rc = choose_quantizer(req);
    if (rc != CEL_OK)
        return rc;
    way->swap = !var->plain && number != NC_NAT && var->type->size > 1 &&
                (var->endian == NC_ENDIAN_BIG || var->endian == NC_ENDIAN_LITTLE) &&
                (var->endian == NC_ENDIAN_BIG) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    if (req->writing) {
        way->hole = req->array->hole;
        way->nholes = req->array->nholes;
        way->deep_holes = var->type->varsized && cel_type_has_holes(var->type);
    }
    way->same = !way->convert && !way->swap && !way->quantizer && !way->nholes && !way->deep_holes;
    way->deep = var->type->varsized ? var->type : NULL;
    choose_fill(req);
    return CEL_OK;
}
