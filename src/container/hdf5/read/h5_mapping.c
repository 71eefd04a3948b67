/* SPDX-License-Identifier: BSD-3-Clause */
/* What a virtual dataset is made of: a list in the global heap of which elements of which datasets lie where in it.
 *
 *   version(1) number(L), then each: [version 1: flags(1)] file name, dataset name (each ends with 0), selection in that
 *   dataset, selection in the virtual one; then a checksum(4)
 *   flags: 1 and 2 the file's and the dataset's name are that of an earlier entry, whose number(L) stands there; 4 the
 *   file is this one, and has no name here
 * In names, %b is the number of a block of the second selection, which has no end, and %% a percent sign.
 * HDF5 File Format Specification version 4, III.F; selections: h5_selection.c. */
#include "h5_read_int.h"
#include <stdio.h>
#include <stdlib.h>

enum { SHARES_FILE = 1, SHARES_DATASET = 2, SAME_FILE = 4, ENTRY_MIN = 24, SUM = 4 };
static const char what[] = "list of parts";

static const char *take_text(struct cel_h5_bytes *b)
{
    const unsigned char *end = b->n ? memchr(b->p, '\0', b->n) : NULL;

    return (const char *)cel_h5_take(b, end ? (size_t)(end - b->p) + 1 : b->n + 1);
}

/* A name, or the earlier entry that has it too. */
static const char *take_name(const struct cel_h5r_file *file, const struct cel_h5r_mappings *list,
                             struct cel_h5_bytes *b, bool shared, bool of_file)
{
    uint64_t nth;

    if (!shared)
        return take_text(b);
    nth = cel_h5_take_number(b, file->length_size);
    if (nth >= list->n)
        return NULL;
    return of_file ? list->at[nth].file : list->at[nth].dataset;
}

static int take_entry(const struct cel_h5r_file *file, struct cel_h5r_mappings *list, int version,
                      struct cel_h5_bytes *b)
{
    uint64_t flags = cel_h5_take_if(b, version > 0, 1);
    struct cel_h5r_mapping *m = &list->at[list->n];
    int rc;

    m->file = flags & SAME_FILE ? "." : take_name(file, list, b, flags & SHARES_FILE, true);
    m->dataset = take_name(file, list, b, flags & SHARES_DATASET, false);
    if (!m->file || !m->dataset)
        return cel_h5r_bad_message(what, "a part has no name");
    list->n++;
    rc = cel_h5r_selection_take(b, &m->from);
    return rc == CEL_OK ? cel_h5r_selection_take(b, &m->to) : rc;
}

/* What a selection without an end may be mapped to. */
static int check_entry(const struct cel_h5r_mapping *m)
{
    bool numbered = cel_h5r_is_numbered(m->file) || cel_h5r_is_numbered(m->dataset);

    if (m->to.endless < 0)
        return m->from.endless < 0 && !numbered ? CEL_OK
                                                : cel_h5r_bad_message(what, "a part without an end has no place");
    return numbered != (m->from.endless >= 0) ? CEL_OK
                                              : cel_h5r_bad_message(what, "a place without an end has no parts");
}

static int take_all(const struct cel_h5r_file *file, struct cel_h5r_mappings *list, struct cel_h5_bytes b)
{
    uint64_t version = cel_h5_take_number(&b, 1), n = cel_h5_take_number(&b, file->length_size);
    int rc = CEL_OK;

    if (b.ended || version > 1)
        return b.ended ? cel_h5r_ended(&b, what) : CEL_ASK_LIBHDF5;
    if (n > b.n / ENTRY_MIN)
        return cel_h5r_bad_message(what, "it has more parts than it is long");
    list->at = cel_calloc((size_t)n, sizeof *list->at);
    if (!list->at)
        return NC_ENOMEM;
    while (rc == CEL_OK && list->n < n) {
        rc = take_entry(file, list, (int)version, &b);
        if (rc == CEL_OK)
            rc = check_entry(&list->at[list->n - 1]);
    }
    return rc == CEL_OK ? cel_h5r_ended(&b, what) : rc;
}

int cel_h5r_mappings_read(struct cel_h5r_reader *r, const struct cel_h5r_layout *layout, struct cel_h5r_mappings *out)
{
    struct cel_h5_bytes b;
    int rc;

    *out = (struct cel_h5r_mappings){0};
    if (layout->addr == CEL_H5R_NOWHERE)
        return CEL_OK;
    rc = cel_h5r_global_heap_get(r, layout->addr, layout->heap_index, &b);
    if (rc != CEL_OK)
        return rc;
    if (b.n <= SUM || !cel_h5_sum_matches(b.p, b.n))
        return cel_h5r_damaged(r->file, layout->addr, what, "its checksum does not match");
    out->block = cel_memdup(b.p, b.n - SUM);
    if (!out->block)
        return NC_ENOMEM;
    return take_all(r->file, out, (struct cel_h5_bytes){.p = out->block, .n = b.n - SUM});
}

void cel_h5r_mappings_dispose(struct cel_h5r_mappings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        cel_h5r_selection_dispose(&list->at[i].from);
        cel_h5r_selection_dispose(&list->at[i].to);
    }
    free(list->at);
    free(list->block);
    *list = (struct cel_h5r_mappings){0};
}

/* --- names with numbers in them ---------------------------------------------------------------- */

bool cel_h5r_is_numbered(const char *name)
{
    for (const char *p = strchr(name, '%'); p; p = strchr(p + 2, '%')) {
        if (p[1] == 'b')
            return true;
        if (!p[1])
            return false;
    }
    return false;
}

int cel_h5r_numbered_name(const char *name, uint64_t number, struct cel_buf *out)
{
    char digits[24];
    int rc = CEL_OK, n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);

    out->len = 0;
    while (rc == CEL_OK && *name) {
        size_t literal = strcspn(name, "%");

        rc = cel_buf_add(out, name, literal);
        name += literal;
        if (rc != CEL_OK || !*name)
            continue;
        if (name[1] != 'b' && name[1] != '%')
            return CEL_ASK_LIBHDF5;
        rc = name[1] == 'b' ? cel_buf_add(out, digits, (size_t)n) : cel_buf_add(out, "%", 1);
        name += 2;
    }
    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}
