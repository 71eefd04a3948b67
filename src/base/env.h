#ifndef CEL_ENV_H
#define CEL_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* Every environment variable the library looks at, in one place. Those that name code to load or lift a limit count as not
 * set in a program that runs with more rights than its user has (secure_getenv). */

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
bool cel_env_file_locking(void);          /* HDF5_USE_FILE_LOCKING; true unless FALSE or 0 */
bool cel_env_consolidated(void);          /* NCZARR_CONSOLIDATED: as mode=consolidated */
const char *cel_env_stats(void);          /* CELLAR_STATS: a file for what was read and written; NULL = not set */
bool cel_env_follow_links(void); /* CELLAR_FOLLOW_LINKS: symbolic links that lead out of a Zarr directory, too; never
                                    for untrusted files */

#endif
