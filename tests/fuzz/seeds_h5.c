/* SPDX-License-Identifier: BSD-3-Clause */
/* Small HDF5 files made with libhdf5 itself, each with one thing our reader knows or leaves
 * to libhdf5:  seeds_h5 FOLDER. The room of a chunk index's nodes is one child or two, so
 * that a few chunks make several levels. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *top;

static hid_t must(hid_t id, const char *what)
{
    if (id < 0) {
        fprintf(stderr, "seeds_h5: %s failed\n", what);
        exit(1);
    }
    return id;
}
#define MUST(call) must((hid_t)(call), #call)

struct how {
    const char *name;
    unsigned order; /* of links and attributes: H5P_CRT_ORDER_* */
    bool latest, user_block;
    unsigned index_k;
    int links, atts; /* beyond the datasets */
    hid_t type;
    int rank;
    bool grows, fill, scale, long_names, shared;
    const char *filters; /* a letter each */
};

enum { SHARED_LEAST = 8 }; /* bytes of a message that is kept once */

static hid_t make_file(const struct how *h)
{
    hid_t fcpl = MUST(H5Pcreate(H5P_FILE_CREATE)), fapl = MUST(H5Pcreate(H5P_FILE_ACCESS)), file;
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.h5", top, h->name);
    if (h->index_k)
        MUST(H5Pset_istore_k(fcpl, h->index_k));
    if (h->user_block)
        MUST(H5Pset_userblock(fcpl, 512));
    MUST(H5Pset_link_creation_order(fcpl, h->order));
    MUST(H5Pset_attr_creation_order(fcpl, h->order));
    MUST(H5Pset_link_phase_change(fcpl, 4, 2));
    MUST(H5Pset_attr_phase_change(fcpl, 4, 2));
    if (h->shared) {
        MUST(H5Pset_shared_mesg_nindexes(fcpl, 1));
        MUST(H5Pset_shared_mesg_index(fcpl, 0, H5O_SHMESG_ALL_FLAG, SHARED_LEAST));
        MUST(H5Pset_shared_mesg_phase_change(fcpl, 4, 2));
    }
    MUST(H5Pset_meta_block_size(fapl, 0));
    MUST(H5Pset_small_data_block_size(fapl, 0));
    if (h->latest)
        MUST(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    else if (!h->order) /* new groups without an order */
        MUST(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18));
    file = MUST(H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl));
    H5Pclose(fcpl);
    H5Pclose(fapl);
    return file;
}

static void add_filters(hid_t dcpl, const char *filters)
{
    for (; *filters; filters++)
        switch (*filters) {
        case 's':
            MUST(H5Pset_shuffle(dcpl));
            break;
        case 'd':
            MUST(H5Pset_deflate(dcpl, 6));
            break;
        case 'f':
            MUST(H5Pset_fletcher32(dcpl));
            break;
        case 'n':
            MUST(H5Pset_nbit(dcpl));
            break;
        case 'o':
            MUST(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0));
            break;
        case 'z':
            MUST(H5Pset_szip(dcpl, H5_SZIP_NN_OPTION_MASK, 4));
            break;
        }
}

static void add_att(hid_t object, const char *name, hid_t type, hsize_t n, const void *value)
{
    hid_t space = MUST(n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR));
    hid_t att = MUST(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    MUST(H5Awrite(att, type, value));
    H5Aclose(att);
    H5Sclose(space);
}

static void add_text(hid_t object, const char *name, const char *text)
{
    hid_t type = MUST(H5Tcopy(H5T_C_S1));

    MUST(H5Tset_size(type, strlen(text) + 1));
    add_att(object, name, type, 0, text);
    H5Tclose(type);
}

