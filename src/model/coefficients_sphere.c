/*
 * Coefficients of spheres: wrapped spheres whose centres and radii follow the modes.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004, sections 3 and 4; smallest enclosing spheres after E. Welzl,
 * Smallest Enclosing Disks (Balls and Ellipsoids), 1991.
 *
 * Ours: coarser spheres that must hold the proxies below them are enlarged mode by mode, so that
 * they do so for all coordinates, not at rest alone.
 */
#include "builder.h"

#include <math.h>
#include <string.h>

typedef struct ball {
    double centre[3], square; /* of the radius; negative: empty */
} ball;

static bool ball_holds(const ball *b, const double p[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += (p[k] - b->centre[k]) * (p[k] - b->centre[k]);
    }
    return square <= b->square * (1.0 + 1e-12);
}

/* The smallest ball through up to four points, its centre in their affine hull: solves for the
   combination of edges from the first point, by Gram-Schmidt. */
static ball ball_through(const double *points[4], int count)
{
    ball b = {.square = count > 0 ? 0.0 : -1.0};
    if (count == 0) {
        return b;
    }
    memcpy(b.centre, points[0], sizeof b.centre);
    double basis[3][3];
    int rank = 0;
    for (int i = 1; i < count; i++) {
        double edge[3], square = 0.0, length = 0.0, off = 0.0;
        for (int k = 0; k < 3; k++) {
            edge[k] = points[i][k] - points[0][k];
            square += edge[k] * edge[k];
        }
        double direction[3];
        memcpy(direction, edge, sizeof direction);
        for (int r = 0; r < rank; r++) {
            double dot = 0.0;
            for (int k = 0; k < 3; k++) {
                dot += edge[k] * basis[r][k];
            }
            for (int k = 0; k < 3; k++) {
                direction[k] -= dot * basis[r][k];
            }
        }
        for (int k = 0; k < 3; k++) {
            length += direction[k] * direction[k];
            off += edge[k] * (b.centre[k] - points[0][k]);
        }
        if (length <= 1e-20 * square) {
            continue; /* in the hull of the others */
        }
        /* Move the centre along the new direction until it is as far from this point. */
        length = sqrt(length);
        double along = 0.0;
        for (int k = 0; k < 3; k++) {
            basis[rank][k] = direction[k] / length;
            along += edge[k] * basis[rank][k];
        }
        double step = (0.5 * square - off) / along;
        for (int k = 0; k < 3; k++) {
            b.centre[k] += step * basis[rank][k];
        }
        rank++;
    }
    for (int k = 0; k < 3; k++) {
        b.square += (b.centre[k] - points[0][k]) * (b.centre[k] - points[0][k]);
    }
    return b;
}

/* Welzl's recursion, three levels of loops at most: the ball of the first `count` points with
   `fixed_count` of them on its border. `order` is rearranged, points that matter to the front. */
static ball enclose(const double *points, uint32_t *order, size_t count, const double *fixed[4],
                    int fixed_count)
{
    ball b = ball_through(fixed, fixed_count);
    if (fixed_count == 4) {
        return b;
    }
    for (size_t i = 0; i < count; i++) {
        const double *p = points + 3 * (size_t)order[i];
        if (ball_holds(&b, p)) {
            continue;
        }
        fixed[fixed_count] = p;
        b = enclose(points, order, i, fixed, fixed_count + 1);
        uint32_t moved = order[i];
        memmove(order + 1, order, i * sizeof *order);
        order[0] = moved;
    }
    return b;
}

/* The centre of the smallest ball around `count` points, in an order that is rearranged. */
static void find_smallest(const double *points, uint32_t *order, size_t count, double centre[3])
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = count; i > 1; i--) { /* a shuffled order makes the expected time linear */
        state = state * 1664525u + 1013904223u;
        size_t j = (size_t)((uint64_t)state * i >> 32);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    const double *fixed[4];
    ball b = enclose(points, order, count, fixed, 0);
    memcpy(centre, b.centre, 3 * sizeof *centre);
}

/* The reference of the rest positions or of one mode: the mean of the vertices' numbers, or the
   middle of their range. */
static void find_centre(const pli_coefficient_lane *lane, const double *numbers, bool mean,
                        double centre[3])
{
    double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0}, sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < lane->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = numbers[3 * i + (size_t)k];
            low[k] = i == 0 ? x : fmin(low[k], x);
            high[k] = i == 0 ? x : fmax(high[k], x);
            sum[k] += x;
        }
    }
    for (int k = 0; k < 3; k++) {
        centre[k] = mean ? sum[k] / (double)lane->vertex_count : 0.5 * low[k] + 0.5 * high[k];
    }
}

