/* SPDX-License-Identifier: BSD-3-Clause */
/* Our HDF5 reader against libhdf5: what both say of a file must be the same, from links to values. libhdf5 runs in
 * a process of its own (h5_peer.c) that is started anew when it dies; "ask libhdf5" is an answer of ours that is never
 * wrong. In the fuzz build the checksums of what our reader has looked at are mended first, for libhdf5 to go as far. */
#include "peer.h"
#include "h5_bytes.h"
#include "h5_int.h"
#include "target.h"
#include <cellar.h>
#include <netcdf_mem.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static hid_t open_nothing(const char *path, unsigned flags, hid_t fapl)
{
    return -1;
}

static struct peer_text ours, theirs;

/* --- libhdf5 ------------------------------------------------------------------------------- */

static pid_t peer;
static int to_peer = -1, from_peer = -1;

static void start_peer(void)
{
    int there[2], back[2];

    FUZZ_EXPECT(pipe(there) == 0 && pipe(back) == 0, "pipe");
    peer = fork();
    FUZZ_EXPECT(peer >= 0, "fork");
    if (peer == 0) {
        dup2(there[0], 0);
        dup2(back[1], 1);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        execl(H5_PEER, "h5_peer", (char *)NULL);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to_peer = there[1];
    from_peer = back[0];
}

static void drop_peer(void)
{
    int status;

    close(to_peer);
    close(from_peer);
    kill(peer, SIGKILL);
    waitpid(peer, &status, 0);
    FUZZ_EXPECT(!WIFEXITED(status) || WEXITSTATUS(status) != 127, "%s cannot be run", H5_PEER);
    peer = 0;
}

static bool send_all(const void *data, size_t n)
{
    const char *p = data;
    ssize_t k;

    for (; n > 0; p += k, n -= (size_t)k)
        if ((k = write(to_peer, p, n)) <= 0)
            return false;
    return true;
}

static bool receive_all(void *data, size_t n)
{
    char *p = data;
    ssize_t k;

    for (; n > 0; p += k, n -= (size_t)k)
        if ((k = read(from_peer, p, n)) <= 0)
            return false;
    return true;
}

/* False: libhdf5 did not survive it. */
static bool ask_peer(const void *image, size_t size)
{
    uint64_t n = size;

    if (!peer)
        start_peer();
    if (send_all(&n, sizeof n) && send_all(image, size) && receive_all(&n, sizeof n) && n < sizeof theirs.at &&
        receive_all(theirs.at, (size_t)n)) {
        theirs.n = (size_t)n;
        theirs.at[n] = '\0';
        return true;
    }
    drop_peer();
    return false;
}

/* --- sums ---------------------------------------------------------------------------------- */

static unsigned char *image;
static size_t image_n;

#if defined(CEL_FUZZ)
static void put_sum(unsigned char *at, uint32_t sum)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(sum >> 8 * i);
}

/* A heap's block has its sum inside, taken as zero; where that is depends on the heap: h5_dense.c hands the block over
 * with zeros there and the sum behind it. */
static void mend_block(const unsigned char *block, size_t n, unsigned char *found)
{
    for (size_t at = 13; at < 22 && at + 4 <= n; at++)
        if (memcmp(found, block, at) == 0 && memcmp(block + at, "\0\0\0", 4) == 0 &&
            memcmp(found + at, block + n, 4) == 0 && memcmp(found + at + 4, block + at + 4, n - at - 4) == 0) {
            put_sum(found + at, cel_h5_sum(block, n));
            return;
        }
}

static void mend(const unsigned char *p, size_t n)
{
    bool inside = n > 40 && memcmp(p, "FHDB", 4) == 0;
    unsigned char *found = image;
    size_t whole = inside ? n - 4 : n, same = inside ? 13 : n - 4;

    while ((found = memmem(found, image_n - (size_t)(found - image), p, same)) != NULL &&
           whole <= image_n - (size_t)(found - image)) {
        if (inside)
            mend_block(p, n - 4, found);
        else
            put_sum(found + n - 4, cel_h5_sum(p, n - 4));
        found++;
    }
}
#endif

