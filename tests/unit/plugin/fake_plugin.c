/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin of any kind the tests want, by -D switches:
 *   CLASS_ID=n      a filter class; CLASS_VERSION, PLUGIN_TYPE, NO_FILTER,
 *                   NULL_CLASS, NO_TYPE, DECODE_ONLY, LOCAL, BEHAVIOUR change it
 *   CODEC_ID=n      a codec half; CODEC_VERSION, CODEC_SORT, NULL_CODECID,
 *                   NULL_CONVERT, NULL_CODEC, ASKS change it
 *   DEFAULT_ID=n    a library of defaults for filter n (and 40100)
 * BEHAVIOUR: 0 turns bits over, in place; 1 fails; 2 claims more than there is;
 * 3 gives a new buffer of double size; 4 gives a hundred times the size */
#include <netcdf_filter_build.h>

#ifndef BEHAVIOUR
#define BEHAVIOUR 0
#endif
#ifndef CLASS_VERSION
#define CLASS_VERSION H5Z_CLASS_T_VERS
#endif
#ifndef PLUGIN_TYPE
#define PLUGIN_TYPE H5PL_TYPE_FILTER
#endif
#ifndef CODEC_VERSION
#define CODEC_VERSION NCZ_CODEC_CLASS_VER
#endif
#ifndef CODEC_SORT
#define CODEC_SORT NCZ_CODEC_HDF5
#endif

DLLEXPORT int fake_initialized, fake_finalized;

#ifdef CLASS_ID
const void *H5PLget_plugin_info(void);
H5PL_type_t H5PLget_plugin_type(void);

static size_t give(size_t n, size_t *buf_size, void **buf)
{
    unsigned char *more = H5allocate_memory(n, 1);

    if (!more)
        return 0;
    memcpy(more, *buf, n < *buf_size ? n : *buf_size);
    H5free_memory(*buf);
    *buf = more;
    *buf_size = n;
    return n;
}

static size_t run(unsigned flags, size_t nwords, const unsigned words[], size_t nbytes, size_t *buf_size, void **buf)
{
    int reverse = (flags & H5Z_FLAG_REVERSE) != 0;

    if (BEHAVIOUR == 1)
        return 0;
    if (BEHAVIOUR == 2)
        return *buf_size + 100;
    if (BEHAVIOUR == 3)
        return give(reverse ? nbytes / 2 : nbytes * 2, buf_size, buf);
    if (BEHAVIOUR == 4)
        return give(nbytes * 100 + 10000000, buf_size, buf);
    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)*buf)[i] ^= (unsigned char)(nwords ? words[0] : 0xFF);
    return nbytes;
}

#ifdef LOCAL
/* Of libhdf5, whose headers are not needed here otherwise. */
int H5Pget_filter_by_id2(int64_t list, int id, unsigned *flags, size_t *n, unsigned *words, size_t len, char *name,
                         unsigned *config);
int H5Pmodify_filter(int64_t list, int id, unsigned flags, size_t n, const unsigned *words);
int H5Pget_chunk(int64_t list, int rank, unsigned long long *lens);
size_t H5Tget_size(int64_t type);

/* The filter works with the key plus the size of an element plus the length of a chunk. */
static herr_t set_local(hid_t list, hid_t type, hid_t space)
{
    unsigned flags, config, word[4];
    unsigned long long len;
    size_t n = 4;

    (void)space;
    if (H5Pget_filter_by_id2(list, CLASS_ID, &flags, &n, word, 0, NULL, &config) < 0 || n != 1 ||
        H5Pget_chunk(list, 1, &len) != 1)
        return -1;
    word[0] += (unsigned)H5Tget_size(type) + (unsigned)len;
    return H5Pmodify_filter(list, CLASS_ID, flags, 1, word);
}
#endif

static const H5Z_class2_t klass = {
    .version = CLASS_VERSION,
    .id = CLASS_ID,
#ifndef DECODE_ONLY
    .encoder_present = 1,
#endif
    .decoder_present = 1,
    .name = "fake",
#ifdef LOCAL
    .set_local = set_local,
#endif
#ifndef NO_FILTER
    .filter = run,
#endif
};

DLLEXPORT const void *H5PLget_plugin_info(void)
{
    (void)run;
#ifdef NULL_CLASS
    return klass.id ? NULL : &klass;
#else
    return &klass;
#endif
}

