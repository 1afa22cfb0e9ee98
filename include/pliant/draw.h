/*
 * Pliant: drawing. What a body, a scene or an answer looks like, given as points, lines, triangles
 * and boxes to functions of yours: for debugging, not for show.
 *
 * Drawing changes no answer. It reads what is there; only where options.refresh is set it also
 * refreshes the bounds that it shows, as pliant_visit_bounds() does, so that later questions about
 * the same states find them refreshed and count less.
 */
#ifndef PLIANT_DRAW_H
#define PLIANT_DRAW_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn, and as what. */
typedef enum pliant_draw_kind {
    PLIANT_DRAW_SURFACE = 0,       /* a triangle of a body */
    PLIANT_DRAW_NODE,              /* a box: the bound of an inner node of its tree */
    PLIANT_DRAW_CLUSTER,           /* a box: the bound of a cluster */
    PLIANT_DRAW_BODY_BOX,          /* a box: the whole body, as its scene knows it */
    PLIANT_DRAW_LOOSE_BOX,         /* a box that its owner vouches for */
    PLIANT_DRAW_PAIR,              /* a line between the middles of two bodies that touch, or a
                                      point if a body touches itself */
    PLIANT_DRAW_TOUCHING_TRIANGLE, /* a triangle of a pair that touches */
    PLIANT_DRAW_SEGMENT,           /* a line or a point: what a pair of triangles has in common */
    PLIANT_DRAW_CONTACT            /* a contact: where a pair touches and how it parts */
} pliant_draw_kind;

/* One thing to draw. */
typedef struct pliant_draw_item {
    pliant_draw_kind kind;
    uint32_t colour;      /* a suggestion by kind, 0xrrggbb; bounds fade with their level */
    uint32_t body;        /* index in its scene; of two the lower; UINT32_MAX: in no scene */
    uint32_t triangle;    /* of that body, or PLIANT_NO_TRIANGLE */
    uint32_t level;       /* of a bound: 0 is the root */
    bool refreshed_below; /* of a bound: what lies below is known too */
} pliant_draw_item;

/*
 * Your functions; what is to be drawn by one that is NULL is left out. Coordinates are the world's.
 * They are called on the thread that draws. Meanwhile the scene answers nothing else, and what
 * would change it or the body fails with PLIANT_ERROR_STATE.
 */
typedef struct pliant_drawer {
    void (*draw_point)(void *user, const pliant_draw_item *item, const float at[3]);
    void (*draw_line)(void *user, const pliant_draw_item *item, const float from[3],
                      const float to[3]);
    void (*draw_triangle)(void *user, const pliant_draw_item *item,
                          const pliant_triangle *triangle);
    void (*draw_box)(void *user, const pliant_draw_item *item, const pliant_box *box);
    void (*draw_contact)(void *user, const pliant_draw_item *item, const float at[3],
                         const pliant_separation *separation);
    void *user;
} pliant_drawer;

typedef struct pliant_draw_options {
    uint32_t tag;         /* set by pliant_draw_options_default() */
    bool surface;         /* the triangles of bodies; default true */
    bool bounds;          /* the bounds of their trees; default false */
    uint32_t first_level; /* of these only levels from here, 0 (the default) being the root, */
    uint32_t last_level;  /* to here; default UINT32_MAX */
    bool refresh;         /* default false: only bounds that questions have refreshed in the current
                             state; true: all of these levels, and boxes of all bodies */
    bool body_boxes;      /* of a scene: boxes and loose boxes of bodies; default true */
    bool touching;        /* of answers: the triangles that touch; default true */
} pliant_draw_options;

PLIANT_DEFAULT(pliant_draw_options)

/* A body: its surface, and the bounds of its tree. `options` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_draw_body(pliant_query *query, pliant_body *body,
                                          const pliant_draw_options *options,
                                          const pliant_drawer *drawer);

/* All bodies of a scene, ascending by index. The answer of the scene's latest question stays. */
PLIANT_API pliant_result pliant_draw_scene(pliant_scene *scene, const pliant_draw_options *options,
                                           const pliant_drawer *drawer);

/*
 * What pliant_collide() or pliant_collide_self() answered (b is then a again), while the bodies are
 * in the same states: the triangles that touch, and where segments and separations were asked for,
 * these; a contact lies in the middle of its segment.
 */
PLIANT_API pliant_result pliant_draw_contacts(const pliant_body *a, const pliant_body *b,
                                              const pliant_contacts *contacts,
                                              const pliant_draw_options *options,
                                              const pliant_drawer *drawer);

/* What pliant_scene_collide() answered, while the bodies are there and in the same states: pairs of
   bodies, the triangles that touch, and segments and separations where these were asked for. */
PLIANT_API pliant_result pliant_draw_scene_contacts(pliant_scene *scene,
                                                    const pliant_scene_contacts *contacts,
                                                    const pliant_draw_options *options,
                                                    const pliant_drawer *drawer);

#ifdef __cplusplus
}
#endif

#endif
