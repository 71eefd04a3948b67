/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, as lines and as JSON (docs/schema/verify.json). */

#include "cellar.h"
#include "jsonw.h"
#include "safe.h"
#include "units.h"
#include "verify.h"
#include <stdio.h>
#include <stdlib.h>

static void print_damage(const struct verify_result *r, const struct verify_damage *d)
{
    struct text t = {0};

    text_puts(&t, r->path);
    if (d->var)
        text_printf(&t, ": %s", d->var);
    if (d->chunk && *d->chunk)
        text_printf(&t, ": chunk (%s)", d->chunk);
    if (d->key)
        text_printf(&t, ": key %s", d->key);
    if (d->address != CELLAR_NO_ADDRESS && (d->address || !d->key))
        text_printf(&t, ": offset %llu", d->address);
    text_printf(&t, ": %s%s", d->not_looked ? "not looked at: " : "", d->what);
    safe_print(&t);
}

static void print_whole(const struct verify_result *r)
{
    char bytes[UNITS_TEXT], *name = safe_copy(r->path);

    printf("%s: %swhole: %zu variable%s, %zu chunk%s", name, r->state == VERIFY_WHOLE ? "" : "all else is ", r->nvars,
           r->nvars == 1 ? "" : "s", r->pieces, r->pieces == 1 ? "" : "s");
    if (r->missing)
        printf(", %zu never written", r->missing);
    printf(", %s of values", units_bytes(r->bytes, bytes));
    if (r->holes)
        printf("; %llu bytes in %zu hole%s", r->hole_bytes, r->holes, r->holes == 1 ? "" : "s");
    for (size_t i = 0; i < r->nunprotected; i++) {
        char *var = safe_copy(r->unprotected[i]);

        printf("%s%s", i ? ", " : "; no checksum covers ", var);
        free(var);
    }
    puts("");
    free(name);
}

void verify_print(const struct verify_result *r, bool quiet)
{
    for (size_t i = 0; i < r->ndamage; i++)
        print_damage(r, &r->damage[i]);
    if (!quiet && (r->state == VERIFY_WHOLE || (r->state == VERIFY_UNKNOWN && r->pieces)))
        print_whole(r);
    fflush(stdout);
}

static void put_damage(struct jsonw *j, const struct verify_damage *d)
{
    jsonw_open(j, NULL, '{');
    jsonw_text(j, "variable", d->var);
    jsonw_text(j, "chunk", d->chunk);
    jsonw_text(j, "key", d->key);
    if (d->address != CELLAR_NO_ADDRESS)
        jsonw_count(j, "offset", d->address);
    else
        jsonw_null(j, "offset");
    jsonw_text(j, "what", d->what);
    jsonw_bool(j, "damage", !d->not_looked);
    jsonw_close(j, '}');
}

static void put_file(struct jsonw *j, const struct verify_result *r)
{
    static const char *const state[] = {"whole", "damaged", "unknown"};

    jsonw_open(j, NULL, '{');
    jsonw_text(j, "file", r->path);
    jsonw_text(j, "state", state[r->state]);
    jsonw_count(j, "variables", r->nvars);
    jsonw_count(j, "chunks", r->pieces);
    jsonw_count(j, "missing", r->missing);
    jsonw_count(j, "bytes", r->bytes);
    jsonw_count(j, "between", r->between);
    jsonw_count(j, "holes", r->holes);
    jsonw_count(j, "hole_bytes", r->hole_bytes);
    jsonw_open(j, "found", '[');
    for (size_t i = 0; i < r->ndamage; i++)
        put_damage(j, &r->damage[i]);
    jsonw_close(j, ']');
    jsonw_open(j, "unprotected", '[');
    for (size_t i = 0; i < r->nunprotected; i++)
        jsonw_text(j, NULL, r->unprotected[i]);
    jsonw_close(j, ']');
    jsonw_close(j, '}');
}

bool verify_print_json(const struct verify_result *r, size_t n)
{
    struct jsonw j = {0};

    jsonw_open(&j, NULL, '{');
    jsonw_open(&j, "files", '[');
    for (size_t i = 0; i < n; i++)
        put_file(&j, &r[i]);
    jsonw_close(&j, ']');
    jsonw_close(&j, '}');
    return jsonw_print(&j);
}
