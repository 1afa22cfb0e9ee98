/*
 * Fuzzing of the public interface: questions. Whatever else the calls answer, answers about pairs
 * must be those of testing every two triangles of the evaluated bodies, and no call may do more
 * work than the sizes of the bodies allow.
 */
#include "api.h"

#include <math.h>
#include <stdlib.h>

/* A triangle of a list of corners, nine numbers each. */
static const pliant_triangle *as_triangle(const void *corners)
{
    return corners;
}

static uint32_t triangles_of(const world *w, uint32_t which)
{
    return pliant_shape_get_triangle_count(w->shapes[which]);
}

/* Pairs of nodes or clusters that there are at most; a tree has fewer of these than twice its
   triangles, or one node and one cluster. */
static uint64_t most_nodes(const world *w, uint32_t a, uint32_t b)
{
    return (2 * (uint64_t)triangles_of(w, a) + 2) * (2 * (uint64_t)triangles_of(w, b) + 2);
}

/* The watchdog: the latest question about two bodies looked at nothing much more than once. */
static void check_work(const world *w, uint32_t a, uint32_t b)
{
    const pliant_stats *stats = pliant_query_get_stats(w->query);
    uint64_t pairs = (uint64_t)triangles_of(w, a) * triangles_of(w, b);
    if (stats->nodes_tested > 2 * most_nodes(w, a, b) || stats->triangle_tests > 2 * pairs + 2) {
        abort();
    }
}

/* All corners of a body's triangles, three numbers each; false if it has no valid state. */
static bool evaluate(const world *w, uint32_t which, float *corners)
{
    for (uint32_t t = 0; t < triangles_of(w, which); t++) {
        uint32_t vertices[3];
        if (pliant_shape_get_triangle(w->shapes[which], t, vertices) != PLIANT_OK) {
            abort();
        }
        if (pliant_body_evaluate(w->bodies[which], vertices, 3, corners + 9 * (size_t)t) !=
            PLIANT_OK) {
            return false;
        }
    }
    for (uint32_t i = 0; i < 9 * triangles_of(w, which); i++) {
        if (!isfinite(corners[i])) {
            return false;
        }
    }
    return true;
}

static bool touch(const float *corners_a, uint32_t a, const float *corners_b, uint32_t b)
{
    return pliant_triangle_overlap(as_triangle(corners_a + 9 * (size_t)a),
                                   as_triangle(corners_b + 9 * (size_t)b));
}

/* The answer must be every pair that touches, in order. */
static void compare_pairs(const world *w, uint32_t a, uint32_t b, const pliant_pair *pairs,
                          uint64_t count)
{
    static float corners_a[9 * MOST_TRIANGLES], corners_b[9 * MOST_TRIANGLES];
    uint64_t found = 0;
    if (w->forged[a] || w->forged[b]) {
        return;
    }
    if (!evaluate(w, a, corners_a) || !evaluate(w, b, corners_b)) {
        abort(); /* an answer without a state */
    }
    for (uint32_t i = 0; i < triangles_of(w, a); i++) {
        for (uint32_t j = 0; j < triangles_of(w, b); j++) {
            bool told = found < count && pairs[found].a == i && pairs[found].b == j;
            if (touch(corners_a, i, corners_b, j) != told) {
                abort();
            }
            found += told;
        }
    }
    if (found != count) {
        abort();
    }
}

void ask_pair(world *w, input *in, uint32_t a, uint32_t b)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.segments = below(in, 2) != 0;
    options.separations = below(in, 2) != 0;
    options.budget_nodes = 2 * most_nodes(w, a, b); /* so that no walk is endless */
    if (pliant_collide(w->query, w->bodies[a], w->bodies[b], &options, &contacts) != PLIANT_OK) {
        return;
    }
    if (!contacts.complete) {
        abort();
    }
    check_work(w, a, b);
    compare_pairs(w, a, b, contacts.pairs, contacts.count);
    uint64_t count = contacts.count;
    options.mode = PLIANT_COLLIDE_FIRST;
    if (pliant_collide(w->query, w->bodies[a], w->bodies[b], &options, &contacts) != PLIANT_OK ||
        !contacts.complete ||
        (!w->forged[a] && !w->forged[b] && (contacts.count != 0) != (count != 0))) {
        abort();
    }
}

/* ------------------------------------------------------------------ scenes */

