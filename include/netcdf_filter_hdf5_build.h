/* SPDX-License-Identifier: BSD-3-Clause */
/* What an HDF5 filter plugin is made of, with or without HDF5.
 *
 * With -DUSE_HDF5, or where hdf5.h was included before, everything comes from
 * HDF5's own headers. Otherwise the same names are given here, so that a filter
 * can be written, built and run where there is no libhdf5; memory that crosses
 * the plugin's border is then malloc'ed. */
#ifndef NETCDF_FILTER_HDF5_BUILD_H
#define NETCDF_FILTER_HDF5_BUILD_H 1

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netcdf.h"
#include "netcdf_filter.h"

#if defined(USE_HDF5) || defined(H5_VERS_MAJOR)

#include <H5PLextern.h>
#include <hdf5.h>
#if H5_VERS_MAJOR == 1 && (H5_VERS_MINOR < 8 || (H5_VERS_MINOR == 8 && H5_VERS_RELEASE < 12))
#define NETCDF_FILTER_PLAIN_MEMORY 1
#endif

#else /* without HDF5 */

#define NETCDF_FILTER_PLAIN_MEMORY 1

typedef int herr_t; /* < 0: failed */
typedef int htri_t; /* > 0: yes, 0: no, < 0: failed */
typedef int hbool_t;
typedef long long hid_t;
typedef unsigned long long hsize_t;

typedef int H5Z_filter_t;
#define H5Z_FILTER_RESERVED 256 /* ids below are HDF5's own */
#ifndef H5Z_FILTER_MAX
#define H5Z_FILTER_MAX 65535
#endif

#define H5Z_FLAG_MANDATORY 0x0000
#define H5Z_FLAG_OPTIONAL 0x0001 /* may be left out for a chunk */
#define H5Z_FLAG_REVERSE 0x0100  /* decode */
#define H5Z_FLAG_SKIP_EDC 0x0200 /* decode, and do not check */

typedef htri_t (*H5Z_can_apply_func_t)(hid_t dcpl_id, hid_t type_id, hid_t space_id);
typedef herr_t (*H5Z_set_local_func_t)(hid_t dcpl_id, hid_t type_id, hid_t space_id);
/* Encodes or decodes nbytes of *buf, which has *buf_size bytes of room; may
 * replace it. Returns the bytes that count now; 0: failed. */
typedef size_t (*H5Z_func_t)(unsigned int flags, size_t cd_nelmts, const unsigned int cd_values[], size_t nbytes,
                             size_t *buf_size, void **buf);

#define H5Z_CLASS_T_VERS 1
typedef struct H5Z_class2_t {
    int version; /* H5Z_CLASS_T_VERS */
    H5Z_filter_t id;
    unsigned encoder_present;
    unsigned decoder_present;
    const char *name;
    H5Z_can_apply_func_t can_apply; /* NULL: always */
    H5Z_set_local_func_t set_local; /* NULL: the words stay as given */
    H5Z_func_t filter;
} H5Z_class2_t;

typedef enum H5PL_type_t { H5PL_TYPE_ERROR = -1, H5PL_TYPE_FILTER = 0, H5PL_TYPE_NONE = 1 } H5PL_type_t;

#endif

#ifdef NETCDF_FILTER_PLAIN_MEMORY
#define H5allocate_memory(size, clear) ((clear) ? calloc(1, (size)) : malloc(size))
#define H5resize_memory(buf, size) realloc((buf), (size))
#define H5free_memory(buf) free(buf)
#endif

/* The two functions a plugin exports:
 *     H5PL_type_t H5PLget_plugin_type(void);     gives H5PL_TYPE_FILTER
 *     const void *H5PLget_plugin_info(void);     gives a const H5Z_class2_t * */
typedef H5PL_type_t (*H5PL_get_plugin_type_proto)(void);
typedef const void *(*H5PL_get_plugin_info_proto)(void);

#ifndef DLLEXPORT
#if defined(_WIN32)
#define DLLEXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DLLEXPORT __attribute__((visibility("default")))
#else
#define DLLEXPORT
#endif
#endif

/* --- words of HDF5's own sources, for filters that came from there ----------------- */
#ifndef HGOTO_ERROR
#define HGOTO_ERROR(major, minor, value, text) \
    do { \
        fprintf(stderr, "%s\n", text); \
        ret_value = (value); \
        goto done; \
    } while (0)
#endif
#ifndef H5MM_malloc
#define H5MM_malloc(n) malloc(n)
#define H5MM_realloc(p, n) realloc((p), (n))
#define H5MM_xfree(p) free(p)
#define H5MM_memcpy(to, from, n) memcpy((to), (from), (n))
#endif
#ifndef H5_ATTR_UNUSED
#define H5_ATTR_UNUSED
#endif
#ifndef H5_ATTR_FALLTHROUGH
#define H5_ATTR_FALLTHROUGH
#endif
#ifndef FUNC_ENTER_STATIC
#define FUNC_ENTER_STATIC
#endif
#ifndef FUNC_ENTER_STATIC_NOERR
#define FUNC_ENTER_STATIC_NOERR
#endif
#ifndef FUNC_ENTER_NOAPI_NOINIT_NOERR
#define FUNC_ENTER_NOAPI_NOINIT_NOERR
#endif
#ifndef FUNC_LEAVE_NOAPI
#define FUNC_LEAVE_NOAPI(value) return value;
#endif
#ifndef FUNC_LEAVE_NOAPI_VOID
#define FUNC_LEAVE_NOAPI_VOID return;
#endif
#ifndef H5_CHECKED_ASSIGN
#define H5_CHECKED_ASSIGN(to, to_type, from, from_type) (to) = (to_type)(from)
#endif
#ifndef H5_CHECK_OVERFLOW
#define H5_CHECK_OVERFLOW(value, from_type, to_type)
#endif
#ifndef SUCCEED
#define SUCCEED 0
#define FAIL (-1)
#endif
#ifndef FALSE
#define FALSE 0
#define TRUE 1
#endif
#ifndef HDassert
#define HDassert(x)
#endif
#ifndef HDmemset
#define HDmemset memset
#endif
#ifndef HDceil
#define HDceil(x) ceil(x)
#endif
#ifndef UINT32ENCODE /* four bytes, the lowest first; p moves on */
#define UINT32ENCODE(p, i) \
    do { \
        uint32_t uint32_value = (uint32_t)(i); \
        for (int uint32_byte = 0; uint32_byte < 4; uint32_byte++, uint32_value >>= 8) \
            *(p)++ = (uint8_t)(uint32_value & 0xff); \
    } while (0)
#define UINT32DECODE(p, i) \
    do { \
        (i) = 0; \
        for (int uint32_byte = 0; uint32_byte < 4; uint32_byte++) \
            (i) |= (uint32_t) * (p)++ << (8 * uint32_byte); \
    } while (0)
#endif

#endif
