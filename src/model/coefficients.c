/*
 * The coefficients that the bounds of a node's eight children follow from.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004; D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for
 * Point-Based Animations, Symposium on Point-Based Graphics 2007.
 *
 * A child is bounded by the vertices below it, not by its children ("wrapped"): tighter, and any
 * node can be refreshed alone. Centres are rounded to float32 first and half sizes measured from
 * the rounded ones, upward.
 */
#include "builder.h"

#include <float.h>
#include <math.h>
#include <string.h>

float pli_round_up(double x)
{
    float rounded = (float)x;
    return x == 0.0 ? 0.0f : nextafterf(rounded, INFINITY);
}

uint64_t pli_coefficient_count(pli_coefficient_kind kind, uint64_t mode_count, uint64_t joint_count)
{
    switch (kind) {
    case PLI_COEFFICIENTS_NONE:
        break;
    case PLI_COEFFICIENTS_BOX:
        return PLI_COEFFICIENT_AXES * (1 + mode_count) + PLI_COEFFICIENT_COLUMNS;
    case PLI_COEFFICIENTS_SPHERE:
        return 2 * PLI_HALVES * (1 + mode_count) + PLI_HALVES;
    case PLI_COEFFICIENTS_AFFINE:
        return PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + PLI_COEFFICIENT_COLUMNS +
               (PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME) * mode_count +
               PLI_COEFFICIENT_COLUMNS + (mode_count == 0 ? PLI_COEFFICIENT_AXES : 0);
    case PLI_COEFFICIENTS_BLEND:
        return PLI_COEFFICIENT_AXES * (1 + mode_count) + PLI_HALVES * (2 + joint_count) +
               (joint_count + PLI_HALVES - 1) / PLI_HALVES * PLI_HALVES;
    case PLI_COEFFICIENTS_JOINTS:
        return PLI_COEFFICIENT_AXES * (1 + mode_count) * joint_count;
    }
    return 0;
}

void pli_field_growth(const pli_mesh *mesh, uint32_t vertex, double axis[3], double *all)
{
    /* The 3 x 3 matrix U U^T; its largest row sum bounds the square of the spectral norm. */
    double square[3][3] = {{0.0}};
    for (uint32_t e = mesh->fields.start[vertex]; e < mesh->fields.start[vertex + 1]; e++) {
        const float *u = mesh->fields.value + 3 * (size_t)e;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                square[i][j] += (double)u[i] * (double)u[j];
            }
        }
    }
    double most = 0.0, trace = square[0][0] + square[1][1] + square[2][2];
    for (int i = 0; i < 3; i++) {
        axis[i] = sqrt(square[i][i]) * (1.0 + 1e-12);
        most = fmax(most, fabs(square[i][0]) + fabs(square[i][1]) + fabs(square[i][2]));
    }
    *all = sqrt(fmin(most, trace)) * (1.0 + 1e-12);
}

/* The range of the rest positions (number 0) and of each mode that matters below the node, over a
   lane's vertices: least and greatest of three axes, six numbers each. */
static double *measure_ranges(pli_model_builder *builder, const pli_coefficient_lane *lane)
{
    const pli_mesh *mesh = builder->mesh;
    size_t numbers = 1 + (size_t)lane->mode_count;
    builder->ranges.count = 0;
    double *ranges = PLI_EXTEND(builder->context, &builder->ranges, 6 * numbers + numbers);
    if (ranges == NULL) {
        return NULL;
    }
    double *seen = ranges + 6 * numbers; /* how many vertices have an entry */
    for (size_t i = 0; i < lane->vertex_count; i++) {
        uint32_t v = lane->vertices[i];
        const float *p = mesh->positions + 3 * (size_t)v;
        for (int k = 0; k < 3; k++) {
            double x = (double)p[k];
            ranges[k] = i == 0 ? x : fmin(ranges[k], x);
            ranges[3 + k] = i == 0 ? x : fmax(ranges[3 + k], x);
        }
        if (mesh->fields.start == NULL) {
            continue;
        }
        for (uint32_t e = mesh->fields.start[v]; e < mesh->fields.start[v + 1]; e++) {
            size_t number = 1 + (size_t)builder->mode_slot.data[mesh->fields.number[e]];
            double *range = ranges + 6 * number;
            for (int k = 0; k < 3; k++) {
                double x = (double)mesh->fields.value[3 * (size_t)e + (size_t)k];
                range[k] = seen[number] == 0.0 ? x : fmin(range[k], x);
                range[3 + k] = seen[number] == 0.0 ? x : fmax(range[3 + k], x);
            }
            seen[number] += 1.0;
        }
    }
    for (size_t number = 1; number < numbers; number++) {
        double *range = ranges + 6 * number;
        for (int k = 0; k < 3 && seen[number] < (double)lane->vertex_count; k++) {
            range[k] = fmin(range[k], 0.0); /* the field of the others is zero */
            range[3 + k] = fmax(range[3 + k], 0.0);
        }
    }
    return ranges;
}

