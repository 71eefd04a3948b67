/* SPDX-License-Identifier: BSD-3-Clause */
/* A filter that gives its chunks back as they are, or, while CEL_TEST_MORE says so, longer by that many bytes. */
#include <netcdf_filter_build.h>

const void *H5PLget_plugin_info(void);
H5PL_type_t H5PLget_plugin_type(void);

static size_t run(unsigned flags, size_t nwords, const unsigned words[], size_t nbytes, size_t *buf_size, void **buf)
{
    const char *text = getenv("CEL_TEST_MORE");
    size_t more = text && flags & H5Z_FLAG_REVERSE ? strtoul(text, NULL, 10) : 0;
    unsigned char *fresh;

    (void)nwords, (void)words;
    if (!more)
        return nbytes;
    fresh = H5allocate_memory(nbytes + more, 1);
    if (!fresh)
        return 0;
    memcpy(fresh, *buf, nbytes);
    H5free_memory(*buf);
    *buf = fresh;
    *buf_size = nbytes + more;
    return nbytes + more;
}

static const H5Z_class2_t klass = {.version = H5Z_CLASS_T_VERS,
                                   .id = 40109,
                                   .encoder_present = 1,
                                   .decoder_present = 1,
                                   .name = "more",
                                   .filter = run};

DLLEXPORT const void *H5PLget_plugin_info(void)
{
    return &klass;
}

DLLEXPORT H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}
