/*
 * Three ways to part two bodies that touch: by the depths of pairs of triangles, by the gradient of
 * the common volume, and by contact proxies; and particles pushed out of one. Both bodies are cubes
 * of side 2; the second one moves.
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

static void place(pliant_body *body, const float at[3])
{
    float transform[12] = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]};
    check(pliant_body_set_transforms(body, transform, 1, 0));
}

/* Moves the second body by the deepest of all separations, until none is deeper than `enough`. */
static void part_by_triangles(pliant_query *query, pliant_body *a, pliant_body *b, float at[3],
                              float enough)
{
    pliant_collide_options options = pliant_collide_options_default();
    options.separations = true;
    for (int step = 0; step < 20; step++) {
        pliant_separation deepest = {.depth = 0};
        pliant_contacts found;
        place(b, at);
        check(pliant_collide(query, a, b, &options, &found));
        for (uint64_t i = 0; i < found.count; i++) {
            if (found.separations[i].depth > deepest.depth) {
                deepest = found.separations[i];
            }
        }
        printf("step %d: %llu pairs, the deepest %.3f\n", step, (unsigned long long)found.count,
               (double)deepest.depth);
        if (deepest.depth <= enough) {
            return;
        }
        for (int k = 0; k < 3; k++) {
            at[k] += deepest.depth * deepest.normal[k];
        }
    }
}

/* Moves the second body against the gradient of the common volume, until next to nothing is left.
   A move d changes the volume by about gradient * d. */
static void part_by_volume(pliant_volume *volume, pliant_body *a, pliant_body *b, float at[3])
{
    pliant_volume_options options = pliant_volume_options_default();
    options.gradients = true;
    options.error_bound = false; /* half the time; the sampled volume is enough here */
    for (int step = 0; step < 20; step++) {
        pliant_volume_measure measure;
        double gradient[3] = {0, 0, 0}, square = 0;
        place(b, at);
        check(pliant_volume_intersect(volume, a, b, &options, &measure));
        printf("step %d: common volume %.2f\n", step, measure.volume);
        if (measure.volume < 0.02) {
            return;
        }
        for (uint32_t i = 0; i < measure.vertex_count[1]; i++) {
            for (int k = 0; k < 3; k++) {
                gradient[k] += (double)measure.vertices[1][i].gradient[k];
            }
        }
        for (int k = 0; k < 3; k++) {
            square += gradient[k] * gradient[k];
        }
        for (int k = 0; k < 3; k++) {
            at[k] -= (float)(measure.volume * gradient[k] / square);
        }
    }
}

/* Contacts of proxies, within a budget: each has a point, a normal towards a, and a depth. */
static void list_proxies(pliant_query *query, pliant_body *a, pliant_body *b)
{
    pliant_proxy_options options = pliant_proxy_options_default();
    options.budget_microseconds = 1000;
    pliant_proxy_contacts found;
    check(pliant_collide_proxies(query, a, b, &options, &found));
    for (uint64_t i = 0; i < found.count; i++) {
        const pliant_proxy_contact *c = &found.contacts[i];
        uint32_t vertex;
        check(pliant_shape_get_proxy_vertex(pliant_body_get_shape(b), c->b, &vertex));
        printf("# push vertex %u of b along (%.2f %.2f %.2f), depth %.2f%s\n", vertex,
               -(double)c->normal[0], -(double)c->normal[1], -(double)c->normal[2],
               (double)c->depth, c->flags & PLIANT_PROXY_COARSE ? ", coarse" : "");
    }
    printf("%s\n", found.count > 0 ? "proxies meet" : "no proxies meet");
}

/* Particles near the first body: those inside are put onto its surface, the short way. */
static void push_particles(pliant_query *query, pliant_body *a)
{
    float particles[3][3] = {{0.75f, 0.25f, 0}, {2, 0, 0}, {1, 1, 1}};
    pliant_signed_distance found[3];
    check(pliant_measure_distances(query, a, particles[0], 3, 0, NULL, found));
    for (int i = 0; i < 3; i++) {
        printf("particle %d: distance %.2f", i, found[i].distance);
        if (found[i].side < 0) {
            for (int k = 0; k < 3; k++) {
                particles[i][k] -= (float)found[i].distance * found[i].direction[k];
            }
            printf(", pushed to (%.2f %.2f %.2f)", (double)particles[i][0], (double)particles[i][1],
                   (double)particles[i][2]);
        }
        printf("\n");
    }
}

int main(void)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners[0];
    def.vertex_count = 8;
    def.triangles = faces[0];
    def.triangle_count = 12;
    def.proxy_triangles = 4; /* a proxy stands for up to four triangles */

    def.joint_count = 1; /* one transform moves the whole body */

    pliant_context *context = NULL;
    pliant_shape *cube = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_query *query = NULL;
    pliant_volume *volume = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_shape_create(context, &def, &cube));
    check(pliant_body_create(cube, NULL, &a));
    check(pliant_body_create(cube, NULL, &b));
    check(pliant_query_create(context, &query));
    check(pliant_volume_create(context, NULL, &volume));

    float beside[3] = {1.75f, 0.5f, 0.25f}, again[3] = {1.5f, 0.5f, 0.25f};
    part_by_triangles(query, a, b, beside, 0.001f);
    part_by_volume(volume, a, b, again);
    place(b, (const float[3]){1.5f, 0.5f, 0.25f});
    list_proxies(query, a, b);
    push_particles(query, a);

    pliant_volume_destroy(volume);
    pliant_query_destroy(query);
    pliant_body_destroy(b);
    pliant_body_destroy(a);
    pliant_shape_destroy(cube);
    pliant_context_destroy(context);
    return 0;
}
