/* The kernel of blended bodies' bounds; a part of model_kernels.inl, which includes it. */

/* Nodes whose sides are kept between passes; those of others are computed again. */
enum { KEPT_NODES = 160 };

/* The sides of boxes that a row's nodes make of the children's, kept or made again. Upper sides
   along an axis and against it come out together, as (along | against). */
typedef struct blend_sides {
    pli_w source[3]; /* the children's boxes before transforms: (centre | half size) */
    const pli_row_view *row;
    const pli_pose *pose;
    const float *weights; /* (least | greatest) of each node */
    float *kept;          /* [KEPT_NODES][3][16] */
} blend_sides;

static inline pli_w make_side(const blend_sides *sides, uint32_t j, int axis)
{
    const float *row = sides->pose->transforms + 12 * (size_t)sides->row->nodes[j] + 4 * axis;
    pli_w box = pli_w_mul(sides->source[0], signed_and_size(row[0]));
    box = add_product(box, sides->source[1], signed_and_size(row[1]));
    box = add_product(box, sides->source[2], signed_and_size(row[2]));
    return pli_w_spread(pli_w_add(box, pli_w_first(row[3])));
}

static inline pli_w side_of(const blend_sides *sides, uint32_t j, int axis)
{
    return j < KEPT_NODES ? pli_w_load(sides->kept + 48 * (size_t)j + 16 * axis)
                          : make_side(sides, j, axis);
}

/* The mean sides by middle weights, times the sum of these; keeps sides on the way. */
static inline void weigh_sides(const blend_sides *sides, pli_w sum[3])
{
    pli_w half = pli_w_set(0.5f);
    sum[0] = sum[1] = sum[2] = pli_w_set(0.0f);
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w middle =
            pli_w_mul(pli_w_add(pli_w_load_twice(range), pli_w_load_twice(range + 8)), half);
        for (int k = 0; k < 3; k++) {
            pli_w side = make_side(sides, j, k);
            sum[k] = add_product(sum[k], middle, side);
            if (j < KEPT_NODES) {
                pli_w_store(sides->kept + 48 * (size_t)j + 16 * k, side);
            }
        }
    }
}

/* The second largest side among nodes that move anything, or the only one. The dual bound about it
   is the bound of Steinemann, Otaduy & Gross. */
static inline pli_w second_side(const blend_sides *sides, int axis)
{
    pli_w none = pli_w_set(-INFINITY), zero = pli_w_set(0.0f), first = none, second = none;
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        pli_w high = pli_w_load_twice(sides->weights + 16 * (size_t)j + 8);
        pli_w side = pli_w_select_less(zero, high, side_of(sides, j, axis), none);
        second = pli_w_max(second, pli_w_min(first, side));
        first = pli_w_max(first, side);
    }
    second = pli_w_select_less(none, second, second, first);
    return pli_w_select_less(none, second, second, zero);
}

/* What the sides above x gain and those below it lose, and the weight on the way. */
typedef struct blend_balance {
    pli_w above, below, mass;
} blend_balance;

static inline void balance_about(const blend_sides *sides, const pli_w x[3], bool with_mass,
                                 blend_balance balance[3])
{
    pli_w zero = pli_w_set(0.0f);
    for (int k = 0; k < 3; k++) {
        balance[k] = (blend_balance){zero, zero, zero};
    }
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w low = pli_w_load_twice(range), high = pli_w_load_twice(range + 8);
        for (int k = 0; k < 3; k++) {
            blend_balance *b = &balance[k];
            pli_w over = pli_w_sub(side_of(sides, j, k), x[k]);
            b->above = add_product(b->above, high, pli_w_max(over, zero));
            b->below = add_product(b->below, low, pli_w_min(over, zero));
            if (with_mass) {
                b->mass = pli_w_add(b->mass, pli_w_select_less(zero, over, high, low));
            }
        }
    }
}

/*
 * The dual bound: for any number x, sum w_j b_j is at most x s + sum_j of the greater of
 * l_j (b_j - x) and h_j (b_j - x). Each further try steps towards where the slope changes sign.
 */
static inline void dual_bound(const blend_sides *sides, const float *sums, int tries, pli_w x[3],
                              pli_w best[3])
{
    pli_w half = pli_w_set(0.5f), step[3];
    pli_w least = pli_w_load_twice(sums), greatest = pli_w_load_twice(sums + 8);
    pli_w slack = pli_w_set(1.25f * 0x1p-24f * (float)(sides->row->node_count + 8));
    best[0] = best[1] = best[2] = pli_w_set(INFINITY);
    for (int i = 0; i < tries; i++) {
        bool last = i + 1 == tries;
        blend_balance balance[3];
        if (last) {
            balance_about(sides, x, false, balance);
        } else {
            balance_about(sides, x, true, balance);
        }
        for (int k = 0; k < 3; k++) {
            const blend_balance *b = &balance[k];
            pli_w spread = pli_w_sub(b->above, b->below);
            pli_w bound = pli_w_max(pli_w_mul(x[k], least), pli_w_mul(x[k], greatest));
            bound = pli_w_add(bound, pli_w_add(b->above, b->below));
            best[k] = pli_w_min(add_product(bound, spread, slack), best[k]);
            if (!last) {
                /* More mass above x than may be handed out: x should rise, else fall. */
                step[k] = pli_w_mul(i == 0 ? spread : step[k], half);
                x[k] = pli_w_select_less(b->mass, greatest, pli_w_sub(x[k], step[k]),
                                         pli_w_add(x[k], step[k]));
            }
        }
    }
}

static void blend_boxes(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        int tries, pli_boxes *boxes)
{
    const float *sums = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    const float *inverse = sums + 16;
    _Alignas(64) float kept[KEPT_NODES * 48];
    blend_sides sides;
    sides.row = row;
    sides.pose = pose;
    sides.weights = inverse + 16;
    sides.kept = kept;
    for (int k = 0; k < 3; k++) {
        sides.source[k] = pli_w_load(local->axes + 16 * k);
    }
    pli_w x[3], bound[3];
    weigh_sides(&sides, x);
    for (int k = 0; k < 3; k++) {
        x[k] = tries == 0 ? second_side(&sides, k) : pli_w_mul(x[k], pli_w_load_twice(inverse));
    }
    dual_bound(&sides, sums, tries == 0 ? 1 : tries, x, bound);
    for (int k = 0; k < 3; k++) {
        float both[16];
        pli_w_store(both, pli_w_add(bound[k], pli_w_set(pose->margin[k])));
        for (int i = 0; i < 8; i++) {
            boxes->side[k][i] = -both[8 + i];
            boxes->side[3 + k][i] = both[i];
        }
        for (uint32_t i = row->lanes; i < 8; i++) {
            boxes->side[k][i] = INFINITY;
            boxes->side[3 + k][i] = -INFINITY;
        }
    }
}
