/*
 * Scenes of many bodies of every kind on a device: free, rigid, reduced, blended and composed ones,
 * with world transforms, masks, static bodies, groups and bodies that touch themselves. Contacts
 * are those of the core, however bodies are paired, wherever states come from.
 */
#include "cuda_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

/* Bodies of random kinds. Kind MODEL_KINDS is free, given by the positions of a model. */
typedef struct crowd {
    cuda_twin twin;
    model_case c[MOST];
    bool is_free[MOST], is_moved[MOST]; /* the latter: free, with a transform */
    uint32_t count;
} crowd;

static pliant_shape *free_shape(const model_case *c, bool is_moved, const uint16_t *groups)
{
    pliant_shape *shape = NULL;
    pliant_shape_def def = fixture_shape_def(&c->mesh);
    def.joint_count = is_moved ? 1 : 0;
    def.groups = groups;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    return shape;
}

/* Puts a body of both scenes into the state of its case. */
static void set_state(crowd *w, uint32_t i)
{
    model_case *c = &w->c[i];
    pliant_state state = {.world = c->placed ? c->world : NULL};
    float turned[12];
    if (w->is_free[i]) {
        rng r;
        rng_seed(&r, i + 1);
        model_random_transform(&r, 0.3, turned);
        for (int k = 3; k < 12; k += 4) {
            turned[k] *= (float)c->scale;
        }
        state.positions = c->positions;
        state.transforms = w->is_moved[i] ? turned : NULL;
        state.transform_count = w->is_moved[i];
    } else {
        state.coordinates = c->model.mode_count > 0 ? c->coordinates : NULL;
        state.coordinate_count = c->model.mode_count;
        state.transforms = c->model.joint_count > 0 ? c->transforms : NULL;
        state.transform_count = c->model.joint_count;
    }
    cuda_twin_set(&w->twin, i, &state);
}

static crowd make_crowd(uint32_t count, uint32_t triangles, double scale, rng *r)
{
    crowd w = {.twin = cuda_twin_create(test_context), .count = count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = (uint32_t)rng_below(r, MODEL_KINDS + 2);
        pliant_member_def def = pliant_member_def_default();
        def.category = UINT64_C(1) << rng_below(r, 3);
        def.mask = rng_below(r, 3) == 0 ? rng_below(r, 8) : UINT64_MAX;
        def.self = rng_below(r, 3) == 0;
        def.is_static = rng_below(r, 4) == 0;
        w.is_free[i] = kind >= MODEL_KINDS;
        w.is_moved[i] = kind > MODEL_KINDS;
        w.c[i] =
            model_case_create(w.is_free[i] ? MODEL_REDUCED : (model_kind)kind,
                              (model_trait)rng_below(r, MODEL_TRAITS), scale, 0.0, triangles, r);
        if (rng_below(r, 2) == 0) {
            model_case_place_somewhere(&w.c[i], r);
        }
        pliant_shape *shape =
            w.is_free[i]
                ? free_shape(&w.c[i], w.is_moved[i], NULL)
                : model_case_shape(test_context, &w.c[i], PLIANT_BOUND_AUTO, fixture_usual_tree);
        cuda_twin_add(&w.twin, shape, &def);
        pliant_shape_destroy(shape);
    }
    return w;
}

static void destroy_crowd(crowd *w)
{
    cuda_twin_destroy(&w->twin);
    for (uint32_t i = 0; i < w->count; i++) {
        model_case_destroy(&w->c[i]);
    }
}

static void test_crowds(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 1e-38, 1e-25, 1e-8, 1e10, 1e25, 1e36};
    uint32_t runs = fixture_at_least(14, 1000);
    uint64_t contacts = 0, evaluated = 0;
    for (uint32_t run = 0; run < runs; run++) {
        rng r;
        rng_seed(&r, 40 + run);
        crowd w = make_crowd(2 + (uint32_t)rng_below(&r, MOST - 2), 60 + 40 * (run % 6),
                             scales[run % 7], &r);
        pli_cuda_emulator *emulator = cuda_fixture_emulator(w.twin.cuda);
        w.twin.scene->sweep_from = run % 2 == 0 ? 3 : 1000;
        if (emulator != NULL) {
            emulator->seed = run % 3 == 0 ? 0 : rng_u64(&r);
        }
        for (int step = 0; step < 3; step++) {
            pliant_collide_options options = pliant_collide_options_default();
            for (uint32_t i = 0; i < w.count; i++) {
                if (step > 0) {
                    model_case_move(&w.c[i], &r, step == 2);
                }
                set_state(&w, i);
            }
            options.neighbours = (pliant_neighbours)(run % 3);
            options.mode = step == 1 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
            assert_true(cuda_twin_agrees(&w.twin, &options, "crowd"));
            contacts += w.twin.got_count;
            evaluated += w.twin.scene->stats.clusters_evaluated;
        }
        destroy_crowd(&w);
    }
    printf("%u crowds: %llu contacts, %llu clusters evaluated\n", runs,
           (unsigned long long)contacts, (unsigned long long)evaluated);
    assert_true(contacts > 1000 && evaluated > 100);
}

