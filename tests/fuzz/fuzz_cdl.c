/* SPDX-License-Identifier: BSD-3-Clause */
/* CDL text through ncgen's parser: checked, printed as a C program, and made a file in
 * memory where it is small: a classic one always, one for libhdf5, which takes long, now
 * and then. */
#include "cdl.h"
#include "cellar.h"
#include "netcdf.h"
#include "target.h"
#include <string.h>

enum { MOST = 1 << 16, RARELY = 16 };

/* Data is kept whole: ncgen says "out of memory" where a dimension is larger than that, and ends. */
static bool is_small(const struct cdl_group *g)
{
    for (size_t i = 0; i < g->nvars; i++) {
        size_t n = g->var[i]->type->size + 1;

        for (int d = 0; d < g->var[i]->ndims; d++) {
            size_t len = g->var[i]->dim[d]->len;

            if (len > MOST / n)
                return false;
            n *= len ? len : 1;
        }
    }
    for (size_t i = 0; i < g->nchildren; i++)
        if (!is_small(g->child[i]))
            return false;
    return true;
}

static void use(struct cdl_doc *doc, bool rarely)
{
    struct cdl_build_options options = {.mode = NC_DISKLESS | (doc->enhanced ? NC_NETCDF4 : 0)};
    FILE *nowhere = fopen("/dev/null", "w");

    if (nowhere && is_small(doc->root)) {
        cdl_emit_c(doc, "input.nc", "main", &options, nowhere);
        if (!doc->enhanced || rarely)
            cdl_build(doc, "input.nc", &options);
    }
    if (nowhere)
        fclose(nowhere);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);
    struct cdl_doc doc;

    memset(&doc, 0, sizeof doc);
    memcpy(text, data, n);
    text[n] = '\0';
    if (cdl_parse(&doc, "input.cdl", text, n) && is_small(doc.root) && cdl_check(&doc))
        use(&doc, n % RARELY == 0);
    cdl_free(&doc);
    free(text);
    return 0;
}
