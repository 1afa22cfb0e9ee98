/*
 * The kernels of blended bodies' bounds; a part of model_kernels.c, which includes it.
 *
 * The dual bound: for any number x, sum w_j b_j is at most x s + sum_j of the greater of
 * l_j (b_j - x) and h_j (b_j - x), where weights w_j between l_j and h_j sum to s and b_j are the
 * upper sides that the joints make of a child's box. Sides along an axis and against it are bounded
 * at the same time.
 */
#include "base/simd/simd_wide.h"

/* Upper sides of eight boxes along an axis, and against it. */
typedef struct blend_sides {
    pli_eight along, against;
} blend_sides;

/* The children's boxes before transforms. */
typedef struct blend_source {
    pli_eight centre[3], half[3];
} blend_source;

static inline blend_source load_source(const pli_coefficient_view *coefficients,
                                       const pli_local *local)
{
    const float *axes = coefficients->mode_count > 0 ? local->axes : coefficients->values;
    blend_source source;
    for (int k = 0; k < 3; k++) {
        source.centre[k] = pli_eight_load(axes + 16 * k);
        source.half[k] = pli_eight_load(axes + 16 * k + 8);
    }
    return source;
}

/*
 * The sides of what a transform makes of the boxes, along all axes: middles A c + t, and half sizes
 * |A| e beside them. Step by step for all of them, so that a processor that looks only so far ahead
 * always has several sums to work at.
 */
PLI_ALWAYS_INLINE void place_sides(const blend_source *source, const float *rows,
                                   blend_sides sides[3])
{
    pli_eight middle[3], size[3];
    for (int k = 0; k < 3; k++) {
        pli_eight factor = pli_eight_set(rows[4 * k]);
        middle[k] = pli_eight_mul(source->centre[0], factor);
        size[k] = pli_eight_mul(source->half[0], pli_eight_abs(factor));
    }
    for (int i = 1; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            pli_eight factor = pli_eight_set(rows[4 * k + i]);
            middle[k] = pli_eight_add_product(middle[k], source->centre[i], factor);
            size[k] = pli_eight_add_product(size[k], source->half[i], pli_eight_abs(factor));
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = pli_eight_add(middle[k], pli_eight_set(rows[4 * k + 3]));
    }
    for (int k = 0; k < 3; k++) {
        sides[k].along = pli_eight_add(size[k], middle[k]);
        sides[k].against = pli_eight_sub(size[k], middle[k]);
    }
}

/* What follows the boxes in a node's coefficients, run by run of 16. */
typedef struct blend_weights {
    const float *sums;   /* of a vertex' weights: (least | greatest) */
    const float *totals; /* the sums of the ranges below, (least | greatest) */
    const float *ranges; /* of the weights of each joint: (least | greatest) */
    const float *shares; /* of each joint in all weights of the node; they sum to 1 */
} blend_weights;

static inline blend_weights find_weights(const pli_coefficient_view *coefficients)
{
    const float *sums =
        coefficients->values + PLI_COEFFICIENT_AXES * (1 + (size_t)coefficients->mode_count);
    const float *ranges = sums + 32;
    return (blend_weights){sums, sums + 16, ranges,
                           ranges + 16 * (size_t)coefficients->joint_count};
}