/* Vertices that the device evaluates are those of D1 to the bit: a body that overlaps a free one
   made of its positions has all its triangles in contact with that one's. */
static void test_evaluation(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 10; run++) {
        rng r;
        rng_seed(&r, 9 + run);
        model_case c = model_case_create((model_kind)(run % MODEL_KINDS),
                                         (model_trait)(run / 2 % MODEL_TRAITS), 1.0, 3.0, 300, &r);
        model_case_place_somewhere(&c, &r);
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        cuda_twin t = cuda_twin_create(test_context);
        uint32_t body = cuda_twin_add(&t, shape, NULL);
        pliant_state given = {.coordinates = c.model.mode_count > 0 ? c.coordinates : NULL,
                              .coordinate_count = c.model.mode_count,
                              .transforms = c.model.joint_count > 0 ? c.transforms : NULL,
                              .transform_count = c.model.joint_count,
                              .world = c.world};
        cuda_twin_set(&t, body, &given);
        /* A free body at the same place, so that everything is evaluated. */
        float *positions = malloc(3 * sizeof(float) * c.mesh.vertex_count);
        assert_ok(pliant_body_evaluate(t.body[body], NULL, c.mesh.vertex_count, positions));
        pliant_shape *free_one = free_shape(&c, false, NULL);
        uint32_t other = cuda_twin_add(&t, free_one, NULL);
        cuda_twin_set(&t, other, &(pliant_state){.positions = positions});
        assert_true(cuda_twin_agrees(&t, NULL, "evaluation"));
        assert_true(t.got_count >= c.mesh.triangle_count);
        /* The numbers themselves, where the emulator has them. */
        if (cuda_fixture_emulator(t.cuda) != NULL) {
            const pli_cuda_step *s = &t.scene->step;
            for (uint32_t k = 0; k < s->bodies[body].cluster_count; k++) {
                const pli_cuda_shape *on = s->bodies[body].shape;
                const pli_cuda_cluster *of = &on->clusters[k];
                uint32_t place = s->sites[s->bodies[body].first_cluster + k].place;
                const float *at = s->vertices + (size_t)place * PLI_CUDA_UNIT;
                for (uint32_t i = 0; i < of->vertex_count; i++) {
                    const float *want = positions + 3 * (size_t)on->vertices[of->first_vertex + i];
                    for (uint32_t axis = 0; axis < 3; axis++) {
                        assert_memory_equal(&at[axis * of->stride + i], &want[axis], sizeof *want);
                    }
                }
            }
        }
        free(positions);
        pliant_shape_destroy(shape);
        pliant_shape_destroy(free_one);
        cuda_twin_destroy(&t);
        model_case_destroy(&c);
    }
}

/* Boxes that follow from states hold what states make of vertices: adversaries that attain bounds,
   weights that do not sum to 1, modes that cancel, at several sizes. */
