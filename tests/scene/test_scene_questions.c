/*
 * Rays, points and boxes asked of a scene (D8, D10, D14) equal asking every body that takes part by
 * itself, whose answers are tested elsewhere, and choosing among them: while bodies move, come and
 * go and take part in other ways; for any number of workers, both schedulers, every instruction set
 * and broad phase. So do the counts of work.
 */
#include "asked_world.h"

#include "geometry/triangle_overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RAYS = 70, POINTS = 150, MOST_HITS = 4000 };

/* --------------------------------------------------------------------- rays */

/* A hit of one body. */
typedef struct expected_hit {
    uint32_t body, index; /* which; and its index in the scenes */
    pliant_ray_hit hit;
} expected_hit;

static void corners_of(const asked_world *w, const expected_hit *hit, float corner[3][3])
{
    const gallery_mesh *mesh = w->mesh[hit->body];
    for (size_t c = 0; c < 3; c++) {
        size_t v = mesh->triangles[3 * (size_t)hit->hit.triangle + c];
        memcpy(corner[c], w->positions[hit->body] + 3 * v, sizeof corner[c]);
    }
}

static bool comes_first(const asked_world *w, const pliant_ray *ray, const expected_hit *a,
                        const expected_hit *b)
{
    if (a->hit.t != b->hit.t) {
        return a->hit.t < b->hit.t;
    }
    float x[3][3], y[3][3];
    corners_of(w, a, x);
    corners_of(w, b, y);
    int order = pli_triangle_ray_compare(ray->origin, ray->direction, (const float(*)[3])x,
                                         (const float(*)[3])y);
    return order != 0             ? order < 0
           : a->index != b->index ? a->index < b->index
                                  : a->hit.triangle < b->hit.triangle;
}

/* All hits of a ray in order, by bodies that take part; returns how many there are. */
static uint32_t list_hits(const asked_world *w, const selection *s, const pliant_ray *ray,
                          expected_hit *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        pliant_ray_hits hits;
        if (!selection_takes_part(s, i)) {
            continue;
        }
        assert_ok(pliant_raycast_all(w->query, w->alone.body[i], ray, 1, &hits));
        assert_true(hits.count + count < MOST_HITS);
        for (uint64_t h = 0; h < hits.count; h++) {
            expected_hit hit = {i, w->scenes[0].id[i].index, hits.hits[h]};
            uint32_t place = count++;
            for (; place > 0 && comes_first(w, ray, &hit, &list[place - 1]); place--) {
                list[place] = list[place - 1];
            }
            list[place] = hit;
        }
    }
    return count;
}

static void check_hit(const selection *s, const pliant_scene_ray_hit *got,
                      const expected_hit *expected)
{
    selection_check_body(s, got->body, got->user, expected->body);
    const pliant_ray_hit *a = &got->hit, *b = &expected->hit;
    assert_true(a->t == b->t && a->triangle == b->triangle && a->group == b->group);
    assert_memory_equal(a->point, b->point, sizeof a->point);
    assert_memory_equal(a->weights, b->weights, sizeof a->weights);
    assert_memory_equal(a->normal, b->normal, sizeof a->normal);
}

static void check_none(const pliant_scene_ray_hit *hit)
{
    assert_true(hit->body.generation == 0 && hit->user == NULL);
    assert_true(hit->hit.triangle == PLIANT_NO_TRIANGLE && hit->hit.t == INFINITY);
}

/* Most are aimed at vertices, which several triangles share. */
static void make_rays(const asked_world *w, pliant_ray *rays, rng *r)
{
    for (int i = 0; i < RAYS; i++) {
        uint32_t body = (uint32_t)rng_below(r, FLOCK_BODIES);
        const gallery_mesh *mesh = w->mesh[body];
        const float *to = w->positions[body] + 3 * rng_below(r, mesh->vertex_count);
        for (int k = 0; k < 3; k++) {
            bool still = i % 7 == 0 && k != i % 3;
            rays[i].origin[k] = still ? to[k] : (float)rng_range(r, -6.0, 6.0);
            rays[i].direction[k] =
                i % 5 == 0 ? (float)rng_range(r, -1.0, 1.0) : to[k] - rays[i].origin[k];
            rays[i].direction[k] = still ? 0.0f : rays[i].direction[k];
        }
        rays[i].t_max = i % 4 == 0 ? (float)rng_range(r, 0.0, 1.5) : i % 4 == 1 ? 1.0f : INFINITY;
    }
}