#ifndef NO_TYPE
DLLEXPORT H5PL_type_t H5PLget_plugin_type(void)
{
    return (H5PL_type_t)PLUGIN_TYPE;
}
#endif
#endif

#if defined(CODEC_ID) || defined(DEFAULT_ID)
static void initialize(void)
{
    fake_initialized++;
}

static void finalize(void)
{
    fake_finalized++;
}

/* {"id": ..., "key": n} */
static int to_words(const char *codec, size_t *n, unsigned **words)
{
    NCjson *json = NULL, *key = NULL;
    struct NCJconst c = NCJconst_empty;
    int rc = NC_EFILTER;

    if (NCJparse(codec, 0, &json) == NCJ_OK && NCJdictget(json, "key", &key) == NCJ_OK && key &&
        NCJcvt(key, NCJ_INT, &c) == NCJ_OK && (*words = malloc(sizeof **words))) {
        (*words)[0] = (unsigned)c.ival;
        *n = 1;
        rc = NC_NOERR;
    }
    NCJreclaim(json);
    return rc;
}

static int json_of(const char *id, size_t n, const unsigned *words, char **codec)
{
    NCjson *json = NULL;
    int rc = n == 1 && NCJnew(NCJ_DICT, &json) == NCJ_OK && NCJinsertstring(json, "id", id) == NCJ_OK &&
                     NCJinsertint(json, "key", words[0]) == NCJ_OK && NCJunparse(json, 0, codec) == NCJ_OK
                 ? NC_NOERR
                 : NC_EFILTER;

    NCJreclaim(json);
    return rc;
}

/* The filter works with the key plus one; with ASKS, plus what the library says
 * of the variable: its type, and the length of its chunks. */
static int modify(int ncid, int varid, size_t *nv, unsigned **v, size_t *nw, unsigned **w)
{
    unsigned more = 1;
#ifdef ASKS
    nc_type type;
    size_t chunk;

    if (nc_inq_vartype(ncid, varid, &type) || nc_inq_var_chunking(ncid, varid, NULL, &chunk))
        return NC_EFILTER;
    more = (unsigned)type + (unsigned)chunk;
    (*v)[0] += 100; /* and it changes what is shown */
#endif
    (void)ncid, (void)varid;
    if (*nv != 1 || !(*w = malloc(sizeof **w)))
        return NC_EFILTER;
    (*w)[0] = (*v)[0] + more;
    *nw = 1;
    return NC_NOERR;
}
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#endif

#ifdef CODEC_ID
const void *NCZ_get_codec_info(void);

static int to_json(size_t n, const unsigned *words, char **codec)
{
    return json_of("fake" TEXT(CODEC_ID), n, words, codec);
}

static const NCZ_codec_t half = {
    .version = CODEC_VERSION,
    .sort = CODEC_SORT,
#ifndef NULL_CODECID
    .codecid = "fake" TEXT(CODEC_ID),
#endif
    .hdf5id = CODEC_ID,
    .NCZ_codec_initialize = initialize,
    .NCZ_codec_finalize = finalize,
#ifndef NULL_CONVERT
    .NCZ_codec_to_hdf5 = to_words,
    .NCZ_hdf5_to_codec = to_json,
#endif
    .NCZ_modify_parameters = modify,
};

DLLEXPORT const void *NCZ_get_codec_info(void)
{
    (void)to_json, (void)to_words;
#ifdef NULL_CODEC
    return half.hdf5id ? NULL : &half;
#else
    return &half;
#endif
}
#endif

#ifdef DEFAULT_ID
const void *NCZ_codec_info_defaults(void);

static int to_default_json(size_t n, const unsigned *words, char **codec)
{
    return json_of("default" TEXT(DEFAULT_ID), n, words, codec);
}

static const NCZ_codec_t first = {
    NCZ_CODEC_CLASS_VER, NCZ_CODEC_HDF5, "default" TEXT(DEFAULT_ID), DEFAULT_ID, initialize, finalize, to_words,
    to_default_json,     modify};
static const NCZ_codec_t second = {
    NCZ_CODEC_CLASS_VER, NCZ_CODEC_HDF5, "default40100", 40100, initialize, finalize, to_words, to_default_json, NULL};
static const NCZ_codec_t *const list[] = {&first, &second, NULL};

DLLEXPORT const void *NCZ_codec_info_defaults(void)
{
    return list;
}
#endif
