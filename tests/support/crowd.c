#include "crowd.h"

#include <stdlib.h>
#include <string.h>

static void make_sheet(float positions[3 * CROWD_VERTICES], uint32_t *triangles, uint16_t *groups)
{
    for (uint32_t v = 0; v < CROWD_VERTICES; v++) {
        positions[3 * v] = (float)(v % (CROWD_SIDE + 1)) / CROWD_SIDE;
        positions[3 * v + 1] = (float)(v / (CROWD_SIDE + 1)) / CROWD_SIDE;
        positions[3 * v + 2] = 0.1f * (float)(v % 3);
    }
    for (uint32_t t = 0; t < CROWD_TRIANGLES; t++) {
        uint32_t cell = t / 2, first = cell / CROWD_SIDE * (CROWD_SIDE + 1) + cell % CROWD_SIDE;
        uint32_t corners[2][3] = {{first, first + 1, first + CROWD_SIDE + 1},
                                  {first + 1, first + CROWD_SIDE + 2, first + CROWD_SIDE + 1}};
        memcpy(triangles + (size_t)3 * t, corners[t % 2], sizeof corners[0]);
        groups[t] = (uint16_t)(t % CROWD_GROUPS);
    }
}

/* Somewhere among the others; one in four is crumpled, so that it meets itself. */
static void move(crowd *c, uint32_t i)
{
    float positions[3 * CROWD_VERTICES];
    uint32_t triangles[3 * CROWD_TRIANGLES];
    uint16_t groups[CROWD_TRIANGLES];
    make_sheet(positions, triangles, groups);
    double crumple = rng_below(&c->random, 4) == 0 ? 0.6 : 0.1, centre[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = rng_range(&c->random, -0.8, 0.8);
    }
    for (uint32_t v = 0; v < 3 * CROWD_VERTICES; v++) {
        positions[v] += (float)(centre[v % 3] + rng_range(&c->random, -crumple, crumple));
    }
    assert_ok(pliant_body_set_positions(c->body[i], positions, 0));
}

static pliant_member_def choose_def(crowd *c, uint32_t i)
{
    static char names[CROWD_BODIES];
    pliant_member_def def = pliant_member_def_default();
    def.user = &names[i];
    def.category = 1u << rng_below(&c->random, 3);
    def.mask = rng_below(&c->random, 3) == 0 ? rng_below(&c->random, 8) : UINT64_MAX;
    def.self = rng_below(&c->random, 3) == 0;
    def.is_static = rng_below(&c->random, 3) == 0;
    if (rng_below(&c->random, 4) == 0) {
        c->groups[i] = rng_below(&c->random, 1 << CROWD_GROUPS);
        def.groups = (pliant_groups){&c->groups[i], (uint32_t)rng_below(&c->random, 65)};
    }
    if (rng_below(&c->random, 6) == 0) { /* where bodies can be */
        def.has_loose_box = true;
        def.loose_box = (pliant_box){{-2, -2, -2}, {3, 3, 3}};
    }
    return def;
}

static void make_body(crowd *c, uint32_t i)
{
    assert_ok(pliant_body_create(c->shape, NULL, &c->body[i]));
    assert_ok(pliant_body_set_update(c->body[i], (pliant_update)(i % 4), 0, 1));
    move(c, i);
}

crowd *crowd_create(pliant_context *context, pliant_broad broad, uint64_t seed)
{
    crowd *c = calloc(1, sizeof *c);
    c->context = context;
    rng_seed(&c->random, seed);
    float positions[3 * CROWD_VERTICES];
    uint32_t triangles[3 * CROWD_TRIANGLES];
    uint16_t groups[CROWD_TRIANGLES];
    make_sheet(positions, triangles, groups);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = CROWD_VERTICES;
    def.triangles = triangles;
    def.triangle_count = CROWD_TRIANGLES;
    def.groups = groups;
    def.arity = 2; /* a deep tree, so that budgets end somewhere */
    def.leaf_size = 1;
    assert_ok(pliant_shape_create(context, &def, &c->shape));
    assert_ok(pliant_query_create(context, &c->query));
    pliant_scene_def scene = pliant_scene_def_default();
    scene.broad = broad;
    assert_ok(pliant_scene_create(context, &scene, &c->scene));
    for (uint32_t i = 0; i < CROWD_BODIES; i++) {
        make_body(c, i);
    }
    return c;
}

void crowd_free(crowd *c)
{
    pliant_scene_destroy(c->scene);
    pliant_query_destroy(c->query);
    for (int i = 0; i < CROWD_BODIES; i++) {
        pliant_body_destroy(c->body[i]);
    }
    pliant_shape_destroy(c->shape);
    pliant_context_destroy(c->context);
    free(c);
}

/* A body takes part in another way, or from now on. The scene has a copy of the groups: what they
   were given in is overwritten. */
static void define(crowd *c, uint32_t i, bool is_new)
{
    pliant_member_def def = c->def[i] = choose_def(c, i);
    uint64_t bits = c->groups[i];
    def.groups.bits = def.groups.bits != NULL ? &bits : NULL;
    assert_ok(is_new ? pliant_scene_add(c->scene, c->body[i], &def, &c->id[i])
                     : pliant_scene_set_member(c->scene, c->id[i], &def));
    bits = ~bits;
}

