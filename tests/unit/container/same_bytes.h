/* SPDX-License-Identifier: BSD-3-Clause */
/* same_bytes.c and its second half, the user types. */
#ifndef CEL_TEST_SAME_BYTES_H
#define CEL_TEST_SAME_BYTES_H

#include <netcdf.h>
#include <netcdf_meta.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    int nc;
    nc_type last; /* of the number types that the file may have */
    int strings;
};

void dirty_stack(void);
void *dirty(size_t nbytes); /* fresh memory; free() it */

#define OK(call) \
    do { \
        int rc_; \
        dirty_stack(); \
        rc_ = (call); \
        if (rc_) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, nc_strerror(rc_)); \
            exit(1); \
        } \
    } while (0)

void user_types(const struct place *p, const int *dims); /* dims: an unlimited one, one of 7 */
void user_types_again(const struct place *p);

#endif
