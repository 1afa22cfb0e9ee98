/*
 * Questions other than "which triangles touch": rays, the closest point, what lies in a box, what
 * comes near, and when two motions meet. The bodies are two square plates, one above the other.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static const float plate[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
static const float above[4][3] = {{0, 0, 3}, {2, 0, 3}, {2, 2, 3.5f}, {0, 2, 3.5f}};
static const float below[4][3] = {{0, 0, -1}, {2, 0, -1}, {2, 2, -0.5f}, {0, 2, -0.5f}};
static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

/* The first triangle along a ray. */
static void cast_ray(pliant_query *query, pliant_body *body)
{
    pliant_ray ray = {.origin = {1.5f, 0.5f, 4}, .direction = {0, 0, -1}, .t_max = INFINITY};
    pliant_ray_hit hit;
    check(pliant_raycast(query, body, &ray, &hit));
    if (hit.triangle != PLIANT_NO_TRIANGLE) {
        printf("the ray meets triangle %u at t = %g\n", hit.triangle, hit.t);
    }
}

/* The nearest point of a body, not farther than 10 units away. */
static void find_nearest(pliant_query *query, pliant_body *body)
{
    const float point[3] = {3, 1, 0};
    pliant_closest closest;
    check(pliant_find_closest_point(query, body, point, 10, &closest));
    if (closest.found) {
        printf("triangle %u is nearest, %g away\n", closest.triangle, closest.distance);
    }
}

/* The triangles that have a point in a box. */
static void look_into_box(pliant_query *query, pliant_body *body)
{
    const pliant_box box = {.lower = {1.5f, -1, -1}, .upper = {3, 0.5f, 1}};
    const uint32_t *found;
    uint64_t count;
    check(pliant_overlap_box(query, body, &box, &found, &count));
    for (uint64_t i = 0; i < count; i++) {
        printf("triangle %u reaches into the box\n", found[i]);
    }
}

/* Pairs of triangles that are not farther apart than a distance, with their closest points. */
static void find_near_pairs(pliant_query *query, pliant_body *a, pliant_body *b)
{
    pliant_proximities near_pairs;
    check(pliant_find_within(query, a, b, 3.25f, NULL, &near_pairs));
    for (uint64_t i = 0; i < near_pairs.count; i++) {
        const pliant_proximity *pair = &near_pairs.pairs[i];
        printf("%u and %u are %.3f apart\n", pair->a, pair->b, pair->gap.distance);
    }
}

/* Vertices near faces and edges near edges, each once: what a repulsion acts on. Triangles that
   cross stand beside, since their features may be far apart. */
static void find_near_features(pliant_query *query, pliant_body *a, pliant_body *b)
{
    pliant_features found;
    check(pliant_find_features(query, a, b, 3, NULL, &found));
    for (uint64_t i = 0; i < found.count; i++) {
        const pliant_feature_pair *pair = &found.pairs[i];
        printf("%s, %.2f apart, pushes vertex %u by %.2f of the way\n",
               pair->kind == PLIANT_EDGE_EDGE ? "edge and edge" : "vertex and face", pair->distance,
               pair->vertices[0], (double)pair->weights[0]);
    }
    printf("%s\n", found.crossing_count > 0 ? "the plates cross" : "the plates do not cross");
}

/* How far the second plate may fall from above to below the first before it meets it. */
static void find_first_contact(pliant_query *query, pliant_body *a, pliant_body *b)
{
    check(pliant_body_begin_step(b)); /* from where it is, */
    check(pliant_body_set_positions(b, below[0], 0));
    pliant_free_time found;
    check(pliant_find_free_time(query, a, b, NULL, &found));
    printf("free until %.3f, when triangles %u and %u meet\n", (double)found.time, found.pair.a,
           found.pair.b);

    /* It goes as far as is free, in float32 as well. */
    pliant_body *const bodies[2] = {a, b};
    pliant_advance advance;
    check(pliant_advance_bodies(query, bodies, 2, NULL, &advance));
    printf("the plate has gone %.3f of its way\n", (double)advance.time);
}

int main(void)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = plate[0];
    def.vertex_count = 4;
    def.triangles = triangles[0];
    def.triangle_count = 2;

    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_query *query = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &a));
    check(pliant_body_create(shape, NULL, &b));
    check(pliant_query_create(context, &query));
    check(pliant_body_set_positions(b, above[0], 0));

    cast_ray(query, a);
    find_nearest(query, a);
    look_into_box(query, a);
    find_near_pairs(query, a, b);
    find_near_features(query, a, b);
    find_first_contact(query, a, b);

    pliant_query_destroy(query);
    pliant_body_destroy(b);
    pliant_body_destroy(a);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
