/* The ball and the curtain: a ball that is thrown at a finished animation bounces off it as it
   should and never gets through, and one that is simulated with the cloth pushes it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "pliant/pliant.h"
#include "gallery/modal/curtain_motion.h"
#include "gallery/modal/curtain_throw.h"
#include "gallery/modal/kinds.h"

enum { FRAMES = MODAL_CURTAIN_FRAMES };

/* The bodies of a scene as the library has them, and what asks about them. */
typedef struct curtain_player {
    const gallery_scene *scene;
    counting_allocator allocator;
    pliant_context *context;
    pliant_query *query;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
} curtain_player;

static void player_create(const gallery_scene *scene, curtain_player *player)
{
    *player = (curtain_player){.scene = scene};
    player->context = fixture_context(&player->allocator);
    assert_ok(pliant_query_create(player->context, &player->query));
    for (int i = 0; i < 2; i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = scene->rest[i];
        def.triangles = scene->bodies[i].triangles;
        def.vertex_count = scene->bodies[i].vertex_count;
        def.triangle_count = scene->bodies[i].triangle_count;
        def.modes = scene->models[i].modes;
        def.mode_count = scene->models[i].mode_count;
        def.joint_count = scene->models[i].joint_count;
        assert_ok(pliant_shape_create(player->context, &def, &player->shapes[i]));
        assert_ok(pliant_body_create(player->shapes[i], NULL, &player->bodies[i]));
    }
}

static void player_destroy(curtain_player *player)
{
    pliant_query_destroy(player->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(player->bodies[i]);
        pliant_shape_destroy(player->shapes[i]);
    }
    pliant_context_destroy(player->context);
    assert_int_equal(player->allocator.live, 0);
}

/* Puts both bodies where they are at a step and says where the ball's centre is. */
static void player_step(curtain_player *player, uint32_t step, float centre[3])
{
    float coordinates[MODAL_CURTAIN_MODES], transform[12];
    gallery_state(player->scene, 0, step, coordinates, NULL);
    gallery_state(player->scene, 1, step, NULL, transform);
    for (int row = 0; row < 3; row++) {
        const float *r = transform + 4 * row;
        assert_true(fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0f) < 1e-5f);
        centre[row] = r[3];
        assert_true(isfinite(centre[row]));
    }
    assert_ok(pliant_body_set_coordinates(player->bodies[0], coordinates, MODAL_CURTAIN_MODES));
    assert_ok(pliant_body_set_transforms(player->bodies[1], transform, 1, 0));
}

static uint64_t count_pairs(curtain_player *player)
{
    pliant_contacts contacts;
    assert_ok(pliant_collide(player->query, player->bodies[0], player->bodies[1], NULL, &contacts));
    return contacts.count;
}

static double distance_to_curtain(curtain_player *player, const float centre[3])
{
    pliant_closest closest;
    assert_ok(
        pliant_find_closest_point(player->query, player->bodies[0], centre, INFINITY, &closest));
    assert_true(closest.found);
    return closest.distance;
}

static gallery_scene *make_scene(const gallery_kind *kind, uint32_t triangles, uint64_t seed)
{
    gallery_settings settings = {.triangles = triangles, .seed = seed};
    gallery_scene *scene = gallery_create(kind, &settings);
    assert_non_null(scene);
    assert_int_equal(scene->body_count, 2);
    assert_int_equal(scene->models[0].mode_count, 12);
    assert_int_equal(scene->steps, FRAMES - 1);
    return scene;
}

/*
 * Whatever the seed, the ball touches the curtain, and its centre stays on the side that it came
 * from: in no step it is nearer to the curtain than half its radius, and between two steps it moves
 * by less than a radius, so it cannot have changed sides between them.
 */
static void check_bounce(const gallery_scene *scene)
{
    curtain_player player;
    player_create(scene, &player);
    uint32_t touching = 0;
    float before[3], centre[3];
    for (uint32_t step = 0; step <= scene->steps; step++) {
        player_step(&player, step, centre);
        touching += count_pairs(&player) > 0;
        assert_true(step > 0 || touching == 0);
        assert_true(distance_to_curtain(&player, centre) > 0.5 * MODAL_BALL_RADIUS);
        for (int a = 0; a < 3 && step > 0; a++) {
            assert_true(fabsf(centre[a] - before[a]) < (float)MODAL_BALL_RADIUS);
        }
        memcpy(before, centre, sizeof before);
    }
    assert_in_range(touching, 1, 5);
    /* It went back, and lies or rolls on the floor. */
    assert_true(centre[1] < -1.0f);
    assert_true(fabs((double)centre[2] - (MODAL_BALL_FLOOR + MODAL_BALL_RADIUS)) < 0.1);
    player_destroy(&player);
}

static void test_ball_bounces_off(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (fixture_scale() < 1.0 ? 2u : 6u); seed++) {
        gallery_scene *scene = make_scene(&gallery_curtain, 2000, seed);
        check_bounce(scene);
        gallery_destroy(scene);
    }
}

/* The size that is measured. */
static void test_curtain_of_the_paper(void **state)
{
    (void)state;
    if (fixture_scale() < 1.0) {
        return;
    }
    gallery_scene *scene = make_scene(&gallery_curtain, 0, 1);
    assert_int_equal(scene->bodies[0].triangle_count, MODAL_CURTAIN_FACES);
    assert_int_equal(scene->bodies[1].triangle_count, 1280);
    check_bounce(scene);
    gallery_destroy(scene);
}

