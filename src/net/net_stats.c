/* SPDX-License-Identifier: BSD-3-Clause */
/* The network figures of `cellar run --stats`: if CELLAR_STATS names a file, a line with the requests since the last line is appended
 * to it, in a single write, so that several processes may share the file:
 *
 *   "network" TAB requests TAB bytes received TAB bytes sent TAB requests made again TAB bytes from the cache on disk
 */
#include "env.h"
#include "net.h"
#include "stats_file.h"
#include <stdatomic.h>

static _Atomic uint64_t cached;

void cel_net_note_cached(size_t nbytes)
{
    atomic_fetch_add(&cached, nbytes);
}

/* What a counter has grown by since it was reported last. */
static unsigned long long grown(_Atomic uint64_t *reported, uint64_t now)
{
    uint64_t before = atomic_exchange(reported, now);

    return now > before ? now - before : 0;
}

void cel_net_report(void)
{
    static _Atomic uint64_t reported[5];
    struct cel_net_counts c;
    struct cel_buf line = CEL_BUF_INIT(1 << 10);
    unsigned long long n[5];

    if (!cel_env_stats())
        return;
    cel_net_counts(&c);
    n[0] = grown(&reported[0], c.requests);
    n[1] = grown(&reported[1], c.bytes_in);
    n[2] = grown(&reported[2], c.bytes_out);
    n[3] = grown(&reported[3], c.retries);
    n[4] = grown(&reported[4], atomic_load(&cached));
    if ((n[0] || n[4]) &&
        cel_buf_printf(&line, "network\t%llu\t%llu\t%llu\t%llu\t%llu\n", n[0], n[1], n[2], n[3], n[4]) == CEL_OK)
        cel_stats_append(&line);
    cel_buf_dispose(&line);
}
