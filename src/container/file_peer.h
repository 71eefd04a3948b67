/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_FILE_PEER_H
#define CEL_FILE_PEER_H

/* The peer_* verbs of containers that are one file: bytes at addresses, which whoever keeps the dataset hands out. */

#include "container.h"

int cel_file_peer_open(const struct cel_location *where, struct cel_peer **out);
int cel_file_peer_write_at(struct cel_peer *peer, uint64_t address, const void *bytes, size_t n);
int cel_file_peer_read_at(struct cel_peer *peer, uint64_t address, void *bytes, size_t n); /* zeros behind the end */
int cel_file_peer_read(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                       const struct cel_chunk_location *at, struct cel_buf *out);
int cel_file_peer_write(struct cel_peer *peer, struct cel_var *var, const size_t *index,
                        const struct cel_chunk_location *at, const void *encoded, size_t n);
int cel_file_peer_sync(struct cel_peer *peer);
int cel_file_peer_close(struct cel_peer *peer);

#endif
