/* SPDX-License-Identifier: BSD-3-Clause */
/* Spans and counters as events of the Trace Event Format, written out as text when they end:
 *
 *   ph X  a span: ts, dur in microseconds, with the nanoseconds as decimals
 *   ph b, e  the beginning and the end of one that overlaps others, with an id
 *   ph C  a counter
 *   ph M  the name of a thread or of the process
 *
 * Names come from files and are others' text: they are escaped, cut to NAME_MAX_BYTES, and what is no UTF-8 in them is U+FFFD.
 * An event never has more than EVENT_MAX bytes. */
#include "trace.h"
#include "secret.h"
#include "trace_int.h"
#include "utf8.h"
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { EVENT_MAX = 8 << 10, NAME_MAX_BYTES = 500, CHUNK_DIMS = 16 };
#define NS_PER_US 1000

static const struct {
    const char *name, *category;
} stages[CEL_TRACE_STAGES] = {
    [CEL_TRACE_OPEN] = {"open", "dataset"},
    [CEL_TRACE_SAVE] = {"save definitions", "dataset"},
    [CEL_TRACE_SYNC] = {"sync", "dataset"},
    [CEL_TRACE_CLOSE] = {"close", "dataset"},
    [CEL_TRACE_GET] = {"get", "request"},
    [CEL_TRACE_PUT] = {"put", "request"},
    [CEL_TRACE_CHUNK] = {"chunk", "chunk"},
    [CEL_TRACE_FIND] = {"find", "find"},
    [CEL_TRACE_READ] = {"read", "read"},
    [CEL_TRACE_DECODE] = {"decode", "decode"},
    [CEL_TRACE_ENCODE] = {"encode", "encode"},
    [CEL_TRACE_UNSHUFFLE] = {"unshuffle, scatter", "scatter"},
    [CEL_TRACE_SCATTER] = {"scatter", "scatter"},
    [CEL_TRACE_GATHER] = {"gather", "gather"},
    [CEL_TRACE_PLACE] = {"place", "place"},
    [CEL_TRACE_WRITE] = {"write", "write"},
    [CEL_TRACE_REQUEST] = {"request", "network"},
    [CEL_TRACE_WAIT_VARIABLE] = {"wait: variable", "wait"},
    [CEL_TRACE_WAIT_DATASET] = {"wait: dataset", "wait"},
    [CEL_TRACE_WAIT_HDF5] = {"wait: libhdf5", "wait"},
    [CEL_TRACE_WAIT_THREADS] = {"wait: threads", "wait"},
    [CEL_TRACE_WAIT_NETWORK] = {"wait: request", "wait"},
};

static const char *const counters[CEL_TRACE_COUNTERS] = {
    [CEL_TRACE_BYTES_IN_FLIGHT] = "bytes in flight",
    [CEL_TRACE_BYTES_REQUESTED] = "bytes requested",
};

static _Thread_local const char *thread_name = "caller";

uint64_t cel_trace_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + 1;
}

/* --- text ------------------------------------------------------------------------------------ */

/* Numbers are made by hand: with printf an event takes three times as long, and what is looked at changes. */
static char *put_number(char *to, uint64_t n, int least)
{
    char digits[20];
    int len = 0;

    while (n || len < least || !len) {
        digits[len++] = (char)('0' + n % 10);
        n /= 10;
    }
    while (len)
        *to++ = digits[--len];
    return to;
}

static char *put_us(char *to, uint64_t ns)
{
    to = put_number(to, ns / NS_PER_US, 1);
    *to++ = '.';
    return put_number(to, ns % NS_PER_US, 3);
}

static char *put_text(char *to, const char *text)
{
    size_t n = strlen(text);

    memcpy(to, text, n);
    return to + n;
}

static char *put_escaped(char *to, const char *text)
{
    size_t left = strnlen(text, NAME_MAX_BYTES);

    while (left) {
        size_t n = cel_utf8_length(text, left);

        if (n == 0 || (unsigned char)*text < ' ' || *text == 0x7f)
            to += sprintf(to, "\\u%04x", n ? (unsigned)*text : 0xfffdu);
        else if (n == 1 && (*text == '"' || *text == '\\'))
            *to++ = '\\', *to++ = *text;
        else
            memcpy(to, text, n), to += n;
        n = n ? n : 1;
        text += n;
        left -= n;
    }
    return to;
}

/* A URL may hold a password or a signature: what is cut off from is looked at as a whole. */
static char *put_file(char *to, const char *path)
{
    char shown[PATH_MAX];

    if (strlen(path) >= sizeof shown)
        return put_text(to, "...");
    memcpy(shown, path, strlen(path) + 1);
    cel_hide_secrets(shown);
    return put_escaped(to, shown);
}

static char *put_chunk(char *to, const size_t *index, int rank)
{
    for (int d = 0; d < rank && d < CHUNK_DIMS; d++) {
        if (d)
            *to++ = '.';
        to = put_number(to, index[d], 1);
    }
    return rank > CHUNK_DIMS ? put_text(to, "...") : to;
}

