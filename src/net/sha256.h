/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SHA256_H
#define CEL_SHA256_H

#include "buf.h"
#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4), and HMAC (RFC 2104) with it: what requests are signed with. */

#define CEL_SHA256_SIZE 32
#define CEL_SHA256_HEX (2 * CEL_SHA256_SIZE + 1) /* as text, with its NUL */

void cel_sha256(const void *data, size_t n, unsigned char out[CEL_SHA256_SIZE]);
void cel_sha256_hex(const void *data, size_t n, char out[CEL_SHA256_HEX]);
void cel_hmac_sha256(const void *key, size_t key_len, const void *data, size_t n, unsigned char out[CEL_SHA256_SIZE]);
void cel_hex(const unsigned char *bytes, size_t n, char *out); /* lower case; out has 2 * n + 1 */

#endif
