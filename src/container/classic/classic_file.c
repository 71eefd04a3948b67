/* SPDX-License-Identifier: BSD-3-Clause */
/* Classic netCDF files as a container: CDF-1, CDF-2 (64-bit offset) and CDF-5
 * (64-bit data). The header is read whole at open and written when definitions
 * change; the number of records when it grew, at sync and close. */
#include "classic_int.h"
#include "disk.h"
#include "file_peer.h"
#include "mem.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int kind_of(const struct cel_location *where)
{
    static const unsigned char kinds[] = {1, 2, 5};

    for (size_t i = 0; i < sizeof kinds; i++)
        if (where->head_len >= 4 && memcmp(where->head, "CDF", 3) == 0 && where->head[3] == kinds[i])
            return kinds[i];
    return 0;
}

static int bid(const struct cel_location *where, const struct cel_options *options, bool create)
{
    if (create)
        return options->mode & NC_NETCDF4 || where->is_url ? 0 : 10;
    return kind_of(where) ? 100 : 0;
}

static int io_failure(const char *doing)
{
    int error = errno;

    return cel_fail(error > 0 ? error : NC_EIO, "cannot %s: %s", doing, strerror(error));
}

static int make_classic(struct cel_dataset *ds, int kind, struct classic **out)
{
    struct classic *c = cel_calloc(1, sizeof *c);

    if (!c)
        return NC_ENOMEM;
    cel_mutex_init(&c->lock);
    cel_mutex_init(&c->io.page.lock);
    c->io.fd = -1;
    c->io.mem = CEL_BUF_INIT(SIZE_MAX);
    c->kind = kind;
    ds->container = c;
    ds->features = CEL_KEEPS_CONTIGUOUS | (kind == 5 ? CEL_KEEPS_INT64 : 0);
    ds->format = kind == 1 ? NC_FORMAT_CLASSIC : kind == 2 ? NC_FORMAT_64BIT_OFFSET : NC_FORMAT_64BIT_DATA;
    *out = c;
    return CEL_OK;
}

/* The descriptor is the container's from now on. */
static int set_file(struct classic *c, int fd)
{
    int rc = cel_source_of_file(fd, &c->io.source);

    if (rc != CEL_OK)
        close(fd);
    else
        c->io.fd = c->io.writable ? fd : -1;
    return rc;
}

static int create(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    int kind = options->mode & NC_64BIT_DATA ? 5 : options->mode & NC_64BIT_OFFSET ? 2 : 1;
    struct classic *c;
    int fd, rc = make_classic(ds, kind, &c);

    if (rc != CEL_OK)
        return rc;
    c->io.writable = c->created = true;
    c->io.in_memory = where->in_memory;
    if (where->in_memory) {
        c->path = where->persist ? cel_strdup(where->path) : NULL;
        return where->persist && !c->path ? NC_ENOMEM : CEL_OK;
    }
    fd = open(where->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (options->mode & NC_NOCLOBBER ? O_EXCL : 0), 0666);
    if (fd < 0)
        return io_failure("create the file");
    rc = set_file(c, fd);
    if (rc != CEL_OK)
        unlink(where->path);
    return rc;
}

/* The bytes stay where they are while nothing can write. */
static int read_memory(struct classic *c)
{
    assert(!c->io.writable && c->io.in_memory && !c->io.source);
    return cel_source_of_memory(c->io.mem.data, c->io.mem.len, &c->io.source);
}

/* NC_INMEMORY: the caller's bytes; they are copied when they may change or move. */
static int open_memory(struct classic *c, const struct cel_location *where)
{
    int rc = CEL_OK;

    c->io.in_memory = true;
    c->io.borrowed = where->memory_locked || !c->io.writable;
    if (c->io.borrowed) {
        c->io.mem.data = where->memory;
        c->io.mem.len = c->io.mem.cap = where->memory_size;
    } else {
        rc = cel_buf_add(&c->io.mem, where->memory, where->memory_size);
    }
    c->io.size = c->io.mem.len;
    return rc == CEL_OK && !c->io.writable ? read_memory(c) : rc;
}

