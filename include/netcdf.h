/* SPDX-License-Identifier: BSD-3-Clause */
/* The netCDF C interface, as Cellar provides it.
 *
 * Source compatible with netCDF-C 4.9.3: the same names, signatures, constants
 * and error codes. Every function is bound to a symbol with the prefix "cel_",
 * so that one process can hold this library and libnetcdf, each answering its
 * own callers.
 *
 * Calls give NC_NOERR (0) or a negative NC_E... code; positive codes are the
 * system's errno. Output pointers may be NULL where a value is not wanted.
 * cellar.h has what netCDF lacks, first of all the text of the last error. */
#ifndef _NETCDF_
#define _NETCDF_

#include <errno.h>
#include <stddef.h>

typedef int nc_type;

/* --- how declarations become symbols ------------------------------------------ */

#if defined(_WIN32) && defined(DLL_NETCDF)
#if defined(DLL_EXPORT)
#define MSC_EXTRA __declspec(dllexport)
#else
#define MSC_EXTRA __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MSC_EXTRA __attribute__((visibility("default")))
#else
#define MSC_EXTRA
#endif
#define EXTERNL MSC_EXTRA extern

/* CELLAR_API(int, nc_close, (int ncid)) declares nc_close, whose symbol is
 * cel_nc_close: by an asm label, or by the macros of cellar_symbols.h for
 * compilers that have none. */
#if defined(__GNUC__) && !defined(CELLAR_NO_ASM_LABELS)
#define CELLAR_TEXT_(x) #x
#define CELLAR_TEXT(x) CELLAR_TEXT_(x)
#define CELLAR_API(type, name, args) EXTERNL type name args __asm__(CELLAR_TEXT(__USER_LABEL_PREFIX__) "cel_" #name)
#define CELLAR_API_DATA(type, name) EXTERNL type name __asm__(CELLAR_TEXT(__USER_LABEL_PREFIX__) "cel_" #name)
#else
#include "cellar_symbols.h"
#define CELLAR_API(type, name, args) EXTERNL type name args
#define CELLAR_API_DATA(type, name) EXTERNL type name
#endif

/* --- types -------------------------------------------------------------------- */

#define NC_NAT 0 /* no type */
#define NC_BYTE 1
#define NC_CHAR 2
#define NC_SHORT 3
#define NC_INT 4
#define NC_LONG NC_INT /* old name */
#define NC_FLOAT 5
#define NC_DOUBLE 6
#define NC_UBYTE 7
#define NC_USHORT 8
#define NC_UINT 9
#define NC_INT64 10
#define NC_UINT64 11
#define NC_STRING 12
#define NC_MAX_ATOMIC_TYPE NC_STRING

/* Classes of user-defined types, as nc_inq_user_type() answers. */
#define NC_VLEN 13
#define NC_OPAQUE 14
#define NC_ENUM 15
#define NC_COMPOUND 16
#define NC_FIRSTUSERTYPEID 32 /* ids of user-defined types start here */

/* One element of a variable-length type. */
typedef struct {
    size_t len; /* number of base-type values */
    void *p;    /* the values */
} nc_vlen_t;

#define NC_COMPOUND_OFFSET(S, M) (offsetof(S, M))

/* What unwritten places read as. */
#define NC_FILL_BYTE ((signed char)-127)
#define NC_FILL_CHAR ((char)0)
#define NC_FILL_SHORT ((short)-32767)
#define NC_FILL_INT (-2147483647)
#define NC_FILL_FLOAT (9.9692099683868690e+36f)
#define NC_FILL_DOUBLE (9.9692099683868690e+36)
#define NC_FILL_UBYTE (255)
#define NC_FILL_USHORT (65535)
#define NC_FILL_UINT (4294967295U)
#define NC_FILL_INT64 ((long long)-9223372036854775806LL)
#define NC_FILL_UINT64 ((unsigned long long)18446744073709551614ULL)
#define NC_FILL_STRING ((char *)"")

/* Name of the attribute that replaces them for one variable. */
#define _FillValue "_FillValue"
#define NC_FillValue "_FillValue"

#define NC_MAX_BYTE 127
#define NC_MIN_BYTE (-NC_MAX_BYTE - 1)
#define NC_MAX_CHAR 255
#define NC_MAX_SHORT 32767
#define NC_MIN_SHORT (-NC_MAX_SHORT - 1)
#define NC_MAX_INT 2147483647
#define NC_MIN_INT (-NC_MAX_INT - 1)
#define NC_MAX_FLOAT 3.402823466e+38f
#define NC_MIN_FLOAT (-NC_MAX_FLOAT)
#define NC_MAX_DOUBLE 1.7976931348623157e+308
#define NC_MIN_DOUBLE (-NC_MAX_DOUBLE)
#define NC_MAX_UBYTE NC_MAX_CHAR
#define NC_MAX_USHORT 65535U
#define NC_MAX_UINT 4294967295U
#define NC_MAX_INT64 (9223372036854775807LL)
#define NC_MIN_INT64 (-9223372036854775807LL - 1)
#define NC_MAX_UINT64 (18446744073709551615ULL)

/* --- limits and special arguments ------------------------------------------------ */

