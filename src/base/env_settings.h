/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ENV_SETTINGS_H
#define CEL_ENV_SETTINGS_H

/* The interface between env.c, which has the names of the variables, and env_settings.c, which has replacement values. */

#include "env.h"

bool cel_env_find_aws(const char *name, enum cel_env_aws *which); /* of all but HOME */
const struct cel_env_settings *cel_env_settings_mine(void);       /* this thread's; NULL: none */
/* *value becomes what is to be used, NULL for nothing; false: the environment says it. */
bool cel_env_settings_have(const struct cel_env_settings *s, enum cel_env_aws which, const char **value);

#endif
