/*
 * Objects may be destroyed in any order: a context and a shape live until their last user is gone,
 * and a scene lets a dying body go. Debug builds stop instead, and name the object and its users.
 */
#include "fixture.h"

#include "pliant/backend.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of every kind, two bodies; NULL once it is destroyed. */
enum { CONTEXT, SHAPE, FIRST_BODY, SECOND_BODY, SCENE, QUERY, VOLUME, OBJECTS };

typedef struct household {
    counting_allocator allocator;
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body[2];
    pliant_body_id id[2];
    pliant_scene *scene;
    pliant_query *query;
    pliant_volume *volume;
} household;

static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static pliant_shape *tetrahedron(pliant_context *context, float size)
{
    float positions[12];
    for (int i = 0; i < 12; i++) {
        positions[i] = size * corners[i];
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 4;
    def.triangles = faces;
    def.triangle_count = 4;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

/* Moves a body of a tetrahedron along x. */
static void put(pliant_body *body, float x)
{
    float positions[12];
    for (int i = 0; i < 12; i++) {
        positions[i] = corners[i] + (i % 3 == 0 ? x : 0.0f);
    }
    assert_ok(pliant_body_set_positions(body, positions, 0));
}

static void set_up(household *h, pliant_context *context)
{
    h->context = context;
    h->shape = tetrahedron(context, 1.0f);
    assert_ok(pliant_scene_create(context, NULL, &h->scene));
    assert_ok(pliant_query_create(context, &h->query));
    assert_ok(pliant_volume_create(context, NULL, &h->volume));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(h->shape, NULL, &h->body[i]));
        put(h->body[i], 0.2f * (float)i);
        assert_ok(pliant_scene_add(h->scene, h->body[i], NULL, &h->id[i]));
    }
}

static void destroy(household *h, int which)
{
    switch (which) {
    case CONTEXT:
        pliant_context_destroy(h->context);
        h->context = NULL;
        break;
    case SHAPE:
        pliant_shape_destroy(h->shape);
        h->shape = NULL;
        break;
    case SCENE:
        pliant_scene_destroy(h->scene);
        h->scene = NULL;
        break;
    case QUERY:
        pliant_query_destroy(h->query);
        h->query = NULL;
        break;
    case VOLUME:
        pliant_volume_destroy(h->volume);
        h->volume = NULL;
        break;
    default:
        pliant_body_destroy(h->body[which - FIRST_BODY]);
        h->body[which - FIRST_BODY] = NULL;
    }
}

#ifndef PLI_DEBUG
#include "random.h"

/* Whatever is left answers as it should. */
static void use_what_is_left(const household *h)
{
    bool both = h->body[0] != NULL && h->body[1] != NULL;
    for (int i = 0; i < 2; i++) {
        if (h->body[i] != NULL) {
            put(h->body[i], 0.2f * (float)i);
            assert_int_equal(pliant_shape_get_triangle_count(pliant_body_get_shape(h->body[i])), 4);
        }
        if (h->scene != NULL) {
            assert_ptr_equal(pliant_scene_get_body(h->scene, h->id[i]), h->body[i]);
        }
    }
    if (h->scene != NULL) {
        pliant_scene_contacts contacts;
        assert_ok(pliant_scene_collide(h->scene, NULL, &contacts));
        assert_int_equal(contacts.body_pair_count, both);
        assert_int_equal(pliant_scene_get_body_count(h->scene),
                         (h->body[0] != NULL) + (h->body[1] != NULL));
    }
    if (h->query != NULL && both) {
        pliant_collide_options options = pliant_collide_options_default();
        pliant_contacts contacts;
        options.mode = PLIANT_COLLIDE_FIRST;
        assert_ok(pliant_collide(h->query, h->body[0], h->body[1], &options, &contacts));
        assert_int_equal(contacts.count, 1);
    }
    if (h->volume != NULL && h->body[0] != NULL) {
        pliant_volume_options options = pliant_volume_options_default();
        pliant_volume_measure measure;
        options.resolution = 4;
        assert_ok(pliant_volume_measure_body(h->volume, h->body[0], &options, &measure));
        assert_true(measure.least <= 1.0 / 6.0 && 1.0 / 6.0 <= measure.most);
    }
}

static void objects_go_in_any_order(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 1);
    for (uint32_t i = 0; i < fixture_count(2000); i++) {
        household h = {.allocator = {0}};
        set_up(&h, fixture_context(&h.allocator));
        int order[OBJECTS] = {0};
        for (int k = 0; k < OBJECTS; k++) {
            int place = (int)rng_below(&random, (uint32_t)k + 1);
            order[k] = order[place];
            order[place] = k;
        }
        for (int k = 0; k < OBJECTS; k++) {
            destroy(&h, order[k]);
            use_what_is_left(&h);
        }
        assert_int_equal(h.allocator.live, 0);
    }
}

