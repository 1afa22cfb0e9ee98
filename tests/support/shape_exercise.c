#include "shape_exercise.h"

#include <math.h>
#include <stdlib.h>

typedef struct exercise {
    const pliant_shape *shape;
    pliant_query *query;
    pliant_volume *volume;
    pliant_body *body[2];
    uint64_t bounds, most_bounds; /* shown so far, and the most there can be */
    uint64_t most_pairs;          /* of nodes */
    bool sound;
} exercise;

static bool see_bound(void *user, const pliant_bound *bound)
{
    exercise *e = user;
    e->bounds++;
    for (int k = 0; k < 3; k++) {
        e->sound = e->sound && isfinite(bound->box.lower[k]) && isfinite(bound->box.upper[k]);
    }
    return e->sound && e->bounds <= e->most_bounds;
}

static void ask_about_pairs(exercise *e)
{
    pliant_collide_options options = pliant_collide_options_default();
    pliant_contacts contacts;
    pliant_proximities close;
    options.budget_nodes = e->most_pairs;
    if (pliant_collide(e->query, e->body[0], e->body[1], &options, &contacts) == PLIANT_OK) {
        e->sound = e->sound && contacts.complete;
    }
    if (pliant_collide_self(e->query, e->body[0], &options, &contacts) == PLIANT_OK) {
        e->sound = e->sound && contacts.complete;
    }
    if (pliant_find_within(e->query, e->body[0], e->body[1], 0.01f, NULL, &close) == PLIANT_OK) {
        e->sound = e->sound && pliant_query_get_stats(e->query)->nodes_tested <= e->most_pairs;
    }
}

static void ask_about_proxies(exercise *e)
{
    pliant_proxy_options options = pliant_proxy_options_default();
    pliant_proxy_contacts contacts;
    uint32_t count = 0, number = 0;
    options.budget_nodes = e->most_pairs;
    for (int triangles = 0; triangles < 2; triangles++) {
        options.proxies_b = triangles == 0;
        if (pliant_collide_proxies(e->query, e->body[0], e->body[1], &options, &contacts) ==
            PLIANT_OK) {
            e->sound = e->sound && contacts.complete;
        }
    }
    if (pliant_shape_get_proxies(e->shape, NULL, 0, &count) != PLIANT_OK || count == 0) {
        return;
    }
    pliant_proxy *proxies = malloc(count * sizeof *proxies);
    if (proxies != NULL &&
        pliant_shape_get_proxies(e->shape, proxies, count, &count) == PLIANT_OK) {
        for (uint32_t i = 0; i < count; i++) {
            pliant_shape_get_proxy_triangles(e->shape, proxies[i], NULL, 0, &number);
            pliant_shape_get_proxy_vertex(e->shape, proxies[i], &number);
        }
    }
    free(proxies);
}

static void ask_about_places(exercise *e)
{
    const pliant_ray ray = {{0.1f, 0.2f, 9.0f}, {0.01f, 0.02f, -1.0f}, INFINITY};
    const float point[3] = {0.5f, 0.25f, 0.125f};
    const pliant_box box = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    pliant_ray_hit hit;
    pliant_closest closest;
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    pliant_raycast(e->query, e->body[0], &ray, &hit);
    pliant_find_closest_point(e->query, e->body[0], point, INFINITY, &closest);
    pliant_overlap_box(e->query, e->body[0], &box, &triangles, &count);
    e->bounds = 0;
    pliant_visit_bounds(e->query, e->body[0], true, see_bound, e);
    e->sound = e->sound && e->bounds <= e->most_bounds;
}

static void ask_about_volumes(exercise *e)
{
    pliant_volume_options options = pliant_volume_options_default();
    const float points[6] = {0.1f, 0.1f, 0.1f, 2.0f, 0.0f, 0.0f};
    pliant_volume_measure measure;
    pliant_volume_point answers[2];
    options.resolution = 8;
    options.allow_open = true;
    pliant_volume_measure_body(e->volume, e->body[0], &options, &measure);
    pliant_volume_intersect(e->volume, e->body[0], e->body[1], &options, &measure);
    pliant_volume_locate_points(e->volume, e->body[0], points, 2, 0, &options, answers, NULL);
}

/* Gives the first body another state: all coordinates and all scales are alike. */
static void move_body(exercise *e, float coordinate, float scale)
{
    uint32_t modes = pliant_shape_get_mode_count(e->shape),
             nodes = pliant_shape_get_joint_count(e->shape);
    float *numbers = calloc(modes + 12 * (size_t)nodes + 1, sizeof *numbers);
    if (numbers == NULL) {
        return;
    }
    for (uint32_t m = 0; m < modes; m++) {
        numbers[m] = coordinate;
    }
    for (uint32_t i = 0; i < 3 * nodes; i++) {
        numbers[modes + 4 * (size_t)i + i % 3] = scale;
        numbers[modes + 4 * (size_t)i + 3] = 0.01f * (float)i;
    }
    pliant_body_set_coordinates(e->body[0], numbers, modes);
    pliant_body_set_transforms(e->body[0], numbers + modes, nodes, 0);
    const float world[12] = {0, -scale, 0, 1, scale, 0, 0, 0, 0, 0, 1, 0.5f};
    pliant_body_set_world(e->body[0], coordinate > 0.0f ? world : NULL);
    free(numbers);
}

static void evaluate(const exercise *e)
{
    uint32_t count = pliant_shape_get_vertex_count(e->shape);
    float *positions = malloc(3 * (size_t)count * sizeof *positions);
    if (positions != NULL) {
        pliant_body_evaluate(e->body[0], NULL, count, positions);
    }
    free(positions);
}

static void ask_all(exercise *e)
{
    static const float states[][2] = {
        {0.0f, 1.0f}, {0.3f, 1.1f}, {-1e-30f, 1e20f}, {1e20f, 1e-6f}, {1e38f, 1e38f}};
    for (size_t i = 0; i < sizeof states / sizeof states[0] && e->sound; i++) {
        if (i > 0) {
            move_body(e, states[i][0], states[i][1]);
        }
        ask_about_pairs(e);
        ask_about_proxies(e);
        ask_about_places(e);
        ask_about_volumes(e);
        evaluate(e);
        pliant_body_prepare(e->body[0]);
    }
}

bool shape_exercise(pliant_context *context, const pliant_shape *shape, pliant_update update)
{
    exercise e = {.shape = shape, .sound = true};
    pliant_body_def def = pliant_body_def_default();
    pliant_shape_quality quality;
    if (pliant_shape_get_quality(shape, &quality) != PLIANT_OK ||
        pliant_query_create(context, &e.query) != PLIANT_OK ||
        pliant_volume_create(context, NULL, &e.volume) != PLIANT_OK) {
        pliant_query_destroy(e.query);
        return true;
    }
    e.most_bounds = (uint64_t)quality.node_count + quality.cluster_count;
    uint64_t parts = e.most_bounds + 8 * (uint64_t)quality.cluster_count; /* leaves, as proxies */
    e.most_pairs = parts * parts + 2;
    def.update = update;
    def.coherent = update == PLIANT_UPDATE_TOP_DOWN;
    if (pliant_body_create(shape, &def, &e.body[0]) == PLIANT_OK &&
        pliant_body_create(shape, &def, &e.body[1]) == PLIANT_OK) {
        ask_all(&e);
    }
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(e.body[i]);
    }
    pliant_volume_destroy(e.volume);
    pliant_query_destroy(e.query);
    return e.sound;
}
