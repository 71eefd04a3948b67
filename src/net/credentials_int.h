#ifndef CEL_CREDENTIALS_INT_H
#define CEL_CREDENTIALS_INT_H

#include "credentials.h"

/* From the service of a container or an instance (credentials_remote.c). CEL_ABSENT: there is none. */
int cel_credentials_of_container(struct cel_credentials *out);
int cel_credentials_of_instance(struct cel_credentials *out);

/* aws_files.c: a member of the profile in ~/.aws/credentials or, behind it, ~/.aws/config. */
const char *cel_aws_profile(void);
int cel_aws_setting_of(const char *profile, const char *name, char **out);
int cel_aws_has_profile(const char *profile, bool *has);

#endif