static void test_bounds(void **state)
{
    (void)state;
    uint32_t runs = fixture_at_least(75, 600);
    static const double scales[] = {1.0, 1e-20, 1e12};
    for (uint32_t run = 0; run < runs; run++) {
        rng r;
        rng_seed(&r, 500 + run);
        model_case c = model_case_create((model_kind)(run % MODEL_KINDS),
                                         (model_trait)(run / MODEL_KINDS % MODEL_TRAITS),
                                         scales[run / 25 % 3], run % 2 == 0 ? 0.0 : 100.0, 150, &r);
        if (run % 3 == 0) {
            model_case_place_somewhere(&c, &r);
        }
        pliant_shape *shape =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        pliant_cuda *cuda = NULL;
        pliant_cuda_scene *scene = NULL;
        pliant_cuda_def def = pliant_cuda_def_default();
        pliant_cuda_contacts contacts;
        uint32_t number;
        def.kind = PLIANT_CUDA_EMULATED;
        assert_ok(pliant_cuda_create(test_context, &def, &cuda));
        assert_ok(pliant_cuda_scene_create(cuda, &scene));
        assert_ok(pliant_cuda_scene_add(scene, shape, NULL, &number));
        pliant_state given = {.coordinates = c.model.mode_count > 0 ? c.coordinates : NULL,
                              .coordinate_count = c.model.mode_count,
                              .transforms = c.model.joint_count > 0 ? c.transforms : NULL,
                              .transform_count = c.model.joint_count,
                              .world = c.placed ? c.world : NULL};
        assert_ok(pliant_cuda_scene_set_state(scene, 0, &given, PLIANT_CUDA_HOST));
        assert_ok(pliant_cuda_scene_collide(scene, NULL, &contacts));
        const pli_cuda_body *body = &scene->step.bodies[0];
        for (uint32_t k = 0; k < body->cluster_count; k++) {
            const pli_cuda_cluster *of = &body->shape->clusters[k];
            const pli_cuda_box *box = &scene->step.boxes[body->first_cluster + k];
            for (uint32_t i = 0; i < of->vertex_count; i++) {
                uint32_t vertex = body->shape->vertices[of->first_vertex + i];
                for (int axis = 0; axis < 3; axis++) {
                    float at = c.positions[3 * (size_t)vertex + (size_t)axis];
                    assert_true(box->lower[axis] <= at && at <= box->upper[axis]);
                }
            }
        }
        pliant_cuda_scene_destroy(scene);
        pliant_cuda_destroy(cuda);
        pliant_shape_destroy(shape);
        model_case_destroy(&c);
    }
}

/* Groups of the question, and of members. */
static void test_groups(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 12; run++) {
        rng r;
        rng_seed(&r, 77 + run);
        cuda_twin t = cuda_twin_create(test_context);
        model_case c[3];
        uint64_t bits[2] = {rng_u64(&r) & 15, rng_u64(&r) & 15};
        for (uint32_t i = 0; i < 3; i++) {
            c[i] = model_case_create(MODEL_REDUCED, MODEL_ROUGH, 1.0, 0.0, 120, &r);
            uint16_t *groups = malloc(c[i].mesh.triangle_count * sizeof *groups);
            for (uint32_t k = 0; k < c[i].mesh.triangle_count; k++) {
                groups[k] = (uint16_t)rng_below(&r, 5);
            }
            pliant_shape *shape = free_shape(&c[i], false, i == 2 ? NULL : groups);
            pliant_member_def def = pliant_member_def_default();
            def.self = true;
            cuda_twin_add(&t, shape, &def);
            cuda_twin_set(&t, i, &(pliant_state){.positions = c[i].positions});
            pliant_shape_destroy(shape);
            free(groups);
        }
        pliant_collide_options options = pliant_collide_options_default();
        uint64_t all, fewer;
        assert_true(cuda_twin_agrees(&t, &options, "all groups"));
        all = t.got_count;
        options.groups_a = (pliant_groups){&bits[0], 4};
        options.groups_b = run % 2 == 0 ? (pliant_groups){&bits[1], 4} : (pliant_groups){0};
        options.mode = run % 3 == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
        assert_true(cuda_twin_agrees(&t, &options, "groups"));
        fewer = t.got_count;
        assert_true(all > 0 && fewer < all);
        cuda_twin_destroy(&t);
        for (uint32_t i = 0; i < 3; i++) {
            model_case_destroy(&c[i]);
        }
    }
}

/* Members' own groups: as if the question had asked for these on each side. */
static void test_member_groups(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 3);
    model_case c = model_case_create(MODEL_REDUCED, MODEL_ROUGH, 1.0, 0.0, 200, &r);
    uint16_t *groups = malloc(c.mesh.triangle_count * sizeof *groups);
    for (uint32_t k = 0; k < c.mesh.triangle_count; k++) {
        groups[k] = (uint16_t)rng_below(&r, 3);
    }
    pliant_shape *shape = free_shape(&c, false, groups);
    uint64_t bits[2] = {1, 6};
    cuda_twin limited = cuda_twin_create(test_context), plain = cuda_twin_create(test_context);
    for (int i = 0; i < 2; i++) {
        pliant_member_def def = pliant_member_def_default();
        uint32_t number;
        cuda_twin_add(&plain, shape, &def);
        def.groups = (pliant_groups){&bits[i], 3};
        assert_ok(pliant_cuda_scene_add(limited.scene, shape, &def, &number));
    }
    pliant_collide_options options = pliant_collide_options_default();
    options.groups_a = (pliant_groups){&bits[0], 3};
    options.groups_b = (pliant_groups){&bits[1], 3};
    assert_true(cuda_twin_agrees(&plain, &options, "plain"));
    pliant_cuda_contacts contacts;
    assert_ok(pliant_cuda_scene_collide(limited.scene, NULL, &contacts));
    assert_int_equal(contacts.count, plain.got_count);
    assert_true(contacts.count > 0);
    pliant_cuda_contact *got = malloc(contacts.count * sizeof *got);
    assert_ok(pliant_cuda_scene_copy_contacts(limited.scene, got, contacts.count));
    assert_memory_equal(got, plain.got, contacts.count * sizeof *got);
    free(got);
    free(groups);
    cuda_twin_destroy(&limited);
    cuda_twin_destroy(&plain);
    pliant_shape_destroy(shape);
    model_case_destroy(&c);
}

