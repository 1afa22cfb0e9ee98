#include "contour_check.h"

#include "as_triangle.h"
#include "fixture.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pliant_contours *test_contours;

int test_contours_set_up(void **state)
{
    return test_query_set_up(state) != 0 ||
           pliant_contours_create(test_context, &test_contours) != 0;
}

int test_contours_tear_down(void **state)
{
    pliant_contours_destroy(test_contours);
    return test_query_tear_down(state);
}

contour_case contour_case_of(pliant_body *a, const gallery_mesh *mesh_a, pliant_body *b,
                             const gallery_mesh *mesh_b)
{
    contour_case c = {.body = {a, b}};
    const gallery_mesh *mesh[2] = {mesh_a, mesh_b};
    for (int s = 0; s < 2 && c.body[s] != NULL; s++) {
        c.triangles[s] = mesh[s]->triangles;
        c.triangle_count[s] = mesh[s]->triangle_count;
        c.vertex_count[s] = mesh[s]->vertex_count;
        c.positions[s] = malloc(3 * (size_t)mesh[s]->vertex_count * sizeof(float));
        assert_ok(pliant_body_evaluate(c.body[s], NULL, mesh[s]->vertex_count, c.positions[s]));
    }
    return c;
}

void contour_case_free(contour_case *c)
{
    free(c->positions[0]);
    free(c->positions[1]);
}

static int side_of(const contour_case *c, int role)
{
    return c->body[1] == NULL ? 0 : role;
}

static const float *position(const contour_case *c, int side, uint32_t vertex)
{
    return c->positions[side] + 3 * (size_t)vertex;
}

static void corners(const contour_case *c, int side, uint32_t triangle, float corner[3][3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t v = c->triangles[side][3 * (size_t)triangle + (size_t)k];
        memcpy(corner[k], position(c, side, v), sizeof corner[k]);
    }
}

/* Whether a triangle has a vertex at the place of this one: welded vertices have other numbers. */
static bool has_vertex(const contour_case *c, int side, uint32_t triangle, uint32_t vertex)
{
    bool found = false;
    for (int k = 0; k < 3; k++) {
        uint32_t v = c->triangles[side][3 * (size_t)triangle + (size_t)k];
        found = found ||
                fixture_compare_bytes(position(c, side, v), position(c, side, vertex), 12) == 0;
    }
    return found;
}

static bool has_feature(const contour_case *c, int side, uint32_t triangle,
                        const pliant_contour_feature *f)
{
    switch (f->kind) {
    case PLIANT_FEATURE_FACE:
        return f->index[0] == triangle && f->index[1] == triangle;
    case PLIANT_FEATURE_EDGE:
    case PLIANT_FEATURE_VERTEX:
        break;
    }
    return has_vertex(c, side, triangle, f->index[0]) && has_vertex(c, side, triangle, f->index[1]);
}

static void assert_point_of(const contour_case *c, const pliant_contour_point *p,
                            const pliant_contour_segment *s)
{
    bool straight = has_feature(c, 0, s->a, &p->a) && has_feature(c, side_of(c, 1), s->b, &p->b);
    bool swapped =
        c->body[1] == NULL && has_feature(c, 0, s->a, &p->b) && has_feature(c, 0, s->b, &p->a);
    assert_true(straight || swapped);
}

