/*
 * The bound about the second largest side in plain C, child by child; a part of blend_kernels.inl,
 * which includes it where there is one lane. Eight children together meet every joint that moves
 * one of them; where joints are many, a child alone meets a fraction of those. The results are
 * those of blend_about_second() on wide registers: there, a joint that moves nothing of a child
 * takes part with a side far below all others and no weight, which changes nothing.
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