/* Whether a body has a state that keeps to its loose box. */
static bool is_honest(const world *w, uint32_t which, const float *corners)
{
    const pliant_member_def *member = &w->members[which];
    for (uint32_t i = 0; member->has_loose_box && i < 9 * triangles_of(w, which); i++) {
        if (corners[i] < member->loose_box.lower[i % 3] ||
            corners[i] > member->loose_box.upper[i % 3]) {
            return false;
        }
    }
    return true;
}

/* The place of two bodies in the answer, or NULL. */
static const pliant_scene_pair *find_pair(const world *w, const pliant_scene_contacts *all,
                                          uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < all->body_pair_count; i++) {
        if (all->bodies[i].a.index == w->ids[a].index &&
            all->bodies[i].b.index == w->ids[b].index) {
            return &all->bodies[i];
        }
    }
    return NULL;
}

/* Of two bodies, all pairs must be told, or with `first` one if there is any. */
static void compare_in_scene(const world *w, const pliant_scene_contacts *all, uint32_t a,
                             uint32_t b, bool first)
{
    static float corners[2][9 * MOST_TRIANGLES];
    if (w->forged[a] || w->forged[b] || !evaluate(w, a, corners[0]) ||
        !evaluate(w, b, corners[1]) || !is_honest(w, a, corners[0]) ||
        !is_honest(w, b, corners[1])) {
        return; /* a body that lies about its box, or has no state, may have been passed over */
    }
    const pliant_scene_pair *found = find_pair(w, all, a, b);
    if (!first) {
        compare_pairs(w, a, b, found != NULL ? all->pairs + found->first : NULL,
                      found != NULL ? found->count : 0);
        return;
    }
    bool any = false;
    for (uint32_t i = 0; i < triangles_of(w, a) && !any; i++) {
        for (uint32_t j = 0; j < triangles_of(w, b) && !any; j++) {
            any = touch(corners[0], i, corners[1], j);
        }
    }
    if (any != (found != NULL) ||
        (found != NULL && (found->count != 1 || !touch(corners[0], all->pairs[found->first].a,
                                                       corners[1], all->pairs[found->first].b)))) {
        abort();
    }
}

static void ask_scene(world *w, input *in)
{
    pliant_scene_contacts all;
    pliant_scene_options options = pliant_scene_options_default();
    bool first = below(in, 2) != 0;
    options.mode = first ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    w->order = next(in);
    if (pliant_scene_collide(w->scene, &options, &all) != PLIANT_OK) {
        return;
    }
    uint64_t nodes = 0, tests = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t b = 0; b < BODIES; b++) {
            if (w->bodies[a] == NULL || w->bodies[b] == NULL || w->ids[a].index > w->ids[b].index) {
                continue;
            }
            nodes += most_nodes(w, a, b);
            tests += (uint64_t)triangles_of(w, a) * triangles_of(w, b);
            if (a != b) {
                compare_in_scene(w, &all, a, b, first);
            }
        }
    }
    const pliant_stats *stats = &pliant_scene_get_stats(w->scene)->narrow;
    if (stats->nodes_tested > 2 * nodes || stats->triangle_tests > 2 * tests + 2) {
        abort();
    }
}

/* -------------------------------------------------------------- other kinds */

/* A ray must meet what one of the triangles meets first. */
static void ask_ray(world *w, input *in, uint32_t a)
{
    static float corners[9 * MOST_TRIANGLES];
    pliant_ray ray;
    pliant_ray_hit hit;
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = next_float(in);
        ray.direction[k] = next_plain_float(in);
    }
    ray.t_max = below(in, 2) != 0 ? fabsf(next_float(in)) : INFINITY;
    if (pliant_raycast(w->query, w->bodies[a], &ray, &hit) != PLIANT_OK) {
        return;
    }
    check_work(w, a, a);
    if (w->forged[a]) {
        return;
    }
    if (!evaluate(w, a, corners)) {
        abort();
    }
    uint32_t best = UINT32_MAX;
    double nearest = (double)INFINITY, told = (double)INFINITY;
    for (uint32_t i = 0; i < triangles_of(w, a); i++) {
        double t = 0.0;
        if (pliant_triangle_raycast(as_triangle(corners + 9 * (size_t)i), ray.origin, ray.direction,
                                    ray.t_max, &t)) {
            told = i == hit.triangle ? t : told;
            best = t < nearest ? i : best;
            nearest = t < nearest ? t : nearest;
        }
    }
    if ((best == UINT32_MAX) != (hit.triangle == UINT32_MAX) ||
        (best != UINT32_MAX && told != nearest)) {
        abort();
    }
}

