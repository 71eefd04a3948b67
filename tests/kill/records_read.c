/* records_read PATH N NVARS: 0 when every record below N is right. */
#include "records.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const char *wrong = argc == 4 ? records_check(argv[1], (size_t)atol(argv[2]), atoi(argv[3])) : "usage: PATH N NVARS";

    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    return wrong != NULL;
}
