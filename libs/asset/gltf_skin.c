/* Skins: which nodes are joints, and how much each of them moves each vertex. */
#include "gltf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SETS 16 /* of four influences per vertex */

/* Column-major 4 x 4 matrices become the rows of (A | t). */
static const float *read_inverse_binds(gltf_doc *doc, const gltf_numbers *numbers, uint32_t count)
{
    float *rows = pli_memory_get(doc->memory, count, 12 * sizeof *rows);
    for (size_t j = 0; rows != NULL && j < count; j++) {
        for (size_t i = 0; i < 12; i++) {
            rows[12 * j + i] = numbers->at[16 * j + 4 * (i % 4) + i / 4];
        }
    }
    return rows;
}

static pliant_result read_joints(gltf_doc *doc, uint32_t skin, const json_t *list, gltf_skin *out)
{
    size_t count = json_array_size(list);
    uint32_t *joints = pli_memory_get(doc->memory, count, sizeof *joints);
    const char **names = joints != NULL ? pli_memory_get(doc->memory, count, sizeof *names) : NULL;
    if (names == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t j = 0; j < count; j++) {
        uint32_t node = 0;
        pliant_result result = pli_gltf_to_index(doc, "skin", skin, json_array_get(list, j),
                                                 "a joint", doc->nodes, &node);
        if (result != PLIANT_OK) {
            return result;
        }
        joints[j] = doc->node_of[node];
        names[j] = doc->asset->nodes[joints[j]].name;
    }
    out->joints = joints;
    out->names = names;
    out->joint_count = (uint32_t)count;
    return PLIANT_OK;
}

