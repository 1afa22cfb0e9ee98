/*
 * Joint boxes: the coefficients that the box of a whole body follows from. Ours.
 *
 * A vertex of a blended body is a convex combination of what its joints make of its rest position.
 * So the box around what each joint makes of the vertices that it moves holds them all. It is far
 * tighter than the bound of the root's children (bounds/from_blend.c) where joints turn in
 * different ways, for no joint carries what it does not move; and it costs less than that bound.
 *
 * The vertices of a joint are held by several boxes, for a box that turns grows. They are split
 * where that gains: half-way along the longest side, always the box that reaches farthest beyond
 * the vertices along one of 26 directions. What lies in the middle stays in a few large boxes.
 *
 * In shapes without influences one joint moves all vertices, by the shape's transform or not at
 * all. Modes make a box grow by how much their fields differ inside it. So with modes boxes are
 * split until there are as many as there may be, always the one with the longest side.
 *
 * Boxes depend on the vertices that triangles use, not on their order: no tree changes them.
 */
#include "builder.h"

#include <math.h>
#include <string.h>

/*
 * Boxes reach no farther beyond the vertices, as a share of the shape's size, unless they would be
 * too many: what a joint has of all the runs of eight, at least one and at most eight. The only
 * joint of a shape without influences turns the whole, so its boxes are closer.
 */
#define TOLERANCE      0.04
#define ONLY_TOLERANCE 0.005
enum { ALL_RUNS = 128, MOST_RUNS = 8, MOST_BOXES = MOST_RUNS * PLI_WIDTH };

enum { DIRECTIONS = 26 };

/* Some of a joint's vertices, and the box around them at rest. */
typedef struct joint_box {
    uint32_t first, count;
    double low[3], high[3];
} joint_box;

/* Along -1, 0 or 1 of each axis, the next direction after (0, 0, 0) left out. */
static void make_direction(int number, double direction[3])
{
    number += number >= DIRECTIONS / 2;
    for (int k = 0; k < 3; k++, number /= 3) {
        direction[k] = number % 3 - 1;
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void read_position(const pli_mesh *mesh, uint32_t vertex, double position[3])
{
    for (size_t k = 0; k < 3; k++) {
        position[k] = (double)mesh->positions[3 * (size_t)vertex + k];
    }
}

/* How far vertices reach along a direction. */
static double reach_of_vertices(const pli_mesh *mesh, const uint32_t *vertices, size_t count,
                                const double direction[3])
{
    double most = -(double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        double position[3];
        read_position(mesh, vertices[i], position);
        most = fmax(most, dot(direction, position));
    }
    return most;
}

static double reach_of_box(const joint_box *box, const double direction[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += fmax(direction[k] * box->low[k], direction[k] * box->high[k]);
    }
    return sum;
}

static void measure_box(const pli_mesh *mesh, const uint32_t *vertices, joint_box *box)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = (double)INFINITY;
        box->high[k] = -(double)INFINITY;
    }
    for (size_t i = 0; i < box->count; i++) {
        double position[3];
        read_position(mesh, vertices[box->first + i], position);
        for (int k = 0; k < 3; k++) {
            box->low[k] = fmin(box->low[k], position[k]);
            box->high[k] = fmax(box->high[k], position[k]);
        }
    }
}

/* Cuts a box of some length in two; `upper` gets the upper part. */
static void split_box(const pli_mesh *mesh, uint32_t *vertices, joint_box *box, joint_box *upper)
{
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = box->high[k] - box->low[k] > box->high[axis] - box->low[axis] ? k : axis;
    }
    double middle = 0.5 * box->low[axis] + 0.5 * box->high[axis];
    uint32_t *list = vertices + box->first, end = box->count;
    for (uint32_t i = 0; i < end;) {
        double position[3];
        read_position(mesh, list[i], position);
        if (position[axis] <= middle) {
            i++;
        } else {
            uint32_t moved = list[i];
            list[i] = list[--end];
            list[end] = moved;
        }
    }
    *upper = (joint_box){.first = box->first + end, .count = box->count - end};
    box->count = end;
    measure_box(mesh, vertices, box);
    measure_box(mesh, vertices, upper);
}

/* The box that reaches farthest beyond the vertices, by more than the tolerance; `count` if there
   is none. Directions are of lengths from 1 to sqrt(3), which need not be told apart. */
