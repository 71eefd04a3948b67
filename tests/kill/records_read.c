/* SPDX-License-Identifier: BSD-3-Clause */
/* records_read: for each line "N NVARS PATH" one line of answer: "right" when every record below N is, else what is wrong.
 * Compiled with Cellar's netcdf.h or with netCDF-C's own. */
#include "records.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[2048], path[1024];
    size_t n;
    int nvars;

    while (fgets(line, sizeof line, stdin)) {
        const char *wrong = sscanf(line, "%zu %d %1023[^\n]", &n, &nvars, path) == 3
                                ? records_check(path, n, nvars, NULL)
                                : "not a line of N NVARS PATH";

        printf("%s\n", wrong ? wrong : "right");
        fflush(stdout);
    }
    return 0;
}
