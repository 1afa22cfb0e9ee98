#include "collision.h"

#include "geometry/vec3.h"
#include "geometry/triangle_overlap.h"
#include "query/neighbours.h"

/* Pairs given to a callback at a time. */
enum { BATCH = 256 };

unsigned pli_collision_columns(const pliant_collide_options *options)
{
    return (unsigned)options->segments << PLI_SEGMENTS | (unsigned)options->separations
                                                             << PLI_SEPARATIONS;
}

/* ---------------------------------------------------------------- reports */

void pli_collision_flush(pli_collision *collision)
{
    pli_results *found = collision->walk.run.worker->results;
    const pliant_collide_options *options = collision->options;
    if (found->keys.count == 0) {
        return;
    }
    pli_keys_to_pairs(found->keys.data, found->keys.count);
    pliant_contacts batch = {
        .pairs = (const pliant_pair *)(void *)found->keys.data,
        .segments = options->segments ? found->column[PLI_SEGMENTS].data : NULL,
        .separations = options->separations ? found->column[PLI_SEPARATIONS].data : NULL,
        .count = found->keys.count};
    found->keys.count = 0;
    if (!options->callback(options->callback_user, &batch)) {
        collision->walk.run.stopped = true;
        collision->walk.run.complete = false;
    }
}

/* Within one body the lower triangle comes first. */
static inline bool swaps(const pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b)
{
    return collision->walk.run.self && triangle_a > triangle_b;
}

/* How two triangles part, to the side that was asked for. */
static void separate(pliant_separation_side side, const float a[3][3], const float b[3][3],
                     pliant_separation *separation)
{
    if (side == PLIANT_SEPARATION_SHORTEST) {
        pli_triangle_separation(a, b, 0.0f, NULL, separation);
        return;
    }
    double normal[3];
    float hint[3];
    pli_unit_normal(side == PLIANT_SEPARATION_FRONT_OF_A ? a : b, normal);
    for (int k = 0; k < 3; k++) {
        hint[k] = (float)(side == PLIANT_SEPARATION_FRONT_OF_A ? normal[k] : -normal[k]);
    }
    pli_triangle_separation(a, b, 0.0f, hint, separation);
}

/* Two triangles that touch; their corners are read only if they are to be described. */
static pliant_result report_pair(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                                 const float a[3][3], const float b[3][3])
{
    pli_run *run = &collision->walk.run;
    pli_worker *worker = run->worker;
    const pliant_collide_options *options = collision->options;
    bool swap = swaps(collision, triangle_a, triangle_b);
    pliant_result result = pli_result_reserve(worker, 1, pli_collision_columns(options));
    if (result != PLIANT_OK) {
        return result;
    }
    if (options->segments) {
        pli_triangle_segment(swap ? b : a, swap ? a : b, pli_result_next(worker, PLI_SEGMENTS));
    }
    if (options->separations) {
        separate(options->separation_side, swap ? b : a, swap ? a : b,
                 pli_result_next(worker, PLI_SEPARATIONS));
    }
    worker->results->keys.data[worker->results->keys.count++] =
        swap ? (uint64_t)triangle_b << 32 | triangle_a : (uint64_t)triangle_a << 32 | triangle_b;
    collision->reported++;
    if (options->mode == PLIANT_COLLIDE_FIRST) {
        run->stopped = true;
        if (collision->witness != NULL) {
            *collision->witness =
                (pli_witness){run->body[0]->id, run->body[1]->id, triangle_a, triangle_b};
        }
    }
    if (options->callback != NULL && worker->results->keys.count == BATCH) {
        pli_collision_flush(collision);
    }
    return PLIANT_OK;
}

/* Whether a pair that touches is an answer whatever else is known of it, and only its numbers are
   wanted: then pairs need not be looked at one by one. */
static bool takes_all(const pliant_collide_options *options)
{
    return options->mode == PLIANT_COLLIDE_ALL && options->callback == NULL &&
           options->groups_a.bits == NULL && options->groups_b.bits == NULL &&
           pli_collision_columns(options) == 0;
}

/* All pairs of slots whose bits are set in `touch`. */
static pliant_result report_all(pli_collision *collision, pli_cluster_view a, const uint8_t *slot_a,
                                pli_cluster_view b, const uint8_t *slot_b, uint64_t touch)
{
    pli_worker *worker = collision->walk.run.worker;
    pliant_result result = pli_result_reserve(worker, PLI_BATCH, 0);
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t *next = worker->results->keys.data + worker->results->keys.count;
    for (; touch != 0; touch &= touch - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(touch);
        uint64_t p = pli_slot_triangle(a, slot_a[i]), q = pli_slot_triangle(b, slot_b[i]);
        *next++ = swaps(collision, (uint32_t)p, (uint32_t)q) ? q << 32 | p : p << 32 | q;
    }
    size_t count = (size_t)(next - worker->results->keys.data);
    collision->reported += count - worker->results->keys.count;
    worker->results->keys.count = count;
    return PLIANT_OK;
}

