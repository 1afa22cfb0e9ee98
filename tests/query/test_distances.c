/*
 * Signed distances of many points: sides against winding numbers by exact arithmetic, closest
 * points against the question asked point by point, for all kinds of bodies, trees, strategies,
 * instruction sets and numbers of workers.
 */
#include "models.h"
#include "one_body.h"
#include "oracle.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOLIDS = 9, POINTS_EACH = 22400 }; /* a million at five times the usual size */

/* ----------------------------------------------------------------- solids */

static void round_to(gallery_mesh *mesh, float step)
{
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->positions[i] = step * rintf(mesh->positions[i] / step);
    }
}

static void jitter(gallery_mesh *mesh, double size, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->positions[i] += (float)rng_range(&r, -size, size);
    }
}

static void turn_over(gallery_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t *t = mesh->triangles + 3 * (size_t)i, first = t[0];
        t[0] = t[1];
        t[1] = first;
    }
}

static gallery_mesh sphere(uint32_t triangles, double x, double size)
{
    test_place place = place_at(x, 0.0, 0.0);
    place.scale[0] = place.scale[1] = place.scale[2] = size;
    return test_solid_sphere(triangles, &place);
}

/* Closed meshes, at rest or in their state: in general position, on a grid, flat, turned
   inside out, overlapping themselves. */
static gallery_mesh make_solid(int number, bool rest, const char **name)
{
    test_place origin = place_at(0, 0, 0);
    gallery_mesh mesh = {0}, more;
    switch (number) {
    case 0:
        *name = "sphere";
        return sphere(320, 0.0, 1.0);
    case 1:
        *name = "torus";
        return test_solid_torus(12, 10, 0.4, &origin);
    case 2:
        *name = "two spheres through each other";
        mesh = sphere(80, -0.4, 1.0);
        more = sphere(80, 0.4, 1.0);
        test_solid_join(&mesh, &more);
        return mesh;
    case 3:
        *name = "a hollow sphere in one that is turned over";
        mesh = sphere(80, 0.0, 1.0);
        more = sphere(80, 0.1, 0.5);
        turn_over(&more);
        test_solid_join(&mesh, &more);
        more = sphere(80, 0.0, 1.5);
        turn_over(&more);
        test_solid_join(&mesh, &more);
        return mesh;
    case 4:
        *name = "box on a grid";
        return test_solid_box(&origin);
    case 5:
        *name = "sphere on a coarse grid";
        mesh = sphere(320, 0.0, 1.0);
        round_to(&mesh, 0.25f);
        return mesh;
    case 6:
        *name = "flat sphere";
        mesh = sphere(80, 0.0, 1.0);
        for (uint32_t i = 0; i < mesh.vertex_count && !rest; i++) {
            mesh.positions[3 * i + 1] = 0.0f;
        }
        return mesh;
    case 7:
        *name = "crumpled sphere";
        mesh = sphere(80, 0.0, 1.0);
        jitter(&mesh, 0.8, 5);
        return mesh;
    default:
        *name = "crumpled torus on a grid";
        mesh = test_solid_torus(8, 6, 0.4, &origin);
        jitter(&mesh, 0.6, 6);
        round_to(&mesh, 0.125f);
        return mesh;
    }
}

typedef float corners[3][3];

static corners *corners_of(const float *positions, const uint32_t *triangles, uint32_t count)
{
    corners *all = malloc(count * sizeof *all);
    for (uint32_t i = 0; i < 3 * count; i++) {
        memcpy(all[i / 3][i % 3], positions + 3 * (size_t)triangles[i], sizeof all[0][0]);
    }
    return all;
}

/* A point on the surface, near it, level with a corner in one or two coordinates, or around. */
static void make_point(corners *all, uint32_t count, rng *r, float point[3])
{
    const float(*c)[3] = (const float(*)[3])all[rng_below(r, count)];
    const float *other = all[rng_below(r, count)][0];
    uint64_t kind = rng_below(r, 8), axis = rng_below(r, 3);
    double away = ldexp(rng_range(r, -1.0, 1.0), -(int)rng_below(r, 40)), w = rng_unit(r);
    for (int k = 0; k < 3; k++) {
        double inner = 0.25 * (double)c[0][k] + 0.25 * (double)c[1][k] + 0.5 * (double)c[2][k];
        double on_edge = w * (double)c[0][k] + (1.0 - w) * (double)c[1][k];
        double size = 0.3 * fabs((double)c[0][k] - (double)other[k]);
        double x = 0.0;
        switch (kind) {
        case 0:
            x = (double)c[0][k];
            break;
        case 1:
            x = 0.5 * ((double)c[0][k] + (double)c[1][k]);
            break;
        case 2:
            x = inner;
            break;
        case 3:
            x = inner + away * size * rng_range(r, -1.0, 1.0);
            break;
        case 4:
            x = on_edge + away * size * rng_range(r, -1.0, 1.0);
            break;
        case 5: /* level with one corner along an axis, with another along the others */
            x = k == (int)axis ? (double)c[0][k] : (double)other[k];
            break;
        case 6:
            x = k == (int)axis ? (double)c[0][k] : rng_range(r, -1.0, 1.0) * size + inner;
            break;
        default:
            x = 0.5 * ((double)c[0][k] + (double)other[k]) + rng_range(r, -1.0, 1.0) * size;
        }
        point[k] = (float)x;
    }
}

