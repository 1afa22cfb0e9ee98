/*
 * Angle-weighted normals, of the triangles that a point lies on in the current state: which these
 * are is asked of the positions, exactly, not of the mesh, so that seams and places where a body
 * touches itself need no case of their own.
 * Based on: Baerentzen & Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal,
 * 2005.
 */
#include "surface_normal.h"

#include "geometry/vec3.h"
#include "geometry/orient.h"
#include "geometry/triangle_overlap.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Terms are added as integers, units of 2^-56, so that the sum does not depend on the order in
   which a tree shows triangles. The lower 32 bits of each are added by themselves: 2^30 terms
   below 2^3 leave room in both halves. */
typedef struct normal_sum {
    int64_t high, low;
} normal_sum;

typedef struct gathering {
    pli_descent *walk;
    const float *point, *end;
    normal_sum sum[3];
} gathering;

/* The angle at corner c of a triangle. */
static double corner_angle(const float corner[3][3], int c)
{
    const float *at = corner[c], *p = corner[(c + 1) % 3], *q = corner[(c + 2) % 3];
    double u[3], v[3], cosine = 0.0, sine = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)p[k] - (double)at[k];
        v[k] = (double)q[k] - (double)at[k];
        cosine += u[k] * v[k];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double n = u[j] * v[k] - u[k] * v[j];
        sine += n * n;
    }
    return atan2(sqrt(sine), cosine);
}

/* By which angle a triangle that the point lies on surrounds it. */
static double angle_around(const float point[3], const float corner[3][3], uint64_t *fallbacks)
{
    for (int c = 0; c < 3; c++) {
        if (pli_vec3_equal(point, corner[c])) {
            return corner_angle(corner, c);
        }
    }
    for (int c = 0; c < 3; c++) {
        if (pli_collinear(corner[c], corner[(c + 1) % 3], point, fallbacks)) {
            return PI;
        }
    }
    return 2.0 * PI;
}

static bool has_corner(const float corner[3][3], const float point[3])
{
    return pli_vec3_equal(point, corner[0]) || pli_vec3_equal(point, corner[1]) ||
           pli_vec3_equal(point, corner[2]);
}

static void add_triangle(gathering *g, const float corner[3][3])
{
    pliant_stats *costs = &g->walk->run->worker->stats;
    const float *p = g->point;
    const float single[3][3] = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    bool at_corner = has_corner(corner, p);
    costs->triangle_tests++;
    double angle = 1.0;
    if (g->end != NULL) {
        if (!at_corner || !has_corner(corner, g->end)) {
            return;
        }
    } else if (!at_corner && !pli_triangle_overlap(single, corner, &costs->exact_fallbacks)) {
        return;
    } else {
        angle = angle_around(p, corner, &costs->exact_fallbacks);
    }
    double normal[3];
    pli_unit_normal(corner, normal);
    for (int k = 0; k < 3; k++) {
        int64_t term = llrint(ldexp(angle * normal[k], 56)), low = term & UINT32_MAX;
        g->sum[k].high += (term - low) / ((int64_t)1 << 32);
        g->sum[k].low += low;
    }
}

static void add_cluster(gathering *g, pli_cluster_view view)
{
    const pli_point_kernels *kernels = g->walk->kernels;
    float squared[PLI_WIDTH];
    unsigned leaves = kernels->near_boxes(view.record->leaf_box.side[0], PLI_WIDTH, g->point,
                                          g->point, 0.0f, squared);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        unsigned slots = kernels->near_boxes(view.record->data + first, view.record->slots,
                                             g->point, g->point, 0.0f, squared);
        for (; slots != 0; slots &= slots - 1) {
            float corner[3][3];
            pli_slot_corners(view, first + (uint32_t)__builtin_ctz(slots), corner);
            add_triangle(g, (const float(*)[3])corner);
        }
    }
}

static pliant_result gather(gathering *g)
{
    pli_descent *walk = g->walk;
    pliant_result result = pli_visit_start(walk->run);
    pli_visit visit;
    while (result == PLIANT_OK && pli_visit_pop(walk->run, &visit)) {
        void *record = NULL;
        result = pli_visit_open(walk->run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            add_cluster(g, pli_view_cluster(walk->run->body[0], visit.child, record));
        } else if (result == PLIANT_OK) {
            float squared[PLI_WIDTH];
            pli_node_record *node = record;
            unsigned mask = walk->kernels->near_boxes(node->box.side[0], PLI_WIDTH, g->point,
                                                      g->point, 0.0f, squared);
            result = pli_visit_push_squared(walk->run, node, visit.child, mask, NULL);
        }
    }
    return result;
}

pliant_result pli_surface_normal(pli_descent *walk, const float point[3], const float *end,
                                 double normal[3])
{
    gathering g = {.walk = walk, .point = point, .end = end};
    pliant_result result = gather(&g);
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        int64_t carry = g.sum[k].low >> 32, low = g.sum[k].low & UINT32_MAX;
        normal[k] = ((double)(g.sum[k].high + carry) * 0x1p32 + (double)low) * 0x1p-56;
        square += normal[k] * normal[k];
    }
    double length = sqrt(square);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.0 ? normal[k] / length : 0.0;
    }
    return result;
}
