/*
 * What pliant-bench-cuda plays: bodies of a few shapes, each given by some numbers per step.
 * Cloth, fold, spheres and crowd are the scenes that the first experiments on a GPU were made with,
 * so that times can be compared.
 */
#ifndef LAB_CUDA_SCENES_H
#define LAB_CUDA_SCENES_H

#include "gallery/gallery.h"
#include "pliant/cuda.h"
#include "pliant/pliant.h"

enum { BENCH_SHAPES = 32 };

/* A shape, and how its bodies are given: by positions where it has no joints, else by coordinates,
   transforms and, if they have one, a world transform, one behind the other. */
typedef struct bench_shape {
    pliant_shape *shape;
    uint32_t vertices, triangles, modes, joints;
    bool has_world;
} bench_shape;

typedef struct bench_scene bench_scene;

struct bench_scene {
    bench_shape shapes[BENCH_SHAPES];
    uint32_t shape_count;
    uint32_t bodies; /* body i has shape i modulo their count */
    size_t numbers;  /* of all bodies */
    bool self;       /* each body with itself, else all with each other */
    void *own;
    void (*move)(const bench_scene *scene, uint32_t step, float *numbers);
    void (*release)(bench_scene *scene); /* frees `own` */
};

const bench_shape *bench_scene_shape(const bench_scene *scene, uint32_t body);

/* How many numbers a body of a shape is given by, and where a body's begin. */
size_t bench_scene_numbers(const bench_shape *shape);
size_t bench_scene_offset(const bench_scene *scene, uint32_t body);

/* For makers of scenes: adds a shape, whose `model` may be NULL; says how many bodies there are. */
pliant_result bench_scene_add(pliant_context *context, const gallery_mesh *mesh,
                              const float *positions, const gallery_model *model,
                              bench_scene *scene);
void bench_scene_set_bodies(bench_scene *scene, uint32_t bodies);

/* A sheet of 2 * columns * rows triangles, folded to and fro in so many layers whose waves touch;
   with `flat`, folded exactly onto itself. */
pliant_result bench_cloth_create(pliant_context *context, uint32_t columns, uint32_t rows,
                                 uint32_t layers, bool flat, bench_scene *scene);

/* Two bumpy spheres of 20 * 4^subdivisions triangles that reach into each other. */
pliant_result bench_spheres_create(pliant_context *context, uint32_t subdivisions,
                                   bench_scene *scene);

/* Bumpy balls of 20 * frequency^2 triangles with ten modes and a transform on a jittered lattice.
   Close together each touches several others in long curves, else few touch at all. */
pliant_result bench_crowd_create(pliant_context *context, uint32_t bodies, uint32_t frequency,
                                 bool close, bench_scene *scene);

/* Six figures that hang from a ring, of so many vertices, moved by 115 nodes each. */
pliant_result bench_ring_create(pliant_context *context, uint32_t vertices, bench_scene *scene);

/* So many dressed people (body, suit, shoes) who walk next to each other; PLIANT_ASSETS has them.
   PLIANT_ERROR_STATE where it has not. */
pliant_result bench_people_create(pliant_context *context, uint32_t people, bench_scene *scene);

void bench_scene_destroy(bench_scene *scene);

#endif
