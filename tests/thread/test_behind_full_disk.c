/* SPDX-License-Identifier: BSD-3-Clause */
/* A full disk again, with chunks large enough to be stored after their puts: a put that said 0 may be the one whose data
 * finds no room. A later put or the nc_sync says so, and all else is as there. */
#define FULL_DISK_SIDE 256
#include "regress/regress_01_full_disk.c"
