/* SPDX-License-Identifier: BSD-3-Clause */
/* The byte order of the numbers that a filter on elements stores. Such a filter (delta, astype,
 * fixedscaleoffset, quantize) names the type it stores, with its byte order. Zarr version 3 names the byte
 * order again in the codec behind the filters, and there that one counts. */
#include "chain.h"
#include "status.h"
#include "dtype.h"
#include <string.h>

/* The step that gives another type than the elements have; it is the last of those on elements. NULL: none. */
static struct cel_step *type_changer(const struct cel_chain *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->step[i].codec && c->step[i].codec->stored_type)
            return &c->step[i];
    return NULL;
}

/* The type it stores; one that is not said is that of the elements. */
static uint32_t stored_type(const struct cel_step *step, const char *elements)
{
    uint32_t stored = step->visible.w[step->codec->stored_type - 1], own = step->visible.w[step->codec->own_type - 1];

    return stored ? stored : own ? own : cel_dtype_index(elements);
}

bool cel_chain_changes_type(const struct cel_chain *c)
{
    return type_changer(c) != NULL;
}

bool cel_chain_stores_big(const struct cel_chain *c, const char *elements)
{
    return cel_dtype_at(stored_type(type_changer(c), elements)).big;
}

void cel_chain_store_as(struct cel_chain *c, const char *elements, bool big)
{
    struct cel_step *step = type_changer(c);
    size_t word = (size_t)step->codec->stored_type - 1;
    uint32_t type = cel_dtype_turned(stored_type(step, elements), big);

    if (!type)
        return; /* no number: preparing the chain says so */
    step->visible.w[word] = type;
    if (step->visible.n <= word)
        step->visible.n = word + 1;
}
