/*
 * Fuzzing of the public interface: the bytes are read as a program that makes shapes and bodies of
 * all kinds, sets states good and bad, and asks. Whatever the calls answer, answers about pairs
 * must be those of testing every two triangles of the evaluated bodies.
 */
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST_VERTICES = 24,
    MOST_TRIANGLES = 70, /* more than one cluster */
    MOST_MODES = 3,
    MOST_NODES = 4,
    BODIES = 3,
    MOST_CALLS = 24
};

typedef const float (*const_corners)[3];

typedef struct input {
    const uint8_t *at, *end;
} input;

typedef struct world {
    pliant_context *context;
    pliant_query *query;
    pliant_scene *scene;
    pliant_shape *shapes[BODIES];
    pliant_body *bodies[BODIES];
    pliant_body_id ids[BODIES];
    float shared[BODIES][3 * MOST_VERTICES]; /* positions that are borrowed */
} world;

static uint32_t next(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t below(input *in, uint32_t limit)
{
    return next(in) % limit;
}

/* Mostly small multiples of 1/8, so that much touches exactly; sometimes any float there is. */
static float next_float(input *in)
{
    uint32_t byte = next(in);
    if (byte < 250) {
        return ((float)byte - 125.0f) / 8.0f / (byte % 2 == 0 ? 1.0f : 8.0f);
    }
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        bits = bits << 8 | next(in);
    }
    float number = 0.0f;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void next_floats(input *in, float *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = next_float(in);
    }
}

/* ------------------------------------------------------------------ making */

static void make_shape(world *w, input *in, uint32_t which)
{
    float positions[3 * MOST_VERTICES], modes[3 * MOST_VERTICES * MOST_MODES];
    float weights[2 * MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES], offsets[MOST_VERTICES + 1], nodes[2 * MOST_VERTICES];
    pliant_shape_def def = pliant_shape_default();
    def.vertex_count = 1 + below(in, MOST_VERTICES);
    def.triangle_count = 1 + below(in, MOST_TRIANGLES);
    next_floats(in, positions, 3 * def.vertex_count);
    uint32_t beyond = next(in) == 255 ? 1 : 0; /* now and then an index is wrong */
    for (uint32_t i = 0; i < 3 * def.triangle_count; i++) {
        triangles[i] = below(in, def.vertex_count + beyond);
    }
    def.positions = positions;
    def.triangles = triangles;
    def.weld = below(in, 4) != 0;
    def.partition = (pliant_partition)(next(in) == 255 ? 4 : below(in, 4)); /* there is no 4 */
    def.arity = next(in) == 255 ? 3 : 2u << below(in, 3);
    def.leaf_size = next(in) == 255 ? 9 : 1 + below(in, 8);
    def.bound = (pliant_bound_kind)below(in, 4);
    def.sphere_centre = (pliant_sphere_centre)below(in, 3);
    def.proxy_triangles = below(in, 3) * 4;
    def.mode_count = below(in, MOST_MODES + 1);
    if (def.mode_count > 0) {
        next_floats(in, modes, 3 * def.vertex_count * def.mode_count);
        def.modes = modes;
    }
    def.node_count = below(in, MOST_NODES + 1);
    if (def.node_count > 1) {
        for (uint32_t v = 0; v <= def.vertex_count; v++) {
            offsets[v] = 2 * v;
        }
        for (uint32_t i = 0; i < 2 * def.vertex_count; i++) {
            nodes[i] = below(in, def.node_count + beyond);
            weights[i] = fabsf(next_float(in));
        }
        def.influence_offsets = offsets;
        def.influence_nodes = nodes;
        def.influence_weights = weights;
        def.normalise_weights = below(in, 2) != 0;
    }
    pliant_shape_create(w->context, &def, &w->shapes[which]);
}

static void drop(world *w, uint32_t which)
{
    if (w->bodies[which] != NULL) {
        pliant_scene_remove(w->scene, w->ids[which]);
    }
    pliant_body_destroy(w->bodies[which]);
    pliant_shape_destroy(w->shapes[which]);
    w->bodies[which] = NULL;
    w->shapes[which] = NULL;
}

static void make_body(world *w, input *in, uint32_t which)
{
    drop(w, which);
    make_shape(w, in, which);
    if (w->shapes[which] == NULL) {
        return;
    }
    pliant_body_def def = pliant_body_default();
    def.update = (pliant_update)(next(in) == 255 ? 5 : below(in, 5)); /* there is no 5 */
    def.eager_levels = below(in, 3);
    def.lazy_levels = 1 + below(in, 3);
    def.coherent = below(in, 2) != 0;
    pliant_member_def member = pliant_member_default();
    member.self = below(in, 2) != 0;
    if (pliant_body_create(w->shapes[which], &def, &w->bodies[which]) == PLIANT_OK &&
        pliant_scene_add(w->scene, w->bodies[which], &member, &w->ids[which]) != PLIANT_OK) {
        abort();
    }
}

/* Any state of any kind; the library says whether it suits the body. */
static void set_state(world *w, input *in, uint32_t which)
{
    pliant_body *body = w->bodies[which];
    float numbers[3 * MOST_VERTICES];
    next_floats(in, numbers, 3 * MOST_VERTICES);
    switch (below(in, 4)) {
    case 0:
        pliant_body_set_positions(body, numbers, 0);
        break;
    case 1:
        memcpy(w->shared[which], numbers, sizeof numbers);
        pliant_body_share_positions(body, w->shared[which], 0);
        break;
    case 2:
        pliant_body_set_coordinates(body, numbers, below(in, MOST_MODES + 1));
        break;
    default:
        pliant_body_set_transforms(body, numbers, below(in, MOST_NODES + 1), 0);
        break;
    }
}

