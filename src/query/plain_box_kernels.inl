/*
 * Boxes in plain C; a part of pair_kernels.c, which includes it. The answers are those of the wide
 * kernels to the last bit, the way to them is not: where eight boxes cost as much as one, all 64
 * pairs of two leaves are compared, but here it pays to leave out first what can meet nothing.
 */

/* Gathers a box whose sides are `stride` floats apart. */
static inline void gather_box(const float *from, size_t stride, float box[6])
{
    for (size_t k = 0; k < 6; k++) {
        box[k] = from[k * stride];
    }
}

/*
 * Which of eight boxes meet the given one: bit i. No side is tested before another: how the
 * comparisons end is hard to foresee, and all six cost less than one wrong guess. Most targets of
 * plain C have four lanes that compilers use by themselves; gcc sees them here only in a function
 * of its own, with a loop to compare and one to collect.
 */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static unsigned
list_meeting(const float box[6], const float *eight, size_t stride)
{
    const float *x = eight, *y = eight + stride, *z = y + stride;
    const float *end_x = z + stride, *end_y = end_x + stride, *end_z = end_y + stride;
    const float lower[3] = {box[0], box[1], box[2]}, upper[3] = {box[3], box[4], box[5]};
    int32_t meets[PLI_WIDTH], bits = 0;
    for (int i = 0; i < PLI_WIDTH; i++) {
        int32_t all = -(lower[0] <= end_x[i]);
        all &= -(x[i] <= upper[0]);
        all &= -(lower[1] <= end_y[i]);
        all &= -(y[i] <= upper[1]);
        all &= -(lower[2] <= end_z[i]);
        all &= -(z[i] <= upper[2]);
        meets[i] = all & 1 << i;
    }
    for (int i = 0; i < PLI_WIDTH; i++) {
        bits |= meets[i];
    }
    return (unsigned)bits;
}

static uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < PLI_WIDTH; i++) {
        float box[6];
        gather_box(a + i, stride_a, box);
        mask |= (uint64_t)list_meeting(box, b, stride_b) << (PLI_WIDTH * i);
    }
    return mask;
}

/*
 * Adds the pairs of slots of two leaves, which begin at slots i and j, whose boxes meet. A triangle
 * that misses the other leaf's box misses all that is in it. With `each_once`, where the leaves are
 * the same, a slot is paired with those behind it only.
 */
static void list_leaf_candidates(const pli_cluster_record *a, uint32_t i,
                                 const pli_cluster_record *b, uint32_t j, bool each_once,
                                 candidate_list *found)
{
    float box[6];
    uint32_t count = found->count;
    gather_box(&b->leaf_box.side[0][j / PLI_WIDTH], PLI_WIDTH, box);
    for (unsigned rows = list_meeting(box, a->data + i, a->slots); rows != 0; rows &= rows - 1) {
        uint32_t row = (uint32_t)__builtin_ctz(rows);
        gather_box(a->data + i + row, a->slots, box);
        unsigned columns = list_meeting(box, b->data + j, b->slots);
        columns &= each_once ? 0xfeu << row : 0xff;
        for (; columns != 0; columns &= columns - 1) {
            found->slot_a[count] = (uint8_t)(i + row);
            found->slot_b[count++] = (uint8_t)(j + (uint32_t)__builtin_ctz(columns));
        }
    }
    found->count = count;
}
