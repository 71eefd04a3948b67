/* SPDX-License-Identifier: BSD-3-Clause */
/* scaleoffset and nbit against libhdf5, which they come from: its chunks are ours byte for
 * byte, and each reads the other's; all types, both byte orders, with and without fill. */
#include "common/byte_order.h"
#include "codec.h"
#include "status.h"
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 300 };

static hid_t memory_file(void)
{
    static int nth;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS), file;
    char name[16];

    snprintf(name, sizeof name, "none%d.h5", nth++);
    H5Pset_fapl_core(fapl, 1 << 20, 0);
#if H5_VERSION_GE(1, 14, 4)
    H5Pset_relax_file_integrity_checks(fapl,
                                       H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS); /* else 3 bits of 64 are refused */
#endif
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
    assert_true(file >= 0);
    return file;
}

static struct cel_words stored_words(hid_t dataset, unsigned id)
{
    struct cel_words words = {.n = CEL_WORDS_MAX};
    hid_t dcpl = H5Dget_create_plist(dataset);
    unsigned flags, config;

    assert_true(H5Pget_filter_by_id2(dcpl, (H5Z_filter_t)id, &flags, &words.n, words.w, 0, NULL, &config) >= 0);
    H5Pclose(dcpl);
    return words;
}

/* libhdf5 1.14.5 writes chunks whose values need all their bits and refuses to read them
 * ("minimum number of bits exceeds size of type"); such chunks hold the values as they are. */
static bool refuses_its_own(void)
{
    unsigned major, minor, release;

    H5get_libversion(&major, &minor, &release);
    return major == 1 && minor == 14;
}

static void read_back(hid_t dataset, hid_t type, bool all_bits, const void *data, void *back)
{
    if (all_bits && refuses_its_own())
        memcpy(back, data, N * H5Tget_size(type));
    else
        assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
}

/* One dataset of one chunk with this data: libhdf5 writes it, then we do. `slack` bytes at
 * the end of a chunk mean nothing. */
static void compare(hid_t file, hid_t type, hid_t dcpl, unsigned id, const void *data, size_t slack)
{
    const struct cel_codec *codec = cel_codec_by_id(id);
    hsize_t n = N, first = 0, stored = 0;
    hid_t space = H5Screate_simple(1, &n, NULL),
          dataset = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    size_t size = H5Tget_size(type), len = 0, got = 0;
    unsigned char theirs[N * 8 + 64], ours[N * 8 + 64], back[N * 8], again[N * 8];
    struct cel_words words;
    struct cel_shape shape;
    struct cel_coding coding = {.codec = codec, .words = &words, .shape = &shape};
    uint32_t mask = 0;
    bool all_bits;

    assert_true(dataset >= 0);
    words = stored_words(dataset, id);
    assert_true(codec->shape_of(&words, &shape));
    assert_int_equal(shape.nbytes, N * size);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
    assert_true(H5Dget_chunk_storage_size(dataset, &first, &stored) >= 0 && stored <= sizeof theirs);
    assert_true(H5Dread_chunk(dataset, H5P_DEFAULT, &first, &mask, theirs) >= 0);
    all_bits = id == 6 && stored == 21 + N * size;
    if (all_bits && HOST_IS_BIG) { /* kept in the machine's order: not what libhdf5 reads elsewhere */
        H5Dclose(dataset);
        H5Sclose(space);
        H5Ldelete(file, "d", H5P_DEFAULT);
        return;
    }
    read_back(dataset, type, all_bits, data, back);
    assert_int_equal(mask, 0);

    if (codec->decode(&coding, theirs, stored, again, sizeof again, &got) != CEL_OK)
        fail_msg("%s", cel_error_text());
    assert_int_equal(got, N * size);
    assert_memory_equal(again, back, N * size);
    if (all_bits)
        memset(theirs + 5, 0, 8); /* the smallest value: of no use, and not always set, when all bits are stored */
    assert_int_equal(codec->encode(&coding, data, N * size, ours, codec->bound(&coding, N * size), &len), CEL_OK);
    if (len != stored || memcmp(ours, theirs, len - slack) != 0)
        fail_msg("%s: %zu bytes, and libhdf5 has %zu", codec->name, len, (size_t)stored);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, len, ours) >= 0);
    read_back(dataset, type, all_bits, data, again);
    assert_memory_equal(again, back, N * size);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Ldelete(file, "d", H5P_DEFAULT);
}

static hid_t chunked(int fills, hid_t type, const void *fill)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t n = N;

    H5Pset_chunk(dcpl, 1, &n);
    if (fills == 0)
        H5Pset_fill_value(dcpl, type, NULL); /* none */
    else if (fills == 2)
        H5Pset_fill_value(dcpl, type, fill);
    return dcpl; /* 1: the default, 0 */
}

static uint64_t random_bits(void)
{
    return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
}

/* Few or many bits, an offset, and the fill value here and there. */
static void make_integers(unsigned char *data, size_t size, bool big, int bits, const unsigned char *fill)
{
    uint64_t offset = random_bits() >> (rand() % 64);

    for (size_t i = 0; i < N; i++) {
        uint64_t v = (bits ? random_bits() >> (64 - bits) : 0) + offset;

        if (fill && rand() % 9 == 0)
            memcpy(data + i * size, fill, size);
        else
            for (size_t b = 0; b < size; b++, v >>= 8)
                data[i * size + (big ? size - 1 - b : b)] = (unsigned char)v;
    }
}

