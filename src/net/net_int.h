/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NET_INT_H
#define CEL_NET_INT_H

/* Inside net: which calls are in flight and when (net_loop.c), one attempt of a call (net_transfer.c), and whether and
 * when there is another (net_retry.c). */

#include "net.h"
#include "net_curl.h"
#include "net_options.h"
#include "sha256.h"
#include "thread.h"

enum cel_net_state { CEL_NET_WAITS, CEL_NET_FLIES, CEL_NET_DONE };

struct cel_net_call {
    struct cel_net_request request;
    struct cel_net_answer answer;
    int rc; /* once it is done */
    struct cel_status why;
    char body_hash[CEL_SHA256_HEX]; /* as it is signed; "" when it is not */

    /* the loop's, under its lock */
    enum cel_net_state state;
    bool cancelled;
    unsigned generation; /* of the process: a forked child has none of its parent's calls */
    int64_t due;         /* ms; not before */
    uint64_t since;      /* when it was sent, for a timeline; 0: not traced */
    size_t counted;      /* bytes it takes of those that may be in flight */
    struct cel_net_call *next;
    struct cel_cond done;
    struct cel_net_options *options; /* of the settings; NULL: none */

    /* the attempt's, which only the loop's thread touches */
    CURL *easy;
    struct curl_slist *lines;
    char reason[CURL_ERROR_SIZE];
    uint64_t got;   /* bytes of the body so far */
    size_t granted; /* bytes of request.budget that it has */
    bool begun;     /* the body */
    bool enough;    /* no more of it is wanted */
    int stopped;    /* why no more is taken; CEL_OK: it is taken */
    uint64_t from;  /* Content-Range: the first byte; UINT64_MAX: not told */
    long asked;     /* Retry-After in seconds; -1: not told */
};

/* Before the first attempt, in the thread that asks: the loop's would hold up all other transfers. */
void cel_net_hash_body(struct cel_net_call *call);
/* Makes the handle for an attempt. */
int cel_net_attempt_begin(struct cel_net_call *call);
/* What became of it: call->rc and call->why, or true when it is to be tried again. */
bool cel_net_attempt_end(struct cel_net_call *call, CURLcode code);
void cel_net_attempt_dispose(struct cel_net_call *call);

size_t cel_net_take_header(char *line, size_t one, size_t n, void *call); /* libcurl's; for tests */

#endif
