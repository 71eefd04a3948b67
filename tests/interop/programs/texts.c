/* SPDX-License-Identifier: BSD-3-Clause */
/* What nc_strerror() says of every code: programs, and people's scripts, look for these words. */
#include "say.h"

int main(int argc, char **argv)
{
    int ncid;

    (void)argc;
    for (int code = -400; code < 140; code++)
        if (code != -143 && code != -144 && code != -301) /* of later versions, and our own */
            printf("%d %s\n", code, nc_strerror(code));
    DO(nc_create(argv[1], FORMAT, &ncid));
    DO(nc_close(ncid));
    return 0;
}
