/* SPDX-License-Identifier: BSD-3-Clause */
/* Open addressing with linear probing; removal moves later entries of the run
 * back, so that no slot has to be marked as removed. At most half of the slots are used. */
#include "names.h"
#include "mem.h"
#include "status.h"
#include <assert.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct cel_names_slot {
    const char *name; /* NULL: free */
    void *object;
    uint32_t hash;
};

/* SipHash-1-3 with a key of this process: who writes the names of a file cannot know which of
 * them share a slot. The order of a map is seen nowhere. */
static uint64_t key[2];
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    if (getrandom(key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) {
        key[0] = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
        key[1] = (uint64_t)(uintptr_t)&key; /* where the library was loaded */
    }
}

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = turn(v[3], 21) ^ v[0];
    v[1] = turn(v[1], 17) ^ v[2];
    v[2] = turn(v[2], 32);
}

static uint32_t hash_of(const char *name)
{
    size_t len = strlen(name), left = len;
    uint64_t v[4], word;

    pthread_once(&key_once, make_key);
    v[0] = key[0] ^ 0x736f6d6570736575u;
    v[1] = key[1] ^ 0x646f72616e646f6du;
    v[2] = key[0] ^ 0x6c7967656e657261u;
    v[3] = key[1] ^ 0x7465646279746573u;
    for (bool last = false; !last; name += last ? 0 : 8, left -= last ? 0 : 8) {
        last = left < 8;
        word = last ? (uint64_t)len << 56 : 0;
        memcpy(&word, name, last ? left : 8);
        v[3] ^= word;
        mix(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(v);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
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
    size_t i = m->cap ? slot_of(m, name, hash) : 0;
    bool is_new = !m->cap || !m->slot[i].name;

    if (is_new && 2 * (m->used + 1) > m->cap) {
        if (grow(m) != CEL_OK)
            return NC_ENOMEM;
        i = slot_of(m, name, hash);
    }
    assert(i < m->cap && 2 * (m->used + is_new) <= m->cap); /* a free slot ends every search */
    m->used += is_new;
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
        size_t preferred = m->slot[i].hash & (m->cap - 1);
        if (((i - preferred) & (m->cap - 1)) >= ((i - hole) & (m->cap - 1))) {
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
