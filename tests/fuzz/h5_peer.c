/* SPDX-License-Identifier: BSD-3-Clause */
/* libhdf5's side of fuzz_h5_peer, in a process of its own that may crash: reads files from standard input, each as
 * its length(8) and bytes, and answers with the length(8) and text of peer.h. No sanitizers: its faults are not ours. */
#include "peer.h"
#include <hdf5.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static struct peer_text text;

static bool move(ssize_t (*step)(int, void *, size_t), int fd, void *data, size_t n)
{
    char *p = data;

    while (n > 0) {
        ssize_t got = step(fd, p, n);

        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static ssize_t give(int fd, void *data, size_t n)
{
    return write(fd, data, n);
}

/* --- datasets --------------------------------------------------------------------------- */

/* netCDF's number for a type, and what it is in memory. */
static int type_number(hid_t type, hid_t *memory)
{
    const struct {
        int number;
        hid_t little, big, memory;
    } known[] = {
        {1, H5T_STD_I8LE, H5T_STD_I8BE, H5T_NATIVE_SCHAR},      {3, H5T_STD_I16LE, H5T_STD_I16BE, H5T_NATIVE_SHORT},
        {4, H5T_STD_I32LE, H5T_STD_I32BE, H5T_NATIVE_INT},      {5, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT},
        {6, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE}, {7, H5T_STD_U8LE, H5T_STD_U8BE, H5T_NATIVE_UCHAR},
        {8, H5T_STD_U16LE, H5T_STD_U16BE, H5T_NATIVE_USHORT},   {9, H5T_STD_U32LE, H5T_STD_U32BE, H5T_NATIVE_UINT},
        {10, H5T_STD_I64LE, H5T_STD_I64BE, H5T_NATIVE_LLONG},   {11, H5T_STD_U64LE, H5T_STD_U64BE, H5T_NATIVE_ULLONG}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (H5Tequal(type, known[i].little) > 0 || H5Tequal(type, known[i].big) > 0) {
            *memory = known[i].memory;
            return known[i].number;
        }
    return 0;
}

static void say_fill(hid_t dcpl, hid_t type)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    unsigned char value[64] = {0};
    size_t n = H5Tget_size(type);

    peer_say(&text, " fill");
    if (H5Pfill_value_defined(dcpl, &defined) < 0 || defined != H5D_FILL_VALUE_USER_DEFINED || n > sizeof value ||
        H5Pget_fill_value(dcpl, type, value) < 0)
        return;
    for (size_t i = 0; i < n; i++)
        peer_say(&text, " %02x", value[i]);
}

static void say_filters(hid_t dcpl)
{
    int n = H5Pget_nfilters(dcpl);

    for (int i = 0; i < n; i++) {
        unsigned flags, words[256], info;
        size_t count = 256;
        int id = H5Pget_filter2(dcpl, (unsigned)i, &flags, &count, words, 0, NULL, &info);

        peer_say(&text, " filter %d %d", id, (flags & H5Z_FLAG_OPTIONAL) != 0);
        for (size_t w = 0; w < count && w < 256; w++)
            peer_say(&text, " %u", words[w]);
    }
}

/* As libhdf5 itself looks a chunk up; what lists them goes over all of the index, damaged or not. */
static void say_chunk(hid_t data, const char *path, int rank, const hsize_t *first)
{
    uint32_t mask = 0;
    hsize_t size;
    void *bytes;

    if (H5Dget_chunk_storage_size(data, first, &size) < 0 || size == 0 || size > PEER_TEXT)
        return;
    bytes = calloc(1, size);
    if (bytes && H5Dread_chunk(data, H5P_DEFAULT, first, &mask, bytes) >= 0) {
        peer_say(&text, "chunk %s@", path);
        for (int d = 0; d < rank; d++)
            peer_say(&text, "%s%llu", d ? "," : "", (unsigned long long)first[d]);
        peer_say(&text, " %llu %u %llx\n", (unsigned long long)size, mask, (unsigned long long)peer_sum(bytes, size));
    }
    free(bytes);
}

static void say_chunks(hid_t data, const char *path, hid_t dcpl, hid_t type, int number, int rank, const uint64_t *dims)
{
    hsize_t chunk[PEER_RANK];
    uint64_t length[PEER_RANK], first[PEER_RANK] = {0};
    hsize_t at[PEER_RANK];
    size_t count[PEER_RANK];
    int left = PEER_CHUNKS;

    if (H5Pget_layout(dcpl) != H5D_CHUNKED || H5Pget_chunk(dcpl, PEER_RANK, chunk) != rank)
        return;
    peer_say(&text, "chunks %s %d", path, number);
    for (int d = 0; d < rank; d++)
        peer_say(&text, " %llu", (unsigned long long)(length[d] = chunk[d]));
    say_fill(dcpl, type);
    say_filters(dcpl);
    peer_say(&text, "\n");
    if (peer_extent(rank, dims, count) == 0)
        return;
    do {
        for (int d = 0; d < rank; d++)
            at[d] = first[d];
        say_chunk(data, path, rank, at);
    } while (--left > 0 && peer_next_chunk(rank, dims, length, first));
}

static void say_data(hid_t data, const char *path, hid_t space, hid_t memory, int rank, const uint64_t *dims)
{
    hsize_t start[PEER_RANK] = {0}, block[PEER_RANK];
    size_t count[PEER_RANK], n = peer_extent(rank, dims, count), size = H5Tget_size(memory);
    char *values = calloc(n ? n : 1, size);
    hid_t all;

    for (int d = 0; d < rank; d++)
        block[d] = count[d];
    all = H5Screate_simple(rank, block, NULL);
    if (n && values && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
        H5Dread(data, memory, all, space, H5P_DEFAULT, values) >= 0)
        peer_say(&text, "data %s %zu %llx\n", path, n, (unsigned long long)peer_sum(values, n * size));
    H5Sclose(all);
    free(values);
}

static void say_space(const char *path, hid_t space, int rank, const hsize_t *dims, const hsize_t *most)
{
    peer_say(&text, "space %s %d", path, rank);
    for (int d = 0; d < rank; d++)
        peer_say(&text, " %llu %llu", (unsigned long long)dims[d], (unsigned long long)most[d]);
    peer_say(&text, "%s\n", H5Sget_simple_extent_type(space) == H5S_NULL ? " null" : "");
}

static void say_dataset(hid_t data, const char *path)
{
    hid_t space = H5Dget_space(data), type = H5Dget_type(data), dcpl = H5Dget_create_plist(data), memory = -1;
    hsize_t dims[PEER_RANK], most[PEER_RANK];
    uint64_t length[PEER_RANK];
    int rank = H5Sget_simple_extent_ndims(space), number;

    if (rank >= 0 && rank <= PEER_RANK && type >= 0 && dcpl >= 0 && H5Sget_simple_extent_dims(space, dims, most) >= 0) {
        say_space(path, space, rank, dims, most);
        if (H5Tcommitted(type) == 0)
            peer_say(&text, "type %s %d %zu %d\n", path, H5Tget_class(type), H5Tget_size(type),
                     (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT) &&
                         H5Tget_order(type) == H5T_ORDER_BE);
        for (int d = 0; d < rank; d++)
            length[d] = dims[d];
        number = type_number(type, &memory);
        say_chunks(data, path, dcpl, type, number, rank, length);
        if (number && rank > 0)
            say_data(data, path, space, memory, rank, length);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(dcpl);
}

/* --- groups ------------------------------------------------------------------------------- */

struct listing {
    char name[PEER_LINKS][200];
    uint64_t addr[PEER_LINKS];
    int n;
    bool plain; /* hard links with names of the usual kind, and not too many */
};

static herr_t note(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct listing *l = data;

    l->plain = l->plain && info->type == H5L_TYPE_HARD && peer_plain(name) && l->n < PEER_LINKS;
    if (!l->plain)
        return 1;
    strcpy(l->name[l->n], name);
    l->addr[l->n++] = info->u.address;
    return 0;
}

static void say_group(hid_t group, const char *path, int depth)
{
    struct listing *l = calloc(1, sizeof *l);

    l->plain = true;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note, l) == 0 && l->plain) {
        peer_say(&text, "links %s %d\n", path, l->n);
        for (int i = 0; i < l->n; i++) {
            char below[PEER_PATH];
            hid_t object = H5Oopen(group, l->name[i], H5P_DEFAULT);

            snprintf(below, sizeof below, "%s/%s", depth ? path : "", l->name[i]);
            peer_say(&text, "link %s %llu\n", below, (unsigned long long)l->addr[i]);
            if (H5Iget_type(object) == H5I_DATASET)
                say_dataset(object, below);
            else if (H5Iget_type(object) == H5I_GROUP && depth < PEER_DEPTH)
                say_group(object, below, depth + 1);
            if (object >= 0)
                H5Oclose(object);
        }
    }
    free(l);
}

static void say_file(void *image, size_t n)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), file, root;

    text.n = 0;
    text.at[0] = '\0';
    if (H5Pset_fapl_core(fapl, 65536, 0) >= 0 && H5Pset_file_image(fapl, image, n) >= 0 &&
        (file = H5Fopen("image", H5F_ACC_RDONLY, fapl)) >= 0) {
        root = H5Gopen2(file, "/", H5P_DEFAULT);
        if (root >= 0) {
            say_group(root, "/", 0);
            H5Gclose(root);
        }
        H5Fclose(file);
    }
    H5Pclose(fapl);
}

int main(void)
{
    uint64_t n;

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, (rlim_t)1 << 30});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    while (move(read, 0, &n, sizeof n)) {
        void *image = malloc(n ? n : 1);

        if (!image || !move(read, 0, image, n))
            return 1;
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {1, 0}}, NULL); /* it hangs: SIGPROF ends it */
        say_file(image, n);
        free(image);
        n = text.n;
        if (!move(give, 1, &n, sizeof n) || !move(give, 1, text.at, text.n))
            return 1;
        H5garbage_collect();
    }
    return 0;
}