/* NC_DISKLESS: the whole file is read at once, and written back at close if asked. */
static int read_into_memory(struct classic *c, const struct cel_location *where)
{
    int rc = cel_buf_resize(&c->io.mem, (size_t)c->io.size);

    if (rc == CEL_OK)
        rc = cel_classic_io_read(&c->io, 0, c->io.mem.data, c->io.mem.len);
    cel_source_close(c->io.source);
    c->io.source = NULL;
    c->io.fd = -1;
    c->io.in_memory = true;
    if (rc == CEL_OK && where->persist && c->io.writable && !(c->path = cel_strdup(where->path)))
        rc = NC_ENOMEM;
    return rc == CEL_OK && !c->io.writable ? read_memory(c) : rc;
}

static int open_remote(struct classic *c, const struct cel_location *where)
{
    int rc;

    if (c->io.writable)
        return cel_fail(NC_EPERM, "a file on a server can only be read");
    c->io.source = *where->source;
    *where->source = NULL;
    rc = cel_source_size(c->io.source, &c->io.size);
    return rc == CEL_OK && where->in_memory ? read_into_memory(c, where) : rc;
}

static int open_file(struct classic *c, const struct cel_location *where)
{
    int fd = open(where->path, (c->io.writable ? O_RDWR : O_RDONLY) | O_CLOEXEC), rc;

    if (fd < 0)
        return io_failure("open the file");
    rc = set_file(c, fd);
    if (rc == CEL_OK)
        rc = cel_source_size(c->io.source, &c->io.size);
    return rc == CEL_OK && where->in_memory ? read_into_memory(c, where) : rc;
}

static int open_classic(struct cel_dataset *ds, const struct cel_location *where, const struct cel_options *options)
{
    struct classic *c;
    int rc = make_classic(ds, kind_of(where), &c);

    if (rc != CEL_OK)
        return rc;
    c->io.writable = c->acknowledged = options->mode & NC_WRITE;
    rc = where->memory ? open_memory(c, where) : where->source ? open_remote(c, where) : open_file(c, where);
    return rc == CEL_OK ? cel_classic_header_load(ds) : rc;
}

static int load_nothing(struct cel_dataset *ds)
{
    (void)ds;
    return CEL_OK;
}

static int load_var(struct cel_dataset *ds, struct cel_var *var)
{
    (void)ds, (void)var;
    return CEL_OK;
}

static int load_atts(struct cel_dataset *ds, struct cel_group *group, struct cel_var *var)
{
    (void)ds, (void)group, (void)var;
    return CEL_OK;
}

/* A reader sees what the writer of the file has added and synchronised by then. */
static int sync_reader(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    int rc;

    if (c->io.in_memory)
        return CEL_OK;
    rc = cel_source_size(c->io.source, &c->io.size);
    cel_classic_io_forget(&c->io);
    return rc == CEL_OK ? cel_classic_numrecs_read(ds) : rc;
}

/* The bytes that could not be written are still staged: the error names whose they are. */
static int flush(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    uint64_t at = c->io.staging.at;
    int rc = cel_classic_io_flush(&c->io);

    for (size_t i = 0; rc != CEL_OK && i < ds->root->vars.n; i++) {
        const struct cel_var *var = ds->root->vars.at[i];

        if (cel_classic_holds(c, var, at))
            return cel_fail_in_var(rc, var);
    }
    return rc;
}

/* The number of records comes last: what it counts is in the file by then. */
static int write_all(struct cel_dataset *ds)
{
    int rc = cel_classic_write_all_fill(ds);

    if (rc == CEL_OK)
        rc = flush(ds);
    if (rc == CEL_OK)
        rc = cel_classic_numrecs_write(ds);
    return rc == CEL_OK ? flush(ds) : rc;
}

/* NC_SHARE: others see what was put at once. */
int cel_classic_share(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    int rc;

    cel_lock(&c->lock);
    rc = write_all(ds);
    cel_unlock(&c->lock);
    return rc;
}

/* Where the user asked for it; a file that was made also needs its entry in the folder. */
static int sync_disk(const struct cel_dataset *ds)
{
    const struct classic *c = cel_classic_of(ds);

    if (c->io.in_memory)
        return CEL_OK;
    errno = cel_disk_sync(c->io.fd);
    if (!errno && c->created)
        errno = cel_disk_sync_folder(ds->path);
    return errno ? io_failure("flush the file") : CEL_OK;
}

