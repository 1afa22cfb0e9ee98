#include "blend_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool blend_patch_allocate(uint32_t node_count, blend_patch *patch)
{
    size_t n = node_count;
    *patch = (blend_patch){
        .joints = malloc(n * sizeof *patch->joints),
        .low = malloc(n * sizeof *patch->low),
        .high = malloc(n * sizeof *patch->high),
        .mean = malloc(n * sizeof *patch->mean),
        .spread = malloc(n * sizeof *patch->spread),
        .arm = malloc(n * sizeof *patch->arm),
        .arm_spread = malloc(n * sizeof *patch->arm_spread),
        .arm_reach = malloc(n * sizeof *patch->arm_reach),
        .slots = malloc(n * sizeof *patch->slots),
        .having = malloc(n * sizeof *patch->having),
        .sides = malloc(2 * n * sizeof *patch->sides),
    };
    if (patch->joints == NULL || patch->low == NULL || patch->high == NULL || patch->mean == NULL ||
        patch->spread == NULL || patch->arm == NULL || patch->arm_spread == NULL ||
        patch->arm_reach == NULL || patch->slots == NULL || patch->having == NULL ||
        patch->sides == NULL) {
        return false;
    }
    memset(patch->slots, 0xff, n * sizeof *patch->slots);
    return true;
}

void blend_patch_free(blend_patch *patch)
{
    free(patch->joints);
    free(patch->low);
    free(patch->high);
    free(patch->mean);
    free(patch->spread);
    free(patch->arm);
    free(patch->arm_spread);
    free(patch->arm_reach);
    free(patch->slots);
    free(patch->having);
    free(patch->sides);
    memset(patch, 0, sizeof *patch);
}

static uint32_t slot_of(blend_patch *patch, uint32_t node)
{
    if (patch->slots[node] == UINT32_MAX) {
        uint32_t slot = patch->joint_count++;
        patch->slots[node] = slot;
        patch->joints[slot] = node;
        patch->low[slot] = (double)INFINITY;
        patch->high[slot] = 0.0;
        patch->having[slot] = 0;
        patch->mean[slot] = patch->spread[slot] = patch->arm_reach[slot] = 0.0;
        memset(patch->arm[slot], 0, sizeof patch->arm[slot]);
        memset(patch->arm_spread[slot], 0, sizeof patch->arm_spread[slot]);
    }
    return patch->slots[node];
}

/* First pass: ranges and sums. */
static void add_vertex(const blend_source *source, uint32_t v, blend_patch *patch)
{
    const gallery_model *model = source->model;
    const float *p = source->rest + 3 * (size_t)v;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        patch->lower[k] = fmin(patch->lower[k], (double)p[k]);
        patch->upper[k] = fmax(patch->upper[k], (double)p[k]);
        patch->centre[k] += (double)p[k];
    }
    for (uint32_t i = model->influence_offsets[v]; i < model->influence_offsets[v + 1]; i++) {
        double w = (double)model->influence_weights[i];
        uint32_t slot = slot_of(patch, model->influence_joints[i]);
        patch->low[slot] = fmin(patch->low[slot], w);
        patch->high[slot] = fmax(patch->high[slot], w);
        patch->having[slot]++;
        patch->mean[slot] += w;
        for (int k = 0; k < 3 && source->points != NULL; k++) {
            patch->arm[slot][k] += w * ((double)p[k] - source->points[patch->joints[slot]][k]);
        }
        sum += w;
    }
    patch->sums[0] = fmin(patch->sums[0], sum);
    patch->sums[1] = fmax(patch->sums[1], sum);
}

/* Second pass: how far a vertex is from the means. */
static void spread_vertex(const blend_source *source, uint32_t v, blend_patch *patch)
{
    const gallery_model *model = source->model;
    const float *p = source->rest + 3 * (size_t)v;
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += pow((double)p[k] - patch->centre[k], 2.0);
    }
    patch->radius = fmax(patch->radius, sqrt(square));
    for (uint32_t i = model->influence_offsets[v]; i < model->influence_offsets[v + 1]; i++) {
        double w = (double)model->influence_weights[i];
        uint32_t slot = patch->slots[model->influence_joints[i]];
        patch->spread[slot] = fmax(patch->spread[slot], fabs(w - patch->mean[slot]));
        double reach = 0.0;
        for (int k = 0; k < 3; k++) {
            double arm = w * ((double)p[k] - source->points[patch->joints[slot]][k]);
            double off = fabs(arm - patch->arm[slot][k]);
            patch->arm_spread[slot][k] = fmax(patch->arm_spread[slot][k], off);
            reach += off * off;
        }
        patch->arm_reach[slot] = fmax(patch->arm_reach[slot], sqrt(reach));
    }
}