/* ------------------------------------------------------------------ asking */

/* All corners of a body's triangles, three numbers each; false if it has no valid state. */
static bool evaluate(const world *w, uint32_t which, float *corners)
{
    const pliant_shape *shape = w->shapes[which];
    for (uint32_t t = 0; t < pliant_shape_triangle_count(shape); t++) {
        uint32_t vertices[3];
        if (pliant_shape_triangle(shape, t, vertices) != PLIANT_OK) {
            abort();
        }
        if (pliant_body_evaluate(w->bodies[which], vertices, 3, corners + 9 * (size_t)t) !=
            PLIANT_OK) {
            return false;
        }
    }
    for (uint32_t i = 0; i < 9 * pliant_shape_triangle_count(shape); i++) {
        if (!isfinite(corners[i])) {
            return false;
        }
    }
    return true;
}

/* The answer must be every pair that touches, in order. */
static void compare_pairs(const world *w, uint32_t a, uint32_t b, const pliant_contacts *contacts)
{
    static float corners_a[9 * MOST_TRIANGLES], corners_b[9 * MOST_TRIANGLES];
    uint64_t found = 0;
    if (!evaluate(w, a, corners_a) || !evaluate(w, b, corners_b)) {
        abort(); /* an answer without a state */
    }
    for (uint32_t i = 0; i < pliant_shape_triangle_count(w->shapes[a]); i++) {
        for (uint32_t j = 0; j < pliant_shape_triangle_count(w->shapes[b]); j++) {
            bool touch = pliant_triangle_overlap((const_corners)(corners_a + 9 * (size_t)i),
                                                 (const_corners)(corners_b + 9 * (size_t)j));
            bool told = found < contacts->count && contacts->pairs[found].a == i &&
                        contacts->pairs[found].b == j;
            if (touch != told) {
                abort();
            }
            found += told;
        }
    }
    if (found != contacts->count) {
        abort();
    }
}

static void collide(world *w, input *in, uint32_t a, uint32_t b)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_default();
    options.segments = below(in, 2) != 0;
    options.separations = below(in, 2) != 0;
    if (pliant_collide(w->query, w->bodies[a], w->bodies[b], &options, &contacts) == PLIANT_OK) {
        compare_pairs(w, a, b, &contacts);
        uint64_t count = contacts.count;
        options.mode = PLIANT_COLLIDE_FIRST;
        if (pliant_collide(w->query, w->bodies[a], w->bodies[b], &options, &contacts) !=
                PLIANT_OK ||
            (contacts.count != 0) != (count != 0)) {
            abort();
        }
    }
}

/* What else there is to ask; only that it comes back. */
static void ask(world *w, input *in, uint32_t a, uint32_t b)
{
    pliant_ray ray;
    float point[3];
    next_floats(in, ray.origin, 3);
    next_floats(in, ray.direction, 3);
    next_floats(in, point, 3);
    ray.t_max = next_float(in);
    pliant_contacts contacts;
    pliant_ray_hit hit;
    pliant_box box;
    pliant_proximities near;
    pliant_scene_contacts all;
    pliant_proxy_contacts proxies;
    pliant_collide_options options = pliant_collide_default();
    options.neighbours = (pliant_neighbours)below(in, 3);
    switch (below(in, 8)) {
    case 0:
        pliant_collide_self(w->query, w->bodies[a], &options, &contacts);
        break;
    case 1:
        pliant_raycast(w->query, w->bodies[a], &ray, &hit);
        break;
    case 2:
        if (a != b) {
            pliant_within(w->query, w->bodies[a], w->bodies[b], ray.t_max, NULL, &near);
        }
        break;
    case 3:
        pliant_scene_collide(w->scene, NULL, &all);
        break;
    case 4:
        if (a != b) {
            pliant_collide_proxies(w->query, w->bodies[a], w->bodies[b], NULL, &proxies);
        }
        break;
    case 5:
        pliant_body_prepare(w->bodies[a]);
        break;
    case 6:
        pliant_body_bounds(w->bodies[a], &box);
        break;
    default:
        pliant_body_set_update(w->bodies[a], (pliant_update)below(in, 6), below(in, 3),
                               below(in, 3));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    input in = {data, data + size};
    memset(&w, 0, sizeof w);
    pliant_context_def def = pliant_context_default();
    def.isa = (pliant_isa)below(&in, 5);
    if (pliant_context_create(&def, &w.context) != PLIANT_OK ||
        pliant_query_create(w.context, &w.query) != PLIANT_OK ||
        pliant_scene_create(w.context, NULL, &w.scene) != PLIANT_OK) {
        abort();
    }
    for (int call = 0; call < MOST_CALLS && in.at < in.end; call++) {
        uint32_t what = below(&in, 8), a = below(&in, BODIES), b = below(&in, BODIES);
        if (w.bodies[a] == NULL || what == 0) {
            make_body(&w, &in, a);
        } else if (what < 3) {
            set_state(&w, &in, a);
        } else if (w.bodies[b] != NULL && a != b && what < 6) {
            collide(&w, &in, a, b);
        } else if (w.bodies[b] != NULL) {
            ask(&w, &in, a, b);
        }
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        drop(&w, i);
    }
    pliant_scene_destroy(w.scene);
    pliant_query_destroy(w.query);
    pliant_context_destroy(w.context);
    return 0;
}
