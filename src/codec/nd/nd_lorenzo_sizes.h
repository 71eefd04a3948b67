/* SPDX-License-Identifier: BSD-3-Clause */
/* Template: nd_lorenzo_of.h for each element size, for the processor ISA and TARGET name. */
#define BITS uint8_t
#define SIGNED int8_t
#define NAME(x) ISA(u1_##x)
#include "nd_lorenzo_of.h"
#define BITS uint16_t
#define SIGNED int16_t
#define NAME(x) ISA(u2_##x)
#include "nd_lorenzo_of.h"
#define BITS uint32_t
#define SIGNED int32_t
#define NAME(x) ISA(u4_##x)
#include "nd_lorenzo_of.h"
#define BITS uint64_t
#define SIGNED int64_t
#define NAME(x) ISA(u8_##x)
#include "nd_lorenzo_of.h"
