/*
 * Part of pair_kernels.c: the candidates of one body that share a vertex (docs/definition.md,
 * D4). On a smooth surface they are nearly all candidates, and nearly all of them are apart but for
 * what they share, so they are told from others and tested many at once.
 *
 * Which corners are shared is found by comparing names of vertices, nine comparisons per pair, and
 * where the mesh has seams also positions.
 *
 * One corner v is shared. Let p, q be the others of a and r, s those of b, all relative to v; n = p
 * x q, N = r x s, f(x) = N.x and F(x) = n.x. Where f(p) and f(q) have one sign, a meets the plane
 * of b in v alone; where F(r) and F(s) have one sign, b meets that of a in v alone. Else, if f(p) >
 * 0 > f(q), the planes meet in a line through v, and a meets it from v on in the direction f(p) q -
 * f(q) p = (p x q) x N = n x N; if f(p) < 0 < f(q), in the opposite one. Likewise b in the
 * direction F(r) s - F(s) r = N x n = -(n x N) if F(r) > 0 > F(s), and else in the opposite one.
 * The triangles have more than v in common iff the directions are the same, that is, iff f(p) and
 * F(r) have different signs.
 *
 * Two corners are shared. f and F vanish at shared corners. If they do not vanish at another one,
 * the planes differ, and the triangles meet in the line of the shared corners only, where both are
 * the segment between these. A triangle that has a shared vertex twice also counts as sharing two
 * corners; it is a segment from v, and if its other end is not in the other's plane, v is all they
 * have in common. Whatever else shares more than one corner has no f or F that is not zero.
 *
 * So signs are all that is needed, and they come with the bound of pair_kernels.c. As each of the
 * determinants is taken about a shared corner, all differences are sides of one of the triangles,
 * and R is the longer of the two clusters' longest sides instead of their sum. Where a sign that
 * matters is not certain, exact arithmetic decides.
 */

/* Which corners of a are corners of b, and what follows from that. */
typedef struct lane_shares {
    pli_vm at[3][3];        /* corner i of a is corner j of b */
    pli_vm any, two, three; /* at least so many are true */
} lane_shares;

static inline void compare_names(const name_lanes a[3], const name_lanes b[3], lane_shares *shares)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            shares->at[i][j] = names_equal(a[i], b[j]);
        }
    }
}

/* The same place; every coordinate is a number. */
static inline pli_vm places_equal(lanes3 a, lanes3 b)
{
    pli_vm differ = pli_vf_less(a.c[0], b.c[0]);
    differ = pli_vm_or(differ, pli_vf_less(b.c[0], a.c[0]));
    for (int k = 1; k < 3; k++) {
        differ = pli_vm_or(differ, pli_vf_less(a.c[k], b.c[k]));
        differ = pli_vm_or(differ, pli_vf_less(b.c[k], a.c[k]));
    }
    return pli_vm_and_not(pli_vf_less(pli_vf_set(0.0f), pli_vf_set(1.0f)), differ);
}

/* A vertex is shared only if its copies are in one place. */
static inline void compare_places(const lanes3 a[3], const lanes3 b[3], lane_shares *shares)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (pli_vm_bits(shares->at[i][j]) != 0) {
                shares->at[i][j] = pli_vm_and(shares->at[i][j], places_equal(a[i], b[j]));
            }
        }
    }
}

static inline pli_vm shares_any(const lane_shares *shares)
{
    pli_vm any = shares->at[0][0];
    for (int i = 1; i < 9; i++) {
        any = pli_vm_or(any, shares->at[i / 3][i % 3]);
    }
    return any;
}

static inline void count_shares(lane_shares *shares)
{
    pli_vm never = pli_vf_less(pli_vf_set(0.0f), pli_vf_set(0.0f));
    shares->any = shares->at[0][0];
    shares->two = shares->three = never;
    for (int i = 1; i < 9; i++) {
        pli_vm here = shares->at[i / 3][i % 3];
        shares->three = pli_vm_or(shares->three, pli_vm_and(shares->two, here));
        shares->two = pli_vm_or(shares->two, pli_vm_and(shares->any, here));
        shares->any = pli_vm_or(shares->any, here);
    }
}

