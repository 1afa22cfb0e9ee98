/* One box against many, for the instruction set that base/simd/simd.h was told to use. */
#include "method.h"

#include "base/simd/simd_int.h"

static inline pli_vm is_apart(pli_vn lower, pli_vn upper, pli_vn other_lower, pli_vn other_upper)
{
    return pli_vm_or(pli_vn_greater(other_lower, upper), pli_vn_greater(lower, other_upper));
}

static uint32_t meet(const pli_box_rows *rows, uint32_t place, uint32_t end, uint32_t *found)
{
    const int32_t *lower_row[3], *upper_row[3];
    pli_vn lower[3], upper[3];
    for (int axis = 0; axis < 3; axis++) {
        lower_row[axis] = rows->lower[axis];
        upper_row[axis] = rows->upper[axis];
        lower[axis] = pli_vn_set(lower_row[axis][place]);
        upper[axis] = pli_vn_set(upper_row[axis][place]);
    }
    const uint32_t *slots = rows->slots;
    /* From the beginning of a line of the cache on, without those up to `place`. */
    const uint32_t before = (place + 1) % PLI_LANES;
    unsigned wanted = (1u << PLI_LANES) - (1u << before);
    uint32_t count = 0;
    for (size_t at = (size_t)place + 1 - before; at < end; at += PLI_LANES) {
        pli_vm apart = is_apart(lower[0], upper[0], pli_vn_load(lower_row[0] + at),
                                pli_vn_load(upper_row[0] + at));
        for (int axis = 1; axis < 3; axis++) {
            apart = pli_vm_or(apart,
                              is_apart(lower[axis], upper[axis], pli_vn_load(lower_row[axis] + at),
                                       pli_vn_load(upper_row[axis] + at)));
        }
        unsigned together = wanted & ~pli_vm_bits(apart);
        wanted = (1u << PLI_LANES) - 1;
#if defined(PLI_SIMD_AVX512)
        /* Without a branch: whether one of 16 overlaps is anybody's guess. */
        pli_vn_pack(found + count, pli_vm_from_bits(together), pli_vn_load(slots + at));
        count += (uint32_t)__builtin_popcount(together);
#else
        for (; together != 0; together &= together - 1) {
            found[count++] = slots[at + (unsigned)__builtin_ctz(together)];
        }
#endif
    }
    return count;
}

/* Comparisons in about 32 ns. */
#if defined(PLI_SIMD_AVX512)
enum { QUICK = 128 };
#elif defined(PLI_SIMD_AVX2)
enum { QUICK = 96 };
#elif defined(PLI_SIMD_BASELINE)
enum { QUICK = 64 };
#else
enum { QUICK = 20 };
#endif

const pli_overlap_kernels PLI_KERNELS_OF(overlap) = {.quick = QUICK, .meet = meet};