static size_t find_farthest(const joint_box *boxes, size_t count, const double reach[DIRECTIONS],
                            double tolerance)
{
    size_t found = count;
    for (int d = 0; d < DIRECTIONS; d++) {
        double direction[3], most = -(double)INFINITY;
        size_t first = 0;
        make_direction(d, direction);
        for (size_t i = 0; i < count; i++) {
            double reached = reach_of_box(&boxes[i], direction);
            first = reached > most ? i : first;
            most = fmax(most, reached);
        }
        if (most - reach[d] > tolerance) {
            tolerance = most - reach[d];
            found = first;
        }
    }
    return found;
}

static double longest_side(const joint_box *box)
{
    return fmax(fmax(box->high[0] - box->low[0], box->high[1] - box->low[1]),
                box->high[2] - box->low[2]);
}

/* Returns the box with the longest side; `count` if all boxes are points. */
static size_t find_longest(const joint_box *boxes, size_t count)
{
    size_t found = count;
    double longest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double side = longest_side(&boxes[i]);
        found = side > longest ? i : found;
        longest = fmax(longest, side);
    }
    return found;
}

/* Boxes around the vertices of a joint, `most` at most, whose order becomes that of the boxes. */
static size_t make_boxes(const pli_model_builder *builder, uint32_t *vertices, uint32_t count,
                         size_t most, joint_box *boxes)
{
    bool split_all = !builder->model.has_influences && builder->model.mode_count > 0;
    double reach[DIRECTIONS], tolerance = builder->size;
    tolerance *= builder->model.has_influences ? TOLERANCE : ONLY_TOLERANCE;
    for (int d = 0; d < DIRECTIONS && !split_all; d++) {
        double direction[3];
        make_direction(d, direction);
        reach[d] = reach_of_vertices(builder->mesh, vertices, count, direction);
    }
    boxes[0] = (joint_box){.first = 0, .count = count};
    measure_box(builder->mesh, vertices, &boxes[0]);
    size_t made = 1;
    while (made < most) {
        size_t found =
            split_all ? find_longest(boxes, made) : find_farthest(boxes, made, reach, tolerance);
        if (found == made) {
            break;
        }
        split_box(builder->mesh, vertices, &boxes[found], &boxes[made]);
        made++;
    }
    return made;
}

/* Whether the last coefficients are of joints and follow the modes collected from `first_mode` on.
 */
static bool continue_last(const pli_model_builder *builder, size_t first_mode)
{
    const uint32_t *modes = builder->coefficient_modes.data;
    const pli_coefficients *last = &builder->coefficients.data[builder->coefficients.count - 1];
    bool equal = last->kind == PLI_COEFFICIENTS_JOINTS &&
                 last->mode_count == builder->coefficient_modes.count - first_mode;
    for (uint32_t m = 0; equal && m < last->mode_count; m++) {
        equal = modes[last->first_mode + m] == modes[first_mode + m];
    }
    return equal;
}

/* The coefficients that boxes of these vertices go to: the last ones where these follow the same
   modes, else new ones. NULL when there is no memory. */
static pli_coefficients *find_coefficients(pli_model_builder *builder, const uint32_t *vertices,
                                           uint32_t vertex_count)
{
    size_t first_mode = builder->coefficient_modes.count;
    if (!pli_collect_modes(builder, vertices, vertex_count, &builder->coefficient_modes)) {
        return NULL;
    }
    if (continue_last(builder, first_mode)) {
        builder->coefficient_modes.count = first_mode;
        return &builder->coefficients.data[builder->coefficients.count - 1];
    }
    pli_coefficients *added = PLI_EXTEND(builder->context, &builder->coefficients, 1);
    if (added != NULL) {
        *added = (pli_coefficients){.first_value = builder->coefficient_values.count,
                                    .first_mode = (uint32_t)first_mode,
                                    .mode_count =
                                        (uint32_t)(builder->coefficient_modes.count - first_mode),
                                    .first_joint = (uint32_t)builder->coefficient_joints.count,
                                    .kind = PLI_COEFFICIENTS_JOINTS};
    }
    return added;
}