static uint64_t check_rays(asked_world *w, rng *r)
{
    static expected_hit list[RAYS][MOST_HITS];
    uint32_t counts[RAYS];
    uint64_t total = 0, ties = 0;
    pliant_ray rays[RAYS];
    pliant_scene_ray_hit first[RAYS];
    bool blocked[RAYS];
    pliant_scene_ray_hits all;
    pliant_scene_stats stats[3];
    selection s = selection_random(w, r);
    make_rays(w, rays, r);
    for (int i = 0; i < RAYS; i++) {
        counts[i] = list_hits(w, &s, &rays[i], list[i]);
        total += counts[i];
        ties += counts[i] > 1 && list[i][0].hit.t == list[i][1].hit.t;
    }
    for (uint32_t a = 0; a < w->scene_count; a++) {
        pliant_scene *scene = w->scenes[a].scene;
        assert_ok(
            pliant_scene_raycast(scene, rays, RAYS, selection_give(&s, &w->scenes[a]), first));
        asked_world_check_stats(w, a, &stats[0]);
        assert_ok(pliant_scene_raycast_any(scene, rays, RAYS, selection_give(&s, &w->scenes[a]),
                                           blocked));
        asked_world_check_stats(w, a, &stats[1]);
        assert_ok(
            pliant_scene_raycast_all(scene, rays, RAYS, selection_give(&s, &w->scenes[a]), &all));
        asked_world_check_stats(w, a, &stats[2]);
        assert_int_equal(all.count, total);
        uint64_t at = 0;
        for (int i = 0; i < RAYS; i++) {
            assert_int_equal(blocked[i], counts[i] > 0);
            assert_int_equal(all.starts[i], at);
            for (uint32_t h = 0; h < counts[i]; h++) {
                check_hit(&s, &all.hits[at++], &list[i][h]);
            }
            if (counts[i] > 0) {
                check_hit(&s, &first[i], &list[i][0]);
            } else {
                check_none(&first[i]);
            }
        }
        assert_int_equal(all.starts[RAYS], total);
    }
    return ties;
}

/* ------------------------------------------------------------------- points */

static pliant_signed_distance answers[FLOCK_BODIES][POINTS];

static bool is_inside(const pliant_signed_distance *d)
{
    return d->side < 0 && !(d->flags & PLIANT_DISTANCE_BY_SURFACE);
}

/* The body that an answer is about, or -1: the deepest that has the point inside, else the
   closest. */
static int choose_body(const asked_world *w, const selection *s, uint32_t point, bool sides)
{
    int best = -1;
    for (int i = 0; i < FLOCK_BODIES; i++) {
        const pliant_signed_distance *d = &answers[i][point];
        bool inside = sides && is_inside(d);
        if (!selection_takes_part(s, (uint32_t)i) || (!inside && !d->closest.found)) {
            continue;
        }
        const pliant_signed_distance *b = best >= 0 ? &answers[best][point] : NULL;
        bool better = b == NULL || inside != (sides && is_inside(b));
        if (better) {
            best = b == NULL || inside ? i : best;
            continue;
        }
        double here = d->closest.found ? d->closest.distance : (double)INFINITY;
        double there = b->closest.found ? b->closest.distance : (double)INFINITY;
        bool lower = w->scenes[0].id[i].index < w->scenes[0].id[best].index;
        if (here == there ? lower : inside ? here > there : here < there) {
            best = i;
        }
    }
    return best;
}

