#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/meshless/brain.h"
#include "gallery/meshless/solids.h"
#include "shape/shape.h"

static bool create_body(points_brain *brain, uint32_t arity, uint32_t leaf_size,
                        pliant_shape **shape, pliant_body **body)
{
    const gallery_mesh *mesh = &brain->scene->bodies[0];
    const gallery_model *model = brain->source.model;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = brain->source.rest;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.arity = arity;
    def.leaf_size = leaf_size;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    def.normalise_weights = false;
    def.proxy_triangles = leaf_size == 1 ? 1 : 0; /* so that leaves have bounds by formula too */
    pliant_body_def body_def = pliant_body_def_default();
    body_def.update = PLIANT_UPDATE_TOP_DOWN;
    return pliant_shape_create(brain->context, &def, shape) == PLIANT_OK &&
           pliant_body_create(*shape, &body_def, body) == PLIANT_OK;
}

bool points_brain_create(const bench_settings *settings, uint32_t vertices, uint32_t nodes,
                         bool binary_tree, points_brain *brain, bench_report *report)
{
    memset(brain, 0, sizeof *brain);
    gallery_settings wanted = {.triangles = 2 * (vertices - 2), .seed = settings->seed};
    brain->scene = gallery_create(brain_kind(nodes), &wanted);
    brain->transforms = malloc(12 * (size_t)nodes * sizeof *brain->transforms);
    if (brain->scene == NULL || brain->transforms == NULL ||
        !nodes_fill(&solid_brain, nodes, settings->seed, &brain->nodes)) {
        return report_fail(report, "not enough memory");
    }
    brain->source = (blend_source){
        .model = &brain->scene->models[0],
        .rest = brain->scene->rest[0],
        .points = (const double(*)[3])brain->nodes.points,
    };
    brain->size = 2.0;
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    if (pliant_context_create(&def, &brain->context) != PLIANT_OK ||
        !create_body(brain, 8, 8, &brain->shape, &brain->body) ||
        (binary_tree && !create_body(brain, 2, 1, &brain->binary_shape, &brain->binary_body))) {
        return report_fail(report, "%s", pliant_last_error());
    }
    return true;
}

void points_brain_free(points_brain *brain)
{
    pliant_body_destroy(brain->body);
    pliant_shape_destroy(brain->shape);
    pliant_body_destroy(brain->binary_body);
    pliant_shape_destroy(brain->binary_shape);
    pliant_context_destroy(brain->context);
    free(brain->transforms);
    nodes_free(&brain->nodes);
    gallery_destroy(brain->scene);
}

bool points_brain_show(points_brain *brain, uint32_t step)
{
    uint32_t nodes = brain->source.model->joint_count;
    float nothing = 0.0f;
    gallery_state(brain->scene, 0, step, &nothing, brain->transforms);
    return pliant_body_set_transforms(brain->body, brain->transforms, nodes, 0) == PLIANT_OK &&
           (brain->binary_body == NULL ||
            pliant_body_set_transforms(brain->binary_body, brain->transforms, nodes, 0) ==
                PLIANT_OK);
}

uint32_t points_count_lanes(const pliant_shape *shape, uint32_t siblings)
{
    if (siblings < shape->node_count) {
        return shape->nodes[siblings].child_count;
    }
    uint32_t lanes = 0;
    for (uint32_t leaf = 0; leaf < PLI_WIDTH; leaf++) {
        lanes +=
            (shape->clusters[siblings - shape->node_count].live >> PLI_WIDTH * leaf & 0xff) != 0;
    }
    return lanes;
}

uint32_t points_list_vertices(const pliant_shape *shape, uint32_t siblings, uint32_t lane,
                              uint32_t *vertices)
{
    uint32_t count = 0;
    if (siblings >= shape->node_count) { /* a leaf of a cluster */
        const pli_cluster *cluster = &shape->clusters[siblings - shape->node_count];
        const uint8_t *corners = shape->slot_corners + 3 * (size_t)cluster->first_slot;
        for (uint32_t s = PLI_WIDTH * lane; s < PLI_WIDTH * (lane + 1); s++) {
            for (uint32_t k = 0; k < 3 && (cluster->live >> s & 1); k++) {
                vertices[count++] = shape->cluster_vertices[cluster->first_vertex +
                                                            corners[k * cluster->slot_count + s]];
            }
        }
        return count;
    }
    uint32_t child = shape->nodes[siblings].child[lane];
    if (child & PLI_CLUSTER_BIT) {
        const pli_cluster *cluster = &shape->clusters[child & ~PLI_CLUSTER_BIT];
        memcpy(vertices, shape->cluster_vertices + cluster->first_vertex,
               cluster->vertex_count * sizeof *vertices);
        return cluster->vertex_count;
    }
    const pli_vertex_span *span = &shape->nodes[child].vertices;
    memcpy(vertices, shape->vertex_order + span->first, span->count * sizeof *vertices);
    memcpy(vertices + span->count, shape->node_extras + span->extra_first,
           span->extra_count * sizeof *vertices);
    return span->count + span->extra_count;
}

blend_box points_smallest_box(const float *positions, const uint32_t *vertices, uint32_t count)
{
    const double far = (double)INFINITY;
    blend_box box = {{far, far, far}, {-far, -far, -far}};
    for (uint32_t i = 0; i < count; i++) {
        const float *p = positions + 3 * (size_t)(vertices != NULL ? vertices[i] : i);
        for (int k = 0; k < 3; k++) {
            box.lower[k] = fmin(box.lower[k], (double)p[k]);
            box.upper[k] = fmax(box.upper[k], (double)p[k]);
        }
    }
    return box;
}