static double distance(const float p[3], const float q[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = (double)p[i] - (double)q[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* What two triangles have in common is where the segment says, up to rounding. */
static void assert_segment(const contour_case *c, const pliant_contour_segment *s,
                           const pliant_contour_point *p, const pliant_contour_point *q)
{
    float a[3][3], b[3][3];
    pliant_segment truth;
    corners(c, 0, s->a, a);
    corners(c, side_of(c, 1), s->b, b);
    pliant_common common = pliant_triangle_intersect(as_triangle(a), as_triangle(b), &truth);
    double size = 0.0;
    for (int k = 0; k < 9; k++) {
        size = fmax(size, fmax(fabs((double)a[k / 3][k % 3]), fabs((double)b[k / 3][k % 3])));
    }
    double straight = distance(p->point, truth.p) + distance(q->point, truth.q);
    double crossed = distance(p->point, truth.q) + distance(q->point, truth.p);
    assert_true(common == PLIANT_COMMON_SEGMENT || common == PLIANT_COMMON_POINT);
    assert_true(fmin(straight, crossed) <= 1e-5 * size);
    assert_point_of(c, p, s);
    assert_point_of(c, q, s);
}

static void assert_contour(const contour_case *c, const pliant_contour_set *set,
                           const pliant_contour *contour)
{
    const pliant_contour_point *p = set->points + contour->first_point;
    const pliant_contour_segment *s = set->segments + contour->first_segment;
    bool closed = contour->begin == PLIANT_CONTOUR_CLOSED;
    double length = 0.0;
    assert_int_equal(closed, contour->end == PLIANT_CONTOUR_CLOSED);
    assert_true(contour->segment_count > 0);
    assert_int_equal(contour->point_count, contour->segment_count + (closed ? 0 : 1));
    assert_true(contour->first_point + contour->point_count <= set->point_count);
    assert_true(contour->first_segment + contour->segment_count <= set->segment_count);
    for (uint64_t k = 0; k < contour->segment_count; k++) {
        const pliant_contour_point *next = &p[(k + 1) % contour->point_count];
        assert_segment(c, &s[k], &p[k], next);
        length += distance(p[k].point, next->point);
    }
    assert_true(fabs(length - contour->length) <= 1e-12 * length);
}

static pliant_contacts collide(const contour_case *c)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.segments = true;
    if (c->body[1] == NULL) {
        assert_ok(pliant_collide_self(test_query, c->body[0], &options, &contacts));
    } else {
        assert_ok(pliant_collide(test_query, c->body[0], c->body[1], &options, &contacts));
    }
    return contacts;
}

void contour_check_pairs(const contour_case *c, const pliant_contour_set *set)
{
    pliant_contacts contacts = collide(c);
    uint8_t *seen = calloc(contacts.count + 1, 1);
    assert_int_equal(set->pair_count, contacts.count);
    assert_int_equal(set->segment_count + set->touch_count, contacts.count);
    for (uint64_t i = 0; i < set->segment_count; i++) {
        const pliant_contour_segment *s = &set->segments[i];
        assert_true(s->pair < contacts.count && !seen[s->pair]);
        seen[s->pair] = 1;
        assert_int_equal(s->a, contacts.pairs[s->pair].a);
        assert_int_equal(s->b, contacts.pairs[s->pair].b);
    }
    for (uint64_t i = 0; i < set->touch_count; i++) {
        const pliant_contour_touch *t = &set->touches[i];
        assert_true(t->pair < contacts.count && !seen[t->pair]);
        seen[t->pair] = 1;
        assert_int_equal(t->a, contacts.pairs[t->pair].a);
        assert_int_equal(t->b, contacts.pairs[t->pair].b);
        assert_int_equal(t->common, contacts.segments[t->pair].common);
    }
    free(seen);
}

uint64_t contour_check_set(const contour_case *c, const pliant_contour_set *set)
{
    uint64_t open = 0, points = 0, segments = 0;
    contour_check_pairs(c, set);
    for (uint64_t i = 0; i < set->contour_count; i++) {
        assert_int_equal(set->contours[i].first_point, points);
        assert_int_equal(set->contours[i].first_segment, segments);
        assert_contour(c, set, &set->contours[i]);
        points += set->contours[i].point_count;
        segments += set->contours[i].segment_count;
        open += set->contours[i].begin != PLIANT_CONTOUR_CLOSED;
    }
    assert_int_equal(points, set->point_count);
    assert_int_equal(segments, set->segment_count);
    return open;
}

/* ------------------------------------------------------------------ regions */

/* A set of edges by the positions of their ends. */
static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, 24);
}

static void edge_key(const contour_case *c, int side, uint32_t u, uint32_t v, float key[6])
{
    const float *p = position(c, side, u), *q = position(c, side, v);
    bool swap = fixture_compare_bytes(p, q, 12) > 0;
    memcpy(key, swap ? q : p, 12);
    memcpy(key + 3, swap ? p : q, 12);
}

/* All edges that a point of a contour lies on. */
static float *list_cut_edges(const contour_case *c, const pliant_contour_set *set, int side,
                             size_t *count)
{
    float *keys = malloc((2 * set->point_count + 1) * 24);
    *count = 0;
    for (uint64_t i = 0; i < set->point_count; i++) {
        for (int role = 0; role < 2; role++) {
            const pliant_contour_feature *f = role == 0 ? &set->points[i].a : &set->points[i].b;
            if (side_of(c, role) == side && f->kind == PLIANT_FEATURE_EDGE) {
                edge_key(c, side, f->index[0], f->index[1], keys + 6 * (*count)++);
            }
        }
    }
    qsort(keys, *count, 24, compare_keys);
    return keys;
}