void crowd_change(crowd *c)
{
    uint32_t i = (uint32_t)rng_below(&c->random, CROWD_BODIES);
    uint32_t deed = (uint32_t)rng_below(&c->random, 16);
    if (c->id[i].generation == 0) {
        define(c, i, true);
    } else if (deed == 0) {
        assert_ok(pliant_scene_remove(c->scene, c->id[i]));
        c->id[i].generation = 0;
    } else if (deed == 1) {
        pliant_body_destroy(c->body[i]);
        c->id[i].generation = 0;
        make_body(c, i);
    } else if (deed < 5) {
        define(c, i, false);
    } else {
        move(c, i);
    }
}

bool crowd_filter(void *user, pliant_body_id a, pliant_body_id b)
{
    return (7 * a.index + 3 * b.index + *(const uint32_t *)user) % 5 != 0;
}

/* Who is at an index of the scene; CROWD_BODIES: nobody. */
static uint32_t find_body(const crowd *c, uint32_t index)
{
    uint32_t i = 0;
    while (i < CROWD_BODIES && (c->id[i].generation == 0 || c->id[i].index != index)) {
        i++;
    }
    return i;
}

/* D3, D4 and what a scene says of who takes part. */
static bool is_compared(const crowd *c, const pliant_scene_options *options, uint32_t i, uint32_t j)
{
    const pliant_member_def *a = &c->def[i], *b = &c->def[j];
    if (i == j) {
        return options->only_self || a->self;
    }
    return !options->only_self && (a->category & b->mask) != 0 && (b->category & a->mask) != 0 &&
           !(a->is_static && b->is_static) &&
           (options->filter == NULL || options->filter(options->filter_user, c->id[i], c->id[j]));
}

static void ask_query(const crowd *c, const pliant_scene_options *options, uint32_t i, uint32_t j,
                      crowd_pair *pair)
{
    pliant_collide_options narrow = pliant_collide_options_default();
    narrow.neighbours = options->neighbours;
    narrow.segments = narrow.separations = true;
    narrow.separation_side = options->separation_side;
    narrow.groups_a = c->def[i].groups;
    narrow.groups_b = c->def[j].groups;
    narrow.budget_nodes = options->budget_nodes;
    pliant_contacts found;
    assert_ok(i == j ? pliant_collide_self(c->query, c->body[i], &narrow, &found)
                     : pliant_collide(c->query, c->body[i], c->body[j], &narrow, &found));
    pair->named = (pliant_scene_pair){.a = c->id[i],
                                      .b = c->id[j],
                                      .user_a = c->def[i].user,
                                      .user_b = c->def[j].user,
                                      .count = found.count,
                                      .complete = found.complete};
    if (found.count > 0) {
        memcpy(pair->pairs, found.pairs, found.count * sizeof *found.pairs);
        memcpy(pair->segments, found.segments, found.count * sizeof *found.segments);
        memcpy(pair->separations, found.separations, found.count * sizeof *found.separations);
    }
}

void crowd_find_truth(const crowd *c, const pliant_scene_options *options, crowd_truth *truth)
{
    truth->count = 0;
    for (uint32_t a = 0; a < CROWD_BODIES; a++) {
        for (uint32_t b = a; b < CROWD_BODIES; b++) {
            uint32_t i = find_body(c, a), j = find_body(c, b);
            if (i < CROWD_BODIES && j < CROWD_BODIES && is_compared(c, options, i, j)) {
                ask_query(c, options, i, j, &truth->pairs[truth->count++]);
            }
        }
    }
}

void crowd_check_pair(const crowd_pair *expected, const pliant_scene_options *options,
                      const pliant_scene_pair *named, const pliant_contacts *contacts)
{
    bool one = options->mode == PLIANT_COLLIDE_FIRST || options->first_in_all;
    assert_int_equal(named->a.index, expected->named.a.index);
    assert_int_equal(named->b.index, expected->named.b.index);
    assert_int_equal(named->a.generation, expected->named.a.generation);
    assert_int_equal(named->b.generation, expected->named.b.generation);
    assert_ptr_equal(named->user_a, expected->named.user_a);
    assert_ptr_equal(named->user_b, expected->named.user_b);
    assert_int_equal(named->count, one ? 1 : expected->named.count);
    assert_int_equal(named->complete, one || expected->named.complete);
    assert_int_equal(contacts->count, named->count);
    assert_int_equal(contacts->complete, named->complete);
    assert_true((contacts->segments != NULL) == options->segments);
    assert_true((contacts->separations != NULL) == options->separations);
    uint64_t first = 0; /* where the one pair is among all */
    while (one && first + 1 < expected->named.count &&
           (expected->pairs[first].a != contacts->pairs[0].a ||
            expected->pairs[first].b != contacts->pairs[0].b)) {
        first++;
    }
    size_t count = (size_t)contacts->count;
    assert_memory_equal(contacts->pairs, expected->pairs + first, count * sizeof(pliant_pair));
    if (options->segments) {
        assert_memory_equal(contacts->segments, expected->segments + first,
                            count * sizeof(pliant_segment));
    }
    if (options->separations) {
        assert_memory_equal(contacts->separations, expected->separations + first,
                            count * sizeof(pliant_separation));
    }
}