static void finish_means(blend_patch *patch)
{
    for (int k = 0; k < 3; k++) {
        patch->centre[k] /= patch->vertex_count;
    }
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        bool everywhere = patch->having[j] == patch->vertex_count;
        patch->low[j] = everywhere ? patch->low[j] : 0.0;
        patch->mean[j] /= patch->vertex_count;
        patch->spread[j] = everywhere ? 0.0 : patch->mean[j];
        double reach = 0.0;
        for (int k = 0; k < 3; k++) {
            patch->arm[j][k] /= patch->vertex_count;
            patch->arm_spread[j][k] = everywhere ? 0.0 : fabs(patch->arm[j][k]);
            reach += patch->arm_spread[j][k] * patch->arm_spread[j][k];
        }
        patch->arm_reach[j] = sqrt(reach);
    }
}

void blend_patch_measure(const blend_source *source, const uint32_t *vertices, uint32_t count,
                         blend_patch *patch)
{
    patch->vertex_count = count;
    patch->joint_count = 0;
    patch->radius = 0.0;
    patch->sums[0] = (double)INFINITY;
    patch->sums[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        patch->lower[k] = (double)INFINITY;
        patch->upper[k] = -(double)INFINITY;
        patch->centre[k] = 0.0;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_vertex(source, vertices != NULL ? vertices[i] : i, patch);
    }
    finish_means(patch);
    for (uint32_t i = 0; i < count && source->points != NULL; i++) {
        spread_vertex(source, vertices != NULL ? vertices[i] : i, patch);
    }
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        patch->slots[patch->joints[j]] = UINT32_MAX;
    }
}

/* The upper sides, along an axis and against it, of the boxes that the nodes make of the box at
   rest. */
static void transform_sides(const blend_patch *patch, const float *transforms, int axis,
                            double *along, double *against)
{
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        const float *row = transforms + 12 * (size_t)patch->joints[j] + 4 * axis;
        double middle = (double)row[3], half = 0.0;
        for (int k = 0; k < 3; k++) {
            middle += (double)row[k] * 0.5 * (patch->upper[k] + patch->lower[k]);
            half += fabs((double)row[k]) * 0.5 * (patch->upper[k] - patch->lower[k]);
        }
        along[j] = half + middle;
        against[j] = half - middle;
    }
}

/* All that a corner has in common: every weight at its least. */
static double base_of(const blend_patch *patch, const double *sides, double *mass)
{
    double base = 0.0;
    *mass = 0.0;
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        base += patch->low[j] * sides[j];
        *mass += patch->low[j];
    }
    return base;
}

/* A corner: node j has its greatest weight, node i what is then left of the sum. */
static inline double corner(const blend_patch *patch, const double *sides, double base, double left,
                            uint32_t j, uint32_t i)
{
    double more = patch->high[j] - patch->low[j];
    return base + more * sides[j] + (left - more) * sides[i];
}

static double two_largest(const blend_patch *patch, const double *sides)
{
    uint32_t first = 0, second = 1;
    double mass, base = base_of(patch, sides, &mass);
    if (sides[1] > sides[0]) {
        first = 1;
        second = 0;
    }
    for (uint32_t j = 2; j < patch->joint_count; j++) {
        if (sides[j] > sides[first]) {
            second = first;
            first = j;
        } else if (sides[j] > sides[second]) {
            second = j;
        }
    }
    return fmax(corner(patch, sides, base, patch->sums[0] - mass, first, second),
                corner(patch, sides, base, patch->sums[1] - mass, first, second));
}

static double all_corners(const blend_patch *patch, const double *sides)
{
    double mass, base = base_of(patch, sides, &mass), bound = -(double)INFINITY;
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        for (uint32_t i = 0; i < patch->joint_count; i++) {
            if (i != j) {
                bound = fmax(bound, corner(patch, sides, base, patch->sums[0] - mass, j, i));
                bound = fmax(bound, corner(patch, sides, base, patch->sums[1] - mass, j, i));
            }
        }
    }
    return bound;
}

