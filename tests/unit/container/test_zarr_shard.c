/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards: the same value whatever the order its chunks come in, nothing lost when a write
 * fails, and readers that keep up with other processes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "common/random.h"
#include "common/tree.h"
#include "array_int.h"
#include "zarr_shard_int.h"
#include <cellar.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 24, CHUNK = 4, SHARD = 12, ACROSS = N / CHUNK, CHUNKS = ACROSS * ACROSS, SHARDS = N / SHARD };

#define OK(call) assert_int_equal(call, NC_NOERR)

static char folder[] = "/tmp/cellar-shard-XXXXXX";
static int field[N][N];

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_store(const char *name, const char *more, int *var)
{
    char url[256], chain[512];
    int nc, dims[2];

    snprintf(url, sizeof url, "file://%s#mode=zarr,v3", path_of(name));
    snprintf(chain, sizeof chain,
             "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [%d, %d]%s, "
             "\"codecs\": [{\"name\": \"zstd\", \"configuration\": {\"level\": 1}}]}}]",
             CHUNK, CHUNK, more);
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "y", N, &dims[0]));
    OK(nc_def_dim(nc, "x", N, &dims[1]));
    OK(nc_def_var(nc, "v", NC_INT, 2, dims, var));
    OK(nc_def_var_chunking(nc, *var, NC_CHUNKED, (size_t[]){SHARD, SHARD}));
    OK(cellar_def_var_chain(nc, *var, chain));
    OK(nc_enddef(nc));
    return nc;
}

static int put_chunk(int nc, int var, int chunk)
{
    size_t start[2] = {(size_t)(chunk / ACROSS * CHUNK), (size_t)(chunk % ACROSS * CHUNK)};
    ptrdiff_t map[2] = {N, 1};

    return nc_put_varm_int(nc, var, start, (size_t[]){CHUNK, CHUNK}, NULL, map, &field[start[0]][start[1]]);
}

static void check_chunk(int nc, int var, int chunk)
{
    size_t start[2] = {(size_t)(chunk / ACROSS * CHUNK), (size_t)(chunk % ACROSS * CHUNK)};
    int got[CHUNK][CHUNK];

    OK(nc_get_vara_int(nc, var, start, (size_t[]){CHUNK, CHUNK}, got[0]));
    for (size_t y = 0; y < CHUNK; y++)
        assert_memory_equal(got[y], &field[start[0] + y][start[1]], sizeof got[y]);
}

static void check_store(const char *name)
{
    static int got[N][N];
    int nc, var;

    OK(nc_open(path_of(name), NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, "v", &var));
    OK(nc_get_var_int(nc, var, got[0]));
    assert_memory_equal(got, field, sizeof field);
    OK(nc_close(nc));
}

static void check_same_files(const char *one, const char *other)
{
    char command[600];

    snprintf(command, sizeof command, "diff -r %s %s && test -z \"$(find %s -name '.cellar-tmp-*')\"", path_of(one),
             path_of(other), path_of(other));
    assert_int_equal(system(command), 0);
}

/* --- the order chunks come in ---------------------------------------------------------------- */

