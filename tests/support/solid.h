/* Closed bodies for the tests of volumes, and what their volumes really are. */
#ifndef PLIANT_TESTS_SOLID_H
#define PLIANT_TESTS_SOLID_H

#include "fixture.h"
#include "random.h"

#include "pliant/volume.h"

/* What the tests ask with beside test_context; made and destroyed with that one. */
extern pliant_volume *test_volume;
int test_volume_set_up(void **state);
int test_volume_tear_down(void **state);

/* A limit under which images of all rows have room in every test. */
#define WHOLE_IMAGES ((uint64_t)1 << 40)

/* A volume object with a memory_limit; 0: the default one. */
pliant_volume *test_volume_limited(pliant_context *context, uint64_t limit);

/* A body with its mesh. */
typedef struct test_solid {
    gallery_mesh mesh;
    pliant_shape *shape;
    pliant_body *body;
} test_solid;

/* Where a solid stands: x_world = rotation * (scale * x) + translation. */
typedef struct test_place {
    double rotation[3][3], scale[3], translation[3];
} test_place;

test_place place_at(double x, double y, double z);
test_place place_random(rng *r, double spread);

/* A copy of arrays. */
gallery_mesh test_solid_mesh(const float (*positions)[3], uint32_t vertices,
                             const uint32_t (*triangles)[3], uint32_t triangle_count);

/* A tetrahedron; corners 0, 1, 2 run counterclockwise, seen from outside. */
gallery_mesh test_solid_corners(const float corners[4][3]);

/* Meshes around the origin, moved to their place. */
gallery_mesh test_solid_box(const test_place *place);         /* half sides 1 */
gallery_mesh test_solid_tetrahedron(const test_place *place); /* regular, corners at +-1 */
gallery_mesh test_solid_sphere(uint32_t triangles, const test_place *place); /* radius 1 */
gallery_mesh test_solid_torus(uint32_t around, uint32_t along, double tube,
                              const test_place *place); /* radius 1, tube around it */

/* One of these, somewhere. */
gallery_mesh test_solid_random(rng *r);

/* Moves a mesh to a place. */
void test_solid_move(gallery_mesh *mesh, const test_place *place);

/* Puts a mesh behind another; `more` is freed. */
void test_solid_join(gallery_mesh *mesh, gallery_mesh *more);

/* A body of a mesh, which it takes over. */
test_solid test_solid_create(pliant_context *context, gallery_mesh mesh);
void test_solid_destroy(test_solid *solid);

/* The volume of a closed mesh: winding numbers as weights. */
double test_solid_volume(const gallery_mesh *mesh);

/* The volume that a closed mesh has in common with a convex one, by clipping; the mesh's winding
   numbers are weights. Off by rounding in double. */
double test_solid_common_volume(const gallery_mesh *mesh, const gallery_mesh *convex);

/* Default options but for the resolution. */
pliant_volume_options volume_at_resolution(uint32_t resolution);

/* What test_volume measures of the overlap of two solids. */
pliant_volume_measure intersect_solids(const test_solid *a, const test_solid *b,
                                       const pliant_volume_options *options);

/* Fails unless the true volume lies in both ranges of a measure, up to rounding. */
void check_volume_range(const char *what, const pliant_volume_measure *m, double truth,
                        double rounding);

/* The winding number of a mesh around a point that does not lie on it, by solid angles. */
int test_solid_winding(const gallery_mesh *mesh, const float point[3]);

/* The distance of a point from a mesh. */
double test_solid_distance(const gallery_mesh *mesh, const float point[3]);

#endif
