/*
 * Pliant: contact proxies. Small groups of triangles, nodes of the tree, stand for what they hold:
 * a collision stops there and reports spheres that meet, with a point, a normal and a depth. That
 * is less than which triangles touch, but takes no vertex at all where bounds follow from
 * coordinates and transforms, and it can be interrupted at any time without losing a contact.
 *
 * What the proxies of a shape are stands in shape.h: pliant_proxy, pliant_shape_get_proxies().
 */
#ifndef PLIANT_PROXY_H
#define PLIANT_PROXY_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The contact stands for all that may lie between two nodes, because a budget was spent before they
   were opened: their sides are larger than proxies. */
#define PLIANT_PROXY_COARSE 1u

typedef struct pliant_proxy_contact {
    pliant_proxy a, b;
    float point[3];  /* between the two: amid the overlap of spheres, or on the triangle */
    float normal[3]; /* of length 1, from b towards a */
    float depth;     /* how far the two overlap along the normal, 0 or more */
    uint32_t flags;  /* 0 or PLIANT_PROXY_COARSE */
} pliant_proxy_contact;

typedef struct pliant_proxy_options {
    uint32_t tag;              /* set by pliant_proxy_options_default() */
    bool proxies_a, proxies_b; /* whether the bodies take part as proxies, or else with their
                                  triangles; default true */
    uint64_t budget_nodes;     /* stop after this many pairs of nodes; 0 (the default): never. The
                                  same input stops at the same place */
    uint64_t budget_microseconds; /* stop after about this time; 0 (the default): never */
} pliant_proxy_options;

PLIANT_DEFAULT(pliant_proxy_options)

/* The answer. The array belongs to the query and lives until its next call. */
typedef struct pliant_proxy_contacts {
    const pliant_proxy_contact *contacts; /* ascending by a.id, then b.id; NULL if there are none */
    uint64_t count;
    bool complete; /* false: a budget was spent, and some contacts are coarse */
} pliant_proxy_contacts;

/*
 * Which proxies of two bodies meet. `options` may be NULL for the defaults; the bodies must differ.
 *
 * Always, with a spent budget too: wherever two triangles touch, exactly or as the meshes that
 * shapes with an error stand for, there is a contact between proxies (or triangles, or coarse
 * nodes) that hold them.
 *
 * Besides, in a complete answer:
 * - Shapes bounded by spheres (PLIANT_BOUND_SPHERE): a proxy is its sphere, and the answer is all
 *   pairs of spheres that meet, or of a sphere and a triangle, each once, whatever the tree above
 *   and the update strategy, up to the rounding of that test: pairs that are apart by less than
 *   2^-50 of their radii, or 2^-44 of a triangle's distance and size, may be among them. Coarser
 *   spheres hold the proxies below them for all coordinates. Not so for coherent bodies
 *   (pliant_body_def.coherent), whose spheres depend on what they remember.
 * - Other shapes: proxies are reported if their boxes meet, or a box and a sphere. Contacts are
 * then made with the sphere around the box, so depths are generous. How tight the box of a body
 * that moves by transforms is, and hence which pairs are reported that do not touch, may depend on
 * the update strategy.
 * - Two bodies that both take part with their triangles: the pairs that touch, as in
 *   pliant_collide(), at depth 0; or within the shapes' errors of each other, by how much.
 */
PLIANT_API pliant_result pliant_collide_proxies(pliant_query *query, pliant_body *a, pliant_body *b,
                                                const pliant_proxy_options *options,
                                                pliant_proxy_contacts *contacts);

#ifdef __cplusplus
}
#endif

#endif
