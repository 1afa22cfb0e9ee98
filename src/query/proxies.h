/*
 * One walk of proxies against proxies or triangles. Contacts are appended to those of the query, so
 * that a worker of a scene can walk one pair of bodies after the other.
 */
#ifndef PLI_QUERY_PROXIES_H
#define PLI_QUERY_PROXIES_H

#include "pliant/proxy.h"

#include "bounds/boxes.h"
#include "query/walk.h"

#include <float.h>
#include <math.h>

/* A proxy or a node in its current state: a sphere, and the box it was made around unless the
   sphere is the bound itself. The shape's error is in both. */
typedef struct pli_ball {
    float centre[3];
    double radius;
    bool round;               /* the sphere is the bound, */
    float lower[3], upper[3]; /* and this is void */
} pli_ball;

/* One of the two bodies. */
typedef struct pli_proxy_side {
    pliant_body *body;
    bool proxies;
    bool spheres; /* nodes have spheres */
    float error;
    float slack; /* what rounding may do to spheres that hold each other */
} pli_proxy_side;

typedef struct pli_proxy_walk {
    pli_walk walk; /* the first member, as every walk's */
    pli_proxy_side side[2];
    float slack; /* of both sides */
} pli_proxy_walk;

/* proxies.c, for the walks: adds a contact. */
pliant_result pli_proxy_add(pli_proxy_walk *proxy, const pliant_proxy_contact *contact);

/* proxy_spheres.c: whether spheres are all that both bodies are compared by, and the walk for
   these, whose budget is not spent yet. It asks for no record. */
bool pli_proxy_walk_is_round(const pli_proxy_walk *proxy);
pliant_result pli_proxy_walk_spheres(pli_proxy_walk *proxy);

/* proxy_contact.c: a box, and the sphere around it, both widened by `error`. */
pli_ball pli_ball_around(const float lower[3], const float upper[3], float error);

/* Whether two may meet; boxes alone have been compared already. */
bool pli_balls_meet(const pli_ball *a, const pli_ball *b);

/* The contact of two that meet. */
void pli_contact_balls(const pli_ball *a, const pli_ball *b, pliant_proxy_contact *contact);

/* The contact of a sphere with a triangle that is off by an error, as seen from the triangle. False
   if they do not meet. */
bool pli_contact_ball_triangle(const pli_ball *ball, const float triangle[3][3], double error,
                               pliant_proxy_contact *contact);

/* The contact of two triangles that are off by an error in all. False if they do not meet. */
bool pli_contact_triangles(const float a[3][3], const float b[3][3], double error,
                           uint64_t *fallbacks, pliant_proxy_contact *contact);

#endif
