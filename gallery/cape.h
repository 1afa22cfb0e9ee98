/*
 * A cape on the walking figure: a cloth by position-based dynamics that asks the library where it
 * is against the figure (signed distances of its vertices) and against itself (features that are
 * close), and lets nothing pass through (what meets on the way). docs/guide/response.md tells the
 * same in small.
 */
#ifndef GALLERY_CAPE_H
#define GALLERY_CAPE_H

#include "pliant/pliant.h"
#include "gallery.h"

/* Two vertices that want to keep the distance they have at rest. */
typedef struct cape_link {
    uint32_t a, b;
    double length;
} cape_link;

/* A cloth of vertices of equal mass. */
typedef struct cape_cloth {
    uint32_t count;
    double (*places)[3];     /* where the solver moves the vertices to */
    double (*starts)[3];     /* where they were when the step began */
    double (*velocities)[3]; /* in metres per second */
    float *positions;        /* `places` as the library reads them */
    cape_link *edges;        /* keep the cloth from stretching */
    cape_link *bends;        /* across each inner edge: keep it from creasing */
    uint32_t edge_count, bend_count;
    double edge; /* mean length of an edge */
} cape_cloth;

/* A vertex that is pulled at: it wants to be at `to`. */
typedef struct cape_pull {
    bool is_on;
    uint32_t vertex;
    double to[3];
} cape_pull;

/* A round cloth with a hole for the neck, longer at the back, flat above the shoulders. */
bool cape_make_mesh(uint32_t triangles, gallery_mesh *mesh);

bool cape_cloth_create(const gallery_mesh *mesh, cape_cloth *cloth);
void cape_cloth_destroy(cape_cloth *cloth);

/* Begins a step: every vertex goes on as it did, and falls. Velocities stay until it is finished.
 */
void cape_cloth_predict(cape_cloth *cloth, double seconds);

/* One round over all links. */
void cape_cloth_relax(cape_cloth *cloth);

/* Takes the vertex that is pulled at some of the way there. */
void cape_cloth_pull(cape_cloth *cloth, const cape_pull *pull);

/* Keeps vertices from moving farther than `most` in this step. */
void cape_cloth_limit(cape_cloth *cloth, double most);

/* Rounds places to positions. */
void cape_cloth_round(cape_cloth *cloth);

/* Takes a step back: places and positions are where it began. */
void cape_cloth_restart(cape_cloth *cloth);

/* Ends a step: places become what positions are, and velocities what follows from that. */
void cape_cloth_finish(cape_cloth *cloth, double seconds);

/* What one step met and took; if it was cut, the last piece of it. */
typedef struct cape_costs {
    uint64_t on_body;   /* vertices held off the figure */
    uint64_t features;  /* pairs of features of the cloth that were close */
    uint64_t crossings; /* pairs of its triangles that touched when the step began */
    uint32_t rounds;    /* of the last projection */
} cape_costs;

/* What the guard did in all steps so far. */
typedef struct cape_guard_counts {
    uint64_t meetings; /* pairs of triangles on ways that were proposed */
    uint64_t slowed;   /* vertices, once for each time */
    uint64_t cuts;     /* how often slowing did not help, and the way was cut in half */
    uint64_t waits;    /* how often that did not help either, and the figure waited */
    uint64_t late;     /* steps at whose end the figure was not yet where it should be */
} cape_guard_counts;

/* The state of the figure at a time; as figure_pose(). */
typedef void cape_walk(double time, const double phases[3], float *coordinates, float *transforms);

/* The cape, the figure and what is known about both. */
typedef struct cape_world {
    cape_cloth cloth;
    const gallery_mesh *figure; /* at rest */
    const uint32_t *triangles;  /* of the cape */
    const gallery_model *model;
    double phases[3];
    cape_walk *walk;           /* how the figure moves; to begin with, part of the scene figure */
    double time;               /* the figure's part of its walk, 0 to 1 with that one */
    float *skin, *skin_before; /* the figure's vertices where the step ends and begins */
    pliant_shape *shapes[2];   /* of cape and figure */
    pliant_body *bodies[2];
    pliant_query *self, *outside; /* one per answer that is in use at the same time */
    pliant_signed_distance *distances;
    double *shares; /* of the way that was proposed: how far the guard lets each vertex go */
    cape_costs costs;
    cape_guard_counts counts;
    cape_pull pull; /* off to begin with */
    double near;    /* features of the cloth that come closer than it keeps them within a step are
                       looked for within so many of its edges; CAPE_NEAR to begin with */
    uint32_t patience; /* how often the figure waits in a step; CAPE_PATIENCE to begin with */
    bool unguarded;    /* accept every way; false to begin with */
    void (*accepted)(const struct cape_world *world, void *owner); /* told after every piece */
    void *owner;
} cape_world;

#define CAPE_ITERATIONS 4
#define CAPE_NEAR       0.65
#define CAPE_PATIENCE   64
#define CAPE_STEPS      600 /* of 1/240 s: the whole walk */

/* Makes the world at the time 0; meshes and model must outlive it. False: no memory, and the world
   is empty. */
bool cape_world_create(const gallery_mesh *cape, const gallery_mesh *figure,
                       const gallery_model *model, const double phases[3], pliant_context *context,
                       cape_world *world);
void cape_world_destroy(cape_world *world);

/*
 * Goes on by `seconds` to where `time` is the figure's part of its walk. Nothing passes
 * through: where the guard cannot slow the cloth down so that nothing does, the step is cut into
 * pieces, which are solved one after the other. Where the smallest piece does not help, since the
 * figure squeezes the cloth, the figure waits while the cloth moves on; if it waits too often, it
 * is late when the step ends (`world->time`), and catches up in the next.
 */
bool cape_world_step(cape_world *world, double time, double seconds);

/* Contacts, for cape_world_step(): what is close is found first, and held apart once per round. */
bool cape_find_self(cape_world *world, pliant_features *features);
void cape_hold_self(cape_cloth *cloth, const pliant_features *features);
bool cape_find_outside(cape_world *world);
void cape_hold_outside(cape_world *world);
/* Takes every vertex out of the figure, for good. */
bool cape_leave_figure(cape_world *world);
/* How the figure's surface moves in this step where a vertex is closest to it. */
void cape_carry(const cape_world *world, const pliant_closest *closest, double carried[3]);

/*
 * Slows vertices down until no two triangles meet on the way from where the step began to the
 * cloth's positions. `is_free` says whether that is proved now; false: no memory.
 */
bool cape_guard(cape_world *world, bool *is_free);

#endif