/* -------------------------------------------------------------- comparing */

static bool same_closest(const pliant_closest *a, const pliant_closest *b)
{
    return a->found == b->found && a->triangle == b->triangle && a->distance == b->distance &&
           a->at.feature == b->at.feature && a->at.index == b->at.index && a->group == b->group &&
           fixture_compare_bytes(a->at.point, b->at.point, sizeof a->at.point) == 0 &&
           fixture_compare_bytes(a->weights, b->weights, sizeof a->weights) == 0 &&
           fixture_compare_bytes(a->normal, b->normal, sizeof a->normal) == 0;
}

static bool same_answer(const pliant_signed_distance *a, const pliant_signed_distance *b)
{
    return a->distance == b->distance && a->side == b->side && a->winding == b->winding &&
           a->flags == b->flags &&
           fixture_compare_bytes(a->direction, b->direction, sizeof a->direction) == 0 &&
           same_closest(&a->closest, &b->closest);
}

static void assert_same(const char *name, const char *what, const pliant_signed_distance *got,
                        const pliant_signed_distance *want, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!same_answer(&got[i], &want[i])) {
            fail_msg(
                "%s, %s: point %llu: %a side %d winding %d triangle %u, not %a side %d winding "
                "%d triangle %u",
                name, what, (unsigned long long)i, got[i].distance, got[i].side, got[i].winding,
                got[i].closest.triangle, want[i].distance, want[i].side, want[i].winding,
                want[i].closest.triangle);
        }
    }
}

/* Direction, distance and side of one answer agree with each other. */
static void check_consistent(const char *name, const float point[3],
                             const pliant_signed_distance *got)
{
    double length = 0.0, error = 0.0, size = fabs(got->distance);
    for (int k = 0; k < 3; k++) {
        double d = (double)got->direction[k];
        length += d * d;
        double way = got->side * ((double)point[k] - got->closest.at.point[k]);
        error = fmax(error, fabs(way - fabs(got->distance) * d));
        size = fmax(size, fabs((double)point[k]));
    }
    bool right =
        got->closest.found && fabs(got->distance) == got->closest.distance &&
        (got->side == 0) == (got->distance == 0.0) && (got->side < 0) == (got->winding != 0) &&
        (got->side >= 0 || got->distance < 0.0) && got->flags == 0 && error <= 1e-6 * size &&
        (fabs(length - 1.0) < 1e-6 || (got->side == 0 && length == 0.0));
    if (!right) {
        fail_msg("%s: %a %a %a: distance %a side %d winding %d direction %g %g %g", name, point[0],
                 point[1], point[2], got->distance, got->side, got->winding, got->direction[0],
                 got->direction[1], got->direction[2]);
    }
}

/* Returns how many points are on the surface, inside, and inside with a winding number beyond 1. */
typedef struct tally {
    uint64_t on, inside, deep;
} tally;

static tally check_sides(const char *name, corners *all, uint32_t count, const float (*points)[3],
                         uint64_t point_count, const pliant_signed_distance *got)
{
    tally t = {0, 0, 0};
    for (uint64_t i = 0; i < point_count; i++) {
        int winding = 0;
        bool off = oracle_winding((const float(*)[3][3])all, count, points[i], &winding);
        if (off != (got[i].side != 0) || (off && winding != got[i].winding)) {
            fail_msg("%s: %a %a %a: side %d winding %d, exactly %s winding %d", name, points[i][0],
                     points[i][1], points[i][2], got[i].side, got[i].winding,
                     off ? "off the surface with" : "on the surface, not", winding);
        }
        check_consistent(name, points[i], &got[i]);
        t.on += !off;
        t.inside += off && winding != 0;
        t.deep += off && (winding > 1 || winding < -1);
    }
    return t;
}

