/* SPDX-License-Identifier: BSD-3-Clause */
/* A document of references, as kerchunk writes it: every key it lists, then as a Zarr store. References to the file "input" lead to
 * the document itself. */
#include "read_all.h"
#include "fuzz_file.h"
#include "fuzz_store.h"
#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct cel_store *s;

    if (cel_store_open_refs(fuzz_file(data, n), CEL_STORE_READ, &s) != CEL_OK)
        return 0;
    fuzz_read_keys(s, "", 0);
    cel_store_close(s);
    fuzz_read_store(data, n, "zarr");
    return 0;
}
