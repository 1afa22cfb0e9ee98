/*
 * Part of moving_kernels.c: pairs of moving triangles that one direction parts all the time.
 *
 * A direction d that does not change sees points move along straight lines too. If the triangles
 * are apart along d at both ends, in the same order, they are all the time. Any d will do; tried
 * are the one from centre to centre and the nine that an edge of each is perpendicular to, all in
 * the middle of the step. In small steps one of these parts nearly all that never meet.
 *
 * Triangles of one body that share one vertex x: if d sees the other corners of one ahead of x and
 * those of the other behind it, at both ends, the triangles have x alone in common at any time. A
 * feature that has not x for a corner is strictly ahead or behind all the time, so that it meets
 * nothing of the other triangle.
 *
 * The bound. Let e = 2^-24, R as in moving_kernels.c, and D = |d_0| + |d_1| + |d_2|, for d as it
 * was computed. In a sum d . w of three products, w being a difference of coordinates of at most R,
 * each product goes through four roundings at most: the sum is off by less than 4.01 e D R, and by
 * 3 x 2^-150 where products underflow. Two such sums, and one rounding of a number below 1.01 D R
 * where the bound is added to a side, make less than 10 e D R + 2^-147. 16 e D R + 2^-140 bounds
 * that, whatever rounding does to D, R and the bound itself. Components of d are at most 8 R^2, so
 * that coordinates below 2^38 keep everything finite: D R <= 24 R^3 < 2^125.
 */

/* Corners of two triangles at both ends, as seen from the first of a. */
typedef struct lane_offsets {
    lanes3 a[2][2]; /* the others of a */
    lanes3 b[2][3];
} lane_offsets;

static inline pli_vm nowhere(void)
{
    return pli_vf_less(pli_vf_set(0.0f), pli_vf_set(0.0f));
}

static inline pli_vm everywhere(void)
{
    return pli_vf_less(pli_vf_set(0.0f), pli_vf_set(1.0f));
}

/* The bound, `size` being 16 e R. */
static inline pli_vf margin_along(lanes3 d, float size)
{
    pli_vf sum = pli_vf_add(pli_vf_add(pli_vf_abs(d.c[0]), pli_vf_abs(d.c[1])), pli_vf_abs(d.c[2]));
    return pli_vf_add(pli_vf_mul(sum, pli_vf_set(size)), pli_vf_set(0x1p-140f));
}

/* Between which values two points are along d. */
static inline lane_range range_along(lanes3 d, lanes3 p, lanes3 q)
{
    return range_of(dot(d, p), dot(d, q));
}

/* Where one triangle is ahead of the other along d at both ends, for certain. */
PLI_ALWAYS_INLINE pli_vm parts(lanes3 d, const lane_offsets *w, float size)
{
    pli_vf margin = margin_along(d, size), zero = pli_vf_set(0.0f);
    pli_vm ahead = everywhere(), behind = everywhere();
    for (int end = 0; end < 2; end++) {
        lane_range of_a = range_along(d, w->a[end][0], w->a[end][1]);
        lane_range of_b = range_along(d, w->b[end][0], w->b[end][1]);
        pli_vf last = dot(d, w->b[end][2]);
        extend(&of_a, range_of(zero, zero));
        extend(&of_b, range_of(last, last));
        ahead = pli_vm_and(ahead, pli_vf_less(pli_vf_add(of_b.high, margin), of_a.low));
        behind = pli_vm_and(behind, pli_vf_less(pli_vf_add(of_a.high, margin), of_b.low));
    }
    return pli_vm_or(ahead, behind);
}

PLI_ALWAYS_INLINE void find_offsets(const lane_motion *a, const lane_motion *b, lane_offsets *w)
{
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 3; i++) {
            w->b[end][i] = subtract(b->at[end][i], a->at[end][0]);
        }
        w->a[end][0] = subtract(a->at[end][1], a->at[end][0]);
        w->a[end][1] = subtract(a->at[end][2], a->at[end][0]);
    }
}

/* `done` and where one of the directions parts the triangles, which share nothing. */
PLI_ALWAYS_INLINE pli_vm parted(const lane_motion *a, const lane_motion *b, float size, pli_vm done)
{
    lane_offsets w;
    lanes3 corner_b[3], edge_a[3], edge_b[3]; /* in the middle, twice as long */
    find_offsets(a, b, &w);
    for (int i = 0; i < 3; i++) {
        corner_b[i] = add(w.b[0][i], w.b[1][i]);
    }
    for (int i = 0; i < 3; i++) {
        edge_b[i] = subtract(corner_b[(i + 1) % 3], corner_b[i]);
    }
    edge_a[0] = add(w.a[0][0], w.a[1][0]);
    edge_a[1] = add(w.a[0][1], w.a[1][1]);
    edge_a[2] = subtract(edge_a[1], edge_a[0]);
    lanes3 centre = add(add(corner_b[0], corner_b[1]), corner_b[2]);
    done = pli_vm_or(done, parts(subtract(centre, add(edge_a[0], edge_a[1])), &w, size));
    for (int i = 0; i < 9 && not_in(done) != 0; i++) {
        done = pli_vm_or(done, parts(cross(edge_a[i / 3], edge_b[i % 3]), &w, size));
    }
    return done;
}