static void check_closest(const char *name, pliant_body *body, const float (*points)[3],
                          uint64_t count, const pliant_signed_distance *got)
{
    pliant_closest *many = malloc(count * sizeof *many);
    assert_ok(pliant_find_closest_points(test_query, body, points[0], count, 0, INFINITY, many));
    for (uint64_t i = 0; i < count; i++) {
        pliant_closest one;
        assert_true(same_closest(&many[i], &got[i].closest));
        if (i % 16 == 0) {
            assert_ok(pliant_find_closest_point(test_query, body, points[i], INFINITY, &one));
            if (!same_closest(&one, &got[i].closest)) {
                fail_msg("%s: %a %a %a: %a triangle %u, alone %a triangle %u", name, points[i][0],
                         points[i][1], points[i][2], got[i].closest.distance,
                         got[i].closest.triangle, one.distance, one.triangle);
            }
        }
    }
    free(many);
}

/* ------------------------------------------------------------------ tests */

static pliant_signed_distance *measure(pliant_query *query, pliant_body *body,
                                       const float (*points)[3], uint64_t count)
{
    pliant_signed_distance *got = malloc(count * sizeof *got);
    memset(got, 0x55, count * sizeof *got);
    assert_ok(pliant_measure_distances(query, body, points[0], count, 0, NULL, got));
    return got;
}

static test_mesh mesh_of(const gallery_mesh *rest, const gallery_mesh *solid, const char *name)
{
    return (test_mesh){.name = name,
                       .rest = rest->positions,
                       .positions = solid->positions,
                       .triangles = solid->triangles,
                       .vertex_count = solid->vertex_count,
                       .triangle_count = solid->triangle_count};
}

static void other_ways(const test_mesh *mesh, const float (*points)[3], uint64_t count,
                       const pliant_signed_distance *want)
{
    for (uint32_t w = 1; w < test_way_count; w++) {
        test_body body = test_body_create(test_context, mesh, &test_ways[w]);
        pliant_signed_distance *got = measure(test_query, body.body, points, count);
        assert_same(mesh->name, "another tree", got, want, count);
        free(got);
        test_body_destroy(&body);
    }
    const struct {
        pliant_isa isa;
        uint32_t workers;
    } set[] = {{PLIANT_ISA_PLAIN, 1},
               {PLIANT_ISA_BASELINE, 2},
               {PLIANT_ISA_AVX2, 3},
               {PLIANT_ISA_BEST, 8}};
    pliant_stats first = {0};
    for (int i = 0; i < 4; i++) {
        pliant_context *context = fixture_context_with(set[i].isa, set[i].workers);
        pliant_query *query;
        assert_ok(pliant_query_create(context, &query));
        test_body body = test_body_create(context, mesh, &test_ways[0]);
        pliant_signed_distance *got = measure(query, body.body, points, count);
        assert_same(mesh->name, "another context", got, want, count);
        free(got);
        const pliant_stats *stats = pliant_query_get_stats(query);
        first = i == 0 ? *stats : first;
        assert_true(stats->nodes_tested == first.nodes_tested &&
                    stats->triangle_tests == first.triangle_tests &&
                    stats->exact_fallbacks == first.exact_fallbacks &&
                    stats->lines == first.lines && stats->pairs == count &&
                    stats->clusters_refreshed == first.clusters_refreshed &&
                    stats->nodes_refreshed == first.nodes_refreshed &&
                    stats->vertices_read == first.vertices_read);
        test_body_destroy(&body);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
}

static float (*make_points(corners *all, uint32_t count, uint64_t seed, uint64_t point_count))[3]
{
    float(*points)[3] = malloc(point_count * sizeof *points);
    rng r;
    rng_seed(&r, seed);
    for (uint64_t i = 0; i < point_count; i++) {
        make_point(all, count, &r, points[i]);
    }
    return points;
}

static void sides_are_exact(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        const char *name = NULL;
        gallery_mesh rest = make_solid(s, true, &name), solid = make_solid(s, false, &name);
        test_mesh mesh = mesh_of(&rest, &solid, name);
        corners *all = corners_of(mesh.positions, mesh.triangles, mesh.triangle_count);
        uint64_t count = fixture_count(POINTS_EACH), some = count < 9000 ? count : 9000;
        float(*points)[3] = make_points(all, mesh.triangle_count, 40 + (uint64_t)s, count);
        const float(*asked)[3] = (const float(*)[3])points;
        test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
        assert_true(pliant_shape_is_closed(body.shape));
        pliant_signed_distance *got = measure(test_query, body.body, asked, count);
        tally t = check_sides(name, all, mesh.triangle_count, asked, count, got);
        check_closest(name, body.body, asked, some, got);
        test_body_destroy(&body);
        other_ways(&mesh, asked, some, got);
        print_message("  %-45s %llu points, %.1f %% on it, %.1f %% inside, %.1f %% twice\n", name,
                      (unsigned long long)count, 100.0 * (double)t.on / (double)count,
                      100.0 * (double)t.inside / (double)count,
                      100.0 * (double)t.deep / (double)count);
        free(got);
        free(points);
        free(all);
        mesh_free(&solid);
        mesh_free(&rest);
    }
}

