/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a zip archive: every key it lists, whole and in part, then as a Zarr store. */
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

    if (cel_store_open_zip(fuzz_file(data, n), CEL_STORE_READ, &s) != CEL_OK)
        return 0;
    fuzz_read_keys(s, "", 0);
    cel_store_close(s);
    fuzz_read_store(data, n, "zarr,zip");
    return 0;
}