/* ------------------------------------------------------------------ tests */

bool pli_collision_groups_allow(const pli_collision *collision, uint32_t a, uint32_t b)
{
    const pliant_collide_options *options = collision->options;
    const pli_run *run = &collision->walk.run;
    if (options->groups_a.bits == NULL && options->groups_b.bits == NULL) {
        return true;
    }
    const pliant_shape *first = run->body[0]->shape, *second = run->body[1]->shape;
    if (pli_in_groups(first, options->groups_a, a) && pli_in_groups(second, options->groups_b, b)) {
        return true;
    }
    return run->self && pli_in_groups(first, options->groups_a, b) &&
           pli_in_groups(second, options->groups_b, a);
}

/* The exact test, and within one body the neighbour rule. */
static bool pair_touches(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                         const float a[3][3], const float b[3][3])
{
    pli_run *run = &collision->walk.run;
    uint64_t *fallbacks = &run->worker->stats.exact_fallbacks;
    return run->self ? pli_touch_self(run->body[0]->shape, triangle_a, triangle_b, a, b,
                                      collision->options->neighbours, fallbacks)
                     : pli_triangle_overlap(a, b, fallbacks);
}

pliant_result pli_test_pair(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                            const float a[3][3], const float b[3][3])
{
    bool holds = pli_collision_groups_allow(collision, triangle_a, triangle_b) &&
                 pair_touches(collision, triangle_a, triangle_b, a, b);
    return holds ? report_pair(collision, triangle_a, triangle_b, a, b) : PLIANT_OK;
}

static inline pliant_result settle_pair(pli_collision *collision, pli_cluster_view a,
                                        uint32_t slot_a, pli_cluster_view b, uint32_t slot_b,
                                        bool touches)
{
    uint32_t triangle_a = pli_slot_triangle(a, slot_a), triangle_b = pli_slot_triangle(b, slot_b);
    float corner_a[3][3], corner_b[3][3];
    const float(*p)[3] = (const float(*)[3])corner_a, (*q)[3] = (const float(*)[3])corner_b;
    if (!pli_collision_groups_allow(collision, triangle_a, triangle_b)) {
        return PLIANT_OK;
    }
    if (!touches || pli_collision_columns(collision->options) != 0) {
        pli_slot_corners(a, slot_a, corner_a);
        pli_slot_corners(b, slot_b, corner_b);
    }
    return touches || pair_touches(collision, triangle_a, triangle_b, p, q)
               ? report_pair(collision, triangle_a, triangle_b, p, q)
               : PLIANT_OK;
}

pliant_result pli_settle_pair(pli_collision *collision, pli_cluster_view a, uint32_t slot_a,
                              pli_cluster_view b, uint32_t slot_b, bool touches)
{
    return settle_pair(collision, a, slot_a, b, slot_b, touches);
}

/* Up to PLI_BATCH candidates. What the kernel says to touch or to be apart is so. Within one body
   it is asked only about triangles that share no vertex. */
static inline pliant_result test_batch(pli_collision *collision, pli_cluster_view a,
                                       const uint8_t *slot_a, pli_cluster_view b,
                                       const uint8_t *slot_b, uint32_t count)
{
    pli_verdicts verdicts = {.unsure = UINT64_MAX >> (PLI_BATCH - count)};
    pliant_result result = PLIANT_OK;
    if (collision->kernels_apply) {
        pli_slot_triangles triangles_a = pli_view_triangles(a), triangles_b = pli_view_triangles(b);
        verdicts = collision->walk.kernels->test_triangles(&triangles_a, slot_a, &triangles_b,
                                                           slot_b, count);
    }
    collision->walk.run.worker->stats.triangle_tests += count;
    uint64_t open = verdicts.touch | verdicts.unsure;
    if (verdicts.touch != 0 && takes_all(collision->options)) {
        result = report_all(collision, a, slot_a, b, slot_b, verdicts.touch);
        open = verdicts.unsure;
    }
    for (; open != 0 && result == PLIANT_OK && !collision->walk.run.stopped; open &= open - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(open);
        result = settle_pair(collision, a, slot_a[i], b, slot_b[i], verdicts.touch >> i & 1);
    }
    return result;
}

pliant_result pli_collide_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    pli_collision *collision = (pli_collision *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = walk->kernels->list_candidates(a.record, b.record, slot_a, slot_b);
    pliant_result result = PLIANT_OK;
    if (walk->run.self && count > 0) {
        result = pli_settle_neighbours(collision, a, slot_a, b, slot_b, &count);
    }
    for (uint32_t i = 0; i < count && result == PLIANT_OK && !walk->run.stopped; i += PLI_BATCH) {
        uint32_t batch = count - i < PLI_BATCH ? count - i : PLI_BATCH;
        result = test_batch(collision, a, slot_a + i, b, slot_b + i, batch);
    }
    return result;
}
