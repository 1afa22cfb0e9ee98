/*
 * Filters and callbacks that do anything that a program can do, at random, in the middle of random
 * queries: destroy what is in use, tear, set states, ask again. Some positions are not finite.
 * Every call returns, and sanitizers see no error and no leak.
 */
#include "fixture.h"
#include "random.h"
#include "triangle_cases.h"

#include "pliant/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 8, QUERIES = 8, MOST_TETRAHEDRA = 20, MOST_DEPTH = 3, MOST_DEEDS = 7 };

/* Everything that a deed can reach; NULL after it was destroyed. */
static struct stage {
    rng r;
    pliant_context *context;
    pliant_scene *scene, *other_scene;
    pliant_query *query, *other_query;
    pliant_contours *contours;
    pliant_volume *volume;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
    float *positions[BODIES];
    uint32_t depth, deeds;
} stage;

static uint32_t below(uint32_t n)
{
    return (uint32_t)rng_below(&stage.r, n);
}

/* ------------------------------------------------------------------- deeds */

static void destroy_something(uint32_t i)
{
    /* A Debug build stops if something is destroyed before its users. */
#ifndef PLI_DEBUG
    switch (below(8)) {
    case 0:
        pliant_scene_destroy(stage.scene);
        stage.scene = NULL;
        return;
    case 1:
        pliant_context_destroy(stage.context);
        stage.context = NULL;
        return;
    case 2:
        pliant_query_destroy(stage.query);
        stage.query = NULL;
        return;
    case 3:
        pliant_contours_destroy(stage.contours);
        stage.contours = NULL;
        return;
    case 4:
        pliant_shape_destroy(stage.shape[i]);
        stage.shape[i] = NULL;
        return;
    default:
        break;
    }
#endif
    pliant_body_destroy(stage.body[i]);
    stage.body[i] = NULL;
}

static void change_body(uint32_t i)
{
    static const float rows[12] = {1, 0, 0, 0.1f, 0, 1, 0, 0.2f, 0, 0, 1, 0};
    const uint32_t removed[1] = {below(4)};
    const pliant_tear tear = {.removed = removed, .removed_count = 1};
    pliant_body *body = stage.body[i];
    switch (below(8)) {
    case 0:
        (void)pliant_body_set_positions(body, stage.positions[i], 0);
        break;
    case 1:
        (void)pliant_body_share_positions(body, stage.positions[i], 0);
        break;
    case 2:
        (void)pliant_body_begin_step(body);
        break;
    case 3:
        (void)pliant_body_end_step(body);
        break;
    case 4:
        (void)pliant_body_tear(body, &tear);
        break;
    case 5:
        (void)pliant_body_set_update(body, (pliant_update)below(5), 0, 1);
        break;
    case 6:
        (void)pliant_body_set_world(body, rows);
        break;
    default:
        (void)pliant_body_prepare(body);
    }
}

static void change_scene(uint32_t i)
{
    pliant_member_def member = pliant_member_def_default();
    member.self = true;
    switch (below(6)) {
    case 0:
        (void)pliant_scene_remove(stage.scene, stage.id[i]);
        break;
    case 1:
        (void)pliant_scene_stop_recording(stage.scene);
        break;
    case 2:
        (void)pliant_scene_add(stage.scene, stage.body[i], NULL, &stage.id[i]);
        break;
    case 3:
        (void)pliant_scene_add(stage.other_scene, stage.body[i], NULL, &stage.id[i]);
        break;
    case 4:
        (void)pliant_scene_set_member(stage.scene, stage.id[i], &member);
        break;
    default:
        (void)pliant_scene_begin_step(stage.scene);
    }
}

static void ask_again(uint32_t i, uint32_t j)
{
    pliant_scene_contacts all;
    pliant_contacts contacts;
    pliant_meetings meetings;
    pliant_contour_set contours;
    pliant_volume_measure measure;
    pliant_box box;
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = 4;
    options.allow_open = true;
    switch (below(6)) {
    case 0:
        (void)pliant_scene_collide(stage.scene, NULL, &all);
        break;
    case 1:
        (void)pliant_collide(stage.other_query, stage.body[i], stage.body[j], NULL, &contacts);
        break;
    case 2:
        (void)pliant_find_meetings(stage.other_query, stage.body[i], stage.body[j], NULL,
                                   &meetings);
        break;
    case 3:
        (void)pliant_contours_find(stage.contours, stage.body[i], stage.body[j], NULL, &contours);
        break;
    case 4:
        (void)pliant_volume_measure_body(stage.volume, stage.body[i], &options, &measure);
        break;
    default:
        (void)pliant_body_get_bounds(stage.body[i], &box);
    }
}

/* Once in a while. What was destroyed is NULL by then, which calls refuse. */
static void do_something(void)
{
    if (stage.depth >= MOST_DEPTH || stage.deeds >= MOST_DEEDS || below(2) == 0) {
        return;
    }
    stage.depth++;
    stage.deeds++;
    uint32_t i = below(BODIES), j = below(BODIES);
    switch (below(8)) {
    case 0:
        destroy_something(i);
        break;
    case 1:
    case 2:
        change_scene(i);
        break;
    case 3:
    case 4:
        ask_again(i, j);
        break;
    default:
        change_body(i);
    }
    stage.depth--;
}

