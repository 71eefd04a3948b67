/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processor can do, asked once per call: the compiler's run-time keeps
 * the answer, so this is one load and a test. */
#include "kernels.h"

bool cel_cpu_any(void)
{
    return true;
}

#ifdef CEL_X86
bool cel_cpu_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

bool cel_cpu_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

bool cel_cpu_crc(void)
{
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
#else
bool cel_cpu_avx2(void)
{
    return false;
}

bool cel_cpu_avx512(void)
{
    return false;
}

bool cel_cpu_crc(void)
{
    return false;
}
#endif
