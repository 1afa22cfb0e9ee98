/* What trees of boxes are compared by besides their pairs: walks along rays and around boxes. And
   another library's tree. */
#include "broad_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "broad/broad.h"
#include "gallery/numbers.h"

enum { WALKS = 2000 };

/* A way of ten sides of a box, and a box of two, somewhere in the cube. */
typedef struct probe {
    float from[3], to[3], direction[3];
    pliant_box box;
} probe;

static probe draw_probe(const broad_run *run, gallery_random *random)
{
    probe p;
    double direction[3], square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        direction[axis] = gallery_random_range(random, -1.0, 1.0);
        square += direction[axis] * direction[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        double at = gallery_random_range(random, 0.0, run->swarm.side);
        p.direction[axis] = (float)(10.0 * direction[axis] / sqrt(square));
        p.from[axis] = (float)at;
        p.to[axis] = p.from[axis] + p.direction[axis];
        p.box.lower[axis] = (float)(at - 1.0);
        p.box.upper[axis] = (float)(at + 1.0);
    }
    return p;
}

bool broad_walk_tree(const broad_run *run, pli_broad *broad, broad_costs *costs)
{
    pli_broad_walk own = {.failed = false};
    bool done = pli_broad_update_tree(broad) == PLIANT_OK;
    for (int round = 0; done && round < 2; round++) { /* the first one warms up */
        gallery_random random = gallery_random_seed(run->seed, 1);
        costs->ray_seconds = costs->box_seconds = 0.0;
        costs->rays_met = costs->boxes_met = 0;
        for (int i = 0; done && i < WALKS; i++) {
            probe p = draw_probe(run, &random);
            pli_broad_walk_step step;
            const uint64_t *slots = NULL;
            size_t count = 0;
            double start = bench_seconds();
            pli_broad_walk_ray(&own, broad, p.from, p.direction, 1.0);
            while (pli_broad_walk_next(&own, 1.0, &step)) {
                costs->rays_met++;
            }
            double middle = bench_seconds();
            done = pli_broad_walk_box(&own, broad, &p.box, 0.0, &slots, &count) == PLIANT_OK;
            costs->ray_seconds += (middle - start) / WALKS;
            costs->box_seconds += (bench_seconds() - middle) / WALKS;
            costs->boxes_met += count;
        }
    }
    pli_broad_walk_release(run->context, &own);
    return done;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The hash of pairs in any order. */
static uint64_t mix_unsorted(uint64_t hash, const uint64_t *pairs, size_t count)
{
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return 0;
    }
    memcpy(sorted, pairs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_keys);
    hash = broad_mix_keys(hash, sorted, count);
    free(sorted);
    return hash;
}

static void walk_peer(const broad_run *run, const box_peer *peer, void *state, broad_costs *costs)
{
    for (int round = 0; round < 2; round++) { /* the first one warms up */
        gallery_random random = gallery_random_seed(run->seed, 1);
        costs->ray_seconds = costs->box_seconds = 0.0;
        costs->rays_met = costs->boxes_met = 0;
        for (int i = 0; i < WALKS; i++) {
            probe p = draw_probe(run, &random);
            double start = bench_seconds();
            costs->rays_met += peer->ray(state, p.from, p.to);
            double middle = bench_seconds();
            costs->boxes_met += peer->box(state, &p.box);
            costs->ray_seconds += (middle - start) / WALKS;
            costs->box_seconds += (bench_seconds() - middle) / WALKS;
        }
    }
}

bool broad_play_peer(broad_run *run, const box_peer *peer, broad_costs *costs)
{
    double seconds[BROAD_MAX_STEPS];
    *costs = (broad_costs){.rays_met = 0};
    broad_draw(run);
    broad_write_boxes(run);
    void *state = peer->create(run->boxes, run->swarm.count);
    bool done = state != NULL;
    for (uint32_t i = 0; done && i < run->warm_up + run->steps; i++) {
        const uint64_t *pairs = NULL;
        size_t count = 0;
        broad_advance(run);
        broad_write_boxes(run);
        double start = bench_seconds();
        done = peer->update(state, run->boxes, &pairs, &count);
        seconds[i < run->warm_up ? 0 : i - run->warm_up] = bench_seconds() - start;
        costs->hash = mix_unsorted(costs->hash, pairs, count);
    }
    if (done) {
        walk_peer(run, peer, state, costs);
        broad_take_times(costs, seconds, run->steps);
    }
    if (state != NULL) {
        peer->destroy(state);
    }
    return done;
}

/* The same pairs and boxes; of rays that graze a box one in ten thousand may be seen otherwise. */
bool broad_agrees(const broad_costs *ours, const broad_costs *peer)
{
    double rays = (double)ours->rays_met, difference = rays - (double)peer->rays_met;
    return ours->hash == peer->hash && ours->boxes_met == peer->boxes_met &&
           fabs(difference) <= 1e-4 * rays + 1.0;
}
