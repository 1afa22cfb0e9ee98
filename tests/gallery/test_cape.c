/* The cape: it falls onto the walking figure and stays there, outside the figure and off itself,
   the same on every run, with any instruction set and number of workers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cape_stage.h"
#include "gallery/figure.h"

#define NECK         3 /* of figure_bones */
#define SMALL_STEPS  100
#define SMALL_GOLDEN 0x4a626dbbca69e6e8u
#define WHOLE_GOLDEN 0x2aef7bcf7997259cu

static void play(cape_stage *stage, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        stage->step++;
        assert_true(cape_world_step(&stage->world, (double)stage->step / CAPE_STEPS, 1.0 / 240.0));
        assert_int_equal(stage->world.costs.crossings, 0);
        /* Contacts alone keep the cape off; the guard has nothing to do but to prove it. */
        assert_int_equal(stage->world.counts.cuts, 0);
    }
}

static uint64_t hash_cape(const cape_stage *stage)
{
    return gallery_hash(stage->world.cloth.positions, 12 * (uint64_t)stage->cape.vertex_count);
}

/* How many vertices of the cape are inside the figure or on its surface, exactly. */
static uint32_t count_inside(cape_stage *stage)
{
    cape_world *world = &stage->world;
    uint32_t count = 0;
    assert_ok(pliant_measure_distances(world->outside, world->bodies[1], world->cloth.positions,
                                       world->cloth.count, 0, NULL, world->distances));
    for (uint32_t i = 0; i < world->cloth.count; i++) {
        assert_int_equal(world->distances[i].flags, 0);
        count += world->distances[i].side <= 0;
    }
    return count;
}

/* How many triangles of the cape touch the figure or others of the cape. */
static uint32_t count_touching(cape_stage *stage)
{
    cape_world *world = &stage->world;
    bool *touches = calloc(stage->cape.triangle_count, sizeof *touches);
    pliant_contacts found;
    uint32_t count = 0;
    assert_non_null(touches);
    assert_ok(pliant_body_set_positions(world->bodies[0], world->cloth.positions, 0));
    assert_ok(pliant_collide(world->outside, world->bodies[0], world->bodies[1], NULL, &found));
    for (uint64_t i = 0; i < found.count; i++) {
        touches[found.pairs[i].a] = true;
    }
    assert_ok(pliant_collide_self(world->outside, world->bodies[0], NULL, &found));
    for (uint64_t i = 0; i < found.count; i++) {
        touches[found.pairs[i].a] = touches[found.pairs[i].b] = true;
    }
    for (uint32_t i = 0; i < stage->cape.triangle_count; i++) {
        count += touches[i];
    }
    free(touches);
    return count;
}

/* Where the neck's joint is now. */
static void find_neck(const cape_stage *stage, double neck[3])
{
    float coordinates[FIGURE_MODES], transforms[12 * FIGURE_BONES];
    figure_pose(0.6 * (double)stage->step / CAPE_STEPS, phases, coordinates, transforms);
    for (int row = 0; row < 3; row++) {
        const float *numbers = transforms + 12 * NECK + 4 * row;
        neck[row] = (double)numbers[3];
        for (int k = 0; k < 3; k++) {
            neck[row] += (double)numbers[k] * figure_bones[NECK].joint[k];
        }
    }
}

/* The largest distance of the opening's rim, the first ring of vertices, to the neck's joint. */
static double find_slip(const cape_stage *stage)
{
    double neck[3], largest = 0.0;
    find_neck(stage, neck);
    for (uint32_t i = 0; i < stage->cape.vertex_count; i++) {
        const float *rest = stage->cape.positions + 3 * (size_t)i;
        const double *place = stage->world.cloth.places[i];
        if (hypot((double)rest[0], (double)rest[1]) > 0.09) {
            break;
        }
        largest =
            fmax(largest, hypot(hypot(place[0] - neck[0], place[1] - neck[1]), place[2] - neck[2]));
    }
    return largest;
}

static void check_stage(cape_stage *stage)
{
    uint32_t touching = count_touching(stage);
    double slip = find_slip(stage);
    print_message("step %u: %u of %u triangles touch, the rim is within %.3f of the neck\n",
                  stage->step, touching, stage->cape.triangle_count, slip);
    assert_int_equal(count_inside(stage), 0);
    assert_int_equal(touching, 0);
    assert_true(slip < 0.2);
}