#define NC_MAX_NAME 256 /* bytes of a name */
#define NC_MAX_VAR_DIMS 1024
#define NC_MAX_DIMS 1024 /* this and the next two: kept for old programs, not enforced */
#define NC_MAX_ATTRS 8192
#define NC_MAX_VARS 8192
#define NC_MAX_HDF4_NAME NC_MAX_NAME
#define NC_MAX_MAGIC_NUMBER_LEN 8

#define NC_UNLIMITED 0L /* length for nc_def_dim(): grows as data is written */
#define NC_GLOBAL -1    /* varid: the attributes of a group */
#define NC_SIZEHINT_DEFAULT 0
#define NC_ALIGN_CHUNK ((size_t)(-1))

/* --- mode flags of nc_create() and nc_open() ---------------------------------------- */

#define NC_NOWRITE 0x0000
#define NC_WRITE 0x0001
#define NC_CLOBBER 0x0000
#define NC_NOCLOBBER 0x0004  /* create: fail with NC_EEXIST rather than replace a file */
#define NC_DISKLESS 0x0008   /* keep the file in memory */
#define NC_MMAP 0x0010       /* old; as NC_DISKLESS */
#define NC_64BIT_DATA 0x0020 /* CDF-5 */
#define NC_CDF5 NC_64BIT_DATA
#define NC_UDF0 0x0040
#define NC_UDF1 0x0080
#define NC_CLASSIC_MODEL 0x0100 /* netCDF-4 file, classic data model and mode rules */
#define NC_64BIT_OFFSET 0x0200  /* CDF-2 */
#define NC_LOCK 0x0400
#define NC_SHARE 0x0800
#define NC_NETCDF4 0x1000
#define NC_MPIIO 0x2000
#define NC_MPIPOSIX NC_MPIIO
#define NC_PNETCDF (NC_MPIIO)
#define NC_PERSIST 0x4000 /* with NC_DISKLESS: write to the path at close */
#define NC_INMEMORY 0x8000
#define NC_NOATTCREORD 0x20000
#define NC_NODIMSCALE_ATTACH 0x40000

#define NC_FILL 0 /* nc_set_fill() */
#define NC_NOFILL 0x100

/* --- formats ---------------------------------------------------------------------- */

/* nc_set_default_format(), nc_inq_format() */
#define NC_FORMAT_CLASSIC (1)
#define NC_FORMAT_64BIT_OFFSET (2)
#define NC_FORMAT_64BIT (NC_FORMAT_64BIT_OFFSET)
#define NC_FORMAT_NETCDF4 (3)
#define NC_FORMAT_NETCDF4_CLASSIC (4)
#define NC_FORMAT_64BIT_DATA (5)
#define NC_FORMAT_CDF5 NC_FORMAT_64BIT_DATA
#define NC_FORMAT_ALL (NC_64BIT_OFFSET | NC_64BIT_DATA | NC_CLASSIC_MODEL | NC_NETCDF4 | NC_UDF0 | NC_UDF1)

/* nc_inq_format_extended() */
#define NC_FORMATX_UNDEFINED (0)
#define NC_FORMATX_NC3 (1)
#define NC_FORMATX_NC_HDF5 (2)
#define NC_FORMATX_NC4 NC_FORMATX_NC_HDF5
#define NC_FORMATX_NC_HDF4 (3)
#define NC_FORMATX_PNETCDF (4)
#define NC_FORMATX_DAP2 (5)
#define NC_FORMATX_DAP4 (6)
#define NC_FORMATX_UDF0 (8)
#define NC_FORMATX_UDF1 (9)
#define NC_FORMATX_NCZARR (10)
#define NC_FORMATX_ZARR NC_FORMATX_NCZARR

#define NC_FORMAT_UNDEFINED NC_FORMATX_UNDEFINED /* older spellings of the same */
#define NC_FORMAT_NC3 NC_FORMATX_NC3
#define NC_FORMAT_NC_HDF5 NC_FORMATX_NC_HDF5
#define NC_FORMAT_NC4 NC_FORMATX_NC4
#define NC_FORMAT_NC_HDF4 NC_FORMATX_NC_HDF4
#define NC_FORMAT_PNETCDF NC_FORMATX_PNETCDF
#define NC_FORMAT_DAP2 NC_FORMATX_DAP2
#define NC_FORMAT_DAP4 NC_FORMATX_DAP4

/* --- properties of a variable ------------------------------------------------------ */

#define NC_ENDIAN_NATIVE 0
#define NC_ENDIAN_LITTLE 1
#define NC_ENDIAN_BIG 2

#define NC_CHUNKED 0
#define NC_CONTIGUOUS 1
#define NC_COMPACT 2
#define NC_UNKNOWN_STORAGE 3
#define NC_VIRTUAL 4

#define NC_NOCHECKSUM 0
#define NC_FLETCHER32 1
#define NC_NOSHUFFLE 0
#define NC_SHUFFLE 1
#define NC_MIN_DEFLATE_LEVEL 0
#define NC_MAX_DEFLATE_LEVEL 9
#define NC_SZIP_EC 4
#define NC_SZIP_NN 32