/* --- our reader ------------------------------------------------------------------------------ */

struct ours {
    struct cel_h5_io *io;
    struct cel_h5r_file file;
    struct cel_h5r_reader *reader;
    int nc; /* the file as netCDF; -1: it does not open */
};

/* Numbers of the usual form; 0: something else. */
static nc_type number_of(const struct cel_h5r_datatype *t)
{
    static const nc_type types[] = {NC_BYTE, NC_UBYTE, NC_SHORT,  NC_USHORT, NC_INT,
                                    NC_UINT, NC_INT64, NC_UINT64, NC_FLOAT,  NC_DOUBLE};
    bool swap;

    if (t->klass != CEL_H5R_INTEGER && t->klass != CEL_H5R_FLOAT)
        return NC_NAT;
    for (size_t i = t->klass == CEL_H5R_FLOAT ? 8 : 0; i < sizeof types / sizeof *types; i++)
        if (cel_h5r_is_native(t, cel_type_atomic(types[i]), &swap) &&
            (t->klass == CEL_H5R_FLOAT || (i % 2 == 0) == t->is_signed))
            return types[i];
    return NC_NAT;
}

static void say_described(const char *path, const struct cel_h5r_dataset *d)
{
    static const size_t sizes[] = {[NC_BYTE] = 1, [NC_UBYTE] = 1, [NC_SHORT] = 2,  [NC_USHORT] = 2, [NC_INT] = 4,
                                   [NC_UINT] = 4, [NC_FLOAT] = 4, [NC_DOUBLE] = 8, [NC_INT64] = 8,  [NC_UINT64] = 8};
    nc_type type = number_of(d->form);

    if (!type || (d->fill && d->nfill != sizes[type]))
        return;
    peer_say(&ours, "chunks %s %d", path, type);
    for (int i = 0; i < d->layout.rank; i++)
        peer_say(&ours, " %llu", (unsigned long long)d->layout.chunk[i]);
    peer_say(&ours, " fill");
    for (size_t i = 0; i < d->nfill; i++)
        peer_say(&ours, " %02x", d->fill[i]);
    for (size_t i = 0; i < d->chain.n; i++) {
        const struct cel_step *s = &d->chain.step[i];

        peer_say(&ours, " filter %u %d", s->id, s->optional);
        for (size_t w = 0; w < s->visible.n; w++)
            peer_say(&ours, " %u", s->visible.w[w]);
    }
    peer_say(&ours, "\n");
}

static void say_chunk(struct ours *o, const char *path, int rank, const uint64_t *first, int rc,
                      const struct cel_chunk_location *at)
{
    void *bytes = rc == CEL_OK && at->nbytes <= PEER_TEXT ? malloc(at->nbytes + 1) : NULL;

    if (rc == CEL_ABSENT || (bytes && cel_h5_io_read(o->io, at->address, bytes, at->nbytes) == CEL_OK)) {
        peer_say(&ours, "chunk %s@", path);
        for (int d = 0; d < rank; d++)
            peer_say(&ours, "%s%llu", d ? "," : "", (unsigned long long)first[d]);
        if (rc == CEL_ABSENT)
            peer_say(&ours, " none\n");
        else
            peer_say(&ours, " %zu %u %llx\n", at->nbytes, at->skipped, (unsigned long long)peer_sum(bytes, at->nbytes));
    }
    free(bytes);
}

