/*
 * The shapes of James & Pai's table 1 (2004), as procedural stand-ins that have exactly the paper's
 * numbers of vertices and faces. The paper's own models are not public.
 *
 * How both numbers come out right: 2 V - F is fixed by the choice of parts (see builder.h), and a
 * few splits of inner edges bring V, and F with it, to the last one.
 *   chair   2 V - F = 1,028: nine closed parts (36) and open tubes whose rings add up to 496
 *   fish    2 V - F = 286: body and eyes closed (12), seven fins with 260 edges around them
 *   bridge  2 V - F = 30,292: 7,573 closed parts; what the structure needs not goes to the railing
 *   curtain 2 V - F = 348: one sheet of 125 x 48 squares, whose boundary has 346 edges
 */
#ifndef GALLERY_MODAL_SHAPES_H
#define GALLERY_MODAL_SHAPES_H

#include "gallery/mesh.h"

#define MODAL_CHAIR_VERTICES   9471
#define MODAL_CHAIR_FACES      17914
#define MODAL_FISH_VERTICES    12531
#define MODAL_FISH_FACES       24776
#define MODAL_BRIDGE_VERTICES  135304
#define MODAL_BRIDGE_FACES     240316
#define MODAL_CURTAIN_VERTICES 6184
#define MODAL_CURTAIN_FACES    12020

/*
 * Lengths are metres, z is up. With the paper's number of faces the mesh is exactly the paper's
 * size; with any other it has about as many, though never fewer than its parts need. All return
 * false when there is no memory; the mesh is then empty.
 */

/* A chair with spindles and arms, 0.96 high, feet at z = 0, looking along y. */
bool modal_mesh_chair(uint32_t triangles, gallery_mesh *mesh);

/* A fish with fins, 1.4 long, its nose towards x. */
bool modal_mesh_fish(uint32_t triangles, gallery_mesh *mesh);

/* A suspension bridge along x, 120 long, its road 8 wide and at z = 0.2; its towers stand at
   z = -14. The vertices of the road come first. */
bool modal_mesh_bridge(uint32_t triangles, gallery_mesh *mesh);

#define MODAL_BRIDGE_LENGTH 120.0
#define MODAL_BRIDGE_WIDTH  8.0
#define MODAL_BRIDGE_ROAD   0.2   /* height of the road's upper side */
#define MODAL_BRIDGE_FOOT   -14.0 /* height of the towers' feet */

/* A curtain in loose folds, hanging in the plane y = 0 from a rod at z = 2. The vertices of its
   upper edge come first. */
bool modal_mesh_curtain(uint32_t triangles, gallery_mesh *mesh);

/* How many vertices the upper edge of a curtain has. */
uint32_t modal_curtain_edge(uint32_t triangles);

#endif
