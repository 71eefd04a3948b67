/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_inq_format_extended() of every format, created and opened: `ncdump -K` shows the mode. */
#include "say.h"

static void show(int ncid, const char *when)
{
    int format = -1, mode = -1, extended = -1;

    SAY(nc_inq_format(ncid, &format));
    SAY(nc_inq_format_extended(ncid, &extended, &mode));
    SAY(nc_set_base_pe(ncid, 0));
    SAY(nc_set_base_pe(ncid, 3));
    SAY(nc_inq_base_pe(ncid, NULL));
    printf("%s: format %d, extended %d, mode %#x\n", when, format, extended, (unsigned)mode);
}

int main(int argc, char **argv)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL};
    int ncid;

    (void)argc;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        DO(nc_create(argv[1], modes[i], &ncid));
        show(ncid, "created");
        DO(nc_close(ncid));
        DO(nc_open(argv[1], NC_NOWRITE, &ncid));
        show(ncid, "opened");
        DO(nc_close(ncid));
        DO(nc_open(argv[1], NC_WRITE, &ncid));
        show(ncid, "opened for writing");
        DO(nc_close(ncid));
    }
    return 0;
}
