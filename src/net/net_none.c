/* SPDX-License-Identifier: BSD-3-Clause */
/* A build without libcurl's headers: no call ever starts. */
#include "net.h"
#include <netcdf.h>

int cel_net_start(const struct cel_net_request *request, struct cel_net_call **out)
{
    (void)request;
    *out = NULL;
    return cel_fail(NC_ENOTBUILT, "this build opens no URLs: it was made without libcurl; install libcurl's headers "
                                  "(Debian: libcurl4-openssl-dev) and build Cellar again");
}

int cel_net_wait(struct cel_net_call *call, const struct cel_net_answer **out)
{
    (void)call, (void)out;
    return NC_ENOTBUILT;
}

void cel_net_free(struct cel_net_call *call)
{
    (void)call;
}

int cel_net_take_budget(_Atomic size_t *budget, size_t *taken, size_t n)
{
    (void)budget, (void)taken, (void)n;
    return NC_ENOTBUILT;
}

void cel_net_counts(struct cel_net_counts *out)
{
    *out = (struct cel_net_counts){0};
}