static void check_closest(const pliant_closest *a, const pliant_closest *b)
{
    assert_int_equal(a->found, b->found);
    assert_int_equal(a->triangle, b->triangle);
    if (a->found) {
        assert_true(a->distance == b->distance && a->group == b->group);
        assert_memory_equal(a->weights, b->weights, sizeof a->weights);
        assert_memory_equal(a->at.point, b->at.point, sizeof a->at.point);
    }
}

static void check_distance(const selection *s, const pliant_scene_signed_distance *got, int body,
                           uint32_t point)
{
    const pliant_signed_distance *d = &got->distance;
    if (body < 0) {
        assert_true(got->body.generation == 0 && got->user == NULL && d->side == 1);
        assert_true(d->distance == INFINITY && d->closest.triangle == PLIANT_NO_TRIANGLE);
        return;
    }
    const pliant_signed_distance *expected = &answers[body][point];
    selection_check_body(s, got->body, got->user, (uint32_t)body);
    assert_true(d->distance == expected->distance && d->side == expected->side);
    assert_true(d->winding == expected->winding && d->flags == expected->flags);
    assert_memory_equal(d->direction, expected->direction, sizeof d->direction);
    check_closest(&d->closest, &expected->closest);
}

/* Around bodies, on them, and far away. */
static void make_points(const asked_world *w, float (*points)[4], rng *r)
{
    for (int i = 0; i < POINTS; i++) {
        uint32_t body = (uint32_t)rng_below(r, FLOCK_BODIES);
        const gallery_mesh *mesh = w->mesh[body];
        const float *at = w->positions[body] + 3 * rng_below(r, mesh->vertex_count);
        for (int k = 0; k < 3; k++) {
            points[i][k] = i % 5 == 0 ? at[k] : (float)rng_range(r, -3.0, 3.0);
            points[i][k] *= i % 37 == 1 ? 0x1p41f : 1.0f;
        }
        points[i][3] = NAN; /* what lies between points is not read */
    }
}

/* Returns how many points lie inside of somebody. */
static uint32_t check_distances(asked_world *w, rng *r)
{
    float points[POINTS][4];
    pliant_scene_signed_distance got[POINTS];
    pliant_scene_stats stats;
    selection s = selection_random(w, r);
    pliant_distance_options options = pliant_distance_options_default();
    options.side = rng_below(r, 3) == 0 ? PLIANT_SIDE_SURFACE : PLIANT_SIDE_AUTO;
    options.max_distance = rng_below(r, 2) == 0 ? INFINITY : (float)rng_range(r, 0.0, 1.0);
    make_points(w, points, r);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_measure_distances(w->query, w->alone.body[i], points[0], POINTS,
                                           sizeof points[0], &options, answers[i]));
    }
    uint32_t inside = 0;
    for (uint32_t a = 0; a < w->scene_count; a++) {
        assert_ok(pliant_scene_measure_distances(w->scenes[a].scene, points[0], POINTS,
                                                 sizeof points[0], &options,
                                                 selection_give(&s, &w->scenes[a]), got));
        asked_world_check_stats(w, a, &stats);
        for (uint32_t i = 0; i < POINTS; i++) {
            check_distance(&s, &got[i], choose_body(w, &s, i, true), i);
            inside += got[i].distance.side < 0;
        }
    }
    return inside;
}

static uint32_t check_closest_points(asked_world *w, rng *r)
{
    float points[POINTS][4];
    pliant_scene_closest got[POINTS];
    pliant_closest one[POINTS];
    pliant_scene_stats stats;
    selection s = selection_random(w, r);
    float most = rng_below(r, 2) == 0 ? INFINITY : (float)rng_range(r, 0.0, 1.0);
    most = rng_below(r, 5) == 0 ? 0.0f : most;
    make_points(w, points, r);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_find_closest_points(w->query, w->alone.body[i], points[0], POINTS,
                                             sizeof points[0], most, one));
        for (uint32_t p = 0; p < POINTS; p++) {
            answers[i][p].closest = one[p];
        }
    }
    uint32_t found = 0;
    for (uint32_t a = 0; a < w->scene_count; a++) {
        assert_ok(pliant_scene_find_closest_points(w->scenes[a].scene, points[0], POINTS,
                                                   sizeof points[0], most,
                                                   selection_give(&s, &w->scenes[a]), got));
        asked_world_check_stats(w, a, &stats);
        for (uint32_t i = 0; i < POINTS; i++) {
            int body = choose_body(w, &s, i, false);
            assert_int_equal(got[i].body.generation != 0, body >= 0);
            assert_int_equal(got[i].closest.found, body >= 0);
            if (body >= 0) {
                selection_check_body(&s, got[i].body, got[i].user, (uint32_t)body);
                check_closest(&got[i].closest, &answers[body][i].closest);
                found++;
            }
        }
    }
    return found;
}