/* Stores bounds of the sides, widened, as boxes along an axis. */
static inline void put_sides(const pli_coefficient_view *coefficients, blend_sides bound,
                             float margin, int axis, pli_boxes *boxes)
{
    pli_eight wider = pli_eight_set(margin), zero = pli_eight_set(0.0f);
    float *lower = boxes->side[axis], *upper = boxes->side[3 + axis];
    pli_eight_store(lower, pli_eight_sub(zero, pli_eight_add(bound.against, wider)));
    pli_eight_store(upper, pli_eight_add(bound.along, wider));
    for (uint32_t i = coefficients->lanes; i < 8; i++) {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
}

/* ------------------------------------------------ about the second largest */

/*
 * About the second largest side only the largest is above x, so one pass does: it keeps the two
 * largest, what the largest may gain, h - l, and the sum of l b of all. Nodes that move nothing in
 * a lane take part with a side far below all others: they have no weight, so the bound holds
 * whatever it is.
 */
#define FAR_BELOW (-0x1p126f)

/*
 * With u = 2^-24, B the largest |b| times the largest sum of weights, and n joints: the sum of l b
 * is wrong by at most (n + 1) u B, and the eight operations behind it, on numbers up to 4 B, by 24
 * u B. pose->size is not below B, and what underflows is worth less than the last term.
 */
static inline float second_slack(const pli_coefficient_view *coefficients, const pli_pose *pose,
                                 int axis)
{
    float roundings = (float)coefficients->joint_count + 32.0f;
    return roundings * (1.25f * 0x1p-24f * pose->size[axis] + 0x1p-140f);
}

#if defined(PLI_SIMD_PLAIN)
/*
 * In plain C the bound about the second largest side is found child by child. Eight children
 * together meet every joint that moves one of them; where joints are many, a child alone meets a
 * fraction of those. The results are those of wide registers. There, a joint that moves nothing of
 * a child takes part with a side far below all others and no weight, and changes nothing.
 */

/* What the joints make of a child: the two largest sides, what the largest may gain, and the sum of
   l b of all. */
typedef struct lane_leaders {
    float first, second, gain, low_sum;
} lane_leaders;

static inline void meet_lane(lane_leaders *leaders, float side, float low, float gain)
{
    bool leads = leaders->first < side;
    leaders->second = pli_vf_max(leaders->second, leads ? leaders->first : side);
    leaders->first = pli_vf_max(leaders->first, side);
    leaders->gain = leads ? gain : leaders->gain;
    leaders->low_sum = leaders->low_sum + low * side;
}

/* A child's box before transforms. */
typedef struct lane_source {
    float centre[3], half[3];
} lane_source;

/* Upper sides along the three axes, then against them, of what a joint makes of the box. */
static inline void place_lane(const lane_source *source, const float *rows, float sides[6])
{
    float middle[3], size[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = source->centre[0] * rows[4 * k];
        size[k] = source->half[0] * fabsf(rows[4 * k]);
    }
    for (int i = 1; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            middle[k] = middle[k] + source->centre[i] * rows[4 * k + i];
            size[k] = size[k] + source->half[i] * fabsf(rows[4 * k + i]);
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = middle[k] + rows[4 * k + 3];
        sides[k] = size[k] + middle[k];
        sides[3 + k] = size[k] - middle[k];
    }
}

/* bound_about_second() of one child. */
static inline float bound_lane(const lane_leaders *leaders, const blend_weights *weights,
                               uint32_t lane, float slack)
{
    float none = 0.5f * FAR_BELOW;
    float x = leaders->second < none ? leaders->first : leaders->second;
    x = leaders->first < none ? 0.0f : x;
    float first = pli_vf_max(leaders->first, x);
    float bound = pli_vf_max(x * weights->sums[lane], x * weights->sums[8 + lane]);
    bound = bound + (leaders->low_sum - x * weights->totals[lane]);
    bound = bound + leaders->gain * (first - x);
    return bound + slack;
}

static void blend_lane(const pli_coefficient_view *coefficients, const pli_pose *pose,
                       const blend_weights *weights, const float *axes, uint32_t lane,
                       pli_boxes *boxes)
{
    lane_leaders leaders[6]; /* along the axes, and against them */
    lane_source source;
    for (int k = 0; k < 6; k++) {
        leaders[k] = (lane_leaders){FAR_BELOW, FAR_BELOW, 0.0f, 0.0f};
    }
    for (size_t k = 0; k < 3; k++) {
        source.centre[k] = axes[16 * k + lane];
        source.half[k] = axes[16 * k + 8 + lane];
    }
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        float low = weights->ranges[16 * (size_t)j + lane];
        float high = weights->ranges[16 * (size_t)j + 8 + lane], sides[6];
        if (high <= 0.0f) {
            continue;
        }
        place_lane(&source, pose->placing + 12 * (size_t)coefficients->joints[j], sides);
        for (int k = 0; k < 6; k++) {
            meet_lane(&leaders[k], sides[k], low, high - low);
        }
    }
    for (int k = 0; k < 3; k++) {
        float slack = second_slack(coefficients, pose, k), margin = pose->margin[k];
        boxes->side[k][lane] = 0.0f - (bound_lane(&leaders[3 + k], weights, lane, slack) + margin);
        boxes->side[3 + k][lane] = bound_lane(&leaders[k], weights, lane, slack) + margin;
    }
}

static void blend_about_second(const pli_coefficient_view *coefficients, const pli_pose *pose,
                               const pli_local *local, pli_boxes *boxes)
{
    const float *axes = coefficients->mode_count > 0 ? local->axes : coefficients->values;
    blend_weights weights = find_weights(coefficients);
    for (uint32_t lane = 0; lane < coefficients->lanes; lane++) {
        blend_lane(coefficients, pose, &weights, axes, lane, boxes);
    }
    for (uint32_t lane = coefficients->lanes; lane < 8; lane++) {
        for (int k = 0; k < 3; k++) {
            boxes->side[k][lane] = INFINITY;
            boxes->side[3 + k][lane] = -INFINITY;
        }
    }
}
#else

