/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: every conversion for one instruction set, and the table of them by source and
 * target type. convert.c includes it with SET, a word for the instruction set, and TARGET,
 * the attribute that selects it. */

#define SRC BYTE
#include "convert_from.h"
#define SRC UBYTE
#include "convert_from.h"
#define SRC SHORT
#include "convert_from.h"
#define SRC USHORT
#include "convert_from.h"
#define SRC INT
#include "convert_from.h"
#define SRC UINT
#include "convert_from.h"
#define SRC INT64
#include "convert_from.h"
#define SRC UINT64
#include "convert_from.h"
#define SRC FLOAT
#include "convert_from.h"
#define SRC DOUBLE
#include "convert_from.h"

static cel_convert_fn *const *const PASTE(rows_, SET)[NC_MAX_ATOMIC_TYPE + 1] = {
#define TYPE(tag, name, ctype, kind, lo, hi, fill) [NC_##tag] = ROW(tag),
#include "types.def"
#undef TYPE
};
#undef SET
#undef TARGET
