/*
 * The kernels of blended bodies' bounds; a part of model_kernels.inl, which includes it.
 *
 * The dual bound: for any number x, sum w_j b_j is at most x s + sum_j of the greater of
 * l_j (b_j - x) and h_j (b_j - x), where weights w_j between l_j and h_j sum to s and b_j are the
 * upper sides that the nodes make of a child's box. Sides along an axis and against it are bounded
 * at the same time.
 */
#include "base/simd8.h"

/* Upper sides of eight boxes along an axis, and against it. */
typedef struct blend_sides {
    pli_eight along, against;
} blend_sides;

/* The children's boxes before transforms. */
typedef struct blend_source {
    pli_eight centre[3], half[3];
} blend_source;

static inline blend_source load_source(const pli_local *local)
{
    blend_source source;
    for (int k = 0; k < 3; k++) {
        source.centre[k] = pli_eight_load(local->axes + 16 * k);
        source.half[k] = pli_eight_load(local->axes + 16 * k + 8);
    }
    return source;
}

/* The middle and the half size of what a transform makes of the boxes along an axis, whose row is
   given. */
static inline pli_eight place_middle(const blend_source *source, const float *row)
{
    pli_eight sum = pli_eight_mul(source->centre[0], pli_eight_set(row[0]));
    sum = pli_eight_add_product(sum, source->centre[1], pli_eight_set(row[1]));
    sum = pli_eight_add_product(sum, source->centre[2], pli_eight_set(row[2]));
    return pli_eight_add(sum, pli_eight_set(row[3]));
}

static inline pli_eight place_size(const blend_source *source, const float *row)
{
    pli_eight sum = pli_eight_mul(source->half[0], pli_eight_abs(pli_eight_set(row[0])));
    sum = pli_eight_add_product(sum, source->half[1], pli_eight_abs(pli_eight_set(row[1])));
    return pli_eight_add_product(sum, source->half[2], pli_eight_abs(pli_eight_set(row[2])));
}

static inline blend_sides spread_sides(pli_eight middle, pli_eight size)
{
    return (blend_sides){pli_eight_add(size, middle), pli_eight_sub(size, middle)};
}

