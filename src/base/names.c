/* Open addressing with linear probing; removal moves later entries of the run
 * back, so there are no grave stones. At most half of the slots are used. */
#include "names.h"
#include "mem.h"
#include "status.h"
#include <netcdf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cel_names_slot {
    const char *name; /* NULL: free */
    void *object;
    uint32_t hash;
};

static uint32_t hash_of(const char *name)
{
    uint32_t h = 2166136261u;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static size_t slot_of(const struct cel_names *m, const char *name, uint32_t hash)
{
    size_t i = hash & (m->cap - 1);

    while (m->slot[i].name && (m->slot[i].hash != hash || strcmp(m->slot[i].name, name) != 0))
        i = (i + 1) & (m->cap - 1);
    return i;
}

static int grow(struct cel_names *m)
{
    struct cel_names bigger = {.cap = m->cap ? m->cap * 2 : 8};

    bigger.slot = cel_calloc(bigger.cap, sizeof *bigger.slot);
    if (!bigger.slot)
        return NC_ENOMEM;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slot[i].name)
            bigger.slot[slot_of(&bigger, m->slot[i].name, m->slot[i].hash)] = m->slot[i];
    bigger.used = m->used;
    free(m->slot);
    *m = bigger;
    return CEL_OK;
}

int cel_names_add(struct cel_names *m, const char *name, void *object)
{
    uint32_t hash = hash_of(name);
    size_t i;

    if (2 * (m->used + 1) > m->cap && grow(m) != CEL_OK)
        return NC_ENOMEM;
    i = slot_of(m, name, hash);
    if (!m->slot[i].name)
        m->used++;
    m->slot[i] = (struct cel_names_slot){name, object, hash};
    return CEL_OK;
}

void *cel_names_find(const struct cel_names *m, const char *name)
{
    return m->cap ? m->slot[slot_of(m, name, hash_of(name))].object : NULL;
}

void cel_names_remove(struct cel_names *m, const char *name)
{
    size_t hole, i;

    if (!m->cap)
        return;
    hole = slot_of(m, name, hash_of(name));
    if (!m->slot[hole].name)
        return;
    m->used--;
    for (i = (hole + 1) & (m->cap - 1); m->slot[i].name; i = (i + 1) & (m->cap - 1)) {
        size_t home = m->slot[i].hash & (m->cap - 1);
        if (((i - home) & (m->cap - 1)) >= ((i - hole) & (m->cap - 1))) {
            m->slot[hole] = m->slot[i];
            hole = i;
        }
    }
    m->slot[hole] = (struct cel_names_slot){0};
}

void cel_names_dispose(struct cel_names *m)
{
    free(m->slot);
    *m = (struct cel_names){0};
}
