#include "recorded_world.h"

#include "failing_memory.h"
#include "scene_options.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = MODEL_KINDS + 2, MOST = 9, SOME_TRIANGLES = 40 };

typedef struct living_body {
    pliant_body *body; /* NULL: not there */
    pliant_body_id id;
    uint32_t shape;
    float *positions; /* of free ones */
    bool placed;      /* it has a world transform */
    bool borrows;     /* it shares its positions */
} living_body;

typedef struct life {
    pliant_context *context;
    pliant_scene *scene;
    pliant_volume *volume;
    model_case cases[MODEL_KINDS];
    gallery_mesh mesh[2]; /* free ones */
    pliant_shape *shape[SHAPES];
    void *block; /* of a shape that is borrowed */
    living_body body[MOST];
    rng r;
    recorded_life told;
} life;

bool written_bytes_take(void *user, const void *bytes, uint64_t size)
{
    written_bytes *w = user;
    if (++w->calls == w->refused_call) {
        return false;
    }
    if (w->size + size > w->capacity) {
        w->capacity = 2 * (w->size + size);
        w->bytes = realloc(w->bytes, (size_t)w->capacity);
        assert_non_null(w->bytes);
    }
    memcpy(w->bytes + w->size, bytes, (size_t)size);
    w->size += size;
    return true;
}

/* ------------------------------------------------------------------- bodies */

/* One of the shapes is a block that belongs to somebody else. */
static void borrow_shape(life *l, pliant_shape **shape)
{
    uint64_t size = 0;
    assert_ok(pliant_shape_write(*shape, NULL, 0, &size));
    l->block = aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
    assert_non_null(l->block);
    assert_ok(pliant_shape_write(*shape, l->block, size, &size));
    pliant_shape_destroy(*shape);
    assert_ok(pliant_shape_borrow(l->context, l->block, size, NULL, NULL, shape));
}

static void create_shapes(life *l)
{
    for (int i = 0; i < MODEL_KINDS; i++) {
        l->cases[i] =
            model_case_create((model_kind)i, MODEL_SMOOTH, 1.0, 0.0, SOME_TRIANGLES, &l->r);
        l->cases[i].proxy_triangles = 8;
        l->shape[i] = model_case_shape(l->context, &l->cases[i],
                                       i == MODEL_MODES ? PLIANT_BOUND_SPHERE : PLIANT_BOUND_AUTO,
                                       fixture_usual_tree);
    }
    test_place origin = place_at(0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        l->mesh[i] = test_solid_sphere(80, &origin);
        pliant_shape_def def = fixture_shape_def(&l->mesh[i]);
        def.proxy_triangles = 8;
        def.joint_count = (uint32_t)i; /* the second has a transform too */
        assert_ok(pliant_shape_create(l->context, &def, &l->shape[MODEL_KINDS + i]));
    }
    borrow_shape(l, &l->shape[rng_below(&l->r, SHAPES)]);
}

static void place(life *l, float transform[12])
{
    const float unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(transform, unit, sizeof unit);
    for (int k = 0; k < 3; k++) {
        transform[4 * k + 3] = (float)rng_range(&l->r, -1.5, 1.5);
        transform[5 * k] = (float)rng_range(&l->r, 0.5, 1.5);
    }
}

/* A body of a free shape gets positions, set or shared, at times with a stride or not finite. */
static void move_free(life *l, living_body *b)
{
    const gallery_mesh *mesh = &l->mesh[b->shape - MODEL_KINDS];
    size_t stride = rng_below(&l->r, 2) == 0 ? 3 : 5;
    float at[12];
    place(l, at);
    float *moved = calloc((size_t)mesh->vertex_count * stride, sizeof *moved);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        for (size_t k = 0; k < 3; k++) {
            moved[v * stride + k] = mesh->positions[3 * v + k] * at[5 * k] + at[4 * k + 3];
        }
    }
    bool shares = rng_below(&l->r, 2) == 0;
    if (shares && b->shape == MODEL_KINDS && !b->placed && rng_below(&l->r, 8) == 0) {
        moved[stride * rng_below(&l->r, mesh->vertex_count)] = NAN;
    }
    assert_ok(shares ? pliant_body_share_positions(b->body, moved, stride * sizeof *moved)
                     : pliant_body_set_positions(b->body, moved, stride * sizeof *moved));
    b->borrows = shares;
    free(b->positions);
    b->positions = moved; /* shared or not, until the next */
}

