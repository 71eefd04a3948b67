/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_NET_CURL_H
#define CEL_NET_CURL_H

/* libcurl, loaded when it is first needed: most programs open no URL, and it brings two dozen libraries. */

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* clang-format off */
#define CEL_CURL_FUNCTIONS(X) \
    X(global_init) X(version_info) X(slist_append) X(slist_free_all) \
    X(easy_init) X(easy_cleanup) X(easy_setopt) X(easy_getinfo) X(easy_strerror) \
    X(multi_init) X(multi_cleanup) X(multi_setopt) X(multi_add_handle) X(multi_remove_handle) X(multi_perform) \
    X(multi_info_read) X(multi_poll) X(multi_wakeup) X(multi_strerror)
/* clang-format on */

struct cel_curl {
#define MEMBER(name) __typeof__(&curl_##name) name;
    CEL_CURL_FUNCTIONS(MEMBER)
#undef MEMBER
};
extern struct cel_curl cel_curl; /* filled by cel_curl_load */

/* One thread at a time. May be called again. */
int cel_curl_load(void);

#endif
