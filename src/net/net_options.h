/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NET_OPTIONS_H
#define CEL_NET_OPTIONS_H

/* Settings (rc.h) that are options of libcurl: certificates, proxies. They are looked up by the thread that starts a request, and set
 * by the one that makes it. */

#include "net_curl.h"

enum { CEL_NET_OPTIONS = 9 };
struct cel_net_options {
    char *text[CEL_NET_OPTIONS]; /* NULL: not set */
};

int cel_net_options_find(const char *url, struct cel_net_options **out); /* NULL: none is set */
CURLcode cel_net_options_apply(const struct cel_net_options *options, CURL *easy);
void cel_net_options_free(struct cel_net_options *options); /* NULL is fine */

#endif
