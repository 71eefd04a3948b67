/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_ENV_H
#define CEL_ENV_H

#include "buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every environment variable that the library reads. In a program that runs with more rights than its user, variables that
 * name code to load or raise a limit count as not set (secure_getenv). */

int cel_env_log_level(void);              /* NETCDF_LOG_LEVEL, NCLOGGING; -1 = off */
bool cel_env_strict(void);                /* CELLAR_STRICT: requests that cannot be kept fail */
size_t cel_env_max_decoded(size_t usual); /* CELLAR_MAX_DECODED: bytes, or with K, M or G; usual: not set or less */
int cel_env_threads(void);                /* CELLAR_NUM_THREADS; 0 = not set or not a number from 1 to 1024 */
bool cel_env_prefer_plugins(void);        /* CELLAR_PLUGINS=prefer; never for untrusted files */
bool cel_env_untrusted(void);             /* CELLAR_UNTRUSTED: files come from people who are not trusted */
void cel_env_set_untrusted(int on);       /* as the next two */
void cel_env_set_strict(int on);          /* 1, 0, or -1: as the variable says (the program's own wish) */
void cel_env_set_prefer_plugins(int on);  /* the same */
const char *cel_env_plugin_path(void);    /* HDF5_PLUGIN_PATH; NULL = not set */
bool cel_env_no_plugins(void);            /* HDF5_PLUGIN_PRELOAD=:: , such a program, or untrusted files */
bool cel_env_external_prefix(void);       /* HDF5_EXTFILE_PREFIX, _VDS_, _EXT_: libhdf5 looks elsewhere for files */
bool cel_env_fsync(void);                 /* CELLAR_FSYNC: nc_sync waits until the bytes are on the disk */
bool cel_env_huge_pages(void);            /* CELLAR_HUGE_PAGES, on unless it says no: large reads ask for them */
void cel_env_set_unlocked(bool on);       /* this thread opens files that ranks share: they are not locked */
bool cel_env_file_locking(void);          /* HDF5_USE_FILE_LOCKING; true unless FALSE or 0 */
bool cel_env_consolidated(void);          /* NCZARR_CONSOLIDATED: as mode=consolidated */
const char *cel_env_temporary(void);      /* TMPDIR: a folder for files in work; /tmp */
const char *cel_env_stats(void);          /* CELLAR_STATS: a file for what was read and written; NULL = not set */
const char *cel_env_trace(void);          /* CELLAR_TRACE: a file for a timeline; NULL = not set */
bool cel_env_follow_links(void); /* CELLAR_FOLLOW_LINKS: symbolic links that lead out of a Zarr directory, too; never
                                    for untrusted files */

/* Requests over HTTP; `usual` where the variable is not set or makes no sense. */
const char *cel_env_ca_bundle(void);  /* CELLAR_CA_BUNDLE, AWS_CA_BUNDLE: a file of certificates; NULL = the system's */
int cel_env_http_timeout(int usual);  /* CELLAR_HTTP_TIMEOUT: seconds of silence; 1 to 86400 */
int cel_env_http_requests(int usual); /* CELLAR_HTTP_REQUESTS: in flight; 1 to 1024 */
int cel_env_http_retries(int usual);  /* CELLAR_HTTP_RETRIES: 0 to 100 */

const char *cel_env_rc_file(void); /* NCRCENV_RC: in place of ~/.ncrc; NULL = not set */
bool cel_env_rc_ignored(void);     /* NCRCENV_IGNORE: no such file is read */
const char *cel_env_netrc(void);   /* NETRC: in place of ~/.netrc; NULL = not set */

/* CELLAR_CACHE, "folder:size": where values of servers are kept, and how many bytes at most. false, or CEL_ABSENT: not set;
 * NC_EINVAL, without a text: it has no such form. */
bool cel_env_has_cache(void);
int cel_env_cache(struct cel_buf *folder, uint64_t *size);

/* Where S3 is and who asks; NULL = not set or empty, or a program with more rights than its user has. */
enum cel_env_aws {
    CEL_AWS_ACCESS_KEY_ID,
    CEL_AWS_SECRET_ACCESS_KEY,
    CEL_AWS_SESSION_TOKEN,
    CEL_AWS_ROLE_ARN,
    CEL_AWS_ROLE_SESSION_NAME,
    CEL_AWS_WEB_IDENTITY_TOKEN_FILE,
    CEL_AWS_PROFILE,
    CEL_AWS_DEFAULT_PROFILE,
    CEL_AWS_CONFIG_FILE,
    CEL_AWS_SHARED_CREDENTIALS_FILE,
    CEL_AWS_REGION,
    CEL_AWS_DEFAULT_REGION,
    CEL_AWS_ENDPOINT_URL_S3,
    CEL_AWS_ENDPOINT_URL_STS,
    CEL_AWS_ENDPOINT_URL,
    CEL_AWS_NO_SIGN_REQUEST,
    CEL_AWS_REQUEST_PAYER,
    CEL_AWS_CONTAINER_CREDENTIALS_RELATIVE_URI,
    CEL_AWS_CONTAINER_CREDENTIALS_FULL_URI,
    CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN,
    CEL_AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
    CEL_AWS_EC2_METADATA_DISABLED,
    CEL_AWS_EC2_METADATA_SERVICE_ENDPOINT,
    CEL_HOME, /* where the .aws folder lies */
    CEL_AWS_VARIABLES
};
const char *cel_env_aws(enum cel_env_aws which);
bool cel_env_aws_on(enum cel_env_aws which); /* true, yes, 1 */

/* Values in place of these variables. A thread uses some or none (NULL); what works for a dataset later, from any thread, keeps
 * those that it was opened with. */
struct cel_env_settings;
/* Pairs of a variable's name and its value, then NULL; a value of NULL: as if it were not set. */
int cel_env_settings_make(const char *const *pair, struct cel_env_settings **out);
struct cel_env_settings *cel_env_settings_keep(void);                          /* those of this thread, once more */
struct cel_env_settings *cel_env_settings_use(struct cel_env_settings *these); /* gives the ones before */
void cel_env_settings_release(struct cel_env_settings *settings);              /* NULL is fine */

#endif
