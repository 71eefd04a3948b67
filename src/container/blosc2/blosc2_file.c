/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of Blosc2 (.b2nd) as datasets: which locations are such, opening and closing. A dataset has one variable. */
#include "blosc2_int.h"
#include "bytes.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HEADER_MAX = 1 << 24, FIRST = 200 /* a bid before those that go by the mode alone */ };

/* --- which locations are arrays of Blosc2 --------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

/* "mode=b2nd" among the parts of a fragment. */
static bool asks_for_it(const char *fragment)
{
    static const char mode[] = "mode=b2nd";

    for (; *fragment; fragment += strcspn(fragment, "&"), fragment += *fragment == '&')
        if (strncasecmp(fragment, mode, sizeof mode - 1) == 0 && strchr(",&", fragment[sizeof mode - 1]))
            return true;
    return false;
}

static int bid(const struct cel_location *where, const struct cel_options *options, bool create)
{
    if (create)
        return asks_for_it(where->fragment) || (ends_with(where->path, ".b2nd") && !*where->fragment) ? FIRST : 0;
    return cel_b2_is_frame(where->head, where->head_len) ? 100 : 0;
}

int cel_blosc2_make(struct cel_dataset *ds, struct blosc2_file **out)
{
    struct blosc2_file *b = cel_calloc(1, sizeof *b);

    if (!b)
        return NC_ENOMEM;
    cel_mutex_init(&b->lock);
    ds->container = b;
    ds->format = NC_FORMAT_NETCDF4;
    *out = b;
    b->work = cel_b2_work_make();
    return b->work ? CEL_OK : NC_ENOMEM;
}

/* --- opening --------------------------------------------------------------------------------- */

static int open_source(struct blosc2_file *b, const struct cel_location *where)
{
    int fd, rc;

    if (where->memory)
        return cel_source_of_memory(where->memory, where->memory_size, &b->source);
    fd = open(where->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cel_fail(errno, "cannot open the file: %s", strerror(errno));
    rc = cel_source_of_file(fd, &b->source);
    if (rc != CEL_OK)
        close(fd);
    return rc;
}

static int read_header(struct blosc2_file *b)
{
    unsigned char head[24];
    uint64_t size = 0;
    size_t n;
    int rc = cel_source_size(b->source, &size);

    if (rc == CEL_OK)
        rc = cel_blosc2_read(b, 0, head, sizeof head);
    if (rc != CEL_OK)
        return rc;
    n = cel_get_be32(head + 11);
    if (n > size || n > HEADER_MAX)
        return cel_fail(NC_EFILTER, "blosc2: the header of the frame says it has %zu bytes", n);
    b->header = cel_malloc(n);
    if (!b->header)
        return NC_ENOMEM;
    rc = cel_blosc2_read(b, 0, b->header, n);
    return rc == CEL_OK ? cel_b2_frame_read(b->header, n, (size_t)size, &b->frame) : rc;
}

static int open_it(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct blosc2_file *b;
    int rc;

    if (options->mode & NC_WRITE)
        return cel_fail(NC_EPERM, "a file of Blosc2 can be made and read, not changed: open it without NC_WRITE");
    rc = cel_blosc2_make(ds, &b);
    if (rc == CEL_OK)
        rc = open_source(b, where);
    if (rc == CEL_OK)
        rc = read_header(b);
    if (rc == CEL_OK)
        rc = cel_blosc2_array_read(b);
    if (rc == CEL_OK)
        rc = cel_blosc2_index_open(b);
    return rc == CEL_OK ? cel_blosc2_var_load(ds, b) : rc;
}

/* The first failure, and its text, stay. */
static int close_source(struct blosc2_file *b, int rc)
{
    struct cel_status first;

    if (rc == CEL_OK)
        return cel_source_close(b->source);
    cel_status_save(&first);
    cel_source_close(b->source);
    cel_status_restore(&first);
    return rc;
}

static int close_it(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct blosc2_file *b = cel_blosc2_of(ds);
    int rc = CEL_OK;

    if (memory)
        *memory = (struct cel_memory){0};
    if (!b)
        return CEL_OK;
    if (b->output)
        rc = cel_blosc2_output_close(ds, keep);
    rc = close_source(b, rc);
    cel_b2_work_free(b->work);
    free(b->header);
    free(b->index);
    free(b->offsets);
    cel_mutex_dispose(&b->lock);
    free(b);
    ds->container = NULL;
    return rc;
}

/* --- the rest: all is loaded -------------------------------------------------- */

static int load_nothing(struct cel_dataset *ds)
{
    return CEL_OK;
}

static int load_var(struct cel_dataset *ds, struct cel_var *var)
{
    return CEL_OK;
}

static int load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    return CEL_OK;
}

static int fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    *out = (struct cel_fact){0};
    return CEL_ABSENT;
}

/* clang-format off */
const struct cel_container_ops cel_blosc2_ops = {
    .name = "blosc2", .formatx = NC_FORMATX_UNDEFINED, 
    .features = CEL_KEEPS_CHUNKS | CEL_KEEPS_FILTERS | CEL_KEEPS_INT64 | CEL_KEEPS_ENDIAN | CEL_KEEPS_STRINGS,
    .bid = bid, .create = cel_blosc2_create, .open = open_it, .load_types = load_nothing, .load_var = load_var, .load_atts = load_atts,
    .save = cel_blosc2_save, .extend = cel_blosc2_extend, .chunk_find = cel_blosc2_chunk_find, .chunk_read = cel_blosc2_chunk_read, .chunk_fetch_size = cel_blosc2_chunk_fetch_size, .chunk_fetch = cel_blosc2_chunk_fetch,
    .chunk_size = cel_blosc2_chunk_size, .chunk_locate = cel_blosc2_chunk_locate,
    .chunk_allocate = cel_blosc2_chunk_allocate, .chunk_write = cel_blosc2_chunk_write, .sync = cel_blosc2_sync, .close = close_it, .fact = fact,
};
/* clang-format on */