#define NC_NOQUANTIZE 0
#define NC_QUANTIZE_BITGROOM 1
#define NC_QUANTIZE_GRANULARBR 2
#define NC_QUANTIZE_BITROUND 3
#define NC_QUANTIZE_MAX_FLOAT_NSD (6) /* decimal digits; 7 would corrupt values (it did in netCDF-C 4.9) */
#define NC_QUANTIZE_MAX_FLOAT_NSB (23)
#define NC_QUANTIZE_MAX_DOUBLE_NSD (15)
#define NC_QUANTIZE_MAX_DOUBLE_NSB (52)
#define NC_QUANTIZE_BITGROOM_ATT_NAME "_QuantizeBitGroomNumberOfSignificantDigits"
#define NC_QUANTIZE_GRANULARBR_ATT_NAME "_QuantizeGranularBitRoundNumberOfSignificantDigits"
#define NC_QUANTIZE_BITROUND_ATT_NAME "_QuantizeBitRoundNumberOfSignificantBits"

#define NC_COMPRESSION_MAX_NAME 64   /* nc_def_var_compress(): bytes of a method's name, */
#define NC_COMPRESSION_MAX_PARAMS 64 /* parameters of a method, */
#define NC_COMPRESSION_MAX_DIMS 16   /* dimensions in a parameter block */

/* The parameters of each method, over the words given to nc_def_var_compress(). */
typedef union {
    unsigned int params[NC_COMPRESSION_MAX_PARAMS];
    struct {
        unsigned int level;
    } zip;
    struct {
        unsigned int level;
    } bzip2;
    struct {
        unsigned int options_mask;
        unsigned int pixels_per_block;
    } szip;
    struct {
        int isdouble;
        int prec; /* bits to keep; 0: all */
        int rank;
        size_t chunksizes[NC_COMPRESSION_MAX_DIMS];
    } fpzip;
    struct {
        int isdouble;
        int prec;
        double rate;
        double tolerance;
        int rank;
        size_t chunksizes[NC_COMPRESSION_MAX_DIMS];
    } zfp;
} nc_compression_t;

#define DIM_WITHOUT_VARIABLE "This is a netCDF dimension but not a netCDF variable."

/* --- error codes --------------------------------------------------------------------- */

#define NC_ISSYSERR(err) ((err) > 0)
#define NC_NOERR 0
#define NC2_ERR (-1) /* what every failing version-2 call gives */
#define NC_SYSERR (-31)
#define NC_EXDR (-32)
#define NC_EBADID (-33)       /* no open dataset has this id */
#define NC_ENFILE (-34)       /* too many open datasets */
#define NC_EEXIST (-35)       /* the file exists and NC_NOCLOBBER was given */
#define NC_EINVAL (-36)       /* an argument is not valid */
#define NC_EPERM (-37)        /* the dataset is read-only */
#define NC_ENOTINDEFINE (-38) /* needs define mode */
#define NC_EINDEFINE (-39)    /* not while in define mode */
#define NC_EINVALCOORDS (-40) /* a start index lies outside its dimension */
#define NC_EMAXDIMS (-41)
#define NC_ENAMEINUSE (-42)
#define NC_ENOTATT (-43)
#define NC_EMAXATTS (-44)
#define NC_EBADTYPE (-45)
#define NC_EBADDIM (-46)
#define NC_EUNLIMPOS (-47) /* an unlimited dimension that is not the first one */
#define NC_EMAXVARS (-48)
#define NC_ENOTVAR (-49)
#define NC_EGLOBAL (-50) /* NC_GLOBAL where a variable is needed */
#define NC_ENOTNC (-51)  /* no format known here */
#define NC_ESTS (-52)
#define NC_EMAXNAME (-53)
#define NC_EUNLIMIT (-54) /* a second unlimited dimension */
#define NC_ENORECVARS (-55)
#define NC_ECHAR (-56) /* text and numbers do not convert */
#define NC_EEDGE (-57) /* start + count lies outside a dimension */
#define NC_ESTRIDE (-58)
#define NC_EBADNAME (-59)
#define NC_ERANGE (-60) /* some values did not fit the target type; all were stored */
#define NC_ENOMEM (-61)
#define NC_EVARSIZE (-62)
#define NC_EDIMSIZE (-63)
#define NC_ETRUNC (-64) /* the file is shorter than it says */
#define NC_EAXISTYPE (-65)

#define NC_EDAP (-66)
#define NC_ECURL (-67)
#define NC_EIO (-68)
#define NC_ENODATA (-69)
#define NC_EDAPSVC (-70)
#define NC_EDAS (-71)
#define NC_EDDS (-72)
#define NC_EDMR NC_EDDS
#define NC_EDATADDS (-73)
#define NC_EDATADAP NC_EDATADDS
#define NC_EDAPURL (-74)
#define NC_EDAPCONSTRAINT (-75)
#define NC_ETRANSLATION (-76)
#define NC_EACCESS (-77)
#define NC_EAUTH (-78)
#define NC_EURL (NC_EDAPURL)
#define NC_ECONSTRAINT (NC_EDAPCONSTRAINT)

#define NC_ENOTFOUND (-90)
#define NC_ECANTREMOVE (-91)
#define NC_EINTERNAL (-92)
#define NC_EPNETCDF (-93)

