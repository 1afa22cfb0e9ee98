#include "feature_truth.h"
#include "as_triangle.h"
#include "oracle.h"

#include "geometry/feature_distance.h"
#include "geometry/triangle_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];

static uint32_t welded(const test_mesh *mesh, uint32_t v)
{
    const float *p = mesh->rest + 3 * (size_t)v;
    for (uint32_t u = 0; u < v; u++) {
        const float *q = mesh->rest + 3 * (size_t)u;
        if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
            return u;
        }
    }
    return v;
}

static bool is_new(const feature *features, uint32_t count, const feature *candidate)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *p = features[i].vertices, *q = candidate->vertices;
        if ((p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0])) {
            return false;
        }
    }
    return true;
}

static feature make_feature(const test_mesh *mesh, uint32_t triangle, uint32_t first,
                            uint32_t count)
{
    feature f = {.vertex_count = count};
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t corner = (first + (c < count ? c : count - 1)) % 3;
        uint32_t v = mesh->triangles[3 * (size_t)triangle + corner];
        f.vertices[c] = welded(mesh, v);
        memcpy(f.corner[c], mesh->positions + 3 * (size_t)v, sizeof f.corner[c]);
    }
    f.number = count == 1 ? f.vertices[0] : count == 2 ? 3 * triangle + first : triangle;
    return f;
}

feature_set feature_set_of(const test_mesh *mesh)
{
    size_t count = mesh->triangle_count;
    feature_set set = {.vertices = malloc(3 * count * sizeof(feature)),
                       .edges = malloc(3 * count * sizeof(feature)),
                       .faces = malloc(count * sizeof(feature))};
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        set.faces[set.face_count++] = make_feature(mesh, t, 0, 3);
        for (uint32_t k = 0; k < 3; k++) {
            feature vertex = make_feature(mesh, t, k, 1), edge = make_feature(mesh, t, k, 2);
            if (is_new(set.vertices, set.vertex_count, &vertex)) {
                set.vertices[set.vertex_count++] = vertex;
            }
            if (edge.vertices[0] != edge.vertices[1] && is_new(set.edges, set.edge_count, &edge)) {
                set.edges[set.edge_count++] = edge;
            }
        }
    }
    return set;
}

void feature_set_free(feature_set *set)
{
    free(set->vertices);
    free(set->edges);
    free(set->faces);
}

static bool share(const feature *a, const feature *b)
{
    for (int i = 0; i < 9; i++) {
        if (a->vertices[i / 3] == b->vertices[i % 3]) {
            return true;
        }
    }
    return false;
}

static int by_order(const void *p, const void *q)
{
    const measured_pair *a = p, *b = q;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->a->number != b->a->number) {
        return a->a->number < b->a->number ? -1 : 1;
    }
    return a->b->number < b->b->number ? -1 : a->b->number > b->b->number;
}

/* The distance that decides whether a pair is reported. */
static double computed_distance(pliant_feature_kind kind, const_corners a, const_corners b)
{
    pli_feature_gap gap;
    switch (kind) {
    case PLIANT_VERTEX_FACE:
        pli_vertex_face_gap(a[0], b, &gap, NULL);
        break;
    case PLIANT_FACE_VERTEX:
        pli_vertex_face_gap(b[0], a, &gap, NULL);
        break;
    case PLIANT_EDGE_EDGE:
        pli_edge_edge_gap(a, b, &gap, NULL);
        break;
    }
    return gap.distance;
}

static void measure_all(measured_features *m, pliant_feature_kind kind, const feature *a,
                        uint32_t count_a, const feature *b, uint32_t count_b, bool self)
{
    m->pairs = realloc(m->pairs, (m->count + (size_t)count_a * count_b) * sizeof *m->pairs);
    for (uint32_t i = 0; i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            bool twice = self && kind == PLIANT_EDGE_EDGE && a[i].number >= b[j].number;
            if (twice || (self && share(&a[i], &b[j]))) {
                continue;
            }
            const_corners p = a[i].corner, q = b[j].corner;
            m->pairs[m->count++] = (measured_pair){
                kind,
                &a[i],
                &b[j],
                pliant_triangle_measure_distance(as_triangle(p), as_triangle(q), NULL),
                computed_distance(kind, p, q),
                pli_coordinate_spread(p, q, 3)};
        }
    }
}

