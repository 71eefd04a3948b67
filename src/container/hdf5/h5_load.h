/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_H5_LOAD_H
#define CEL_H5_LOAD_H

/* What h5_load.c and h5_dims.c share while a file is being opened. */

#include "h5_int.h"

/* A variable whose dimensions are not known yet. */
struct found {
    struct cel_var *var;
    struct cel_dim *own; /* the dimension it is the scale of, or NULL */
    uint32_t unlimited;  /* bit d: that length may grow */
    bool has_list;
    uint32_t type_sum; /* as in cel_h5r_object, these five */
    uint64_t type_addr;
    bool unnamed_type;
    bool unnamed_atts;
    uint64_t att_addr;
    int ncoords;  /* -1: none */
    int coords[]; /* ncoords of them */
};

struct loading {
    struct cel_h5_file *f;
    struct cel_group *group;  /* the one being read */
    struct cel_vec *children; /* struct child *: its groups */
    struct cel_vec list;      /* struct found * */
    bool endless;             /* more groups than anyone has: damage, or an attack */
    int rc;
    struct cel_source *cache;      /* of a file that libhdf5 has open; else the file has one */
    struct cel_h5r_file file;      /* as far as the reader must know it */
    struct cel_h5r_reader *reader; /* NULL: headers cannot be read without libhdf5 */
};

/* --- h5_phony.c ------------------------------------------------------------------- */
struct cel_h5_phony { /* zero but for the group, whose dimensions only grow meanwhile */
    struct cel_group *group;
    size_t n, cap;               /* dimensions that are in the table */
    size_t *first, *last, *next; /* by length, and by dimension; one block */
};
/* The first dimension of the group that is as long as dimension d of the variable and not one of its first d; NULL: none. */
int cel_h5_phony_find(struct cel_h5_phony *p, const struct cel_var *var, int d, bool unlimited, struct cel_dim **out);
void cel_h5_phony_dispose(struct cel_h5_phony *p);

int cel_h5_found_add(struct loading *l, struct cel_var *var, const struct cel_h5r_object *h, struct cel_dim *own);
int cel_h5_found_dims(struct loading *l);
void cel_h5_found_free(struct loading *l);

#endif