typedef struct blend_leaders {
    pli_eight first, second, gain, low_sum;
} blend_leaders;

static inline void meet_side(blend_leaders *leaders, pli_eight side, pli_eight low, pli_eight gain)
{
    pli_eight_truth leads = pli_eight_less(leaders->first, side);
    leaders->second = pli_eight_max(leaders->second, pli_eight_select(leads, leaders->first, side));
    leaders->first = pli_eight_max(leaders->first, side);
    leaders->gain = pli_eight_select(leads, gain, leaders->gain);
    leaders->low_sum = pli_eight_add_product(leaders->low_sum, low, side);
}

/* The bound; `slack` is what rounding may have taken. */
PLI_ALWAYS_INLINE pli_eight bound_about_second(const blend_leaders *leaders,
                                               const blend_weights *weights, pli_eight slack)
{
    pli_eight zero = pli_eight_set(0.0f), none = pli_eight_set(0.5f * FAR_BELOW);
    pli_eight x =
        pli_eight_select(pli_eight_less(leaders->second, none), leaders->first, leaders->second);
    x = pli_eight_select(pli_eight_less(leaders->first, none), zero, x);
    pli_eight first = pli_eight_max(leaders->first, x);
    pli_eight bound = pli_eight_max(pli_eight_mul(x, pli_eight_load(weights->sums)),
                                    pli_eight_mul(x, pli_eight_load(weights->sums + 8)));
    pli_eight lows =
        pli_eight_sub(leaders->low_sum, pli_eight_mul(x, pli_eight_load(weights->totals)));
    bound = pli_eight_add(bound, lows);
    bound = pli_eight_add_product(bound, leaders->gain, pli_eight_sub(first, x));
    return pli_eight_add(bound, slack);
}

static void blend_about_second(const pli_coefficient_view *coefficients, const pli_pose *pose,
                               const pli_local *local, pli_boxes *boxes)
{
    blend_weights weights = find_weights(coefficients);
    blend_source source = load_source(coefficients, local);
    pli_eight zero = pli_eight_set(0.0f), far_below = pli_eight_set(FAR_BELOW);
    blend_leaders along[3], against[3];
    for (int k = 0; k < 3; k++) {
        along[k] = against[k] = (blend_leaders){far_below, far_below, zero, zero};
    }
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        pli_eight low = pli_eight_load(weights.ranges + 16 * (size_t)j);
        pli_eight high = pli_eight_load(weights.ranges + 16 * (size_t)j + 8);
        pli_eight gain = pli_eight_sub(high, low);
        pli_eight_truth moves = pli_eight_less(zero, high);
        blend_sides sides[3];
        place_sides(&source, pose->placing + 12 * (size_t)coefficients->joints[j], sides);
        for (int k = 0; k < 3; k++) {
            meet_side(&along[k], pli_eight_select(moves, sides[k].along, far_below), low, gain);
            meet_side(&against[k], pli_eight_select(moves, sides[k].against, far_below), low, gain);
        }
    }
    for (int k = 0; k < 3; k++) {
        pli_eight slack = pli_eight_set(second_slack(coefficients, pose, k));
        blend_sides bound = {bound_about_second(&along[k], &weights, slack),
                             bound_about_second(&against[k], &weights, slack)};
        put_sides(coefficients, bound, pose->margin[k], k, boxes);
    }
}

#endif

/* ---------------------------------------------- about the side of the blend */

/*
 * Where few joints compete, x is the side that the node's mean transform makes: close to all of the
 * joints' sides, and known before them.
 */
PLI_ALWAYS_INLINE void place_means(const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   const blend_source *source, const float *shares,
                                   blend_sides x[3])
{
    pli_eight upper = pli_eight_set(0.0f), lower = upper; /* numbers 0 to 7, and 4 to 11 */
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        const float *rows = pose->placing + 12 * (size_t)coefficients->joints[j];
        pli_eight share = pli_eight_set(shares[j]);
        upper = pli_eight_add_product(upper, share, pli_eight_load(rows));
        lower = pli_eight_add_product(lower, share, pli_eight_load(rows + 4));
    }
    float mean[12];
    pli_eight_store(mean, upper);
    pli_eight_store(mean + 4, lower);
    place_sides(source, mean, x);
}

