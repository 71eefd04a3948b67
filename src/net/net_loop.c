/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which calls are in flight: first those that somebody waits for, in the order of their arrival, within the limits on
 * their number and bytes. One thread, created by the first call, makes all transfers; it sleeps while there is nothing to do. A
 * child of fork() has neither that thread nor its connections, and starts anew. */
#include "env.h"
#include "fork.h"
#include "mem.h"
#include "net_int.h"
#include "trace.h"
#include <netcdf.h>
#include <stdlib.h>
#include <time.h>

#define IN_FLIGHT 64
#define BYTES_IN_FLIGHT ((size_t)64 << 20)
#define RETRIES 5
#define IDLE_MS 600000

struct queue {
    struct cel_net_call *first, **end;
};

static struct cel_mutex lock = CEL_MUTEX_INIT;
static struct queue waiting[CEL_NET_PRIORITIES];
static struct cel_net_call *flying;
static int nflying;
static size_t bytes_flying;
static CURLM *multi; /* touched by the thread alone once it runs, except to wake it */
static bool running;
static unsigned generation;
static struct cel_net_counts counts;

/* --- fork ---------------------------------------------------------------------------- */

/* What libcurl has is left as it is: the sockets are the parent's. */
static void reset_in_child(void)
{
    for (int i = 0; i < CEL_NET_PRIORITIES; i++)
        waiting[i] = (struct queue){0};
    flying = NULL;
    nflying = 0;
    bytes_flying = 0;
    multi = NULL;
    running = false;
    generation++;
}

CEL_FORK_LOCK(CEL_FORK_NET, &lock, false, reset_in_child);

/* --- queues, with the lock held --------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void append(struct cel_net_call *call)
{
    struct queue *q = &waiting[call->request.priority];

    if (!q->first)
        q->end = &q->first;
    call->state = CEL_NET_WAITS;
    call->next = NULL;
    *q->end = call;
    q->end = &call->next;
}

static void unlink_from(struct queue *q, struct cel_net_call **at)
{
    struct cel_net_call *call = *at;

    *at = call->next;
    if (q->end == &call->next)
        q->end = at;
    call->next = NULL;
}

static void remove_waiting(struct cel_net_call *call)
{
    struct queue *q = &waiting[call->request.priority];

    for (struct cel_net_call **at = &q->first; *at; at = &(*at)->next)
        if (*at == call) {
            unlink_from(q, at);
            return;
        }
}

/* The next that may start now; else NULL, and *soonest may become the time of one that has to wait. */
static struct cel_net_call *take_waiting(int64_t now, int64_t *soonest)
{
    for (int i = 0; i < CEL_NET_PRIORITIES; i++)
        for (struct cel_net_call **at = &waiting[i].first; *at; at = &(*at)->next) {
            struct cel_net_call *call = *at;

            if (call->due <= now) {
                unlink_from(&waiting[i], at);
                return call;
            }
            if (call->due < *soonest)
                *soonest = call->due;
        }
    return NULL;
}

static void finish(struct cel_net_call *call)
{
    call->state = CEL_NET_DONE;
    cel_cond_wake_all(&call->done);
}

/* --- the thread --------------------------------------------------------------------------- */

static void land(struct cel_net_call *call)
{
    for (struct cel_net_call **at = &flying; *at; at = &(*at)->next)
        if (*at == call) {
            *at = call->next;
            break;
        }
    nflying--;
    bytes_flying -= call->counted;
    cel_trace_count(CEL_TRACE_BYTES_REQUESTED, bytes_flying);
    cel_curl.multi_remove_handle(multi, call->easy);
}

static void drop_cancelled(void)
{
    struct cel_net_call *next;

    for (struct cel_net_call *call = flying; call; call = next) {
        next = call->next;
        if (call->cancelled) {
            land(call);
            cel_net_attempt_dispose(call);
            finish(call);
        }
    }
}

static void start_one(struct cel_net_call *call)
{
    int rc = cel_net_attempt_begin(call);
    CURLMcode bad = rc == CEL_OK ? cel_curl.multi_add_handle(multi, call->easy) : CURLM_OK;

    if (bad)
        rc = cel_fail(NC_ECURL, "libcurl takes no request: %s", cel_curl.multi_strerror(bad));
    if (rc != CEL_OK) {
        cel_net_attempt_dispose(call);
        call->rc = rc;
        cel_status_save(&call->why);
        finish(call);
        return;
    }
    call->answer.attempts++;
    counts.requests++;
    counts.bytes_out += call->request.body_len;
    call->state = CEL_NET_FLIES;
    call->next = flying;
    flying = call;
    nflying++;
    bytes_flying += call->counted;
    cel_trace_count(CEL_TRACE_BYTES_REQUESTED, bytes_flying);
    call->since = CEL_TRACE_IS_ON ? cel_trace_now() : 0;
}

/* Gives the ms to sleep at most. */
static int admit(void)
{
    int64_t now = now_ms(), soonest = now + IDLE_MS;
    int most = cel_env_http_requests(IN_FLIGHT);
    struct cel_net_call *call;

    cel_lock(&lock);
    drop_cancelled();
    while (nflying < most && (!nflying || bytes_flying < BYTES_IN_FLIGHT) && (call = take_waiting(now, &soonest)))
        start_one(call);
    cel_unlock(&lock);
    return soonest > now ? (int)(soonest - now) : 0;
}

