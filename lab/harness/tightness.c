#include "tightness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "affine_spheres.h"
#include "base/kernels.h"
#include "lab/baselines/sphere_tree.h"
#include "bounds/bounds.h"

static const pliant_sphere_centre centres[TIGHTNESS_CENTRES] = {
    [TIGHTNESS_MEAN] = PLIANT_SPHERE_MEAN,
    [TIGHTNESS_MID_RANGE] = PLIANT_SPHERE_MID_RANGE,
    [TIGHTNESS_SMALLEST] = PLIANT_SPHERE_SMALLEST};

typedef struct measurement {
    pliant_context *context;
    pliant_shape *shapes[TIGHTNESS_CENTRES]; /* the same tree, other spheres */
    const pli_model_kernels *kernels;
    baseline_fields fields;
    float *positions, *rest_positions;
    /* Per node, eight children. */
    float *radii[TIGHTNESS_CENTRES], *rest_radii[TIGHTNESS_CENTRES], *layered;
    float *zero;
    /* Per child and mode, about each kind of centre. */
    affine_mode *affine[TIGHTNESS_CENTRES];
    float (*rest_centres[TIGHTNESS_CENTRES])[3];
    const float *coordinates; /* of the frame at hand */
} measurement;

static void measurement_free(measurement *m)
{
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        pliant_shape_destroy(m->shapes[i]);
        free(m->radii[i]);
        free(m->rest_radii[i]);
        free(m->rest_centres[i]);
        free(m->affine[i]);
    }
    baseline_fields_free(&m->fields);
    free(m->positions);
    free(m->rest_positions);
    free(m->layered);
    free(m->zero);
    pliant_context_destroy(m->context);
}

static bool measurement_create(const bench_settings *settings, const gallery_mesh *mesh,
                               const gallery_model *model, measurement *m)
{
    *m = (measurement){.kernels = pli_kernels_for(pli_isa_choose(settings->isa))->model};
    pliant_shape_def def = reduced_shape_def(mesh, model);
    def.bound = PLIANT_BOUND_SPHERE;
    def.joint_count = 0;
    bool done = reduced_create_context(settings, &m->context);
    for (int i = 0; done && i < TIGHTNESS_CENTRES; i++) {
        def.sphere_centre = centres[i];
        done = pliant_shape_create(m->context, &def, &m->shapes[i]) == PLIANT_OK;
    }
    gallery_model unplaced = *model;
    unplaced.joint_count = 0;
    if (!done || !baseline_fields_create(mesh, &unplaced, settings->isa, &m->fields)) {
        return false;
    }
    size_t children = (size_t)PLI_WIDTH * m->shapes[0]->node_count;
    m->positions = baseline_fields_positions(&m->fields);
    m->rest_positions = baseline_fields_positions(&m->fields);
    m->layered = calloc(children, sizeof *m->layered);
    m->zero = calloc((size_t)model->mode_count + 1, sizeof *m->zero);
    done =
        m->positions != NULL && m->rest_positions != NULL && m->layered != NULL && m->zero != NULL;
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        m->radii[i] = calloc(children, sizeof *m->radii[i]);
        m->rest_radii[i] = calloc(children, sizeof *m->rest_radii[i]);
        m->rest_centres[i] = calloc(children, sizeof *m->rest_centres[i]);
        m->affine[i] = calloc(children * model->mode_count + 1, sizeof *m->affine[i]);
        done = done && m->radii[i] != NULL && m->rest_radii[i] != NULL &&
               m->rest_centres[i] != NULL && m->affine[i] != NULL;
    }
    return done;
}

