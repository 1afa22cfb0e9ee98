/*
 * Triangles one pair at a time; a part of pair_kernels.c, which includes it where there is one
 * lane. The verdicts are those of the wide kernels. One at a time, a plane that separates a pair
 * ends the work on it, and only pairs that both planes cut are ordered and tested further.
 */

/* The verdict about one pair: bit 0 if it touches, bit 1 if float arithmetic cannot tell. */
enum { APART = 0, TOUCH = 1, UNSURE = 2 };

/* Where the corners of a triangle lie along the normal of another's plane. */
static inline void heights(const lanes3 points[3], lanes3 origin, lanes3 normal, float height[3])
{
    for (int i = 0; i < 3; i++) {
        height[i] = dot(normal, subtract(points[i], origin));
    }
}

/* All strictly on one side of the plane, for certain. */
static inline bool on_one_side(const float height[3], float bound)
{
    float least = pli_vf_min(height[0], pli_vf_min(height[1], height[2]));
    float most = pli_vf_max(height[0], pli_vf_max(height[1], height[2]));
    return (least > bound) | (most < -bound);
}

/* Which corners are below the plane: bit i. */
static inline unsigned below_bits(const float height[3])
{
    return (unsigned)((height[0] < 0.0f) | (height[1] < 0.0f) << 1 | (height[2] < 0.0f) << 2);
}

static inline bool are_certain(const float height[3], float bound)
{
    float least =
        pli_vf_min(pli_vf_abs(height[0]), pli_vf_min(pli_vf_abs(height[1]), pli_vf_abs(height[2])));
    return least > bound;
}

/* By which corners are below: the one that is alone on its side, and whether most are below. */
static const uint8_t lone_corner[8] = {0, 0, 1, 2, 2, 1, 0, 0};
static const uint8_t most_below[8] = {0, 0, 0, 1, 0, 1, 1, 1};

/* A pair that neither plane separates for certain; see test_lanes(). Of each triangle, the lone
   corner is p[0] or q[0]; which of the others comes next says on which side it is. */
static unsigned test_crossing(const lanes3 a[3], const lanes3 b[3], const float height_a[3],
                              const float height_b[3], float bound)
{
    static const uint8_t after[5] = {0, 1, 2, 0, 1};
    if (!are_certain(height_a, bound) || !are_certain(height_b, bound)) {
        return UNSURE;
    }
    unsigned below_a = below_bits(height_a), below_b = below_bits(height_b);
    const uint8_t *p = after + lone_corner[below_a], *q = after + lone_corner[below_b];
    unsigned turn_a = most_below[below_b], turn_b = most_below[below_a];
    lanes3 lone_a = a[p[0]], lone_b = b[q[0]];
    float first = edge_value(lone_a, a[p[2 - turn_a]], lone_b, b[q[2 - turn_b]]);
    float second = edge_value(lone_a, a[p[1 + turn_a]], lone_b, b[q[1 + turn_b]]);
    bool touch = (first < -bound) & (second > bound);
    bool clear = (first > bound) | (second < -bound);
    return touch ? TOUCH : clear ? APART : UNSURE;
}

/* The corners of the triangle in a slot. */
static inline void fetch_triangle(const pli_slot_triangles *t, uint32_t slot, lanes3 corner[3])
{
    const pli_cluster_record *record = t->record;
    const float *vertices = record->data + 6 * (size_t)record->slots;
    for (size_t c = 0; c < 3; c++) {
        memcpy(corner[c].c, vertices + 4 * (size_t)t->corners[c * record->slots + slot],
               sizeof corner[c].c);
    }
}

static inline lanes3 normal_of(const lanes3 t[3])
{
    return cross(subtract(t[1], t[0]), subtract(t[2], t[0]));
}

/* How the corners of b lie about the plane of a. */
static inline void heights_over(const lanes3 a[3], const lanes3 b[3], float height[3])
{
    heights(b, a[0], normal_of(a), height);
}

/* Lists which pairs the plane of the first triangle does not separate, without a branch: what the
   test says of a pair is hard to foresee. Returns their number. */
static inline uint32_t list_cut_pairs(const pli_slot_triangles *a, const uint8_t *slot_a,
                                      const pli_slot_triangles *b, const uint8_t *slot_b,
                                      uint32_t count, float bound, uint8_t left[PLI_BATCH])
{
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        lanes3 corner_a[3], corner_b[3];
        float height[3];
        fetch_triangle(a, slot_a[i], corner_a);
        fetch_triangle(b, slot_b[i], corner_b);
        heights_over(corner_a, corner_b, height);
        left[left_count] = (uint8_t)i;
        left_count += !on_one_side(height, bound);
    }
    return left_count;
}

static pli_verdicts test_triangles(const pli_slot_triangles *a, const uint8_t *slot_a,
                                   const pli_slot_triangles *b, const uint8_t *slot_b,
                                   uint32_t count)
{
    pli_verdicts verdicts = {0, 0};
    uint8_t left[PLI_BATCH];
    float bound = bound_of(a, b);
    uint32_t left_count = list_cut_pairs(a, slot_a, b, slot_b, count, bound, left);
    for (uint32_t n = 0; n < left_count; n++) {
        uint32_t i = left[n];
        lanes3 corner_a[3], corner_b[3];
        float height_a[3], height_b[3];
        fetch_triangle(a, slot_a[i], corner_a);
        fetch_triangle(b, slot_b[i], corner_b);
        heights_over(corner_b, corner_a, height_a);
        if (!on_one_side(height_a, bound)) {
            heights_over(corner_a, corner_b, height_b);
            uint64_t verdict = test_crossing(corner_a, corner_b, height_a, height_b, bound);
            verdicts.touch |= (verdict & 1) << i;
            verdicts.unsure |= verdict >> 1 << i;
        }
    }
    return verdicts;
}