static void shuffle_order(int *order, uint64_t *dice)
{
    for (int i = 0; i < CHUNKS; i++)
        order[i] = i;
    for (int i = CHUNKS - 1; i > 0; i--) {
        int j = (int)(random_step(dice) % (uint64_t)(i + 1)), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

static void write_in_order(const char *name, const char *more, const int *order, size_t draft_min)
{
    int var, nc;

    cel_zarr_draft_min = draft_min;
    nc = make_store(name, more, &var);
    for (int i = 0; i < CHUNKS; i++) {
        OK(put_chunk(nc, var, order ? order[i] : i));
        check_chunk(nc, var, order ? order[i / 2] : i / 2);
        if (i % 5 == 4)
            OK(put_chunk(nc, var, order ? order[i - 3] : i - 3)); /* once more */
    }
    OK(nc_close(nc));
}

static void any_order_gives_the_same_shards(void **state)
{
    static const char *const places[] = {"", ", \"index_location\": \"start\""};
    uint64_t dice = RANDOM_SEED;
    int order[CHUNKS];

    for (int place = 0; place < 2; place++) {
        write_in_order("memory.zarr", places[place], NULL, SIZE_MAX);
        check_store("memory.zarr");
        for (int round = 0; round < 40; round++) {
            shuffle_order(order, &dice);
            write_in_order("drafts.zarr", places[place], round ? order : NULL, round % 3 ? 0 : (size_t)round * 20);
            check_store("drafts.zarr");
            check_same_files("memory.zarr", "drafts.zarr");
        }
    }
}

/* Shards that are given up half way, and go on with what is stored. */
static void a_synchronised_shard_goes_on(void **state)
{
    int var, nc;

    write_in_order("memory.zarr", "", NULL, SIZE_MAX);
    cel_zarr_draft_min = 0;
    nc = make_store("halves.zarr", "", &var);
    for (int i = 0; i < CHUNKS; i++) {
        OK(put_chunk(nc, var, i));
        if (i % 7 == 3)
            OK(nc_sync(nc));
        check_chunk(nc, var, i / 3);
    }
    OK(nc_close(nc));
    check_store("halves.zarr");
    check_same_files("memory.zarr", "halves.zarr");
}

/* --- threads --------------------------------------------------------------------------------- */

enum { WIDE = 115 }; /* shards at the edges have room for more chunks */

/* Chunks of a hundred shards, brought by threads; a part of them twice. */
static void write_wide(const char *name, int threads, size_t draft_min)
{
    static int wide[WIDE][WIDE], back[WIDE][WIDE];
    char url[256];
    int nc, dims[2], var;

    for (int i = 0; i < WIDE * WIDE; i++)
        wide[i / WIDE][i % WIDE] = i % 13 ? i * i % 1009 : i * 7919;
    cel_zarr_draft_min = draft_min;
    OK(cellar_set_threads(threads));
    snprintf(url, sizeof url, "file://%s#mode=zarr,v3", path_of(name));
    OK(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "y", WIDE, &dims[0]));
    OK(nc_def_dim(nc, "x", WIDE, &dims[1]));
    OK(nc_def_var(nc, "v", NC_INT, 2, dims, &var));
    OK(nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[]){CHUNK, CHUNK}));
    OK(cellar_def_var_shards(nc, var, (size_t[]){SHARD, SHARD}));
    OK(cellar_def_var_chain(nc, var, "zstd,level=1"));
    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, var, (size_t[]){0, 0}, (size_t[]){20, WIDE}, wide[0]));
    OK(nc_put_var_int(nc, var, wide[0]));
    OK(nc_get_var_int(nc, var, back[0]));
    assert_memory_equal(back, wide, sizeof wide);
    OK(nc_put_vara_int(nc, var, (size_t[]){60, 0}, (size_t[]){32, WIDE}, wide[60]));
    OK(nc_get_var_int(nc, var, back[0]));
    assert_memory_equal(back, wide, sizeof wide);
    OK(nc_close(nc));
    OK(cellar_set_threads(1));
}

static void threads_give_the_same_shards(void **state)
{
    cel_small_work = 0;
    write_wide("one.zarr", 1, SIZE_MAX);
    for (int threads = 1; threads <= 8; threads++)
        for (int round = 0; round < 4; round++) {
            write_wide("more.zarr", threads, (size_t)round * 50);
            check_same_files("one.zarr", "more.zarr");
        }
}

/* --- failures ----------------------------------------------------------------------------------- */