/* The library's spheres of all children of all nodes; centres may be NULL. */
static bool bound_spheres(const measurement *m, const pliant_shape *shape, float *coordinates,
                          float *radii, float (*centres_found)[3])
{
    pli_pose pose = {.coordinates = coordinates};
    if (pli_pose_measure(shape, &pose) != PLIANT_OK) {
        return false;
    }
    for (uint32_t n = 0; n < shape->node_count; n++) {
        pli_coefficient_view view = pli_view_coefficients(shape, n, shape->nodes[n].child_count);
        pli_boxes boxes;
        pli_spheres spheres;
        pli_bound_children_from_coefficients(m->kernels, &view, &pose, &boxes, &spheres);
        memcpy(radii + (size_t)PLI_WIDTH * n, spheres.radius, sizeof spheres.radius);
        for (size_t k = 0; centres_found != NULL && k < 3 * (size_t)PLI_WIDTH; k++) {
            centres_found[(size_t)PLI_WIDTH * n + k / 3][k % 3] = spheres.centre[k % 3][k / 3];
        }
    }
    return true;
}

/* ---------------------------------------------------------------- layered */

static baseline_sphere layer_slots(const measurement *m, const pli_cluster *cluster,
                                   const uint32_t *slots, uint32_t count)
{
    const pliant_shape *shape = m->shapes[0];
    if (count > 1) {
        baseline_sphere first = layer_slots(m, cluster, slots, count / 2);
        baseline_sphere second = layer_slots(m, cluster, slots + count / 2, count - count / 2);
        return sphere_merge(&first, &second);
    }
    const uint32_t *corners = shape->triangles + (size_t)3 * shape->slot_triangles[slots[0]];
    return sphere_around_triangle(m->positions + (size_t)3 * corners[0],
                                  m->positions + (size_t)3 * corners[1],
                                  m->positions + (size_t)3 * corners[2]);
}

static baseline_sphere layer_cluster(const measurement *m, uint32_t index)
{
    const pli_cluster *cluster = &m->shapes[0]->clusters[index];
    uint32_t slots[PLI_CLUSTER_SLOTS], count = 0;
    for (uint32_t s = 0; s < PLI_CLUSTER_SLOTS; s++) {
        if (cluster->live >> s & 1) {
            slots[count++] = cluster->first_slot + s;
        }
    }
    return layer_slots(m, cluster, slots, count);
}

static baseline_sphere merge_all(const baseline_sphere *spheres, uint32_t count)
{
    if (count == 1) {
        return spheres[0];
    }
    baseline_sphere first = merge_all(spheres, count / 2);
    baseline_sphere second = merge_all(spheres + count / 2, count - count / 2);
    return sphere_merge(&first, &second);
}

/* Notes the radii of all children below a node, and returns its own sphere. */
static baseline_sphere layer_node(const measurement *m, uint32_t index, float *radii)
{
    const pli_node *node = &m->shapes[0]->nodes[index];
    baseline_sphere children[PLI_WIDTH];
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t child = node->child[i];
        children[i] = (child & PLI_CLUSTER_BIT) != 0 ? layer_cluster(m, child & ~PLI_CLUSTER_BIT)
                                                     : layer_node(m, child, radii);
        radii[(size_t)PLI_WIDTH * index + i] = children[i].radius;
    }
    return merge_all(children, node->child_count);
}

static void add(tightness_ratio *ratio, double value)
{
    ratio->mean += value; /* a sum until the end */
    ratio->max = fmax(ratio->max, value);
}

/* ------------------------------------------------------------------ affine */

/* The distinct vertices below children, one child after another. */
typedef struct child_vertices {
    uint32_t *seen; /* per vertex: the last child that listed it, plus 1 */
    uint32_t *list;
    uint32_t count;
} child_vertices;

static void list_child(const pliant_shape *shape, uint32_t child, uint32_t mark, child_vertices *v)
{
    if ((child & PLI_CLUSTER_BIT) != 0) {
        const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
        for (uint32_t i = 0; i < cluster->vertex_count; i++) {
            uint32_t vertex = shape->cluster_vertices[cluster->first_vertex + i];
            if (v->seen[vertex] != mark) {
                v->seen[vertex] = mark;
                v->list[v->count++] = vertex;
            }
        }
        return;
    }
    for (uint32_t i = 0; i < shape->nodes[child].child_count; i++) {
        list_child(shape, shape->nodes[child].child[i], mark, v);
    }
}

