/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks put boxes that cut through chunks, the cuts random but the same on all ranks: every chunk that all boxes of a call
 * cover together is encoded by one of the ranks. Then boxes with gaps, which leave chunks to rank 0, boxes that overlap,
 * every second row, values of another type and values that do not fit. All ranks compare what they read with an array in
 * memory, while the file is written and afterwards, each for itself and all together. parts FILE FILTER SEED
 * (chunks lie in shards where FILE says so).
 * Ranks other than 0 must have written to a netCDF-4 file themselves. FILE has what leaves nothing out, in calls that are the same for any number of ranks; FILE.more has the rest. */
#include "check.h"
#include <math.h>
#include "counting.h"

enum { NT = 4, NY = 61, NX = 83, CT = 2, CY = 16, CX = 20, CALLS = 4 };

static int wrong;

static unsigned random_state;
static float model[NT * CALLS][NY][NX]; /* NC_FILL_FLOAT where nothing was put */

static size_t random_below(size_t n)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 8) % n;
}

struct box {
    size_t start[3], end[3];
};

/* --- machines: as if there were several ------------------------------------------------------------- */

static unsigned long sent_far; /* chunks that this rank sent to ranks on other machines */

static int machine_of(int who)
{
    return size < 3 ? 0 : size % 2 ? who % 2 : who / 3;
}

static int count_machines(void)
{
    return size < 3 ? 1 : size % 2 ? 2 : (size + 2) / 3;
}

__attribute__((visibility("default"))) int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                               MPI_Comm *out)
{
    (void)type, (void)info;
    return PMPI_Comm_split(comm, machine_of(key), key, out);
}

__attribute__((visibility("default"))) int MPI_Isend(const void *bytes, int n, MPI_Datatype type, int to, int tag,
                                                     MPI_Comm comm, MPI_Request *request)
{
    sent_far += n == CT * CY * CX * (int)sizeof(float) && machine_of(to) != machine_of(rank);
    return PMPI_Isend(bytes, n, type, to, tag, comm, request);
}

/* All ranks have read all chunks: each went once to each other machine. */
static void check_sent(unsigned long before)
{
    unsigned long mine = sent_far - before, sum,
                  nchunks = NT * CALLS / CT * ((NY + CY - 1) / CY) * ((NX + CX - 1) / CX);

    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (sum == nchunks * (unsigned long)(count_machines() - 1))
        return;
    fprintf(stderr, "rank %d: %lu of %lu chunks were sent to %d machines\n", rank, sum, nchunks, count_machines());
    wrong++;
}

/* Cuts a box in two, and each half again, until there is one for each of n ranks; a rank's may be empty. */
static void deal(struct box whole, int n, struct box *out)
{
    int d = (int)random_below(3), half = n / 2;
    struct box low = whole, high = whole;

    if (n == 1) {
        *out = whole;
        return;
    }
    low.end[d] = high.start[d] = whole.start[d] + random_below(whole.end[d] - whole.start[d] + 1);
    deal(low, half, out);
    deal(high, n - half, out + half);
}

static float value(int round, size_t t, size_t y, size_t x)
{
    return (float)round * 0.5f + (float)(t * 7919 + y * 101 + x);
}

static size_t volume(const struct box *b)
{
    return (b->end[0] - b->start[0]) * (b->end[1] - b->start[1]) * (b->end[2] - b->start[2]);
}

/* Puts this rank's box, and remembers those of all; every[] is the stride in y. */
static void put_boxes(int ncid, int var, int round, const struct box *boxes, size_t every)
{
    const struct box *b = &boxes[rank];
    size_t ny = (b->end[1] - b->start[1] + every - 1) / every, at = 0;
    size_t start[3] = {b->start[0], b->start[1], b->start[2]};
    size_t count[3] = {b->end[0] - b->start[0], ny, b->end[2] - b->start[2]};
    ptrdiff_t stride[3] = {1, (ptrdiff_t)every, 1};
    double *values = malloc((volume(b) + 1) * sizeof *values);

    for (int r = 0; r < size; r++)
        for (size_t t = boxes[r].start[0]; t < boxes[r].end[0]; t++)
            for (size_t y = boxes[r].start[1]; y < boxes[r].end[1]; y += every)
                for (size_t x = boxes[r].start[2]; x < boxes[r].end[2]; x++) {
                    model[t][y][x] = value(round, t, y, x);
                    if (r == rank)
                        values[at++] = value(round, t, y, x);
                }
    if (!at)
        count[0] = count[1] = count[2] = start[0] = start[1] = start[2] = 0;
    CHECK(nc_put_vars_double(ncid, var, start, count, stride, values));
    free(values);
}

