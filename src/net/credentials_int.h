/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CREDENTIALS_INT_H
#define CEL_CREDENTIALS_INT_H

/* Inside the search for credentials: each source fills them in, or returns CEL_ABSENT if it is not configured. */

#include "buf.h"
#include "credentials.h"
#include "net.h"

int cel_credentials_of_environment(struct cel_credentials *out);
/* From the service of a container or an instance (credentials_remote.c). */
int cel_credentials_of_container(struct cel_credentials *out);
int cel_credentials_of_instance(struct cel_credentials *out);
int cel_credentials_of_profile(struct cel_credentials *out); /* credentials_profile.c */

/* What a command line prints (credentials_process.c); in a profile. */
int cel_credentials_of_process(const char *profile, const char *command, struct cel_credentials *out);

/* The JSON of a service or a process; token: how it calls that of a session. CEL_ABSENT: the text is none that can be understood. */
int cel_credentials_parse(const char *text, size_t len, const char *token, struct cel_credentials *out);

/* A role at STS (credentials_sts.c). Texts are the caller's; NULL: not set. */
struct cel_role {
    const char *arn, *session;
    const char *external_id, *seconds;
    const char *token_file; /* of a web identity, whose token it holds */
};
int cel_credentials_of_role(const struct cel_role *role, const struct cel_credentials *who,
                            struct cel_credentials *out); /* who: NULL with a web identity */
int cel_credentials_of_answer(const struct cel_buf *body, struct cel_credentials *out); /* for tests */
int cel_credentials_of_web_identity(struct cel_credentials *out);                       /* as the environment has it */

/* aws_files.c: a member of the profile in ~/.aws/credentials or, behind it, ~/.aws/config. */
int cel_aws_profile(char **out, bool *named); /* yours to free; named: it is not just the usual one */
int cel_aws_setting_of(const char *profile, const char *name, char **out);
int cel_aws_has_profile(const char *profile, bool *has);
/* For tests. A member in the text of a file, or with name NULL the section itself; NULL: not there. The text is cut up. */
char *cel_aws_find_in(char *text, const char *profile, bool says_profile, const char *name);

#endif
