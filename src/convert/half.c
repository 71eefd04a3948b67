/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions of float16, for which C11 has no type. */
#include "half.h"
#include <string.h>

float cel_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023, bits;
    float f;

    if (exponent == 31) {
        bits = sign | 0x7f800000 | mantissa << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else { /* zero, or a subnormal: mantissa * 2^-24 */
        f = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &f, sizeof f);
        bits |= sign;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint16_t cel_float_to_half(float f)
{
    uint32_t bits, mantissa, shift;
    uint16_t sign;
    int exponent;

    memcpy(&bits, &f, sizeof f);
    sign = (uint16_t)(bits >> 16 & 0x8000);
    exponent = (int)(bits >> 23 & 255) - 112;
    mantissa = bits & 0x7fffff;
    if ((bits & 0x7f800000) == 0x7f800000)
        return (uint16_t)(sign | 0x7c00 | (mantissa ? 0x200 | mantissa >> 13 : 0));
    if (exponent >= 31)
        return sign | 0x7c00;
    if (exponent <= 0) {
        if (exponent < -10)
            return sign;
        mantissa |= 0x800000;
        shift = (uint32_t)(14 - exponent);
        exponent = 0;
    } else {
        shift = 13;
    }
    bits = ((uint32_t)exponent << 10) + (mantissa >> shift);
    mantissa &= (1u << shift) - 1;
    if (mantissa > 1u << (shift - 1) || (mantissa == 1u << (shift - 1) && bits & 1))
        bits++;
    return (uint16_t)(sign | bits);
}

float cel_bfloat_to_float(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

uint16_t cel_float_to_bfloat(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof f);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40); /* a NaN stays one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
