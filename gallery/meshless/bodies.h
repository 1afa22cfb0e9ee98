/*
 * Scenes of meshless bodies: all bodies are alike, are simulated when the scene is made, and are
 * there afterwards as a recording of the nodes' transforms.
 */
#ifndef GALLERY_MESHLESS_BODIES_H
#define GALLERY_MESHLESS_BODIES_H

#include "elastic.h"

/* What a scene's bodies are made of. */
typedef struct bodies_recipe {
    const implicit_solid *solid;
    uint32_t node_count;
    elastic_material material;
} bodies_recipe;

/* Bodies while they are simulated. */
typedef struct bodies_simulation {
    node_cloud nodes;
    elastic_shape shape;
    elastic_world *world;
    double *sizes;         /* of each node of a body: a ball of this radius is its part */
    double (*boxes)[2][3]; /* room to bound bodies while contacts are looked for */
} bodies_simulation;

/* Fills in all meshes and models of a scene, with about `triangles` triangles each, and makes a
   world of its bodies. False without memory; free the simulation in either case. */
bool bodies_create(gallery_scene *scene, uint32_t triangles, const bodies_recipe *recipe,
                   bodies_simulation *simulation);
void bodies_free(bodies_simulation *simulation);

/* Simulates the whole scene and keeps the recording. */
bool bodies_record(gallery_scene *scene, bodies_simulation *simulation);

/* For gallery_kind.state and gallery_kind.destroy. */
void bodies_state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms);
void bodies_destroy(gallery_scene *scene);

/* Where a node of the bodies of such a scene is at rest, in a body's own frame, and how far it is
   felt by the surface: what the influences were made from. */
void bodies_rest_node(const gallery_scene *scene, uint32_t node, double point[3], double *reach);

/* Ways in which nodes are pushed from outside; all add to `forces`. */

void bodies_add_gravity(const elastic_world *world, double strength, double (*forces)[3]);

/* Pulls a node to a target that moves with a velocity: a damped spring per mass. */
void bodies_add_target(const elastic_world *world, uint32_t body, uint32_t node,
                       const double target[3], const double velocity[3], double stiffness,
                       double (*forces)[3]);

/* Pushes nodes out of a ball. */
void bodies_add_ball(const elastic_world *world, const double centre[3], double radius,
                     double stiffness, double (*forces)[3]);

/* Pushes nodes of different bodies apart where their balls, `share` times as large as they are,
   overlap. */
void bodies_add_contact(const bodies_simulation *simulation, const elastic_world *world,
                        double share, double stiffness, double (*forces)[3]);

#endif
