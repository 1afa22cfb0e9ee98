/*
 * Spheres around triangles, and spheres around two spheres, a block at a time: gathered into
 * columns, computed with wide registers, scattered. Compiled once per instruction set under the
 * name WIDE_UPDATE.
 */
#include <math.h>

#include "wide_spheres.h"

enum { BLOCK = 64 };

/* Columns of x, y, z and the radius. */
typedef struct columns {
    float x[BLOCK], y[BLOCK], z[BLOCK], r[BLOCK];
} columns;

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The same margins as in sphere_tree.c. */
static inline float widen(float radius, float x, float y, float z)
{
    return radius * (1.0f + 0x1p-21f) + 0x1p-22f * larger(fabsf(x), larger(fabsf(y), fabsf(z)));
}

static void scatter(const columns *from, const uint32_t *nodes, uint32_t count,
                    baseline_sphere *spheres)
{
    for (uint32_t i = 0; i < count; i++) {
        spheres[nodes[i]] = (baseline_sphere){{from->x[i], from->y[i], from->z[i]}, from->r[i]};
    }
}

static inline float squared(float x, float y, float z)
{
    return x * x + y * y + z * z;
}

static void around_triangles(const float *positions, const uint32_t *corners, uint32_t count,
                             columns *result)
{
    columns p[3];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const float *from = positions + 3 * (size_t)corners[3 * (size_t)i + k];
            p[k].x[i] = from[0];
            p[k].y[i] = from[1];
            p[k].z[i] = from[2];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        float x = (p[0].x[i] + p[1].x[i] + p[2].x[i]) * (1.0f / 3.0f);
        float y = (p[0].y[i] + p[1].y[i] + p[2].y[i]) * (1.0f / 3.0f);
        float z = (p[0].z[i] + p[1].z[i] + p[2].z[i]) * (1.0f / 3.0f);
        float a = squared(p[0].x[i] - x, p[0].y[i] - y, p[0].z[i] - z);
        float b = squared(p[1].x[i] - x, p[1].y[i] - y, p[1].z[i] - z);
        float c = squared(p[2].x[i] - x, p[2].y[i] - y, p[2].z[i] - z);
        result->x[i] = x;
        result->y[i] = y;
        result->z[i] = z;
        result->r[i] = widen(sqrtf(larger(a, larger(b, c))), x, y, z);
    }
}

/* Children lie side by side: the first of each two is even. */
static void around_children(const baseline_sphere *children, uint32_t count, columns *result)
{
    columns a, b;
    for (uint32_t i = 0; i < count; i++) {
        const baseline_sphere *first = &children[2 * (size_t)i], *second = first + 1;
        a.x[i] = first->centre[0];
        a.y[i] = first->centre[1];
        a.z[i] = first->centre[2];
        a.r[i] = first->radius;
        b.x[i] = second->centre[0];
        b.y[i] = second->centre[1];
        b.z[i] = second->centre[2];
        b.r[i] = second->radius;
    }
    for (uint32_t i = 0; i < count; i++) {
        float dx = b.x[i] - a.x[i], dy = b.y[i] - a.y[i], dz = b.z[i] - a.z[i];
        float distance = sqrtf(squared(dx, dy, dz));
        float radius = 0.5f * (distance + a.r[i] + b.r[i]);
        /* How far from a towards b: none if a holds b, all the way if b holds a. */
        float share = (radius - a.r[i]) / (distance > 0.0f ? distance : 1.0f);
        bool holds_a = a.r[i] >= distance + b.r[i], holds_b = b.r[i] >= distance + a.r[i];
        share = holds_a ? 0.0f : (holds_b ? 1.0f : share);
        radius = holds_a ? a.r[i] : (holds_b ? b.r[i] : radius);
        result->x[i] = a.x[i] + share * dx;
        result->y[i] = a.y[i] + share * dy;
        result->z[i] = a.z[i] + share * dz;
        result->r[i] = widen(radius, result->x[i], result->y[i], result->z[i]);
    }
}

void WIDE_UPDATE(const wide_order *order, const float *positions, baseline_sphere *spheres)
{
    columns result;
    for (uint32_t i = 0; i < order->leaf_count; i += BLOCK) {
        uint32_t count = order->leaf_count - i < BLOCK ? order->leaf_count - i : BLOCK;
        around_triangles(positions, order->corners + 3 * (size_t)i, count, &result);
        scatter(&result, order->leaves + i, count, spheres);
    }
    for (uint32_t level = order->level_count; level-- > 0;) {
        uint32_t end = order->levels[level + 1];
        for (uint32_t i = order->levels[level]; i < end; i += BLOCK) {
            uint32_t count = end - i < BLOCK ? end - i : BLOCK;
            around_children(spheres + 1 + 2 * (size_t)i, count, &result);
            scatter(&result, order->inner + i, count, spheres);
        }
    }
}