static void integers_as_libhdf5_scales_them(void **state)
{
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE, H5T_STD_U16LE, H5T_STD_I32LE, H5T_STD_U32LE,
                           H5T_STD_I64LE, H5T_STD_U64LE, H5T_STD_I16BE, H5T_STD_U32BE, H5T_STD_I64BE};
    hid_t file = memory_file();

    srand(1);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int round = 0; round < 120; round++) {
            size_t size = H5Tget_size(types[t]);
            int fills = round % 3, bits = rand() % (8 * (int)size + 1);
            unsigned char data[N * 8], fill[8];
            hid_t dcpl;

            for (size_t b = 0; b < 8; b++)
                fill[b] = (unsigned char)rand();
            dcpl = chunked(fills, types[t], fill);
            make_integers(data, size, H5Tget_order(types[t]) == H5T_ORDER_BE, bits, fills == 2 ? fill : NULL);
            H5Pset_scaleoffset(dcpl, H5Z_SO_INT, round % 5 ? 0 : bits);
            compare(file, types[t], dcpl, 6, data, 1);
            H5Pclose(dcpl);
        }
    H5Fclose(file);
}

/* s390's gcc computes floats as doubles in ISO C, which libhdf5 is compiled as there: its floats are not those of other processors. */
#ifdef __s390__
enum { FLOATS_ARE_DOUBLES = 1 };
#else
enum { FLOATS_ARE_DOUBLES = 0 };
#endif

static void reals_as_libhdf5_scales_them(void **state)
{
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    hid_t file = memory_file();

    srand(2);
    for (size_t t = 0; t < 4; t++)
        for (int round = 0; round < 150; round++) {
            size_t size = H5Tget_size(types[t]);
            bool turned = H5Tget_order(types[t]) != H5Tget_order(H5T_NATIVE_DOUBLE);
            double spread = pow(10, rand() % 9 - 3), offset = rand() % 3 ? rand() % 1000 - 500 : 0;
            unsigned char data[N * 8], fill[8], element[8];
            hid_t dcpl;

            for (size_t i = 0; i <= N; i++) {
                double d = i == N                          ? -999.25
                           : i % 11 == 0 && round % 3 == 2 ? -999.25
                                                           : offset + spread * ((double)rand() / RAND_MAX - 0.5);
                float f = (float)d;

                memcpy(element, size == 4 ? (const void *)&f : (const void *)&d, size);
                for (size_t b = 0; b < size; b++)
                    (i == N ? fill : data + i * size)[b] = element[turned ? size - 1 - b : b];
            }
            dcpl = chunked(round % 3, types[t], fill);
            H5Pset_scaleoffset(dcpl, H5Z_SO_FLOAT_DSCALE, rand() % 7);
            if (!FLOATS_ARE_DOUBLES || size == 8)
                compare(file, types[t], dcpl, 6, data, 1);
            H5Pclose(dcpl);
        }
    H5Fclose(file);
}

static void bits_as_libhdf5_packs_them(void **state)
{
    hid_t file = memory_file();

    srand(3);
    for (int round = 0; round < 400; round++) {
        static const size_t sizes[] = {1, 2, 4, 8};
        size_t size = sizes[round % 4], bits = 1 + (size_t)rand() % (8 * size),
               below = (size_t)rand() % (8 * size - bits + 1);
        hid_t type = H5Tcopy(size == 1   ? H5T_STD_U8LE
                             : size == 2 ? H5T_STD_U16LE
                             : size == 4 ? H5T_STD_U32LE
                                         : H5T_STD_U64LE);
        hid_t dcpl = chunked(1, type, NULL);
        unsigned char data[N * 8];
        bool big = rand() % 2;

        H5Tset_precision(type, bits);
        H5Tset_offset(type, below);
        H5Tset_order(type, big ? H5T_ORDER_BE : H5T_ORDER_LE);
        for (size_t i = 0; i < N; i++) {
            uint64_t v = (bits < 64 ? random_bits() & ((UINT64_C(1) << bits) - 1) : random_bits()) << below;

            for (size_t b = 0; b < size; b++, v >>= 8)
                data[i * size + (big ? size - 1 - b : b)] = (unsigned char)v;
        }
        H5Pset_nbit(dcpl);
        compare(file, type, dcpl, 5, data, bits == 8 * size ? 0 : 1);
        H5Pclose(dcpl);
        H5Tclose(type);
    }
    H5Fclose(file);
}

static void what_cannot_be_rounded_is_kept(void **state)
{
    const struct cel_codec *codec = cel_codec_by_id(6);
    struct cel_shape shape = {
        .elem_size = 8, .kind = CEL_KIND_FLOAT, .rank = 1, .dims = {4}, .nbytes = 32, .big_endian = HOST_IS_BIG};
    struct cel_words visible = {2, {0, 3}}, words = visible;
    struct cel_coding coding = {.codec = codec, .words = &words, .shape = &shape};
    double in[4] = {1.5, NAN, INFINITY, 1e300}, out[4];
    unsigned char encoded[64];
    size_t len = 0;

    assert_int_equal(codec->prepare(codec, &visible, &shape, &words), CEL_OK);
    assert_int_equal(codec->encode(&coding, in, sizeof in, encoded, sizeof encoded, &len), CEL_OK);
    assert_int_equal(codec->decode(&coding, encoded, len, out, sizeof out, &len), CEL_OK);
    assert_memory_equal(in, out, sizeof in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_as_libhdf5_scales_them),
        cmocka_unit_test(reals_as_libhdf5_scales_them),
        cmocka_unit_test(bits_as_libhdf5_packs_them),
        cmocka_unit_test(what_cannot_be_rounded_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
