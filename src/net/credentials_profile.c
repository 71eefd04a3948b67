/* SPDX-License-Identifier: BSD-3-Clause */
/* Credentials of a profile. It has keys, or says how they are got: by a role that somebody else may take (source_profile,
 * credential_source), by a role for a web identity, or from a process. */
#include "credentials_int.h"
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 5 /* profiles, each the source of the one before */

/* A profile, and the first of its members that says how its credentials are got. */
struct method {
    const char *profile;
    char *value; /* of the member */
    int depth;
};

static int of_any_method(const char *profile, int depth, struct cel_credentials *out);

/* A member that need not be there. */
static int find_member(const char *profile, const char *name, char **out)
{
    int rc = cel_aws_setting_of(profile, name, out);

    return rc == CEL_ABSENT ? CEL_OK : rc;
}

static int of_keys(const struct method *m, struct cel_credentials *out)
{
    int rc = cel_aws_setting_of(m->profile, "aws_access_key_id", &out->key);

    if (rc == CEL_ABSENT)
        return rc;
    if (rc == CEL_OK)
        rc = cel_aws_setting_of(m->profile, "aws_secret_access_key", &out->secret);
    if (rc == CEL_ABSENT)
        return cel_fail(NC_EAUTH, "the profile '%s' has a key and no secret", m->profile);
    return rc == CEL_OK ? find_member(m->profile, "aws_session_token", &out->token) : rc;
}

static int of_process(const struct method *m, struct cel_credentials *out)
{
    return cel_credentials_of_process(m->profile, m->value, out);
}

/* --- roles ----------------------------------------------------------------------------- */

static int of_source_profile(const struct method *m, const char *source, struct cel_credentials *out)
{
    struct method keys = {.profile = source};
    bool has;
    int rc = cel_aws_has_profile(source, &has);

    if (rc != CEL_OK)
        return rc;
    if (!has)
        return cel_fail(NC_EAUTH, "there is no profile '%s', which the profile '%s' names as its source", source,
                        m->profile);
    if (m->depth == DEPTH_MAX)
        return cel_fail(NC_EAUTH, "the profile '%s' has a row of more than %d profiles as its source", source,
                        DEPTH_MAX);
    rc = strcmp(source, m->profile) == 0 ? of_keys(&keys, out) : of_any_method(source, m->depth + 1, out);
    return rc == CEL_ABSENT
               ? cel_fail(NC_EAUTH, "the profile '%s', the source of '%s', has no credentials", source, m->profile)
               : rc;
}

static int of_named_source(const struct method *m, const char *source, struct cel_credentials *out)
{
    static const struct {
        const char *name;
        int (*find)(struct cel_credentials *out);
    } sources[] = {{"Environment", cel_credentials_of_environment},
                   {"EcsContainer", cel_credentials_of_container},
                   {"Ec2InstanceMetadata", cel_credentials_of_instance}};

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(source, sources[i].name) == 0) {
            int rc = sources[i].find(out);

            return rc == CEL_ABSENT ? cel_fail(NC_EAUTH,
                                               "the profile '%s' takes a role with the credentials of %s, "
                                               "which has none",
                                               m->profile, source)
                                    : rc;
        }
    return cel_fail(NC_EAUTH, "the profile '%s' has a credential_source that is not known", m->profile);
}

/* Whoever takes the role. */
static int find_source(const struct method *m, struct cel_credentials *out)
{
    char *profile = NULL, *named = NULL;
    int rc = find_member(m->profile, "source_profile", &profile);

    if (rc == CEL_OK)
        rc = find_member(m->profile, "credential_source", &named);
    if (rc == CEL_OK)
        rc = profile ? of_source_profile(m, profile, out)
             : named ? of_named_source(m, named, out)
                     : cel_fail(NC_EAUTH,
                                "the profile '%s' has a role_arn, and neither a source_profile nor a "
                                "credential_source that says who takes it",
                                m->profile);
    free(profile);
    free(named);
    return rc;
}

static int of_role(const struct method *m, struct cel_credentials *out)
{
    static const char *const names[] = {"role_session_name", "external_id", "duration_seconds",
                                        "web_identity_token_file", "mfa_serial"};
    enum { SESSION, ID, SECONDS, TOKEN, MFA, MEMBERS };
    char *member[MEMBERS] = {NULL};
    struct cel_credentials who = {0};
    struct cel_role role = {.arn = m->value};
    int rc = CEL_OK;

    for (int i = 0; rc == CEL_OK && i < MEMBERS; i++)
        rc = find_member(m->profile, names[i], &member[i]);
    if (rc == CEL_OK && member[MFA])
        rc =
            cel_fail(NC_EAUTH,
                     "the profile '%s' wants a code of a device (mfa_serial), which nobody is asked for here: set what "
                     "aws configure export-credentials prints",
                     m->profile);
    if (rc == CEL_OK && !member[TOKEN])
        rc = find_source(m, &who);
    role.session = member[SESSION];
    role.external_id = member[ID];
    role.seconds = member[SECONDS];
    role.token_file = member[TOKEN];
    if (rc == CEL_OK)
        rc = cel_credentials_of_role(&role, role.token_file ? NULL : &who, out);
    cel_credentials_dispose(&who);
    for (int i = 0; i < MEMBERS; i++)
        free(member[i]);
    return rc;
}

/* --- which ------------------------------------------------------------------------------- */

static int refuse_token(const struct method *m, struct cel_credentials *out)
{
    (void)out;
    return cel_fail(NC_EAUTH, "the profile '%s' has a web_identity_token_file and no role_arn", m->profile);
}

static int refuse_sso(const struct method *m, struct cel_credentials *out)
{
    (void)out;
    return cel_fail(NC_EAUTH,
                    "the profile '%s' gets its credentials by single sign-on, which is not supported: let it have "
                    "credential_process = aws configure export-credentials --profile %s",
                    m->profile, m->profile);
}

static const struct {
    const char *member;
    int (*find)(const struct method *m, struct cel_credentials *out);
} methods[] = {{"role_arn", of_role},          {"web_identity_token_file", refuse_token},
               {"aws_access_key_id", of_keys}, {"credential_process", of_process},
               {"sso_session", refuse_sso},    {"sso_start_url", refuse_sso}};

static int of_any_method(const char *profile, int depth, struct cel_credentials *out)
{
    struct method m = {.profile = profile, .depth = depth};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        int rc = cel_aws_setting_of(profile, methods[i].member, &m.value);

        if (rc == CEL_OK)
            rc = methods[i].find(&m, out);
        free(m.value);
        if (rc != CEL_ABSENT)
            return rc;
    }
    return CEL_ABSENT;
}

int cel_credentials_of_profile(struct cel_credentials *out)
{
    char *profile;
    bool named, has = false;
    int rc = cel_aws_profile(&profile, &named);

    if (rc == CEL_OK)
        rc = cel_aws_has_profile(profile, &has);
    if (rc == CEL_OK && !has)
        rc = named ? cel_fail(NC_EAUTH, "there is no profile '%s' in the files of AWS", profile) : CEL_ABSENT;
    if (rc == CEL_OK)
        rc = of_any_method(profile, 0, out);
    free(profile);
    return rc;
}