/* The signs of the other corners of t against the plane of b, whose first corner t has too. */
PLI_ALWAYS_INLINE void sides_about(const lanes3 t[3], const lanes3 b[3], pli_vf bound,
                                   lane_sign side[2])
{
    lanes3 n = cross(subtract(b[1], b[0]), subtract(b[2], b[0]));
    side[0] = sign_of(n, subtract(t[1], b[0]), bound);
    side[1] = sign_of(n, subtract(t[2], b[0]), bound);
}

static inline pli_vm certain_sign(lane_sign s)
{
    return pli_vm_or(s.positive, s.negative);
}

/* Whether lanes that share corners have more in common (PLIANT_NEIGHBOURS_BEYOND_SHARED). */
PLI_ALWAYS_INLINE pli_verdicts test_beyond(const lanes3 corner_a[3], const lanes3 corner_b[3],
                                           const lane_shares *shares, pli_vf bound)
{
    lanes3 a[3], b[3];
    lane_sign f[2], g[2]; /* of p and q; F of r and s */
    pli_vm row[2], column[2];
    for (int i = 0; i < 2; i++) {
        row[i] = pli_vm_or(pli_vm_or(shares->at[i][0], shares->at[i][1]), shares->at[i][2]);
        column[i] = pli_vm_or(pli_vm_or(shares->at[0][i], shares->at[1][i]), shares->at[2][i]);
    }
    turn_to(row, corner_a, a);
    turn_to(column, corner_b, b);
    sides_about(a, b, bound, f);
    sides_about(b, a, bound, g);
    pli_vm same = pli_vm_or(pli_vm_or(pli_vm_and(f[0].positive, f[1].positive),
                                      pli_vm_and(f[0].negative, f[1].negative)),
                            pli_vm_or(pli_vm_and(g[0].positive, g[1].positive),
                                      pli_vm_and(g[0].negative, g[1].negative)));
    pli_vm f_falls = pli_vm_and(f[0].positive, f[1].negative);
    pli_vm f_rises = pli_vm_and(f[0].negative, f[1].positive);
    pli_vm g_falls = pli_vm_and(g[0].positive, g[1].negative);
    pli_vm g_rises = pli_vm_and(g[0].negative, g[1].positive);
    pli_vm opposite = pli_vm_or(pli_vm_and(f_falls, g_falls), pli_vm_and(f_rises, g_rises));
    pli_vm along = pli_vm_or(pli_vm_and(f_falls, g_rises), pli_vm_and(f_rises, g_falls));
    pli_vm slanted = pli_vm_or(pli_vm_or(certain_sign(f[0]), certain_sign(f[1])),
                               pli_vm_or(certain_sign(g[0]), certain_sign(g[1])));
    pli_vm apart = pli_vm_or(pli_vm_and(shares->two, slanted),
                             pli_vm_and_not(pli_vm_or(same, opposite), shares->two));
    pli_vm touch = pli_vm_and_not(along, shares->two);
    pli_verdicts verdicts;
    unsigned sharing = pli_vm_bits(shares->any), many = pli_vm_bits(shares->three);
    verdicts.touch = sharing & ~many & pli_vm_bits(touch);
    verdicts.unsure = sharing & (many | ~(pli_vm_bits(touch) | pli_vm_bits(apart)));
    return verdicts;
}

/* PLIANT_NEIGHBOURS_ALL: they touch, unless they share three vertices. */
static inline pli_verdicts all_touch(const lane_shares *shares)
{
    unsigned many = pli_vm_bits(shares->three);
    pli_verdicts verdicts = {.touch = pli_vm_bits(shares->any) & ~many, .unsure = many};
    return verdicts;
}

static inline void keep_neighbours(pli_neighbour_pairs *kept, pli_verdicts verdicts,
                                   const uint8_t *slot_a, const uint8_t *slot_b)
{
    for (uint64_t open = verdicts.touch | verdicts.unsure; open != 0; open &= open - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(open);
        kept->slot_a[kept->count] = slot_a[i];
        kept->slot_b[kept->count] = slot_b[i];
        kept->touch[kept->count++] = verdicts.touch >> i & 1;
    }
}

