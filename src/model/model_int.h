/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_MODEL_INT_H
#define CEL_MODEL_INT_H

/* What the files of this folder share. */

#include "model.h"
#include <assert.h>

/* --- lists with an index by name (name.c) --------------------------------- */
/* Append to both; neither has changed on failure. The object's name is the key. */
int cel_listed_add(struct cel_vec *list, struct cel_names *index, const char *name, void *object);
void *cel_listed_find(const struct cel_names *index, const char *name); /* as written, or in normal form */

/* What a rename changes of an object. */
struct cel_named {
    struct cel_names *index;
    void *object;
    char **name;
    char **saved_name; /* NULL: the container finds the object otherwise */
    enum cel_saved *saved;
};
int cel_named_rename(const struct cel_named *it, char *fresh); /* takes fresh over, also on failure */

void cel_touch(enum cel_saved *saved); /* the container must look at it again */

/* --- rules that several nouns share ------------------------------------------ */
/* Groups, variables and types of one group share their names: NC_ENAMEINUSE. */
int cel_group_name_free(const struct cel_group *group, const char *name);

/* The same for a new group or type, which in some formats shares them with dimensions too. */
int cel_group_object_free(const struct cel_group *group, const char *name);

/* Whether the format, and the classic model, allow the type: NC_EBADTYPE, NC_ESTRICTNC3. */
int cel_type_allowed(const struct cel_dataset *ds, const struct cel_type *type);
void cel_type_pin(const struct cel_type *type); /* it can no longer change */

/* A variable or dimension of this name and group may have to be stored otherwise. */
void cel_touch_var(struct cel_group *group, const char *name);
void cel_touch_dim(struct cel_group *group, const char *name);

int cel_var_check_shards(const struct cel_var *var);         /* once chunk and shard lengths are known: NC_EBADCHUNK */
int cel_check_rival(const struct cel_var *var, unsigned id); /* deflate and szip exclude each other: NC_EINVAL */
int cel_check_chunks(const struct cel_var *var, const size_t *chunks); /* bytes of one chunk: NC_EBADCHUNK */
int cel_var_chunk_by_default(struct cel_var *var);                     /* storage and chunk lengths */

/* --- making and freeing. Each takes `name` over, also on failure ------------- */
int cel_group_make(struct cel_dataset *ds, struct cel_group *parent, char *name, struct cel_group **out);
int cel_dim_make(struct cel_group *group, char *name, int id, struct cel_dim **out);
int cel_type_make(struct cel_group *group, char *name, int klass, size_t size, struct cel_type **out);
int cel_var_make(struct cel_group *group, char *name, int ndims, struct cel_var **out);
int cel_att_make(struct cel_atts *atts, char *name, struct cel_att **out);

void cel_group_free(struct cel_group *group);
void cel_dim_free(struct cel_dim *dim);
void cel_type_free(struct cel_type *type);
void cel_var_free(struct cel_var *var);
void cel_unreadable_dispose(struct cel_vec *list);

#endif
