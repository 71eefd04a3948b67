/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of libcurl that settings name. */
#include "net_options.h"
#include "mem.h"
#include "number.h"
#include "rc.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* Of two for the same option the later counts. */
static const struct {
    const char *key;
    CURLoption option;
    bool is_number;
} table[CEL_NET_OPTIONS] = {
    {"HTTP.SSL.CAINFO", CURLOPT_CAINFO, false},
    {"HTTP.SSL.CAPATH", CURLOPT_CAPATH, false},
    {"HTTP.SSL.CERTIFICATE", CURLOPT_SSLCERT, false},
    {"HTTP.SSL.KEY", CURLOPT_SSLKEY, false},
    {"HTTP.SSL.KEYPASSWORD", CURLOPT_KEYPASSWD, false},
    {"HTTP.PROXY_SERVER", CURLOPT_PROXY, false},
    {"HTTP.PROXY.SERVER", CURLOPT_PROXY, false},
    {"HTTP.USERAGENT", CURLOPT_USERAGENT, false},
    {"HTTP.TIMEOUT", CURLOPT_TIMEOUT, true},
};

int cel_net_options_find(const char *url, struct cel_net_options **out)
{
    struct cel_net_options *options;
    struct cel_url parts;
    int rc;

    *out = NULL;
    if (!cel_rc_any())
        return CEL_OK;
    rc = cel_url_parse(url, &parts);
    if (rc != CEL_OK)
        return rc;
    options = cel_calloc(1, sizeof *options);
    rc = options ? CEL_OK : NC_ENOMEM;
    for (size_t i = 0; rc == CEL_OK && i < CEL_NET_OPTIONS; i++)
        rc = cel_rc_find(table[i].key, parts.host, &options->text[i]);
    cel_url_dispose(&parts);
    if (rc == CEL_OK)
        *out = options;
    else
        cel_net_options_free(options);
    return rc;
}

CURLcode cel_net_options_apply(const struct cel_net_options *options, CURL *easy)
{
    CURLcode bad = 0;
    int64_t number;

    for (size_t i = 0; options && i < CEL_NET_OPTIONS; i++) {
        const char *text = options->text[i];

        if (text && !table[i].is_number)
            bad |= cel_curl.easy_setopt(easy, table[i].option, text);
        else if (text && cel_parse_int(text, strlen(text), &number) && number >= 0 && number < 1000000)
            bad |= cel_curl.easy_setopt(easy, table[i].option, (long)number);
    }
    return bad;
}

void cel_net_options_free(struct cel_net_options *options)
{
    for (size_t i = 0; options && i < CEL_NET_OPTIONS; i++)
        if (options->text[i]) {
            explicit_bzero(options->text[i], strlen(options->text[i]));
            free(options->text[i]);
        }
    free(options);
}