#define NC4_FIRST_ERROR (-100)
#define NC_EHDFERR (-101) /* libhdf5 failed; cellar_error() has its reason */
#define NC_ECANTREAD (-102)
#define NC_ECANTWRITE (-103)
#define NC_ECANTCREATE (-104)
#define NC_EFILEMETA (-105)
#define NC_EDIMMETA (-106)
#define NC_EATTMETA (-107)
#define NC_EVARMETA (-108)
#define NC_ENOCOMPOUND (-109)
#define NC_EATTEXISTS (-110)
#define NC_ENOTNC4 (-111)    /* the dataset's format cannot do this */
#define NC_ESTRICTNC3 (-112) /* the classic model does not allow this */
#define NC_ENOTNC3 (-113)
#define NC_ENOPAR (-114)
#define NC_EPARINIT (-115)
#define NC_EBADGRPID (-116)
#define NC_EBADTYPID (-117)
#define NC_ETYPDEFINED (-118) /* the type is in use and cannot change any more */
#define NC_EBADFIELD (-119)
#define NC_EBADCLASS (-120)
#define NC_EMAPTYPE (-121)
#define NC_ELATEFILL (-122)
#define NC_ELATEDEF (-123) /* the variable is already made: too late for this property */
#define NC_EDIMSCALE (-124)
#define NC_ENOGRP (-125)
#define NC_ESTORAGE (-126)
#define NC_EBADCHUNK (-127)
#define NC_ENOTBUILT (-128) /* not in this build */
#define NC_EDISKLESS (-129)
#define NC_ECANTEXTEND (-130)
#define NC_EMPI (-131)
#define NC_EFILTER (-132) /* a filter failed, or was given bad parameters */
#define NC_ERCFILE (-133)
#define NC_ENULLPAD (-134)
#define NC_EINMEMORY (-135)
#define NC_ENOFILTER (-136) /* the filter is unknown here, or not on this variable */
#define NC_ENCZARR (-137)
#define NC_ES3 (-138)
#define NC_EEMPTY (-139)
#define NC_EOBJECT (-140)
#define NC_ENOOBJECT (-141)
#define NC_EPLUGIN (-142)
#define NC_ENOTZARR (-143)
#define NC_EZARRMETA (-144)
#define NC4_LAST_ERROR (-144)
#define NC_ECOMPRESS (-301) /* nc_def_var_compress(): bad method or parameters */

