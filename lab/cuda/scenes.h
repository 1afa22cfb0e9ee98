/* What pliant-bench-cuda plays: bodies of one shape, each given by some numbers per step. */
#ifndef LAB_CUDA_SCENES_H
#define LAB_CUDA_SCENES_H

#include "gallery/mesh.h"
#include "pliant/cuda.h"
#include "pliant/pliant.h"

typedef struct bench_scene bench_scene;

struct bench_scene {
    gallery_mesh mesh;
    pliant_shape *shape;
    float *fields;             /* of the modes */
    uint32_t bodies, modes;    /* 0 modes: bodies are given by positions */
    uint32_t numbers;          /* per body: positions, or coordinates and one transform */
    uint32_t columns;          /* of a cloth */
    bool self;                 /* each body with itself, else with each other */
    double layers, gap, ripple; /* of a cloth, in edges; a gap of 0 folds it exactly flat */
    void (*move)(const bench_scene *scene, uint32_t step, float *numbers);
};

/* A square of cloth in eight layers whose ripples touch; or folded flat onto itself once. */
pliant_result bench_cloth_create(pliant_context *context, uint32_t triangles, bool folded,
                                 bench_scene *scene);

/* Two bumpy spheres that reach into each other. */
pliant_result bench_spheres_create(pliant_context *context, uint32_t triangles, bench_scene *scene);

/* Bumpy balls with ten modes on a jittered lattice. */
pliant_result bench_crowd_create(pliant_context *context, uint32_t bodies, uint32_t triangles,
                                 bench_scene *scene);

/* The numbers of all bodies at a step. */
void bench_scene_move(const bench_scene *scene, uint32_t step, float *numbers);

void bench_scene_destroy(bench_scene *scene);

#endif
