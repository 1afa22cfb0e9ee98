/*
 * Rays, points and boxes asked of a scene (D8, D10, D14) equal asking every body that takes part by
 * itself, whose answers are tested elsewhere, and choosing among them: while bodies move, come and
 * go and take part in other ways; for any number of workers, both schedulers, every instruction set
 * and broad phase. So do the counts of work.
 */
#include "flock_scene.h"
#include "dealer.h"

#include "geometry/triangle_overlap.h"
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RAYS = 70, POINTS = 150, MOST_HITS = 4000, SCENES = 12 };

typedef struct member {
    bool present;
    pliant_member_def def;
    uint32_t generation;
} member;

/* Who is where, the bodies to ask one by one, and the scenes that are to say the same. Bodies are
   free, or of all kinds of models. */
typedef struct world {
    bool models;
    flock f;
    model_case cases[FLOCK_BODIES];
    const gallery_mesh *mesh[FLOCK_BODIES];
    float *positions[FLOCK_BODIES]; /* where vertices are */
    flock_scene alone;              /* its scene is not used */
    pliant_query *query;
    member members[FLOCK_BODIES];
    flock_scene scenes[SCENES];
    uint32_t scene_count;
    float shift[FLOCK_BODIES][3];
} world;

static flock_scene make_flock(const flock *f, pliant_context *context, pliant_broad broad)
{
    flock_scene a = flock_scene_create(f, context, broad, false);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_scene_remove(a.scene, a.id[i]));
    }
    return a;
}

static flock_scene make_models(const model_case *cases, pliant_context *context, pliant_broad broad)
{
    flock_scene a = {.context = context};
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = broad;
    assert_ok(pliant_scene_create(context, &def, &a.scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        a.shape[i] = model_case_shape(context, &cases[i], PLIANT_BOUND_AUTO, fixture_usual_tree);
        assert_ok(pliant_body_create(a.shape[i], NULL, &a.body[i]));
    }
    return a;
}

static flock_scene make_scene(const world *w, pliant_context *context, pliant_broad broad)
{
    return w->models ? make_models(w->cases, context, broad) : make_flock(&w->f, context, broad);
}

static void world_create(world *w, bool models, rng *r)
{
    static uint32_t dealt[] = {2, 3};
    static const uint32_t own[] = {1, 2, 3, 8};
    *w = (world){.f = flock_create(), .models = models};
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        w->cases[i] = model_case_create((model_kind)(i % MODEL_KINDS), MODEL_SMOOTH, 1.0, 0.5,
                                        200 + 40 * i, r);
        w->mesh[i] = models ? &w->cases[i].mesh : &w->f.kind[i]->bodies[0];
        w->positions[i] = models ? w->cases[i].positions : w->f.positions[i];
    }
    w->alone = make_scene(w, fixture_context_with(PLIANT_ISA_BEST, 1), PLIANT_BROAD_AUTO);
    assert_ok(pliant_query_create(w->alone.context, &w->query));
    for (int i = 0; i < 4; i++) {
        w->scenes[w->scene_count++] =
            make_scene(w, fixture_context_with(PLIANT_ISA_BEST, own[i]), PLIANT_BROAD_AUTO);
    }
    for (int i = 0; i < 2; i++) {
        w->scenes[w->scene_count++] = make_scene(w, dealer_context(&dealt[i]), PLIANT_BROAD_TREE);
    }
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1 + (uint32_t)isa % 2);
        w->scenes[w->scene_count++] = make_scene(w, context, (pliant_broad)isa);
    }
}

static void world_destroy(world *w)
{
    pliant_query_destroy(w->query);
    flock_scene_free(&w->alone);
    for (uint32_t i = 0; i < w->scene_count; i++) {
        flock_scene_free(&w->scenes[i]);
    }
    for (int i = 0; i < FLOCK_BODIES; i++) {
        model_case_destroy(&w->cases[i]);
    }
    flock_free(&w->f);
}

/* ------------------------------------------------------------------ changes */