/* Writes the chosen ones of PLI_LANES slots one after the other; up to 16 bytes are written. */
static inline void pack_slots(uint8_t *to, const uint8_t *from, unsigned chosen)
{
#if defined(PLI_SIMD_AVX512)
    __m128i slots = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_maskz_compress_epi8((__mmask16)chosen, slots));
#else
    for (; chosen != 0; chosen &= chosen - 1) {
        *to++ = from[__builtin_ctz(chosen)];
    }
#endif
}

/* One register of pairs: returns which share a vertex, and keeps what the rule does not drop. */
PLI_ALWAYS_INLINE unsigned judge_lanes(const pli_named_triangles *a, const uint8_t *slot_a,
                                       const pli_named_triangles *b, const uint8_t *slot_b,
                                       const pli_neighbour_rule *rule, unsigned asked, pli_vf bound,
                                       uint32_t entries, pli_neighbour_pairs *kept)
{
    name_lanes name_a[3], name_b[3];
    lane_shares shares;
    fetch_corner_names(a, entries, slot_a, name_a);
    fetch_corner_names(b, entries, slot_b, name_b);
    compare_names(name_a, name_b, &shares);
    unsigned sharing = asked & pli_vm_bits(shares_any(&shares));
    if (sharing == 0 || (rule->rule == PLIANT_NEIGHBOURS_SKIP && !rule->seams)) {
        return sharing;
    }
    lanes3 corner_a[3], corner_b[3];
    fetch_corners(&a->triangles, entries, slot_a, corner_a);
    fetch_corners(&b->triangles, entries, slot_b, corner_b);
    if (rule->seams) {
        compare_places(corner_a, corner_b, &shares);
        sharing = asked & pli_vm_bits(shares_any(&shares));
    }
    if (sharing != 0 && rule->rule != PLIANT_NEIGHBOURS_SKIP) {
        count_shares(&shares);
        pli_verdicts verdicts = rule->rule == PLIANT_NEIGHBOURS_ALL
                                    ? all_touch(&shares)
                                    : test_beyond(corner_a, corner_b, &shares, bound);
        verdicts.touch &= asked;
        verdicts.unsure &= asked;
        keep_neighbours(kept, verdicts, slot_a, slot_b);
    }
    return sharing;
}

/* Inlined with `entries` known, as test_all(). */
PLI_ALWAYS_INLINE uint32_t separate_all(const pli_named_triangles *a, uint8_t *slot_a,
                                        const pli_named_triangles *b, uint8_t *slot_b,
                                        uint32_t count, const pli_neighbour_rule *rule,
                                        pli_neighbour_pairs *kept, uint32_t entries)
{
    float extent_a = a->triangles.record->extent, extent_b = b->triangles.record->extent;
    float r = extent_a > extent_b ? extent_a : extent_b;
    pli_vf bound = pli_vf_set(rule->moderate ? 48 * 0x1p-24f * (r * r * r) + 0x1p-100f : INFINITY);
    uint32_t strangers = 0;
    kept->count = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        uint32_t here = count - i < PLI_LANES ? count - i : PLI_LANES;
        unsigned asked = (unsigned)(((uint64_t)1 << here) - 1);
        unsigned others =
            asked & ~judge_lanes(a, slot_a + i, b, slot_b + i, rule, asked, bound, entries, kept);
        pack_slots(slot_a + strangers, slot_a + i, others);
        pack_slots(slot_b + strangers, slot_b + i, others);
        strangers += (uint32_t)__builtin_popcount(others);
    }
    return strangers;
}

static uint32_t separate_neighbours(const pli_named_triangles *a, uint8_t *slot_a,
                                    const pli_named_triangles *b, uint8_t *slot_b, uint32_t count,
                                    const pli_neighbour_rule *rule, pli_neighbour_pairs *kept)
{
    uint32_t stride_a = a->triangles.record->stride, stride_b = b->triangles.record->stride;
    uint32_t most = stride_a > stride_b ? stride_a : stride_b;
    return most <= 64    ? separate_all(a, slot_a, b, slot_b, count, rule, kept, 64)
           : most <= 128 ? separate_all(a, slot_a, b, slot_b, count, rule, kept, 128)
                         : separate_all(a, slot_a, b, slot_b, count, rule, kept, 192);
}