static void check(int ncid, int var, int line)
{
    static float got[NT * CALLS][NY][NX];
    size_t start[3] = {0, 0, 0}, count[3] = {NT * CALLS, NY, NX}, len;
    int dims[3], before = wrong;

    CHECK(nc_inq_vardimid(ncid, var, dims));
    CHECK(nc_inq_dimlen(ncid, dims[0], &len));
    count[0] = len;
    CHECK(nc_get_vara_float(ncid, var, start, count, &got[0][0][0]));
    for (size_t t = 0; t < len; t++)
        wrong += memcmp(got[t], model[t], sizeof got[t]) != 0;
    if (wrong > before)
        fprintf(stderr, "rank %d, line %d: wrong values\n", rank, line);
}

static int create(const char *path, const char *filter, int *var)
{
    int ncid, dims[3];
    size_t chunks[3] = {CT, CY, CX}, shards[3] = {CT, 2 * CY, 2 * CX};

    for (size_t i = 0; i < sizeof model / sizeof(float); i++)
        (&model[0][0][0])[i] = NC_FILL_FLOAT;
    CHECK(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    CHECK(nc_def_dim(ncid, "y", NY, &dims[1]));
    CHECK(nc_def_dim(ncid, "x", NX, &dims[2]));
    CHECK(nc_def_var(ncid, "v", NC_FLOAT, 3, dims, var));
    CHECK(nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks));
    if (strstr(path, "shards"))
        CHECK(cellar_def_var_shards(ncid, *var, shards));
    if (strcmp(filter, "none") != 0)
        CHECK(cellar_def_var_chain(ncid, *var, filter));
    CHECK(nc_enddef(ncid));
    CHECK(nc_var_par_access(ncid, *var, NC_COLLECTIVE));
    return ncid;
}

/* All chunks are cut through, or nearly all: somebody else than rank 0 has most of some. */
static void check_written(const char *path, size_t bytes)
{
    unsigned long mine = rank ? bytes : 0, all;

    MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (size == 1 || strchr(path, '#') || all)
        return;
    fprintf(stderr, "rank 0 wrote every chunk\n");
    wrong++;
}

/* Cuts depend on the number of ranks, what all put together does not. */
static void write_complete(const char *path, const char *filter)
{
    struct box *boxes = malloc(sizeof *boxes * (size_t)size);
    int var, ncid = create(path, filter, &var);

    for (int call = 0; call < CALLS; call++) {
        deal((struct box){{(size_t)call * NT}, {(size_t)(call + 1) * NT, NY, NX}}, size, boxes);
        put_boxes(ncid, var, call, boxes, 1);
    }
    check_written(path, written);
    CHECK(nc_sync(ncid));
    check(ncid, var, __LINE__);
    for (int call = 1; call < CALLS; call++) { /* over what a sync acknowledged */
        deal((struct box){{(size_t)call * NT}, {(size_t)(call + 1) * NT, NY, NX}}, size, boxes);
        put_boxes(ncid, var, call + 10, boxes, 1);
    }
    check(ncid, var, __LINE__);
    CHECK(nc_close(ncid));
    free(boxes);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(nc_open(path, NC_NOWRITE, &ncid));
    CHECK(nc_inq_varid(ncid, "v", &var));
    check(ncid, var, __LINE__);
    CHECK(nc_close(ncid));
}

static void check_boxes(int ncid, int var, const struct box *boxes, size_t every)
{
    const struct box *b = &boxes[rank];
    size_t ny = (b->end[1] - b->start[1] + every - 1) / every, at = 0, bad = 0;
    size_t start[3] = {b->start[0], b->start[1], b->start[2]};
    size_t count[3] = {b->end[0] - b->start[0], ny, b->end[2] - b->start[2]};
    ptrdiff_t stride[3] = {1, (ptrdiff_t)every, 1};
    double *got = malloc((volume(b) + 1) * sizeof *got);

    CHECK(nc_get_vars_double(ncid, var, start, count, stride, got));
    for (size_t t = b->start[0]; t < b->end[0]; t++)
        for (size_t y = b->start[1]; y < b->end[1]; y += every)
            for (size_t x = b->start[2]; x < b->end[2]; x++)
                bad += got[at++] != (double)model[t][y][x];
    if (bad)
        fprintf(stderr, "rank %d: %zu wrong values of a box\n", rank, bad);
    wrong += bad != 0;
    free(got);
}

/* One rank asks for what is not there, and one for a type that the values do not fit: the first is an error of all, the
 * second of that rank alone. */
static void get_badly(int ncid, int var)
{
    static float room[NT * CALLS][NY][NX];
    size_t start[3] = {0, 0, 0}, count[3] = {1, 1, NX};
    int rc = NC_NOERR;

    for (int who = 0; who<size; who += size> 1 ? size - 1 : 1) { /* the others want the same chunks */
        start[1] = rank == who ? NY + 1 : 0;
        rc = rank == who ? nc_get_vara_float(ncid, var, start, count, &room[0][0][0])
                         : nc_get_var_float(ncid, var, &room[0][0][0]);
        wrong += rc == NC_NOERR || (rank != who && !strstr(cellar_error(), "rank"));
    }
    rc = rank == 0 ? nc_get_var_schar(ncid, var, (signed char *)room) : nc_get_var_float(ncid, var, &room[0][0][0]);
    wrong += rc != (rank == 0 ? NC_ERANGE : NC_NOERR);
}

