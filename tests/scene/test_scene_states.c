/*
 * Many states set at once: bodies of every kind end where setting them one by one puts them, with
 * any number of workers; and if one state is refused, whichever and for whatever reason, the error
 * names the first such one and no body has moved.
 */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two of each kind with a model, then free bodies, then one that a transform moves from given
   positions. */
enum { FREE = 2 * MODEL_KINDS, MOVED = FREE + 2, BODIES };

/* A scene of them in a context of its own. */
typedef struct crowd {
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
} crowd;

static model_case cases[BODIES];

static int create_cases(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 71);
    for (uint32_t i = 0; i < BODIES; i++) {
        model_kind kind = i < FREE ? (model_kind)(i / 2) : MODEL_RIGID;
        cases[i] = model_case_create(kind, (model_trait)(i % 2 == 0 ? MODEL_SMOOTH : MODEL_ROUGH),
                                     1.0, 0.0, 200, &r);
    }
    return 0;
}

static int destroy_cases(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < BODIES; i++) {
        model_case_destroy(&cases[i]);
    }
    return 0;
}

static bool is_free(uint32_t i)
{
    return i >= FREE && i < MOVED;
}

static crowd crowd_create(pliant_context *context)
{
    crowd c = {.context = context};
    assert_ok(pliant_scene_create(context, NULL, &c.scene));
    for (uint32_t i = 0; i < BODIES; i++) {
        c.shape[i] = is_free(i) ? fixture_shape(context, &cases[i].mesh, fixture_usual_tree)
                                : model_case_shape(context, &cases[i], PLIANT_BOUND_AUTO,
                                                   fixture_usual_tree);
        pliant_body_def def = pliant_body_def_default();
        def.coherent = i % 2 == 1;
        assert_ok(pliant_body_create(c.shape[i], &def, &c.body[i]));
        assert_ok(pliant_scene_add(c.scene, c.body[i], NULL, &c.id[i]));
    }
    return c;
}

static void crowd_destroy(crowd *c)
{
    pliant_scene_destroy(c->scene);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(c->body[i]);
        pliant_shape_destroy(c->shape[i]);
    }
    pliant_context_destroy(c->context);
}

/* The state of a case as the public interface takes it. */
static pliant_state state_of(uint32_t i)
{
    const model_case *c = &cases[i];
    pliant_state s = {0};
    if (is_free(i) || i == MOVED) {
        s.positions = c->positions;
        s.shares_positions = i % 2 == 1;
    }
    if (!is_free(i) && c->model.mode_count > 0) {
        s.coordinates = c->coordinates;
        s.coordinate_count = c->model.mode_count;
    }
    if (!is_free(i) && c->model.joint_count > 0) {
        s.transforms = c->transforms;
        s.transform_count = c->model.joint_count;
    }
    return s;
}

static void list_states(const crowd *c, pliant_scene_state states[BODIES])
{
    for (uint32_t i = 0; i < BODIES; i++) {
        states[i] = (pliant_scene_state){c->id[i], state_of(i)};
    }
}

static void set_one_by_one(const crowd *c)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_state s = state_of(i);
        if (s.positions != NULL) {
            assert_ok(s.shares_positions ? pliant_body_share_positions(c->body[i], s.positions, 0)
                                         : pliant_body_set_positions(c->body[i], s.positions, 0));
        }
        if (s.coordinates != NULL) {
            assert_ok(pliant_body_set_coordinates(c->body[i], s.coordinates, s.coordinate_count));
        }
        if (s.transforms != NULL) {
            assert_ok(pliant_body_set_transforms(c->body[i], s.transforms, s.transform_count, 0));
        }
    }
}

/* Positions of all vertices of all bodies, one after the other. */
static float *all_positions(const crowd *c, size_t *bytes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        count += 3 * (size_t)cases[i].mesh.vertex_count;
    }
    float *positions = malloc(count * sizeof *positions), *next = positions;
    for (uint32_t i = 0; i < BODIES; i++) {
        uint32_t vertices = cases[i].mesh.vertex_count;
        assert_ok(pliant_body_evaluate(c->body[i], NULL, vertices, next));
        next += 3 * (size_t)vertices;
    }
    *bytes = count * sizeof *positions;
    return positions;
}