/* What the sides above x gain less what those below it lose, and the weight on the way. */
typedef struct blend_balance {
    blend_sides sum, mass;
} blend_balance;

static inline pli_eight mass_over(pli_eight over, pli_eight low, pli_eight high)
{
    return pli_eight_select(pli_eight_less(pli_eight_set(0.0f), over), high, low);
}

/* The greater of l o and h o. */
static inline pli_eight gain_over(pli_eight over, pli_eight low, pli_eight high)
{
    return pli_eight_max(pli_eight_mul(low, over), pli_eight_mul(high, over));
}

PLI_ALWAYS_INLINE void balance_about(const pli_coefficient_view *coefficients, const pli_pose *pose,
                                     const blend_source *source, const float *ranges,
                                     const blend_sides x[3], const bool with_mass,
                                     blend_balance balance[3])
{
    pli_eight zero = pli_eight_set(0.0f);
    blend_sides sum[3], mass[3], over[3];
    for (int k = 0; k < 3; k++) {
        sum[k] = mass[k] = (blend_sides){zero, zero};
    }
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        pli_eight low = pli_eight_load(ranges + 16 * (size_t)j);
        pli_eight high = pli_eight_load(ranges + 16 * (size_t)j + 8);
        place_sides(source, pose->placing + 12 * (size_t)coefficients->joints[j], over);
        for (int k = 0; k < 3; k++) {
            over[k].along = pli_eight_sub(over[k].along, x[k].along);
            over[k].against = pli_eight_sub(over[k].against, x[k].against);
        }
        for (int k = 0; k < 3 && with_mass; k++) {
            mass[k].along = pli_eight_add(mass[k].along, mass_over(over[k].along, low, high));
            mass[k].against = pli_eight_add(mass[k].against, mass_over(over[k].against, low, high));
        }
        for (int k = 0; k < 3; k++) {
            over[k].along = gain_over(over[k].along, low, high);
            over[k].against = gain_over(over[k].against, low, high);
        }
        for (int k = 0; k < 3; k++) {
            sum[k].along = pli_eight_add(sum[k].along, over[k].along);
            sum[k].against = pli_eight_add(sum[k].against, over[k].against);
        }
    }
    for (int k = 0; k < 3; k++) {
        balance[k] = (blend_balance){sum[k], mass[k]};
    }
}

/*
 * The bound about x. With u, B and n as above and H the sum of all h: every b - x is at most 2 B,
 * so the sum is wrong by at most (2 n + 4) u B H, and the rest by 4 u B and 4 u B H.
 */
static inline pli_eight bound_about(pli_eight x, pli_eight sum, const blend_weights *weights,
                                    pli_eight slack)
{
    pli_eight bound = pli_eight_max(pli_eight_mul(x, pli_eight_load(weights->sums)),
                                    pli_eight_mul(x, pli_eight_load(weights->sums + 8)));
    return pli_eight_add(pli_eight_add(bound, sum), slack);
}

static inline pli_eight bound_slack(const pli_coefficient_view *coefficients, const pli_pose *pose,
                                    const blend_weights *weights, int axis)
{
    float unit = 1.25f * 0x1p-24f * pose->size[axis] + 0x1p-140f;
    float roundings = 2.0f * (float)coefficients->joint_count + 10.0f;
    return pli_eight_add_product(pli_eight_set((roundings + 8.0f) * unit),
                                 pli_eight_load(weights->totals + 8),
                                 pli_eight_set(roundings * unit));
}

/* Steps x towards where the slope changes sign: more mass above it than may be handed out, and it
   should rise, else fall. */
static inline pli_eight step_from(pli_eight x, pli_eight mass, const blend_weights *weights,
                                  pli_eight step)
{
    pli_eight_truth falls = pli_eight_less(mass, pli_eight_load(weights->sums + 8));
    return pli_eight_select(falls, pli_eight_sub(x, step), pli_eight_add(x, step));
}