/* Fits all modes on one child, about all centres. */
static void fit_child(measurement *m, const gallery_model *model, size_t child,
                      const child_vertices *v)
{
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        const float *centre = m->rest_centres[i][child];
        affine_set set = {.rest = m->rest_positions,
                          .vertices = v->list,
                          .count = v->count,
                          .centre = {(double)centre[0], (double)centre[1], (double)centre[2]}};
        for (uint32_t mode = 0; mode < model->mode_count; mode++) {
            affine_mode_fit(&set, model->modes + 3 * (size_t)mode * m->fields.vertex_count,
                            &m->affine[i][child * model->mode_count + mode]);
        }
    }
}

static bool fit_children(measurement *m, const gallery_model *model)
{
    const pliant_shape *shape = m->shapes[0];
    child_vertices v = {.seen = calloc(m->fields.vertex_count, sizeof *v.seen),
                        .list = malloc(m->fields.vertex_count * sizeof *v.list)};
    bool done = v.seen != NULL && v.list != NULL;
    baseline_fields_evaluate(&m->fields, m->zero, NULL, m->rest_positions);
    for (uint32_t n = 0; done && n < shape->node_count; n++) {
        for (uint32_t i = 0; i < shape->nodes[n].child_count; i++) {
            size_t child = (size_t)PLI_WIDTH * n + i;
            v.count = 0;
            list_child(shape, shape->nodes[n].child[i], (uint32_t)child + 1, &v);
            fit_child(m, model, child, &v);
        }
    }
    free(v.seen);
    free(v.list);
    return done;
}

/* ----------------------------------------------------------------- figures */

/* One child of one node, about all centres. */
static void add_child(const measurement *m, size_t child, tightness_figures *figures)
{
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        double rest = (double)m->rest_radii[i][child];
        double bounded = (double)m->radii[i][child];
        double affine = affine_radius(m->affine[i] + child * m->fields.mode_count, m->coordinates,
                                      m->fields.mode_count, rest);
        add(&figures[i].bd, bounded / rest);
        add(&figures[i].layered, (double)m->layered[child] / rest);
        add(&figures[i].affine, fmin(affine, bounded) / rest);
    }
}

static void add_rest(const measurement *m, size_t child, tightness_ratio *rest)
{
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        add(&rest[i], (double)m->layered[child] / (double)m->rest_radii[i][child]);
    }
}

typedef enum frame_kind { AT_REST, ANY_FRAME, LARGEST_FRAME } frame_kind;

static void add_frame(const measurement *m, frame_kind kind, tightness *result)
{
    const pliant_shape *shape = m->shapes[0];
    for (uint32_t n = 0; n < shape->node_count; n++) {
        uint32_t at = shape->nodes[n].level;
        for (uint32_t i = 0; at < TIGHTNESS_MAX_LEVELS && i < shape->nodes[n].child_count; i++) {
            tightness_level *level = &result->levels[at];
            size_t child = (size_t)PLI_WIDTH * n + i;
            switch (kind) {
            case AT_REST:
                add_rest(m, child, level->rest);
                break;
            case LARGEST_FRAME:
                add_child(m, child, level->largest);
                add_child(m, child, level->all);
                break;
            case ANY_FRAME:
                add_child(m, child, level->all);
                break;
            }
        }
    }
}

/* How many triangles are below a child. */
static uint32_t triangles_of(const pliant_shape *shape, uint32_t child)
{
    return (child & PLI_CLUSTER_BIT) != 0 ? shape->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                          : shape->nodes[child].triangle_count;
}

static void count_levels(const measurement *m, tightness *result)
{
    const pliant_shape *shape = m->shapes[0];
    for (uint32_t n = 0; n < shape->node_count; n++) {
        uint32_t at = shape->nodes[n].level;
        for (uint32_t i = 0; at < TIGHTNESS_MAX_LEVELS && i < shape->nodes[n].child_count; i++) {
            result->levels[at].nodes++;
            result->levels[at].triangles += triangles_of(shape, shape->nodes[n].child[i]);
            result->level_count = result->level_count > at ? result->level_count : at + 1;
        }
    }
}

