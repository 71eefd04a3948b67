/* SPDX-License-Identifier: BSD-3-Clause */
/* The same with the library linked into the program, as from a static one: destructors of both are then in one list. */
#include "regress_06_at_exit.c"