/* A state with a world transform, by the call for many. */
static void move_with_others(life *l, living_body *b)
{
    float at[12], transforms[12];
    const model_case *c = b->shape < MODEL_KINDS ? &l->cases[b->shape] : NULL;
    pliant_scene_state state = {b->id, {.world = at}};
    place(l, at);
    place(l, transforms);
    if (c != NULL && c->model.mode_count > 0) {
        state.state.coordinates = c->coordinates;
        state.state.coordinate_count = c->model.mode_count;
    }
    if (c == NULL || c->model.joint_count > 0) {
        state.state.transforms = c != NULL ? c->transforms : transforms;
        state.state.transform_count = c != NULL ? c->model.joint_count : 1;
    }
    assert_ok(pliant_scene_set_states(l->scene, &state, 1));
    b->placed = true;
}

/* What is borrowed goes before a step would end. */
static void begin_or_end_step(life *l, living_body *b)
{
    assert_ok(!b->borrows && rng_below(&l->r, 3) != 0 ? pliant_body_begin_step(b->body)
                                                      : pliant_body_end_step(b->body));
}

static void move_body(life *l, living_body *b)
{
    if (b->shape != MODEL_KINDS && rng_below(&l->r, 5) == 0) {
        move_with_others(l, b);
        return;
    }
    if (rng_below(&l->r, 5) == 0) { /* where the rest of the state stays as it is, at times */
        float at[12];
        place(l, at);
        b->placed = rng_below(&l->r, 3) != 0;
        assert_ok(pliant_body_set_world(b->body, b->placed ? at : NULL));
        if (rng_below(&l->r, 2) == 0) {
            return;
        }
    }
    if (b->shape < MODEL_KINDS) {
        model_case_move(&l->cases[b->shape], &l->r, rng_below(&l->r, 2) == 0);
        model_case_set(&l->cases[b->shape], b->body);
    } else if (b->shape == MODEL_KINDS || rng_below(&l->r, 2) == 0) {
        move_free(l, b);
    } else {
        float at[12];
        place(l, at);
        assert_ok(pliant_body_set_transforms(b->body, at, 1, 0));
    }
}

static pliant_member_def random_member(life *l)
{
    pliant_member_def def = pliant_member_def_default();
    def.category = 1 + rng_below(&l->r, 3);
    def.mask = rng_below(&l->r, 2) == 0 ? UINT64_MAX : 1 + rng_below(&l->r, 3);
    def.self = rng_below(&l->r, 3) == 0;
    def.proxies = rng_below(&l->r, 2) == 0;
    def.is_static = rng_below(&l->r, 4) == 0;
    static const uint64_t groups[3] = {1, 2, 3};
    if (rng_below(&l->r, 5) == 0) {
        def.groups =
            (pliant_groups){&groups[rng_below(&l->r, 3)], 1 + (uint32_t)rng_below(&l->r, 3)};
    }
    def.has_loose_box = rng_below(&l->r, 4) == 0;
    def.loose_box = (pliant_box){{-1e30f, -1e30f, -INFINITY}, {1e30f, 1e30f, 1e30f}};
    return def;
}

static void add_body(life *l, living_body *b)
{
    pliant_body_def def = pliant_body_def_default();
    pliant_member_def member = random_member(l);
    def.update = (pliant_update)rng_below(&l->r, PLIANT_UPDATE_FRONT + 1);
    def.coherent = rng_below(&l->r, 4) == 0;
    b->shape = (uint32_t)rng_below(&l->r, SHAPES);
    assert_ok(pliant_body_create(l->shape[b->shape], &def, &b->body));
    assert_ok(pliant_scene_add(l->scene, b->body, &member, &b->id));
    if (rng_below(&l->r, 4) != 0) { /* else it stays at rest */
        move_body(l, b);
    }
}