static void test_cape_stays_on(void **state)
{
    (void)state;
    cape_stage stage;
    bool whole = fixture_scale() >= 5.0;
    uint32_t steps = whole ? CAPE_STEPS : fixture_scale() < 0.1 ? 100 : 150;
    set_stage(gallery_cape.triangles, PLIANT_ISA_BEST, 1, &stage);
    assert_true(stage.cape.triangle_count >= 10000);
    while (stage.step < steps) {
        play(&stage, 50);
        check_stage(&stage);
    }
    /* It did fall, and lies on the figure. */
    assert_true(stage.world.costs.on_body > 300);
    assert_true(stage.world.costs.features > 1000);
    if (whole && hash_cape(&stage) != WHOLE_GOLDEN) {
        print_message("0x%016llx\n", (unsigned long long)hash_cape(&stage));
        assert_true(hash_cape(&stage) == WHOLE_GOLDEN);
    }
    clear_stage(&stage);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const struct {
        pliant_isa isa;
        uint32_t workers;
    } ways[] = {{PLIANT_ISA_BEST, 1}, {PLIANT_ISA_BEST, 3}, {PLIANT_ISA_PLAIN, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cape_stage stage;
        set_stage(SMALL, ways[i].isa, ways[i].workers, &stage);
        play(&stage, SMALL_STEPS);
        assert_int_equal(count_inside(&stage), 0);
        if (hash_cape(&stage) != SMALL_GOLDEN) {
            print_message("0x%016llx\n", (unsigned long long)hash_cape(&stage));
        }
        assert_true(hash_cape(&stage) == SMALL_GOLDEN);
        clear_stage(&stage);
    }
}

/* Vertices that were put deep into the figure come out in one step. */
static void test_vertices_leave_the_figure(void **state)
{
    (void)state;
    cape_stage stage;
    set_stage(SMALL, PLIANT_ISA_BEST, 1, &stage);
    for (uint32_t i = 0; i < stage.cape.vertex_count; i += 7) {
        memcpy(stage.world.cloth.places[i], (const double[3]){0.02, 0.01, 1.0 + 1e-4 * i},
               sizeof stage.world.cloth.places[i]);
    }
    cape_cloth_round(&stage.world.cloth);
    assert_true(count_inside(&stage) >= stage.cape.vertex_count / 7);
    assert_true(cape_leave_figure(&stage.world));
    assert_true(stage.world.costs.rounds > 1);
    assert_int_equal(count_inside(&stage), 0);
    clear_stage(&stage);
}

/* A ring: connected, with two borders, and all triangles seen from above. */
static void check_mesh(uint32_t triangles)
{
    gallery_mesh mesh;
    cape_cloth cloth;
    assert_true(cape_make_mesh(triangles, &mesh));
    assert_true(cape_cloth_create(&mesh, &cloth));
    assert_true(mesh.triangle_count > 0.8 * triangles && mesh.triangle_count < 1.3 * triangles);
    /* Euler: V - E + F of a ring is 0; every inner edge has one bend. */
    assert_int_equal(mesh.vertex_count + mesh.triangle_count, cloth.edge_count);
    assert_int_equal(cloth.edge_count + cloth.bend_count, 3 * mesh.triangle_count);
    double area = 0.0;
    for (uint32_t i = 0; i < mesh.triangle_count; i++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh.positions + 3 * (size_t)mesh.triangles[3 * i + k];
        }
        double twice = ((double)p[1][0] - (double)p[0][0]) * ((double)p[2][1] - (double)p[0][1]) -
                       ((double)p[2][0] - (double)p[0][0]) * ((double)p[1][1] - (double)p[0][1]);
        assert_true(twice > 0.0);
        area += 0.5 * twice;
    }
    assert_true(area > 1.2 && area < 1.7);
    cape_cloth_destroy(&cloth);
    mesh_free(&mesh);
}

static void test_mesh_is_a_ring(void **state)
{
    (void)state;
    check_mesh(200);
    check_mesh(gallery_cape.triangles);
    check_mesh(40000);
}

/* Whatever allocation of the library's fails: no world, or no step, and nothing is lost. */
static void test_without_memory(void **state)
{
    (void)state;
    cape_stage stage;
    set_meshes(SMALL, &stage);
    uint32_t made = 0;
    for (uint64_t fail_at = 2; fail_at < 1000 && made < 3; fail_at++) { /* 1 is the context */
        counting_allocator allocator = {.fail_at = fail_at};
        pliant_context *context = fixture_context(&allocator);
        if (cape_world_create(&stage.cape, &stage.figure, &stage.model, phases, context,
                              &stage.world)) {
            made += cape_world_step(&stage.world, 1.0 / CAPE_STEPS, 1.0 / 240.0);
        } else {
            assert_null(stage.world.skin);
        }
        cape_world_destroy(&stage.world);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(made > 0);
    clear_stage(&stage);
}

/* The scene is what the world does, at every step, however many steps it is cut into. */
static void test_scene_is_recorded(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .steps = 300, .seed = 4};
    gallery_scene *scene = gallery_create(&gallery_cape, &settings);
    assert_non_null(scene);
    cape_world world;
    float *found = malloc(12 * (size_t)scene->bodies[0].vertex_count);
    gallery_mesh figure = scene->bodies[1];
    figure.positions = scene->rest[1];
    gallery_mesh cape = scene->bodies[0];
    cape.positions = scene->rest[0];
    assert_non_null(found);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    assert_true(
        cape_world_create(&cape, &figure, &scene->models[1], scene->phases[1], context, &world));
    pliant_context_destroy(context);
    for (uint32_t step = 0; step <= 40; step++) {
        gallery_evaluate(scene, 0, step, found);
        assert_memory_equal(found, world.cloth.positions, 12 * (size_t)world.cloth.count);
        for (uint32_t k = 1; k <= 2; k++) {
            assert_true(cape_world_step(&world, (2.0 * step + k) / 600.0, 2.5 / 600.0));
        }
    }
    cape_world_destroy(&world);
    free(found);
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_a_ring),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_vertices_leave_the_figure),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_scene_is_recorded),
        cmocka_unit_test(test_cape_stays_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