static void limit_files(rlim_t nbytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = nbytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The disk is full while a shard grows: the chunk is refused, what was there stays readable,
 * and nothing is missing once there is room. */
static void a_failed_write_loses_nothing(void **state)
{
    int var, nc, failed = 0;

    signal(SIGXFSZ, SIG_IGN);
    cel_zarr_draft_min = 0;
    for (rlim_t room = 0; room < 700; room += 23) {
        nc = make_store("full.zarr", "", &var);
        OK(nc_sync(nc));
        for (int i = 0; i < CHUNKS; i++) {
            int rc;
            limit_files(room);
            rc = put_chunk(nc, var, i);
            limit_files(RLIM_INFINITY);
            failed += rc != NC_NOERR;
            if (rc != NC_NOERR)
                OK(put_chunk(nc, var, i));
            check_chunk(nc, var, i);
            check_chunk(nc, var, i / 2);
        }
        OK(nc_close(nc));
        check_store("full.zarr");
    }
    assert_true(failed > 30);
}

/* --- other processes ------------------------------------------------------------------------------ */

/* Write over all of it, again and again, in shards that are by turns short and long. */
static void rewrite(const char *name, int rounds)
{
    static int all[N][N];
    int nc, var;

    for (int round = 1; round <= rounds; round++) {
        for (int i = 0; i < N * N; i++)
            all[i / N][i % N] = round % 2 ? round : round + (i * 7919 % 1000 << 20);
        if (nc_open(path_of(name), NC_WRITE, &nc) || nc_inq_varid(nc, "v", &var) || nc_put_var_int(nc, var, all[0]) ||
            nc_close(nc))
            _exit(1);
    }
    _exit(0);
}

/* A chunk is of one round: 20 bits say which. */
static int round_of(const int *chunk)
{
    for (int i = 1; i < CHUNK * CHUNK; i++)
        assert_int_equal(chunk[i] & 0xfffff, chunk[0] & 0xfffff);
    return chunk[0] & 0xfffff;
}

static int read_round(int nc, int var, int chunk)
{
    int got[CHUNK * CHUNK];

    OK(nc_get_vara_int(nc, var, (size_t[]){(size_t)(chunk / ACROSS * CHUNK), (size_t)(chunk % ACROSS * CHUNK)},
                       (size_t[]){CHUNK, CHUNK}, got));
    return round_of(got);
}

static void start_over(const char *name)
{
    int var, nc = make_store(name, "", &var);

    memset(field, 0, sizeof field);
    for (int i = 0; i < CHUNKS; i++)
        OK(put_chunk(nc, var, i));
    OK(nc_close(nc));
}

static int open_to_read(const char *name, int *var)
{
    int nc;

    OK(nc_open(path_of(name), NC_NOWRITE, &nc));
    OK(nc_inq_varid(nc, "v", var));
    OK(nc_set_var_chunk_cache(nc, *var, 0, 0, 0)); /* every get goes to the store */
    return nc;
}

static void a_reader_sees_what_another_process_wrote(void **state)
{
    int nc, var, status;

    start_over("seen.zarr");
    nc = open_to_read("seen.zarr", &var);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        assert_int_equal(read_round(nc, var, chunk), 0);
    for (int rounds = 1; rounds <= 4; rounds++) {
        pid_t child = fork();
        if (child == 0)
            rewrite("seen.zarr", rounds);
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        for (int chunk = CHUNKS - 1; chunk >= 0; chunk--)
            assert_int_equal(read_round(nc, var, chunk), rounds);
    }
    OK(nc_close(nc));
}

static void a_reader_keeps_up_with_a_writer(void **state)
{
    int nc, var, status, seen[CHUNKS] = {0}, rounds = 300;
    uint64_t dice = RANDOM_SEED;
    pid_t child;

    start_over("race.zarr");
    nc = open_to_read("race.zarr", &var);
    child = fork();
    if (child == 0)
        rewrite("race.zarr", rounds);
    while (waitpid(child, &status, WNOHANG) == 0) {
        int chunk = (int)(random_step(&dice) % CHUNKS), round = read_round(nc, var, chunk);
        assert_true(round >= seen[chunk]);
        seen[chunk] = round;
    }
    assert_int_equal(status, 0);
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        assert_int_equal(read_round(nc, var, chunk), rounds);
    OK(nc_close(nc));
}

/* Shards hold their chunks and an index with a checksum, and nothing else when each was put once. */
static void the_stored_size_is_that_of_the_chunks(void **state)
{
    enum { INDEX = (SHARD / CHUNK) * (SHARD / CHUNK) * 16 + 4 };
    int var, nc = make_store("sized", "", &var);
    unsigned long long stored, expected = 0;

    OK(cellar_inq_var_stored(nc, var, &stored));
    assert_int_equal(stored, 0);
    OK(nc_put_var_int(nc, var, field[0]));
    OK(nc_sync(nc));
    for (int i = 0; i < SHARDS * SHARDS; i++) {
        char name[64];
        struct stat st;

        snprintf(name, sizeof name, "sized/v/c/%d/%d", i / SHARDS, i % SHARDS);
        assert_int_equal(stat(path_of(name), &st), 0);
        expected += (unsigned long long)st.st_size - INDEX;
    }
    OK(cellar_inq_var_stored(nc, var, &stored));
    assert_int_equal(stored, expected);
    OK(nc_close(nc));
}

static void write_document(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A shard that lies in a shard is merged with the value its own shard was merged with. Nobody else writes, so one try is
 * enough, however young the files are. Only other programs make such arrays. */
static void shards_in_shards_need_one_try(void **state)
{
    static const char group[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}";
    static const char bytes[] = "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}";
    const int tries = cel_zarr_shard_tries;
    char array[1024];
    int nc, var;

    snprintf(array, sizeof array,
             "{\"zarr_format\": 3, \"node_type\": \"array\", \"attributes\": {}, \"shape\": [%d, %d], "
             "\"data_type\": \"int32\", \"fill_value\": 0, \"dimension_names\": [\"y\", \"x\"], "
             "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [12, 12]}}, "
             "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}, "
             "\"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [6, 6], "
             "\"index_codecs\": [%s], \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": "
             "{\"chunk_shape\": [2, 3], \"index_codecs\": [%s], \"codecs\": [%s]}}]}}]}",
             N, N, bytes, bytes, bytes);
    assert_int_equal(mkdir(path_of("nested"), 0777) | mkdir(path_of("nested/v"), 0777), 0);
    write_document("nested/zarr.json", group);
    write_document("nested/v/zarr.json", array);
    cel_zarr_shard_tries = 1;
    for (size_t round = 0; round < 10; round++) {
        const size_t start[2] = {round, round ? 3 : 0}, count[2] = {round ? 14 : N, round ? 17 : N};
        for (size_t y = 0; y < count[0]; y++)
            for (size_t x = 0; x < count[1]; x++)
                field[start[0] + y][start[1] + x] += (int)round;
        OK(nc_open(path_of("nested"), NC_WRITE, &nc));
        OK(nc_inq_varid(nc, "v", &var));
        OK(nc_put_varm_int(nc, var, start, count, NULL, (const ptrdiff_t[]){N, 1}, &field[start[0]][start[1]]));
        OK(nc_close(nc));
        check_store("nested");
    }
    cel_zarr_shard_tries = tries;
}

static int set_up(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    remove_tree(folder);
    return 0;
}

static int make_field(void **state)
{
    for (int i = 0; i < N * N; i++)
        field[i / N][i % N] = i * i % 1009 * (i % 7 ? 1 : 65537);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(any_order_gives_the_same_shards, make_field),
        cmocka_unit_test_setup(a_synchronised_shard_goes_on, make_field),
        cmocka_unit_test(threads_give_the_same_shards),
        cmocka_unit_test_setup(a_failed_write_loses_nothing, make_field),
        cmocka_unit_test(a_reader_sees_what_another_process_wrote),
        cmocka_unit_test(a_reader_keeps_up_with_a_writer),
        cmocka_unit_test_setup(the_stored_size_is_that_of_the_chunks, make_field),
        cmocka_unit_test_setup(shards_in_shards_need_one_try, make_field),
    };

    cellar_set_threads(1);
    return cmocka_run_group_tests_name("shards", tests, set_up, tear_down);
}
