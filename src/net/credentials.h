/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_CREDENTIALS_H
#define CEL_CREDENTIALS_H

/* Credentials for requests to S3. They are searched in this order: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; a token of a web identity,
 * given to STS for credentials; the profile (AWS_PROFILE or "default") in ~/.aws/credentials and ~/.aws/config; the service of a
 * container; that of an EC2 instance (IMDSv2). None: requests are not signed. No error message contains any of this. */

#include "status.h"
#include <stdbool.h>
#include <time.h>

struct cel_credentials {
    char *key, *secret, *token; /* key NULL: nobody in particular; token NULL: none */
    time_t expires;             /* 0: never */
    int early;                  /* seconds before that, when others are looked for */
};

int cel_credentials_find(struct cel_credentials *out);
bool cel_credentials_end(const struct cel_credentials *c, time_t now); /* they do, or will within minutes */
void cel_credentials_dispose(struct cel_credentials *c);

/* What the process keeps of credentials that end, so that not each dataset asks for them again, is wiped. */
void cel_credentials_forget(void);

/* A setting of the profile ("region", "endpoint_url"), yours to free. CEL_ABSENT: the files have none. */
int cel_aws_setting(const char *name, char **out);

/* The region of the settings, else "us-east-1"; yours to free. Regions become parts of hosts' names: nothing else may. */
int cel_aws_region(char **out);
bool cel_aws_is_region(const char *text);
const char *cel_aws_domain(const char *region); /* "amazonaws.com" */

/* "2026-01-31T10:00:00Z" */
bool cel_parse_time(const char *text, time_t *out);

#endif
