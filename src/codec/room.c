/* Contexts that are memory and no more. */
#include "room.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdlib.h>

int cel_room_make(const struct cel_words *working, void **context)
{
    *context = cel_calloc(1, sizeof(struct cel_room));
    return *context ? CEL_OK : NC_ENOMEM;
}

void cel_room_free(void *context)
{
    struct cel_room *room = context;

    if (room)
        free(room->p);
    free(room);
}

int cel_room_reserve(struct cel_room *room, size_t need, const char *codec)
{
    if (need <= room->cap)
        return CEL_OK;
    free(room->p);
    room->cap = 0;
    room->p = cel_malloc(need);
    if (!room->p)
        return cel_fail_in(NC_ENOMEM, "%s", codec);
    room->cap = need;
    return CEL_OK;
}

size_t cel_whole_chunk(const struct cel_coding *coding, const void *src, size_t n)
{
    return coding->shape->nbytes;
}