static void drop_body(life *l, living_body *b)
{
    if (b->body != NULL) {
        assert_ok(pliant_scene_remove(l->scene, b->id));
        pliant_body_destroy(b->body);
        free(b->positions);
        *b = (living_body){.body = NULL};
    }
}

static void change_something(life *l)
{
    living_body *b = &l->body[rng_below(&l->r, MOST)];
    if (b->body == NULL) {
        add_body(l, b);
        return;
    }
    switch (rng_below(&l->r, 8)) {
    case 0:
        drop_body(l, b);
        break;
    case 1: {
        pliant_member_def def = random_member(l);
        assert_ok(pliant_scene_set_member(l->scene, b->id, &def));
        break;
    }
    case 2:
        assert_ok(pliant_body_set_update(b->body, PLIANT_UPDATE_HYBRID, 1, 2));
        break;
    case 3:
        begin_or_end_step(l, b);
        break;
    default:
        move_body(l, b);
    }
}

/* ---------------------------------------------------------------- questions */

static void fold(life *l, const void *bytes, size_t size)
{
    l->told.answers = hash_bytes(l->told.answers, bytes, size);
}

static bool filter(void *user, pliant_body_id a, pliant_body_id b)
{
    return (a.index * 7 + b.index * 3 + *(const uint32_t *)user) % 4 != 0;
}

static pliant_scene_options random_options(life *l, pliant_recorded_question query, uint32_t *salt)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = rng_below(&l->r, 4) == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    options.neighbours = (pliant_neighbours)rng_below(&l->r, 3);
    options.budget_nodes = rng_below(&l->r, 6) == 0 ? 3 : 0;
    *salt = (uint32_t)rng_below(&l->r, 100);
    options.filter = rng_below(&l->r, 2) == 0 ? filter : NULL;
    options.filter_user = salt;
    options.first_in_all = rng_below(&l->r, 6) == 0;
    options.only_self = rng_below(&l->r, 6) == 0;
    options.segments = rng_below(&l->r, 3) == 0;
    options.separations = rng_below(&l->r, 3) == 0;
    options.events = rng_below(&l->r, 3) == 0;
    options.across_groups = rng_below(&l->r, 3) == 0;
    options.distance = rng_below(&l->r, 2) == 0 ? (float)rng_range(&l->r, 0.0, 0.3) : 0.0f;
    return scene_options_for(query, &options);
}

static bool filter_body(void *user, pliant_body_id body)
{
    return (body.index + *(const uint32_t *)user) % 3 != 0;
}

static const pliant_scene_select *random_select(life *l, pliant_scene_select *select,
                                                uint32_t *salt)
{
    *select = pliant_scene_select_default();
    select->category = 1 + rng_below(&l->r, 3);
    select->mask = 1 + rng_below(&l->r, 3);
    *salt = (uint32_t)rng_below(&l->r, 100);
    select->filter = rng_below(&l->r, 2) == 0 ? filter_body : NULL;
    select->filter_user = salt;
    return rng_below(&l->r, 2) == 0 ? select : NULL;
}

