/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_PARAMS_H
#define CEL_PARAMS_H

/* Values of a codec's parameters in its words (cd_values), by its parameter table. For src/chain, and for
 * plugins/. */

#include "codec.h"

/* Words the parameter takes: 1, or 2 for a double. */
size_t cel_param_width(const struct cel_param *p);

/* Whether the row has a meaning with these words (its when_word holds when_value). */
bool cel_param_counts(const struct cel_param *p, const struct cel_words *w);

/* Whether the words hold the parameter at all. */
bool cel_param_is_held(const struct cel_param *p, const struct cel_words *w);

double cel_param_load(const struct cel_param *p, const struct cel_words *w);

/* Check the range, and write the value; words before it that were missing are
 * zero. A conditional row sets the word it depends on. */
/* CEL_PARAM_LIST, from its text; false: it is none. */
bool cel_param_store_list(const struct cel_param *p, const char *text, size_t len, struct cel_words *w);
int cel_param_store(const struct cel_codec *codec, const struct cel_param *p, double v, struct cel_words *w);

const struct cel_param *cel_param_find(const struct cel_codec *codec, const char *key, size_t len);
const struct cel_param *cel_param_find_json(const struct cel_codec *codec, const char *key);
const char *cel_param_json_key(const struct cel_param *p);

/* Index of a choice by name; -1: none such. */
int cel_param_choice(const struct cel_param *p, const char *name, size_t len);

/* Missing trailing words get their defaults. Words of CEL_PARAM_ELEM_SIZE and CEL_PARAM_EXTRA are not
 * added. */
void cel_params_complete(const struct cel_codec *codec, struct cel_words *w);

/* Count, ranges, and the codec's own check: NC_EFILTER for a wrong number of
 * words, NC_EINVAL for a value out of range. */
int cel_params_check(const struct cel_codec *codec, const struct cel_words *w);

/* JSON members from complete words, and words from members. strict: an unknown member, or one of the wrong
 * kind, is an error. */
struct cel_json;
int cel_params_to_json(const struct cel_codec *codec, const struct cel_words *w, const struct cel_shape *shape,
                       int version, struct cel_json *config);
int cel_params_from_json(const struct cel_codec *codec, const struct cel_json *config, int version, bool strict,
                         struct cel_words *w);

#endif
