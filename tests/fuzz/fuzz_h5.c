/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 bytes through our own reader: superblock, groups, headers, dense storage, chunk
 * index, chunks. Where it would ask libhdf5, libhdf5 refuses: its
 * crashes are not looked for here, and a file that it cannot open is a path of ours. */
#include "h5_lib.h"
#include "read_all.h"
#include "target.h"

static hid_t open_nothing(const char *path, unsigned flags, hid_t fapl)
{
    return -1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    FUZZ_EXPECT(cel_h5_lib_load() == 0, "%s", cellar_error());
    cel_h5_lib.p_H5Fopen = open_nothing;
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    read_memory(data, n);
    return 0;
}