static pliant_result ask_pairs(life *l)
{
    uint32_t salt;
    static const pliant_recorded_question queries[6] = {
        PLIANT_RECORDED_COLLIDE,       PLIANT_RECORDED_COLLIDE_PROXIES,
        PLIANT_RECORDED_FIND_WITHIN,   PLIANT_RECORDED_FIND_FEATURES,
        PLIANT_RECORDED_FIND_MEETINGS, PLIANT_RECORDED_FIND_FREE_TIME};
    uint32_t which = (uint32_t)rng_below(&l->r, 6);
    pliant_scene_options options = random_options(l, queries[which], &salt);
    pliant_scene_contacts contacts;
    pliant_scene_proxy_contacts proxies;
    pliant_scene_proximities near;
    pliant_result result;
    pliant_scene_features features;
    pliant_scene_meetings meetings;
    pliant_scene_free_time until;
    switch (which) {
    case 4:
        result = pliant_scene_find_meetings(l->scene, &options, &meetings);
        fold(l, &meetings.count, result == PLIANT_OK ? sizeof meetings.count : 0);
        break;
    case 5:
        result = pliant_scene_find_free_time(l->scene, &options, &until);
        fold(l, &until.path.time, result == PLIANT_OK ? sizeof until.path.time : 0);
        break;
    case 3:
        result = pliant_scene_find_features(l->scene, 0.1f, &options, &features);
        fold(l, &features.count, result == PLIANT_OK ? sizeof features.count : 0);
        break;
    case 0:
        result = pliant_scene_collide(l->scene, &options, &contacts);
        fold(l, &contacts.count, result == PLIANT_OK ? sizeof contacts.count : 0);
        uint32_t events = 0;
        pliant_scene_get_events(l->scene, &events);
        fold(l, &events, sizeof events);
        break;
    case 1:
        result = pliant_scene_collide_proxies(l->scene, &options, &proxies);
        fold(l, &proxies.count, result == PLIANT_OK ? sizeof proxies.count : 0);
        break;
    default:
        result =
            pliant_scene_find_within(l->scene, (float)rng_range(&l->r, 0.0, 0.3), &options, &near);
        fold(l, &near.count, result == PLIANT_OK ? sizeof near.count : 0);
    }
    const pliant_scene_stats *stats = pliant_scene_get_stats(l->scene);
    fold(l, &stats->narrow.nodes_refreshed, sizeof stats->narrow.nodes_refreshed);
    fold(l, &stats->narrow.nodes_tested, sizeof stats->narrow.nodes_tested);
    return result;
}

static pliant_result ask_rays(life *l)
{
    pliant_ray rays[3];
    pliant_scene_ray_hit hits[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            rays[i].origin[k] = (float)rng_range(&l->r, -3.0, 3.0);
            rays[i].direction[k] = (float)rng_range(&l->r, -1.0, 1.0) - 0.2f * rays[i].origin[k];
        }
        rays[i].t_max = i == 0 ? INFINITY : 9.0f;
    }
    uint64_t count = rng_below(&l->r, 4);
    uint32_t salt = 0;
    pliant_scene_select select;
    const pliant_scene_select *asked = random_select(l, &select, &salt);
    pliant_scene_ray_hits all;
    bool blocked[3];
    pliant_result result;
    switch (rng_below(&l->r, 3)) {
    case 0:
        result = pliant_scene_raycast(l->scene, rays, count, asked, hits);
        for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
            fold(l, &hits[i].hit.t, sizeof hits[i].hit.t);
        }
        return result;
    case 1:
        result = pliant_scene_raycast_any(l->scene, rays, count, asked, blocked);
        fold(l, blocked, result == PLIANT_OK ? (size_t)count * sizeof *blocked : 0);
        return result;
    default:
        result = pliant_scene_raycast_all(l->scene, rays, count, asked, &all);
        fold(l, &all.count, result == PLIANT_OK ? sizeof all.count : 0);
        return result;
    }
}

