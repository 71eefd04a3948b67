#ifndef CEL_EXIT_H
#define CEL_EXIT_H

/* What must be done before the process ends, at two moments. As an exit handler, early, among those of the
 * program: `flush`, after which the data is safe and everything stays open, for handlers of the program that run
 * later. And `close` when the library itself goes, after all of them. Where a library below goes earlier than that, whoever started it
 * registers an exit handler after it that calls cel_exit_close() for its kind of datasets. _exit() runs none of this. */

void cel_exit_set(void (*flush)(void), void (*close)(const void *kind)); /* both may run several times */
void cel_exit_flush(void);
void cel_exit_close(const void *kind); /* NULL: all */
void cel_exit_last(void (*run)(void)); /* once all is closed; one such function */

#endif