static char *put_args(char *to, const struct cel_trace_about *about)
{
    const char *first = to;

    if (about->file)
        to = put_text(put_file(put_text(to, ",\"file\":\""), about->file), "\"");
    if (about->variable)
        to = put_text(put_escaped(put_text(to, ",\"variable\":\""), about->variable), "\"");
    if (about->rank)
        to = put_text(put_chunk(put_text(to, ",\"chunk\":\""), about->chunk, about->rank), "\"");
    if (about->nbytes && about->nbytes != SIZE_MAX)
        to = put_number(put_text(to, ",\"bytes\":"), about->nbytes, 1);
    if (to == first)
        return to;
    memmove((char *)first + 8, first, (size_t)(to - first));
    memcpy((char *)first, ",\"args\":{", 9); /* over the first comma */
    return put_text(to + 8, "}");
}

/* --- events ------------------------------------------------------------------------------------ */

static char *put_head(char *to, const char *phase, const char *name, const char *category)
{
    to = put_text(put_text(put_text(to, ",\n{\"ph\":\""), phase), "\",\"name\":\"");
    to = put_text(put_escaped(to, name), "\"");
    return category ? put_text(put_text(put_text(to, ",\"cat\":\""), category), "\"") : to;
}

static char *put_thread(char *to, const struct cel_trace_buffer *b)
{
    to = put_number(put_text(to, ",\"pid\":"), (uint64_t)b->pid, 1);
    return put_number(put_text(to, ",\"tid\":"), (uint64_t)b->tid, 1);
}

static size_t put_name(char *to, const struct cel_trace_buffer *b)
{
    char *end = put_thread(put_head(to, "M", "thread_name", NULL), b);

    end = put_text(put_text(put_text(end, ",\"args\":{\"name\":\""), thread_name), "\"}}");
    return (size_t)(end - to);
}

/* Where the next event goes; the thread's name before its first one. NULL: there is no memory. */
static char *begin_event(struct cel_trace_buffer **out)
{
    struct cel_trace_buffer *b = cel_trace_buffer_get();
    size_t len;

    *out = b;
    if (!b)
        return NULL;
    if (atomic_load_explicit(&b->len, memory_order_relaxed) > sizeof b->text - 2 * EVENT_MAX)
        cel_trace_buffer_empty(b);
    len = atomic_load_explicit(&b->len, memory_order_relaxed);
    if (!b->named)
        len += put_name(b->text + len, b);
    b->named = true;
    atomic_store_explicit(&b->len, len, memory_order_release);
    return b->text + len;
}

static void end_event(struct cel_trace_buffer *b, const char *end)
{
    assert(end <= b->text + sizeof b->text);
    atomic_store_explicit(&b->len, (size_t)(end - b->text), memory_order_release);
}

void cel_trace_record(const struct cel_trace_span *span)
{
    const struct cel_trace_about *about = &span->about;
    uint64_t now = cel_trace_now();
    struct cel_trace_buffer *b;
    char *to = begin_event(&b);

    if (!to)
        return;
    to = put_head(to, "X", about->name ? about->name : stages[span->stage].name, stages[span->stage].category);
    to = put_us(put_text(put_thread(to, b), ",\"ts\":"), span->since);
    to = put_us(put_text(to, ",\"dur\":"), now - span->since);
    end_event(b, put_text(put_args(to, about), "}"));
    cel_trace_note_time(now);
}

static void record_edge(const char *phase, enum cel_trace_stage stage, uint64_t at, const void *id,
                        const struct cel_trace_about *about)
{
    struct cel_trace_buffer *b;
    char *to = begin_event(&b);

    if (!to)
        return;
    to = put_thread(put_head(to, phase, stages[stage].name, stages[stage].category), b);
    to = put_us(put_text(to, ",\"ts\":"), at);
    to = put_number(put_text(to, ",\"id\":"), (uintptr_t)id, 1);
    end_event(b, put_text(put_args(to, about), "}"));
}

void cel_trace_record_apart(enum cel_trace_stage stage, uint64_t since, const void *id, struct cel_trace_about about)
{
    uint64_t now = cel_trace_now();

    record_edge("b", stage, since, id, &about);
    record_edge("e", stage, now, id, &(struct cel_trace_about){0});
    cel_trace_note_time(now);
}

/* A track for each thread: a request of the program counts what is its own. */
void cel_trace_record_counter(enum cel_trace_counter counter, size_t value)
{
    struct cel_trace_buffer *b;
    char *to = begin_event(&b);

    if (!to)
        return;
    to = put_thread(put_head(to, "C", counters[counter], NULL), b);
    to = put_us(put_text(to, ",\"ts\":"), cel_trace_now());
    to = put_number(put_text(to, ",\"id\":"), (uint64_t)b->tid, 1);
    to = put_number(put_text(to, ",\"args\":{\"bytes\":"), value, 1);
    end_event(b, put_text(to, "}}"));
}

void cel_trace_lock_slowly(struct cel_mutex *m, enum cel_trace_stage stage)
{
    if (cel_try_lock(m))
        return;
    CEL_TRACE(stage, .name = NULL);
    cel_lock(m);
}

void cel_trace_name_thread(const char *name)
{
    thread_name = name;
}