/* --------------------------------------------------------------- callbacks */

static bool filter_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    (void)a;
    (void)b;
    do_something();
    return below(5) > 0;
}

static bool filter_body(void *user, pliant_body_id id)
{
    (void)user;
    (void)id;
    do_something();
    return true;
}

/* Reads the block after the deed: it must live until the callback returns. */
static bool read_pairs(const pliant_pair *pairs, uint64_t count)
{
    static volatile uint32_t sum;
    do_something();
    for (uint64_t i = 0; i < count; i++) {
        sum = sum + pairs[i].a;
    }
    return below(8) > 0;
}

static bool take_scene_contacts(void *user, const pliant_scene_pair *bodies,
                                const pliant_contacts *contacts)
{
    (void)user;
    (void)bodies;
    return read_pairs(contacts->pairs, contacts->count);
}

static bool take_scene_meetings(void *user, const pliant_scene_pair *bodies,
                                const pliant_meetings *meetings)
{
    (void)user;
    (void)bodies;
    return read_pairs(meetings->pairs, meetings->count);
}

static bool take_contacts(void *user, const pliant_contacts *contacts)
{
    (void)user;
    return read_pairs(contacts->pairs, contacts->count);
}

static bool take_meetings(void *user, const pliant_meetings *meetings)
{
    (void)user;
    return read_pairs(meetings->pairs, meetings->count);
}

static bool visit_bound(void *user, const pliant_bound *bound)
{
    (void)user;
    (void)bound;
    do_something();
    return below(6) > 0;
}

static bool write_recording(void *user, const void *bytes, uint64_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    if (below(6) == 0) {
        do_something();
    }
    return below(200) > 0;
}

/* ------------------------------------------------------------------ queries */

static void ask_pairs(uint32_t i, uint32_t j)
{
    pliant_collide_options collide = pliant_collide_options_default();
    pliant_meeting_options meet = pliant_meeting_options_default();
    collide.callback = take_contacts;
    meet.callback = take_meetings;
    pliant_body *a = stage.body[i], *b = stage.body[j];
    if (below(2) == 0) {
        (void)(i == j ? pliant_collide_self(stage.query, a, &collide, NULL)
                      : pliant_collide(stage.query, a, b, &collide, NULL));
    } else {
        (void)(i == j ? pliant_find_meetings_self(stage.query, a, &meet, NULL)
                      : pliant_find_meetings(stage.query, a, b, &meet, NULL));
    }
}

static void ask_bodies(uint32_t i)
{
    pliant_body *bodies[3];
    uint32_t count = 0;
    pliant_advance advance;
    if (below(2) == 0) {
        (void)pliant_visit_bounds(stage.query, stage.body[i], below(2), visit_bound, NULL);
        return;
    }
    for (uint32_t k = 0; k < BODIES && count < 3; k++) {
        if (stage.body[k] != NULL) {
            bodies[count++] = stage.body[k];
        }
    }
    (void)pliant_advance_bodies(stage.query, bodies, count, NULL, &advance);
}

static void ask_places(void)
{
    const pliant_ray ray = {{1, 1, -1}, {0.1f, 0.1f, 1}, INFINITY};
    const float points[6] = {1, 1, 1, 2, 2, 2};
    const pliant_box box = {{0, 0, 0}, {2, 2, 2}};
    pliant_scene_select select = pliant_scene_select_default();
    select.filter = below(2) == 0 ? filter_body : NULL;
    pliant_scene_ray_hit hit;
    pliant_scene_ray_hits hits;
    pliant_scene_signed_distance distances[2];
    pliant_scene_triangles triangles;
    switch (below(4)) {
    case 0:
        (void)pliant_scene_raycast(stage.scene, &ray, 1, &select, &hit);
        break;
    case 1:
        (void)pliant_scene_raycast_all(stage.scene, &ray, 1, &select, &hits);
        break;
    case 2:
        (void)pliant_scene_measure_distances(stage.scene, points, 2, 0, NULL, &select, distances);
        break;
    default:
        (void)pliant_scene_overlap_box(stage.scene, &box, &select, &triangles);
    }
}