static uint32_t random_number(void)
{
    static uint64_t state;

    state = (state ^ (uint64_t)now_ms()) * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static int attempts_of(const struct cel_net_call *call)
{
    return call->request.attempts ? call->request.attempts : 1 + cel_env_http_retries(RETRIES);
}

static void end_one(struct cel_net_call *call, CURLcode code)
{
    bool again = cel_net_attempt_end(call, code) && call->answer.attempts < attempts_of(call);

    if (call->since)
        cel_trace_record_apart(CEL_TRACE_REQUEST, call->since, call,
                               (struct cel_trace_about){.file = call->request.url, .nbytes = call->got});
    cel_lock(&lock);
    counts.bytes_in += call->got;
    land(call);
    cel_net_attempt_dispose(call);
    if (again && !call->cancelled) {
        counts.retries++;
        call->due = now_ms() + cel_net_delay(call->answer.attempts, call->asked, random_number());
        append(call);
    } else {
        finish(call);
    }
    cel_unlock(&lock);
}

/* Did any end? Then others may start. */
static bool collect(void)
{
    CURLMsg *message;
    bool any = false;
    int left;

    while ((message = cel_curl.multi_info_read(multi, &left))) {
        struct cel_net_call *call = NULL;
        CURLcode code = message->data.result;

        if (message->msg == CURLMSG_DONE &&
            cel_curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call) == CURLE_OK && call)
            end_one(call, code), any = true;
    }
    return any;
}

static void *run(void *unused)
{
    (void)unused;
    cel_trace_name_thread("network");
    for (;;) {
        int wait = admit(), n;

        cel_curl.multi_perform(multi, &n);
        if (!collect())
            cel_curl.multi_poll(multi, NULL, 0, wait, NULL);
    }
    return NULL;
}

static int start_thread(void)
{
    int rc = running ? CEL_OK : cel_curl_load();

    if (running || rc != CEL_OK)
        return rc;
    if (!multi) {
        multi = cel_curl.multi_init();
        if (!multi)
            return cel_fail(NC_ENOMEM, "no memory for requests");
        cel_curl.multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)cel_env_http_requests(IN_FLIGHT));
        cel_curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)cel_env_http_requests(IN_FLIGHT));
    }
    running = cel_thread_start(run);
    return running ? CEL_OK : cel_fail(NC_ENOMEM, "no thread for requests could be started");
}

/* --- calls ------------------------------------------------------------------------------------ */

/* With the lock held. */
static int enqueue(struct cel_net_call *call)
{
    int rc = start_thread();

    if (rc == CEL_OK) {
        call->generation = generation;
        call->due = 0;
        append(call);
        cel_curl.multi_wakeup(multi);
    }
    return rc;
}

int cel_net_start(const struct cel_net_request *request, struct cel_net_call **out)
{
    struct cel_net_call *call;
    int rc;

    *out = NULL;
    if (request->ranged && request->offset > INT64_MAX - request->n)
        return cel_fail(NC_EIO, "%zu bytes from %llu on are more than any value has", request->n,
                        (unsigned long long)request->offset);
    call = cel_calloc(1, sizeof *call);
    if (!call)
        return NC_ENOMEM;
    call->request = *request;
    call->answer.body = CEL_BUF_INIT(SIZE_MAX / 2);
    call->counted = request->ranged ? request->n : 0;
    cel_net_hash_body(call);
    cel_cond_init(&call->done);
    rc = cel_net_options_find(request->url, &call->options);
    if (rc == CEL_OK) {
        cel_lock(&lock);
        rc = enqueue(call);
        cel_unlock(&lock);
    }
    if (rc == CEL_OK) {
        *out = call;
        return CEL_OK;
    }
    cel_cond_dispose(&call->done);
    cel_net_options_free(call->options);
    free(call);
    return rc;
}

/* A call that the parent had under way is made again by its child. */
static int adopt(struct cel_net_call *call)
{
    if (call->generation == generation || call->state == CEL_NET_DONE)
        return CEL_OK;
    call->easy = NULL;
    call->lines = NULL;
    cel_cond_init(&call->done);
    return enqueue(call);
}

int cel_net_wait(struct cel_net_call *call, const struct cel_net_answer **out)
{
    int rc;

    CEL_TRACE(CEL_TRACE_WAIT_NETWORK, .file = call->request.url);
    cel_lock(&lock);
    rc = adopt(call);
    while (rc == CEL_OK && call->state != CEL_NET_DONE)
        cel_cond_wait(&call->done, &lock);
    cel_unlock(&lock);
    if (rc != CEL_OK)
        return rc;
    *out = &call->answer;
    if (call->rc != CEL_OK && call->rc != CEL_BEYOND)
        cel_status_restore(&call->why);
    return call->rc;
}

void cel_net_free(struct cel_net_call *call)
{
    if (!call)
        return;
    cel_lock(&lock);
    if (call->generation == generation && call->state == CEL_NET_WAITS) {
        remove_waiting(call);
    } else if (call->generation == generation && call->state == CEL_NET_FLIES) {
        call->cancelled = true;
        cel_curl.multi_wakeup(multi);
        while (call->state != CEL_NET_DONE)
            cel_cond_wait(&call->done, &lock);
    }
    cel_unlock(&lock);
    if (call->request.budget)
        *call->request.budget += call->granted;
    cel_cond_dispose(&call->done);
    cel_buf_dispose(&call->answer.body);
    cel_net_options_free(call->options);
    free(call);
}

void cel_net_counts(struct cel_net_counts *out)
{
    cel_lock(&lock);
    *out = counts;
    cel_unlock(&lock);
}
