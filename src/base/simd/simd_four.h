/* Four floats at once, for code that is compiled once for all instruction sets. */
#ifndef PLI_BASE_SIMD_FOUR_H
#define PLI_BASE_SIMD_FOUR_H

#include <stddef.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* to[k] = more[k] where that is less. */
static inline void pli_four_min(float to[4], const float more[4])
{
#if defined(__SSE2__)
    _mm_storeu_ps(to, _mm_min_ps(_mm_loadu_ps(more), _mm_loadu_ps(to)));
#else
    for (int k = 0; k < 4; k++) {
        to[k] = more[k] < to[k] ? more[k] : to[k];
    }
#endif
}

/* Four rows of four become columns: to[4 * i + k] = row k's i-th. */
static inline void pli_four_transpose(const float *row, size_t step, float *to)
{
#if defined(__SSE2__)
    __m128 a = _mm_loadu_ps(row), b = _mm_loadu_ps(row + step);
    __m128 c = _mm_loadu_ps(row + 2 * step), d = _mm_loadu_ps(row + 3 * step);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to, a);
    _mm_storeu_ps(to + 4, b);
    _mm_storeu_ps(to + 8, c);
    _mm_storeu_ps(to + 12, d);
#else
    for (size_t i = 0; i < 16; i++) {
        to[i] = row[i % 4 * step + i / 4];
    }
#endif
}

#endif