static void ask_scene(void)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_volume_options volume = pliant_volume_options_default();
    options.filter = below(2) == 0 ? filter_pair : NULL;
    options.events = below(2) == 0;
    volume.resolution = 4;
    volume.allow_open = true;
    pliant_scene_contacts contacts;
    pliant_scene_meetings meetings;
    pliant_scene_free_time until;
    pliant_scene_advance advance;
    pliant_scene_features features;
    pliant_scene_proximities near;
    pliant_scene_volumes volumes;
    switch (below(7)) {
    case 0:
        options.callback = below(2) == 0 ? take_scene_contacts : NULL;
        (void)pliant_scene_collide(stage.scene, &options, &contacts);
        break;
    case 1:
        options.meetings_callback = below(2) == 0 ? take_scene_meetings : NULL;
        (void)pliant_scene_find_meetings(stage.scene, &options, &meetings);
        break;
    case 2:
        (void)pliant_scene_find_free_time(stage.scene, &options, &until);
        break;
    case 3:
        (void)pliant_scene_advance_bodies(stage.scene, &options, &advance);
        break;
    case 4:
        (void)pliant_scene_find_features(stage.scene, 0.2f, &options, &features);
        break;
    case 5:
        (void)pliant_scene_find_within(stage.scene, 0.2f, &options, &near);
        break;
    default:
        (void)pliant_volume_intersect_scene(stage.volume, stage.scene, &options, &volume, &volumes);
    }
}

/* -------------------------------------------------------------------- stage */

static gallery_mesh make_tetrahedra(void)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    uint32_t count = 1 + below(MOST_TETRAHEDRA);
    gallery_mesh mesh;
    assert_true(mesh_allocate(4 * count, 4 * count, &mesh));
    for (uint32_t i = 0; i < 12 * count; i++) {
        bool first = i % 12 < 3, along = i % 12 / 3 == i % 3 + 1;
        float *at = mesh.positions + i;
        *at = first ? (float)below(4) : mesh.positions[i / 12 * 12 + i % 3] + (along ? 1.5f : 0.0f);
        mesh.triangles[i] = i / 12 * 4 + faces[i % 12];
    }
    return mesh;
}

/* Rests, moves, or has a number that is not finite, in the middle of a step at times. */
static void make_body(uint32_t i, bool infinite)
{
    gallery_mesh mesh = make_tetrahedra();
    uint32_t count = 3 * mesh.vertex_count;
    stage.shape[i] = fixture_shape(stage.context, &mesh, fixture_usual_tree);
    assert_ok(pliant_body_create(stage.shape[i], NULL, &stage.body[i]));
    pliant_member_def member = pliant_member_def_default();
    member.self = below(2) == 0;
    assert_ok(pliant_scene_add(stage.scene, stage.body[i], &member, &stage.id[i]));
    stage.positions[i] = malloc(count * sizeof(float));
    memcpy(stage.positions[i], mesh.positions, count * sizeof(float));
    if (below(2) == 0) {
        assert_ok(pliant_body_begin_step(stage.body[i]));
    }
    for (uint32_t k = 0; k < count; k++) {
        stage.positions[i][k] += 0.25f * (float)below(5);
    }
    if (infinite && below(2) == 0) {
        stage.positions[i][below(count)] = below(2) == 0 ? NAN : INFINITY;
    }
    if (infinite || below(2) == 0) {
        assert_ok(pliant_body_share_positions(stage.body[i], stage.positions[i], 0));
    }
    mesh_free(&mesh);
}

static void set_stage(uint64_t seed)
{
    memset(&stage, 0, sizeof stage);
    rng_seed(&stage.r, seed);
    stage.context = fixture_context_with(PLIANT_ISA_BEST, 1 + below(3));
    assert_ok(pliant_scene_create(stage.context, NULL, &stage.scene));
    assert_ok(pliant_scene_create(stage.context, NULL, &stage.other_scene));
    assert_ok(pliant_query_create(stage.context, &stage.query));
    assert_ok(pliant_query_create(stage.context, &stage.other_query));
    assert_ok(pliant_contours_create(stage.context, &stage.contours));
    assert_ok(pliant_volume_create(stage.context, NULL, &stage.volume));
    bool infinite = below(3) == 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        make_body(i, infinite);
    }
    if (below(2) == 0) {
        pliant_recording_options options = pliant_recording_options_default();
        options.write = write_recording;
        (void)pliant_scene_record(stage.scene, &options);
    }
}

static void clear_stage(void)
{
    pliant_scene_destroy(stage.scene);
    pliant_scene_destroy(stage.other_scene);
    pliant_contours_destroy(stage.contours);
    pliant_volume_destroy(stage.volume);
    pliant_query_destroy(stage.query);
    pliant_query_destroy(stage.other_query);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(stage.body[i]);
        pliant_shape_destroy(stage.shape[i]);
    }
    pliant_context_destroy(stage.context);
    for (uint32_t i = 0; i < BODIES; i++) {
        free(stage.positions[i]);
    }
}

static void callbacks_may_do_anything(void **state)
{
    (void)state;
    uint64_t first = test_seed(), count = fixture_at_least(20, 200), deeds = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        set_stage(seed);
        for (int n = 0; n < QUERIES; n++) {
            uint32_t i = below(BODIES), j = below(BODIES);
            stage.deeds = 0;
            switch (below(6)) {
            case 0:
                ask_pairs(i, j);
                break;
            case 1:
                ask_bodies(i);
                break;
            case 2:
                ask_places();
                break;
            default:
                ask_scene();
            }
            do_something();
            deeds += stage.deeds;
        }
        clear_stage();
    }
    assert_true(deeds > 4 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_may_do_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
