/*
 * Contacts of spheres with triangles, one by one: which there are, and their points, normals and
 * depths, against distances of all spheres from all triangles that owe nothing to the library.
 */
#include "proxy_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double d[3])
{
    for (int k = 0; k < 3; k++) {
        d[k] = a[k] - b[k];
    }
}

static void cross(const double u[3], const double v[3], double n[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = u[j] * v[k] - u[k] * v[j];
    }
}

/* The point of the segment from p to q closest to x. */
static void closest_on_segment(const double x[3], const double p[3], const double q[3],
                               double closest[3])
{
    double along[3], from[3];
    subtract(q, p, along);
    subtract(x, p, from);
    double square = dot(along, along);
    double t = square > 0.0 ? fmin(fmax(dot(from, along) / square, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; k++) {
        closest[k] = p[k] + t * along[k];
    }
}

/* The foot of x on the plane of a triangle; false if it is not inside. */
static bool foot_inside(const double x[3], double corner[3][3], const double normal[3],
                        double foot[3])
{
    double from[3], square = dot(normal, normal);
    subtract(x, corner[0], from);
    for (int k = 0; k < 3; k++) {
        foot[k] = x[k] - normal[k] * dot(from, normal) / square;
    }
    for (int c = 0; c < 3; c++) {
        double edge[3], to[3], side[3];
        subtract(corner[(c + 1) % 3], corner[c], edge);
        subtract(foot, corner[c], to);
        cross(edge, to, side);
        if (dot(side, normal) < 0.0) {
            return false;
        }
    }
    return square > 0.0;
}

/* A sphere and a triangle, as they are. */
typedef struct meeting {
    double distance, closest[3]; /* of the centre from the triangle */
    double centre[3], normal[3];
    double size; /* of the coordinates */
} meeting;

static meeting measure(const sphere *s, const subject *other, uint32_t triangle)
{
    meeting m = {.distance = (double)INFINITY};
    double corner[3][3], edge[2][3], point[4][3];
    for (int k = 0; k < 3; k++) {
        m.centre[k] = (double)s->centre[k];
        m.size = fmax(m.size, fabs(m.centre[k]));
        for (size_t c = 0; c < 3; c++) {
            size_t vertex = other->c.mesh.triangles[3 * (size_t)triangle + c];
            corner[c][k] = (double)other->c.positions[3 * vertex + (size_t)k];
            m.size = fmax(m.size, fabs(corner[c][k]));
        }
    }
    subtract(corner[1], corner[0], edge[0]);
    subtract(corner[2], corner[0], edge[1]);
    cross(edge[0], edge[1], m.normal);
    for (int c = 0; c < 3; c++) {
        closest_on_segment(m.centre, corner[c], corner[(c + 1) % 3], point[c]);
    }
    int points = foot_inside(m.centre, corner, m.normal, point[3]) ? 4 : 3;
    for (int c = 0; c < points; c++) {
        double away[3];
        subtract(m.centre, point[c], away);
        double distance = sqrt(dot(away, away));
        if (distance < m.distance) {
            m.distance = distance;
            memcpy(m.closest, point[c], sizeof m.closest);
        }
    }
    return m;
}

/* The normal points from b to a: from the triangle to the centre if the sphere is a's. */
static void check_normal(const pliant_proxy_contact *contact, const meeting *m, bool sphere_is_a)
{
    double normal[3], away[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = (double)contact->normal[k];
    }
    subtract(m->centre, m->closest, away);
    assert_true(fabs(dot(normal, normal) - 1.0) < 1e-6);
    double tolerance = 1e-6 * m->distance + 1e-12 * m->size;
    double along = (sphere_is_a ? 1.0 : -1.0) * dot(normal, away);
    if (m->distance > 1e-9 * m->size) {
        assert_true(fabs(along - m->distance) <= tolerance);
    }
}

static void check_content(const pliant_proxy_contact *contact, const meeting *m, double reach,
                          bool sphere_is_a)
{
    assert_int_equal(contact->flags, 0);
    double depth = fmax(reach - m->distance, 0.0);
    assert_true(contact->depth >= 0.0f);
    assert_true(fabs((double)contact->depth - depth) <= 1e-6 * reach + 1e-9 * m->size);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs((double)contact->point[k] - m->closest[k]) <= 1e-6 * m->size);
    }
    check_normal(contact, m, sphere_is_a);
}

