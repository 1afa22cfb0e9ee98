/*
 * Built-in scenes: deforming bodies over a number of steps, used by tests, benchmarks and the demo
 * alike. A scene is deterministic: the same settings give the same bits on every machine.
 */
#ifndef GALLERY_SCENE_H
#define GALLERY_SCENE_H

#include "pliant/base.h"
#include "mesh.h"
#include "numbers.h"

/* Where a body's own frame stands in the world: x_world = rotation * x_local + translation. */
typedef struct scene_placement {
    double rotation[3][3];
    double translation[3];
} scene_placement;

/*
 * How the vertices of a body follow from a few numbers per step:
 * x_k = sum_j w_kj T_j (p_k + sum_m q_m U_km), as in the library's definition D1.
 */
typedef struct scene_model {
    uint32_t mode_count;  /* M, or 0 */
    float *modes;         /* U: mode after mode, 3 numbers per vertex; NULL without modes */
    uint32_t joint_count; /* n transforms, or 0: none */
    uint32_t
        *influence_offsets;     /* vertex_count + 1 entries; NULL: transform 0 moves all vertices */
    uint32_t *influence_joints; /* per influence, ascending within a vertex */
    float *influence_weights;   /* per influence */
} scene_model;

typedef struct scene_instance scene_instance;

/* What is known of a scene before it is made. */
typedef struct scene_kind {
    const char *name;
    const char *title;       /* a heading */
    const char *description; /* one sentence */
    uint32_t body_count;     /* default bodies */
    uint32_t triangles;      /* default triangles of the first body */
    uint32_t steps;          /* default steps */
    bool self;               /* the question is whether the body touches itself */
    bool any_count;          /* there may be any number of bodies */
    /* Makes the meshes and, for scenes that keep more than those, `own`. */
    bool (*create)(scene_instance *scene, uint32_t triangles);
    void (*destroy)(scene_instance *scene); /* frees `own`, which may be NULL; NULL: nothing to */
    /* Where the body stands at `time` from 0 (start) to 1 (end); NULL: it never leaves its frame.
     */
    void (*place)(const scene_instance *scene, uint32_t body, double time,
                  scene_placement *placement);
    /*
     * Scenes of bodies with models, instead of place() and evaluate(): the state of a body at a
     * step, mode_count coordinates and 12 numbers per transform, the rows of (A | t).
     */
    void (*state)(const scene_instance *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms);
    /* Positions in the body's own frame or, with a placement, in the world. */
    void (*evaluate)(const scene_instance *scene, uint32_t body, double time,
                     const scene_placement *placement, float *positions);
} scene_kind;

typedef struct scene_settings {
    uint32_t triangles; /* of the first body, as near as can be; 0: the scene's default */
    uint32_t steps;     /* the whole motion is cut into this many; 0: the scene's default */
    uint64_t seed;      /* changes phases and orientations; 1 is what benchmarks use */
    uint32_t bodies;    /* where any number may be; 0: the scene's default */
    pliant_isa isa;     /* at most this instruction set where the library is asked on the way */
} scene_settings;

/* No scene has more bodies than this by default. */
#define SCENE_MAX_BODIES 27

struct scene_instance {
    const scene_kind *kind;
    uint64_t seed;
    pliant_isa isa;
    uint32_t steps; /* step 0 is the start, step `steps` the end */
    uint32_t body_count;
    scene_mesh *bodies; /* triangles, and positions at step 0 in the world */
    float **rest;       /* what evaluate() starts from */
    double (*rotations)[3][3];
    double (*phases)[3];
    scene_model *models; /* per body; all zero for bodies that are given by their positions */
    void *own;           /* what only this kind of scene needs */
};

/* All scenes, in the order in which they are listed. */
extern const scene_kind *const scene_kinds[];
extern const uint32_t scene_kind_count;

/* The scene of that name, or NULL. */
const scene_kind *scene_find(const char *name);

/* Makes a scene; NULL when there is no memory. */
scene_instance *scene_create(const scene_kind *kind, const scene_settings *settings);
void scene_destroy(scene_instance *scene);

/* World positions of one body at one step. */
void scene_evaluate(const scene_instance *scene, uint32_t body, uint32_t step, float *positions);

/* The same in the body's own frame, and where that frame stands. World positions are those local
   ones placed before either is rounded to float32. */
void scene_evaluate_local(const scene_instance *scene, uint32_t body, uint32_t step,
                          float *positions);
void scene_place(const scene_instance *scene, uint32_t body, uint32_t step,
                 scene_placement *placement);

/* Whether a body is given by a model, and its state at a step; see scene_kind.state. */
bool scene_has_model(const scene_instance *scene, uint32_t body);
void scene_state(const scene_instance *scene, uint32_t body, uint32_t step, float *coordinates,
                 float *transforms);

/* The positions of all vertices under a model, in float32, in the order D1 fixes. */
void scene_model_evaluate(const scene_model *model, const float *rest, uint32_t vertex_count,
                          const float *coordinates, const float *transforms, float *positions);

/* Frees the arrays of a model. */
void scene_model_free(scene_model *model);

/* Rounds one point to float32, placed if there is a placement. For evaluate(). */
void scene_put(const scene_placement *placement, const double point[3], float position[3]);

extern const scene_kind scene_spheres;
extern const scene_kind scene_spheres_fine; /* for experiments, not listed */
extern const scene_kind scene_cloth;
extern const scene_kind scene_bowl;
extern const scene_kind scene_soup;
extern const scene_kind scene_arms;
extern const scene_kind scene_crowd_spheres;
extern const scene_kind scene_crowd_arms;
extern const scene_kind scene_ring;
extern const scene_kind scene_school;
extern const scene_kind scene_brain;
extern const scene_kind scene_figure;
extern const scene_kind scene_volumes;

#endif
