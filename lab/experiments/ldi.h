/* What the experiments with layered depth images share: deforming closed bodies, and methods. */
#ifndef LAB_EXPERIMENTS_LDI_H
#define LAB_EXPERIMENTS_LDI_H

#include "lab/harness/bench.h"
#include "pliant/volume.h"
#include "gallery/closed.h"

enum {
    LDI_FRAMES = 4,
    LDI_TURN = 2 * LDI_FRAMES, /* answers in a row before it is another method's turn */
    LDI_RESOLUTION = 128
};

/* The lower quartile of `count` times, which get sorted: other load on the machine only adds. */
double ldi_quartile(double *times, uint32_t count);

/* A body in several states. */
typedef struct ldi_body {
    const char *name;
    gallery_mesh mesh;
    float *frames[LDI_FRAMES];
} ldi_body;

/* Makes a body and its states. False when there is no memory. */
bool ldi_body_make(closed_kind kind, uint32_t triangles, ldi_body *body);

/* A body of one or more shells, each within the one before and turned the other way: a ray through
   the middle has two layers per shell. `triangles` are those of one shell. */
bool ldi_body_make_shells(closed_kind kind, uint32_t triangles, uint32_t shells, ldi_body *body);

/* One body of the surfaces of two, in the places that they have. */
bool ldi_body_join(const ldi_body *first, const ldi_body *second, ldi_body *body);

/* The same of the bunny that Debian's glmark2-data brings. False where it is not installed. */
bool ldi_body_make_bunny(ldi_body *body);

/* Moves all states so that the box of the first one overlaps another's by a share of the shorter
   side along an axis, and is centred on it along the other axes. */
void ldi_body_put_against(ldi_body *body, const ldi_body *other, uint32_t axis, double share);
void ldi_body_free(ldi_body *body);

/* Who finds the crossings. */
typedef enum ldi_drawn { LDI_PROCESSOR = 0, LDI_GL_STENCIL, LDI_GL_LISTS } ldi_drawn;

/* Whether a way is there; OpenGL may be missing. */
bool ldi_available(ldi_drawn drawn);

/* What draws, in a few words; empty without OpenGL. */
const char *ldi_renderer(void);

/* A way to answer: a context with its instruction set and options. */
typedef struct ldi_method {
    const char *name;
    pliant_isa isa;
    bool cull, error_bound;
    ldi_drawn drawn;
} ldi_method;

/* A method with its bodies. */
typedef struct ldi_player {
    pliant_context *context;
    pliant_volume_backend *backend; /* NULL: the processor */
    pliant_volume *volume;
    pliant_volume_options options;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    uint32_t body_count;
} ldi_player;

bool ldi_player_create(const ldi_method *method, pliant_isa cap, const ldi_body *const *bodies,
                       uint32_t body_count, ldi_player *player);
void ldi_player_destroy(ldi_player *player);

/* A moment, by several clocks. */
typedef struct ldi_moment {
    double thread, process, wall;
} ldi_moment;

ldi_moment ldi_now(void);

/*
 * Milliseconds from one moment to another: CPU time of this thread; where a driver's threads draw,
 * time on the wall or CPU time of all threads, whichever is less, so that other load does not
 * count.
 */
double ldi_elapsed(const ldi_player *player, ldi_moment from, ldi_moment to);

/* Gives all bodies the positions of one frame. */
bool ldi_player_show(ldi_player *player, const ldi_body *const *bodies, uint32_t frame);

#endif
