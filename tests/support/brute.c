#include "brute.h"
#include "as_triangle.h"

#include "geometry/triangle_overlap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void brute_add(brute_pairs *list, uint32_t a, uint32_t b)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 256 : 2 * list->capacity;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (list->pairs == NULL) {
            abort();
        }
    }
    list->pairs[list->count++] = (pliant_pair){a, b};
}

void brute_free(brute_pairs *list)
{
    free(list->pairs);
    *list = (brute_pairs){0};
}

static void corners(const brute_body *body, uint32_t triangle, float corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        uint32_t v = body->triangles[3 * (size_t)triangle + (size_t)c];
        memcpy(corner[c], body->positions + 3 * (size_t)v, sizeof corner[c]);
    }
}

/* Boxes of triangles that lie apart cannot touch: the one shortcut, made of comparisons only. */
static bool apart(float a[3][3], float b[3][3])
{
    for (int k = 0; k < 3; k++) {
        bool below = true, above = true;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                below = below && a[i][k] < b[j][k];
                above = above && a[i][k] > b[j][k];
            }
        }
        if (below || above) {
            return true;
        }
    }
    return false;
}

typedef const float (*const_corners)[3];

void brute_collide(const brute_body *a, const brute_body *b, brute_pairs *list)
{
    list->count = 0;
    float p[3][3], q[3][3];
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        corners(a, i, p);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            corners(b, j, q);
            if (!apart(p, q) && pliant_triangle_overlap(as_triangle(p), as_triangle(q))) {
                brute_add(list, i, j);
            }
        }
    }
}

static bool same_point(const float *p, const float *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* Whether corner i of a and corner j of b are the same vertex of the mesh, and in one place. */
static bool is_shared(const brute_body *body, const float *rest, uint32_t a, int i, uint32_t b,
                      int j)
{
    uint32_t v = body->triangles[3 * (size_t)a + (size_t)i];
    uint32_t w = body->triangles[3 * (size_t)b + (size_t)j];
    bool welded =
        v == w || (rest != NULL && same_point(rest + 3 * (size_t)v, rest + 3 * (size_t)w));
    return welded && same_point(body->positions + 3 * (size_t)v, body->positions + 3 * (size_t)w);
}

/*
 * The definition, word by word. Vertices are told apart by welded number and place; points by
 * place.
 */
static bool touch_self(const brute_body *body, const float *rest, pliant_neighbours rule,
                       uint32_t a, uint32_t b, const_corners p, const_corners q)
{
    bool shared[3] = {false, false, false}; /* corners of a that b has too */
    uint8_t other[3] = {0, 0, 0};
    for (int i = 0; i < 9; i++) {
        if (is_shared(body, rest, a, i / 3, b, i % 3)) {
            shared[i / 3] = true;
            other[i / 3] = (uint8_t)(i % 3);
        }
    }
    int vertices = 0, points = 0;
    uint8_t point[3][2];
    for (int i = 0; i < 3; i++) {
        bool vertex_is_new = shared[i], point_is_new = shared[i];
        for (int j = 0; j < i && shared[i]; j++) {
            if (shared[j]) {
                vertex_is_new = vertex_is_new && !is_shared(body, rest, a, i, a, j);
                point_is_new = point_is_new && !same_point(p[i], p[j]);
            }
        }
        vertices += vertex_is_new;
        if (point_is_new) {
            point[points][0] = (uint8_t)i;
            point[points++][1] = other[i];
        }
    }
    if (vertices == 0) {
        return pliant_triangle_overlap(as_triangle(p), as_triangle(q));
    }
    if (vertices == 3 || rule == PLIANT_NEIGHBOURS_SKIP) {
        return false;
    }
    return rule == PLIANT_NEIGHBOURS_ALL ||
           pli_triangle_overlap_beyond(p, q, points, (const uint8_t(*)[2])point, NULL);
}

void brute_collide_self(const brute_body *body, const float *rest, pliant_neighbours rule,
                        brute_pairs *list)
{
    list->count = 0;
    float p[3][3], q[3][3];
    for (uint32_t i = 0; i < body->triangle_count; i++) {
        corners(body, i, p);
        for (uint32_t j = i + 1; j < body->triangle_count; j++) {
            corners(body, j, q);
            if (!apart(p, q) &&
                touch_self(body, rest, rule, i, j, (const_corners)p, (const_corners)q)) {
                brute_add(list, i, j);
            }
        }
    }
}

bool brute_equal(const brute_pairs *list, const pliant_contacts *contacts, const char *what)
{
    size_t least = list->count < contacts->count ? list->count : (size_t)contacts->count;
    for (size_t i = 0; i < least; i++) {
        pliant_pair want = list->pairs[i], got = contacts->pairs[i];
        if (want.a != got.a || want.b != got.b) {
            printf("%s: pair %zu is (%u, %u), brute force says (%u, %u)\n", what, i, got.a, got.b,
                   want.a, want.b);
            return false;
        }
    }
    if (list->count != contacts->count) {
        printf("%s: %llu pairs, brute force says %zu\n", what, (unsigned long long)contacts->count,
               list->count);
        return false;
    }
    return true;
}