/* Without filters libhdf5 says what a chunk should have, not what it has. */
static void say_index(struct ours *o, const char *path, const struct cel_h5r_object *h, const struct cel_h5r_dataset *d)
{
    uint64_t first[CEL_RANK_MAX] = {0}, length[CEL_RANK_MAX];
    struct cel_h5r_index *index;
    size_t count[CEL_RANK_MAX];
    int left = PEER_CHUNKS;

    if (d->layout.storage != CEL_H5R_CHUNKED || d->chain.n == 0 || d->rank != h->rank ||
        peer_extent(h->rank, h->dims, count) == 0 || cel_h5r_index_make(&o->file, d, &index) != CEL_OK)
        return;
    for (int i = 0; i < d->rank; i++)
        length[i] = d->layout.chunk[i];
    do {
        size_t at[CEL_RANK_MAX];
        struct cel_chunk_location place = {0};

        for (int i = 0; i < d->rank; i++)
            at[i] = (size_t)(first[i] / length[i]);
        say_chunk(o, path, d->rank, first, cel_h5r_index_find(index, at, &place), &place);
    } while (--left > 0 && peer_next_chunk(d->rank, h->dims, length, first));
    cel_h5r_index_free(index);
}

/* Through the whole library. Its dimensions may be longer than the dataset: then it is left out. */
static void say_data(const char *path, const char *name, int nc, const struct cel_h5r_object *h)
{
    size_t start[CEL_RANK_MAX] = {0}, count[CEL_RANK_MAX], n = peer_extent(h->rank, h->dims, count), size, len;
    int var, ndims, dims[NC_MAX_VAR_DIMS];
    nc_type type;
    char *values;

    if (n == 0 || nc < 0 || nc_inq_varid(nc, name, &var) || nc_inq_vartype(nc, var, &type) || type > NC_UINT64 ||
        type == NC_CHAR || nc_inq_type(nc, type, NULL, &size) || nc_inq_varndims(nc, var, &ndims) || ndims != h->rank ||
        nc_inq_vardimid(nc, var, dims))
        return;
    for (int d = 0; d < ndims; d++)
        if (nc_inq_dimlen(nc, dims[d], &len) || len != h->dims[d])
            return;
    values = calloc(n, size);
    if (nc_get_vara(nc, var, start, count, values) == NC_NOERR)
        peer_say(&ours, "data %s %zu %llx\n", path, n, (unsigned long long)peer_sum(values, n * size));
    free(values);
}

static void say_space(const char *path, const struct cel_h5r_object *h)
{
    peer_say(&ours, "space %s %d", path, h->rank);
    for (int i = 0; i < h->rank; i++)
        peer_say(&ours, " %llu %llu", (unsigned long long)h->dims[i], (unsigned long long)h->maxdims[i]);
    peer_say(&ours, "%s\n", h->null_space ? " null" : "");
}

static void say_dataset(struct ours *o, const char *path, const char *name, int nc, uint64_t addr,
                        const struct cel_h5r_object *h)
{
    struct cel_h5r_dataset d;

    if (!h->is_virtual)
        say_space(path, h);
    if (h->type_class == CEL_H5R_INTEGER || h->type_class == CEL_H5R_FLOAT) /* others libhdf5 calls otherwise */
        peer_say(&ours, "type %s %d %zu %d\n", path, h->type_class, h->type_size, h->big_endian);
    if (cel_h5r_dataset_read(o->reader, addr, &d) == CEL_OK) {
        if (d.layout.storage == CEL_H5R_CHUNKED)
            say_described(path, &d);
        say_index(o, path, h, &d);
        cel_h5r_dataset_dispose(&d);
    }
    say_data(path, name, nc, h);
}

/* Which of two links of one name libhdf5 means is nobody's to know. */
static bool stands_before(const struct cel_h5r_links *links, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(links->at[k].name, links->at[i].name) == 0)
            return true;
    return false;
}

static bool all_plain(const struct cel_h5r_links *links)
{
    for (size_t i = 0; i < links->n && i <= PEER_LINKS; i++)
        if (!peer_plain(links->at[i].name) || stands_before(links, i))
            return false;
    return links->n <= PEER_LINKS;
}

