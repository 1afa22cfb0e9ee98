#include "differences.h"

#include <stdlib.h>

struct bench_pair_key {
    uint64_t bodies, pair;
};

static int compare_keys(const void *a, const void *b)
{
    const struct bench_pair_key *x = a, *y = b;
    if (x->bodies != y->bodies) {
        return x->bodies < y->bodies ? -1 : 1;
    }
    return (x->pair > y->pair) - (x->pair < y->pair);
}

bool bench_pair_touches(const bench_motion *motion, const bench_frame *frame,
                        const bench_range *bodies, pliant_pair pair)
{
    pliant_triangle a, b;
    if (pair.a >= motion->meshes[bodies->a].triangle_count ||
        pair.b >= motion->meshes[bodies->b].triangle_count) {
        return false;
    }
    bench_motion_corners(motion, frame, bodies->a, pair.a, a.corner);
    bench_motion_corners(motion, frame, bodies->b, pair.b, b.corner);
    return pliant_triangle_overlap(&a, &b);
}

static void sort_and_thin(bench_pair_set *set)
{
    if (set->count == 0) {
        return;
    }
    qsort(set->keys, set->count, sizeof *set->keys, compare_keys);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < set->count; i++) {
        if (compare_keys(&set->keys[i], &set->keys[kept - 1]) != 0) {
            set->keys[kept++] = set->keys[i];
        }
    }
    set->count = kept;
}

bool bench_pair_set_collect(const bench_motion *motion, const bench_frame *frame, bool first_only,
                            const bench_outcome *outcome, bench_pair_set *set)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        count += outcome->ranges[r].count;
    }
    *set = (bench_pair_set){.keys = malloc((size_t)(count + 1) * sizeof *set->keys)};
    if (set->keys == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        uint64_t bodies = (uint64_t)range->a << 32 | range->b;
        for (uint64_t i = 0; i < range->count; i++) {
            pliant_pair pair = outcome->pairs[range->first + i];
            uint64_t key = (uint64_t)pair.a << 32 | pair.b;
            if (first_only) {
                key = bench_pair_touches(motion, frame, range, pair) ? 0 : 1;
            }
            set->keys[set->count++] = (struct bench_pair_key){bodies, key};
        }
    }
    sort_and_thin(set);
    return true;
}

void bench_pair_set_free(bench_pair_set *set)
{
    free(set->keys);
    *set = (bench_pair_set){0};
}

void bench_pair_set_compare(const bench_pair_set *expected, const bench_pair_set *found,
                            bench_differences *differences)
{
    uint64_t i = 0, k = 0, both = 0;
    while (i < expected->count && k < found->count) {
        int order = compare_keys(&expected->keys[i], &found->keys[k]);
        both += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    differences->pairs += found->count;
    differences->missing += expected->count - both;
    differences->extra += found->count - both;
}
