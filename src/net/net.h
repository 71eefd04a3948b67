/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NET_H
#define CEL_NET_H

/* HTTP requests. One thread of the process has all of them in flight (libcurl's multi interface), so that a hundred need
 * no more threads than one. The first request loads libcurl. Callers interpret the bodies.
 *
 * A request that fails for a reason that may pass (429, 5xx, a connection that was reset or ended early) is repeated,
 * with growing delays; others are not. Limits, and the environment variables for them: docs/network.md. */

#include "buf.h"
#include "credentials.h"
#include "sigv4.h"
#include <stdbool.h>
#include <stdint.h>

enum cel_net_priority { CEL_NET_NOW, CEL_NET_AHEAD, CEL_NET_PRIORITIES }; /* somebody waits; somebody may ask for it */

struct cel_net_request {
    const char *method;                  /* "GET" */
    const char *url;                     /* encoded, http or https, without a fragment */
    const struct cel_net_header *header; /* names in lower case; those of signing are added */
    size_t nheaders;
    const void *body; /* for PUT and POST */
    size_t body_len;
    const struct cel_signer *signer;     /* NULL: not signed */
    const struct cel_credentials *login; /* user (key) and password (secret) for a web server; NULL: nobody */
    enum cel_net_priority priority;
    bool ranged;     /* only these n bytes are wanted: a range header is added, and they go to dst */
    uint64_t offset; /* a server that ignores the range is noticed, and its answer cut */
    size_t n;
    void *dst;
    struct cel_buf *into; /* NULL, or where the body of a good answer goes otherwise; its maximum counts */
    size_t body_max;      /* of any other answer; more is an error before memory is asked for */
    _Atomic size_t
        *budget;  /* NULL, or what `into` of all calls with it may grow by; a call gives its part back when freed */
    int attempts; /* at most; 0: as many as the settings say */
    bool direct;  /* never through a proxy, and where a redirect leads is not asked */
    int seconds;  /* for all of it, 0: no limit but that on silence */
};

#define CEL_NET_TEXT 128 /* a header's value that is kept */

struct cel_net_answer {
    int status;                  /* 200 ... 599 */
    int attempts;                /* how often it was asked for */
    uint64_t length;             /* Content-Length; UINT64_MAX: not told */
    uint64_t total;              /* of the whole value, from Content-Range; UINT64_MAX: not told */
    bool range_ignored;          /* it came whole, though a range was asked for */
    char etag[CEL_NET_TEXT];     /* "" without, or when it is longer than that */
    char modified[CEL_NET_TEXT]; /* Last-Modified */
    char type[CEL_NET_TEXT];     /* Content-Type */
    char region[CEL_NET_TEXT];   /* x-amz-bucket-region */
    struct cel_buf body;         /* unless it went to dst; of an answer from 300 on the first 64 KiB */
};

/* A request under way. What the request points to must stay as it is until the call is freed. */
struct cel_net_call;
int cel_net_start(const struct cel_net_request *request, struct cel_net_call **out);

/* Waits. CEL_OK: there is an answer, whatever its status says; with `ranged` and status 206 or 200 all n bytes are in
 * dst, else dst is not defined. CEL_BEYOND: the value ends before the range does; no text is set. Failures: no answer. */
#define CEL_BEYOND 4
int cel_net_wait(struct cel_net_call *call, const struct cel_net_answer **out);

/* Gives up on it if it is not done; nothing touches the request's memory afterwards. NULL is fine. */
void cel_net_free(struct cel_net_call *call);

/* *taken becomes n, where the budget has the difference left; NC_ENOMEM without. */
int cel_net_take_budget(_Atomic size_t *budget, size_t *taken, size_t n);

/* What the process asked for so far. */
struct cel_net_counts {
    uint64_t requests, bytes_in, bytes_out, retries;
};
void cel_net_counts(struct cel_net_counts *out);
void cel_net_note_cached(size_t nbytes); /* so many were not asked for, as they lay on this disk */
void cel_net_report(void);               /* to the file of CELLAR_STATS, if it is set */

/* --- for tests ---------------------------------------------------------------------------- */
bool cel_net_is_passing(int status);                                  /* may the same request succeed later? */
long cel_net_delay(int attempt, long asked_seconds, uint32_t random); /* ms before the next; asked: Retry-After or -1 */

#endif