/* -------------------------------------------------------------------- boxes */

static pliant_box random_box(rng *r)
{
    pliant_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = (float)rng_range(r, -3.0, 2.0);
        box.upper[k] = box.lower[k] + (float)rng_range(r, 0.0, 4.0);
        box.lower[k] = rng_below(r, 6) == 0 ? -INFINITY : box.lower[k];
        box.upper[k] = rng_below(r, 6) == 0 ? INFINITY : box.upper[k];
    }
    return box;
}

/* The body with an index, or FLOCK_BODIES. */
static uint32_t body_at(const asked_world *w, uint32_t index)
{
    uint32_t body = 0;
    while (body < FLOCK_BODIES &&
           !(w->members[body].present && w->scenes[0].id[body].index == index)) {
        body++;
    }
    return body;
}

static uint64_t check_box(asked_world *w, rng *r)
{
    selection s = selection_random(w, r);
    pliant_box box = random_box(r);
    pliant_scene_stats stats;
    uint64_t total = 0;
    for (uint32_t a = 0; a < w->scene_count; a++) {
        pliant_scene_triangles got;
        assert_ok(pliant_scene_overlap_box(w->scenes[a].scene, &box,
                                           selection_give(&s, &w->scenes[a]), &got));
        asked_world_check_stats(w, a, &stats);
        uint64_t first = 0;
        uint32_t next = 0;
        for (uint32_t index = 0; index < FLOCK_BODIES; index++) {
            uint32_t i = body_at(w, index);
            const uint32_t *triangles = NULL;
            uint64_t count = 0;
            if (i < FLOCK_BODIES && selection_takes_part(&s, i)) {
                assert_ok(pliant_overlap_box(w->query, w->alone.body[i], &box, &triangles, &count));
            }
            if (count == 0) {
                continue;
            }
            assert_true(next < got.body_count);
            const pliant_scene_range *range = &got.bodies[next++];
            selection_check_body(&s, range->body, range->user, i);
            assert_true(range->first == first && range->count == count);
            assert_memory_equal(got.triangles + first, triangles, count * sizeof *triangles);
            first += count;
        }
        assert_true(got.body_count == next && got.count == first);
        total += first;
    }
    return total;
}

static void play(bool models)
{
    static asked_world w;
    rng r;
    rng_seed(&r, 19);
    asked_world_create(&w, models, &r);
    uint64_t ties = 0, triangles = 0;
    uint32_t inside = 0, found = 0;
    for (uint32_t step = 0; step < 4 + fixture_count(20); step++) {
        for (uint32_t i = 0; i < FLOCK_BODIES && rng_below(&r, 3) == 0; i++) {
            for (int k = 0; k < 3; k++) {
                w.shift[i][k] = (float)rng_range(&r, -1.0, 1.0);
            }
        }
        asked_world_change(&w, step, &r);
        ties += check_rays(&w, &r);
        inside += check_distances(&w, &r);
        found += check_closest_points(&w, &r);
        triangles += check_box(&w, &r);
        triangles += check_box(&w, &r);
    }
    assert_true(ties > 0 && triangles > 0 && inside > 0 && found > 0);
    asked_world_destroy(&w);
}

static void answers_equal_those_of_bodies(void **state)
{
    (void)state;
    play(false);
}

static void answers_equal_those_of_models(void **state)
{
    (void)state;
    play(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_those_of_bodies),
        cmocka_unit_test(answers_equal_those_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