static pliant_result ask_near(life *l)
{
    enum { POINTS = 3, STRIDE = 4 };
    float points[POINTS * STRIDE];
    for (int i = 0; i < POINTS * STRIDE; i++) {
        points[i] = (float)rng_range(&l->r, -2.0, 2.0);
    }
    uint32_t salt = 0;
    pliant_scene_select select;
    const pliant_scene_select *asked = random_select(l, &select, &salt);
    pliant_box box = {{points[0] - 1.0f, -1.0f, -INFINITY}, {points[0], 1.0f, 1.0f}};
    pliant_scene_closest closest[POINTS];
    pliant_scene_signed_distance distances[POINTS];
    pliant_scene_triangles triangles;
    pliant_distance_options options = pliant_distance_options_default();
    options.max_distance = rng_below(&l->r, 2) == 0 ? INFINITY : 0.2f;
    const size_t stride = STRIDE * sizeof(float);
    pliant_result result;
    switch (rng_below(&l->r, 3)) {
    case 0:
        result = pliant_scene_find_closest_points(l->scene, points, POINTS, stride,
                                                  options.max_distance, asked, closest);
        fold(l, &closest[0].body.index, result == PLIANT_OK ? sizeof closest[0].body.index : 0);
        return result;
    case 1:
        result = pliant_scene_measure_distances(l->scene, points, POINTS, stride, &options, asked,
                                                distances);
        fold(l, &distances[0].distance.distance, result == PLIANT_OK ? sizeof(double) : 0);
        return result;
    default:
        result = pliant_scene_overlap_box(l->scene, &box, asked, &triangles);
        fold(l, &triangles.count, result == PLIANT_OK ? sizeof triangles.count : 0);
        return result;
    }
}

static pliant_result ask_volumes(life *l)
{
    uint32_t salt;
    pliant_scene_options scene_options =
        random_options(l, PLIANT_RECORDED_INTERSECT_VOLUMES, &salt);
    pliant_volume_options options = pliant_volume_options_default();
    pliant_scene_volumes volumes;
    options.resolution = 8;
    options.allow_open = true;
    options.error_bound = rng_below(&l->r, 2) == 0;
    pliant_result result =
        pliant_volume_intersect_scene(l->volume, l->scene, &scene_options, &options, &volumes);
    fold(l, &volumes.count, result == PLIANT_OK ? sizeof volumes.count : 0);
    return result;
}

static void ask_something(life *l)
{
    pliant_result (*const ask[])(life *) = {ask_pairs, ask_pairs, ask_rays, ask_near, ask_volumes};
    pliant_result result = ask[rng_below(&l->r, 5)](l);
    l->told.questions++;
    fold(l, &result, sizeof result);
    if (result != PLIANT_OK) { /* positions that are not finite; they go, so that more is asked */
        for (int i = 0; i < MOST; i++) {
            if (l->body[i].body != NULL && l->body[i].shape == MODEL_KINDS) {
                drop_body(l, &l->body[i]);
            }
        }
    }
}

/* ---------------------------------------------------------------------- all */

static void end_life(life *l)
{
    for (int i = 0; i < MOST; i++) {
        drop_body(l, &l->body[i]);
    }
    pliant_volume_destroy(l->volume);
    pliant_scene_destroy(l->scene);
    for (int i = 0; i < SHAPES; i++) {
        pliant_shape_destroy(l->shape[i]);
    }
    free(l->block);
    for (int i = 0; i < MODEL_KINDS; i++) {
        model_case_destroy(&l->cases[i]);
    }
    for (int i = 0; i < 2; i++) {
        mesh_free(&l->mesh[i]);
    }
}

recorded_life recorded_world_live(pliant_context *context, uint64_t seed, uint32_t steps,
                                  written_bytes *written)
{
    life l = {.context = context, .told = {.answers = seed}};
    rng_seed(&l.r, seed);
    assert_ok(pliant_scene_create(context, NULL, &l.scene));
    assert_ok(pliant_volume_create(context, NULL, &l.volume));
    create_shapes(&l);
    for (uint32_t step = 0; step < steps; step++) {
        if (step == 2 && written != NULL) {
            pliant_recording_options options = pliant_recording_options_default();
            options.write = written_bytes_take;
            options.write_user = written;
            l.told.stopped = pliant_scene_record(l.scene, &options);
            l.told.questions = 0;
        }
        for (uint64_t i = 1 + rng_below(&l.r, step < 2 ? 6 : 3); i > 0; i--) {
            change_something(&l);
        }
        ask_something(&l);
    }
    l.told.recorded_to_end = pliant_scene_is_recording(l.scene);
    if (written != NULL && l.told.stopped == PLIANT_OK) {
        l.told.stopped = pliant_scene_stop_recording(l.scene);
    }
    end_life(&l);
    return l.told;
}