/* Every pair within the distance must be told. */
static void ask_within(world *w, input *in, uint32_t a, uint32_t b)
{
    static float corners_a[9 * MOST_TRIANGLES], corners_b[9 * MOST_TRIANGLES];
    pliant_proximities near;
    float distance = fabsf(next_float(in));
    if (a == b || pliant_find_within(w->query, w->bodies[a], w->bodies[b], distance, NULL, &near) !=
                      PLIANT_OK) {
        return;
    }
    check_work(w, a, b);
    if (w->forged[a] || w->forged[b]) {
        return;
    }
    if (!evaluate(w, a, corners_a) || !evaluate(w, b, corners_b)) {
        abort();
    }
    uint64_t found = 0;
    for (uint32_t i = 0; i < triangles_of(w, a); i++) {
        for (uint32_t j = 0; j < triangles_of(w, b); j++) {
            bool told = found < near.count && near.pairs[found].a == i && near.pairs[found].b == j;
            double apart =
                pliant_triangle_measure_distance(as_triangle(corners_a + 9 * (size_t)i),
                                                 as_triangle(corners_b + 9 * (size_t)j), NULL);
            if (!told && apart <= (double)distance) {
                abort();
            }
            found += told;
        }
    }
    if (found != near.count) {
        abort();
    }
}

/* Contours have every touching pair once, and each region is of one of the bodies. */
static void ask_contours(world *w, input *in, uint32_t a, uint32_t b)
{
    pliant_contours *contours = NULL;
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contour_set set;
    pliant_contacts contacts;
    options.regions = below(in, 4) != 0;
    options.gradients = below(in, 2) != 0;
    if (pliant_contours_create(w->context, &contours) != PLIANT_OK) {
        return;
    }
    pliant_result result =
        a == b ? pliant_contours_find_self(contours, w->bodies[a], &options, &set)
               : pliant_contours_find(contours, w->bodies[a], w->bodies[b], &options, &set);
    pliant_result pairs =
        a == b ? pliant_collide_self(w->query, w->bodies[a], NULL, &contacts)
               : pliant_collide(w->query, w->bodies[a], w->bodies[b], NULL, &contacts);
    if (result == PLIANT_OK && pairs == PLIANT_OK && set.pair_count != contacts.count) {
        abort();
    }
    for (uint64_t i = 0; result == PLIANT_OK && i < set.region_count; i++) {
        if (set.regions[i].body > (a == b ? 0u : 1u)) {
            abort();
        }
    }
    pliant_contours_destroy(contours);
}

/* What else there is to ask; only that it comes back, after a decent amount of work. */
void ask(world *w, input *in, uint32_t a, uint32_t b)
{
    float point[3];
    pliant_contacts contacts;
    pliant_closest closest;
    pliant_box box;
    pliant_proxy_contacts proxies;
    pliant_scene_proxy_contacts all_proxies;
    pliant_collide_options options = pliant_collide_options_default();
    switch (below(in, 12)) {
    case 0:
        options.neighbours = (pliant_neighbours)below(in, 3);
        if (pliant_collide_self(w->query, w->bodies[a], &options, &contacts) == PLIANT_OK) {
            check_work(w, a, a);
        }
        break;
    case 1:
        ask_ray(w, in, a);
        break;
    case 2:
        ask_within(w, in, a, b);
        break;
    case 3:
    case 4:
        ask_scene(w, in);
        break;
    case 5:
        if (a != b && pliant_collide_proxies(w->query, w->bodies[a], w->bodies[b], NULL,
                                             &proxies) == PLIANT_OK) {
            check_work(w, a, b);
        }
        break;
    case 6:
        pliant_body_prepare(w->bodies[a]);
        break;
    case 7:
        pliant_body_get_bounds(w->bodies[a], &box);
        break;
    case 8:
        for (int k = 0; k < 3; k++) {
            point[k] = next_float(in);
        }
        if (pliant_find_closest_point(w->query, w->bodies[a], point, INFINITY, &closest) ==
            PLIANT_OK) {
            check_work(w, a, a);
        }
        break;
    case 10:
        ask_contours(w, in, a, b);
        break;
    case 9:
        pliant_scene_collide_proxies(w->scene, NULL, &all_proxies);
        break;
    default:
        pliant_body_set_update(w->bodies[a], (pliant_update)below(in, 6), below(in, 3),
                               below(in, 3));
        break;
    }
}