/* Bodies 1 and 12 are where 0 and 2 are, corner by corner, every other time: ties everywhere. */
static void place_bodies(world *w, uint32_t step, rng *r)
{
    flock_evaluate(&w->f, 7 * step);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        const gallery_mesh *mesh = &w->f.kind[i]->bodies[0];
        bool far = rng_below(r, 40) == 0; /* where vector kernels do not go */
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++) {
            float size = i % 4 == 2 ? 2.5f : 1.0f;
            w->f.positions[i][v] = w->f.positions[i][v] * size + w->shift[i][v % 3];
            w->f.positions[i][v] += far && v % 3 == 0 ? 0x1p40f : 0.0f;
        }
    }
    static const uint32_t twins[][2] = {{1, 4}, {12, 8}};
    for (int t = 0; t < 2 && step % 2 == 1; t++) {
        uint32_t a = twins[t][0], b = twins[t][1];
        uint32_t count = w->f.kind[a]->bodies[0].vertex_count;
        assert_int_equal(count, w->f.kind[b]->bodies[0].vertex_count);
        memcpy(w->f.positions[a], w->f.positions[b], 3 * count * sizeof(float));
    }
}

static void set_state(world *w, uint32_t i, pliant_body *body)
{
    if (w->models) {
        model_case_set(&w->cases[i], body);
    } else {
        assert_ok(pliant_body_share_positions(body, w->f.positions[i], 0));
    }
}

static void share(world *w, uint32_t i, rng *r)
{
    if (w->models) {
        model_case_move(&w->cases[i], r, rng_below(r, 2) == 0);
    }
    set_state(w, i, w->alone.body[i]);
    for (uint32_t s = 0; s < w->scene_count; s++) {
        set_state(w, i, w->scenes[s].body[i]);
    }
}

/* How a body takes part from now on: its loose box holds it, until it moves away. */
static pliant_member_def random_member(world *w, uint32_t i, rng *r)
{
    pliant_member_def def = pliant_member_def_default();
    def.category = (uint64_t)1 << rng_below(r, 3);
    def.mask = rng_below(r, 2) == 0 ? UINT64_MAX : rng_below(r, 8);
    def.user = &w->members[i];
    def.has_loose_box = rng_below(r, 3) == 0;
    pliant_box box;
    assert_ok(pliant_body_get_bounds(w->alone.body[i], &box));
    for (int k = 0; k < 3; k++) {
        float margin = rng_below(r, 4) == 0 ? INFINITY : (float)rng_range(r, 0.0, 1.0);
        def.loose_box.lower[k] = box.lower[k] - margin;
        def.loose_box.upper[k] = box.upper[k] + (rng_below(r, 4) == 0 ? INFINITY : 0.5f);
    }
    return def;
}

/* Everybody moves, those with loose boxes get new ones; some come, go or take part otherwise. */
static void change(world *w, uint32_t step, rng *r)
{
    place_bodies(w, step, r);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        member *m = &w->members[i];
        share(w, i, r);
        uint64_t deed = rng_below(r, 4);
        bool comes = !m->present && (deed < 3 || step == 0), goes = m->present && deed == 3;
        bool set = m->present && !goes && (m->def.has_loose_box || deed == 2);
        m->def = comes || set ? random_member(w, i, r) : m->def;
        m->generation += comes;
        for (uint32_t s = 0; s < w->scene_count; s++) {
            flock_scene *a = &w->scenes[s];
            if (goes) {
                assert_ok(pliant_scene_remove(a->scene, a->id[i]));
            } else if (set) {
                assert_ok(pliant_scene_set_member(a->scene, a->id[i], &m->def));
            }
        }
        m->present = (m->present && !goes) || comes;
    }
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) { /* slots are given out in ascending order */
        for (uint32_t s = 0; s < w->scene_count && w->members[i].present; s++) {
            flock_scene *a = &w->scenes[s];
            if (pliant_scene_get_body(a->scene, a->id[i]) == NULL) {
                assert_ok(pliant_scene_add(a->scene, a->body[i], &w->members[i].def, &a->id[i]));
            }
        }
    }
}

/* ---------------------------------------------------------------- selection */

/* Whom a question is asked of, and what its filter sees. */
typedef struct selection {
    const world *w;
    const flock_scene *scene;
    pliant_scene_select select;
    bool all, filtered;
    uint64_t refused; /* bits of bodies */
    uint32_t calls;
    uint32_t last; /* index, plus 1 */
} selection;

static uint32_t body_of(const flock_scene *a, pliant_body_id id)
{
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        if (a->id[i].index == id.index && a->id[i].generation == id.generation) {
            return i;
        }
    }
    fail_msg("no body has this id");
    return 0;
}

static bool masks_agree(const selection *s, uint32_t body)
{
    const pliant_member_def *def = &s->w->members[body].def;
    return (def->category & s->select.mask) && (def->mask & s->select.category);
}