static int sync_classic(struct cel_dataset *ds)
{
    struct classic *c = cel_classic_of(ds);
    int rc;

    if (!c->io.writable)
        return sync_reader(ds);
    cel_lock(&c->lock);
    rc = write_all(ds);
    c->acknowledged |= rc == CEL_OK;
    cel_unlock(&c->lock);
    return rc == CEL_OK ? sync_disk(ds) : rc;
}

static int write_out(struct classic *c)
{
    int fd = open(c->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc;
    struct cel_classic_io io = {.fd = fd};

    if (fd < 0)
        return io_failure("write the file");
    rc = cel_classic_io_write_part(&io, 0, c->io.mem.data, c->io.mem.len);
    if (rc == CEL_OK && (errno = cel_disk_sync(fd)) != 0)
        rc = io_failure("write the file");
    if (close(fd) != 0 && rc == CEL_OK)
        rc = io_failure("write the file");
    return rc;
}

static int finish(struct cel_dataset *ds, struct cel_memory *memory)
{
    struct classic *c = cel_classic_of(ds);
    int rc = CEL_OK;

    if (c->io.writable) {
        rc = write_all(ds);
        if (rc == CEL_OK)
            rc = cel_classic_io_grow(&c->io, cel_classic_end(ds)); /* no-fill mode may have left it short */
        if (rc == CEL_OK)
            rc = sync_disk(ds);
    }
    if (rc == CEL_OK && c->path)
        rc = write_out(c);
    if (rc == CEL_OK && memory && c->io.in_memory && !c->io.borrowed) {
        *memory = (struct cel_memory){c->io.mem.data, c->io.mem.len};
        c->io.mem = CEL_BUF_INIT(SIZE_MAX);
    } else if (rc == CEL_OK && memory && c->io.borrowed) {
        *memory = (struct cel_memory){c->io.mem.data, c->io.mem.len};
    }
    return rc;
}

/* The first failure, and its text, stay. */
static int close_source(struct classic *c, int rc)
{
    struct cel_status first;

    if (rc == CEL_OK)
        return cel_source_close(c->io.source);
    cel_status_save(&first);
    cel_source_close(c->io.source);
    cel_status_restore(&first);
    return rc;
}

static int close_classic(struct cel_dataset *ds, bool keep, struct cel_memory *memory)
{
    struct classic *c = cel_classic_of(ds);
    int rc = CEL_OK;

    if (memory)
        *memory = (struct cel_memory){0};
    if (!c)
        return CEL_OK;
    if (keep)
        rc = finish(ds, memory);
    rc = close_source(c, rc);
    if (!keep && c->created && c->io.fd >= 0)
        unlink(ds->path);
    for (size_t i = 0; i < ds->root->vars.n; i++) {
        struct cel_var *var = ds->root->vars.at[i];
        free(var->priv);
        var->priv = NULL;
    }
    cel_classic_io_dispose(&c->io);
    cel_mutex_dispose(&c->lock);
    free(c->path);
    free(c);
    ds->container = NULL;
    return rc;
}

static int fact(struct cel_dataset *ds, struct cel_var *var, const char *name, struct cel_fact *out)
{
    (void)ds, (void)var, (void)name;
    *out = (struct cel_fact){0};
    return CEL_ABSENT;
}

const struct cel_container_ops cel_classic_ops = {
    .name = "classic",
    .formatx = NC_FORMATX_NC3,
    .features = CEL_KEEPS_CONTIGUOUS,
    .bid = bid,
    .create = create,
    .open = open_classic,
    .load_types = load_nothing,
    .load_var = load_var,
    .load_atts = load_atts,
    .save = cel_classic_save,
    .extend = cel_classic_extend,
    .chunk_next = cel_classic_chunk_next,
    .chunk_locate = cel_classic_chunk_locate,
    .values_hand_over = cel_classic_values_hand_over,
    .peer_open = cel_file_peer_open,
    .peer_write_at = cel_file_peer_write_at,
    .peer_read_at = cel_file_peer_read_at,
    .peer_sync = cel_file_peer_sync,
    .peer_close = cel_file_peer_close,
    .unchunked_get = cel_classic_get,
    .unchunked_put = cel_classic_put,
    .get_value = cel_classic_get_value,
    .put_value = cel_classic_put_value,
    .takes_any_size = true,
    .sync = sync_classic,
    .close = close_classic,
    .fact = fact,
};
