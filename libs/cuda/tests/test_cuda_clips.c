/*
 * Real characters in motion: contacts of all bodies of a file with each other and with themselves
 * are those of the core, at moments of every clip; each body is given by what deforms it, and in
 * another scene by positions. Skipped where there are no real files.
 */
#include "cuda_fixture.h"

#include "asset_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct character {
    const char *path;
    uint32_t least, usual; /* moments */
} character;

static const character characters[] = {
    {"characters/dressed-person.glb", 2, 20},
    {"characters/knight.glb", 6, 228},
    {"characters/horse.glb", 4, 100},
    {"characters/wolf.glb", 4, 100},
    {"characters/shark.glb", 2, 60},
    {"characters/fox.glb", 2, 60},
    {"characters/robot.glb", 4, 140},
    {"characters/AnimatedMorphSphere.gltf", 2, 60},
    {"characters/hand-left.glb", 2, 2},
    {"characters/hand-right.glb", 2, 2},
    {"conformance/MorphStressTest.glb", 2, 60},
    {"conformance/RiggedFigure.glb", 2, 60},
    {"conformance/InterpolationTest.glb", 2, 60},
};

/* A file, a pose of it, and its bodies in two scenes. */
typedef struct stage {
    pliant_asset *asset;
    pliant_asset_pose *pose;
    cuda_twin twin;
    float **positions; /* of bodies that are given by these, else NULL */
    uint32_t count;
} stage;

/* The shape of a body, with what deforms it or without. */
static pliant_shape *shape_of(const pliant_asset *asset, uint32_t number, bool is_free)
{
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, number);
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape = NULL;
    assert_ok(pliant_asset_get_shape_def(asset, number, &def));
    if (is_free) {
        def = pliant_shape_def_default();
        def.positions = mesh->positions;
        def.vertex_count = mesh->vertex_count;
        def.triangles = mesh->triangles;
        def.triangle_count = mesh->triangle_count;
    }
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

/* Every other body is free, or all but these. */
static stage open_stage(const char *folder, const char *name, uint32_t first_free)
{
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *paths[] = {path};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    stage s = {.twin = cuda_twin_create(test_context)};
    assert_ok(pliant_asset_load(test_context, &def, &s.asset));
    assert_ok(pliant_asset_pose_create(s.asset, &s.pose));
    s.count = pliant_asset_get_counts(s.asset).bodies;
    s.positions = calloc(s.count, sizeof *s.positions);
    for (uint32_t i = 0; i < s.count; i++) {
        uint32_t number = pliant_asset_get_body(s.asset, i)->shape;
        uint32_t vertices = pliant_asset_get_mesh(s.asset, number)->vertex_count;
        bool is_free = i % 2 == first_free;
        pliant_shape *shape = shape_of(s.asset, number, is_free);
        pliant_member_def member = pliant_member_def_default();
        member.self = true;
        cuda_twin_add(&s.twin, shape, &member);
        pliant_shape_destroy(shape);
        s.positions[i] = is_free ? malloc(3 * sizeof(float) * vertices) : NULL;
    }
    return s;
}

static void close_stage(stage *s)
{
    cuda_twin_destroy(&s->twin);
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->positions[i]);
    }
    free(s->positions);
    pliant_asset_pose_destroy(s->pose);
    pliant_asset_destroy(s->asset);
}

static pliant_state state_of(stage *s, uint32_t body)
{
    pliant_asset_state given = pliant_asset_pose_get_state(s->pose, body);
    if (s->positions[body] != NULL) {
        assert_ok(pliant_asset_pose_evaluate(s->pose, body, s->positions[body]));
        return (pliant_state){.positions = s->positions[body]};
    }
    return (pliant_state){.coordinates = given.coordinates,
                          .coordinate_count = given.coordinate_count,
                          .transforms = given.transforms,
                          .transform_count = given.transform_count};
}

/* Moment number `moment`: one clip after the other, each at ever other times. */
static void show(stage *s, uint32_t moment)
{
    uint32_t clips = pliant_asset_get_counts(s->asset).clips;
    uint32_t clip = clips > 0 ? moment % clips : PLIANT_ASSET_REST;
    double duration = clips > 0 ? pliant_asset_get_clip(s->asset, clip)->duration : 0.0;
    double time = duration * fmod(0.618 * (moment + 1), 1.0);
    assert_ok(pliant_asset_pose_sample(s->pose, clip, time));
    for (uint32_t i = 0; i < s->count; i++) {
        if (!pliant_asset_pose_get_state(s->pose, i).hidden) { /* else it stays where it was */
            pliant_state state = state_of(s, i);
            cuda_twin_set(&s->twin, i, &state);
        }
    }
}

/* Plays a file; returns how many contacts were found. */
static uint64_t play(const char *folder, const character *who, uint32_t first_free)
{
    static const pliant_neighbours rules[2] = {PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                               PLIANT_NEIGHBOURS_SKIP};
    stage s = open_stage(folder, who->path, first_free);
    pliant_collide_options options = pliant_collide_options_default();
    uint32_t moments = fixture_at_least(who->least, who->usual);
    uint64_t contacts = 0;
    for (uint32_t moment = 0; moment < moments; moment++) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s, moment %u", who->path, moment);
        show(&s, moment);
        for (int rule = 0; rule < 2; rule++) {
            options.neighbours = rules[rule];
            assert_true(cuda_twin_agrees(&s.twin, &options, what));
            contacts += s.twin.got_count;
        }
    }
    print_message("  %-36s %4u moments, %9llu contacts\n", who->path, moments,
                  (unsigned long long)contacts);
    close_stage(&s);
    return contacts;
}

static void test_characters(void **state)
{
    (void)state;
    const char *folder = assets_folder();
    uint64_t contacts = 0;
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        contacts += play(folder, &characters[i], 0);
        contacts += play(folder, &characters[i], 1);
    }
    assert_true(contacts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
