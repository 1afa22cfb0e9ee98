/*
 * More than pairs: whether anything touches at all, where exactly two bodies cut each other, where
 * a body cuts itself, what a query cost, and what an error looks like.
 *
 * A cloth of 8 x 8 squares lies in the plane z = 0. A needle is pushed through it; then the cloth
 * is folded over until its far edge passes through the part that still lies flat.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* Two triangles per square, vertices row by row. */
static void make_cloth(float positions[VERTICES][3], uint32_t triangles[TRIANGLES][3])
{
    for (uint32_t y = 0; y <= SIDE; y++) {
        for (uint32_t x = 0; x <= SIDE; x++) {
            float *position = positions[y * (SIDE + 1) + x];
            position[0] = (float)x;
            position[1] = (float)y;
            position[2] = 0;
        }
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

/* Folds the right half over the left one; its last column dips below z = 0. */
static void fold_cloth(float positions[VERTICES][3])
{
    static const float height[SIDE + 1] = {0, 0, 0, 0, 0, 1, 1, 0.5f, -0.5f};
    for (uint32_t k = 0; k < VERTICES; k++) {
        const uint32_t column = k % (SIDE + 1);
        positions[k][0] = column > SIDE / 2 ? (float)(SIDE - column) : (float)column;
        positions[k][2] = height[column];
    }
}

static pliant_body *make_body(pliant_context *context, const float *positions, uint32_t vertices,
                              const uint32_t *triangles, uint32_t count)
{
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &body));
    return body;
}

/* Destroys a body of make_body() and the shape that was made for it. */
static void destroy_body(pliant_body *body)
{
    pliant_shape *shape = (pliant_shape *)pliant_body_get_shape(body);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

/* Prints what each pair has in common, the end with the lower x (then y) first. */
static void print_segments(const pliant_contacts *contacts)
{
    static const char *const names[] = {"nothing", "point", "segment", "area"};
    for (uint64_t i = 0; i < contacts->count; i++) {
        const pliant_segment *s = &contacts->segments[i];
        const bool swap = s->q[0] < s->p[0] || (s->q[0] == s->p[0] && s->q[1] < s->p[1]);
        const float *from = swap ? s->q : s->p, *to = swap ? s->p : s->q;
        printf("cloth %u, needle %u: %s (%.4f %.4f %.4f) (%.4f %.4f %.4f)\n", contacts->pairs[i].a,
               contacts->pairs[i].b, names[s->common], (double)from[0], (double)from[1],
               (double)from[2], (double)to[0], (double)to[1], (double)to[2]);
    }
}

int main(void)
{
    static const float needle_points[4][3] = {{4, 4, 3}, {6, 4, 3}, {4, 6, 3}, {4.5f, 4.25f, -1}};
    static const uint32_t needle_faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static float positions[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    make_cloth(positions, triangles);

    pliant_context *context = NULL;
    pliant_query *query = NULL;
    pliant_contacts contacts;
    check(pliant_context_create(NULL, &context));
    check(pliant_query_create(context, &query));
    pliant_body *cloth = make_body(context, positions[0], VERTICES, triangles[0], TRIANGLES);
    pliant_body *needle = make_body(context, needle_points[0], 4, needle_faces[0], 4);

    /* Is there any contact? The search ends at the first one it meets. */
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    check(pliant_collide(query, cloth, needle, &options, &contacts));
    printf("the needle %s the cloth\n", contacts.count > 0 ? "touches" : "does not touch");

    /* All pairs, with what each has in common. */
    options = pliant_collide_options_default();
    options.segments = true;
    check(pliant_collide(query, cloth, needle, &options, &contacts));
    print_segments(&contacts);

    /* The cloth against itself: neighbours count only where they meet beyond their shared edge. */
    check(pliant_collide_self(query, cloth, NULL, &contacts));
    printf("flat cloth: %llu self pairs\n", (unsigned long long)contacts.count);
    fold_cloth(positions);
    check(pliant_body_set_positions(cloth, positions[0], 0));
    check(pliant_collide_self(query, cloth, NULL, &contacts));
    printf("folded cloth: %llu self pairs, the first %u and %u\n",
           (unsigned long long)contacts.count, contacts.pairs[0].a, contacts.pairs[0].b);

    const pliant_stats *stats = pliant_query_get_stats(query);
    printf("# cost: %llu nodes and %llu clusters refreshed, %llu vertices read, %llu tests\n",
           (unsigned long long)stats->nodes_refreshed,
           (unsigned long long)stats->clusters_refreshed, (unsigned long long)stats->vertices_read,
           (unsigned long long)stats->triangle_tests);

    /* A bad state is refused with a sentence, and the good one before it still answers. */
    positions[7][1] = NAN;
    pliant_result result = pliant_body_set_positions(cloth, positions[0], 0);
    printf("%s\n# %s\n", pliant_result_get_name(result), pliant_last_error());
    check(pliant_collide_self(query, cloth, NULL, &contacts));
    printf("still %llu self pairs\n", (unsigned long long)contacts.count);

    destroy_body(needle);
    destroy_body(cloth);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return 0;
}