static bool takes_part(const selection *s, uint32_t body)
{
    if (!s->w->members[body].present || s->all) {
        return s->w->members[body].present;
    }
    return masks_agree(s, body) && !(s->filtered && s->refused >> body & 1);
}

static bool filter(void *user, pliant_body_id id)
{
    selection *s = user;
    assert_true(id.index + 1 > s->last); /* ascending, each once */
    s->last = id.index + 1;
    s->calls++;
    uint32_t body = body_of(s->scene, id);
    assert_true(masks_agree(s, body));
    return !(s->refused >> body & 1);
}

static selection random_selection(const world *w, rng *r)
{
    selection s = {.w = w, .select = pliant_scene_select_default()};
    s.all = rng_below(r, 3) == 0;
    s.filtered = rng_below(r, 2) == 0;
    s.refused = rng_u64(r);
    s.select.category = 1 + rng_below(r, 7);
    s.select.mask = rng_below(r, 2) == 0 ? UINT64_MAX : rng_below(r, 8);
    s.select.filter = s.filtered ? filter : NULL;
    return s;
}

/* The selection as a scene is given it. */
static const pliant_scene_select *give(selection *s, const flock_scene *a)
{
    s->scene = a;
    s->select.filter_user = s;
    s->calls = s->last = 0;
    return s->all ? NULL : &s->select;
}

static void check_body(const selection *s, pliant_body_id id, void *user, uint32_t body)
{
    assert_int_equal(id.index, s->scene->id[body].index);
    assert_int_equal(id.generation, s->scene->id[body].generation);
    assert_ptr_equal(user, &s->w->members[body]);
}

/* Counts and, but for times, all statistics are those of the first scene. */
static void check_stats(const world *w, uint32_t scene, pliant_scene_stats *first)
{
    pliant_scene_stats stats = flock_scene_counts(w->scenes[scene].scene);
    *first = scene == 0 ? stats : *first;
    assert_memory_equal(&stats, first, sizeof stats);
}

/* --------------------------------------------------------------------- rays */

/* A hit of one body. */
typedef struct expected_hit {
    uint32_t body, index; /* which; and its index in the scenes */
    pliant_ray_hit hit;
} expected_hit;

static void corners_of(const world *w, const expected_hit *hit, float corner[3][3])
{
    const gallery_mesh *mesh = w->mesh[hit->body];
    for (size_t c = 0; c < 3; c++) {
        size_t v = mesh->triangles[3 * (size_t)hit->hit.triangle + c];
        memcpy(corner[c], w->positions[hit->body] + 3 * v, sizeof corner[c]);
    }
}

