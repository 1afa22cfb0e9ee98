/*
 * Built-in scenes: deforming bodies over a number of steps, used by tests, benchmarks and the demo
 * alike. A scene is deterministic: the same settings give the same bits on every machine.
 */
#ifndef GALLERY_GALLERY_H
#define GALLERY_GALLERY_H

#include "pliant/shape.h"
#include "mesh.h"
#include "numbers.h"

/* Where a body's own frame stands in the world: x_world = rotation * x_local + translation. */
typedef struct gallery_placement {
    double rotation[3][3];
    double translation[3];
} gallery_placement;

/*
 * How the vertices of a body follow from a few numbers per step:
 * x_k = sum_j w_kj T_j (p_k + sum_m q_m U_km), as in the library's definition D1.
 */
typedef struct gallery_model {
    uint32_t mode_count;  /* M, or 0 */
    float *modes;         /* U: mode after mode, 3 numbers per vertex; NULL without modes */
    uint32_t joint_count; /* n transforms, or 0: none */
    uint32_t
        *influence_offsets;     /* vertex_count + 1 entries; NULL: transform 0 moves all vertices */
    uint32_t *influence_joints; /* per influence, ascending within a vertex */
    float *influence_weights;   /* per influence */
} gallery_model;

typedef struct gallery_scene gallery_scene;

/* What is known of a scene before it is made. */
typedef struct gallery_kind {
    const char *name;
    const char *title;       /* a heading */
    const char *description; /* one sentence */
    uint32_t body_count;     /* default bodies */
    uint32_t triangles;      /* default triangles of the first body */
    uint32_t steps;          /* default steps */
    double duration;         /* of all steps together, in seconds; 0: no motion in time */
    bool self;               /* the question is whether the body touches itself */
    bool any_count;          /* there may be any number of bodies */
    /* Makes the meshes and, for scenes that keep more than those, `own`. */
    bool (*create)(gallery_scene *scene, uint32_t triangles);
    void (*destroy)(gallery_scene *scene); /* frees `own`, which may be NULL; NULL: nothing to */
    /* Where the body stands at `time` from 0 (start) to 1 (end); NULL: it never leaves its frame.
     */
    void (*place)(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement);
    /*
     * Scenes of bodies with models, instead of place() and evaluate(): the state of a body at a
     * step, mode_count coordinates and 12 numbers per transform, the rows of (A | t).
     */
    void (*state)(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                  float *transforms);
    /* Positions in the body's own frame or, with a placement, in the world. */
    void (*evaluate)(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions);
    /*
     * Scenes of one body that is torn on the way, else NULL: its triangles before that, of the
     * first vertices of bodies[0], and what is torn of a body that has so many vertices to get it
     * to a step; false: nothing. bodies[0] is the mesh as it ends, and copies of vertices lie where
     * their originals are before they are torn off.
     */
    const gallery_mesh *(*whole)(const gallery_scene *scene);
    bool (*tear)(const gallery_scene *scene, uint32_t vertex_count, uint32_t step,
                 pliant_tear *torn);
    const char *const *names; /* per body; NULL: "body 1", "body 2", ... */
} gallery_kind;

typedef struct gallery_settings {
    uint32_t triangles; /* of the first body, as near as can be; 0: the scene's default */
    uint32_t steps;     /* the whole motion is cut into this many; 0: the scene's default */
    uint64_t seed;      /* changes phases and orientations; 1 is what benchmarks use */
    uint32_t bodies;    /* where any number may be; 0: the scene's default */
    pliant_isa isa;     /* at most this instruction set where the library is asked on the way */
} gallery_settings;

/* No scene has more bodies than this by default. */
#define GALLERY_MAX_BODIES 27

struct gallery_scene {
    const gallery_kind *kind;
    uint64_t seed;
    pliant_isa isa;
    uint32_t steps; /* step 0 is the start, step `steps` the end */
    uint32_t body_count;
    gallery_mesh *bodies; /* triangles, and positions at step 0 in the world */
    float **rest;         /* what evaluate() starts from */
    double (*rotations)[3][3];
    double (*phases)[3];
    gallery_model *models; /* per body; all zero for bodies that are given by their positions */
    void *own;             /* what only this kind of scene needs */
};

/* All scenes, in the order in which they are listed. */
extern const gallery_kind *const gallery_kinds[];
extern const uint32_t gallery_kind_count;

/* The scene of that name, or NULL. */
const gallery_kind *gallery_find(const char *name);

/* Makes a scene; NULL when there is no memory. */
gallery_scene *gallery_create(const gallery_kind *kind, const gallery_settings *settings);
void gallery_destroy(gallery_scene *scene);

/* Writes the name of a body. */
#define GALLERY_NAME 40
void gallery_name_body(const gallery_scene *scene, uint32_t body, char name[GALLERY_NAME]);

/* World positions of one body at one step. */
void gallery_evaluate(const gallery_scene *scene, uint32_t body, uint32_t step, float *positions);

/* The same in the body's own frame, and where that frame stands. World positions are those local
   ones placed before either is rounded to float32. */
void gallery_evaluate_local(const gallery_scene *scene, uint32_t body, uint32_t step,
                            float *positions);
void gallery_place(const gallery_scene *scene, uint32_t body, uint32_t step,
                   gallery_placement *placement);

/* Whether a body is given by a model, and its state at a step; see gallery_kind.state. */
bool gallery_has_model(const gallery_scene *scene, uint32_t body);
void gallery_state(const gallery_scene *scene, uint32_t body, uint32_t step, float *coordinates,
                   float *transforms);

/* The positions of all vertices under a model, in float32, in the order D1 fixes. */
void gallery_model_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                            const float *coordinates, const float *transforms, float *positions);

/* Frees the arrays of a model. */
void gallery_model_free(gallery_model *model);

/* Rounds one point to float32, placed if there is a placement. For evaluate(). */
void gallery_put(const gallery_placement *placement, const double point[3], float position[3]);

extern const gallery_kind gallery_spheres;
extern const gallery_kind gallery_spheres_fine; /* for experiments, not listed */
extern const gallery_kind gallery_cloth;
extern const gallery_kind gallery_bowl;
extern const gallery_kind gallery_soup;
extern const gallery_kind gallery_tear;
extern const gallery_kind gallery_arms;
extern const gallery_kind gallery_crowd_spheres;
extern const gallery_kind gallery_crowd_arms;
extern const gallery_kind gallery_ring;
extern const gallery_kind gallery_school;
extern const gallery_kind gallery_brain;
extern const gallery_kind gallery_figure;
extern const gallery_kind gallery_cape;
extern const gallery_kind gallery_volumes;
extern const gallery_kind gallery_shatter;

#endif
