#include "near_clusters.h"

#include "geometry/triangle_distance.h"
#include "bounds/boxes.h"
#include "query/collision.h"

#include <math.h>
#include <string.h>

pliant_result pli_distance_check(float distance)
{
    if (!isfinite(distance)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "distance is %f", (double)distance);
    }
    if (distance < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "distance is %g; it must be 0 or more",
                        (double)distance);
    }
    return PLIANT_OK;
}

float pli_distance_with_errors(float distance, float error_a, float error_b)
{
    if (error_a == 0.0f && error_b == 0.0f) {
        return distance;
    }
    double sum = (double)distance + (double)error_a + (double)error_b;
    return sum < (double)FLT_MAX ? nextafterf((float)sum, INFINITY) : FLT_MAX;
}

void pli_near_begin(pli_near *near, pli_walk *walk, float distance)
{
    pliant_body *const *body = walk->run.body;
    near->grown_from = NULL;
    near->distance =
        pli_distance_with_errors(distance, body[0]->pose.world_error, body[1]->pose.world_error);
    walk->grow = near->distance;
    if (near->distance > 0.0f && near->distance < FLT_MAX) {
        walk->grow = nextafterf(near->distance, INFINITY);
    }
}

/* Returns the largest difference of a coordinate of two points of the bodies. */
static double spread_of(const pli_walk *walk)
{
    const pli_boxes *a = &walk->run.body[0]->root.box, *b = &walk->run.body[1]->root.box;
    double spread = 0.0;
    for (int k = 0; k < 3; k++) {
        float low = fminf(a->side[k][0], b->side[k][0]);
        float high = fmaxf(a->side[3 + k][0], b->side[3 + k][0]);
        spread = fmax(spread, (double)high - (double)low);
    }
    return spread;
}

void pli_near_prepared(pli_near *near, pli_walk *walk)
{
    walk->apart = (double)walk->grow + PLI_DISTANCE_ERROR * spread_of(walk);
    bool moderate = pli_coordinates_are_moderate(walk->run.body[0]) &&
                    pli_coordinates_are_moderate(walk->run.body[1]);
    near->kernels = moderate ? pli_context_kernels(walk->run.worker->context)->distance : NULL;
}

/* Of a cluster record that has nothing but boxes. */
#define GROWN_BYTES                                                                                \
    (sizeof(pli_cluster_record) + 6 * PLI_CLUSTER_SLOTS * sizeof(float) + PLI_RECORD_SLACK)

/* A copy of a cluster's boxes, grown; nothing else of it. */
static pliant_result grow_cluster(pli_near *near, const pli_walk *walk,
                                  const pli_cluster_record *record)
{
    pli_worker *worker = walk->run.worker;
    if (!PLI_CREATE(worker->context, &worker->grown, GROWN_BYTES)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (near->grown_from != record) {
        near->grown = (void *)worker->grown.data;
        near->grown_from = record;
        near->grown->slots = record->slots;
        pli_grow_boxes(record->leaf_box.side[0], near->grown->leaf_box.side[0], PLI_WIDTH,
                       walk->grow);
        pli_grow_boxes(record->data, near->grown->data, record->slots, walk->grow);
    }
    return PLIANT_OK;
}

/* Of a cluster with itself: keeps each pair of different slots once. */
static uint32_t keep_ascending(uint8_t *slot_a, uint8_t *slot_b, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t a = slot_a[i], b = slot_b[i];
        slot_a[kept] = a;
        slot_b[kept] = b;
        kept += a < b;
    }
    memset(slot_a + kept, 0, 16);
    memset(slot_b + kept, 0, 16);
    return kept;
}

pliant_result pli_near_list(pli_near *near, pli_walk *walk, pli_cluster_view a, pli_cluster_view b,
                            uint8_t slot_a[PLI_CANDIDATES], uint8_t slot_b[PLI_CANDIDATES],
                            uint32_t *count)
{
    pliant_result result = grow_cluster(near, walk, a.record);
    if (result != PLIANT_OK) {
        return result;
    }
    *count = walk->kernels->list_candidates(near->grown, b.record, slot_a, slot_b);
    if (a.record == b.record) {
        *count = keep_ascending(slot_a, slot_b, *count);
    }
    return PLIANT_OK;
}

/*
 * No coordinate of two corners differs by more than r: the grown boxes of the triangles meet, and
 * their longest sides are known up to a rounding. Where growing a side rounds, it is off by at most
 * half of a unit in its last place, and by no more than it grows, since it stays where it is if it
 * should grow by less than that half: so twice the growth is enough. See distance_kernels.c for the
 * limit.
 */
pli_near_limit pli_near_limit_of(const pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    double r = ((double)a.record->extent + (double)b.record->extent + 2.0 * (double)walk->grow) *
               (1.0 + 0x1p-20);
    int exponent = 0;
    frexp(r, &exponent); /* r < 2^exponent */
    double scale = ldexp(1.0, -(exponent > -126 ? exponent : -126));
    double limit = ((double)walk->grow * scale + 8 * 0x1p-24) * (1.0 + 0x1p-18);
    pli_near_limit reach = {.scale = (float)scale, .limit = nextafterf((float)limit, INFINITY)};
    double squared = (double)reach.limit * (double)reach.limit;
    reach.limit_squared = nextafterf((float)squared, INFINITY);
    return reach;
}

uint32_t pli_near_filter(const pli_near *near, const pli_near_limit *limit, pli_cluster_view a,
                         uint8_t *slot_a, pli_cluster_view b, uint8_t *slot_b, uint32_t count)
{
    if (near->kernels == NULL) {
        return count;
    }
    pli_slot_triangles triangles_a = pli_view_triangles(a), triangles_b = pli_view_triangles(b);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i += PLI_BATCH) {
        uint32_t batch = count - i < PLI_BATCH ? count - i : PLI_BATCH;
        uint64_t open = near->kernels->triangles_near(&triangles_a, slot_a + i, &triangles_b,
                                                      slot_b + i, batch, limit);
        for (; open != 0; open &= open - 1, kept++) {
            uint32_t at = i + (uint32_t)__builtin_ctzll(open);
            slot_a[kept] = slot_a[at];
            slot_b[kept] = slot_b[at];
        }
    }
    return kept;
}