/* As netCDF marks a dimension. */
static void mark_scale(hid_t data, bool only)
{
    int id = 0, coords[2] = {0, 1};

    add_text(data, "CLASS", "DIMENSION_SCALE");
    add_text(data, "NAME", only ? "This is a netCDF dimension but not a netCDF variable.         4" : "x");
    add_att(data, "_Netcdf4Dimid", H5T_NATIVE_INT, 0, &id);
    add_att(data, "_Netcdf4Coordinates", H5T_NATIVE_INT, 2, coords);
    add_att(data, "_nc3_strict", H5T_NATIVE_INT, 0, &id);
    add_att(data, "DIMENSION_LIST", H5T_NATIVE_INT, 0, &id);
    add_att(data, "REFERENCE_LIST", H5T_NATIVE_INT, 0, &id);
}

static void add_dataset(hid_t file, const char *name, const struct how *h, bool chunked)
{
    hsize_t dims[3] = {4, 4, 3}, most[3] = {4, 4, 3}, chunk[3] = {2, 3, 2};
    hid_t dcpl = MUST(H5Pcreate(H5P_DATASET_CREATE)), space, data;
    double values[48];

    for (int i = 0; i < 48; i++)
        values[i] = i * 5 % 47;
    if (h->grows)
        most[0] = H5S_UNLIMITED;
    if (chunked) {
        MUST(H5Pset_chunk(dcpl, h->rank, chunk));
        add_filters(dcpl, h->filters ? h->filters : "");
    }
    if (h->fill)
        MUST(H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &values[3]));
    MUST(H5Pset_attr_creation_order(dcpl, h->order));
    space = MUST(H5Screate_simple(h->rank, dims, chunked ? most : NULL));
    data = MUST(H5Dcreate2(file, name, h->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    MUST(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (int i = 0; i < h->atts; i++) {
        char label[16];

        snprintf(label, sizeof label, "att%d", i);
        add_att(data, label, H5T_NATIVE_INT, 0, &i);
    }
    if (h->scale)
        mark_scale(data, !chunked);
    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void add_types(hid_t file)
{
    hid_t named = MUST(H5Tcreate(H5T_COMPOUND, 8)), space = MUST(H5Screate(H5S_SCALAR)), data;
    int value[2] = {1, 2};

    MUST(H5Tinsert(named, "a", 0, H5T_NATIVE_INT));
    MUST(H5Tinsert(named, "b", 4, H5T_NATIVE_INT));
    data = MUST(H5Dcreate2(file, "unnamed", named, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_att(data, "pair", named, 0, value);
    H5Dclose(data);
    MUST(H5Tcommit2(file, "named", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    data = MUST(H5Dcreate2(file, "of_named", named, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_att(data, "pair", named, 0, value);
    H5Dclose(data);
    H5Tclose(named);
    H5Sclose(space);
}

/* --- types, and places of values, that are rare --------------------------------------------- */

static void add_one(hid_t file, const char *name, hid_t type, const void *value)
{
    hid_t space = MUST(H5Screate(H5S_SCALAR));
    hid_t data = MUST(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    MUST(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value));
    add_att(data, "same", type, 0, value);
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

static hid_t pair_of(const char *a, const char *b, hid_t type)
{
    size_t size = H5Tget_size(type);
    hid_t pair = MUST(H5Tcreate(H5T_COMPOUND, 2 * size));

    MUST(H5Tinsert(pair, a, 0, type));
    MUST(H5Tinsert(pair, b, size, type));
    return pair;
}

static void add_numbers(hid_t file)
{
    static const char bytes[64] = "sixty-four bytes";
    hid_t opaque = MUST(H5Tcreate(H5T_OPAQUE, 5)), half = MUST(H5Tcopy(H5T_IEEE_F32LE));

    MUST(H5Tset_tag(opaque, "five"));
    MUST(H5Tset_fields(half, 15, 10, 5, 0, 10));
    MUST(H5Tset_size(half, 2));
    MUST(H5Tset_ebias(half, 15));
    add_one(file, "opaque", opaque, bytes);
    add_one(file, "half", half, bytes);
    add_one(file, "time", MUST(H5Tcopy(H5T_UNIX_D32LE)), bytes);
    add_one(file, "bits", MUST(H5Tcopy(H5T_STD_B16LE)), bytes);
    add_one(file, "complex", pair_of("r", "i", H5T_IEEE_F32LE), bytes);
    add_one(file, "array", MUST(H5Tarray_create2(H5T_STD_I16BE, 2, (hsize_t[]){2, 3})), bytes);
    add_one(file, "field", pair_of("a", "b", MUST(H5Tarray_create2(H5T_STD_I16LE, 1, (hsize_t[]){3}))), bytes);
    add_one(file, "nested", pair_of("c", "d", pair_of("a", "b", H5T_STD_I32LE)), bytes);
}

static void add_texts(hid_t file)
{
    static short numbers[3] = {1, 2, 3};
    static char *words[2] = {"one", "two"};
    hid_t fixed = MUST(H5Tcopy(H5T_C_S1)), spaces, words_type = MUST(H5Tcopy(H5T_C_S1));
    hvl_t list = {3, numbers}, pair[2] = {{1, numbers}, {2, numbers}};

    MUST(H5Tset_size(fixed, 6));
    spaces = MUST(H5Tcopy(fixed));
    MUST(H5Tset_strpad(spaces, H5T_STR_SPACEPAD));
    MUST(H5Tset_size(words_type, H5T_VARIABLE));
    add_one(file, "list", MUST(H5Tvlen_create(H5T_STD_I16LE)), &list);
    add_one(file, "lists", pair_of("a", "b", MUST(H5Tvlen_create(H5T_STD_I16LE))), pair);
    add_one(file, "texts", pair_of("a", "b", fixed), "some  text  ");
    add_one(file, "words", pair_of("a", "b", words_type), words);
    add_one(file, "list_of_texts", MUST(H5Tvlen_create(fixed)), &(hvl_t){2, "some  text  "});
    add_one(file, "list_of_words", MUST(H5Tvlen_create(words_type)), &(hvl_t){2, words});
    add_one(file, "array_of_texts", MUST(H5Tarray_create2(spaces, 1, (hsize_t[]){2})), "some  text  ");
    add_one(file, "fixed", fixed, "text\0");
    add_one(file, "spaces", spaces, "text  ");
    add_one(file, "word", words_type, words);
}

/* An attribute and a name that no block of a heap has room for. */
static void add_huge(hid_t file)
{
    static char text[4200];

    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 6; i++)
        add_att(file, (const char *[]){"a", "b", "c", "d", "e", "f"}[i], H5T_NATIVE_INT, 0, &i);
    add_text(file, "huge", text);
}

static void add_laid_out(hid_t file, const char *name, hid_t dcpl, hsize_t n)
{
    hid_t space = MUST(H5Screate_simple(1, &n, NULL));
    hid_t data = MUST(H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(dcpl);
}

static void add_layouts(hid_t file)
{
    hid_t outside = MUST(H5Pcreate(H5P_DATASET_CREATE)), elsewhere = MUST(H5Pcreate(H5P_DATASET_CREATE)), compact;
    hsize_t n = 4;
    hid_t space = MUST(H5Screate_simple(1, &n, NULL));

    MUST(H5Pset_external(outside, "a.raw", 2, 4));
    MUST(H5Pset_external(outside, "b.raw", 0, H5F_UNLIMITED));
    add_laid_out(file, "outside", outside, 4);
    MUST(H5Pset_virtual(elsewhere, space, "c.h5", "data", space));
    add_laid_out(file, "elsewhere", elsewhere, 4);
    compact = MUST(H5Pcreate(H5P_DATASET_CREATE));
    MUST(H5Pset_layout(compact, H5D_COMPACT));
    add_laid_out(file, "compact", compact, 4);
    H5Sclose(space);
}

static hid_t select_blocks(hsize_t length, hsize_t start, hsize_t stride, hsize_t count, hsize_t block)
{
    hsize_t most = H5S_UNLIMITED;
    hid_t space = MUST(H5Screate_simple(1, &length, &most));

    MUST(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block));
    return space;
}

static void add_mapping(hid_t dcpl, hid_t to, const char *source, hid_t from)
{
    MUST(H5Pset_virtual(dcpl, to, ".", source, from));
    H5Sclose(to);
    H5Sclose(from);
}

static void add_virtual_one(hid_t file, const char *name, hid_t dcpl)
{
    hid_t space = select_blocks(12, 0, 1, 1, 12);

    H5Dclose(MUST(H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
    H5Sclose(space);
    H5Pclose(dcpl);
}

/* Made of datasets of the same file: blocks, what grows, a source for each number, and another virtual one. */
static void add_virtual(hid_t file)
{
    hid_t parts = MUST(H5Pcreate(H5P_DATASET_CREATE)), grows = MUST(H5Pcreate(H5P_DATASET_CREATE)),
          numbered = MUST(H5Pcreate(H5P_DATASET_CREATE)), nested = MUST(H5Pcreate(H5P_DATASET_CREATE));

    add_laid_out(file, "s0", MUST(H5Pcreate(H5P_DATASET_CREATE)), 8);
    add_laid_out(file, "s1", MUST(H5Pcreate(H5P_DATASET_CREATE)), 8);
    add_mapping(parts, select_blocks(12, 1, 4, 2, 2), "s0", select_blocks(8, 2, 3, 2, 2));
    add_mapping(parts, select_blocks(12, 3, 4, 2, 1), "s1", select_blocks(8, 6, 1, 1, 2));
    add_mapping(grows, select_blocks(12, 0, 4, H5S_UNLIMITED, 2), "s0", select_blocks(8, 1, 3, H5S_UNLIMITED, 2));
    add_mapping(numbered, select_blocks(12, 0, 8, H5S_UNLIMITED, 8), "s%b", select_blocks(8, 0, 1, 1, 8));
    add_mapping(nested, select_blocks(12, 0, 1, 1, 12), "parts", select_blocks(12, 0, 1, 1, 12));
    add_virtual_one(file, "parts", parts);
    add_virtual_one(file, "grows", grows);
    add_virtual_one(file, "numbered", numbered);
    add_virtual_one(file, "nested", nested);
}

/* A group whose links went through a filter. */
static void add_filtered(hid_t file)
{
    hid_t gcpl = MUST(H5Pcreate(H5P_GROUP_CREATE)), group;
    static char path[4200];

    memset(path, 'x', sizeof path - 1);
    MUST(H5Pset_link_phase_change(gcpl, 0, 0));
    MUST(H5Pset_fletcher32(gcpl));
    group = MUST(H5Gcreate2(file, "group", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    MUST(H5Lcreate_soft("/", group, "up", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_soft("up", group, "here", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_soft(path, group, "huge", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
    H5Pclose(gcpl);
}

static void add_links(hid_t file)
{
    hid_t data = MUST(H5Screate(H5S_SCALAR)),
          group = MUST(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    H5Dclose(MUST(H5Dcreate2(group, "v", H5T_STD_I16LE, data, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    MUST(H5Lcreate_soft("/group/v", file, "absolute", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_soft("./group//v", file, "relative", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_soft("absolute", file, "twice", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_soft("again", file, "again", H5P_DEFAULT, H5P_DEFAULT));
    MUST(H5Lcreate_external("other.h5", "/v", file, "outside", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
    H5Sclose(data);
}

static const struct {
    const char *name;
    void (*add)(hid_t file);
} rare[] = {{"numbers", add_numbers}, {"texts", add_texts},     {"huge", add_huge},        {"layouts", add_layouts},
            {"links", add_links},     {"virtual", add_virtual}, {"filtered", add_filtered}};

static void make_rare(void)
{
    enum { OLD, LATEST, SHARED, FORMS };

    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        for (int form = OLD; form < FORMS; form++) {
            char name[40];
            struct how h = {
                .name = name, .latest = form == LATEST, .shared = form == SHARED, .order = H5P_CRT_ORDER_TRACKED};
            hid_t file;

            snprintf(name, sizeof name, "rare_%s_%d", rare[i].name, form);
            file = make_file(&h);
            rare[i].add(file);
            H5Fclose(file);
        }
}

static void make(const struct how *h)
{
    hid_t file = make_file(h), gcpl = MUST(H5Pcreate(H5P_GROUP_CREATE));

    MUST(H5Pset_link_creation_order(gcpl, h->order));
    if (h->rank)
        add_dataset(file, "chunks", h, true);
    if (h->scale)
        add_dataset(file, "scale", h, false);
    if (!h->rank)
        add_types(file);
    for (int i = 0; i < h->links; i++) {
        char name[120];

        snprintf(name, sizeof name, h->long_names ? "group%0100d" : "group%d", i);
        H5Gclose(MUST(H5Gcreate2(file, name, H5P_DEFAULT, gcpl, H5P_DEFAULT)));
    }
    H5Pclose(gcpl);
    H5Fclose(file);
}

int main(int argc, char **argv)
{
    enum { ORDER = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED };
    hid_t odd = H5Tcopy(H5T_STD_I16LE);
    const struct how all[] = {
        {.name = "i4", .order = ORDER, .index_k = 1, .type = H5T_STD_I32LE, .rank = 2},
        {.name = "usual_k", .order = ORDER, .type = H5T_STD_I32LE, .rank = 1, .grows = true},
        {.name = "f8_be", .order = ORDER, .index_k = 1, .type = H5T_IEEE_F64BE, .rank = 1, .fill = true, .grows = true},
        {.name = "f4_sdf",
         .order = ORDER,
         .index_k = 2,
         .type = H5T_IEEE_F32LE,
         .rank = 2,
         .filters = "sdf",
         .fill = true},
        {.name = "i2_nbit", .order = ORDER, .index_k = 1, .type = odd, .rank = 2, .filters = "n"},
        {.name = "i4_offset", .order = ORDER, .index_k = 1, .type = H5T_STD_I32LE, .rank = 2, .filters = "o"},
        {.name = "u1_szip", .order = ORDER, .index_k = 1, .type = H5T_STD_U8LE, .rank = 3, .filters = "z"},
        {.name = "u8", .index_k = 1, .type = H5T_STD_U64LE, .rank = 2, .links = 2},
        {.name = "dense", .order = ORDER, .index_k = 1, .type = H5T_STD_I8LE, .rank = 1, .links = 6, .atts = 6},
        {.name = "dense_more", .order = ORDER, .index_k = 1, .type = H5T_STD_I8LE, .rank = 1, .links = 40, .atts = 30},
        {.name = "dense_names", .index_k = 1, .type = H5T_STD_U16BE, .rank = 1, .links = 7},
        {.name = "dense_blocks",
         .order = ORDER,
         .index_k = 1,
         .type = H5T_STD_I8LE,
         .rank = 1,
         .links = 7,
         .long_names = true},
        {.name = "scale", .order = ORDER, .index_k = 1, .type = H5T_IEEE_F32BE, .rank = 1, .scale = true},
        {.name = "scale_dense",
         .order = ORDER,
         .index_k = 1,
         .type = H5T_IEEE_F32BE,
         .rank = 1,
         .scale = true,
         .atts = 5},
        {.name = "types", .order = ORDER},
        {.name = "user_block", .order = ORDER, .user_block = true, .index_k = 1, .type = H5T_STD_U32LE, .rank = 1},
        {.name = "latest", .order = ORDER, .latest = true, .type = H5T_STD_I64LE, .rank = 2, .filters = "d"},
        {.name = "shared",
         .order = ORDER,
         .type = H5T_IEEE_F32LE,
         .rank = 2,
         .filters = "sd",
         .fill = true,
         .links = 2,
         .atts = 3,
         .shared = true},
        {.name = "shared_dense",
         .latest = true,
         .type = H5T_IEEE_F64LE,
         .rank = 1,
         .scale = true,
         .atts = 7,
         .shared = true},
        {.name = "latest_names", .latest = true, .type = H5T_STD_I32BE, .rank = 1, .links = 6, .atts = 6},
    };

    if (argc != 2)
        return 2;
    top = argv[1];
    MUST(H5Tset_precision(odd, 10));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        make(&all[i]);
    make_rare();
    return 0;
}