static bool comes_first(const world *w, const pliant_ray *ray, const expected_hit *a,
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
static uint32_t list_hits(const world *w, const selection *s, const pliant_ray *ray,
                          expected_hit *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        pliant_ray_hits hits;
        if (!takes_part(s, i)) {
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
    check_body(s, got->body, got->user, expected->body);
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
static void make_rays(const world *w, pliant_ray *rays, rng *r)
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

static uint64_t check_rays(world *w, rng *r)
{
    static expected_hit list[RAYS][MOST_HITS];
    uint32_t counts[RAYS];
    uint64_t total = 0, ties = 0;
    pliant_ray rays[RAYS];
    pliant_scene_ray_hit first[RAYS];
    bool blocked[RAYS];
    pliant_scene_ray_hits all;
    pliant_scene_stats stats[3];
    selection s = random_selection(w, r);
    make_rays(w, rays, r);
    for (int i = 0; i < RAYS; i++) {
        counts[i] = list_hits(w, &s, &rays[i], list[i]);
        total += counts[i];
        ties += counts[i] > 1 && list[i][0].hit.t == list[i][1].hit.t;
    }
    for (uint32_t a = 0; a < w->scene_count; a++) {
        pliant_scene *scene = w->scenes[a].scene;
        assert_ok(pliant_scene_raycast(scene, rays, RAYS, give(&s, &w->scenes[a]), first));
        check_stats(w, a, &stats[0]);
        assert_ok(pliant_scene_raycast_any(scene, rays, RAYS, give(&s, &w->scenes[a]), blocked));
        check_stats(w, a, &stats[1]);
        assert_ok(pliant_scene_raycast_all(scene, rays, RAYS, give(&s, &w->scenes[a]), &all));
        check_stats(w, a, &stats[2]);
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
static int choose_body(const world *w, const selection *s, uint32_t point, bool sides)
{
    int best = -1;
    for (int i = 0; i < FLOCK_BODIES; i++) {
        const pliant_signed_distance *d = &answers[i][point];
        bool inside = sides && is_inside(d);
        if (!takes_part(s, (uint32_t)i) || (!inside && !d->closest.found)) {
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
    check_body(s, got->body, got->user, (uint32_t)body);
    assert_true(d->distance == expected->distance && d->side == expected->side);
    assert_true(d->winding == expected->winding && d->flags == expected->flags);
    assert_memory_equal(d->direction, expected->direction, sizeof d->direction);
    check_closest(&d->closest, &expected->closest);
}

/* Around bodies, on them, and far away. */
static void make_points(const world *w, float (*points)[4], rng *r)
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
static uint32_t check_distances(world *w, rng *r)
{
    float points[POINTS][4];
    pliant_scene_signed_distance got[POINTS];
    pliant_scene_stats stats;
    selection s = random_selection(w, r);
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
                                                 give(&s, &w->scenes[a]), got));
        check_stats(w, a, &stats);
        for (uint32_t i = 0; i < POINTS; i++) {
            check_distance(&s, &got[i], choose_body(w, &s, i, true), i);
            inside += got[i].distance.side < 0;
        }
    }
    return inside;
}

static uint32_t check_closest_points(world *w, rng *r)
{
    float points[POINTS][4];
    pliant_scene_closest got[POINTS];
    pliant_closest one[POINTS];
    pliant_scene_stats stats;
    selection s = random_selection(w, r);
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
                                                   sizeof points[0], most, give(&s, &w->scenes[a]),
                                                   got));
        check_stats(w, a, &stats);
        for (uint32_t i = 0; i < POINTS; i++) {
            int body = choose_body(w, &s, i, false);
            assert_int_equal(got[i].body.generation != 0, body >= 0);
            assert_int_equal(got[i].closest.found, body >= 0);
            if (body >= 0) {
                check_body(&s, got[i].body, got[i].user, (uint32_t)body);
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
static uint32_t body_at(const world *w, uint32_t index)
{
    uint32_t body = 0;
    while (body < FLOCK_BODIES &&
           !(w->members[body].present && w->scenes[0].id[body].index == index)) {
        body++;
    }
    return body;
}

static uint64_t check_box(world *w, rng *r)
{
    selection s = random_selection(w, r);
    pliant_box box = random_box(r);
    pliant_scene_stats stats;
    uint64_t total = 0;
    for (uint32_t a = 0; a < w->scene_count; a++) {
        pliant_scene_triangles got;
        assert_ok(
            pliant_scene_overlap_box(w->scenes[a].scene, &box, give(&s, &w->scenes[a]), &got));
        check_stats(w, a, &stats);
        uint64_t first = 0;
        uint32_t next = 0;
        for (uint32_t index = 0; index < FLOCK_BODIES; index++) {
            uint32_t i = body_at(w, index);
            const uint32_t *triangles = NULL;
            uint64_t count = 0;
            if (i < FLOCK_BODIES && takes_part(&s, i)) {
                assert_ok(pliant_overlap_box(w->query, w->alone.body[i], &box, &triangles, &count));
            }
            if (count == 0) {
                continue;
            }
            assert_true(next < got.body_count);
            const pliant_scene_range *range = &got.bodies[next++];
            check_body(&s, range->body, range->user, i);
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
    static world w;
    rng r;
    rng_seed(&r, 19);
    world_create(&w, models, &r);
    uint64_t ties = 0, triangles = 0;
    uint32_t inside = 0, found = 0;
    for (uint32_t step = 0; step < 4 + fixture_count(20); step++) {
        for (uint32_t i = 0; i < FLOCK_BODIES && rng_below(&r, 3) == 0; i++) {
            for (int k = 0; k < 3; k++) {
                w.shift[i][k] = (float)rng_range(&r, -1.0, 1.0);
            }
        }
        change(&w, step, &r);
        ties += check_rays(&w, &r);
        inside += check_distances(&w, &r);
        found += check_closest_points(&w, &r);
        triangles += check_box(&w, &r);
        triangles += check_box(&w, &r);
    }
    assert_true(ties > 0 && triangles > 0 && inside > 0 && found > 0);
    world_destroy(&w);
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
