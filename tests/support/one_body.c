#include "one_body.h"

#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int one_body_tear_down(void **state)
{
    oracle_tear_down(state);
    return test_query_tear_down(state);
}

const test_way test_ways[] = {
    {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_AUTO, 1},
    {{PLIANT_PARTITION_BALANCED, 2, 1}, PLIANT_UPDATE_TOP_DOWN, 1},
    {{PLIANT_PARTITION_SHAPE_MEAN, 4, 3}, PLIANT_UPDATE_BOTTOM_UP, 1},
    {{PLIANT_PARTITION_SHAPE_CENTRE, 8, 1}, PLIANT_UPDATE_TOP_DOWN, 2},
    {{PLIANT_PARTITION_CONNECTIVITY, 2, 8}, PLIANT_UPDATE_HYBRID, 1},
};
const uint32_t test_way_count = sizeof test_ways / sizeof test_ways[0];

static test_mesh allocate(const char *name, uint32_t vertices, uint32_t triangles)
{
    test_mesh mesh = {.name = name, .vertex_count = vertices, .triangle_count = triangles};
    mesh.rest = malloc(3 * (size_t)vertices * sizeof(float));
    mesh.positions = malloc(3 * (size_t)vertices * sizeof(float));
    mesh.triangles = malloc(3 * (size_t)triangles * sizeof(uint32_t));
    if (mesh.rest == NULL || mesh.positions == NULL || mesh.triangles == NULL) {
        abort();
    }
    return mesh;
}

/* The first body of a scene, deformed; every coordinate times `scale` plus `offset`. */
static test_mesh from_scene(const char *name, const gallery_kind *kind, uint32_t triangles,
                            float scale, float offset)
{
    gallery_settings settings = {.triangles = triangles, .seed = 2};
    gallery_scene *scene = gallery_create(kind, &settings);
    const gallery_mesh *body = &scene->bodies[0];
    test_mesh mesh = allocate(name, body->vertex_count, body->triangle_count);
    memcpy(mesh.triangles, body->triangles, 3 * (size_t)body->triangle_count * sizeof(uint32_t));
    memcpy(mesh.rest, body->positions, 3 * (size_t)body->vertex_count * sizeof(float));
    gallery_evaluate(scene, 0, scene->steps, mesh.positions);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.positions[i] = scale * mesh.positions[i] + offset;
    }
    gallery_destroy(scene);
    return mesh;
}

/* Coordinates rounded to multiples of 1/8 or 1/2: many triangles become equal, flat or points. */
static test_mesh on_grid(const char *name, const gallery_kind *kind, uint32_t triangles, float step)
{
    test_mesh mesh = from_scene(name, kind, triangles, 1.0f, 0.0f);
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        mesh.positions[i] = step * rintf(mesh.positions[i] / step);
    }
    mesh.on_grid = true;
    return mesh;
}

static float any_finite(rng *r)
{
    for (;;) {
        uint32_t bits = (uint32_t)rng_u64(r);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x;
        }
    }
}

static test_mesh of_any_numbers(uint32_t triangles)
{
    rng r;
    rng_seed(&r, 77);
    uint32_t count = triangles / 8;
    test_mesh mesh = allocate("any finite numbers", 3 * count, count);
    for (uint32_t i = 0; i < 9 * count; i++) {
        mesh.rest[i] = mesh.positions[i] = any_finite(&r);
    }
    for (uint32_t i = 0; i < 3 * count; i++) {
        mesh.triangles[i] = i;
    }
    return mesh;
}

test_mesh test_mesh_create(uint32_t i, uint32_t triangles)
{
    switch (i) {
    case 0:
        return from_scene("spheres", &gallery_spheres, triangles, 1.0f, 0.0f);
    case 1:
        return from_scene("cloth", &gallery_cloth, triangles, 1.0f, 0.0f);
    case 2:
        return from_scene("soup, far away", &gallery_soup, triangles, 1.0f, 3000.0f);
    case 3:
        return on_grid("spheres on a grid", &gallery_spheres, triangles, 0.125f);
    case 4:
        return on_grid("cloth on a grid", &gallery_cloth, triangles, 0.125f);
    case 5:
        return on_grid("soup on a coarse grid", &gallery_soup, triangles, 0.5f);
    case 6:
        return from_scene("huge spheres", &gallery_spheres, triangles, 0x1p120f, 0.0f);
    case 7:
        return from_scene("tiny spheres", &gallery_spheres, triangles, 0x1p-135f, 0.0f);
    default:
        return of_any_numbers(triangles);
    }
}

void test_mesh_destroy(test_mesh *mesh)
{
    free(mesh->rest);
    free(mesh->positions);
    free(mesh->triangles);
}

void test_mesh_corners(const test_mesh *mesh, uint32_t triangle, float corner[3][3])
{
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t v = mesh->triangles[3 * triangle + c];
        memcpy(corner[c], mesh->positions + 3 * (size_t)v, sizeof corner[c]);
    }
}

test_body test_body_create(pliant_context *context, const test_mesh *mesh, const test_way *way)
{
    test_body made = {0};
    gallery_mesh rest = {.positions = mesh->rest,
                         .triangles = mesh->triangles,
                         .vertex_count = mesh->vertex_count,
                         .triangle_count = mesh->triangle_count};
    pliant_body_def def = pliant_body_def_default();
    def.update = way->update;
    def.lazy_levels = way->lazy_levels;
    made.shape = fixture_shape(context, &rest, way->tree);
    assert_ok(pliant_body_create(made.shape, &def, &made.body));
    assert_ok(pliant_body_share_positions(made.body, mesh->positions, 0));
    return made;
}

void test_body_destroy(test_body *body)
{
    pliant_body_destroy(body->body);
    pliant_shape_destroy(body->shape);
}