/* The curtain sways: some vertex swings by half a metre, and no frame is like the first. */
static void test_curtain_sways(void **state)
{
    (void)state;
    gallery_scene *scene = make_scene(&gallery_curtain, 2000, 1);
    uint32_t count = scene->bodies[0].vertex_count;
    float *first = malloc((size_t)count * 12), *now = malloc((size_t)count * 12);
    assert_non_null(first);
    assert_non_null(now);
    gallery_evaluate(scene, 0, 0, first);
    float farthest = 0.0f;
    for (uint32_t step = 1; step <= scene->steps; step++) {
        float most = 0.0f;
        gallery_evaluate(scene, 0, step, now);
        for (size_t i = 1; i < 3 * (size_t)count; i += 3) {
            most = fmaxf(most, fabsf(now[i] - first[i]));
        }
        assert_true(most > 0.001f);
        farthest = fmaxf(farthest, most);
    }
    assert_true(farthest > 0.5f && farthest < 2.0f);
    free(first);
    free(now);
    gallery_destroy(scene);
}

/* A flat curtain that hangs still. */
static void make_wall(gallery_mesh *mesh, modal_animation *animation)
{
    assert_true(modal_mesh_curtain(1000, mesh));
    size_t length = 3 * (size_t)mesh->vertex_count;
    for (size_t i = 1; i < length; i += 3) {
        mesh->positions[i] = 0.0f;
    }
    *animation = (modal_animation){
        .vertex_count = mesh->vertex_count, .frame_count = FRAMES, .mode_count = 1};
    animation->mean = malloc(length * sizeof(float));
    animation->modes = calloc(length, sizeof(float));
    animation->coordinates = calloc(FRAMES, sizeof(float));
    assert_true(animation->mean != NULL && animation->modes != NULL &&
                animation->coordinates != NULL);
    memcpy(animation->mean, mesh->positions, length * sizeof(float));
}

/*
 * Against a wall: a parabola, a touch that takes two frames at most, then six tenths of the speed
 * back along the normal, and no more spin or sliding than before. All of it to the last bit on
 * every machine, for no LAPACK takes part.
 */
static void test_restitution(void **state)
{
    (void)state;
    gallery_mesh mesh;
    modal_animation wall;
    modal_ball balls[FRAMES];
    make_wall(&mesh, &wall);
    gallery_random random = gallery_random_seed(1, 0);
    modal_throw start = modal_draw_throw(&random);
    assert_true(modal_throw_ball(&mesh, &wall, &start, balls));
    for (int frame = 0; frame < 19; frame++) {
        double t = frame * MODAL_FRAME_TIME;
        double height = start.centre[2] + t * start.velocity[2] - 0.5 * MODAL_GRAVITY * t * t;
        assert_true(fabs(balls[frame].centre[1] - (start.centre[1] + 4.0 * t)) < 1e-9);
        assert_true(fabs(balls[frame].centre[2] - height) < 0.01);
    }
    double back = (balls[24].centre[1] - balls[25].centre[1]) / MODAL_FRAME_TIME;
    print_message("the wall gives back %.3f of the speed\n", back / 4.0);
    assert_true(fabs(back / 4.0 - 0.6) < 0.03);
    uint32_t inside = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        inside += balls[frame].centre[1] > -MODAL_BALL_RADIUS;
        assert_true(balls[frame].centre[1] < -0.5 * MODAL_BALL_RADIUS);
    }
    assert_in_range(inside, 1, 2);
    uint64_t hash = gallery_hash(balls, sizeof balls);
    if (hash != 0x53295531f7fe9fb7u) {
        print_message("path: 0x%016llx\n", (unsigned long long)hash);
    }
    assert_true(hash == 0x53295531f7fe9fb7u);
    mesh_free(&mesh);
    modal_animation_free(&wall);
}

/* The cloth before it is compressed, to the last bit. */
static void test_golden_cloth(void **state)
{
    (void)state;
    gallery_mesh mesh;
    assert_true(modal_mesh_curtain(500, &mesh));
    size_t size = 10 * 3 * (size_t)mesh.vertex_count * sizeof(float);
    float *frames = malloc(size);
    modal_ball balls[10];
    assert_non_null(frames);
    assert_true(modal_blow_curtain(&mesh, modal_curtain_edge(500), 1, 10, frames));
    uint64_t blown = gallery_hash(frames, size);
    assert_true(modal_push_curtain(&mesh, modal_curtain_edge(500), 1, 10, frames, balls));
    uint64_t pushed = gallery_hash(frames, size) * 31 + gallery_hash(balls, sizeof balls);
    if (blown != 0xa743a5776871c6c2u || pushed != 0x0925d4572dd23f2bu) {
        print_message("blown: 0x%016llx pushed: 0x%016llx\n", (unsigned long long)blown,
                      (unsigned long long)pushed);
    }
    assert_true(blown == 0xa743a5776871c6c2u && pushed == 0x0925d4572dd23f2bu);
    free(frames);
    mesh_free(&mesh);
}

/* Simulated together, the ball goes on for a while with the curtain before it. */
static void test_ball_pushes(void **state)
{
    (void)state;
    gallery_scene *scene = make_scene(&gallery_curtain_pushed, fixture_scale() < 1.0 ? 2000 : 0, 1);
    curtain_player player;
    player_create(scene, &player);
    uint32_t touching = 0;
    float centre[3], farthest = -INFINITY;
    for (uint32_t step = 0; step <= scene->steps; step++) {
        player_step(&player, step, centre);
        touching += count_pairs(&player) > 0;
        assert_true(step > 0 || touching == 0);
        farthest = fmaxf(farthest, centre[1]);
    }
    print_message("pushed: the ball touches the curtain in %u of 110 frames\n", touching);
    assert_true(touching >= 5);
    assert_true(farthest > 0.2f);
    player_destroy(&player);
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_bounces_off), cmocka_unit_test(test_curtain_of_the_paper),
        cmocka_unit_test(test_curtain_sways),    cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_golden_cloth),     cmocka_unit_test(test_ball_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