static void assert_same_answer(crowd *a, crowd *b)
{
    size_t bytes = 0;
    float *x = all_positions(a, &bytes), *y = all_positions(b, &bytes);
    assert_memory_equal(x, y, bytes);
    free(x);
    free(y);
    pliant_scene_contacts p, q;
    assert_ok(pliant_scene_collide(a->scene, NULL, &p));
    assert_ok(pliant_scene_collide(b->scene, NULL, &q));
    assert_true(p.count > 0);
    assert_int_equal(p.count, q.count);
    assert_int_equal(p.body_pair_count, q.body_pair_count);
    assert_memory_equal(p.pairs, q.pairs, p.count * sizeof *p.pairs);
    for (uint32_t i = 0; i < p.body_pair_count; i++) {
        assert_int_equal(p.bodies[i].a.index, q.bodies[i].a.index);
        assert_int_equal(p.bodies[i].b.index, q.bodies[i].b.index);
        assert_int_equal(p.bodies[i].count, q.bodies[i].count);
        assert_int_equal(p.bodies[i].complete, q.bodies[i].complete);
    }
    assert_int_equal(pliant_scene_get_stats(a->scene)->narrow.nodes_tested,
                     pliant_scene_get_stats(b->scene)->narrow.nodes_tested);
}

static const uint32_t worker_counts[] = {1, 2, 3, 8};
enum { WORKER_COUNTS = sizeof worker_counts / sizeof *worker_counts };

/* Every kind, in any order, with any number of workers. */
static void as_one_by_one(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    for (int w = 0; w < WORKER_COUNTS; w++) {
        crowd single = crowd_create(fixture_context_with(PLIANT_ISA_BEST, 1));
        crowd many = crowd_create(fixture_context_with(PLIANT_ISA_BEST, worker_counts[w]));
        for (uint32_t round = 0; round < fixture_count(10); round++) {
            pliant_scene_state states[BODIES];
            for (uint32_t i = 0; i < BODIES; i++) {
                model_case_move(&cases[i], &r, round % 2 == 1);
            }
            list_states(&many, states);
            for (uint32_t i = BODIES - 1; i > 0; i--) {
                uint32_t j = rng_below(&r, i + 1);
                pliant_scene_state swap = states[i];
                states[i] = states[j];
                states[j] = swap;
            }
            set_one_by_one(&single);
            assert_ok(pliant_scene_set_states(many.scene, states, BODIES / 2));
            assert_ok(
                pliant_scene_set_states(many.scene, states + BODIES / 2, BODIES - BODIES / 2));
            assert_same_answer(&single, &many);
        }
        assert_ok(pliant_scene_set_states(many.scene, NULL, 0));
        crowd_destroy(&many);
        crowd_destroy(&single);
    }
}

/* What may be wrong with a state. */
typedef enum fault {
    NOT_FINITE,
    WRONG_COUNT,
    WRONG_STRIDE,
    NOTHING,
    STALE,
    OUT_OF_RANGE,
    NAMED_TWICE,
    FAULTS
} fault;

static float nonsense[12 * 64 + 3 * 4096];

/* Spoils state i; false where its kind has no such fault. */
static bool spoil(pliant_scene_state *states, uint32_t i, fault f)
{
    pliant_state *s = &states[i].state;
    switch (f) {
    case NOT_FINITE:
        s->shares_positions = false; /* else they are not looked at */
        s->positions = s->positions != NULL ? nonsense : NULL;
        s->coordinates =
            s->coordinates != NULL && s->transforms == NULL ? nonsense : s->coordinates;
        s->transforms = s->transforms != NULL && s->positions == NULL ? nonsense : s->transforms;
        return true;
    case WRONG_COUNT:
        s->coordinate_count += s->coordinates != NULL;
        s->transform_count += s->transforms != NULL && s->coordinates == NULL;
        return s->coordinates != NULL || s->transforms != NULL;
    case WRONG_STRIDE:
        s->position_stride = 13;
        s->transform_stride = 47;
        return s->positions != NULL || s->transforms != NULL;
    case NOTHING:
        *s = (pliant_state){.coordinate_count = s->coordinate_count};
        return true;
    case STALE:
        states[i].body.generation++;
        return true;
    case OUT_OF_RANGE:
        states[i].body.index = BODIES + i;
        return true;
    default:
        states[i] = states[i > 0 ? i - 1 : i];
        return i > 0;
    }
}

