/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_PROTECT_H
#define CELLAR_PROTECT_H

/* The checksum in a filter chain that would tell a damaged chunk from a whole one, by the name of the filter that
 * carries it ("fletcher32", "deflate"); NULL: none does. */
const char *protect_by(const char *chain);

#endif
