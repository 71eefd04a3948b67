/* SPDX-License-Identifier: BSD-3-Clause */
/* A store on a web server, for reading. Web servers do not list keys, so the store needs consolidated metadata. */
#include "login.h"
#include "mem.h"
#include "store_remote_int.h"
#include "url.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct cel_store_ops ops = {
    .name = "http", .get = cel_remote_get, .get_range = cel_remote_get_range, .size = cel_remote_size,
    .stat = cel_remote_stat, .get_range_of = cel_remote_get_range_of, .get_first = cel_remote_get_first, .want = cel_remote_want,
    .want_ranges = cel_remote_want_ranges, .want_document = cel_remote_want_document, .settle = cel_remote_settle, 
    .free = cel_remote_free,
};
/* clang-format on */

/* Characters that no URL has become %XX; what is encoded already stays. */
static int tidy(const char *path, struct cel_buf *out)
{
    int rc = CEL_OK;

    for (; rc == CEL_OK && *path; path++)
        rc = (unsigned char)*path <= ' ' || (unsigned char)*path >= 127 || strchr("\"<>\\^`{|}", *path)
                 ? cel_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*path)
                 : cel_buf_add(out, path, 1);
    return rc;
}

/* Stores of objects send the whole value where several ranges are asked for. Others that do so are noticed; these need not be tried. */
static bool sends_one_range(const char *host)
{
    static const char *const ends[] = {".amazonaws.com", ".amazonaws.com.cn", ".googleapis.com", ".core.windows.net"};
    size_t n = strcspn(host, ":");

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strlen(ends[i]);

        if (n >= len && memcmp(host + n - len, ends[i], len) == 0)
            return true;
    }
    return false;
}

static int set_target(struct cel_remote *r, const char *url)
{
    struct cel_buf base = CEL_BUF_INIT(1 << 20);
    struct cel_url parts;
    int rc = cel_url_parse(url, &parts);

    if (rc != CEL_OK)
        return rc;
    r->one_by_one = sends_one_range(parts.host);
    r->target = cel_calloc(1, sizeof *r->target);
    rc = r->target ? cel_buf_printf(&base, "%s://%s/", parts.scheme, parts.host) : NC_ENOMEM;
    if (rc == CEL_OK)
        rc = tidy(parts.path, &base);
    if (rc == CEL_OK && base.data[base.len - 1] != '/')
        rc = cel_buf_puts(&base, "/");
    if (rc == CEL_OK)
        rc = cel_buf_take_string(&base, &r->target->base);
    if (rc == CEL_OK && !(r->target->query = cel_strdup(parts.query)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = cel_login_find(&parts, &r->target->who);
    cel_buf_dispose(&base);
    cel_url_dispose(&parts);
    return rc;
}

int cel_store_open_http(const char *url, enum cel_store_mode mode, struct cel_store **out)
{
    struct cel_remote *r;
    int rc;

    *out = NULL;
    if (mode != CEL_STORE_READ)
        return cel_fail(NC_EPERM, "what lies on a web server can only be read");
    rc = cel_remote_make(url, &ops, mode, &r);
    if (rc == CEL_OK)
        rc = set_target(r, url);
    if (rc == CEL_OK)
        *out = &r->store;
    else if (r)
        cel_store_abandon(&r->store);
    return rc;
}