void pli_put_growth(const pli_mesh *mesh, const pli_coefficient_lane *lane, float *growth)
{
    double most[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < lane->vertex_count && mesh->fields.start != NULL; i++) {
        double axis[3], all;
        pli_field_growth(mesh, lane->vertices[i], axis, &all);
        for (int k = 0; k < 3; k++) {
            most[k] = fmax(most[k], axis[k]);
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        growth[k * PLI_WIDTH + lane->lane] = pli_round_up(most[k]);
    }
}

bool pli_fill_box_lane(pli_model_builder *builder, const pli_coefficient_lane *lane)
{
    const double *ranges = measure_ranges(builder, lane);
    if (ranges == NULL) {
        return false;
    }
    for (size_t number = 0; number <= lane->mode_count; number++) {
        const double *range = ranges + 6 * number;
        for (size_t k = 0; k < 3; k++) {
            float *halves = lane->values + PLI_COEFFICIENT_AXES * number + PLI_HALVES * k;
            float centre = (float)(0.5 * range[k] + 0.5 * range[3 + k]);
            double size = fmax(range[3 + k] - (double)centre, (double)centre - range[k]);
            halves[lane->lane] = centre;
            halves[PLI_WIDTH + lane->lane] =
                pli_round_up(size + (number == 0 ? (double)builder->model.error : 0.0));
        }
    }
    return true;
}

bool pli_fill_weights_lane(pli_model_builder *builder, const pli_coefficient_lane *lane)
{
    const pli_entries *influences = &builder->mesh->influences;
    float *sums = lane->values + PLI_COEFFICIENT_AXES * (1 + (size_t)lane->mode_count);
    float *totals = sums + PLI_HALVES, *weights = totals + PLI_HALVES;
    float *shares = weights + PLI_HALVES * (size_t)lane->joint_count;
    float least = INFINITY, greatest = 0.0f;
    builder->ranges.count = 0;
    double *having = PLI_EXTEND(builder->context, &builder->ranges, lane->joint_count);
    if (having == NULL) {
        return false;
    }
    for (size_t i = 0; i < lane->vertex_count; i++) {
        uint32_t v = lane->vertices[i];
        double sum = 0.0;
        for (uint32_t e = influences->start[v]; e < influences->start[v + 1]; e++) {
            float w = influences->value[e];
            uint32_t slot = builder->joint_slot.data[influences->number[e]];
            float *low = weights + PLI_HALVES * (size_t)slot + lane->lane, *high = low + PLI_WIDTH;
            *low = having[slot] == 0.0 || w < *low ? w : *low;
            *high = w > *high ? w : *high;
            having[slot] += 1.0;
            sum += (double)w;
        }
        float low = nextafterf((float)sum, 0.0f), high = nextafterf((float)sum, INFINITY);
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
    }
    double total[2] = {0.0, 0.0};
    for (uint32_t j = 0; j < lane->joint_count; j++) {
        float *low = weights + PLI_HALVES * (size_t)j + lane->lane;
        if (having[j] < (double)lane->vertex_count) {
            *low = 0.0f; /* some vertex is not moved by this joint */
        }
        total[0] += (double)low[0];
        total[1] += (double)low[PLI_WIDTH];
        /* Scaled when all lanes are there: until then so that 16 of the largest do not overflow. */
        shares[j] += 0x1p-5f * low[0] + 0x1p-5f * low[PLI_WIDTH];
    }
    sums[lane->lane] = least;
    sums[PLI_WIDTH + lane->lane] = greatest;
    totals[lane->lane] = (float)total[0];
    totals[PLI_WIDTH + lane->lane] = (float)total[1];
    return true;
}

/* Makes the shares of a node's joints sum to 1. */
static void scale_shares(const pli_coefficients *coefficients, float *values)
{
    float *shares = values + PLI_COEFFICIENT_AXES * (1 + (size_t)coefficients->mode_count) +
                    PLI_HALVES * (2 + (size_t)coefficients->joint_count);
    double sum = 0.0;
    for (uint32_t j = 0; j < coefficients->joint_count; j++) {
        sum += (double)shares[j];
    }
    for (uint32_t j = 0; j < coefficients->joint_count && sum > 0.0; j++) {
        shares[j] = (float)((double)shares[j] / sum);
    }
}

/* Appends the vertices of a node's child. */
static bool append_child(pli_model_builder *builder, uint32_t child)
{
    const pli_tree *tree = &builder->tree;
    const uint32_t *list, *extras = NULL;
    size_t count, extra_count = 0;
    if (child & PLI_CLUSTER_BIT) {
        const pli_cluster *cluster = &tree->clusters[child & ~PLI_CLUSTER_BIT];
        list = tree->cluster_vertices + cluster->first_vertex;
        count = cluster->vertex_count;
    } else {
        const pli_vertex_span *span = &tree->nodes[child].vertices;
        list = tree->vertex_order + span->first;
        count = span->count;
        extras = tree->node_extras + span->extra_first;
        extra_count = span->extra_count;
    }
    uint32_t *added = PLI_EXTEND(builder->context, &builder->vertices, count + extra_count);
    if (added == NULL) {
        return false;
    }
    memcpy(added, list, count * sizeof *added);
    if (extra_count > 0) {
        memcpy(added + count, extras, extra_count * sizeof *added);
    }
    return true;
}

/* Appends the vertices of a cluster's leaf. */
static bool append_leaf(pli_model_builder *builder, const pli_cluster *cluster, uint32_t leaf)
{
    const pli_tree *tree = &builder->tree;
    const uint8_t *corners = tree->slot_corners + 3 * (size_t)cluster->first_slot;
    const uint32_t *vertices = tree->cluster_vertices + cluster->first_vertex;
    bool seen[192] = {false};
    for (uint32_t s = PLI_WIDTH * leaf; s < PLI_WIDTH * leaf + PLI_WIDTH; s++) {
        for (uint32_t k = 0; k < 3 && (cluster->live >> s & 1); k++) {
            uint8_t local = corners[k * cluster->slot_count + s];
            if (!seen[local]) {
                seen[local] = true;
                if (!PLI_PUSH(builder->context, &builder->vertices, vertices[local])) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool fill_lane(pli_model_builder *builder, pli_coefficient_kind kind,
                      const pli_coefficient_lane *lane)
{
    switch (kind) {
    case PLI_COEFFICIENTS_SPHERE:
        return pli_fill_sphere_lane(builder, lane);
    case PLI_COEFFICIENTS_AFFINE:
        return pli_fill_affine_lane(builder, lane);
    case PLI_COEFFICIENTS_BLEND:
        return pli_fill_box_lane(builder, lane) && pli_fill_weights_lane(builder, lane);
    default:
        pli_put_growth(builder->mesh, lane,
                       lane->values + PLI_COEFFICIENT_AXES * (1 + (size_t)lane->mode_count));
        return pli_fill_box_lane(builder, lane);
    }
}

/* The vertices of a node's children, up to `end` each. */
typedef struct bounded_children {
    size_t end[PLI_WIDTH];
    uint32_t lanes;
} bounded_children;

/* Adds the values that a node's coefficients have as one kind. */
static bool add_values(pli_model_builder *builder, pli_coefficient_kind kind,
                       const pli_coefficients *coefficients, const bounded_children *children)
{
    uint64_t size =
        pli_coefficient_count(kind, coefficients->mode_count, coefficients->joint_count);
    float *values = PLI_EXTEND(builder->context, &builder->coefficient_values, (size_t)size);
    const uint32_t *vertices = builder->vertices.data;
    for (uint32_t lane = 0; lane < children->lanes && values != NULL; lane++) {
        size_t first = lane > 0 ? children->end[lane - 1] : 0;
        pli_coefficient_lane filled = {
            .values = values,
            .mode_count = coefficients->mode_count,
            .joint_count = coefficients->joint_count,
            .lane = lane,
            .vertices = vertices + first,
            .vertex_count = children->end[lane] - first,
        };
        if (!fill_lane(builder, kind, &filled)) {
            return false;
        }
    }
    if (kind == PLI_COEFFICIENTS_BLEND && values != NULL) {
        scale_shares(coefficients, values);
    }
    return values != NULL;
}

/* Tries plain boxes behind a node's affine ones, and keeps the better of the two. */
static bool choose_values(pli_model_builder *builder, const bounded_children *children,
                          pli_coefficients *coefficients)
{
    size_t affine_end = builder->coefficient_values.count;
    if (!add_values(builder, PLI_COEFFICIENTS_BOX, coefficients, children)) {
        return false;
    }
    builder->ranges.count = 0;
    double *coordinates = PLI_EXTEND(builder->context, &builder->ranges, coefficients->mode_count);
    if (coordinates == NULL) {
        return false;
    }
    float *affine = builder->coefficient_values.data + coefficients->first_value;
    float *box = builder->coefficient_values.data + affine_end;
    size_t box_size = builder->coefficient_values.count - affine_end;
    if (pli_affine_pays(builder, coefficients, children->lanes, affine, box, coordinates)) {
        builder->coefficient_values.count = affine_end;
    } else {
        memmove(affine, box, box_size * sizeof *box);
        builder->coefficient_values.count = (size_t)coefficients->first_value + box_size;
        coefficients->kind = PLI_COEFFICIENTS_BOX;
    }
    return true;
}

/* Makes a node's coefficients for children whose vertices are in builder->vertices. */
static bool add_coefficients(pli_model_builder *builder, const bounded_children *children)
{
    const uint32_t *vertices = builder->vertices.data;
    size_t vertex_count = builder->vertices.count;
    pli_coefficients coefficients = {.first_value = builder->coefficient_values.count,
                                     .first_mode = (uint32_t)builder->coefficient_modes.count,
                                     .first_joint = (uint32_t)builder->coefficient_joints.count,
                                     .kind = builder->model.coefficient_kind};
    if (!pli_collect_modes(builder, vertices, vertex_count, &builder->coefficient_modes) ||
        !pli_collect_joints(builder, vertices, vertex_count, &builder->coefficient_joints)) {
        return false;
    }
    coefficients.mode_count = (uint32_t)builder->coefficient_modes.count - coefficients.first_mode;
    coefficients.joint_count =
        (uint32_t)builder->coefficient_joints.count - coefficients.first_joint;
    if (!add_values(builder, (pli_coefficient_kind)coefficients.kind, &coefficients, children)) {
        return false;
    }
    if (builder->may_mix && coefficients.mode_count > 0 &&
        !choose_values(builder, children, &coefficients)) {
        return false;
    }
    pli_coefficients *added = PLI_EXTEND(builder->context, &builder->coefficients, 1);
    if (added != NULL) {
        *added = coefficients;
    }
    return added != NULL;
}

static bool add_node(pli_model_builder *builder, const pli_node *node)
{
    bounded_children children = {.lanes = node->child_count};
    builder->vertices.count = 0;
    for (uint32_t lane = 0; lane < node->child_count; lane++) {
        if (!append_child(builder, node->child[lane])) {
            return false;
        }
        children.end[lane] = builder->vertices.count;
    }
    return add_coefficients(builder, &children);
}

static bool add_cluster(pli_model_builder *builder, const pli_cluster *cluster)
{
    bounded_children children = {.lanes = 0};
    builder->vertices.count = 0;
    while (children.lanes < PLI_WIDTH && cluster->live >> (PLI_WIDTH * children.lanes) != 0) {
        if (!append_leaf(builder, cluster, children.lanes)) {
            return false;
        }
        children.end[children.lanes++] = builder->vertices.count;
    }
    return add_coefficients(builder, &children);
}

/* Values of what reaches PLI_FAR_OUT may have overflowed. No bound is computed from them. */
static void keep_finite(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = !(values[i] <= FLT_MAX) ? FLT_MAX : values[i] < -FLT_MAX ? -FLT_MAX : values[i];
    }
}

pliant_result pli_build_coefficients(pli_model_builder *builder)
{
    const pli_tree *tree = &builder->tree;
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (!add_node(builder, &tree->nodes[n])) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    for (uint32_t c = 0; c < tree->cluster_count && builder->model.proxy_triangles > 0; c++) {
        if (!add_cluster(builder, &tree->clusters[c])) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    if (!pli_add_joint_boxes(builder)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (builder->coefficient_modes.count > UINT32_MAX ||
        builder->coefficient_joints.count > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "too many modes and influences of joints");
    }
    if (builder->model.coefficient_kind == PLI_COEFFICIENTS_SPHERE &&
        builder->model.proxy_triangles > 0) {
        pli_wrap_proxies(builder);
    }
    keep_finite(builder->coefficient_values.data, builder->coefficient_values.count);
    return PLIANT_OK;
}
