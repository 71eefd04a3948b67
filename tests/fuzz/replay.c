/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the target it is linked with over files, for builds without libFuzzer:
 *   fuzz_NAME FILE-OR-FOLDER... */
#include "target.h"
#include <ftw.h>
#include <sys/stat.h>

static long files;

static int run_file(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    size_t n = (size_t)st->st_size;
    FILE *f = kind == FTW_F ? fopen(path, "rb") : NULL;
    uint8_t *data = f ? malloc(n ? n : 1) : NULL; /* of this size exactly: a byte too far is seen */

    if (kind == FTW_D)
        return 0;
    if (!data || fread(data, 1, n, f) != n) {
        perror(path);
        exit(2);
    }
    fclose(f);
    fprintf(stderr, "%s\n", path); /* the last one printed is the one that fails */
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    files++;
    return 0;
}

int main(int argc, char **argv)
{
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], run_file, 16, FTW_PHYS) != 0) {
            perror(argv[i]);
            return 2;
        }
    printf("%ld inputs\n", files);
    return files == 0;
}
