/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the contract of a container on the one named on the command line; without
 * a name, lists them. */
#include "container_suite.h"
#include "common/random.h"
#include "common/tree.h"
#include <unistd.h>
#ifndef SUITE_OF_A_PEER
#include <cellar.h>
#endif

#define ZARR_KEEPS \
    (GROUPS | STRINGS | WIDE_INTEGERS | UNLIMITED | CHUNKS | FILTERS | ENDIANNESS | FREE_DEFINITION | NO_FILL | \
     ATT_RULES)

static const struct container containers[] = {
    {"netcdf4", "%s/%d.nc", NC_NETCDF4, EVERYTHING, 0, 0, 0},
    {"netcdf4-classic-model", "%s/%d.nc", NC_NETCDF4 | NC_CLASSIC_MODEL,
     CHUNKS | FILTERS | CONTIGUOUS | COMPACT | ENDIANNESS | NO_FILL | ATT_RULES, NC_ESTRICTNC3, NC_ESTRICTNC3,
     NC_EUNLIMIT},
    {"netcdf4-in-memory", "%s/%d.nc", NC_NETCDF4 | NC_DISKLESS | NC_PERSIST, EVERYTHING, 0, 0, 0},
    {"nczarr", "file://%s/%d.zarr#mode=nczarr,file", NC_NETCDF4, ZARR_KEEPS | LISTS, NC_EBADTYPE, NC_ENOTNC4, 0},
    {"nczarr-zip", "file://%s/%d.zip#mode=nczarr,zip", NC_NETCDF4, ZARR_KEEPS | LISTS, NC_EBADTYPE, NC_ENOTNC4, 0},
    {"zarr-v3", "file://%s/%d.zarr#mode=nczarr,v3", NC_NETCDF4, ZARR_KEEPS, NC_EBADTYPE, NC_ENOTNC4, 0},
    {"classic", "%s/%d.nc", 0, CONTIGUOUS, NC_EBADTYPE, NC_ENOTNC4, NC_EUNLIMIT},
    {"64bit-offset", "%s/%d.nc", NC_64BIT_OFFSET, CONTIGUOUS, NC_EBADTYPE, NC_ENOTNC4, NC_EUNLIMIT},
    {"64bit-data", "%s/%d.nc", NC_64BIT_DATA, CONTIGUOUS | WIDE_INTEGERS, NC_EBADTYPE, NC_ENOTNC4, NC_EUNLIMIT},
};

const struct container *here;
static char folder[] = "/tmp/cellar-suite-XXXXXX";
static char path[256];

static const char *sentence(void)
{
#ifdef SUITE_OF_A_PEER
    return "";
#else
    return cellar_error();
#endif
}

void check_code(int rc, int want, const char *call, const char *file, int line)
{
    if (rc != want) {
        print_error("%s:%d: %s: %d (%s), not %d; %s\n", file, line, call, rc, nc_strerror(rc), want, sentence());
        _fail(file, line);
    }
#ifndef SUITE_OF_A_PEER
    if (rc != NC_NOERR && !sentence()[0]) {
        print_error("%s:%d: %s: %d says no sentence\n", file, line, call, rc);
        _fail(file, line);
    }
#endif
}

const char *file_path(void)
{
    return path;
}

/* A name of its own for every file, so that a test that failed and left its file
 * open does not fail the next one. */
int fresh(void)
{
    static int count;
    int ncid = -1;

    snprintf(path, sizeof path, here->path, folder, count++);
    OK(nc_create(path, here->flags | NC_CLOBBER, &ncid));
    return ncid;
}

int reopened(int ncid, int mode)
{
    OK(nc_close(ncid));
    OK(nc_open(path, mode | (here->flags & NC_DISKLESS) | (mode & NC_WRITE ? here->flags & NC_PERSIST : 0), &ncid));
    return ncid;
}

void done(int ncid)
{
    OK(nc_close(ncid));
}

unsigned random_below(unsigned n)
{
    static uint64_t state = RANDOM_SEED;

    return (unsigned)(random_step(&state) >> 24) % n;
}

/* --- running --------------------------------------------------------------------- */

static struct {
    const struct CMUnitTest *tests;
    const size_t *count;
} parts[] = {
    {define_tests, &define_count},
    {att_tests, &att_count},
    {type_tests, &type_count},
    {data_tests, &data_count},
    {conversion_tests, &conversion_count},
    {refuse_tests, &refuse_count},
    {random_tests, &random_count},
};

static int run_parts(void)
{
    struct CMUnitTest all[200];
    size_t n = 0;

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; i < *parts[p].count && n < sizeof all / sizeof *all; i++)
            if (keeps((unsigned)(uintptr_t)parts[p].tests[i].initial_state))
                all[n++] = parts[p].tests[i];
    return _cmocka_run_group_tests(here->name, all, n, NULL, NULL);
}

int main(int argc, char **argv)
{
    int failed;

    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (argc > 1 && strcmp(containers[i].name, argv[1]) == 0)
            here = &containers[i];
    if (!here) {
        for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
            puts(containers[i].name);
        return 2;
    }
    if (!mkdtemp(folder))
        return 2;
    failed = run_parts();
    remove_tree(folder);
    return failed;
}
