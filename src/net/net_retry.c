/* SPDX-License-Identifier: BSD-3-Clause */
/* Which responses are worth another attempt, and how long to wait: twice as long each time, less a random part, so that many
 * clients that failed at the same time do not return at the same time. */
#include "net.h"

#define FIRST_MS 100
#define MOST_MS 20000
#define ASKED_MOST 60 /* seconds: a server that asks for more gets an answer to the caller instead */

/* 501 and 505 say what the server can never do. */
bool cel_net_is_passing(int status)
{
    return status == 429 || (status >= 500 && status != 501 && status != 505);
}

long cel_net_delay(int attempt, long asked_seconds, uint32_t random)
{
    long most = attempt > 8 ? MOST_MS : FIRST_MS << (attempt - 1), delay;

    if (most > MOST_MS)
        most = MOST_MS;
    delay = most / 2 + (long)(random % (uint32_t)(most / 2 + 1));
    if (asked_seconds > ASKED_MOST)
        asked_seconds = ASKED_MOST;
    return asked_seconds * 1000 > delay ? asked_seconds * 1000 : delay;
}