static void take_means(tightness *result, uint32_t frame_count)
{
    for (uint32_t i = 0; i < result->level_count; i++) {
        tightness_level *level = &result->levels[i];
        double frames = (double)level->nodes * frame_count;
        level->triangles /= level->nodes;
        for (int c = 0; c < TIGHTNESS_CENTRES; c++) {
            level->rest[c].mean /= level->nodes;
            level->largest[c].bd.mean /= level->nodes;
            level->largest[c].layered.mean /= level->nodes;
            level->largest[c].affine.mean /= level->nodes;
            level->all[c].bd.mean /= frames;
            level->all[c].layered.mean /= frames;
            level->all[c].affine.mean /= frames;
        }
    }
}

/* How far the positions at hand are from those at rest, at most. */
static double farthest_movement(const measurement *m)
{
    double most = 0.0;
    for (size_t v = 0; v < m->fields.vertex_count; v++) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            double moved = (double)m->positions[3 * v + k] - (double)m->rest_positions[3 * v + k];
            square += moved * moved;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* The frame that moves a vertex farthest: the large deformation that the paper shows is one. */
static void find_largest_frame(const measurement *m, const float *coordinates, uint32_t frame_count,
                               tightness *result)
{
    for (uint32_t frame = 0; frame < frame_count; frame++) {
        baseline_fields_evaluate(&m->fields, coordinates + (size_t)frame * m->fields.mode_count,
                                 NULL, m->positions);
        double moved = farthest_movement(m);
        if (moved > result->largest_movement) {
            result->largest_movement = moved;
            result->largest_frame = frame;
        }
    }
}

static bool measure_rest(measurement *m, tightness *result)
{
    for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
        if (!bound_spheres(m, m->shapes[i], m->zero, m->rest_radii[i], m->rest_centres[i])) {
            return false;
        }
    }
    baseline_fields_evaluate(&m->fields, m->zero, NULL, m->positions);
    layer_node(m, 0, m->layered);
    add_frame(m, AT_REST, result);
    return true;
}

static bool measure_frames(measurement *m, const gallery_model *model, const float *coordinates,
                           uint32_t frame_count, tightness *result)
{
    uint32_t modes = m->fields.mode_count;
    float *q = malloc(((size_t)modes + 1) * sizeof *q);
    bool done = q != NULL && measure_rest(m, result) && fit_children(m, model);
    m->coordinates = q;
    if (done) {
        find_largest_frame(m, coordinates, frame_count, result);
    }
    for (uint32_t frame = 0; done && frame < frame_count; frame++) {
        memcpy(q, coordinates + (size_t)frame * modes, modes * sizeof *q);
        for (int i = 0; i < TIGHTNESS_CENTRES; i++) {
            done = done && bound_spheres(m, m->shapes[i], q, m->radii[i], NULL);
        }
        baseline_fields_evaluate(&m->fields, q, NULL, m->positions);
        layer_node(m, 0, m->layered);
        add_frame(m, frame == result->largest_frame ? LARGEST_FRAME : ANY_FRAME, result);
    }
    free(q);
    return done;
}

bool tightness_measure(const bench_settings *settings, const gallery_mesh *mesh,
                       const gallery_model *model, const float *coordinates, uint32_t frame_count,
                       tightness *result, bench_report *report)
{
    measurement m;
    memset(result, 0, sizeof *result);
    bool done = measurement_create(settings, mesh, model, &m);
    if (done) {
        count_levels(&m, result);
        done = measure_frames(&m, model, coordinates, frame_count, result);
        take_means(result, frame_count);
    }
    measurement_free(&m);
    return done || report_fail(report, "tightness cannot be measured: %s", pliant_last_error());
}
