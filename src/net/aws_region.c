/* SPDX-License-Identifier: BSD-3-Clause */
/* The region that requests to AWS are signed for. */
#include "credentials.h"
#include "env.h"
#include "mem.h"
#include "rc.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

bool cel_aws_is_region(const char *text)
{
    return *text && strlen(text) < 64 && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

const char *cel_aws_domain(const char *region)
{
    return strncmp(region, "cn-", 3) == 0 ? "amazonaws.com.cn" : "amazonaws.com";
}

int cel_aws_region(char **out)
{
    const char *named = cel_env_aws(CEL_AWS_REGION);
    int rc;

    *out = NULL;
    if (!named)
        named = cel_env_aws(CEL_AWS_DEFAULT_REGION);
    rc = named ? CEL_ABSENT : cel_rc_find("AWS.REGION", NULL, out);
    if (rc == CEL_OK && !*out)
        rc = cel_aws_setting("region", out);
    if (rc == CEL_ABSENT) {
        *out = cel_strdup(named ? named : "us-east-1");
        rc = *out ? CEL_OK : NC_ENOMEM;
    }
    if (rc == CEL_OK && !cel_aws_is_region(*out)) {
        free(*out);
        *out = NULL;
        return cel_fail(NC_EINVAL, "the region that is set for AWS is no name of one");
    }
    return rc;
}
