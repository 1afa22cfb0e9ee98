/* Scenes that are given nonsense or no memory: errors that name the body, nothing lost or written,
   the right answer from the next call; and no memory is asked for once all is warm. */
#include "flock_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nonsense in one body fails the call; with the body mended, the scene answers again. */
static void failures_name_the_body(void **state)
{
    (void)state;
    flock f = flock_create();
    for (uint32_t workers = 1; workers <= 3; workers++) {
        flock_scene a = flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, workers),
                                           PLIANT_BROAD_AUTO, false);
        pliant_scene_contacts contacts = {.count = 77};
        flock_scene_share(&a, &f);
        float kept = f.positions[6][100];
        f.positions[6][100] = INFINITY;
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "body 6: "));
        assert_int_equal(contacts.count, 77);
        assert_int_equal(pliant_scene_collide(a.scene, NULL, &contacts), PLIANT_ERROR_STATE);
        f.positions[6][100] = kept;
        assert_ok(pliant_body_share_positions(a.body[6], f.positions[6], 0));
        assert_ok(pliant_scene_collide(a.scene, NULL, &contacts));
        assert_true(contacts.count != 77);
        flock_scene_free(&a);
    }
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.workers = 0;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    def.workers = 1000;
    assert_int_equal(pliant_context_create(&def, &context), PLIANT_ERROR_RANGE);
    flock_free(&f);
}

/* Every allocation of a scene fails once and from then on. */
static void failing_allocations(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_evaluate(&f, 20);
    uint64_t expected = 0, calls = 0;
    for (uint64_t n = 0; n <= 2 * calls; n++) {
        counting_allocator allocator = {.fail_at = (n + 1) / 2, .fail_from_there = n % 2 == 0};
        pliant_context *context = fixture_context(&allocator);
        pliant_result result = context != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
        pliant_scene *scene = NULL;
        pliant_shape *shape[4] = {NULL};
        pliant_body *body[4] = {NULL};
        pliant_scene_contacts contacts = {.count = 0};
        if (result == PLIANT_OK) {
            result = pliant_scene_create(context, NULL, &scene);
        }
        for (int i = 0; i < 4 && result == PLIANT_OK; i++) {
            const gallery_mesh *mesh = &f.kind[i]->bodies[0];
            pliant_shape_def def = fixture_shape_def(mesh);
            result = pliant_shape_create(context, &def, &shape[i]);
            pliant_body_id id;
            if (result == PLIANT_OK) {
                result = pliant_body_create(shape[i], NULL, &body[i]);
            }
            if (result == PLIANT_OK) {
                result = pliant_scene_add(scene, body[i], NULL, &id);
            }
        }
        if (result == PLIANT_OK) {
            result = pliant_scene_collide(scene, NULL, &contacts);
        }
        if (n == 0) {
            assert_int_equal(result, PLIANT_OK);
            expected = contacts.count;
            calls = allocator.calls;
        } else {
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
        }
        allocator.fail_at = 0;
        if (pliant_scene_get_body_count(scene) == 4) {
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            assert_int_equal(contacts.count, expected);
        }
        pliant_scene_destroy(scene);
        for (int i = 0; i < 4; i++) {
            pliant_body_destroy(body[i]);
            pliant_shape_destroy(shape[i]);
        }
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(expected > 0);
    flock_free(&f);
}

/* A few spheres in a row that overlap their neighbours, all with loose boxes. */
enum { ROW = 4 };

typedef struct row {
    counting_allocator allocator;
    pliant_context *context;
    pliant_scene *scene;
    pliant_volume *volume;
    pliant_shape *shape;
    pliant_body *body[ROW];
} row;

static float *row_positions(const gallery_mesh *mesh, uint32_t body)
{
    float *positions = malloc((size_t)3 * mesh->vertex_count * sizeof *positions);
    for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++) {
        const float by[3] = {0.8f * (float)body, 0.1f * (float)body, 0.0f};
        positions[k] = mesh->positions[k] + by[k % 3];
    }
    return positions;
}