/* All ranks read all of it: each chunk is read by one of them. Then boxes, which share chunks, with and without gaps. */
static void read_together(const char *path, const char *filter)
{
    struct box *boxes = malloc(sizeof *boxes * (size_t)size), all = {{0, 0, 0}, {NT * CALLS, NY, NX}};
    unsigned long mine, sum, far;
    unsigned long long stored = 0;
    size_t before;
    int ncid, var;

    CHECK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
    CHECK(nc_inq_varid(ncid, "v", &var));
    CHECK(nc_var_par_access(ncid, var, NC_COLLECTIVE));
    CHECK(cellar_inq_var_stored(ncid, var, &stored));
    before = fetched;
    far = sent_far;
    check(ncid, var, __LINE__);
    mine = fetched - before;
    if (strcmp(filter, "none") != 0)
        check_sent(far);
    MPI_Allreduce(&mine, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (!strchr(path, '#') && strcmp(filter, "none") != 0 && (!sum || sum > 2 * stored)) {
        fprintf(stderr, "rank %d: %lu bytes were read of %llu\n", rank, sum, stored);
        wrong++;
    }
    for (int i = 0; i < 4; i++) {
        deal(all, size, boxes);
        check_boxes(ncid, var, boxes, 1);
        check_boxes(ncid, var, boxes, 3);
        for (int r = 0; r < size; r++)
            for (int d = 0; d < 3; d++)
                boxes[r].end[d] -= boxes[r].end[d] - boxes[r].start[d] > 3 ? 2 : 0;
        check_boxes(ncid, var, boxes, 1);
    }
    get_badly(ncid, var);
    CHECK(nc_close(ncid));
    free(boxes);
}

static void leave_out(struct box *boxes, int round)
{
    for (int r = 0; r < size; r++)
        if ((r + round) % 3 == 0 && boxes[r].end[1] > boxes[r].start[1])
            boxes[r].end[1]--;
}

static void overlap(struct box *boxes)
{
    for (int r = 0; r < size; r++)
        for (int d = 1; d < 3; d++)
            boxes[r].start[d] -= boxes[r].start[d] && volume(&boxes[r]) ? 1 : 0;
}

/* A value that no float has: its rank alone is told, whoever encodes it. */
static void put_out_of_range(int ncid, int var, const struct box *boxes)
{
    const struct box *b = &boxes[rank];
    size_t count[3] = {b->end[0] - b->start[0], b->end[1] - b->start[1], b->end[2] - b->start[2]}, n = volume(b);
    double *values = malloc((n + 1) * sizeof *values);
    int last = size - 1, rc;

    while (last > 0 && !volume(&boxes[last]))
        last--;
    for (size_t i = 0; i < n; i++)
        values[i] = 1;
    if (rank == last)
        values[n / 2] = 1e300;
    rc = nc_put_vara_double(ncid, var, b->start, count, values);
    wrong += rc != (rank == last ? NC_ERANGE : NC_NOERR);
    free(values);
}

static void write_more(const char *path, const char *filter)
{
    struct box *boxes = malloc(sizeof *boxes * (size_t)size), all = {{0, 0, 0}, {NT, NY, NX}};
    int var, ncid = create(path, filter, &var);

    for (int round = 0; round < 4; round++) {
        deal(all, size, boxes);
        leave_out(boxes, round);
        put_boxes(ncid, var, round, boxes, 1);
        check(ncid, var, __LINE__);
        deal(all, size, boxes);
        put_boxes(ncid, var, 20 + round, boxes, 2);
        check(ncid, var, __LINE__);
        deal(all, size, boxes);
        overlap(boxes); /* both put the same value there */
        put_boxes(ncid, var, 30 + round, boxes, 1);
        check(ncid, var, __LINE__);
        all.end[0] = NT - 1 + 2 * (size_t)round; /* a chunk that the last call began grows */
    }
    deal(all, size, boxes);
    put_out_of_range(ncid, var, boxes);
    CHECK(nc_close(ncid));
    free(boxes);
}

int main(int argc, char **argv)
{
    char more[4096];
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4)
        return 2;
    random_state = (unsigned)atoi(argv[3]);
    write_complete(argv[1], argv[2]);
    read_together(argv[1], argv[2]);
    snprintf(more, sizeof more, "%s", argv[1]);
    if (strchr(more, '#'))
        *strchr(more, '#') = 0;
    snprintf(more + strlen(more), 100, ".more%s", strchr(argv[1], '#') ? strchr(argv[1], '#') : "");
    write_more(more, argv[2]);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("parts %s: %d ranks, %d wrong\n", argv[2], size, all);
    MPI_Finalize();
    return all != 0;
}