static void assert_edges(const contour_case *c, const pliant_contour_set *set, int side)
{
    const uint32_t *region = set->vertex_regions[side];
    size_t count = 0;
    float *cut = list_cut_edges(c, set, side, &count), key[6];
    for (size_t e = 0; e < 3 * (size_t)c->triangle_count[side]; e++) {
        const uint32_t *corner = c->triangles[side] + e / 3 * 3;
        uint32_t u = corner[e % 3], v = corner[(e + 1) % 3];
        edge_key(c, side, u, v, key);
        bool joined = region[u] != PLIANT_NO_REGION && region[v] != PLIANT_NO_REGION &&
                      bsearch(key, cut, count, 24, compare_keys) == NULL;
        assert_true(!joined || region[u] == region[v]);
    }
    free(cut);
}

static double triangle_area(const contour_case *c, int side, uint32_t triangle)
{
    float p[3][3];
    double u[3], v[3], n[3];
    corners(c, side, triangle, p);
    for (int i = 0; i < 3; i++) {
        u[i] = (double)p[1][i] - (double)p[0][i];
        v[i] = (double)p[2][i] - (double)p[0][i];
    }
    for (int i = 0; i < 3; i++) {
        n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    }
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Counts and areas of regions from what the set says of triangles, pieces and vertices. */
static void assert_sums(const contour_case *c, const pliant_contour_set *set)
{
    pliant_region *sum = calloc(set->region_count + 1, sizeof *sum);
    double total[2] = {0.0, 0.0}, truth[2] = {0.0, 0.0};
    for (int s = 0; s < (c->body[1] == NULL ? 1 : 2); s++) {
        for (uint32_t t = 0; t < c->triangle_count[s]; t++) {
            truth[s] += triangle_area(c, s, t);
            uint32_t region = set->triangle_regions[s][t];
            if (region != PLIANT_NO_REGION) {
                sum[region].triangle_count++;
                sum[region].area += triangle_area(c, s, t);
            }
        }
    }
    for (uint64_t i = 0; i < set->piece_count; i++) {
        const pliant_region_piece *piece = &set->pieces[i];
        assert_true(piece->region < set->region_count);
        assert_int_equal(piece->body, set->regions[piece->region].body);
        assert_true(piece->first_corner + piece->corner_count <= set->corner_count);
        sum[piece->region].piece_count++;
        sum[piece->region].area += piece->area;
    }
    for (uint64_t i = 0; i < set->region_count; i++) {
        const pliant_region *region = &set->regions[i];
        assert_int_equal(region->triangle_count, sum[i].triangle_count);
        assert_int_equal(region->piece_count, sum[i].piece_count);
        assert_true(fabs(region->area - sum[i].area) <= 1e-9 * (1.0 + region->area));
        total[region->body] += region->area;
    }
    for (int s = 0; s < 2; s++) {
        assert_true(fabs(total[s] - truth[s]) <= 1e-4 * truth[s]);
    }
    free(sum);
}

static uint64_t assert_inside(const contour_case *c, const pliant_contour_set *set, int side)
{
    gallery_mesh other = {.positions = c->positions[1 - side],
                          .triangles = (uint32_t *)(uintptr_t)c->triangles[1 - side],
                          .vertex_count = c->vertex_count[1 - side],
                          .triangle_count = c->triangle_count[1 - side]};
    uint64_t compared = 0;
    for (uint32_t v = 0; v < c->vertex_count[side]; v++) {
        uint32_t number = set->vertex_regions[side][v];
        if (number == PLIANT_NO_REGION || set->regions[number].guess) {
            continue;
        }
        const float *p = position(c, side, v);
        double away = test_solid_distance(&other, p);
        if (away > 1e-5) {
            bool inside = test_solid_winding(&other, p) != 0;
            assert_int_equal(set->regions[number].inside, inside);
            assert_true(!inside || set->regions[number].depth >= away * (1.0 - 1e-6));
            compared++;
        }
    }
    return compared;
}

void contour_check_edges(const contour_case *c, const pliant_contour_set *set)
{
    for (int s = 0; s < (c->body[1] == NULL ? 1 : 2); s++) {
        assert_edges(c, set, s);
    }
}

uint64_t contour_check_inside(const contour_case *c, const pliant_contour_set *set)
{
    return assert_inside(c, set, 0) + assert_inside(c, set, 1);
}

uint64_t contour_check_regions(const contour_case *c, const pliant_contour_set *set, bool exact)
{
    contour_check_edges(c, set);
    assert_sums(c, set);
    return exact ? contour_check_inside(c, set) : 0;
}
