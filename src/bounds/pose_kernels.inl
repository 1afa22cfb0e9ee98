/* How far transforms reach, all in one pass; a part of model_kernels.c, which includes it. */

/* Rows (a0, a1, a2, t) of transforms side by side. */
#if defined(PLI_SIMD_PLAIN)

enum { ROWS_AT_ONCE = 1 };

typedef struct pli_rows {
    float lane[4];
} pli_rows;

static inline pli_rows rows_load(const float *p)
{
    return (pli_rows){{p[0], p[1], p[2], p[3]}};
}
static inline void rows_store(float *p, pli_rows a)
{
    memcpy(p, a.lane, sizeof a.lane);
}
static inline pli_rows rows_abs(pli_rows a)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = fabsf(a.lane[i]);
    }
    return a;
}
static inline pli_rows rows_max(pli_rows a, pli_rows b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = pli_vf_max(a.lane[i], b.lane[i]);
    }
    return a;
}
static inline pli_rows rows_mul(pli_rows a, pli_rows b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] *= b.lane[i];
    }
    return a;
}
static inline bool rows_are_finite(pli_rows sizes)
{
    bool finite = true;
    for (int i = 0; i < 4; i++) {
        finite = finite && sizes.lane[i] < INFINITY;
    }
    return finite;
}
/* Every lane becomes the sum of its row: that of every other lane, then of both. */
static inline pli_rows rows_sum(pli_rows a)
{
    float sum = (a.lane[0] + a.lane[2]) + (a.lane[1] + a.lane[3]);
    return (pli_rows){{sum, sum, sum, sum}};
}

#else

enum { ROWS_AT_ONCE = PLI_LANES / 4 };

typedef pli_vf pli_rows;

static inline pli_rows rows_load(const float *p)
{
    return pli_vf_load(p);
}
static inline void rows_store(float *p, pli_rows a)
{
    pli_vf_store(p, a);
}
static inline pli_rows rows_abs(pli_rows a)
{
    return pli_vf_abs(a);
}
static inline pli_rows rows_max(pli_rows a, pli_rows b)
{
    return pli_vf_max(a, b);
}
static inline pli_rows rows_mul(pli_rows a, pli_rows b)
{
    return pli_vf_mul(a, b);
}
static inline bool rows_are_finite(pli_rows sizes)
{
    return pli_vm_bits(pli_vf_less(sizes, pli_vf_set(INFINITY))) == (1u << PLI_LANES) - 1;
}
static inline pli_rows rows_sum(pli_rows a)
{
#if defined(PLI_SIMD_AVX512)
    a = _mm512_add_ps(a, _mm512_shuffle_ps(a, a, 0x4e));
    return _mm512_add_ps(a, _mm512_shuffle_ps(a, a, 0xb1));
#elif defined(PLI_SIMD_AVX2)
    a = _mm256_add_ps(a, _mm256_shuffle_ps(a, a, 0x4e));
    return _mm256_add_ps(a, _mm256_shuffle_ps(a, a, 0xb1));
#else
    a = pli_f4_add(a, pli_f4_swap_halves(a));
    return pli_f4_add(a, pli_f4_swap_pairs(a));
#endif
}

#endif

/* The rows of so many transforms fill three registers, always in the same way. */
enum { MEASURED_AT_ONCE = ROWS_AT_ONCE, MEASURED_NUMBERS = 12 * ROWS_AT_ONCE };

typedef struct transforms_size {
    pli_rows sum[3];  /* the largest |a0| local + |a1| local + |a2| local + |t| so far */
    pli_rows size[3]; /* the largest of each number */
} transforms_size;

static inline void measure_some(const float *transforms, pli_rows factor, transforms_size *most)
{
    for (int r = 0; r < 3; r++) {
        pli_rows size = rows_abs(rows_load(transforms + 4 * ROWS_AT_ONCE * r));
        most->size[r] = rows_max(most->size[r], size);
        most->sum[r] = rows_max(most->sum[r], rows_sum(rows_mul(size, factor)));
    }
}

static bool are_finite(const float *transforms)
{
    bool finite = true;
    for (int r = 0; r < 3; r++) {
        finite = rows_are_finite(rows_abs(rows_load(transforms + 4 * ROWS_AT_ONCE * r))) && finite;
    }
    return finite;
}

static inline float larger_of(float a, float b)
{
    return a > b ? a : b;
}

static pli_reach measure(const float *transforms, size_t count, float local)
{
    float factors[4 * ROWS_AT_ONCE], rest[MEASURED_NUMBERS], sums[MEASURED_NUMBERS];
    float sizes[MEASURED_NUMBERS];
    memset(rest, 0, sizeof rest);
    for (int i = 0; i < 4 * ROWS_AT_ONCE; i++) {
        factors[i] = i % 4 == 3 ? 1.0f : local;
    }
    pli_rows factor = rows_load(factors), none = rows_load(rest);
    transforms_size most = {{none, none, none}, {none, none, none}};
    bool finite = true;
    size_t at = 0;
    for (; at + MEASURED_AT_ONCE <= count; at += MEASURED_AT_ONCE) {
        finite = are_finite(transforms + 12 * at) && finite;
        measure_some(transforms + 12 * at, factor, &most);
    }
    memcpy(rest, transforms + 12 * at, 12 * (count - at) * sizeof *rest);
    finite = are_finite(rest) && finite;
    measure_some(rest, factor, &most);
    for (int r = 0; r < 3; r++) {
        rows_store(sums + 4 * ROWS_AT_ONCE * r, most.sum[r]);
        rows_store(sizes + 4 * ROWS_AT_ONCE * r, most.size[r]);
    }
    pli_reach reach = {.finite = finite};
    for (int i = 0; i < 3 * ROWS_AT_ONCE; i++) {
        reach.sum[i % 3] = larger_of(reach.sum[i % 3], sums[4 * i]);
        for (int k = 0; k < 3; k++) {
            reach.entry = larger_of(reach.entry, sizes[4 * i + k]);
        }
    }
    return reach;
}