/* Numbers that lie on the device are borrowed, with any stride, and read by each question. */
static void test_borrowed_states(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 21);
    model_case c = model_case_create(MODEL_COMPOSED, MODEL_SMOOTH, 1.0, 0.0, 200, &r);
    pliant_shape *shapes[2] = {
        free_shape(&c, false, NULL),
        model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree)};
    cuda_twin t = cuda_twin_create(test_context);
    pli_cuda_device *device = t.cuda->device;
    uint32_t vertices = c.mesh.vertex_count, modes = c.model.mode_count;
    uint32_t joints = c.model.joint_count;
    size_t loose = 7, rows = 16;
    float *host = malloc((loose * vertices + modes + rows * joints) * sizeof *host);
    float *lent =
        device->allocate(device, (loose * vertices + modes + rows * joints) * sizeof *host);
    assert_non_null(lent);
    cuda_twin_add(&t, shapes[0], NULL);
    cuda_twin_add(&t, shapes[1], NULL);
    pliant_state first = {.positions = lent, .position_stride = loose * sizeof *lent};
    pliant_state second = {.coordinates = lent + loose * vertices,
                           .coordinate_count = modes,
                           .transforms = lent + loose * vertices + modes,
                           .transform_count = joints,
                           .transform_stride = rows * sizeof *lent};
    assert_ok(pliant_cuda_scene_set_state(t.scene, 0, &first, PLIANT_CUDA_DEVICE));
    assert_ok(pliant_cuda_scene_set_state(t.scene, 1, &second, PLIANT_CUDA_DEVICE));
    for (int step = 0; step < 4; step++) {
        model_case_move(&c, &r, true);
        for (size_t v = 0; v < vertices; v++) {
            memcpy(host + loose * v, c.positions + 3 * v, 3 * sizeof *host);
            host[loose * v] += 0.01f * (float)step;
        }
        memcpy(host + loose * vertices, c.coordinates, modes * sizeof *host);
        for (size_t j = 0; j < joints; j++) {
            memcpy(host + loose * vertices + modes + rows * j, c.transforms + 12 * j,
                   12 * sizeof *host);
        }
        assert_true(device->upload(device, lent, host,
                                   (loose * vertices + modes + rows * joints) * sizeof *host));
        assert_ok(pliant_body_set_positions(t.body[0], host, loose * sizeof *host));
        model_case_set(&c, t.body[1]);
        assert_true(cuda_twin_agrees(&t, NULL, "borrowed"));
        assert_true(t.got_count > 0);
    }
    /* A number that is not finite is told of, and the scene answers again once it is. */
    pliant_cuda_contacts contacts;
    float bad = NAN, good = host[loose * 5 + 1];
    assert_true(device->upload(device, lent + loose * 5 + 1, &bad, sizeof bad));
    assert_int_equal(pliant_cuda_scene_collide(t.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "vertex 5 of body 0"));
    assert_int_equal(pliant_cuda_scene_copy_contacts(t.scene, t.got, 0), PLIANT_ERROR_STATE);
    assert_true(device->upload(device, lent + loose * 5 + 1, &good, sizeof good));
    assert_true(cuda_twin_agrees(&t, NULL, "borrowed"));
    bad = INFINITY;
    assert_true(device->upload(device, lent + loose * vertices, &bad, sizeof bad));
    assert_int_equal(pliant_cuda_scene_collide(t.scene, NULL, &contacts), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "state of body 1"));
    free(host);
    device->release(device, lent);
    for (int i = 0; i < 2; i++) {
        pliant_shape_destroy(shapes[i]);
    }
    cuda_twin_destroy(&t);
    model_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowds),        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_bounds),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_member_groups), cmocka_unit_test(test_borrowed_states),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