/* Three workers one after the other: allocations come from one thread. */
static void run_in_turn(void *user, pliant_task task, void *argument, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, i % 3);
    }
}

/* Questions to a scene. */
typedef enum question {
    ASK_ALL,
    ASK_FIRST,
    ASK_PROXIES,
    ASK_WITHIN,
    ASK_FEATURES,
    ASK_RAYS,
    ASK_ANY,
    ASK_EVERY_HIT,
    ASK_CLOSEST,
    ASK_DISTANCES,
    ASK_BOX,
    ASK_VOLUMES,
    QUESTIONS
} question;

static void row_create(row *r, const gallery_mesh *mesh, pliant_broad broad, uint32_t workers)
{
    *r = (row){.allocator = {0}};
    pliant_scheduler scheduler = {workers > 1 ? run_in_turn : NULL, NULL, workers};
    r->context = fixture_context_of(&r->allocator, scheduler);
    pliant_scene_def scene = pliant_scene_def_default();
    scene.broad = broad;
    assert_ok(pliant_scene_create(r->context, &scene, &r->scene));
    assert_ok(pliant_volume_create(r->context, NULL, &r->volume));
    pliant_shape_def def = fixture_shape_def(mesh);
    def.proxy_triangles = 8;
    assert_ok(pliant_shape_create(r->context, &def, &r->shape));
    for (uint32_t i = 0; i < ROW; i++) {
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.proxies = i % 2 == 0;
        member.self = i == 1;
        member.has_loose_box = true;
        member.loose_box = (pliant_box){{-9.0f, -9.0f, -9.0f}, {9.0f, 9.0f, 9.0f}};
        float *positions = row_positions(mesh, i);
        assert_ok(pliant_body_create(r->shape, NULL, &r->body[i]));
        assert_ok(pliant_body_set_positions(r->body[i], positions, 0));
        assert_ok(pliant_scene_add(r->scene, r->body[i], &member, &id));
        free(positions);
    }
}

static void row_free(row *r)
{
    pliant_scene_destroy(r->scene);
    pliant_volume_destroy(r->volume);
    for (int i = 0; i < ROW; i++) {
        pliant_body_destroy(r->body[i]);
    }
    pliant_shape_destroy(r->shape);
    pliant_context_destroy(r->context);
    assert_int_equal(r->allocator.live, 0);
}

/* Room for any answer. */
typedef union any_answer {
    unsigned char bytes[1024];
    pliant_scene_contacts contacts;
    pliant_scene_proxy_contacts proxies;
    pliant_scene_proximities proximities;
    pliant_scene_features features;
    pliant_scene_ray_hit hits[3];
    pliant_scene_closest closest[3];
    pliant_scene_signed_distance distances[3];
    bool blocked[3];
    pliant_scene_ray_hits all_hits;
    pliant_scene_triangles triangles;
    pliant_scene_volumes volumes;
} any_answer;

