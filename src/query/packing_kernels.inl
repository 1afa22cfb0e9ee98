/*
 * Part of pair_kernels.c: pairs of triangles in few words, with the features that are open, for
 * those who list features of many pairs.
 */

/* Corners i of a that are owned and not shared with b; bit 3 i + j of `shared` says whether corner
   i of a is corner j of b. */
static inline uint32_t open_corners(uint32_t owned, uint32_t shared)
{
    uint32_t any = shared | shared >> 1 | shared >> 2;
    return owned & 7 & ~((any & 1) | (any >> 2 & 2) | (any >> 4 & 4));
}

/* The triangles exchanged: bit 3 j + i for bit 3 i + j. */
static inline uint32_t transposed(uint32_t pairs)
{
    return (pairs & 0421) | (pairs & 0042) << 2 | (pairs & 0210) >> 2 | (pairs & 0004) << 4 |
           (pairs & 0100) >> 4;
}

/* Pairs of edges, bit 3 i + j, that are owned and share none of their corners i, i + 1 and j,
   j + 1. */
static inline uint32_t open_edges(uint32_t owned_a, uint32_t owned_b, uint32_t shared)
{
    uint32_t a = owned_a >> 3, b = owned_b >> 3;
    uint32_t next = (shared >> 1 & 0333) | (shared << 2 & 0444), either = shared | next;
    either |= either >> 3 | (either & 7) << 6;
    return ((a & 1) | (a & 2) << 2 | (a & 4) << 4) * b & ~either;
}

/* All pairs of a batch, so that compilers put many of them in a register. */
static inline void find_open(const uint32_t shared[PLI_BATCH], const uint32_t owned[2][PLI_BATCH],
                             uint32_t open[PLI_BATCH])
{
    for (int i = 0; i < PLI_BATCH; i++) {
        uint32_t a = owned[0][i], b = owned[1][i];
        open[i] = open_corners(a, shared[i]) | open_corners(b, transposed(shared[i])) << 3 |
                  open_edges(a, b, shared[i]) << 6;
    }
}

#if defined(PLI_SIMD_AVX512)
/* Corners of 16 triangles, packed; `corner` receives them one by one. */
static inline __m512i pack_corners(const pli_slot_triangles *t, const uint8_t *slot,
                                   pli_vi corner[3])
{
    for (size_t c = 0; c < 3; c++) {
        corner[c] = pli_vi_look_up(t->corners + c * t->record->slots, slot);
    }
    __m512i upper =
        _mm512_or_si512(_mm512_slli_epi32(corner[1], 8), _mm512_slli_epi32(corner[2], 16));
    return _mm512_or_si512(corner[0], upper);
}

static inline __m512i shared_lanes(const name_lanes a[3], const name_lanes b[3])
{
    __m512i shared = _mm512_setzero_si512();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            __m512i bit = _mm512_set1_epi32(1 << (3 * i + j));
            shared = _mm512_mask_or_epi32(shared, names_equal(a[i], b[j]), shared, bit);
        }
    }
    return shared;
}

/* Slots behind the last of the pairs are 0, so that all look-ups are of vertices that exist. */
PLI_ALWAYS_INLINE void pack_lanes(const pli_named_triangles *a, const uint8_t *slot_a,
                                  const pli_named_triangles *b, const uint8_t *slot_b,
                                  uint32_t count, uint32_t entries, pli_packed_pairs *packed,
                                  uint32_t *shared, uint32_t at)
{
    uint8_t slots[2][16];
    __mmask16 there = (__mmask16)(count < 16 ? (1u << count) - 1 : 0xffff);
    _mm_storeu_si128((__m128i *)slots[0], _mm_maskz_loadu_epi8(there, slot_a));
    _mm_storeu_si128((__m128i *)slots[1], _mm_maskz_loadu_epi8(there, slot_b));
    pli_vi corner_a[3], corner_b[3];
    name_lanes name_a[3], name_b[3];
    _mm512_storeu_si512(packed->a + at, pack_corners(&a->triangles, slots[0], corner_a));
    _mm512_storeu_si512(packed->b + at, pack_corners(&b->triangles, slots[1], corner_b));
    if (a->names == NULL) {
        return;
    }
    for (int c = 0; c < 3; c++) {
        name_a[c] = fetch_names(a->names, a->triangles.record->stride, entries, corner_a[c]);
        name_b[c] = fetch_names(b->names, b->triangles.record->stride, entries, corner_b[c]);
    }
    _mm512_storeu_si512(shared + at, shared_lanes(name_a, name_b));
}

static inline void pack_and_compare(const pli_named_triangles *a, const uint8_t *slot_a,
                                    const pli_named_triangles *b, const uint8_t *slot_b,
                                    uint32_t count, pli_packed_pairs *packed, uint32_t *shared)
{
    uint32_t stride_a = a->triangles.record->stride, stride_b = b->triangles.record->stride;
    uint32_t most = stride_a > stride_b ? stride_a : stride_b;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        if (most <= 64) {
            pack_lanes(a, slot_a + i, b, slot_b + i, count - i, 64, packed, shared, i);
        } else if (most <= 128) {
            pack_lanes(a, slot_a + i, b, slot_b + i, count - i, 128, packed, shared, i);
        } else {
            pack_lanes(a, slot_a + i, b, slot_b + i, count - i, 192, packed, shared, i);
        }
    }
}

#else

static inline uint32_t pack_corners(const pli_slot_triangles *t, uint32_t slot)
{
    const uint8_t *corners = t->corners + slot;
    size_t slots = t->record->slots;
    return corners[0] | (uint32_t)corners[slots] << 8 | (uint32_t)corners[2 * slots] << 16;
}

static inline uint32_t shared_corners(uint32_t a, const uint32_t *names_a, uint32_t b,
                                      const uint32_t *names_b)
{
    uint32_t first = names_b[b & 0xff], second = names_b[b >> 8 & 0xff], third = names_b[b >> 16];
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t name = names_a[a >> 8 * i & 0xff];
        shared |= ((uint32_t)(name == first) | (uint32_t)(name == second) << 1 |
                   (uint32_t)(name == third) << 2)
                  << 3 * i;
    }
    return shared;
}

static inline void pack_and_compare(const pli_named_triangles *a, const uint8_t *slot_a,
                                    const pli_named_triangles *b, const uint8_t *slot_b,
                                    uint32_t count, pli_packed_pairs *packed, uint32_t *shared)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = pack_corners(&a->triangles, slot_a[i]),
                 second = pack_corners(&b->triangles, slot_b[i]);
        packed->a[i] = first;
        packed->b[i] = second;
        shared[i] = a->names != NULL ? shared_corners(first, a->names, second, b->names) : 0;
    }
}

#endif

static void pack_pairs(const pli_feature_triangles *a, const uint8_t *slot_a,
                       const pli_feature_triangles *b, const uint8_t *slot_b, uint32_t count,
                       pli_packed_pairs *packed)
{
    uint32_t shared[PLI_BATCH] = {0}, owned[2][PLI_BATCH] = {{0}};
    pack_and_compare(&a->named, slot_a, &b->named, slot_b, count, packed, shared);
    for (uint32_t i = 0; i < count; i++) {
        owned[0][i] = a->owned[slot_a[i]];
        owned[1][i] = b->owned[slot_b[i]];
    }
    find_open(shared, (const uint32_t(*)[PLI_BATCH])owned, packed->open);
}
