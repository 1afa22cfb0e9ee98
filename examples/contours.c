/*
 * Contours: where two surfaces cross, what of one is inside the other, and two tangled sheets that
 * come free.
 *
 * A ball of few triangles is pushed into a box: one closed curve, and regions inside that are
 * known exactly, because both are closed. Then a sheet bulges through another one; neither has an
 * inside, but moving vertices so that the curves become shorter pulls the two apart.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

static pliant_body *make_body(pliant_context *context, const float *positions, uint32_t vertices,
                              const uint32_t *triangles, uint32_t count)
{
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape;
    pliant_body *body;
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape); /* the body keeps it alive */
    return body;
}

/* Curves, and what lies inside. */
static void print_contours(pliant_contours *contours, pliant_body *a, pliant_body *b)
{
    pliant_contour_set set;
    check(pliant_contours_find(contours, a, b, NULL, &set));
    for (uint64_t i = 0; i < set.contour_count; i++) {
        const pliant_contour *contour = &set.contours[i];
        printf("a %s curve of %llu segments, length %.3f\n",
               contour->begin == PLIANT_CONTOUR_CLOSED ? "closed" : "open",
               (unsigned long long)contour->segment_count, contour->length);
    }
    for (uint64_t i = 0; i < set.region_count; i++) {
        const pliant_region *region = &set.regions[i];
        if (region->inside) {
            printf("of body %u, %u vertices are inside: area %.3f, depth %.3f%s\n", region->body,
                   region->vertex_count, region->area, region->depth,
                   region->guess ? ", by guess" : "");
        }
    }
}

/* A ball of eight triangles with a corner in a box. */
static void dent_box(pliant_context *context, pliant_contours *contours)
{
    const float box[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                             {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    const uint32_t sides[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const float ball[6][3] = {{1.1f, 0.2f, 1.5f},  {-0.9f, 0.2f, 1.5f}, {0.1f, 1.2f, 1.5f},
                              {0.1f, -0.8f, 1.5f}, {0.1f, 0.2f, 2.5f},  {0.1f, 0.2f, 0.5f}};
    const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    pliant_body *a = make_body(context, box[0], 8, sides[0], 12);
    pliant_body *b = make_body(context, ball[0], 6, faces[0], 8);
    print_contours(contours, a, b);
    pliant_body_destroy(a);
    pliant_body_destroy(b);
}

/* Two triangles per square, vertices row by row. */
static void make_sheet(float positions[VERTICES][3], uint32_t triangles[TRIANGLES][3])
{
    for (uint32_t k = 0; k < VERTICES; k++) {
        positions[k][0] = (float)(k % (SIDE + 1)) / SIDE;
        positions[k][1] = (float)k / (SIDE + 1) / SIDE; /* leans a little */
        positions[k][2] = 0;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t corner = i / SIDE * (SIDE + 1) + i % SIDE;
        uint32_t *lower = triangles[2 * i], *upper = triangles[2 * i + 1];
        lower[0] = corner;
        lower[1] = corner + 1;
        lower[2] = corner + SIDE + 1;
        upper[0] = corner + 1;
        upper[1] = corner + SIDE + 2;
        upper[2] = corner + SIDE + 1;
    }
}

/* A bulge downward, which passes through the other sheet. */
static void bulge(float positions[VERTICES][3])
{
    for (uint32_t k = 0; k < VERTICES; k++) {
        const float x = positions[k][0] - 0.45f, y = positions[k][1] - 0.55f;
        positions[k][2] = 0.05f - 0.15f * expf(-20 * (x * x + y * y));
        positions[k][0] = 0.95f * positions[k][0] + 0.013f;
    }
}

/* Moves every vertex that takes part against its gradient, a fifth of an edge at most. */
static void follow_gradient(float positions[VERTICES][3], const float *gradient)
{
    const float step = 0.2f / SIDE;
    for (uint32_t k = 0; k < VERTICES; k++) {
        const float *g = gradient + 3 * k;
        const float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        for (int i = 0; i < 3; i++) {
            positions[k][i] -= step * g[i] / (length + 0.5f);
        }
    }
}

/* Cloth keeps its edges: each goes a part of the way back to the length it began with. */
static void keep_edges(float positions[VERTICES][3], float rest[VERTICES][3])
{
    for (uint32_t k = 0; k < VERTICES; k++) {
        for (uint32_t way = 0; way < 3; way++) {
            static const uint32_t next[3] = {1, SIDE + 1, SIDE};
            const uint32_t column = k % (SIDE + 1), other = k + next[way];
            if (other >= VERTICES || (way == 0 && column == SIDE) || (way == 2 && column == 0)) {
                continue;
            }
            float *p = positions[k], *q = positions[other], now = 0, before = 0;
            for (int i = 0; i < 3; i++) {
                now += (q[i] - p[i]) * (q[i] - p[i]);
                before += (rest[other][i] - rest[k][i]) * (rest[other][i] - rest[k][i]);
            }
            const float share = 0.25f * (1 - sqrtf(before / now));
            for (int i = 0; i < 3; i++) {
                const float move = share * (q[i] - p[i]);
                p[i] += move;
                q[i] -= move;
            }
        }
    }
}

static float sheet[2][VERTICES][3], rest[2][VERTICES][3];
static uint32_t triangles[TRIANGLES][3];

/* Two tangled sheets come free: step by step the contours become shorter, and vanish. */
static void untangle(pliant_contours *contours, pliant_body *const body[2])
{
    pliant_contour_options options = pliant_contour_options_default();
    options.regions = false;
    options.gradients = true;
    for (int step = 0; step < 200; step++) {
        pliant_contour_set set;
        check(pliant_contours_find(contours, body[0], body[1], &options, &set));
        if (step % 10 == 0) {
            printf("# step %d: contours of length %.3f\n", step, set.length);
        }
        if (set.pair_count == 0) {
            printf("the sheets are free\n");
            return;
        }
        for (int i = 0; i < 2; i++) {
            follow_gradient(sheet[i], set.gradients[i]);
            keep_edges(sheet[i], rest[i]);
        }
        for (int i = 0; i < 2; i++) {
            check(pliant_body_set_positions(body[i], sheet[i][0], 0));
        }
    }
    printf("the sheets are still tangled\n");
}

int main(void)
{
    pliant_context *context;
    pliant_contours *contours;
    check(pliant_context_create(NULL, &context));
    check(pliant_contours_create(context, &contours));
    dent_box(context, contours);

    pliant_body *body[2];
    for (int i = 0; i < 2; i++) {
        make_sheet(sheet[i], triangles);
    }
    bulge(sheet[1]);
    for (int i = 0; i < 2; i++) {
        body[i] = make_body(context, sheet[i][0], VERTICES, triangles[0], TRIANGLES);
    }
    memcpy(rest, sheet, sizeof rest);
    untangle(contours, body);

    pliant_body_destroy(body[0]);
    pliant_body_destroy(body[1]);
    pliant_contours_destroy(contours);
    pliant_context_destroy(context);
    return 0;
}
