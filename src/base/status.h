/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_STATUS_H
#define CEL_STATUS_H

/* What went wrong, for this thread: netCDF's own code (netcdf.h; 0 is success,
 * failures are negative) and a sentence, set where the fault is seen and
 * widened by every caller that knows more. Nothing here allocates. */

#include <stddef.h>

#define CEL_OK 0
#define CEL_ABSENT 1 /* "not there", where the caller expects that: no text is set */
#define CEL_SKIP 2   /* an encoder's "not this chunk": no text is set */

#if defined(__GNUC__)
#define CEL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CEL_PRINTF(f, a)
#endif

/* The places an error can name; cellar.h hands them out one by one. */
enum cel_part { CEL_IN_FILE, CEL_IN_VARIABLE, CEL_IN_CHUNK, CEL_IN_FILTER, CEL_NPARTS };

/* Record why the current call fails, and give `code` back for `return`. */
int cel_fail(int code, const char *fmt, ...) CEL_PRINTF(2, 3);

/* Widen the recorded text to "<prefix>: <text>". */
int cel_fail_in(int code, const char *fmt, ...) CEL_PRINTF(2, 3);

/* The same, and remember the prefix as that part of the error. A part that is
 * already known is left alone and adds no second prefix. */
int cel_fail_at(int code, enum cel_part part, const char *fmt, ...) CEL_PRINTF(3, 4);

/* Remember a part of the error whose text names it already. */
int cel_fail_part(int code, enum cel_part part, const char *fmt, ...) CEL_PRINTF(3, 4);

const char *cel_error_text(void);               /* "" when nothing failed */
const char *cel_error_part(enum cel_part part); /* "" when not known */
int cel_error_code(void);
void cel_error_clear(void);

/* An error moved between threads: a worker saves it, the caller restores it. */
struct cel_status {
    int code;
    char text[1024];
    char part[CEL_NPARTS][256];
};
void cel_status_save(struct cel_status *out);
void cel_status_restore(const struct cel_status *in);

/* The first failure of several steps that are all taken. Where rc is CEL_OK there is none, and the rest is not set. */
struct cel_first_failure {
    int rc;
    size_t step;
    struct cel_status why;
};
/* Keep this thread's error if rc says that a step failed and none before did. */
void cel_first_failure_note(struct cel_first_failure *first, int rc);
/* The same where steps end in any order: the failure of the lowest step is kept. */
void cel_first_failure_note_step(struct cel_first_failure *first, size_t step, int rc);
/* Make the failure this thread's error; gives its code. */
int cel_first_failure_restore(const struct cel_first_failure *first);

/* Something was done otherwise than asked. Kept as the thread's last warning,
 * and written to stderr when logging is on. */
void cel_warn(const char *fmt, ...) CEL_PRINTF(1, 2);
const char *cel_warning_text(void);
void cel_warning_clear(void);
void cel_warning_adopt(const char *text); /* a worker's, which was printed there */

/* Logging to stderr: level 0 and above prints warnings; off by default.
 * NETCDF_LOG_LEVEL, NCLOGGING or nc_set_log_level() switch it on. */
void cel_set_log_level(int level);

#endif