static void say_group(struct ours *o, const char *path, int nc, uint64_t addr, int depth)
{
    struct cel_h5r_links links;

    if (cel_h5r_links_read(o->reader, addr, &links) != CEL_OK)
        return;
    if (all_plain(&links)) {
        peer_say(&ours, "links %s %zu\n", path, links.n);
        for (size_t i = 0; i < links.n; i++) {
            struct cel_h5r_object h;
            char below[PEER_PATH];
            int group;

            snprintf(below, sizeof below, "%s/%s", depth ? path : "", links.at[i].name);
            peer_say(&ours, "link %s %llu\n", below, (unsigned long long)links.at[i].addr);
            if (cel_h5r_object_read(o->reader, links.at[i].addr, &h) != CEL_OK)
                continue;
            if (h.kind == CEL_H5R_DATASET)
                say_dataset(o, below, links.at[i].name, nc, links.at[i].addr, &h);
            else if (h.kind == CEL_H5R_GROUP && depth < PEER_DEPTH)
                say_group(o, below, nc >= 0 && nc_inq_grp_ncid(nc, links.at[i].name, &group) == NC_NOERR ? group : -1,
                          links.at[i].addr, depth + 1);
        }
    }
    cel_h5r_links_dispose(&links);
}

static void say_file(const void *data, size_t n)
{
    struct ours *o = calloc(1, sizeof *o);

    ours.n = 0;
    ours.at[0] = '\0';
    FUZZ_EXPECT(o && cel_h5_io_make("input", &o->io) == CEL_OK, "no memory");
    o->io->data = (char *)data;
    o->io->eof = o->io->cap = n;
    o->io->fixed = true;
    if (cel_h5r_open(&o->io->source, &o->file) == CEL_OK) {
        if (nc_open_mem("input", NC_NOWRITE, n, (void *)data, &o->nc) != NC_NOERR)
            o->nc = -1;
        FUZZ_EXPECT(cel_h5r_reader_make(&o->file, &o->reader) == CEL_OK, "no memory");
        say_group(o, "/", o->nc, o->file.root, 0);
        cel_h5r_reader_free(o->reader);
        if (o->nc >= 0)
            nc_close(o->nc);
    }
    cel_h5_io_release(o->io);
    free(o);
}

/* --- both -------------------------------------------------------------------------------------- */

/* Is there a line with this key, and is one of them this? */
static bool has_key(const char *line, size_t key, size_t n, bool *same)
{
    bool there = false;

    *same = false;
    for (const char *p = theirs.at; *p; p = strchr(p, '\n') + 1) {
        if (strncmp(p, line, key + 1) == 0) {
            there = true;
            *same = *same || strncmp(p, line, n + 1) == 0;
        }
        if (!strchr(p, '\n'))
            break;
    }
    return there;
}

static void compare(void)
{
    for (char *line = ours.at, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        size_t key = (size_t)(strchr(strchr(line, ' ') + 1, ' ') - line);
        bool same;

        if (has_key(line, key, (size_t)(end - line), &same) && !same) {
            fprintf(stderr, "libhdf5 says:\n%swe say:\n%s", theirs.at, ours.at);
            *end = '\0';
            FUZZ_EXPECT(false, "%s", line);
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    signal(SIGPIPE, SIG_IGN);
    FUZZ_EXPECT(cel_h5_lib_load() == 0, "%s", cellar_error());
    cel_h5_lib.p_H5Fopen = open_nothing;
    return cellar_set_threads(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 96)
        return 0;
    image = malloc(n);
    image_n = n;
    memcpy(image, data, n);
#if defined(CEL_FUZZ)
    cel_h5_mend = mend;
    say_file(data,
             n); /* mends the sums; they may lie in what is data to another object, so both read the mended file */
#endif
    say_file(image, n);
    if (ours.n > 0 && ask_peer(image, n))
        compare();
    free(image);
    image = NULL;
    return 0;
}