/* Where a contact stands in a table of spheres by triangles. */
static size_t place_of(const pliant_proxy_contact *contact, const spheres *all,
                       uint32_t triangle_count, bool sphere_is_a)
{
    pliant_proxy proxy = sphere_is_a ? contact->a : contact->b;
    pliant_proxy triangle = sphere_is_a ? contact->b : contact->a;
    uint32_t i = 0;
    while (i < all->count && all->list[i].proxy.id != proxy.id) {
        i++;
    }
    assert_true(i < all->count && all->list[i].proxy.leaves == proxy.leaves);
    assert_int_equal(triangle.leaves, 0);
    assert_true(triangle.id < triangle_count);
    return (size_t)i * triangle_count + triangle.id;
}

/* Compares an answer with all spheres against all triangles; returns its length. */
static uint64_t check_answer(const subject *round_one, const subject *other,
                             const pliant_proxy_contacts *got, bool sphere_is_a)
{
    spheres all = all_spheres(round_one->body);
    uint32_t triangles = other->c.mesh.triangle_count;
    const pliant_proxy_contact **given =
        calloc((size_t)all.count * triangles, sizeof(pliant_proxy_contact *));
    for (uint64_t i = 0; i < got->count; i++) {
        const pliant_proxy_contact *contact = &got->contacts[i];
        size_t place = place_of(contact, &all, triangles, sphere_is_a);
        assert_null(given[place]); /* each once */
        given[place] = contact;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        double reach = (double)all.list[i].radius + (double)other->body->pose.world_error;
        for (uint32_t t = 0; t < triangles; t++) {
            const pliant_proxy_contact *contact = given[(size_t)i * triangles + t];
            meeting m = measure(&all.list[i], other, t);
            assert_true(contact == NULL || m.distance <= reach + 1e-9);
            assert_true(contact != NULL || m.distance >= reach - 1e-9);
            if (contact != NULL) {
                check_content(contact, &m, reach, sphere_is_a);
            }
        }
    }
    free(given);
    free(all.list);
    return got->count;
}

/* Spheres of one body against triangles of another, of any kind, in either order. */
static void spheres_meet_triangles(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        float error = round % 4 == 0 ? 0.01f : 0.0f;
        subject_def round_one = {.kind = round_kind(round),
                                 .bound = PLIANT_BOUND_SPHERE,
                                 .triangles = 500,
                                 .proxy_triangles = 1 + (uint32_t)rng_below(&r, 80),
                                 .error = error,
                                 .plain = true};
        subject_def other = subject_def_random(500, &r);
        other.error = error;
        subject s[2] = {subject_create(test_context, round_one, &r),
                        subject_create(test_context, other, &r)};
        subjects_set_apart(s, &r);
        bool swap = round % 2 == 1;
        pliant_proxy_options options = pliant_proxy_options_default();
        options.proxies_a = !swap;
        options.proxies_b = swap;
        pliant_proxy_contacts got;
        assert_ok(pliant_collide_proxies(test_query, s[swap].body, s[!swap].body, &options, &got));
        assert_true(got.complete);
        pairs += check_answer(&s[0], &s[1], &got, !swap);
        subjects_destroy(s);
    }
    print_message("  %llu contacts\n", (unsigned long long)pairs);
    assert_true(pairs > 0 || fixture_count(60) < 4); /* the first rounds may have none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spheres_meet_triangles)};
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
