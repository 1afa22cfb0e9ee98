/* Bodies for the tests of questions about one body: scenes, some of them on a grid, where rays run
   exactly through edges and corners, and soups of any finite numbers. */
#ifndef PLIANT_TESTS_ONE_BODY_H
#define PLIANT_TESTS_ONE_BODY_H

#include "fixture.h"
#include "random.h"

/* After the tests: test_query_tear_down(), and the exact numbers of the oracle are released. */
int one_body_tear_down(void **state);

/* A mesh in one state. */
typedef struct test_mesh {
    const char *name;
    float *rest, *positions; /* 3 per vertex */
    uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
    bool on_grid; /* all coordinates are multiples of 1/64 below 256 in magnitude */
} test_mesh;

enum { TEST_MESHES = 9 };

/* Mesh number i of about `triangles` triangles. */
test_mesh test_mesh_create(uint32_t i, uint32_t triangles);
void test_mesh_destroy(test_mesh *mesh);

void test_mesh_corners(const test_mesh *mesh, uint32_t triangle, float corner[3][3]);

/* Trees and strategies that answers must not depend on. */
typedef struct test_way {
    fixture_tree tree;
    pliant_update update;
    uint32_t lazy_levels;
} test_way;

extern const test_way test_ways[];
extern const uint32_t test_way_count;

/* A body over a mesh, in its state. */
typedef struct test_body {
    pliant_shape *shape;
    pliant_body *body;
} test_body;

test_body test_body_create(pliant_context *context, const test_mesh *mesh, const test_way *way);
void test_body_destroy(test_body *body);

#endif
