#include "random_meshes.h"

#include <math.h>
#include <string.h>

float random_coordinate(rng *r, int family)
{
    switch (family) {
    case 0:
        return (float)rng_below(r, 5);
    case 1:
        return (float)rng_range(r, 0.0, 4.0);
    case 2:
        return 0.5f * ((float)rng_below(r, 9) - 4.0f);
    case 3:
        return ldexpf((float)rng_below(r, 5) - 2.0f, -140);
    case 4:
        return 1e37f * ((float)rng_below(r, 5) - 2.0f);
    case 5:
        if (rng_below(r, 8) == 0) {
            return ldexpf((float)rng_range(r, -0.5, 0.5), (int)rng_below(r, 60) - 30);
        }
        return (float)rng_range(r, 0.0, 4.0);
    default:
        return 1e6f + 0.0625f * (float)rng_below(r, 4);
    }
}

static void set_triangle(gallery_mesh *mesh, uint32_t t, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    memcpy(mesh->triangles + 3 * (size_t)t, corners, sizeof corners);
}

static void allocate(gallery_mesh *mesh, uint32_t vertices, uint32_t triangles, rng *r, int family)
{
    assert_true(mesh_allocate(vertices, triangles, mesh));
    for (uint32_t i = 0; i < 3 * vertices; i++) {
        mesh->positions[i] = random_coordinate(r, family);
    }
}

/* Triangles that use any vertices, one of them twice or three times as well. */
static void make_soup(gallery_mesh *mesh, rng *r, int family, bool large)
{
    uint32_t vertices = 4 + (uint32_t)rng_below(r, large ? 60 : 14);
    allocate(mesh, vertices, 1 + (uint32_t)rng_below(r, large ? 150 : 20), r, family);
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        mesh->triangles[i] = (uint32_t)rng_below(r, vertices);
    }
}

static void make_sheet(gallery_mesh *mesh, rng *r, int family, bool large)
{
    uint32_t side = 3 + (uint32_t)rng_below(r, large ? 12 : 3), count = 0;
    allocate(mesh, side * side, 2 * (side - 1) * (side - 1), r, family < 3 ? family : 1);
    for (uint32_t v = 0; v < side * side; v++) {
        mesh->positions[3 * v] = 4.0f * (float)(v / side) / (float)side;
        mesh->positions[3 * v + 1] = 4.0f * (float)(v % side) / (float)side;
    }
    for (uint32_t v = 0; v < side * (side - 1); v++) {
        if (v % side + 1 < side) {
            set_triangle(mesh, count++, v, v + 1, v + side);
            set_triangle(mesh, count++, v + 1, v + side + 1, v + side);
        }
    }
}

/* Tetrahedra in any place, each of them closed. */
static void make_tetrahedra(gallery_mesh *mesh, rng *r, int family, bool large)
{
    static const uint32_t corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    uint32_t count = 1 + (uint32_t)rng_below(r, large ? 25 : 5);
    allocate(mesh, 4 * count, 4 * count, r, family);
    for (uint32_t t = 0; t < 4 * count; t++) {
        const uint32_t *c = corners[t % 4];
        set_triangle(mesh, t, t / 4 * 4 + c[0], t / 4 * 4 + c[1], t / 4 * 4 + c[2]);
    }
}

static void make_fan(gallery_mesh *mesh, rng *r, int family, bool large)
{
    uint32_t count = 3 + (uint32_t)rng_below(r, large ? 80 : 12);
    allocate(mesh, count + 1, count, r, family);
    for (uint32_t i = 0; i < count; i++) {
        float *p = mesh->positions + 3 * (i + 1);
        p[0] = mesh->positions[0] + (float)cos(6.2831853 * i / count);
        p[1] = mesh->positions[1] + (float)sin(6.2831853 * i / count);
        p[2] = mesh->positions[2] + 0.5f * (float)rng_below(r, 2);
        set_triangle(mesh, i, 0, 1 + i, 1 + (i + 1) % count);
    }
}

/* Boxes whose triangles have vertices of their own, welded at equal places. */
static void make_boxes(gallery_mesh *mesh, rng *r, int family, bool large)
{
    static const uint8_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    uint32_t count = 1 + (uint32_t)rng_below(r, large ? 6 : 2);
    allocate(mesh, 36 * count, 12 * count, r, family);
    float lower[3], side[3] = {1.0f, 1.0f, 1.0f};
    memcpy(lower, mesh->positions, sizeof lower);
    for (uint32_t v = 0; v < 36 * count; v++) {
        for (uint32_t k = 0; k < 3; k++) {
            side[k] = v % 36 == 0 ? 1.0f + (float)rng_below(r, 2) : side[k];
            bool upper = (corners[v % 36] >> k & 1) != 0;
            mesh->positions[3 * v + k] = lower[k] + (float)(v / 36) + (upper ? side[k] : 0.0f);
        }
        mesh->triangles[v] = v;
    }
}

void random_mesh_create(gallery_mesh *mesh, rng *r, int family, bool large)
{
    void (*const make[])(gallery_mesh *, rng *, int, bool) = {
        make_soup, make_sheet, make_tetrahedra, make_tetrahedra, make_fan, make_boxes};
    make[rng_below(r, 6)](mesh, r, family, large);
}