/* The two corners that are not shared, where one is, at both ends, as seen from that one. */
PLI_ALWAYS_INLINE void see_from_shared(const lane_motion *t, lanes3 offset[2][2])
{
    for (int end = 0; end < 2; end++) {
        lanes3 turned[3];
        turn_to(t->shared, t->at[end], turned);
        offset[end][0] = subtract(turned[1], turned[0]);
        offset[end][1] = subtract(turned[2], turned[0]);
    }
}

/* Where the other corners of one are ahead and those of the other behind the only one they share.
 */
PLI_ALWAYS_INLINE pli_vm parted_at_shared(const lane_motion *a, const lane_motion *b, float size)
{
    lanes3 of_a[2][2], of_b[2][2];
    see_from_shared(a, of_a);
    see_from_shared(b, of_b);
    lanes3 d = subtract(add(add(of_a[0][0], of_a[1][0]), add(of_a[0][1], of_a[1][1])),
                        add(add(of_b[0][0], of_b[1][0]), add(of_b[0][1], of_b[1][1])));
    pli_vf margin = margin_along(d, size), zero = pli_vf_set(0.0f);
    lane_range ahead = range_along(d, of_a[0][0], of_a[0][1]);
    lane_range behind = range_along(d, of_b[0][0], of_b[0][1]);
    extend(&ahead, range_along(d, of_a[1][0], of_a[1][1]));
    extend(&behind, range_along(d, of_b[1][0], of_b[1][1]));
    return pli_vm_and(pli_vf_less(margin, ahead.low),
                      pli_vf_less(pli_vf_add(behind.high, margin), zero));
}

static inline pli_vm shares_none(const lane_motion *t)
{
    pli_vm any = pli_vm_or(t->shared[0], pli_vm_or(t->shared[1], t->shared[2]));
    return pli_vm_and_not(everywhere(), any);
}

static inline pli_vm shares_one(const lane_motion *t)
{
    pli_vm odd = pli_vm_xor(t->shared[0], pli_vm_xor(t->shared[1], t->shared[2]));
    return pli_vm_and_not(odd, all_shared(t));
}

/* Of one body. Where more than one vertex is shared, nothing is said. */
PLI_ALWAYS_INLINE pli_vm parted_self(const lane_motion *a, const lane_motion *b, float size)
{
    pli_vm none = shares_none(a), one = pli_vm_and(shares_one(a), shares_one(b));
    if (pli_vm_bits(none) != 0) {
        none = pli_vm_and(none, parted(a, b, size, pli_vm_and_not(everywhere(), none)));
    }
    if (pli_vm_bits(one) != 0) {
        one = pli_vm_and(one, parted_at_shared(a, b, size));
    }
    return pli_vm_or(none, one);
}

PLI_ALWAYS_INLINE uint64_t all_unparted(const pli_swept_triangles *a, const uint8_t *slot_a,
                                        const pli_swept_triangles *b, const uint8_t *slot_b,
                                        uint32_t count, uint32_t entries, bool named)
{
    float size = 16 * 0x1p-24f * (extent_of(a) + extent_of(b));
    uint64_t open = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lane_motion motion_a, motion_b;
        fetch_pairs(a, slot_a + i, b, slot_b + i, entries, named, &motion_a, &motion_b);
        pli_vm apart = named ? parted_self(&motion_a, &motion_b, size)
                             : parted(&motion_a, &motion_b, size, nowhere());
        open |= (uint64_t)not_in(apart) << i;
    }
    return cut(open, count);
}

static uint64_t unparted(const pli_swept_triangles *a, const uint8_t *slot_a,
                         const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count)
{
#define STRANGERS(entries) all_unparted(a, slot_a, b, slot_b, count, entries, false)
#define NAMED(entries)     all_unparted(a, slot_a, b, slot_b, count, entries, true)
    uint32_t vertices = most_vertices(a->end.record, b->end.record);
    return a->start.names == NULL ? WITH_ENTRIES(vertices, STRANGERS)
                                  : WITH_ENTRIES(vertices, NAMED);
#undef STRANGERS
#undef NAMED
}
