#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is left of a simulation. */
typedef struct recording {
    node_cloud nodes;  /* of one body */
    float *transforms; /* all of step 0, all of step 1 and so on */
} recording;

/* A copy of `count` things of `size` bytes, or NULL. */
static void *copy_of(const void *array, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy != NULL) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

/* Gives all other bodies what the first has. */
static bool copy_first_body(gallery_scene *scene)
{
    const gallery_mesh *mesh = &scene->bodies[0];
    const gallery_model *model = &scene->models[0];
    size_t influences = model->influence_offsets[mesh->vertex_count];
    for (uint32_t body = 1; body < scene->body_count; body++) {
        gallery_mesh *twin = &scene->bodies[body];
        gallery_model *other = &scene->models[body];
        if (!mesh_allocate(mesh->vertex_count, mesh->triangle_count, twin)) {
            return false;
        }
        memcpy(twin->positions, mesh->positions, (size_t)mesh->vertex_count * 12);
        memcpy(twin->triangles, mesh->triangles, (size_t)mesh->triangle_count * 12);
        other->joint_count = model->joint_count;
        other->influence_offsets =
            copy_of(model->influence_offsets, (size_t)mesh->vertex_count + 1, sizeof(uint32_t));
        other->influence_joints = copy_of(model->influence_joints, influences, sizeof(uint32_t));
        other->influence_weights = copy_of(model->influence_weights, influences, sizeof(float));
        if (other->influence_offsets == NULL || other->influence_joints == NULL ||
            other->influence_weights == NULL) {
            return false;
        }
    }
    return true;
}

static bool create_world(const gallery_scene *scene, bodies_simulation *simulation)
{
    simulation->world = elastic_world_create(&simulation->shape, scene->body_count);
    simulation->boxes = malloc(scene->body_count * sizeof *simulation->boxes);
    return simulation->world != NULL && simulation->boxes != NULL;
}

/* A node's ball has the volume of its part, but does not stick out of the solid. */
static bool measure_nodes(const implicit_solid *solid, bodies_simulation *simulation)
{
    const node_cloud *nodes = &simulation->nodes;
    simulation->sizes = malloc(nodes->count * sizeof *simulation->sizes);
    for (uint32_t i = 0; simulation->sizes != NULL && i < nodes->count; i++) {
        double size = 0.62 * nodes_cube_root(nodes->volumes[i]);
        double depth = -solid->value(nodes->points[i]);
        simulation->sizes[i] = fmin(fmax(depth, 0.4 * size), 1.2 * size);
    }
    return simulation->sizes != NULL;
}

bool bodies_create(gallery_scene *scene, uint32_t triangles, const bodies_recipe *recipe,
                   bodies_simulation *simulation)
{
    memset(simulation, 0, sizeof *simulation);
    gallery_mesh *mesh = &scene->bodies[0];
    node_cloud *nodes = &simulation->nodes;
    if (!surface_make_mesh(recipe->solid, triangles / 2 + 2, mesh) ||
        !nodes_fill(recipe->solid, recipe->node_count, scene->seed, nodes)) {
        return false;
    }
    nodes_cover(nodes, mesh);
    return nodes_attach(nodes, mesh, &scene->models[0]) && copy_first_body(scene) &&
           elastic_shape_create(nodes, &recipe->material, &simulation->shape) &&
           measure_nodes(recipe->solid, simulation) && create_world(scene, simulation);
}

void bodies_free(bodies_simulation *simulation)
{
    elastic_world_destroy(simulation->world);
    elastic_shape_free(&simulation->shape);
    nodes_free(&simulation->nodes);
    free(simulation->sizes);
    free(simulation->boxes);
    memset(simulation, 0, sizeof *simulation);
}

static float *recorded(const gallery_scene *scene, uint32_t body, uint32_t step)
{
    recording *own = scene->own;
    size_t index = (size_t)step * scene->body_count + body;
    return own->transforms + index * own->nodes.count * 12;
}

bool bodies_record(gallery_scene *scene, bodies_simulation *simulation)
{
    uint32_t node_count = simulation->nodes.count;
    size_t frame = (size_t)scene->body_count * node_count * 12;
    recording *own = calloc(1, sizeof *own);
    scene->own = own;
    if (own == NULL) {
        return false;
    }
    own->transforms = malloc(((size_t)scene->steps + 1) * frame * sizeof(float));
    if (own->transforms == NULL) {
        return false;
    }
    own->nodes.count = node_count; /* so that recorded() finds its way */
    for (uint32_t step = 0; step <= scene->steps; step++) {
        if (step > 0) {
            elastic_advance(simulation->world, scene->kind->duration / (double)scene->steps);
        }
        for (uint32_t body = 0; body < scene->body_count; body++) {
            float *transforms = recorded(scene, body, step);
            for (uint32_t node = 0; node < node_count; node++) {
                elastic_transform(simulation->world, body, node, transforms + (size_t)12 * node);
            }
        }
    }
    own->nodes = simulation->nodes; /* theirs from now on */
    memset(&simulation->nodes, 0, sizeof simulation->nodes);
    return true;
}

void bodies_rest_node(const gallery_scene *scene, uint32_t node, double point[3], double *reach)
{
    const recording *own = scene->own;
    memcpy(point, own->nodes.points[node], sizeof own->nodes.points[node]);
    *reach = own->nodes.reaches[node];
}

void bodies_state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms)
{
    const recording *own = scene->own;
    (void)coordinates; /* there are no modes */
    memcpy(transforms, recorded(scene, body, step), (size_t)own->nodes.count * 12 * sizeof(float));
}

void bodies_destroy(gallery_scene *scene)
{
    recording *own = scene->own;
    if (own != NULL) {
        nodes_free(&own->nodes);
        free(own->transforms);
    }
    free(own);
    scene->own = NULL;
}
