/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_BYTE_ORDER_H
#define TEST_BYTE_ORDER_H

/* Whether numbers in memory have their high byte first here. */
enum { HOST_IS_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

#endif