/* The set fails, names the first bad one, and nobody has moved. */
static void assert_refused(crowd *c, const pliant_scene_state *states, uint32_t first,
                           const float *before, size_t bytes)
{
    char text[64];
    size_t same = 0;
    assert_int_not_equal(pliant_scene_set_states(c->scene, states, BODIES), PLIANT_OK);
    snprintf(text, sizeof text, "state %u, of body %u: ", first, states[first].body.index);
    assert_non_null(strstr(pliant_last_error(), text));
    float *after = all_positions(c, &same);
    assert_int_equal(same, bytes);
    assert_memory_equal(after, before, bytes);
    free(after);
}

static void refused_as_a_whole(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        nonsense[i] = NAN;
    }
    for (int w = 0; w < WORKER_COUNTS; w++) {
        crowd c = crowd_create(fixture_context_with(PLIANT_ISA_BEST, worker_counts[w]));
        pliant_scene_state states[BODIES];
        size_t bytes = 0;
        list_states(&c, states);
        assert_ok(pliant_scene_set_states(c.scene, states, BODIES));
        float *before = all_positions(&c, &bytes);
        for (uint32_t n = 0; n < BODIES * FAULTS; n++) {
            uint32_t at = n / FAULTS, other = rng_below(&r, BODIES);
            for (uint32_t i = 0; i < BODIES; i++) {
                if (!is_free(i) && i != MOVED) { /* shared positions are to stay */
                    model_case_move(&cases[i], &r, false);
                }
            }
            list_states(&c, states);
            if (!spoil(states, at, (fault)(n % FAULTS))) {
                continue;
            }
            assert_refused(&c, states, at, before, bytes);
            if (other > at && spoil(states, other, NOTHING)) { /* the first is named */
                assert_refused(&c, states, at, before, bytes);
            }
        }
        list_states(&c, states);
        assert_ok(pliant_scene_set_states(c.scene, states, BODIES)); /* good ones are taken again */
        free(before);
        crowd_destroy(&c);
    }
}

/* No memory: nobody moves, and the same call succeeds once there is some. */
static void without_memory(void **state)
{
    (void)state;
    uint64_t failed = 0;
    for (uint64_t n = 1, done = 0; !done; n++) {
        counting_allocator allocator = {0};
        crowd c = crowd_create(fixture_context(&allocator));
        pliant_scene_state states[BODIES];
        size_t bytes = 0;
        float *before = all_positions(&c, &bytes);
        list_states(&c, states);
        allocator.fail_at = allocator.calls + n;
        pliant_result result = pliant_scene_set_states(c.scene, states, BODIES);
        allocator.fail_at = 0;
        done = result == PLIANT_OK;
        if (!done) {
            failed++;
            assert_int_equal(result, PLIANT_ERROR_OUT_OF_MEMORY);
            float *after = all_positions(&c, &bytes);
            assert_memory_equal(after, before, bytes);
            free(after);
            assert_ok(pliant_scene_set_states(c.scene, states, BODIES));
        }
        uint64_t calls = allocator.calls;
        assert_ok(pliant_scene_set_states(c.scene, states, BODIES));
        assert_int_equal(allocator.calls, calls); /* warm */
        free(before);
        crowd_destroy(&c);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failed >= 2); /* a place per state, a copy of positions */
}

/* What a filter of the scene tries. */
static bool set_in_a_filter(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)b;
    crowd *c = user;
    pliant_scene_state one = {a, state_of(a.index)};
    assert_int_equal(pliant_scene_set_states(c->scene, &one, 1), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "pliant_scene_set_states"));
    assert_int_equal(pliant_body_set_state(c->body[a.index], &one.state), PLIANT_ERROR_STATE);
    return true;
}

static void refused_in_a_filter(void **state)
{
    (void)state;
    crowd c = crowd_create(fixture_context_with(PLIANT_ISA_BEST, 2));
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_contacts contacts;
    options.filter = set_in_a_filter;
    options.filter_user = &c;
    assert_ok(pliant_scene_collide(c.scene, &options, &contacts));
    assert_true(contacts.count > 0);
    crowd_destroy(&c);
}

/* Large coordinates under a transform that makes everything small: refused alone, since vertices
   could overflow under the transform that is there, good together. */
