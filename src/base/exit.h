/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_EXIT_H
#define CEL_EXIT_H

/* What must be done before the process ends, in two steps. `flush` runs among the exit handlers of the program: the
 * data is safe afterwards, and datasets stay open for handlers that run later. `close` runs when this library is
 * unloaded, after all handlers. A library that we use (libhdf5) may end before ours does: who starts it registers an
 * exit handler after it that calls cel_exit_close() for its kind of datasets. _exit() runs none of this. */

void cel_exit_set(void (*flush)(void), void (*close)(const void *kind)); /* both may run several times */
void cel_exit_flush(void);
void cel_exit_close(const void *kind); /* NULL: all */
void cel_exit_last(void (*run)(void)); /* once all is closed; one such function */

#endif
