/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy's names of types: byte order, kind, bytes ("<f4"). */
#include "blosc2_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    char kind;
    size_t size;
    nc_type type;
} types[] = {{'i', 1, NC_BYTE},  {'u', 1, NC_UBYTE},  {'i', 2, NC_SHORT}, {'u', 2, NC_USHORT},
             {'i', 4, NC_INT},   {'u', 4, NC_UINT},   {'i', 8, NC_INT64}, {'u', 8, NC_UINT64},
             {'f', 4, NC_FLOAT}, {'f', 8, NC_DOUBLE}, {'S', 1, NC_CHAR},  {'b', 1, NC_UBYTE}};

void cel_blosc2_type_name(const struct cel_type *type, bool big_endian, char name[CEL_B2_TYPE_MAX])
{
    name[0] = '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type->id) {
            snprintf(name, CEL_B2_TYPE_MAX, "%c%c%zu",
                     type->size == 1 ? '|'
                     : big_endian    ? '>'
                                     : '<',
                     types[i].kind, type->size);
            return;
        }
}

const struct cel_type *cel_blosc2_type(const char *text, size_t elem, bool *big_endian)
{
    char order = strchr("<>|=", *text) ? *text : '=';
    char *end;

    *big_endian = order == '>';
    if (*text && strchr("<>|=", *text))
        text++;
    if (!*text || strtoul(text + 1, &end, 10) != elem || *end)
        return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == *text && types[i].size == elem)
            return cel_type_atomic(types[i].type);
    return NULL;
}
