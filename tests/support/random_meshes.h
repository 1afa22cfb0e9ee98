/* Random meshes, most of them degenerate, over several families of coordinates. */
#ifndef PLIANT_TESTS_RANDOM_MESHES_H
#define PLIANT_TESTS_RANDOM_MESHES_H

#include "fixture.h"
#include "random.h"

/* Integers, uniform numbers, halves, multiples of 2^-140, of 1e37, mixed sizes, far out. */
enum { RANDOM_FAMILIES = 7 };

/* A coordinate of a family. */
float random_coordinate(rng *r, int family);

/* A mesh with coordinates of a family: a soup, sheet, tetrahedra, a fan or boxes, of at most 400
   triangles, or if not `large` of at most 32. */
void random_mesh_create(gallery_mesh *mesh, rng *r, int family, bool large);

#endif
