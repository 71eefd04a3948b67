#ifndef CEL_EXIT_H
#define CEL_EXIT_H

/* What must be done before the process ends. Exit handlers run in reverse order of
 * registration, so a folder that starts a library with a handler of its own registers
 * one after it that calls cel_exit_run(). */

void cel_exit_set(void (*run)(void)); /* may run several times */
void cel_exit_run(void);

#endif
