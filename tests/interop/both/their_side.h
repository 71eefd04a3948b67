/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of somebody else's that happens to use libnetcdf. */
const char *their_version(void);
int their_write(const char *path, int value);
int their_read(const char *path, int *value);
int their_open_count(const char *path); /* leaves a dataset open; its ncid */
int their_close(int ncid);