static pliant_result ask(const row *r, question which, any_answer *answer)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_volume_options coarse = pliant_volume_options_default();
    const float points[3][3] = {{1.0f, 2.0f, 3.0f}, {0.1f, 0.1f, 0.1f}, {9.0f, 9.0f, 9.0f}};
    const pliant_ray rays[3] = {
        {{0.5f, 8.0f, 8.0f}, {0.0f, 0.0f, 1.0f}, 1.0f}, /* nobody, in loose boxes */
        {{0.1f, 0.1f, -9.0f}, {0.0f, 0.0f, 1.0f}, INFINITY},
        {{-9.0f, 0.1f, 0.0f}, {1.0f, 0.0f, 0.0f}, INFINITY}};
    const pliant_box box = {{0.0f, 0.0f, 0.0f}, {2.0f, 1.0f, INFINITY}};
    coarse.resolution = 16;
    options.mode = which == ASK_FIRST ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    switch (which) {
    case ASK_ALL:
    case ASK_FIRST:
        return pliant_scene_collide(r->scene, &options, &answer->contacts);
    case ASK_PROXIES:
        return pliant_scene_collide_proxies(r->scene, &options, &answer->proxies);
    case ASK_WITHIN:
        return pliant_scene_find_within(r->scene, 0.05f, &options, &answer->proximities);
    case ASK_FEATURES:
        return pliant_scene_find_features(r->scene, 0.05f, &options, &answer->features);
    case ASK_RAYS:
        return pliant_scene_raycast(r->scene, rays, 3, NULL, answer->hits);
    case ASK_ANY:
        return pliant_scene_raycast_any(r->scene, rays, 3, NULL, answer->blocked);
    case ASK_EVERY_HIT:
        return pliant_scene_raycast_all(r->scene, rays, 3, NULL, &answer->all_hits);
    case ASK_CLOSEST:
        return pliant_scene_find_closest_points(r->scene, points[0], 3, 0, INFINITY, NULL,
                                                answer->closest);
    case ASK_DISTANCES:
        return pliant_scene_measure_distances(r->scene, points[0], 3, 0, NULL, NULL,
                                              answer->distances);
    case ASK_BOX:
        return pliant_scene_overlap_box(r->scene, &box, NULL, &answer->triangles);
    case ASK_VOLUMES:
    case QUESTIONS:
        break;
    }
    return pliant_volume_intersect_scene(r->volume, r->scene, &options, &coarse, &answer->volumes);
}

/* What an answer says, as one number. */
static uint64_t sum_up(question which, const any_answer *answer)
{
    switch (which) {
    case ASK_ALL:
    case ASK_FIRST:
        return answer->contacts.count;
    case ASK_PROXIES:
        return answer->proxies.count;
    case ASK_WITHIN:
        return answer->proximities.count;
    case ASK_FEATURES:
        return answer->features.count ^ answer->features.crossings.count << 32;
    case ASK_RAYS:
        return answer->hits[1].hit.triangle ^ (uint64_t)answer->hits[2].hit.triangle << 32;
    case ASK_ANY:
        return (uint64_t)answer->blocked[1] << 1 | answer->blocked[2];
    case ASK_EVERY_HIT:
        return answer->all_hits.count;
    case ASK_CLOSEST:
        return answer->closest[0].closest.triangle;
    case ASK_DISTANCES:
        return answer->distances[0].distance.closest.triangle;
    case ASK_BOX:
        return answer->triangles.count;
    case ASK_VOLUMES:
    case QUESTIONS:
        break;
    }
    return answer->volumes.count;
}