measured_features measure_features(const feature_set *a, const feature_set *b, bool self)
{
    measured_features m = {0};
    measure_all(&m, PLIANT_VERTEX_FACE, a->vertices, a->vertex_count, b->faces, b->face_count,
                self);
    if (!self) {
        measure_all(&m, PLIANT_FACE_VERTEX, a->faces, a->face_count, b->vertices, b->vertex_count,
                    false);
    }
    measure_all(&m, PLIANT_EDGE_EDGE, a->edges, a->edge_count, b->edges, b->edge_count, self);
    qsort(m.pairs, m.count, sizeof *m.pairs, by_order);
    return m;
}

/* What is said of a pair: vertices, weights, the points they stand for, direction, distance. */
static bool is_described(const measured_pair *pair, const pliant_feature_pair *got, bool exactly)
{
    double error = 2.0 * PLI_DISTANCE_ERROR * pair->spread, point[2][3] = {{0}}, sum[2] = {0};
    uint32_t i = 0;
    bool right =
        got->distance == pair->computed && (got->distance == 0.0) == (pair->distance == 0.0);
    if (exactly && got->distance > 0.0) {
        right = right && oracle_triangle_distance_is(pair->a->corner, pair->b->corner,
                                                     got->distance, 0.5 * error);
    }
    for (int side = 0; side < 2; side++) {
        const feature *f = side == 0 ? pair->a : pair->b;
        for (uint32_t c = 0; c < f->vertex_count; c++, i++) {
            right = right && got->vertices[i] == f->vertices[c] && got->weights[i] >= 0.0f &&
                    got->weights[i] <= 1.0f;
            sum[side] += (double)got->weights[i];
            for (int k = 0; k < 3; k++) {
                point[side][k] += (double)got->weights[i] *
                                  ((double)f->corner[c][k] - (double)pair->a->corner[0][k]);
            }
        }
    }
    double squared = 0.0, length = 0.0, along = 0.0;
    for (int k = 0; k < 3; k++) {
        double between = point[1][k] - point[0][k], direction = (double)got->direction[k];
        squared += between * between;
        length += direction * direction;
        along += between * direction;
    }
    double rounding = 0x1p-20 * pair->spread;
    right = right && fabs(sum[0] - 1.0) < 0x1p-22 && fabs(sum[1] - 1.0) < 0x1p-22 &&
            fabs(sqrt(squared) - got->distance) <= rounding;
    if (got->distance > 0.0) {
        right = right && fabs(length - 1.0) < 0x1p-20 && fabs(along - got->distance) <= rounding;
    } else {
        right = right && (length == 0.0 || fabs(length - 1.0) < 0x1p-20);
    }
    return right;
}

uint64_t measured_features_check(const measured_features *m, const pliant_features *got, float d,
                                 const char *name)
{
    uint64_t next = 0;
    for (size_t i = 0; i < m->count; i++) {
        const measured_pair *pair = &m->pairs[i];
        const pliant_feature_pair *here = next < got->count ? &got->pairs[next] : NULL;
        bool given = here != NULL && here->kind == pair->kind && here->a == pair->a->number &&
                     here->b == pair->b->number;
        double error = 2.0 * PLI_DISTANCE_ERROR * pair->spread;
        if (given != (pair->computed <= (double)d) ||
            fabs(pair->computed - pair->distance) > error) {
            fail_msg("%s, within %a: kind %d, (%u, %u) at %a, computed %a, spread %a: %s", name,
                     (double)d, (int)pair->kind, pair->a->number, pair->b->number, pair->distance,
                     pair->computed, pair->spread, given ? "given" : "missing");
        }
        if (given && !is_described(pair, here, i % 64 == 0)) {
            fail_msg("%s, within %a: kind %d, (%u, %u) at %a is said to be at %a", name, (double)d,
                     (int)pair->kind, pair->a->number, pair->b->number, pair->distance,
                     here->distance);
        }
        next += given;
    }
    assert_int_equal(next, got->count);
    return next;
}
