/* SPDX-License-Identifier: BSD-3-Clause */
/* The HDF5 container: which locations are its own, and its table of verbs. */
#include "file.h"
#include "file_peer.h"
#include "h5_int.h"
#include <fcntl.h>
#include <unistd.h>

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static bool in_file(int fd, size_t at)
{
    unsigned char head[sizeof signature];
    size_t done;

    return cel_file_read(fd, at, head, sizeof head, &done) == 0 && done == sizeof head &&
           memcmp(head, signature, sizeof head) == 0;
}

static bool in_memory(const struct cel_location *where, size_t at)
{
    return where->memory && where->memory_size >= at + 8 && memcmp((char *)where->memory + at, signature, 8) == 0;
}

/* A user block may stand in front: 512 bytes, or any doubling of that. */
static bool behind_user_block(const struct cel_location *where)
{
    bool file = !where->memory && !where->source && where->exists && !where->is_directory;
    int fd = file ? open(where->path, O_RDONLY | O_CLOEXEC) : -1;
    bool found = false;
    size_t at;

    for (at = 512; !found && at <= SIZE_MAX / 4 && at + 8 <= where->size; at *= 2)
        found = fd < 0 ? in_memory(where, at) : in_file(fd, at);
    if (fd >= 0)
        close(fd);
    return found;
}

static int bid(const struct cel_location *where, const struct cel_options *options, bool create)
{
    if (where->is_url && !where->source && (create || where->is_remote))
        return 0;
    if (create)
        return options->mode & NC_NETCDF4 ? 100 : 0;
    if (where->head_len >= 8 && memcmp(where->head, signature, 8) == 0)
        return 100;
    return behind_user_block(where) ? 90 : 0;
}

const struct cel_container_ops cel_hdf5_ops = {
    .name = "hdf5",
    .formatx = NC_FORMATX_NC_HDF5,
    .features = CEL_KEEPS_ALL | CEL_ONE_NAMESPACE,
    .bid = bid,
    .create = cel_h5_create,
    .open = cel_h5_open,
    .load_types = cel_h5_load_types,
    .load_var = cel_h5_load_var,
    .load_atts = cel_h5_load_atts,
    .save = cel_h5_save,
    .extend = cel_h5_extend,
    .chunk_find = cel_h5_chunk_find,
    .chunk_next = cel_h5_chunk_next,
    .chunk_read = cel_h5_chunk_read,
    .chunk_want = cel_h5_chunk_want,
    .stored_size = cel_h5_stored_size,
    .chunk_locate = cel_h5_chunk_locate,
    .chunk_allocate = cel_h5_chunk_allocate,
    .chunk_write = cel_h5_chunk_write,
    .chunk_hand_over = cel_h5_chunk_hand_over,
    .values_hand_over = cel_h5_values_hand_over,
    .peer_open = cel_file_peer_open,
    .peer_write = cel_file_peer_write,
    .peer_write_at = cel_file_peer_write_at,
    .chunk_lend = cel_h5_chunk_lend,
    .peer_read = cel_file_peer_read,
    .peer_read_at = cel_file_peer_read_at,
    .peer_sync = cel_file_peer_sync,
    .peer_close = cel_file_peer_close,
    .unchunked_get = cel_h5_unchunked_get,
    .unchunked_put = cel_h5_unchunked_put,
    .moves_directly = true,
    .chunk_io_begin = cel_h5_chunk_io_begin,
    .chunk_io_end = cel_h5_chunk_io_end,
    .must_flush = cel_h5_is_full,
    .flush_deferred = cel_h5_flush_deferred,
    .sync = cel_h5_sync,
    .close = cel_h5_close,
    .fact = cel_h5_fact,
    .library = cel_h5_library,
};