/* Stores bounds of the sides, widened, as boxes along an axis. */
static inline void put_sides(const pli_row_view *row, blend_sides bound, float margin, int axis,
                             pli_boxes *boxes)
{
    pli_eight wider = pli_eight_set(margin), zero = pli_eight_set(0.0f);
    float *lower = boxes->side[axis], *upper = boxes->side[3 + axis];
    pli_eight_store(lower, pli_eight_sub(zero, pli_eight_add(bound.against, wider)));
    pli_eight_store(upper, pli_eight_add(bound.along, wider));
    for (uint32_t i = row->lanes; i < 8; i++) {
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

typedef struct blend_leaders {
    pli_eight first, second, gain, low_sum;
} blend_leaders;

static inline void meet_side(blend_leaders *leaders, pli_eight side, pli_eight low, pli_eight gain)
{
    pli_eight_truth leads = pli_eight_less(leaders->first, side);
    leaders->second = pli_eight_max(leaders->second, pli_eight_select(leads, leaders->first, side));
    leaders->first = pli_eight_select(leads, side, leaders->first);
    leaders->gain = pli_eight_select(leads, gain, leaders->gain);
    leaders->low_sum = pli_eight_add_product(leaders->low_sum, low, side);
}

/* The bound. `low_total` is the sum of l, `slack` what rounding may have taken. */
static inline pli_eight bound_about_second(const blend_leaders *leaders, const float *sums,
                                           pli_eight low_total, pli_eight slack)
{
    pli_eight zero = pli_eight_set(0.0f), none = pli_eight_set(0.5f * FAR_BELOW);
    pli_eight x =
        pli_eight_select(pli_eight_less(leaders->second, none), leaders->first, leaders->second);
    x = pli_eight_select(pli_eight_less(leaders->first, none), zero, x);
    pli_eight first = pli_eight_max(leaders->first, x);
    pli_eight bound = pli_eight_max(pli_eight_mul(x, pli_eight_load(sums)),
                                    pli_eight_mul(x, pli_eight_load(sums + 8)));
    pli_eight lows = pli_eight_sub(leaders->low_sum, pli_eight_mul(x, low_total));
    bound = pli_eight_add(bound, lows);
    bound = pli_eight_add_product(bound, leaders->gain, pli_eight_sub(first, x));
    return pli_eight_add(bound, slack);
}

/*
 * With u = 2^-24, B the largest |b| times the largest sum of weights, and n nodes: the sum of l b
 * is wrong by at most (n + 1) u B, x times the sum of l by as much, and the seven operations behind
 * them, on numbers up to 4 B, by 20 u B. pose->size is not below B, and what underflows is worth
 * less than the last term.
 */
static inline float second_slack(const pli_row_view *row, const pli_pose *pose, int axis)
{
    float roundings = 2.0f * (float)row->node_count + 32.0f;
    return roundings * (1.25f * 0x1p-24f * pose->size[axis] + 0x1p-140f);
}

static void blend_about_second(const pli_row_view *row, const pli_pose *pose,
                               const pli_local *local, pli_boxes *boxes)
{
    const float *sums = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    const float *weights = sums + 32;
    blend_source source = load_source(local);
    pli_eight zero = pli_eight_set(0.0f), far_below = pli_eight_set(FAR_BELOW);
    blend_leaders none = {far_below, far_below, zero, zero};
    for (int k = 0; k < 3; k++) {
        blend_leaders along = none, against = none;
        pli_eight low_total = zero;
        for (uint32_t j = 0; j < row->node_count; j++) {
            const float *rows = pose->transforms + 12 * (size_t)row->nodes[j] + 4 * k;
            pli_eight low = pli_eight_load(weights + 16 * (size_t)j);
            pli_eight high = pli_eight_load(weights + 16 * (size_t)j + 8);
            pli_eight gain = pli_eight_sub(high, low);
            pli_eight size =
                pli_eight_select(pli_eight_less(zero, high), place_size(&source, rows), far_below);
            blend_sides sides = spread_sides(place_middle(&source, rows), size);
            low_total = pli_eight_add(low_total, low);
            meet_side(&along, sides.along, low, gain);
            meet_side(&against, sides.against, low, gain);
        }
        pli_eight slack = pli_eight_set(second_slack(row, pose, k));
        blend_sides bound = {bound_about_second(&along, sums, low_total, slack),
                             bound_about_second(&against, sums, low_total, slack)};
        put_sides(row, bound, pose->margin[k], k, boxes);
    }
}

/* ------------------------------------------------------ about the mean side */

/* Nodes whose sides are kept between passes; those of others are computed again. */
enum { KEPT_NODES = 64 };

/* The sides of boxes that a row's nodes make of the children's, kept or made again. */
typedef struct blend_nodes {
    blend_source source;
    const pli_row_view *row;
    const pli_pose *pose;
    const float *weights; /* (least | greatest) of each node */
    float *kept;          /* [KEPT_NODES][3][16] */
} blend_nodes;

static inline blend_sides make_sides(const blend_nodes *nodes, uint32_t j, int axis)
{
    const float *row = nodes->pose->transforms + 12 * (size_t)nodes->row->nodes[j] + 4 * axis;
    return spread_sides(place_middle(&nodes->source, row), place_size(&nodes->source, row));
}

static inline blend_sides sides_of(const blend_nodes *nodes, uint32_t j, int axis)
{
    if (j >= KEPT_NODES) {
        return make_sides(nodes, j, axis);
    }
    const float *kept = nodes->kept + 48 * (size_t)j + 16 * axis;
    return (blend_sides){pli_eight_load(kept), pli_eight_load(kept + 8)};
}

/* The mean sides by middle weights, times the sum of these; keeps sides on the way. */
static inline void weigh_sides(const blend_nodes *nodes, blend_sides sum[3])
{
    pli_eight half = pli_eight_set(0.5f), zero = pli_eight_set(0.0f);
    for (int k = 0; k < 3; k++) {
        sum[k] = (blend_sides){zero, zero};
    }
    for (uint32_t j = 0; j < nodes->row->node_count; j++) {
        const float *range = nodes->weights + 16 * (size_t)j;
        pli_eight middle =
            pli_eight_mul(pli_eight_add(pli_eight_load(range), pli_eight_load(range + 8)), half);
        for (int k = 0; k < 3; k++) {
            blend_sides sides = make_sides(nodes, j, k);
            sum[k].along = pli_eight_add_product(sum[k].along, middle, sides.along);
            sum[k].against = pli_eight_add_product(sum[k].against, middle, sides.against);
            if (j < KEPT_NODES) {
                float *kept = nodes->kept + 48 * (size_t)j + 16 * k;
                pli_eight_store(kept, sides.along);
                pli_eight_store(kept + 8, sides.against);
            }
        }
    }
}

/* What the sides above x gain and those below it lose, and the weight on the way. */
typedef struct blend_balance {
    pli_eight above, below, mass;
} blend_balance;

static inline void balance_side(blend_balance *balance, pli_eight over, pli_eight low,
                                pli_eight high, bool with_mass)
{
    pli_eight zero = pli_eight_set(0.0f);
    balance->above = pli_eight_add_product(balance->above, high, pli_eight_max(over, zero));
    balance->below = pli_eight_add_product(balance->below, low, pli_eight_min(over, zero));
    if (with_mass) {
        pli_eight taken = pli_eight_select(pli_eight_less(zero, over), high, low);
        balance->mass = pli_eight_add(balance->mass, taken);
    }
}

/* Balances along an axis and against it. */
static inline void balance_about(const blend_nodes *nodes, int axis, blend_sides x, bool with_mass,
                                 blend_balance balance[2])
{
    pli_eight zero = pli_eight_set(0.0f);
    balance[0] = balance[1] = (blend_balance){zero, zero, zero};
    for (uint32_t j = 0; j < nodes->row->node_count; j++) {
        const float *range = nodes->weights + 16 * (size_t)j;
        pli_eight low = pli_eight_load(range), high = pli_eight_load(range + 8);
        blend_sides sides = sides_of(nodes, j, axis);
        balance_side(&balance[0], pli_eight_sub(sides.along, x.along), low, high, with_mass);
        balance_side(&balance[1], pli_eight_sub(sides.against, x.against), low, high, with_mass);
    }
}

/* One try: the bound about x. */
static inline pli_eight bound_about(const blend_balance *balance, pli_eight x, pli_eight least,
                                    pli_eight greatest, pli_eight slack)
{
    pli_eight spread = pli_eight_sub(balance->above, balance->below);
    pli_eight bound = pli_eight_max(pli_eight_mul(x, least), pli_eight_mul(x, greatest));
    bound = pli_eight_add(bound, pli_eight_add(balance->above, balance->below));
    return pli_eight_add_product(bound, spread, slack);
}

/* Steps x towards where the slope changes sign: more mass above it than may be handed out, and it
   should rise, else fall. */
static inline pli_eight step_from(const blend_balance *balance, pli_eight x, pli_eight greatest,
                                  pli_eight step)
{
    return pli_eight_select(pli_eight_less(balance->mass, greatest), pli_eight_sub(x, step),
                            pli_eight_add(x, step));
}

static inline blend_sides dual_bound(const blend_nodes *nodes, const float *sums, int axis,
                                     int tries, blend_sides x)
{
    pli_eight half = pli_eight_set(0.5f), infinite = pli_eight_set(INFINITY), step[2];
    pli_eight least = pli_eight_load(sums), greatest = pli_eight_load(sums + 8);
    pli_eight slack = pli_eight_set(1.25f * 0x1p-24f * (float)(nodes->row->node_count + 8));
    blend_sides best = {infinite, infinite};
    step[0] = step[1] = infinite;
    for (int i = 0; i < tries; i++) {
        bool last = i + 1 == tries;
        blend_balance balance[2];
        if (last) {
            balance_about(nodes, axis, x, false, balance);
        } else {
            balance_about(nodes, axis, x, true, balance);
        }
        best.along =
            pli_eight_min(bound_about(&balance[0], x.along, least, greatest, slack), best.along);
        best.against = pli_eight_min(bound_about(&balance[1], x.against, least, greatest, slack),
                                     best.against);
        for (int s = 0; s < 2 && !last; s++) {
            pli_eight spread = pli_eight_sub(balance[s].above, balance[s].below);
            step[s] = pli_eight_mul(i == 0 ? spread : step[s], half);
        }
        if (!last) {
            x.along = step_from(&balance[0], x.along, greatest, step[0]);
            x.against = step_from(&balance[1], x.against, greatest, step[1]);
        }
    }
    return best;
}

static void blend_about_mean(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                             int tries, pli_boxes *boxes)
{
    const float *sums = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    _Alignas(64) float kept[KEPT_NODES * 48];
    blend_nodes nodes = {load_source(local), row, pose, sums + 32, kept};
    blend_sides mean[3];
    weigh_sides(&nodes, mean);
    pli_eight inverse = pli_eight_load(sums + 16);
    for (int k = 0; k < 3; k++) {
        blend_sides x = {pli_eight_mul(mean[k].along, inverse),
                         pli_eight_mul(mean[k].against, inverse)};
        put_sides(row, dual_bound(&nodes, sums, k, tries, x), pose->margin[k], k, boxes);
    }
}

static void blend_boxes(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        int tries, pli_boxes *boxes)
{
    if (tries == 0) {
        blend_about_second(row, pose, local, boxes);
    } else {
        blend_about_mean(row, pose, local, tries, boxes);
    }
}
