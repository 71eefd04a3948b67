/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_SIGV4_H
#define CEL_SIGV4_H

/* AWS Signature Version 4: a request's method, path, query, headers and body are bound to a key by HMAC-SHA-256. */

#include "buf.h"
#include "sha256.h"
#include <time.h>

struct cel_net_header {
    const char *name, *value;
};

/* Who signs. Texts are the owner's. */
struct cel_signer {
    const char *key, *secret;
    const char *token;   /* of a session; NULL: none */
    const char *region;  /* "us-east-1" */
    const char *service; /* "s3" */
};

#define CEL_UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD" /* over TLS, which guards the body */

struct cel_to_sign {
    const char *method, *host;
    const char *path;                    /* encoded, begins with '/' */
    const char *query;                   /* encoded "a=b&c=d", in any order; "" without */
    const struct cel_net_header *header; /* those that are signed beside host and x-amz-*: lower case, in any order */
    size_t nheaders;
    const char *payload_hash; /* SHA-256 of the body as text, or CEL_UNSIGNED_PAYLOAD */
    time_t when;
};

/* The headers to send beside those given, as lines "name: value", each ended by a NUL: x-amz-date,
 * x-amz-content-sha256, x-amz-security-token if there is one, and authorization. */
int cel_sign(const struct cel_signer *signer, const struct cel_to_sign *request, struct cel_buf *lines);

#endif
