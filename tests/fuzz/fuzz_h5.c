/* HDF5 bytes through our own reader: superblock, groups, headers, dense storage, chunk
 * index, chunks. Where it would ask libhdf5, libhdf5 refuses (linked with --wrap): its
 * crashes are not looked for here, and a file that it cannot open is a path of ours. */
#include "read_all.h"
#include "target.h"
#include <hdf5.h>

hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t fapl);

hid_t __wrap_H5Fopen(const char *path, unsigned flags, hid_t fapl)
{
    return -1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    read_memory(data, n);
    return 0;
}