/* Hands out what is left to the largest side that has not had its share, again and again. */
static double exact(const blend_patch *patch, const double *sides)
{
    double mass, bound = base_of(patch, sides, &mass);
    double least = patch->sums[0] - mass, most = patch->sums[1] - mass;
    double before = (double)INFINITY;
    while (most > 0.0) {
        double side = -(double)INFINITY, room = 0.0;
        for (uint32_t j = 0; j < patch->joint_count; j++) {
            if (sides[j] < before && sides[j] >= side) {
                room = (sides[j] > side ? 0.0 : room) + patch->high[j] - patch->low[j];
                side = sides[j];
            }
        }
        if (!isfinite(side)) {
            return bound + fmax(least, 0.0) * before; /* rounding left a little */
        }
        double taken = fmin(side > 0.0 ? most : fmax(least, 0.0), room);
        bound += taken * side;
        most -= taken;
        least -= taken;
        before = side;
        if (side <= 0.0 && least <= 0.0) {
            break;
        }
    }
    return bound;
}

static double all_of_w(const blend_patch *patch, const double *sides)
{
    double most = sides[0];
    for (uint32_t j = 1; j < patch->joint_count; j++) {
        most = fmax(most, sides[j]);
    }
    return fmax(patch->sums[0] * most, patch->sums[1] * most);
}

static double bound_side(const blend_patch *patch, blend_rule rule, const double *sides)
{
    if (patch->joint_count < 2) {
        return all_of_w(patch, sides);
    }
    switch (rule) {
    case BLEND_TWO_LARGEST:
        return two_largest(patch, sides);
    case BLEND_EXACT:
        return exact(patch, sides);
    case BLEND_ALL_CORNERS:
        return all_corners(patch, sides);
    default:
        return all_of_w(patch, sides);
    }
}

void blend_bound(blend_patch *patch, blend_rule rule, const float *transforms, blend_box *box)
{
    double *along = patch->sides, *against = patch->sides + patch->joint_count;
    for (int axis = 0; axis < 3; axis++) {
        transform_sides(patch, transforms, axis, along, against);
        box->upper[axis] = bound_side(patch, rule, along);
        box->lower[axis] = -bound_side(patch, rule, against);
    }
}

/* What a node adds to the radius, component by component. */
static double add_components(const blend_patch *patch, uint32_t j, const double displacement[3],
                             const double gradient[3][3])
{
    double radius = 0.0;
    for (int a = 0; a < 3; a++) {
        radius += fabs(displacement[a]) * patch->spread[j];
        for (int b = 0; b < 3; b++) {
            radius += fabs(gradient[a][b]) * patch->arm_spread[j][b];
        }
    }
    return radius;
}

/* The same by lengths: |G x| is at most the sum of |x_b| times the length of column b, and at most
   |x| times the square root of all squares of G. */
static double add_vectors(const blend_patch *patch, uint32_t j, const double displacement[3],
                          const double gradient[3][3])
{
    double square = 0.0, columns = 0.0, whole = 0.0;
    for (int b = 0; b < 3; b++) {
        double column = 0.0;
        for (int a = 0; a < 3; a++) {
            column += gradient[a][b] * gradient[a][b];
        }
        square += displacement[b] * displacement[b];
        columns += sqrt(column) * patch->arm_spread[j][b];
        whole += column;
    }
    return sqrt(square) * patch->spread[j] + fmin(columns, sqrt(whole) * patch->arm_reach[j]);
}

double blend_accumulate(const blend_source *source, const blend_patch *patch, blend_norm norm,
                        const float *transforms, double centre[3])
{
    double radius = patch->radius;
    memcpy(centre, patch->centre, sizeof patch->centre);
    for (uint32_t j = 0; j < patch->joint_count; j++) {
        const float *rows = transforms + 12 * (size_t)patch->joints[j];
        const double *point = source->points[patch->joints[j]];
        double displacement[3], gradient[3][3];
        for (int a = 0; a < 3; a++) {
            displacement[a] = (double)rows[4 * a + 3];
            for (int b = 0; b < 3; b++) {
                gradient[a][b] = (double)rows[4 * a + b] - (a == b ? 1.0 : 0.0);
                displacement[a] += gradient[a][b] * point[b];
                centre[a] += gradient[a][b] * patch->arm[j][b];
            }
            centre[a] += displacement[a] * patch->mean[j];
        }
        const double(*g)[3] = (const double(*)[3])gradient;
        radius += norm == BLEND_VECTORS ? add_vectors(patch, j, displacement, g)
                                        : add_components(patch, j, displacement, g);
    }
    return radius;
}

double blend_box_radius(const blend_box *box)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double side = box->upper[axis] - box->lower[axis];
        square += 0.25 * side * side;
    }
    return sqrt(square);
}
