/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers beside the netCDF interface: filter specifications as text, plugin
 * paths, compound types without counting offsets, data with pointers inside. */
#ifndef NCAUX_H
#define NCAUX_H

#include "netcdf.h"

#define NCAUX_ALIGN_C 0       /* as a C compiler lays the struct out */
#define NCAUX_ALIGN_UNIFORM 1 /* no padding between fields */

/* One filter with its parameters; also in netcdf_filter.h. */
#ifndef CELLAR_H5_FILTERSPEC
#define CELLAR_H5_FILTERSPEC
typedef struct NC_H5_Filterspec {
    unsigned int filterid;
    size_t nparams;
    unsigned int *params;
} NC_H5_Filterspec;
#endif

struct NCPluginList; /* netcdf_filter.h */

#if defined(__cplusplus)
extern "C" {
#endif

/* --- filters as text: "307,9", "2|32015,3" --- */
CELLAR_API(int, ncaux_h5filterspec_parse,
           (const char *txt, unsigned int *idp, size_t *nparamsp, unsigned int **paramsp));
CELLAR_API(int, ncaux_h5filterspec_parselist,
           (const char *txt0, int *formatp, size_t *nspecsp, struct NC_H5_Filterspec ***vectorp));
CELLAR_API(int, ncaux_h5filterspec_parse_parameter, (const char *txt, size_t *nuiparamsp, unsigned int *uiparams));
CELLAR_API(void, ncaux_h5filterspec_free, (struct NC_H5_Filterspec * f));
CELLAR_API(void, ncaux_h5filterspec_fix8, (unsigned char *mem, int decode));

/* --- lists of directories; sep 0: the platform's separator --- */
CELLAR_API(int, ncaux_plugin_path_parse, (const char *pathlist, char sep, struct NCPluginList *dirs));
CELLAR_API(int, ncaux_plugin_path_parsen, (size_t pathlen, const char *pathlist, char sep, struct NCPluginList *dirs));
CELLAR_API(int, ncaux_plugin_path_tostring, (const struct NCPluginList *dirs, char sep, char **catp));
CELLAR_API(int, ncaux_plugin_path_append, (struct NCPluginList * dirs, const char *dir));
CELLAR_API(int, ncaux_plugin_path_prepend, (struct NCPluginList * dirs, const char *dir));
CELLAR_API(int, ncaux_plugin_path_clear, (struct NCPluginList * dirs));   /* frees what it holds */
CELLAR_API(int, ncaux_plugin_path_reclaim, (struct NCPluginList * dirs)); /* and the list itself */

/* The whole path as one string with ';', for Fortran. */
CELLAR_API(int, ncaux_plugin_path_stringlen, (void)); /* -1: failed */
CELLAR_API(int, ncaux_plugin_path_stringget, (int pathlen, char *path));
CELLAR_API(int, ncaux_plugin_path_stringset, (int pathlen, const char *path));

/* --- compound types, field by field; offsets are found for you --- */
CELLAR_API(int, ncaux_begin_compound, (int ncid, const char *name, int alignmode, void **tag));
CELLAR_API(int, ncaux_add_field, (void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes));
CELLAR_API(int, ncaux_end_compound, (void *tag, nc_type *xtypeid)); /* frees the tag, also when it fails */
CELLAR_API(int, ncaux_abort_compound, (void *tag));
CELLAR_API(int, ncaux_type_alignment, (int xtype, int ncid, size_t *alignp));
CELLAR_API(int, ncaux_class_alignment, (int ncclass, size_t *alignp));

/* --- types and data --- */
CELLAR_API(int, ncaux_inq_any_type,
           (int ncid, nc_type xtype, char *name, size_t *size, nc_type *basetypep, size_t *nfieldsp,
            int *classp)); /* also atomic types */
CELLAR_API(int, ncaux_reclaim_data, (int ncid, int xtype, void *memory, size_t count));
CELLAR_API(int, ncaux_reclaim_data_all, (int ncid, int xtype, void *memory, size_t count));
CELLAR_API(int, ncaux_copy_data, (int ncid, int xtype, void *memory, size_t count, void *copy));
CELLAR_API(int, ncaux_copy_data_all, (int ncid, int xtype, void *memory, size_t count, void **copyp));
CELLAR_API(int, ncaux_dump_data, (int ncid, nc_type xtypeid, void *memory, size_t count, char **buf));

/* --- whole files --- */
CELLAR_API(int, ncaux_readfile, (const char *filename, size_t *sizep, void **content)); /* yours to free */
CELLAR_API(int, ncaux_writefile, (const char *filename, size_t size, void *content));

#if defined(__cplusplus)
}
#endif

#endif
