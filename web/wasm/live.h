/*
 * Worlds that go on while somebody looks: each is a table of functions. Positions are those of all
 * bodies, one after the other; a triangle has a mark of its own.
 */
#ifndef WEB_WASM_LIVE_H
#define WEB_WASM_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "pliant/pliant.h"
#include "gallery/mesh.h"

/* What a triangle does. */
typedef enum live_mark {
    LIVE_NOTHING = 0,
    LIVE_HELD,    /* the solver holds it off another body */
    LIVE_TOUCHING /* it shares a point with a triangle of another body, or with its own body's */
} live_mark;

/* What is told of a step; numbers without a meaning in a world are 0. */
typedef struct live_counts {
    double steps;
    double seconds;  /* of the world's own time */
    double touching; /* pairs of triangles, exactly, after the latest step */
    double held;     /* vertices that the solver holds off another body */
    double slowed;   /* vertices that the guard slowed down, in all steps */
    double late;     /* steps at whose end a body was not where it should be */
} live_counts;

typedef struct live_body {
    const gallery_mesh *mesh;
    float *positions;
    unsigned char *marks; /* live_mark per triangle */
} live_body;

typedef struct live_world {
    bool (*step)(void);
    bool (*look)(void); /* fills positions and marks, and live_counts.touching */
    /* Takes hold of a body, or strikes it, next to a vertex, where somebody sees `point`. */
    void (*press)(uint32_t body, uint32_t vertex, const double point[3], const double along[3]);
    void (*drag)(const double to[3]);
    void (*release)(void);
    void (*destroy)(void);
    live_body *bodies;
    uint32_t body_count;
    live_counts counts;
} live_world;

/* Makes a world of about so many triangles; NULL without memory. One at a time. */
live_world *live_make_cape(uint32_t triangles);
live_world *live_make_chairs(uint32_t triangles);

/* Arrays for a body of the mesh; false without memory. */
bool live_body_make(live_body *body, const gallery_mesh *mesh);
void live_body_free(live_body *body);

/* Marks the triangles of pairs; `b` may be `a`. */
void live_mark_pairs(live_body *a, live_body *b, const pliant_contacts *found);

#endif