/* The threads of a context end with its last user. */
static void workers_go_last(void **state)
{
    (void)state;
    for (int first = 0; first < OBJECTS; first++) {
        household h = {.allocator = {0}};
        set_up(&h, fixture_context_with(PLIANT_ISA_BEST, 3));
        destroy(&h, first);
        for (int k = 0; k < OBJECTS; k++) {
            use_what_is_left(&h);
            if (k != first) {
                destroy(&h, k);
            }
        }
    }
}

/* What a query and a volume remember of a body is not taken for another's, which may well lie where
   the first one did. */
static void the_dead_are_not_remembered(void **state)
{
    (void)state;
    household h = {.allocator = {0}};
    set_up(&h, fixture_context(&h.allocator));
    for (int round = 1; round < 20; round++) {
        use_what_is_left(&h);
        destroy(&h, FIRST_BODY);
        pliant_shape *shape = tetrahedron(h.context, 0.1f * (float)round);
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, NULL, &body));
        pliant_shape_destroy(shape); /* the body has it */
        double expected = 1e-3 * round * round * round / 6.0;
        pliant_volume_measure measure;
        assert_ok(pliant_volume_measure_body(h.volume, body, NULL, &measure));
        assert_true(measure.least <= expected && expected <= measure.most);
        pliant_collide_options options = pliant_collide_options_default();
        pliant_contacts contacts;
        options.mode = PLIANT_COLLIDE_FIRST;
        put(h.body[1], round % 2 == 0 ? 50.0f : 0.05f);
        assert_ok(pliant_collide(h.query, body, h.body[1], &options, &contacts));
        assert_int_equal(contacts.count, round % 2 != 0);
        pliant_body_destroy(body);
        assert_ok(pliant_body_create(h.shape, NULL, &h.body[0]));
        assert_ok(pliant_scene_add(h.scene, h.body[0], NULL, &h.id[0]));
        assert_int_equal(h.id[0].generation, round + 1);
    }
    for (int k = OBJECTS - 1; k >= 0; k--) {
        destroy(&h, k);
    }
    assert_int_equal(h.allocator.live, 0);
}

static pliant_result find_nothing(void *user, const pliant_backend_triangles *triangles,
                                  pliant_backend_crossings *crossings)
{
    (void)user;
    (void)triangles;
    crossings->count = 0;
    return PLIANT_OK;
}

static void count_release(void *user)
{
    ++*(int *)user;
}

/* A volume keeps its backend, also one that could not be created for want of memory. */
static void volumes_keep_their_backend(void **state)
{
    (void)state;
    for (uint64_t fail_at = 0; fail_at < 4; fail_at++) {
        int released = 0;
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        pliant_volume_backend_def backend_def = pliant_volume_backend_def_default();
        backend_def.name = "none";
        backend_def.user = &released;
        backend_def.cross = find_nothing;
        backend_def.release = count_release;
        pliant_volume_def def = pliant_volume_def_default();
        pliant_volume_backend *backend = NULL;
        assert_ok(pliant_volume_backend_create(context, &backend_def, &backend));
        assert_ptr_equal(pliant_volume_backend_get_user(backend), &released);
        def.backend = backend;
        pliant_volume *volume = NULL;
        allocator.fail_at = fail_at == 0 ? 0 : allocator.calls + fail_at;
        pliant_result result = pliant_volume_create(context, &def, &volume);
        assert_int_equal(result == PLIANT_OK, fail_at == 0 || fail_at == 3);
        uint64_t live = allocator.live;
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, live); /* the others keep it */
        pliant_volume_backend_destroy(backend);
        assert_int_equal(released, result != PLIANT_OK);
        pliant_volume_destroy(volume);
        assert_int_equal(released, 1);
        assert_int_equal(allocator.live, 0);
    }
}
#else

/* What a process that destroys one object too early leaves on stderr. */
static void expect_stop(int which, const char *text)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        household h = {.allocator = {0}};
        set_up(&h, fixture_context(&h.allocator));
        signal(SIGABRT, SIG_DFL);
        destroy(&h, which);
        _exit(0);
    }
    close(ends[1]);
    char said[512] = "";
    size_t length = 0;
    ssize_t more = 0;
    while ((more = read(ends[0], said + length, sizeof said - 1 - length)) > 0) {
        length += (size_t)more;
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    if (strstr(said, text) == NULL) {
        fail_msg("\"%s\" instead of \"%s\"", said, text);
    }
}

static void debug_builds_name_the_users(void **state)
{
    (void)state;
    expect_stop(CONTEXT, "pliant_context_destroy: the context is used by 1 shapes, 2 bodies");
    expect_stop(SHAPE, "pliant_shape_destroy: the shape is used by 2 bodies");
    expect_stop(SECOND_BODY, "pliant_body_destroy: the body is used by a scene as body 1");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef PLI_DEBUG
        cmocka_unit_test(objects_go_in_any_order),
        cmocka_unit_test(workers_go_last),
        cmocka_unit_test(the_dead_are_not_remembered),
        cmocka_unit_test(volumes_keep_their_backend),
#else
        cmocka_unit_test(debug_builds_name_the_users),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
