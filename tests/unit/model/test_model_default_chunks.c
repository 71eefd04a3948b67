/* SPDX-License-Identifier: BSD-3-Clause */
/* Default chunk lengths: known answers, and random shapes against the installed
 * netCDF-C, whose target size is asked of it first. */
#include "model_test.h"
#include "common/random.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static void known_answers(void **state)
{
    static const struct {
        size_t size;
        int n;
        size_t len[4];
        bool unlimited[4];
        size_t chunk[4];
    } cases[] = {
        {4, 1, {0}, {true}, {1024}},
        {8, 1, {0}, {true}, {512}},
        {1, 1, {0}, {true}, {4096}},
        {5000, 1, {0}, {true}, {1}},
        {4, 2, {0, 0}, {true, true}, {2048, 2048}},
        {4, 3, {0, 100, 200}, {true, false, false}, {1, 100, 200}},
        {4, 1, {100}, {false}, {100}},
        {4, 1, {100000000}, {false}, {4166667}},
        {1, 0, {0}, {false}, {0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t chunk[4] = {0};
        cel_default_chunks(cases[i].size, cases[i].n, cases[i].len, cases[i].unlimited, chunk);
        for (int d = 0; d < cases[i].n; d++)
            assert_int_equal(chunk[d], cases[i].chunk[d]);
    }
}

static void elements_larger_than_4_gib_do_not_hang(void **state)
{
    size_t len[] = {3, 3}, chunk[2];
    bool unlimited[] = {false, true};

    cel_default_chunks((size_t)1 << 33, 2, len, unlimited, chunk);
    assert_int_equal(chunk[0], 1);
    assert_int_equal(chunk[1], 1);
}

/* The peer, by name, so that the test runs without it and never mixes symbols. */
static struct {
    int (*create)(const char *, int, int *);
    int (*def_dim)(int, const char *, size_t, int *);
    int (*def_var)(int, const char *, nc_type, int, const int *, int *);
    int (*def_opaque)(int, size_t, const char *, nc_type *);
    int (*def_var_chunking)(int, int, int, const size_t *);
    int (*inq_var_chunking)(int, int, int *, size_t *);
    int (*abort)(int);
} peer;

static bool find_peer(void)
{
    void *lib = dlopen("libnetcdf.so.19", RTLD_NOW | RTLD_LOCAL);

    if (!lib)
        return false;
    *(void **)&peer.create = dlsym(lib, "nc_create");
    *(void **)&peer.def_dim = dlsym(lib, "nc_def_dim");
    *(void **)&peer.def_var = dlsym(lib, "nc_def_var");
    *(void **)&peer.def_opaque = dlsym(lib, "nc_def_opaque");
    *(void **)&peer.def_var_chunking = dlsym(lib, "nc_def_var_chunking");
    *(void **)&peer.inq_var_chunking = dlsym(lib, "nc_inq_var_chunking");
    *(void **)&peer.abort = dlsym(lib, "nc_abort");
    return peer.create && peer.def_dim && peer.def_var && peer.def_opaque && peer.def_var_chunking &&
           peer.inq_var_chunking && peer.abort;
}

static unsigned random_bits(void)
{
    static uint64_t state = RANDOM_SEED;

    return (unsigned)(random_step(&state) >> 20);
}

static size_t random_len(void)
{
    return 1 + random_bits() % (1u << random_bits() % 22);
}

static size_t peer_target(int nc)
{
    size_t chunk[2];
    int dims[2], var;

    assert_int_equal(peer.def_dim(nc, "target0", NC_UNLIMITED, &dims[0]), 0);
    assert_int_equal(peer.def_dim(nc, "target1", NC_UNLIMITED, &dims[1]), 0);
    assert_int_equal(peer.def_var(nc, "target", NC_BYTE, 2, dims, &var), 0);
    assert_int_equal(peer.inq_var_chunking(nc, var, NULL, chunk), 0);
    return chunk[0] * chunk[0];
}

static void netcdf_c_chooses_the_same(void **state)
{
    static const nc_type types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_DOUBLE};
    static const size_t sizes[] = {1, 2, 4, 8};
    char path[] = "/tmp/cellar-chunks-XXXXXX", name[32];
    int fd = mkstemp(path), nc;
    size_t target;

    close(fd);
    if (!find_peer()) {
        unlink(path);
        skip();
    }
    assert_int_equal(peer.create(path, NC_NETCDF4 | NC_CLOBBER, &nc), 0);
    target = peer_target(nc);
    for (int i = 0; i < 3000; i++) {
        int ndims = 1 + (int)(random_bits() % 5), t = (int)(random_bits() % 4), ids[5], var;
        size_t len[5], theirs[5], ours[5];
        bool unlimited[5];

        for (int d = 0; d < ndims; d++) {
            unlimited[d] = random_bits() % 4 == 0;
            len[d] = unlimited[d] ? 0 : random_len();
            snprintf(name, sizeof name, "d%d_%d", i, d);
            assert_int_equal(peer.def_dim(nc, name, len[d], &ids[d]), 0);
        }
        snprintf(name, sizeof name, "v%d", i);
        assert_int_equal(peer.def_var(nc, name, types[t], ndims, ids, &var), 0);
        assert_int_equal(peer.def_var_chunking(nc, var, NC_CHUNKED, NULL), 0);
        assert_int_equal(peer.inq_var_chunking(nc, var, NULL, theirs), 0);
        cel_default_chunks_near(target, sizes[t], ndims, len, unlimited, ours);
        for (int d = 0; d < ndims; d++)
            if (ours[d] != theirs[d])
                fail_msg("shape %d, %d dimensions of %zu bytes: dimension %d (length %zu): %zu, netCDF-C has %zu", i,
                         ndims, sizes[t], d, len[d], ours[d], theirs[d]);
    }
    peer.abort(nc);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(elements_larger_than_4_gib_do_not_hang),
        cmocka_unit_test(netcdf_c_chooses_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
