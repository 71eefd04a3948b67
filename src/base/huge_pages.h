/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_HUGE_PAGES_H
#define CEL_HUGE_PAGES_H

#include <stddef.h>

/* All of these bytes are about to be written. Where they are fresh memory, the system is asked to give it in huge pages:
 * most of a large read into memory fresh from malloc is the time of its page faults, one for each 4 KiB. Only huge pages
 * that lie wholly within are asked for, so no memory is taken that would not be filled. Nothing is done unless CELLAR_HUGE_PAGES=1: the median is
 * shorter, the longest time is longer (docs/performance.md). */
void cel_huge_pages_advise(void *at, size_t n);

#endif
