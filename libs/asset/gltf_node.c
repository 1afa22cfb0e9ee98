/* Nodes, put in an order in which parents come first, and the bodies that hang on them. */
#include "gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parents of the file's nodes; a node may have one and may not be its own ancestor. */
static pliant_result find_parents(gltf_doc *doc, uint32_t *parents)
{
    size_t count = json_array_size(doc->nodes);
    for (size_t i = 0; i < count; i++) {
        parents[i] = PLI_NONE;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *node = json_array_get(doc->nodes, i), *children = NULL;
        if (!json_is_object(node)) {
            return pli_gltf_fail(doc, "node", i, "it is not an object");
        }
        pliant_result result = pli_gltf_get_list(doc, "node", i, node, "children", &children);
        for (size_t k = 0; result == PLIANT_OK && k < json_array_size(children); k++) {
            uint32_t child = 0;
            result = pli_gltf_to_index(doc, "node", i, json_array_get(children, k), "a child",
                                       doc->nodes, &child);
            if (result == PLIANT_OK && parents[child] != PLI_NONE) {
                return pli_gltf_fail(doc, "node", child,
                                     "it is a child of both node %u and node %zu", parents[child],
                                     i);
            }
            parents[child] = (uint32_t)i;
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Breadth first from the roots; what is not reached hangs on a cycle. */
static pliant_result order_nodes(gltf_doc *doc, const uint32_t *parents, uint32_t *order)
{
    size_t count = json_array_size(doc->nodes), found = 0;
    for (size_t i = 0; i < count; i++) {
        doc->node_of[i] = PLI_NONE;
        if (parents[i] == PLI_NONE) {
            order[found++] = (uint32_t)i;
        }
    }
    for (size_t at = 0; at < found; at++) {
        const json_t *children = json_object_get(json_array_get(doc->nodes, order[at]), "children");
        doc->node_of[order[at]] = (uint32_t)(doc->first_node + at);
        for (size_t k = 0; k < json_array_size(children); k++) {
            order[found++] = (uint32_t)json_number_value(json_array_get(children, k));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (doc->node_of[i] == PLI_NONE) {
            return pli_gltf_fail(doc, "node", i, "it is its own ancestor, or below one that is");
        }
    }
    return PLIANT_OK;
}

static pliant_result read_matrix(gltf_doc *doc, size_t index, const json_t *object,
                                 pli_asset_node *node)
{
    float columns[16];
    pliant_result result =
        pli_gltf_get_floats(doc, "node", index, object, "matrix", 16, columns, &node->has_matrix);
    for (size_t i = 0; result == PLIANT_OK && node->has_matrix && i < 12; i++) {
        node->matrix[i] = (double)columns[4 * (i % 4) + i / 4];
    }
    return result;
}

/* The weights of a node's mesh: the node's own, the mesh's or zeros. */
static pliant_result read_weights(gltf_doc *doc, size_t index, const json_t *object,
                                  pli_asset_node *node)
{
    uint32_t mesh = PLI_NONE;
    pliant_result result =
        pli_gltf_get_index(doc, "node", index, object, "mesh", doc->meshes, &mesh);
    if (result != PLIANT_OK || mesh == PLI_NONE || doc->mesh_mode_count[mesh] == 0) {
        return result;
    }
    uint32_t count = doc->mesh_mode_count[mesh];
    float *weights = pli_memory_get(doc->memory, count, sizeof *weights);
    if (weights == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    bool found = false;
    result = pli_gltf_get_floats(doc, "node", index, object, "weights", count, weights, &found);
    if (result == PLIANT_OK && !found) {
        result = pli_gltf_get_floats(doc, "mesh", mesh, json_array_get(doc->meshes, mesh),
                                     "weights", count, weights, &found);
    }
    if (count > UINT32_MAX - doc->asset->weight_total) {
        return pli_gltf_fail(doc, "node", index, "too many morph weights");
    }
    node->weights = weights;
    node->weight_count = count;
    node->weight_start = doc->asset->weight_total;
    doc->asset->weight_total += count;
    return result;
}

static pliant_result read_node(gltf_doc *doc, size_t index, uint32_t parent)
{
    const json_t *object = json_array_get(doc->nodes, index);
    pli_asset_node *node = pli_asset_add_node(doc->asset);
    if (node == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    *node = (pli_asset_node){.name = pli_gltf_name(doc, object, "node", index),
                             .parent = parent,
                             .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                             .scale = {1.0f, 1.0f, 1.0f}};
    if (node->name == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    bool found = false;
    pliant_result result = read_matrix(doc, index, object, node);
    result = result == PLIANT_OK ? pli_gltf_get_floats(doc, "node", index, object, "translation", 3,
                                                       node->translation, &found)
                                 : result;
    result = result == PLIANT_OK ? pli_gltf_get_floats(doc, "node", index, object, "rotation", 4,
                                                       node->rotation, &found)
                                 : result;
    result = result == PLIANT_OK
                 ? pli_gltf_get_floats(doc, "node", index, object, "scale", 3, node->scale, &found)
                 : result;
    return result == PLIANT_OK ? read_weights(doc, index, object, node) : result;
}

pliant_result pli_gltf_read_nodes(gltf_doc *doc)
{
    size_t count = json_array_size(doc->nodes);
    doc->first_node = doc->asset->node_count;
    uint32_t *parents = pli_memory_get(doc->memory, count, sizeof *parents);
    uint32_t *order = parents != NULL ? pli_memory_get(doc->memory, count, sizeof *order) : NULL;
    doc->node_of = order != NULL ? pli_memory_get(doc->memory, count, sizeof *order) : NULL;
    if (doc->node_of == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    pliant_result result = find_parents(doc, parents);
    result = result == PLIANT_OK ? order_nodes(doc, parents, order) : result;
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        uint32_t parent = parents[order[i]];
        result = read_node(doc, order[i], parent != PLI_NONE ? doc->node_of[parent] : PLI_NONE);
    }
    if (result == PLIANT_OK) {
        pli_memory_drop(doc->memory, parents);
        pli_memory_drop(doc->memory, order);
    }
    return result;
}

/* The names of all scenes, or as many as there is room for. */
static void list_scenes(const gltf_doc *doc, uint32_t without, char *text, size_t capacity)
{
    size_t used = 0, count = json_array_size(doc->scenes);
    text[0] = '\0';
    for (size_t i = 0; i < count && used + 100 < capacity; i++) {
        const char *name =
            json_string_value(json_object_get(json_array_get(doc->scenes, i), "name"));
        if (i != without) {
            int more = snprintf(text + used, capacity - used, "%s%zu", used > 0 ? ", " : "", i);
            used += (size_t)more;
            more =
                name != NULL ? snprintf(text + used, capacity - used, " '%s'", PLI_SHOW(name)) : 0;
            used += (size_t)more;
        }
    }
}

/* The scene that is asked for, by its name or its number. */
static pliant_result choose_scene(gltf_doc *doc, const char *wanted, uint32_t *scene)
{
    size_t count = json_array_size(doc->scenes), digits = strspn(wanted, "0123456789");
    char listed[400];
    for (size_t i = 0; i < count; i++) {
        const char *name =
            json_string_value(json_object_get(json_array_get(doc->scenes, i), "name"));
        if (name != NULL && strcmp(name, wanted) == 0) {
            *scene = (uint32_t)i;
            return PLIANT_OK;
        }
    }
    if (digits > 0 && digits < 10 && wanted[digits] == '\0' && strtoul(wanted, NULL, 10) < count) {
        *scene = (uint32_t)strtoul(wanted, NULL, 10);
        return PLIANT_OK;
    }
    list_scenes(doc, PLI_NONE, listed, sizeof listed);
    return pli_read_fail(doc->reader, "it has no scene '%s'; its scenes: %s", PLI_SHOW(wanted),
                         count > 0 ? listed : "none");
}

/* The number of the scene that is shown: the one that is asked for, the file's own, or the first.
 */
static pliant_result find_scene_number(gltf_doc *doc, uint32_t *scene)
{
    char listed[400];
    pliant_result result =
        pli_gltf_get_index(doc, "scene", 0, doc->root, "scene", doc->scenes, scene);
    if (result == PLIANT_OK && doc->asset->scene != NULL) {
        return choose_scene(doc, doc->asset->scene, scene);
    }
    *scene = *scene != PLI_NONE ? *scene : 0;
    if (result == PLIANT_OK && json_array_size(doc->scenes) > 1) {
        list_scenes(doc, *scene, listed, sizeof listed);
        pli_note(doc->reader, "of its %zu scenes number %u is read; left out: %s",
                 json_array_size(doc->scenes), *scene, listed);
    }
    return result;
}

/* Which nodes of the asset belong to the scene that is shown. */
static pliant_result find_scene(gltf_doc *doc, bool *in_scene)
{
    uint32_t scene = PLI_NONE;
    const json_t *list = NULL;
    pliant_result result = find_scene_number(doc, &scene);
    if (result != PLIANT_OK) {
        return result;
    }
    size_t end = doc->asset->node_count;
    if (json_array_size(doc->scenes) == 0) { /* nothing is said: everything belongs */
        memset(in_scene, true, end - doc->first_node);
        return PLIANT_OK;
    }
    result =
        pli_gltf_get_list(doc, "scene", scene, json_array_get(doc->scenes, scene), "nodes", &list);
    for (size_t i = 0; result == PLIANT_OK && i < json_array_size(list); i++) {
        uint32_t node = 0;
        result = pli_gltf_to_index(doc, "scene", scene, json_array_get(list, i), "a node",
                                   doc->nodes, &node);
        if (result == PLIANT_OK) {
            in_scene[doc->node_of[node] - doc->first_node] = true;
        }
    }
    for (size_t i = doc->first_node; result == PLIANT_OK && i < end; i++) {
        uint32_t parent = doc->asset->nodes[i].parent;
        if (parent != PLI_NONE && in_scene[parent - doc->first_node]) {
            in_scene[i - doc->first_node] = true;
        }
    }
    return result;
}

/* The joints of a skin and, behind them, the node itself, for a mesh with vertices that no joint of
   its skin moves. */
static pliant_result add_own_joint(gltf_doc *doc, const gltf_skin *skin, uint32_t node,
                                   gltf_skin *more)
{
    size_t count = skin->joint_count;
    uint32_t *joints = pli_memory_get(doc->memory, count + 1, sizeof *joints);
    const char **names =
        joints != NULL ? pli_memory_get(doc->memory, count + 1, sizeof *names) : NULL;
    float *binds =
        names != NULL ? pli_memory_get(doc->memory, count + 1, 12 * sizeof *binds) : NULL;
    if (binds == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t j = 0; j <= count; j++) {
        bool own = j == count;
        joints[j] = own ? node : skin->joints[j];
        names[j] = own ? doc->asset->nodes[node].name : skin->names[j];
        for (size_t i = 0; i < 12; i++) {
            binds[12 * j + i] = !own && skin->inverse_binds != NULL
                                    ? skin->inverse_binds[12 * j + i]
                                : i % 5 == 0 ? 1.0f
                                             : 0.0f;
        }
    }
    *more = (gltf_skin){joints, names, binds, (uint32_t)count + 1};
    return PLIANT_OK;
}

/* The name of the nearest node above one that has a name in the file; NULL where there is none. */
static const char *find_parents_name(const gltf_doc *doc, uint32_t node)
{
    size_t count = json_array_size(doc->nodes);
    for (uint32_t at = doc->asset->nodes[node].parent; at != PLI_NONE;
         at = doc->asset->nodes[at].parent) {
        for (size_t i = 0; i < count; i++) {
            const json_t *object = json_array_get(doc->nodes, i);
            if (doc->node_of[i] == at && json_string_value(json_object_get(object, "name"))) {
                return doc->asset->nodes[at].name;
            }
        }
    }
    return NULL;
}

static pliant_result add_body(gltf_doc *doc, size_t index, uint32_t mesh, const gltf_skin *skin)
{
    uint32_t shape = PLI_NONE, node = doc->node_of[index];
    pliant_result result =
        pli_gltf_find_shape(doc, mesh, skin != NULL ? skin->joint_count : 0, &shape);
    if (result != PLIANT_OK || shape == PLI_NONE) {
        return result;
    }
    gltf_skin more;
    if (skin != NULL && doc->asset->meshes[shape].joint_count > skin->joint_count) {
        result = add_own_joint(doc, skin, node, &more);
        if (result != PLIANT_OK) {
            return result;
        }
        skin = &more;
    }
    const char **names = pli_memory_get(doc->memory, 1, sizeof *names);
    pli_asset_body *body = names != NULL ? pli_asset_add_body(doc->asset) : NULL;
    if (body == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    names[0] = doc->asset->nodes[node].name;
    const pliant_asset_mesh *described = &doc->asset->meshes[shape];
    bool named =
        json_string_value(json_object_get(json_array_get(doc->nodes, index), "name")) != NULL;
    bool deforms = skin != NULL || described->mode_count > 0;
    const char *other = find_parents_name(doc, node);
    *body = (pli_asset_body){
        .shown = {.name = named           ? names[0]
                          : other != NULL ? other
                                          : described->name,
                  .shape = shape,
                  .motion = deforms ? PLIANT_ASSET_DEFORMING : PLIANT_ASSET_STILL,
                  .joint_count = described->joint_count,
                  .joint_names = skin != NULL ? skin->names : names},
        .node = node,
        .joints = skin != NULL ? skin->joints : NULL,
        .inverse_binds = skin != NULL ? skin->inverse_binds : NULL,
        .frames = PLI_NONE,
    };
    return PLIANT_OK;
}

static pliant_result read_body(gltf_doc *doc, size_t index)
{
    const json_t *object = json_array_get(doc->nodes, index);
    uint32_t mesh = PLI_NONE, skin = PLI_NONE;
    const gltf_skin *found = NULL;
    pliant_result result =
        pli_gltf_get_index(doc, "node", index, object, "mesh", doc->meshes, &mesh);
    if (result != PLIANT_OK || mesh == PLI_NONE) {
        return result;
    }
    result = pli_gltf_get_index(doc, "node", index, object, "skin", doc->skins, &skin);
    if (result == PLIANT_OK && skin != PLI_NONE) {
        result = pli_gltf_find_skin(doc, skin, &found);
    }
    return result == PLIANT_OK ? add_body(doc, index, mesh, found) : result;
}

pliant_result pli_gltf_read_bodies(gltf_doc *doc)
{
    size_t count = json_array_size(doc->nodes), bodies = doc->asset->body_count;
    bool *in_scene = pli_memory_get(doc->memory, count, sizeof *in_scene);
    if (in_scene == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    pliant_result result = find_scene(doc, in_scene);
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        if (in_scene[doc->node_of[i] - doc->first_node]) {
            result = read_body(doc, i);
        }
    }
    if (result == PLIANT_OK) {
        pli_memory_drop(doc->memory, in_scene);
    }
    if (result == PLIANT_OK && doc->asset->body_count == bodies) {
        pli_note(doc->reader, "its scene has no triangles");
    }
    return result;
}