/* The largest distance of the vertices' numbers from a centre. */
static double find_radius(const pli_coefficient_lane *lane, const double *numbers,
                          const double centre[3])
{
    double most = 0.0;
    for (size_t i = 0; i < lane->vertex_count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double d = numbers[3 * i + (size_t)k] - centre[k];
            square += d * d;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Stores a centre and the radius that holds all numbers, measured from the rounded centre. */
static void put_sphere(const pli_coefficient_lane *lane, const double *numbers,
                       const double centre[3], double more, float *values)
{
    float rounded[3] = {(float)centre[0], (float)centre[1], (float)centre[2]};
    double radius = find_radius(lane, numbers, (double[3]){rounded[0], rounded[1], rounded[2]});
    values[lane->lane] = rounded[0];
    values[PLI_WIDTH + lane->lane] = rounded[1];
    values[PLI_HALVES + lane->lane] = rounded[2];
    values[PLI_HALVES + PLI_WIDTH + lane->lane] = pli_round_up(radius * (1.0 + 1e-14) + more);
}

/*
 * The spheres of one set of numbers, rest or mode: what a mode adds to the radius is the radius of
 * its displacements, so the smallest sphere is wanted of these as much as of the positions.
 * Rounding may spoil it where points nearly coincide; the middle of their range is taken then.
 */
static void fill_set(const pli_model_builder *builder, const pli_coefficient_lane *lane,
                     const double *numbers, uint32_t *order, double more, float *values)
{
    double centre[3], smallest[3];
    find_centre(lane, numbers, builder->centre == PLIANT_SPHERE_MEAN, centre);
    if (order != NULL) {
        find_smallest(numbers, order, lane->vertex_count, smallest);
        if (find_radius(lane, numbers, smallest) < find_radius(lane, numbers, centre)) {
            memcpy(centre, smallest, sizeof centre);
        }
    }
    put_sphere(lane, numbers, centre, more, values);
}

/* The rest positions of a lane's vertices, then what each mode adds to them; NULL: no memory. */
static const double *gather_numbers(pli_model_builder *builder, const pli_coefficient_lane *lane,
                                    double *growth)
{
    const pli_mesh *mesh = builder->mesh;
    size_t vertices = lane->vertex_count;
    builder->ranges.count = 0;
    double *numbers = PLI_EXTEND(builder->context, &builder->ranges,
                                 3 * vertices * (1 + (size_t)lane->mode_count));
    for (size_t i = 0; numbers != NULL && i < vertices; i++) {
        uint32_t v = lane->vertices[i];
        for (size_t k = 0; k < 3; k++) {
            numbers[3 * i + k] = (double)mesh->positions[3 * (size_t)v + k];
        }
        if (mesh->fields.start == NULL) {
            continue;
        }
        for (uint32_t e = mesh->fields.start[v]; e < mesh->fields.start[v + 1]; e++) {
            size_t set = 1 + (size_t)builder->mode_slot.data[mesh->fields.number[e]];
            for (size_t k = 0; k < 3; k++) {
                numbers[3 * (set * vertices + i) + k] =
                    (double)mesh->fields.value[3 * (size_t)e + k];
            }
        }
        double axis[3], all;
        pli_field_growth(mesh, v, axis, &all);
        *growth = fmax(*growth, all);
    }
    return numbers;
}

bool pli_fill_sphere_lane(pli_model_builder *builder, const pli_coefficient_lane *lane)
{
    double growth = 0.0;
    bool smallest = builder->centre == PLIANT_SPHERE_SMALLEST;
    const double *numbers = gather_numbers(builder, lane, &growth);
    bool done = numbers != NULL &&
                (!smallest || PLI_RESERVE(builder->context, &builder->order, lane->vertex_count));
    for (size_t set = 0; done && set <= lane->mode_count; set++) {
        fill_set(builder, lane, numbers + 3 * set * lane->vertex_count, builder->order.data,
                 set == 0 ? (double)builder->model.error : 0.0,
                 lane->values + 2 * PLI_HALVES * set);
    }
    if (done) {
        lane->values[2 * PLI_HALVES * (1 + (size_t)lane->mode_count) + lane->lane] =
            pli_round_up(growth);
    }
    return done;
}

/* What a node's coefficients have for the rest positions, or for one mode, in one lane. */
static void read_sphere(const float *values, uint32_t lane, double sphere[4])
{
    sphere[0] = (double)values[lane];
    sphere[1] = (double)values[PLI_WIDTH + lane];
    sphere[2] = (double)values[PLI_HALVES + lane];
    sphere[3] = (double)values[PLI_HALVES + PLI_WIDTH + lane];
}

/* The modes of a node's coefficients; NULL if there are none. */
static const uint32_t *modes_of(const pli_model_builder *builder,
                                const pli_coefficients *coefficients)
{
    return coefficients->mode_count > 0 ? builder->coefficient_modes.data + coefficients->first_mode
                                        : NULL;
}

/* The values of a mode among a node's coefficients, or NULL: it does not matter there. */
static const float *find_mode(const pli_model_builder *builder,
                              const pli_coefficients *coefficients, uint32_t mode)
{
    const uint32_t *modes = modes_of(builder, coefficients);
    uint32_t low = 0, high = coefficients->mode_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (modes[middle] < mode) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < coefficients->mode_count && modes[low] == mode
               ? builder->coefficient_values.data + coefficients->first_value +
                     2 * PLI_HALVES * (1 + (size_t)low)
               : NULL;
}

/* Enlarges one lane of a node's spheres so that it holds one lane of another node's for all
   coordinates. */
static void wrap_lane(pli_model_builder *builder, const pli_coefficients *outer, uint32_t lane,
                      const pli_coefficients *inner, uint32_t inner_lane)
{
    const uint32_t *modes = modes_of(builder, outer);
    float *values = builder->coefficient_values.data + outer->first_value;
    const float *inner_values = builder->coefficient_values.data + inner->first_value;
    for (size_t set = 0; set <= outer->mode_count; set++) {
        double out[4], in[4] = {0.0, 0.0, 0.0, 0.0}, square = 0.0;
        float *here = values + 2 * PLI_HALVES * set;
        const float *there = set == 0 ? inner_values : find_mode(builder, inner, modes[set - 1]);
        read_sphere(here, lane, out);
        if (there != NULL) {
            read_sphere(there, inner_lane, in);
        }
        for (int k = 0; k < 3; k++) {
            square += (out[k] - in[k]) * (out[k] - in[k]);
        }
        double needed = sqrt(square) * (1.0 + 1e-14) + in[3];
        if (needed > out[3]) {
            here[PLI_HALVES + PLI_WIDTH + lane] = pli_round_up(needed);
        }
    }
}

/* All proxies below a child, wrapped by one lane of an ancestor's spheres. */
static void wrap_below(pli_model_builder *builder, const pli_coefficients *outer, uint32_t lane,
                       uint32_t child)
{
    const pli_tree *tree = &builder->tree;
    const pli_coefficients *coefficients = builder->coefficients.data;
    uint32_t most = builder->model.proxy_triangles;
    if (child & PLI_CLUSTER_BIT) {
        uint32_t c = child & ~PLI_CLUSTER_BIT;
        for (uint32_t leaf = 0; leaf < PLI_WIDTH; leaf++) {
            if (tree->clusters[c].live >> (PLI_WIDTH * leaf) & 0xff) {
                wrap_lane(builder, outer, lane, &coefficients[tree->node_count + c], leaf);
            }
        }
        return;
    }
    const pli_node *node = &tree->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t below = node->child[i];
        uint32_t triangles = below & PLI_CLUSTER_BIT
                                 ? tree->clusters[below & ~PLI_CLUSTER_BIT].triangle_count
                                 : tree->nodes[below].triangle_count;
        if (triangles <= most) {
            wrap_lane(builder, outer, lane, &coefficients[child], i);
        } else {
            wrap_below(builder, outer, lane, below);
        }
    }
}

void pli_wrap_proxies(pli_model_builder *builder)
{
    const pli_tree *tree = &builder->tree;
    for (uint32_t n = tree->node_count; n-- > 0;) {
        const pli_node *node = &tree->nodes[n];
        for (uint32_t i = 0; i < node->child_count; i++) {
            uint32_t child = node->child[i];
            uint32_t triangles = child & PLI_CLUSTER_BIT
                                     ? tree->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                     : tree->nodes[child].triangle_count;
            if (triangles > builder->model.proxy_triangles) {
                wrap_below(builder, builder->coefficients.data + n, i, child);
            }
        }
    }
}
