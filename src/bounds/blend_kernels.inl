/* The kernel of blended bodies' bounds; a part of model_kernels.inl, which includes it. */

/* Nodes whose sides along an axis are kept between passes; those of others are computed again. */
enum { KEPT_NODES = 320 };

/* What a blend starts from: the boxes of the children before transforms, as (c | -c) and (e | e),
   so that the upper sides of both directions come out at once. */
typedef struct blend_source {
    pli_w centre[3], size[3];
} blend_source;

/* Upper sides of the boxes that one transform makes, along axis k and against it. */
static inline pli_w transformed_side(const blend_source *source, const float *rows, int k)
{
    const float *row = rows + 4 * k;
    pli_w side = pli_w_mul(source->centre[0], pli_w_set(row[0]));
    pli_w size = pli_w_mul(source->size[0], pli_w_set(fabsf(row[0])));
    side = add_product(side, source->centre[1], pli_w_set(row[1]));
    size = add_product(size, source->size[1], pli_w_set(fabsf(row[1])));
    side = add_product(side, source->centre[2], pli_w_set(row[2]));
    size = add_product(size, source->size[2], pli_w_set(fabsf(row[2])));
    return pli_w_add(pli_w_add(side, pli_w_halves(row[3], -row[3])), size);
}

static inline blend_source load_source(const pli_local *local)
{
    blend_source source;
    for (int k = 0; k < 3; k++) {
        float centre[16];
        const float *run = local->axes + 16 * k;
        for (int i = 0; i < 8; i++) {
            centre[i] = run[i];
            centre[8 + i] = -run[i];
        }
        source.centre[k] = pli_w_load(centre);
        source.size[k] = pli_w_load_twice(run + 8);
    }
    return source;
}

/* The sides of the row's nodes along one axis, kept or made again. */
typedef struct blend_sides {
    const pli_row_view *row;
    const pli_pose *pose;
    const blend_source *source;
    const float *weights; /* (least | greatest) of each node */
    float *kept;          /* [KEPT_NODES][16] */
    int axis;
} blend_sides;

static inline pli_w make_side(const blend_sides *sides, uint32_t j)
{
    const float *rows = sides->pose->transforms + 12 * (size_t)sides->row->nodes[j];
    return transformed_side(sides->source, rows, sides->axis);
}

static inline pli_w side_of(const blend_sides *sides, uint32_t j)
{
    return j < KEPT_NODES ? pli_w_load(sides->kept + 16 * (size_t)j) : make_side(sides, j);
}

/* The mean side by middle weights, times the sum of these; keeps sides on the way. */
static inline pli_w weigh_sides(const blend_sides *sides)
{
    pli_w half = pli_w_set(0.5f), sum = pli_w_set(0.0f);
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w middle =
            pli_w_mul(pli_w_add(pli_w_load_twice(range), pli_w_load_twice(range + 8)), half);
        pli_w side = make_side(sides, j);
        sum = add_product(sum, middle, side);
        if (j < KEPT_NODES) {
            pli_w_store(sides->kept + 16 * (size_t)j, side);
        }
    }
    return sum;
}

/* The second largest side among nodes that move anything, or the only one; keeps sides on the way.
   The dual bound about it is the bound of Steinemann, Otaduy & Gross. */
static inline pli_w second_side(const blend_sides *sides)
{
    pli_w none = pli_w_set(-INFINITY), zero = pli_w_set(0.0f), first = none, second = none;
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        pli_w high = pli_w_load_twice(sides->weights + 16 * (size_t)j + 8);
        pli_w side = make_side(sides, j);
        if (j < KEPT_NODES) {
            pli_w_store(sides->kept + 16 * (size_t)j, side);
        }
        side = pli_w_select_less(zero, high, side, none);
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

static inline blend_balance balance_about(const blend_sides *sides, pli_w x, bool with_mass)
{
    pli_w zero = pli_w_set(0.0f);
    blend_balance b = {zero, zero, zero};
    for (uint32_t j = 0; j < sides->row->node_count; j++) {
        const float *range = sides->weights + 16 * (size_t)j;
        pli_w low = pli_w_load_twice(range), high = pli_w_load_twice(range + 8);
        pli_w over = pli_w_sub(side_of(sides, j), x);
        b.above = add_product(b.above, high, pli_w_max(over, zero));
        b.below = add_product(b.below, low, pli_w_min(over, zero));
        if (with_mass) {
            b.mass = pli_w_add(b.mass, pli_w_select_less(zero, over, high, low));
        }
    }
    return b;
}

/*
 * The dual bound: for any number x, sum w_j b_j is at most x s + sum_j of the greater of
 * l_j (b_j - x) and h_j (b_j - x). Each further try steps towards where the slope changes sign.
 */
static inline pli_w dual_bound(const blend_sides *sides, const float *sums, int tries, pli_w x)
{
    pli_w half = pli_w_set(0.5f), best = pli_w_set(INFINITY), step = half;
    pli_w least = pli_w_load_twice(sums), greatest = pli_w_load_twice(sums + 8);
    pli_w slack = pli_w_set(1.25f * 0x1p-24f * (float)(sides->row->node_count + 8));
    for (int i = 0; i < tries; i++) {
        blend_balance b =
            i + 1 < tries ? balance_about(sides, x, true) : balance_about(sides, x, false);
        pli_w bound = pli_w_max(pli_w_mul(x, least), pli_w_mul(x, greatest));
        bound = pli_w_add(bound, pli_w_add(b.above, b.below));
        bound = add_product(bound, pli_w_sub(b.above, b.below), slack);
        best = pli_w_min(bound, best);
        if (i + 1 < tries) {
            /* More mass above x than may be handed out: x should rise, else fall. */
            step = pli_w_mul(i == 0 ? pli_w_sub(b.above, b.below) : step, half);
            x = pli_w_select_less(b.mass, greatest, pli_w_sub(x, step), pli_w_add(x, step));
        }
    }
    return best;
}

static void blend_boxes(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        int tries, pli_boxes *boxes)
{
    const float *sums = row->values + PLI_ROW_AXES * (1 + (size_t)row->mode_count);
    const float *inverse = sums + 16;
    blend_source source = load_source(local);
    _Alignas(64) float kept[KEPT_NODES * 16];
    blend_sides sides = {row, pose, &source, inverse + 16, kept, 0};
    for (int k = 0; k < 3; k++) {
        sides.axis = k;
        float both[16];
        pli_w x = tries == 0 ? second_side(&sides)
                             : pli_w_mul(weigh_sides(&sides), pli_w_load_twice(inverse));
        pli_w bound = dual_bound(&sides, sums, tries == 0 ? 1 : tries, x);
        pli_w_store(both, pli_w_add(bound, pli_w_set(pose->margin[k])));
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