static pliant_result read_skin(gltf_doc *doc, uint32_t skin, gltf_skin *out)
{
    const json_t *object = json_array_get(doc->skins, skin), *list = NULL;
    uint32_t accessor = PLI_NONE;
    pliant_result result = pli_gltf_get_list(doc, "skin", skin, object, "joints", &list);
    if (result == PLIANT_OK && json_array_size(list) == 0) {
        return pli_gltf_fail(doc, "skin", skin, "it has no joints");
    }
    result = result == PLIANT_OK ? read_joints(doc, skin, list, out) : result;
    result = result == PLIANT_OK
                 ? pli_gltf_get_index(doc, "skin", skin, object, "inverseBindMatrices",
                                      doc->accessors, &accessor)
                 : result;
    if (result != PLIANT_OK || accessor == PLI_NONE) {
        return result;
    }
    gltf_numbers numbers = {0};
    result = pli_gltf_floats(doc, accessor, 16, &numbers);
    if (result == PLIANT_OK && numbers.count < out->joint_count) {
        return pli_gltf_fail(doc, "skin", skin, "%llu inverse bind matrices for %u joints",
                             (unsigned long long)numbers.count, out->joint_count);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    out->inverse_binds = read_inverse_binds(doc, &numbers, out->joint_count);
    return out->inverse_binds != NULL ? PLIANT_OK : pli_read_fail_memory(doc->reader);
}

pliant_result pli_gltf_find_skin(gltf_doc *doc, uint32_t skin, const gltf_skin **found)
{
    gltf_skin *known = &doc->skin_list[skin];
    *found = known;
    return known->joints != NULL ? PLIANT_OK : read_skin(doc, skin, known);
}

/* The influences of the vertices that are being read. */
typedef struct influence_build {
    gltf_doc *doc;
    uint32_t mesh;
    uint32_t joint_count;
    uint32_t *offsets, *nodes;
    float *weights;
    size_t count, capacity_nodes, capacity_weights;
    uint64_t odd_sums; /* vertices whose weights do not sum to 1 */
    uint64_t repaired; /* vertices with weights that were taken as 0 */
    uint64_t alone;    /* of these, vertices that were left without any */
    const char *name;  /* of the mesh */
} influence_build;

/* One set of four per vertex, for one range of vertices. */
typedef struct influence_set {
    uint32_t *joints;
    gltf_numbers weights;
    uint32_t weights_accessor;
} influence_set;

/* Sets the pair JOINTS_n and WEIGHTS_n; *found is false where there is no such pair. */
static pliant_result read_set(influence_build *build, const gltf_vertices *vertices, unsigned n,
                              influence_set *set, bool *found)
{
    gltf_doc *doc = build->doc;
    char joints_key[16], weights_key[16];
    snprintf(joints_key, sizeof joints_key, "JOINTS_%u", n);
    snprintf(weights_key, sizeof weights_key, "WEIGHTS_%u", n);
    uint32_t joints = PLI_NONE;
    uint64_t count = 0;
    pliant_result result = pli_gltf_get_index(doc, "mesh", build->mesh, vertices->attributes,
                                              joints_key, doc->accessors, &joints);
    result = result == PLIANT_OK
                 ? pli_gltf_get_index(doc, "mesh", build->mesh, vertices->attributes, weights_key,
                                      doc->accessors, &set->weights_accessor)
                 : result;
    *found = joints != PLI_NONE && set->weights_accessor != PLI_NONE;
    if (result != PLIANT_OK || !*found) {
        return result;
    }
    result = pli_gltf_integers(doc, joints, 4, &set->joints, &count);
    result = result == PLIANT_OK ? pli_gltf_any_floats(doc, set->weights_accessor, 4, &set->weights)
                                 : result;
    if (result == PLIANT_OK && (count != vertices->count || set->weights.count != count)) {
        return pli_gltf_fail(doc, "mesh", build->mesh,
                             "primitive %zu: %llu joints and %llu weights for %u vertices",
                             vertices->primitive, (unsigned long long)count,
                             (unsigned long long)set->weights.count, vertices->count);
    }
    return result;
}

/* Adds to the weight of a joint of the vertex that starts at `start`; joints stay in order. */
static pliant_result add_influence(influence_build *build, size_t start, uint32_t joint,
                                   float weight)
{
    gltf_doc *doc = build->doc;
    size_t at = build->count;
    while (at > start && build->nodes[at - 1] >= joint) {
        at--;
    }
    if (at < build->count && build->nodes[at] == joint) {
        build->weights[at] += weight;
        return PLIANT_OK;
    }
    uint32_t *nodes = pli_memory_grow(doc->memory, build->nodes, &build->capacity_nodes,
                                      build->count + 1, sizeof *nodes);
    build->nodes = nodes != NULL ? nodes : build->nodes;
    float *weights = nodes != NULL
                         ? pli_memory_grow(doc->memory, build->weights, &build->capacity_weights,
                                           build->count + 1, sizeof *weights)
                         : NULL;
    if (weights == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    build->weights = weights;
    memmove(nodes + at + 1, nodes + at, (build->count - at) * sizeof *nodes);
    memmove(weights + at + 1, weights + at, (build->count - at) * sizeof *weights);
    nodes[at] = joint;
    weights[at] = weight;
    build->count++;
    return PLIANT_OK;
}

/* Weights sum to 1; a vertex without any follows its first joint, or, where that is because its
   weights are not to be used, the node of its mesh: the joint behind those of the skin. */
static pliant_result finish_vertex(influence_build *build, size_t start, uint32_t first_joint,
                                   bool repaired)
{
    double sum = 0.0;
    for (size_t i = start; i < build->count; i++) {
        sum += (double)build->weights[i];
    }
    if (repaired) {
        build->repaired++;
        build->alone += build->count == start ? 1 : 0;
        first_joint = build->joint_count;
    } else {
        /* What float32 or 8-bit weights round to is no fault. */
        build->odd_sums += !(fabs(sum - 1.0) <= 1e-2) ? 1 : 0;
    }
    if (build->count == start) {
        return add_influence(build, start, first_joint, 1.0f);
    }
    if (!build->doc->asset->normalise_weights && !repaired) {
        return PLIANT_OK;
    }
    for (size_t i = start; i < build->count; i++) {
        double weight = (double)build->weights[i] / sum;
        if (!(fabs(weight) <= 1e6)) {
            return pli_gltf_fail(build->doc, "mesh", build->mesh,
                                 "weights of a vertex sum to %g and cannot be normalised", sum);
        }
        build->weights[i] = (float)weight;
    }
    return PLIANT_OK;
}

/* Whether a weight other than 0 can be used. */
static pliant_result check_influence(const influence_build *build, size_t vertex, uint32_t joint,
                                     float weight)
{
    if (!(weight > 0.0f && weight <= FLT_MAX)) { /* what is not finite has been said by vertex */
        return pli_read_fail_with(build->doc->reader, PLIANT_ERROR_RANGE,
                                  "mesh %u '%s': the weight of vertex %zu is %g; weights must "
                                  "not be negative; a repair (--repair) takes such weights as 0",
                                  build->mesh, PLI_SHOW(build->name), vertex, (double)weight);
    }
    if (joint >= build->joint_count) {
        return pli_read_fail_with(build->doc->reader, PLIANT_ERROR_RANGE,
                                  "mesh %u '%s': vertex %zu uses joint %u of %u; a repair "
                                  "(--repair) takes such weights as 0",
                                  build->mesh, PLI_SHOW(build->name), vertex, joint,
                                  build->joint_count);
    }
    return PLIANT_OK;
}

static pliant_result add_vertex(influence_build *build, const influence_set *sets, unsigned count,
                                size_t vertex)
{
    size_t start = build->count;
    bool repaired = false;
    for (unsigned s = 0; s < count; s++) {
        for (size_t k = 4 * vertex; k < 4 * vertex + 4; k++) {
            float weight = sets[s].weights.at[k];
            uint32_t joint = sets[s].joints[k];
            if (weight == 0.0f) {
                continue;
            }
            pliant_result result = check_influence(build, vertex, joint, weight);
            if (result != PLIANT_OK) {
                if (!build->doc->asset->repair) {
                    return result;
                }
                repaired = true;
                continue;
            }
            result = add_influence(build, start, joint, weight);
            if (result != PLIANT_OK) {
                return result;
            }
        }
    }
    uint32_t first = sets[0].joints[4 * vertex];
    return finish_vertex(build, start, first < build->joint_count ? first : 0, repaired);
}

/* Refuses weights that are not finite, naming the first of their vertices, unless they are to be
   repaired. */
static pliant_result check_weights(const influence_build *build, const gltf_vertices *vertices,
                                   const influence_set *set, unsigned n)
{
    char named[100] = "";
    uint64_t count = 0, last = UINT64_MAX;
    for (uint64_t k = 0; k < 4 * set->weights.count; k++) {
        if (isfinite(set->weights.at[k]) || k / 4 == last) {
            continue;
        }
        last = k / 4;
        if (count++ < 4) {
            size_t used = strlen(named);
            snprintf(named + used, sizeof named - used, "%s%llu", count > 1 ? ", " : "",
                     (unsigned long long)last);
        }
    }
    if (count == 0 || build->doc->asset->repair) {
        return PLIANT_OK;
    }
    if (count > 4) {
        size_t used = strlen(named);
        snprintf(named + used, sizeof named - used, " and %llu more",
                 (unsigned long long)(count - 4));
    }
    return pli_read_fail_with(build->doc->reader, PLIANT_ERROR_NOT_FINITE,
                              "mesh %u '%s': primitive %zu: WEIGHTS_%u of %s %s %s not finite; "
                              "a repair (--repair) takes such weights as 0",
                              build->mesh, PLI_SHOW(build->name), vertices->primitive, n,
                              count == 1 ? "vertex" : "vertices", named, count == 1 ? "is" : "are");
}

static pliant_result add_vertices(influence_build *build, const gltf_vertices *vertices)
{
    gltf_doc *doc = build->doc;
    influence_set sets[MOST_SETS] = {{0}};
    unsigned count = 0;
    bool found = true;
    pliant_result result = PLIANT_OK;
    while (result == PLIANT_OK && found && count < MOST_SETS) {
        result = read_set(build, vertices, count, &sets[count], &found);
        if (result == PLIANT_OK && found) {
            result = check_weights(build, vertices, &sets[count], count);
            count++;
        }
    }
    if (result == PLIANT_OK && count == 0) {
        return pli_gltf_fail(doc, "mesh", build->mesh,
                             "primitive %zu has no joints and weights, but a skin",
                             vertices->primitive);
    }
    for (size_t v = 0; result == PLIANT_OK && v < vertices->count; v++) {
        result = add_vertex(build, sets, count, v);
        build->offsets[vertices->first + v + 1] = (uint32_t)build->count;
    }
    for (unsigned s = 0; result == PLIANT_OK && s < count; s++) {
        pli_memory_drop(doc->memory, sets[s].joints);
        pli_gltf_forget(doc, sets[s].weights_accessor);
    }
    return result;
}

pliant_result pli_gltf_read_influences(gltf_doc *doc, uint32_t mesh, const gltf_vertices *vertices,
                                       size_t vertices_count, pliant_asset_mesh *out)
{
    influence_build build = {
        .doc = doc, .mesh = mesh, .joint_count = out->joint_count, .name = out->name};
    build.offsets =
        pli_memory_get(doc->memory, (uint64_t)out->vertex_count + 1, sizeof *build.offsets);
    if (build.offsets == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t i = 0; i < vertices_count; i++) {
        pliant_result result = add_vertices(&build, &vertices[i]);
        if (result != PLIANT_OK) {
            return result;
        }
        if (build.count > INT32_MAX) {
            return pli_gltf_fail(doc, "mesh", mesh, "more than 2^31 - 1 influences");
        }
    }
    if (build.odd_sums > 0) {
        pli_note(doc->reader, "mesh %u '%s': the weights of %llu vertices do not sum to 1%s", mesh,
                 PLI_SHOW(out->name), (unsigned long long)build.odd_sums,
                 doc->asset->normalise_weights ? "; they are scaled so that they do" : "");
    }
    if (build.repaired > 0) {
        pli_note(doc->reader,
                 "mesh %u '%s': weights of %llu vertices cannot be used and count as 0; %llu of "
                 "these follow the mesh's node alone",
                 mesh, PLI_SHOW(out->name), (unsigned long long)build.repaired,
                 (unsigned long long)build.alone);
    }
    out->joint_count += build.alone > 0 ? 1 : 0;
    out->influence_offsets = build.offsets;
    out->influence_joints = build.nodes;
    out->influence_weights = build.weights;
    return PLIANT_OK;
}
