/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_RUN_STATS_H
#define TOOL_RUN_STATS_H

/* Says on standard error what the file holds that the library was given in CELLAR_STATS (src/array/tally.c, src/net/net_stats.c). */
void run_stats_print(const char *file, const char *command);

#endif