#if defined(__cplusplus)
extern "C" {
#endif

/* --- the library ----------------------------------------------------------------------- */

CELLAR_API(const char *, nc_inq_libvers, (void)); /* "4.9.3 of ...": the interface version first */
CELLAR_API(const char *, nc_strerror, (int ncerr1));
CELLAR_API(int, nc_initialize, (void)); /* neither this nor nc_finalize() need be called */
CELLAR_API(int, nc_finalize, (void));
CELLAR_API(int, nc_set_log_level, (int new_level)); /* 0 and above: warnings go to stderr */
#define NC_TURN_OFF_LOGGING (-1)
CELLAR_API(char *, nc_rc_get, (const char *key)); /* NULL: not set; yours to free */
CELLAR_API(int, nc_rc_set, (const char *key, const char *value));

CELLAR_API(int, nc_set_default_format, (int format, int *old_formatp));
CELLAR_API(int, nc_set_alignment, (int threshold, int alignment));
CELLAR_API(int, nc_get_alignment, (int *thresholdp, int *alignmentp));
/* HDF5 files made from now on: metadata is allocated in blocks of so many bytes; 0: HDF5's own size. */
CELLAR_API(int, nc_set_meta_block_size, (size_t size));
CELLAR_API(int, nc_get_meta_block_size, (size_t * sizep));
CELLAR_API(int, nc_set_chunk_cache, (size_t size, size_t nelems, float preemption));
CELLAR_API(int, nc_get_chunk_cache, (size_t * sizep, size_t *nelemsp, float *preemptionp));

typedef struct NC_Dispatch NC_Dispatch;
CELLAR_API(int, nc_def_user_format, (int mode_flag, NC_Dispatch *dispatch_table, char *magic_number));
CELLAR_API(int, nc_inq_user_format, (int mode_flag, NC_Dispatch **dispatch_table, char *magic_number));

/* --- datasets ---------------------------------------------------------------------------- */

CELLAR_API(int, nc_create, (const char *path, int cmode, int *ncidp));
CELLAR_API(int, nc__create, (const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int *ncidp));
CELLAR_API(int, nc_open, (const char *path, int mode, int *ncidp));
CELLAR_API(int, nc__open, (const char *path, int mode, size_t *chunksizehintp, int *ncidp));
CELLAR_API(int, nc_redef, (int ncid));
CELLAR_API(int, nc_enddef, (int ncid));
CELLAR_API(int, nc__enddef, (int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align));
CELLAR_API(int, nc_sync, (int ncid));
CELLAR_API(int, nc_abort, (int ncid));
CELLAR_API(int, nc_close, (int ncid));
CELLAR_API(int, nc_delete, (const char *path));
CELLAR_API(int, nc_set_fill, (int ncid, int fillmode, int *old_modep));

CELLAR_API(int, nc_inq, (int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp));
CELLAR_API(int, nc_inq_ndims, (int ncid, int *ndimsp));
CELLAR_API(int, nc_inq_nvars, (int ncid, int *nvarsp));
CELLAR_API(int, nc_inq_natts, (int ncid, int *nattsp));
CELLAR_API(int, nc_inq_unlimdim, (int ncid, int *unlimdimidp)); /* -1: none */
CELLAR_API(int, nc_inq_unlimdims, (int ncid, int *nunlimdimsp, int *unlimdimidsp));
CELLAR_API(int, nc_inq_format, (int ncid, int *formatp));
CELLAR_API(int, nc_inq_format_extended, (int ncid, int *formatp, int *modep));
CELLAR_API(int, nc_inq_path, (int ncid, size_t *pathlen, char *path));
CELLAR_API(int, nc_show_metadata, (int ncid));

/* Leftovers of a machine with several processing elements: only 0 exists. */
CELLAR_API(int, nc__create_mp,
           (const char *path, int cmode, size_t initialsz, int basepe, size_t *chunksizehintp, int *ncidp));
CELLAR_API(int, nc__open_mp, (const char *path, int mode, int basepe, size_t *chunksizehintp, int *ncidp));
CELLAR_API(int, nc_delete_mp, (const char *path, int basepe));
CELLAR_API(int, nc_set_base_pe, (int ncid, int pe));
CELLAR_API(int, nc_inq_base_pe, (int ncid, int *pe));

/* --- groups --------------------------------------------------------------------------------- */

CELLAR_API(int, nc_def_grp, (int parent_ncid, const char *name, int *new_ncid));
CELLAR_API(int, nc_rename_grp, (int grpid, const char *name));
CELLAR_API(int, nc_inq_ncid, (int ncid, const char *name, int *grp_ncid));
CELLAR_API(int, nc_inq_grp_ncid, (int ncid, const char *grp_name, int *grp_ncid));
CELLAR_API(int, nc_inq_grp_full_ncid, (int ncid, const char *full_name, int *grp_ncid));
CELLAR_API(int, nc_inq_grp_parent, (int ncid, int *parent_ncid));
CELLAR_API(int, nc_inq_grps, (int ncid, int *numgrps, int *ncids));
CELLAR_API(int, nc_inq_grpname, (int ncid, char *name));
CELLAR_API(int, nc_inq_grpname_full, (int ncid, size_t *lenp, char *full_name));
CELLAR_API(int, nc_inq_grpname_len, (int ncid, size_t *lenp));
CELLAR_API(int, nc_inq_varids, (int ncid, int *nvars, int *varids));
CELLAR_API(int, nc_inq_dimids, (int ncid, int *ndims, int *dimids, int include_parents));
CELLAR_API(int, nc_inq_typeids, (int ncid, int *ntypes, int *typeids));

/* --- dimensions ------------------------------------------------------------------------------- */

CELLAR_API(int, nc_def_dim, (int ncid, const char *name, size_t len, int *idp));
CELLAR_API(int, nc_rename_dim, (int ncid, int dimid, const char *name));
CELLAR_API(int, nc_inq_dim, (int ncid, int dimid, char *name, size_t *lenp));
CELLAR_API(int, nc_inq_dimid, (int ncid, const char *name, int *idp));
CELLAR_API(int, nc_inq_dimname, (int ncid, int dimid, char *name));
CELLAR_API(int, nc_inq_dimlen, (int ncid, int dimid, size_t *lenp));

/* --- variables ---------------------------------------------------------------------------------- */

CELLAR_API(int, nc_def_var, (int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int *varidp));
CELLAR_API(int, nc_rename_var, (int ncid, int varid, const char *name));
CELLAR_API(int, nc_inq_var, (int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp));
CELLAR_API(int, nc_inq_varid, (int ncid, const char *name, int *varidp));
CELLAR_API(int, nc_inq_varname, (int ncid, int varid, char *name));
CELLAR_API(int, nc_inq_vartype, (int ncid, int varid, nc_type *xtypep));
CELLAR_API(int, nc_inq_varndims, (int ncid, int varid, int *ndimsp));
CELLAR_API(int, nc_inq_vardimid, (int ncid, int varid, int *dimidsp));
CELLAR_API(int, nc_inq_varnatts, (int ncid, int varid, int *nattsp));
CELLAR_API(int, nc_copy_var, (int ncid_in, int varid, int ncid_out));

/* How a variable is kept: before nc_enddef(), or it is NC_ELATEDEF. */
CELLAR_API(int, nc_def_var_chunking, (int ncid, int varid, int storage, const size_t *chunksizesp));
CELLAR_API(int, nc_inq_var_chunking, (int ncid, int varid, int *storagep, size_t *chunksizesp));
CELLAR_API(int, nc_def_var_fill, (int ncid, int varid, int no_fill, const void *fill_value));
CELLAR_API(int, nc_inq_var_fill, (int ncid, int varid, int *no_fill, void *fill_valuep));
CELLAR_API(int, nc_def_var_endian, (int ncid, int varid, int endian));
CELLAR_API(int, nc_inq_var_endian, (int ncid, int varid, int *endianp));
CELLAR_API(int, nc_def_var_quantize, (int ncid, int varid, int quantize_mode, int nsd));
CELLAR_API(int, nc_inq_var_quantize, (int ncid, int varid, int *quantize_modep, int *nsdp));
CELLAR_API(int, nc_set_var_chunk_cache, (int ncid, int varid, size_t size, size_t nelems, float preemption));
CELLAR_API(int, nc_get_var_chunk_cache, (int ncid, int varid, size_t *sizep, size_t *nelemsp, float *preemptionp));

/* Filters; netcdf_filter.h has more. */
CELLAR_API(int, nc_def_var_deflate, (int ncid, int varid, int shuffle, int deflate, int deflate_level));
CELLAR_API(int, nc_inq_var_deflate, (int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp));
CELLAR_API(int, nc_def_var_szip, (int ncid, int varid, int options_mask, int pixels_per_block));
CELLAR_API(int, nc_inq_var_szip, (int ncid, int varid, int *options_maskp, int *pixels_per_blockp));
CELLAR_API(int, nc_def_var_fletcher32, (int ncid, int varid, int fletcher32));
CELLAR_API(int, nc_inq_var_fletcher32, (int ncid, int varid, int *fletcher32p));
CELLAR_API(int, nc_def_var_filter, (int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *parms));
CELLAR_API(int, nc_inq_var_filter, (int ncid, int varid, unsigned int *idp, size_t *nparams, unsigned int *params));

/* The same by a method's name ("zip", "szip", "bzip2", "fpzip", "zfp"); the name
 * given back is constant and not to be freed. */
CELLAR_API(int, nc_def_var_compress, (int ncid, int varid, const char *algorithm, int nparams, unsigned int *params));
CELLAR_API(int, nc_inq_var_compress, (int ncid, int varid, char **algorithmp, int *nparamsp, unsigned int *paramsp));
CELLAR_API(int, nc_def_var_shuffle, (int ncid, int varid, int shuffle));
CELLAR_API(int, nc_inq_var_shuffle, (int ncid, int varid, int *shufflep));

#define NC_HAVE_NEW_CHUNKING_API 1

/* --- attributes ------------------------------------------------------------------------------------ */

CELLAR_API(int, nc_put_att, (int ncid, int varid, const char *name, nc_type xtype, size_t len, const void *op));
CELLAR_API(int, nc_get_att, (int ncid, int varid, const char *name, void *ip));
CELLAR_API(int, nc_inq_att, (int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp));
CELLAR_API(int, nc_inq_attid, (int ncid, int varid, const char *name, int *idp));
CELLAR_API(int, nc_inq_atttype, (int ncid, int varid, const char *name, nc_type *xtypep));
CELLAR_API(int, nc_inq_attlen, (int ncid, int varid, const char *name, size_t *lenp));
CELLAR_API(int, nc_inq_attname, (int ncid, int varid, int attnum, char *name));
CELLAR_API(int, nc_copy_att, (int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out));
CELLAR_API(int, nc_rename_att, (int ncid, int varid, const char *name, const char *newname));
CELLAR_API(int, nc_del_att, (int ncid, int varid, const char *name));

/* --- user-defined types ------------------------------------------------------------------------------- */

CELLAR_API(int, nc_inq_type, (int ncid, nc_type xtype, char *name, size_t *size));
CELLAR_API(int, nc_inq_typeid, (int ncid, const char *name, nc_type *typeidp));
CELLAR_API(int, nc_inq_type_equal, (int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equal));
CELLAR_API(int, nc_inq_user_type,
           (int ncid, nc_type xtype, char *name, size_t *size, nc_type *base_nc_typep, size_t *nfieldsp, int *classp));

CELLAR_API(int, nc_def_compound, (int ncid, size_t size, const char *name, nc_type *typeidp));
CELLAR_API(int, nc_insert_compound, (int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid));
CELLAR_API(int, nc_insert_array_compound,
           (int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid, int ndims,
            const int *dim_sizes));
CELLAR_API(int, nc_inq_compound, (int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp));
CELLAR_API(int, nc_inq_compound_name, (int ncid, nc_type xtype, char *name));
CELLAR_API(int, nc_inq_compound_size, (int ncid, nc_type xtype, size_t *sizep));
CELLAR_API(int, nc_inq_compound_nfields, (int ncid, nc_type xtype, size_t *nfieldsp));
CELLAR_API(int, nc_inq_compound_field,
           (int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type *field_typeidp, int *ndimsp,
            int *dim_sizesp));
CELLAR_API(int, nc_inq_compound_fieldname, (int ncid, nc_type xtype, int fieldid, char *name));
CELLAR_API(int, nc_inq_compound_fieldindex, (int ncid, nc_type xtype, const char *name, int *fieldidp));
CELLAR_API(int, nc_inq_compound_fieldoffset, (int ncid, nc_type xtype, int fieldid, size_t *offsetp));
CELLAR_API(int, nc_inq_compound_fieldtype, (int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp));
CELLAR_API(int, nc_inq_compound_fieldndims, (int ncid, nc_type xtype, int fieldid, int *ndimsp));
CELLAR_API(int, nc_inq_compound_fielddim_sizes, (int ncid, nc_type xtype, int fieldid, int *dim_sizes));

CELLAR_API(int, nc_def_vlen, (int ncid, const char *name, nc_type base_typeid, nc_type *xtypep));
CELLAR_API(int, nc_inq_vlen, (int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep));
CELLAR_API(int, nc_put_vlen_element, (int ncid, int typeid1, void *vlen_element, size_t len, const void *data));
CELLAR_API(int, nc_get_vlen_element, (int ncid, int typeid1, const void *vlen_element, size_t *len, void *data));

CELLAR_API(int, nc_def_enum, (int ncid, nc_type base_typeid, const char *name, nc_type *typeidp));
CELLAR_API(int, nc_insert_enum, (int ncid, nc_type xtype, const char *name, const void *value));
CELLAR_API(int, nc_inq_enum,
           (int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep, size_t *num_membersp));
CELLAR_API(int, nc_inq_enum_member, (int ncid, nc_type xtype, int idx, char *name, void *value));
#define NC_UNDEFINED_ENUM_IDENT "_UNDEFINED" /* of the value 0, where no member has it */
CELLAR_API(int, nc_inq_enum_ident, (int ncid, nc_type xtype, long long value, char *identifier));

CELLAR_API(int, nc_def_opaque, (int ncid, size_t size, const char *name, nc_type *xtypep));
CELLAR_API(int, nc_inq_opaque, (int ncid, nc_type xtype, char *name, size_t *sizep));

/* Memory that reading strings and variable-length data gave you. */
CELLAR_API(int, nc_free_string, (size_t len, char **data));
CELLAR_API(int, nc_free_vlen, (nc_vlen_t * vl));
CELLAR_API(int, nc_free_vlens, (size_t len, nc_vlen_t vlens[]));
CELLAR_API(int, nc_reclaim_data, (int ncid, nc_type xtypeid, void *memory, size_t count));
CELLAR_API(int, nc_reclaim_data_all, (int ncid, nc_type xtypeid, void *memory, size_t count));
CELLAR_API(int, nc_copy_data, (int ncid, nc_type xtypeid, const void *memory, size_t count, void *copy));
CELLAR_API(int, nc_copy_data_all, (int ncid, nc_type xtypeid, const void *memory, size_t count, void **copyp));
CELLAR_API(int, nc_dump_data, (int ncid, nc_type xtypeid, void *memory, size_t count, char **buf));

/* --- data --------------------------------------------------------------------------------------------- */

/* In the variable's own type. */
CELLAR_API(int, nc_put_var, (int ncid, int varid, const void *op));
CELLAR_API(int, nc_get_var, (int ncid, int varid, void *ip));
CELLAR_API(int, nc_put_var1, (int ncid, int varid, const size_t *indexp, const void *op));
CELLAR_API(int, nc_get_var1, (int ncid, int varid, const size_t *indexp, void *ip));
CELLAR_API(int, nc_put_vara, (int ncid, int varid, const size_t *startp, const size_t *countp, const void *op));
CELLAR_API(int, nc_get_vara, (int ncid, int varid, const size_t *startp, const size_t *countp, void *ip));
CELLAR_API(int, nc_put_vars,
           (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, const void *op));
CELLAR_API(int, nc_get_vars,
           (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, void *ip));
CELLAR_API(int, nc_put_varm,
           (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
            const ptrdiff_t *imapp, const void *op));
CELLAR_API(int, nc_get_varm,
           (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
            const ptrdiff_t *imapp, void *ip));

/* Converting from and to a C type: nc_put_var_float() and the nine others of
 * each type. The type of the pointers is `in` for put and `out` for get. */
#define CELLAR_TYPED_VAR(tag, in, out) \
    CELLAR_API(int, nc_put_var_##tag, (int ncid, int varid, in op)); \
    CELLAR_API(int, nc_get_var_##tag, (int ncid, int varid, out ip)); \
    CELLAR_API(int, nc_put_var1_##tag, (int ncid, int varid, const size_t *indexp, in op)); \
    CELLAR_API(int, nc_get_var1_##tag, (int ncid, int varid, const size_t *indexp, out ip)); \
    CELLAR_API(int, nc_put_vara_##tag, (int ncid, int varid, const size_t *startp, const size_t *countp, in op)); \
    CELLAR_API(int, nc_get_vara_##tag, (int ncid, int varid, const size_t *startp, const size_t *countp, out ip)); \
    CELLAR_API(int, nc_put_vars_##tag, \
               (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, in op)); \
    CELLAR_API(int, nc_get_vars_##tag, \
               (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, out ip)); \
    CELLAR_API(int, nc_put_varm_##tag, \
               (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                const ptrdiff_t *imapp, in op)); \
    CELLAR_API(int, nc_get_varm_##tag, \
               (int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, \
                const ptrdiff_t *imapp, out ip))

/* The attribute calls of a number type; those of text and strings take no xtype. */
#define CELLAR_TYPED_ATT(tag, in, out) \
    CELLAR_API(int, nc_put_att_##tag, (int ncid, int varid, const char *name, nc_type xtype, size_t len, in op)); \
    CELLAR_API(int, nc_get_att_##tag, (int ncid, int varid, const char *name, out ip))

#define CELLAR_TYPED(tag, ctype) \
    CELLAR_TYPED_VAR(tag, const ctype *, ctype *); \
    CELLAR_TYPED_ATT(tag, const ctype *, ctype *)

CELLAR_TYPED(schar, signed char);
CELLAR_TYPED(uchar, unsigned char);
CELLAR_TYPED(ubyte, unsigned char); /* old name of uchar */
CELLAR_TYPED(short, short);
CELLAR_TYPED(ushort, unsigned short);
CELLAR_TYPED(int, int);
CELLAR_TYPED(uint, unsigned int);
CELLAR_TYPED(long, long);
CELLAR_TYPED(longlong, long long);
CELLAR_TYPED(ulonglong, unsigned long long);
CELLAR_TYPED(float, float);
CELLAR_TYPED(double, double);
CELLAR_TYPED_VAR(text, const char *, char *);
CELLAR_TYPED_VAR(string, const char **, char **);

CELLAR_API(int, nc_put_att_text, (int ncid, int varid, const char *name, size_t len, const char *op));
CELLAR_API(int, nc_get_att_text, (int ncid, int varid, const char *name, char *ip));
CELLAR_API(int, nc_put_att_string, (int ncid, int varid, const char *name, size_t len, const char **op));
CELLAR_API(int, nc_get_att_string, (int ncid, int varid, const char *name, char **ip));

/* --- version 2, for old programs ------------------------------------------------------------------------- */

#define FILL_BYTE NC_FILL_BYTE
#define FILL_CHAR NC_FILL_CHAR
#define FILL_SHORT NC_FILL_SHORT
#define FILL_LONG NC_FILL_INT
#define FILL_FLOAT NC_FILL_FLOAT
#define FILL_DOUBLE NC_FILL_DOUBLE
#define MAX_NC_DIMS NC_MAX_DIMS
#define MAX_NC_ATTRS NC_MAX_ATTRS
#define MAX_NC_VARS NC_MAX_VARS
#define MAX_NC_NAME NC_MAX_NAME
#define MAX_VAR_DIMS NC_MAX_VAR_DIMS
#define NC_ENTOOL NC_EMAXNAME
#define NC_FATAL 1
#define NC_VERBOSE 2

typedef int nclong;

CELLAR_API_DATA(int, ncerr);  /* code of the last version-2 failure */
CELLAR_API_DATA(int, ncopts); /* NC_FATAL: exit on failure, NC_VERBOSE: say why on stderr; both at first */
CELLAR_API(void, nc_advise, (const char *cdf_routine_name, int err, const char *fmt, ...));

CELLAR_API(int, nctypelen, (nc_type datatype));
CELLAR_API(int, nccreate, (const char *path, int cmode));
CELLAR_API(int, ncopen, (const char *path, int mode));
CELLAR_API(int, ncsetfill, (int ncid, int fillmode));
CELLAR_API(int, ncredef, (int ncid));
CELLAR_API(int, ncendef, (int ncid));
CELLAR_API(int, ncsync, (int ncid));
CELLAR_API(int, ncabort, (int ncid));
CELLAR_API(int, ncclose, (int ncid));
CELLAR_API(int, ncinquire, (int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimp));
CELLAR_API(int, ncdimdef, (int ncid, const char *name, long len));
CELLAR_API(int, ncdimid, (int ncid, const char *name));
CELLAR_API(int, ncdiminq, (int ncid, int dimid, char *name, long *lenp));
CELLAR_API(int, ncdimrename, (int ncid, int dimid, const char *name));
CELLAR_API(int, ncattput, (int ncid, int varid, const char *name, nc_type xtype, int len, const void *op));
CELLAR_API(int, ncattinq, (int ncid, int varid, const char *name, nc_type *xtypep, int *lenp));
CELLAR_API(int, ncattget, (int ncid, int varid, const char *name, void *ip));
CELLAR_API(int, ncattcopy, (int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out));
CELLAR_API(int, ncattname, (int ncid, int varid, int attnum, char *name));
CELLAR_API(int, ncattrename, (int ncid, int varid, const char *name, const char *newname));
CELLAR_API(int, ncattdel, (int ncid, int varid, const char *name));
CELLAR_API(int, ncvardef, (int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp));
CELLAR_API(int, ncvarid, (int ncid, const char *name));
CELLAR_API(int, ncvarinq, (int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp));
CELLAR_API(int, ncvarput1, (int ncid, int varid, const long *indexp, const void *op));
CELLAR_API(int, ncvarget1, (int ncid, int varid, const long *indexp, void *ip));
CELLAR_API(int, ncvarput, (int ncid, int varid, const long *startp, const long *countp, const void *op));
CELLAR_API(int, ncvarget, (int ncid, int varid, const long *startp, const long *countp, void *ip));
CELLAR_API(int, ncvarputs,
           (int ncid, int varid, const long *startp, const long *countp, const long *stridep, const void *op));
CELLAR_API(int, ncvargets,
           (int ncid, int varid, const long *startp, const long *countp, const long *stridep, void *ip));
CELLAR_API(int, ncvarputg,
           (int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
            const void *op));
CELLAR_API(int, ncvargetg,
           (int ncid, int varid, const long *startp, const long *countp, const long *stridep, const long *imapp,
            void *ip));
CELLAR_API(int, ncvarrename, (int ncid, int varid, const char *name));
CELLAR_API(int, ncvarcopy, (int ncid_in, int varid, int ncid_out));
#ifndef ncvarcpy
#define ncvarcpy(ncid_in, varid, ncid_out) ncvarcopy((ncid_in), (varid), (ncid_out))
#endif
CELLAR_API(int, ncrecinq, (int ncid, int *nrecvarsp, int *recvaridsp, long *recsizesp));
CELLAR_API(int, ncrecget, (int ncid, long recnum, void **datap));
CELLAR_API(int, ncrecput, (int ncid, long recnum, void *const *datap));

#if defined(__cplusplus)
}
#endif

/* Other packages test for these. */
#ifndef NC_HAVE_RENAME_GRP
#define NC_HAVE_RENAME_GRP
#endif
#ifndef NC_HAVE_INQ_FORMAT_EXTENDED
#define NC_HAVE_INQ_FORMAT_EXTENDED
#endif
#define NC_HAVE_META_H

#endif