/* Very large and very small bodies: beyond the kernels' range, and among denormals. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    const int exponents[] = {-146, -120, -60, 30, 37, 60, 110};
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        const char *name = NULL;
        gallery_mesh solid = make_solid(8, false, &name);
        for (uint32_t i = 0; i < 3 * solid.vertex_count; i++) {
            solid.positions[i] = ldexpf(solid.positions[i], exponents[e]);
        }
        test_mesh mesh = mesh_of(&solid, &solid, name);
        corners *all = corners_of(mesh.positions, mesh.triangles, mesh.triangle_count);
        uint64_t count = fixture_count(3000);
        float(*points)[3] = make_points(all, mesh.triangle_count, 60 + e, count);
        const float(*asked)[3] = (const float(*)[3])points;
        test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
        pliant_signed_distance *got = measure(test_query, body.body, asked, count);
        for (uint64_t i = 0; i < count; i++) {
            int winding = 0;
            bool off =
                oracle_winding((const float(*)[3][3])all, mesh.triangle_count, points[i], &winding);
            assert_int_equal(off, got[i].side != 0);
            assert_int_equal(off ? winding : 0, got[i].winding);
        }
        check_closest(name, body.body, asked, count, got);
        test_body_destroy(&body);
        free(got);
        free(points);
        free(all);
        mesh_free(&solid);
    }
}

/* Bodies of every kind, in states that crumple them. */
static void models_have_sides(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 71);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        model_case c = model_case_create((model_kind)kind, kind % 2 ? MODEL_ROUGH : MODEL_SMOOTH,
                                         1.0, 0.0, 320, &r);
        uint64_t count = fixture_count(4000);
        for (int update = PLIANT_UPDATE_AUTO; update <= PLIANT_UPDATE_FRONT; update++) {
            pliant_shape *shape =
                model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
            pliant_body_def def = pliant_body_def_default();
            def.update = (pliant_update)update;
            pliant_body *body = NULL;
            assert_ok(pliant_body_create(shape, &def, &body));
            for (int step = 0; step < 2; step++) {
                model_case_move(&c, &r, false);
                model_case_set(&c, body);
                corners *all = corners_of(c.positions, c.mesh.triangles, c.mesh.triangle_count);
                float(*points)[3] = make_points(all, c.mesh.triangle_count, rng_u64(&r), count);
                const float(*asked)[3] = (const float(*)[3])points;
                pliant_signed_distance *got = measure(test_query, body, asked, count);
                check_sides("model", all, c.mesh.triangle_count, asked, count, got);
                check_closest("model", body, asked, count, got);
                free(got);
                free(points);
                free(all);
            }
            pliant_body_destroy(body);
            pliant_shape_destroy(shape);
        }
        model_case_destroy(&c);
    }
}

/* With a limit: what is beyond it is not found, and has its side all the same. */
static void limits_keep_sides(void **state)
{
    (void)state;
    const char *name = NULL;
    gallery_mesh solid = make_solid(2, false, &name);
    test_mesh mesh = mesh_of(&solid, &solid, name);
    corners *all = corners_of(mesh.positions, mesh.triangles, mesh.triangle_count);
    uint64_t count = fixture_count(6000), found = 0;
    float(*points)[3] = make_points(all, mesh.triangle_count, 81, count);
    const float(*asked)[3] = (const float(*)[3])points;
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    pliant_signed_distance *want = measure(test_query, body.body, asked, count);
    pliant_signed_distance *got = malloc(count * sizeof *got);
    pliant_distance_options options = pliant_distance_options_default();
    const float limits[] = {0.0f, 0.02f, 0.1f, 0.3f};
    for (int l = 0; l < 4; l++) {
        options.max_distance = limits[l];
        assert_ok(
            pliant_measure_distances(test_query, body.body, points[0], count, 0, &options, got));
        found = 0;
        for (uint64_t i = 0; i < count; i++) {
            assert_int_equal(got[i].side, want[i].side);
            assert_int_equal(got[i].winding, want[i].winding);
            bool near = want[i].closest.distance <= (double)limits[l];
            found += near;
            if (near) {
                assert_true(same_answer(&got[i], &want[i]));
            } else if (want[i].closest.distance > (double)limits[l] + 1e-12) {
                assert_true(!got[i].closest.found && isinf(got[i].distance));
                assert_true(got[i].direction[0] == 0.0f);
                assert_int_equal(got[i].distance < 0.0, want[i].side < 0);
            }
        }
        assert_true(found < count);
    }
    assert_true(found > 0);
    free(got);
    free(want);
    free(points);
    free(all);
    test_body_destroy(&body);
    mesh_free(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_exact),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(models_have_sides),
        cmocka_unit_test(limits_keep_sides),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
