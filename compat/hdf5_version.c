/* SPDX-License-Identifier: BSD-3-Clause */
/* The one name of libhdf5 in libnetcdf.so.19. Debian's netCDF4-python asks for it and is not linked to libhdf5: netCDF-C's
 * libnetcdf brings libhdf5 along, ours does not. The answer is the libhdf5 that Cellar loads when it needs one. */
#include <H5public.h>

__attribute__((visibility("default"))) herr_t H5get_libversion(unsigned *major, unsigned *minor, unsigned *release)
{
    if (major)
        *major = H5_VERS_MAJOR;
    if (minor)
        *minor = H5_VERS_MINOR;
    if (release)
        *release = H5_VERS_RELEASE;
    return 0;
}