/* All pairs of a row by brute force, and whether a scene's contacts are these. */
static void check_by_brute_force(const row *r, const gallery_mesh *mesh)
{
    any_answer answer;
    assert_ok(ask(r, ASK_ALL, &answer));
    const pliant_scene_contacts *contacts = &answer.contacts;
    uint32_t next = 0;
    for (uint32_t pair = 0; pair < ROW * ROW; pair++) {
        uint32_t a = pair / ROW, b = pair % ROW;
        if (a >= b) {
            continue;
        }
        float *positions[2] = {row_positions(mesh, a), row_positions(mesh, b)};
        brute_body x = {positions[0], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
        brute_body y = x;
        brute_pairs pairs = {0};
        y.positions = positions[1];
        brute_collide(&x, &y, &pairs);
        if (pairs.count > 0) {
            assert_true(next < contacts->body_pair_count);
            const pliant_scene_pair *found = &contacts->bodies[next++];
            pliant_contacts part = {.pairs = contacts->pairs + found->first, .count = found->count};
            assert_true(found->a.index == a && found->b.index == b);
            assert_true(brute_equal(&pairs, &part, "row"));
        }
        brute_free(&pairs);
        free(positions[0]);
        free(positions[1]);
    }
    assert_true(next >= ROW - 1 && next == contacts->body_pair_count);
}

/* Every allocation of every question fails, once and from then on: nothing is written, and with
   memory again the same question and all others are answered as if nothing had happened. */
static void answers_after_failures(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 80, .seed = 1};
    gallery_scene *spheres = gallery_create(&gallery_spheres, &settings);
    const gallery_mesh *mesh = &spheres->bodies[0];
    for (int i = 0; i < 3 * QUESTIONS; i++) {
        const question which = (question)(i % QUESTIONS);
        pliant_broad broad = (pliant_broad[]){PLIANT_BROAD_AUTO, PLIANT_BROAD_SWEEP,
                                              PLIANT_BROAD_GRID}[i / QUESTIONS];
        uint32_t workers = i / QUESTIONS == 1 ? 3 : 1;
        row r;
        any_answer answer, untouched;
        memset(&untouched, 0x55, sizeof untouched);
        row_create(&r, mesh, broad, workers);
        uint64_t calls = r.allocator.calls;
        assert_ok(ask(&r, which, &answer));
        calls = r.allocator.calls - calls;
        uint64_t expected = sum_up(which, &answer);
        row_free(&r);
        for (uint64_t n = 2; n / 2 <= calls; n += fixture_scale() < 0.1 ? 3 : 1) {
            row_create(&r, mesh, broad, workers);
            r.allocator.fail_at = r.allocator.calls + n / 2;
            r.allocator.fail_from_there = n % 2 == 1;
            answer = untouched;
            pliant_result result = ask(&r, which, &answer);
            r.allocator.fail_at = 0;
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
            assert_memory_equal(&answer, &untouched, sizeof answer);
            assert_ok(ask(&r, which, &answer));
            assert_int_equal(sum_up(which, &answer), expected);
            check_by_brute_force(&r, mesh);
            row_free(&r);
        }
    }
    gallery_destroy(spheres);
}

/* A body outside its loose box is found when it is read: whatever was asked, nothing is written. */
static void failures_write_nothing(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 80, .seed = 1};
    gallery_scene *spheres = gallery_create(&gallery_spheres, &settings);
    for (int which = 0; which < QUESTIONS; which++) {
        row r;
        any_answer answer, untouched;
        row_create(&r, &spheres->bodies[0], PLIANT_BROAD_AUTO, 1);
        pliant_member_def member = pliant_member_def_default();
        member.has_loose_box = true;
        member.loose_box = (pliant_box){{-9.0f, -9.0f, -9.0f}, {1.0f, 9.0f, 9.0f}};
        assert_ok(pliant_scene_set_member(r.scene, (pliant_body_id){ROW - 1, 1}, &member));
        memset(&untouched, 0x55, sizeof untouched);
        answer = untouched;
        assert_int_equal(ask(&r, (question)which, &answer), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "body 3: along x"));
        assert_memory_equal(&answer, &untouched, sizeof answer);
        assert_int_equal(ask(&r, (question)which, &answer), PLIANT_ERROR_RANGE); /* and again */
        row_free(&r);
    }
    gallery_destroy(spheres);
}

static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    flock f = flock_create();
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_scene *scene = NULL;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES];
    assert_ok(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_id id;
        shape[i] = fixture_shape(context, &f.kind[i]->bodies[0], fixture_usual_tree);
        assert_ok(pliant_body_create(shape[i], NULL, &body[i]));
        assert_ok(pliant_scene_add(scene, body[i], NULL, &id));
    }
    uint64_t calls = 0;
    for (uint32_t step = 0; step < 60; step++) {
        flock_evaluate(&f, 3 * (step % 20));
        for (int i = 0; i < FLOCK_BODIES; i++) {
            assert_ok(pliant_body_share_positions(body[i], f.positions[i], 0));
        }
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        if (step == 25) {
            calls = allocator.calls;
        }
    }
    assert_int_equal(allocator.calls, calls);
    pliant_scene_destroy(scene);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(body[i]);
        pliant_shape_destroy(shape[i]);
    }
    pliant_context_destroy(context);
    flock_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_name_the_body),       cmocka_unit_test(failing_allocations),
        cmocka_unit_test(answers_after_failures),       cmocka_unit_test(failures_write_nothing),
        cmocka_unit_test(warm_scenes_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