/* Further tries, to see how far from the best the first one is. */
PLI_ALWAYS_INLINE void improve_bounds(const pli_coefficient_view *coefficients,
                                      const pli_pose *pose, const blend_source *source,
                                      const blend_weights *weights, int tries, blend_sides x[3],
                                      blend_sides best[3])
{
    pli_eight half = pli_eight_set(0.5f);
    blend_sides step[3];
    for (int i = 1; i < tries; i++) {
        blend_balance balance[3];
        balance_about(coefficients, pose, source, weights->ranges, x, true, balance);
        for (int k = 0; k < 3; k++) {
            pli_eight slack = bound_slack(coefficients, pose, weights, k);
            const blend_sides *sum = &balance[k].sum, *mass = &balance[k].mass;
            best[k].along =
                pli_eight_min(best[k].along, bound_about(x[k].along, sum->along, weights, slack));
            best[k].against = pli_eight_min(
                best[k].against, bound_about(x[k].against, sum->against, weights, slack));
            step[k].along = pli_eight_mul(i == 1 ? sum->along : step[k].along, half);
            step[k].against = pli_eight_mul(i == 1 ? sum->against : step[k].against, half);
            x[k].along = step_from(x[k].along, mass->along, weights, step[k].along);
            x[k].against = step_from(x[k].against, mass->against, weights, step[k].against);
        }
    }
}

static void blend_about_mean(const pli_coefficient_view *coefficients, const pli_pose *pose,
                             const pli_local *local, int tries, pli_boxes *boxes)
{
    blend_weights weights = find_weights(coefficients);
    blend_source source = load_source(coefficients, local);
    pli_eight infinite = pli_eight_set(INFINITY);
    blend_sides x[3], best[3];
    blend_balance balance[3];
    place_means(coefficients, pose, &source, weights.shares, x);
    for (int k = 0; k < 3; k++) {
        best[k] = (blend_sides){infinite, infinite};
    }
    if (tries > 1) {
        improve_bounds(coefficients, pose, &source, &weights, tries, x, best);
    }
    balance_about(coefficients, pose, &source, weights.ranges, x, false, balance);
    for (int k = 0; k < 3; k++) {
        pli_eight slack = bound_slack(coefficients, pose, &weights, k);
        pli_eight along = bound_about(x[k].along, balance[k].sum.along, &weights, slack);
        pli_eight against = bound_about(x[k].against, balance[k].sum.against, &weights, slack);
        blend_sides bound = {pli_eight_min(along, best[k].along),
                             pli_eight_min(against, best[k].against)};
        put_sides(coefficients, bound, pose->margin[k], k, boxes);
    }
}

static void blend_boxes(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        const pli_local *local, int tries, pli_boxes *boxes)
{
    if (tries == 0) {
        blend_about_second(coefficients, pose, local, boxes);
    } else {
        blend_about_mean(coefficients, pose, local, tries, boxes);
    }
}

/* ---------------------------------------------------------- the whole body */

/* The boxes of one joint in its list, before transforms. */
static inline blend_source gather_source(const pli_coefficient_view *coefficients,
                                         const pli_pose *pose, const float *values)
{
    pli_coefficient_view rest = {.values = values};
    blend_source source = load_source(&rest, NULL);
    for (uint32_t m = 0; m < coefficients->mode_count; m++) {
        float q = pose->coordinates[coefficients->modes[m]];
        const float *mode = values + PLI_COEFFICIENT_AXES * (1 + (size_t)m);
        if (q == 0.0f) {
            continue;
        }
        pli_eight factor = pli_eight_set(q), size = pli_eight_abs(factor);
        for (int k = 0; k < 3; k++) {
            source.centre[k] =
                pli_eight_add_product(source.centre[k], pli_eight_load(mode + 16 * k), factor);
            source.half[k] =
                pli_eight_add_product(source.half[k], pli_eight_load(mode + 16 * k + 8), size);
        }
    }
    return source;
}

static void enclose_joints(const pli_coefficient_view *coefficients, const pli_pose *pose,
                           pli_boxes *boxes)
{
    const float *values = coefficients->values;
    pli_eight zero = pli_eight_set(0.0f);
    blend_sides most[3];
    for (int k = 0; k < 3; k++) {
        most[k].along = pli_eight_load(boxes->side[3 + k]);
        most[k].against = pli_eight_sub(zero, pli_eight_load(boxes->side[k]));
    }
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        blend_source source = gather_source(coefficients, pose, values);
        blend_sides sides[3];
        place_sides(&source, pose->placing + 12 * (size_t)coefficients->joints[j], sides);
        for (int k = 0; k < 3; k++) {
            most[k].along = pli_eight_max(most[k].along, sides[k].along);
            most[k].against = pli_eight_max(most[k].against, sides[k].against);
        }
        values += PLI_COEFFICIENT_AXES * (1 + (size_t)coefficients->mode_count);
    }
    for (int k = 0; k < 3; k++) {
        pli_eight_store(boxes->side[3 + k], most[k].along);
        pli_eight_store(boxes->side[k], pli_eight_sub(zero, most[k].against));
    }
}