static void judged_as_a_whole(void **state)
{
    (void)state;
    crowd c = crowd_create(fixture_context_with(PLIANT_ISA_BEST, 1));
    uint32_t i = 2 * MODEL_REDUCED;
    pliant_state s = state_of(i);
    float coordinates[64] = {0}, large[12] = {0}, small[12] = {0};
    assert_true(s.coordinate_count <= 64);
    for (int k = 0; k < 3; k++) {
        large[5 * k] = 0x1p100f;
        small[5 * k] = 0x1p-100f;
    }
    s.transforms = large;
    s.coordinates = coordinates;
    assert_ok(pliant_body_set_state(c.body[i], &s));
    coordinates[0] = 0x1p60f;
    assert_int_not_equal(pliant_body_set_coordinates(c.body[i], coordinates, s.coordinate_count),
                         PLIANT_OK);
    s.transforms = small;
    assert_ok(pliant_body_set_state(c.body[i], &s));
    assert_int_equal(pliant_body_set_state(c.body[i], NULL), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_set_state(NULL, &s), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_set_states(c.scene, NULL, 1), PLIANT_ERROR_ARGUMENT);
    crowd_destroy(&c);
}

/* A scheduler that runs pieces one after the other until it has run so many, then none. */
static void run_some(void *user, pliant_task task, void *argument, uint32_t count)
{
    uint32_t *left = user;
    for (uint32_t i = 0; i<count && * left> 0; i++, --*left) {
        task(argument, i, 0);
    }
}

/* A scheduler that breaks its contract while states are tried: the call fails, and nobody moves. If
   it does when they are good already, all of them are set. */
static void with_a_bad_scheduler(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 9);
    for (uint32_t pieces = 0; pieces < 24; pieces++) {
        uint32_t left = UINT32_MAX;
        pliant_context_def def = pliant_context_def_default();
        def.scheduler = (pliant_scheduler){run_some, &left, 8};
        pliant_context *context = NULL;
        assert_ok(pliant_context_create(&def, &context));
        crowd c = crowd_create(context), single = crowd_create(fixture_context_with(0, 1));
        pliant_scene_state states[BODIES];
        size_t bytes = 0;
        float *before = all_positions(&c, &bytes);
        for (uint32_t i = 0; i < BODIES; i++) {
            model_case_move(&cases[i], &r, false);
        }
        list_states(&c, states);
        left = pieces;
        pliant_result result = pliant_scene_set_states(c.scene, states, BODIES);
        left = UINT32_MAX;
        if (result == PLIANT_OK) {
            set_one_by_one(&single);
            assert_same_answer(&c, &single);
        } else {
            float *after = all_positions(&c, &bytes);
            assert_memory_equal(after, before, bytes);
            free(after);
            assert_ok(pliant_scene_set_states(c.scene, states, BODIES));
        }
        free(before);
        crowd_destroy(&c);
        crowd_destroy(&single);
    }
}

/* States of bodies that a scene never had, or has no more: whoever was in its first place. */
static void of_nobody(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
        pliant_scene *scene = NULL;
        assert_ok(pliant_scene_create(context, NULL, &scene));
        pliant_scene_state one = {{0, 1}, state_of(FREE)};
        assert_int_equal(pliant_scene_set_states(scene, &one, 1), PLIANT_ERROR_RANGE);
        pliant_shape *shape = fixture_shape(context, &cases[FREE].mesh, fixture_usual_tree);
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, NULL, &body));
        assert_ok(pliant_scene_add(scene, body, NULL, &one.body));
        assert_ok(pliant_scene_set_states(scene, &one, 1));
        pliant_body_destroy(body);
        assert_int_equal(pliant_scene_set_states(scene, &one, 1), PLIANT_ERROR_RANGE);
        pliant_scene_destroy(scene);
        pliant_shape_destroy(shape);
        pliant_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_one_by_one),     cmocka_unit_test(refused_as_a_whole),
        cmocka_unit_test(without_memory),    cmocka_unit_test(refused_in_a_filter),
        cmocka_unit_test(judged_as_a_whole), cmocka_unit_test(with_a_bad_scheduler),
        cmocka_unit_test(of_nobody),
    };
    return cmocka_run_group_tests(tests, create_cases, destroy_cases);
}
