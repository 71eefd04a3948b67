/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a classic file (CDF-1, -2, -5): in memory and, when their last bit says so, as a file. */
#include "read_all.h"
#include "fuzz_file.h"
#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

/* What begins otherwise is another format's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int nc;

    if (n < 4 || memcmp(data, "CDF", 3) != 0)
        return 0;
    read_memory(data, n);
    if (data[n - 1] % 2 && nc_open(fuzz_file(data, n), NC_NOWRITE, &nc) == NC_NOERR) {
        read_all(nc);
        nc_close(nc);
    }
    return 0;
}