/* Adds up to eight boxes of a joint; the last one is repeated. */
static bool add_run(pli_model_builder *builder, uint32_t mode_count, const uint32_t *vertices,
                    const joint_box *boxes, size_t count)
{
    size_t size = PLI_COEFFICIENT_AXES * (1 + (size_t)mode_count);
    float *values = PLI_EXTEND(builder->context, &builder->coefficient_values, size);
    for (uint32_t lane = 0; lane < PLI_WIDTH && values != NULL; lane++) {
        const joint_box *box = &boxes[lane < count ? lane : count - 1];
        pli_coefficient_lane filled = {
            .values = values,
            .mode_count = mode_count,
            .lane = lane,
            .vertices = vertices + box->first,
            .vertex_count = box->count,
        };
        if (!pli_fill_box_lane(builder, &filled)) {
            return false;
        }
    }
    return values != NULL;
}

static bool add_joint(pli_model_builder *builder, uint32_t joint, uint32_t *vertices,
                      uint32_t vertex_count, size_t most)
{
    joint_box boxes[MOST_BOXES];
    size_t count = make_boxes(builder, vertices, vertex_count, most, boxes);
    pli_coefficients *coefficients = find_coefficients(builder, vertices, vertex_count);
    if (coefficients == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i += PLI_WIDTH) {
        coefficients->joint_count++;
        if (!PLI_PUSH(builder->context, &builder->coefficient_joints, joint) ||
            !add_run(builder, coefficients->mode_count, vertices, boxes + i,
                     count - i < PLI_WIDTH ? count - i : PLI_WIDTH)) {
            return false;
        }
    }
    return true;
}

/* Lists the vertices that triangles use by the joints that move them: those of joint j stand in
   builder->vertices from joint_first[j] to before joint_first[j + 1]. */
static bool list_vertices(pli_model_builder *builder)
{
    const pli_entries *influences = &builder->mesh->influences;
    const pli_vertex_span *all = &builder->tree.nodes[0].vertices;
    const uint32_t *used = builder->tree.vertex_order + all->first;
    size_t joints = builder->model.joint_count,
           total = influences->start[builder->mesh->vertex_count];
    builder->vertices.count = 0;
    if (!PLI_CREATE(builder->context, &builder->joint_first, joints + 2) ||
        (total > 0 && PLI_EXTEND(builder->context, &builder->vertices, total) == NULL)) {
        return false;
    }
    /* One place further on, so that filling in moves each joint's place to where it belongs. */
    uint32_t *next = builder->joint_first.data + 1;
    for (uint32_t i = 0; i < all->count; i++) {
        for (uint32_t e = influences->start[used[i]]; e < influences->start[used[i] + 1]; e++) {
            next[influences->number[e] + 1] += influences->value[e] > 0.0f;
        }
    }
    for (size_t j = 0; j < joints; j++) {
        next[j + 1] += next[j];
    }
    for (uint32_t i = 0; i < all->count; i++) {
        for (uint32_t e = influences->start[used[i]]; e < influences->start[used[i] + 1]; e++) {
            if (influences->value[e] > 0.0f) {
                builder->vertices.data[next[influences->number[e]]++] = used[i];
            }
        }
    }
    return true;
}

/* How many boxes each joint may have. */
static size_t share_boxes(const pli_model_builder *builder)
{
    const uint32_t *first = builder->joint_first.data;
    size_t joints = 0;
    for (uint32_t j = 0; j < builder->model.joint_count; j++) {
        joints += first[j + 1] > first[j];
    }
    size_t runs = joints > 0 ? ALL_RUNS / joints : 1;
    return PLI_WIDTH * (runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs);
}

/* Adds the boxes of a shape without influences: its one joint moves all vertices that triangles
 * use.
 */
static bool add_only_joint(pli_model_builder *builder)
{
    const pli_vertex_span *all = &builder->tree.nodes[0].vertices;
    builder->vertices.count = 0;
    uint32_t *vertices = PLI_EXTEND(builder->context, &builder->vertices, all->count);
    if (vertices == NULL) {
        return false;
    }
    memcpy(vertices, builder->tree.vertex_order + all->first, all->count * sizeof *vertices);
    return add_joint(builder, 0, vertices, all->count, MOST_BOXES);
}

bool pli_add_joint_boxes(pli_model_builder *builder)
{
    if (!builder->model.has_influences) {
        return add_only_joint(builder);
    }
    if (!list_vertices(builder)) {
        return false;
    }
    const uint32_t *first = builder->joint_first.data;
    size_t most = share_boxes(builder);
    for (uint32_t j = 0; j < builder->model.joint_count; j++) {
        if (first[j + 1] > first[j] && !add_joint(builder, j, builder->vertices.data + first[j],
                                                  first[j + 1] - first[j], most)) {
            return false;
        }
    }
    return true;
}
