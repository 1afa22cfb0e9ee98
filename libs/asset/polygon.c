/*
 * Based on: Meisters, Polygons have ears, 1975. A corner is cut off as soon as its triangle turns
 * the right way and has no other corner in it.
 *
 * Any cut into triangles is as good as another as long as none lies outside the face, so doubles
 * will do here.
 */
#include "polygon.h"

#include <math.h>
#include <string.h>

static void cross_of(const float *positions, const uint32_t triangle[3], double cross[3])
{
    double u[3], v[3];
    for (size_t k = 0; k < 3; k++) {
        double origin = (double)positions[3 * (size_t)triangle[0] + k];
        u[k] = (double)positions[3 * (size_t)triangle[1] + k] - origin;
        v[k] = (double)positions[3 * (size_t)triangle[2] + k] - origin;
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        cross[k] = u[next] * v[last] - u[last] * v[next];
    }
}

/* The normal of the whole face is the sum of its fan's, whatever its shape. */
static void normal_of(const float *positions, const uint32_t *triangles, size_t count,
                      double normal[3])
{
    memset(normal, 0, 3 * sizeof *normal);
    for (size_t i = 0; i < count; i++) {
        double cross[3];
        cross_of(positions, triangles + 3 * i, cross);
        for (int k = 0; k < 3; k++) {
            normal[k] += cross[k];
        }
    }
}

bool pli_fan_folds(const float *positions, const uint32_t *triangles, size_t count)
{
    double normal[3];
    normal_of(positions, triangles, count, normal);
    for (size_t i = 0; i < count; i++) {
        double cross[3];
        cross_of(positions, triangles + 3 * i, cross);
        if (cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2] < 0.0) {
            return true;
        }
    }
    return false;
}

/* The corners of a face that are left, in the plane. */
typedef struct polygon {
    uint32_t vertex[PLI_POLYGON_MOST];
    double at[PLI_POLYGON_MOST][2];
    size_t count;
} polygon;

/* Looks along the axis that the normal is nearest to, so that the face turns to the left. */
static void flatten(polygon *face, const float *positions, const double normal[3])
{
    size_t axis = 0;
    for (size_t k = 1; k < 3; k++) {
        axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
    }
    size_t x = (axis + 1) % 3, y = (axis + 2) % 3;
    if (normal[axis] < 0.0) {
        size_t swapped = x;
        x = y;
        y = swapped;
    }
    for (size_t i = 0; i < face->count; i++) {
        const float *position = positions + 3 * (size_t)face->vertex[i];
        face->at[i][0] = (double)position[x];
        face->at[i][1] = (double)position[y];
    }
}

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool is_same(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool is_ear(const polygon *face, size_t corner)
{
    size_t count = face->count, before = (corner + count - 1) % count, after = (corner + 1) % count;
    const double *a = face->at[before], *b = face->at[corner], *c = face->at[after];
    if (!(turn(a, b, c) > 0.0)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const double *p = face->at[i];
        bool corner_itself = is_same(p, a) || is_same(p, b) || is_same(p, c);
        if (!corner_itself && turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 &&
            turn(c, a, p) >= 0.0) {
            return false;
        }
    }
    return true;
}

static void remove_corner(polygon *face, size_t corner)
{
    size_t behind = face->count - corner - 1;
    memmove(face->vertex + corner, face->vertex + corner + 1, behind * sizeof *face->vertex);
    memmove(face->at + corner, face->at + corner + 1, behind * sizeof *face->at);
    face->count--;
}

bool pli_polygon_cut(const float *positions, uint32_t *triangles, size_t count)
{
    if (count + 2 > PLI_POLYGON_MOST) {
        return false;
    }
    polygon face = {.vertex = {triangles[0], triangles[1]}, .count = count + 2};
    for (size_t i = 0; i < count; i++) {
        face.vertex[i + 2] = triangles[3 * i + 2];
    }
    double normal[3];
    normal_of(positions, triangles, count, normal);
    flatten(&face, positions, normal);
    uint32_t cut[3 * PLI_POLYGON_MOST];
    size_t made = 0;
    while (face.count > 3) {
        size_t ear = 0;
        while (ear < face.count && !is_ear(&face, ear)) {
            ear++;
        }
        if (ear == face.count) {
            return false;
        }
        cut[made++] = face.vertex[(ear + face.count - 1) % face.count];
        cut[made++] = face.vertex[ear];
        cut[made++] = face.vertex[(ear + 1) % face.count];
        remove_corner(&face, ear);
    }
    if (turn(face.at[0], face.at[1], face.at[2]) < 0.0) {
        return false;
    }
    memcpy(cut + made, face.vertex, 3 * sizeof *cut);
    memcpy(triangles, cut, (made + 3) * sizeof *cut);
    return true;
}
