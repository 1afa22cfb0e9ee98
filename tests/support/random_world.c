#include "random_world.h"

#include "dealer.h"
#include "failing_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODES = 3, MOST_JOINTS = 4 };

void random_world_note(random_world *w, const char *query, uint64_t hash)
{
    assert_true(w->answer_count < RANDOM_ANSWERS);
    w->answers[w->answer_count++] = (random_answer){query, w->step, hash};
}

/* Notes how a call that sets a state ended. */
static bool note_result(random_world *w, const char *call, pliant_result result)
{
    uint64_t hash = hash_bytes(1, &result, sizeof result);
    if (result != PLIANT_OK) {
        hash = hash_bytes(hash, pliant_last_error(), strlen(pliant_last_error()));
    }
    random_world_note(w, call, hash);
    return result == PLIANT_OK;
}

float *random_body_positions(const random_body *b)
{
    float *positions = malloc(3 * (size_t)b->mesh.vertex_count * sizeof *positions);
    assert_ok(pliant_body_evaluate(b->body, NULL, b->mesh.vertex_count, positions));
    return positions;
}

/* ------------------------------------------------------------------ bodies */

static void find_welded(random_body *b)
{
    const float *at = b->mesh.positions;
    b->welded = malloc(b->mesh.vertex_count * sizeof *b->welded);
    b->removed = calloc(b->mesh.triangle_count, sizeof *b->removed);
    for (uint32_t v = 0; v < b->mesh.vertex_count; v++) {
        uint32_t u = 0;
        while (at[3 * u] != at[3 * v] || at[3 * u + 1] != at[3 * v + 1] ||
               at[3 * u + 2] != at[3 * v + 2]) {
            u++;
        }
        b->welded[v] = u;
    }
}

/* The arrays of a model, which its shape copies. */
typedef struct arrays {
    uint16_t groups[512];
    float *modes, *weights;
    uint32_t *offsets, *joints;
} arrays;

static void add_modes(random_body *b, pliant_shape_def *def, arrays *a, rng *r)
{
    def->mode_count = 1 + (uint32_t)rng_below(r, MOST_MODES);
    uint32_t count = 3 * b->mesh.vertex_count * def->mode_count;
    a->modes = malloc(count * sizeof *a->modes);
    for (uint32_t i = 0; i < count; i++) {
        a->modes[i] = rng_below(r, 3) == 0 ? 0.0f : 0.25f * ((float)rng_below(r, 3) - 1.0f);
    }
    def->modes = a->modes;
}

static void add_joints(random_body *b, pliant_shape_def *def, arrays *a, rng *r)
{
    uint32_t vertices = b->mesh.vertex_count, count = 0;
    def->joint_count = 1 + (uint32_t)rng_below(r, MOST_JOINTS);
    a->offsets = malloc((vertices + 1) * sizeof *a->offsets);
    a->joints = malloc(3 * (size_t)vertices * sizeof *a->joints);
    a->weights = malloc(3 * (size_t)vertices * sizeof *a->weights);
    for (uint32_t v = 0; v < vertices; v++) {
        a->offsets[v] = count;
        for (uint64_t k = 1 + rng_below(r, 3); k > 0; k--) {
            a->joints[count] = (uint32_t)rng_below(r, def->joint_count);
            a->weights[count++] = 1.0f + (float)rng_below(r, 4);
        }
    }
    a->offsets[vertices] = count;
    def->influence_offsets = a->offsets;
    def->influence_joints = a->joints;
    def->influence_weights = a->weights;
}

static void create_shape(random_world *w, random_body *b, uint32_t kind)
{
    const random_settings *s = w->settings;
    arrays a = {.modes = NULL};
    pliant_shape_def plain = fixture_shape_def(&b->mesh);
    plain.partition = s->tree.partition;
    plain.arity = s->tree.arity;
    plain.leaf_size = s->tree.leaf_size;
    plain.islands = s->islands;
    plain.bound = s->bound;
    assert_true(b->mesh.triangle_count <= 512);
    for (uint32_t t = 0; t < b->mesh.triangle_count; t++) {
        a.groups[t] = (uint16_t)rng_below(&w->r, 3);
    }
    plain.groups = rng_below(&w->r, 2) == 0 ? a.groups : NULL;
    pliant_shape_def def = plain;
    if (kind == 2) {
        def.joint_count = 1;
    }
    if (kind == 3 || kind == 5) {
        add_modes(b, &def, &a, &w->r);
    }
    if (kind >= 4) {
        add_joints(b, &def, &a, &w->r);
    }
    if (pliant_shape_create(w->context, &def, &b->shape) != PLIANT_OK) { /* numbers too large */
        def = plain;
        assert_ok(pliant_shape_create(w->context, &def, &b->shape));
    }
    b->mode_count = def.mode_count;
    b->joint_count = def.joint_count;
    free(a.modes);
    free(a.weights);
    free(a.offsets);
    free(a.joints);
}

static void create_body(random_world *w, random_body *b, bool large)
{
    int family = rng_below(&w->r, 4) == 0 ? (int)rng_below(&w->r, 3) : w->family;
    uint32_t kind = (uint32_t)rng_below(&w->r, 6);
    random_mesh_create(&b->mesh, &w->r, family, large);
    find_welded(b);
    create_shape(w, b, kind);
    b->tears = kind == 0;
    b->by_place = kind == 1 || kind == 2;
    pliant_body_def def = pliant_body_def_default();
    def.update = w->settings->update;
    def.coherent = w->settings->coherent;
    def.rebuild = w->settings->rebuild;
    assert_ok(pliant_body_create(b->shape, &def, &b->body));
    b->member = pliant_member_def_default();
    b->member.self = rng_below(&w->r, 2) == 0;
    b->member.is_static = rng_below(&w->r, 6) == 0;
    b->present = true;
    assert_ok(pliant_scene_add(w->scene, b->body, &b->member, &b->id));
}

static void destroy_body(random_body *b)
{
    pliant_body_destroy(b->body);
    pliant_shape_destroy(b->shape);
    free(b->welded);
    free(b->removed);
    free(b->start);
    for (int i = 0; i < RANDOM_STEPS; i++) {
        free(b->given[i]);
    }
    mesh_free(&b->mesh);
}

/* ------------------------------------------------------------------ states */

static void set_positions(random_world *w, random_body *b)
{
    uint32_t count = 3 * b->mesh.vertex_count;
    float *to = malloc(count * sizeof *to);
    bool anywhere = rng_below(&w->r, 3) == 0;
    for (uint32_t i = 0; i < count; i++) {
        float unit = rng_below(&w->r, 2) == 0 ? 0.5f : 0.125f;
        float by = unit * ((float)rng_below(&w->r, 5) - 2.0f);
        float at = anywhere ? random_coordinate(&w->r, w->family) : b->mesh.positions[i] + by;
        to[i] = isfinite(at) ? at : 0.0f;
    }
    pliant_result result = w->settings->shares ? pliant_body_share_positions(b->body, to, 0)
                                               : pliant_body_set_positions(b->body, to, 0);
    note_result(w, "set or share positions", result);
    b->given[w->step - 1] = to;
}

/* The unit, of which some entries are off. */
static void random_rows(rng *r, float rows[12])
{
    for (int k = 0; k < 12; k++) {
        float by = rng_below(r, 3) == 0 ? 0.0f : 0.5f * ((float)rng_below(r, 3) - 1.0f);
        rows[k] = (k % 5 == 0 ? 1.0f : 0.0f) + by;
    }
}

static void set_model(random_world *w, random_body *b)
{
    float coordinates[MOST_MODES], rows[12 * MOST_JOINTS];
    for (uint32_t i = 0; i < b->mode_count; i++) {
        coordinates[i] = 0.5f * ((float)rng_below(&w->r, 9) - 4.0f);
    }
    for (uint32_t j = 0; j < b->joint_count; j++) {
        random_rows(&w->r, rows + 12 * (size_t)j);
        int power = rng_below(&w->r, 5) == 0 ? (int)rng_below(&w->r, 40) - 20 : 0;
        for (int k = 0; k < 12; k++) {
            rows[12 * j + (uint32_t)k] = ldexpf(rows[12 * j + (uint32_t)k], power);
        }
    }
    if (b->mode_count > 0) {
        note_result(w, "set coordinates",
                    pliant_body_set_coordinates(b->body, coordinates, b->mode_count));
    }
    if (b->joint_count > 0) {
        note_result(w, "set transforms",
                    pliant_body_set_transforms(b->body, rows, b->joint_count, 0));
    }
}

/* A tear of at most two triangles and two corners. */
typedef struct random_tear {
    uint32_t removed[2], removed_count;
    uint32_t split[2], welded[2], split_count;
    pliant_torn_corner corners[2];
    bool welds;
} random_tear;

static random_tear choose_tear(random_world *w, const random_body *b)
{
    random_tear tear = {.removed_count = 0};
    uint32_t triangles = b->mesh.triangle_count, left = 0;
    for (uint32_t t = 0; t < triangles; t++) {
        left += !b->removed[t];
    }
    for (uint64_t n = rng_below(&w->r, 3); n > 0; n--) {
        uint32_t t = (uint32_t)rng_below(&w->r, triangles);
        bool twice = tear.removed_count == 1 && tear.removed[0] == t;
        if (!b->removed[t] && !twice && tear.removed_count + 1 < left) {
            tear.removed[tear.removed_count++] = t;
        }
    }
    for (int n = 0; n < 2; n++) {
        uint32_t t = (uint32_t)rng_below(&w->r, triangles), i = tear.split_count;
        uint32_t v = b->mesh.triangles[3 * t + rng_below(&w->r, 3)];
        bool goes = b->removed[t];
        for (uint32_t k = 0; k < tear.removed_count; k++) {
            goes = goes || tear.removed[k] == t;
        }
        if (goes || (i == 1 && (tear.split[0] == v || tear.corners[0].triangle == t))) {
            continue;
        }
        tear.split[i] = v;
        tear.corners[i] = (pliant_torn_corner){t, b->mesh.vertex_count + i};
        bool together = i == 1 && b->welded[tear.split[0]] == b->welded[v];
        tear.welded[i] = b->mesh.vertex_count + (together && rng_below(&w->r, 2) == 0 ? 0 : i);
        tear.split_count++;
    }
    tear.welds = rng_below(&w->r, 2) == 0;
    return tear;
}

/* Does to the mesh what the call did to the body. */
static void apply_tear(random_body *b, const random_tear *tear)
{
    gallery_mesh *mesh = &b->mesh;
    size_t vertices = mesh->vertex_count + tear->split_count;
    mesh->positions = realloc(mesh->positions, 3 * vertices * sizeof *mesh->positions);
    b->welded = realloc(b->welded, vertices * sizeof *b->welded);
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        b->removed[tear->removed[i]] = true;
    }
    for (uint32_t i = 0; i < tear->split_count; i++) {
        uint32_t copy = mesh->vertex_count + i;
        uint32_t *corner = mesh->triangles + 3 * (size_t)tear->corners[i].triangle;
        memcpy(mesh->positions + 3 * (size_t)copy, mesh->positions + 3 * (size_t)tear->split[i],
               3 * sizeof(float));
        b->welded[copy] = tear->welds ? tear->welded[i] : copy;
        for (int k = 0; k < 3; k++) {
            corner[k] = corner[k] == tear->split[i] ? copy : corner[k];
        }
    }
    mesh->vertex_count = (uint32_t)vertices;
    free(b->start); /* the step has ended */
    b->start = NULL;
}

static void tear_body(random_world *w, random_body *b)
{
    random_tear chosen = choose_tear(w, b);
    const pliant_tear tear = {.removed = chosen.removed,
                              .removed_count = chosen.removed_count,
                              .split = chosen.split,
                              .split_count = chosen.split_count,
                              .corners = chosen.corners,
                              .corner_count = chosen.split_count,
                              .welded = chosen.welds ? chosen.welded : NULL};
    if (note_result(w, "tear", pliant_body_tear(b->body, &tear))) {
        apply_tear(b, &chosen);
    }
}

static void begin_or_end_step(random_world *w, random_body *b)
{
    if (rng_below(&w->r, 3) == 0) {
        free(b->start);
        b->start = random_body_positions(b);
        assert_ok(pliant_body_begin_step(b->body));
    } else if (rng_below(&w->r, 6) == 0) {
        free(b->start);
        b->start = NULL;
        assert_ok(pliant_body_end_step(b->body));
    }
}

static void change_body(random_world *w, random_body *b, bool recorded)
{
    begin_or_end_step(w, b);
    if (b->mode_count + b->joint_count > 0) {
        if (rng_below(&w->r, 5) > 0) {
            set_model(w, b);
        }
    } else if (rng_below(&w->r, 5) < 3) {
        set_positions(w, b);
    }
    if (rng_below(&w->r, 5) == 0) {
        float rows[12];
        random_rows(&w->r, rows);
        note_result(w, "set world",
                    pliant_body_set_world(b->body, rng_below(&w->r, 4) > 0 ? rows : NULL));
    }
    if (b->tears && b->mesh.triangle_count > 2 && rng_below(&w->r, 3) == 0 && !recorded) {
        tear_body(w, b);
    }
    if (b->present && rng_below(&w->r, 12) == 0) {
        assert_ok(pliant_scene_remove(w->scene, b->id));
        b->present = false;
    } else if (!b->present && rng_below(&w->r, 2) == 0) {
        assert_ok(pliant_scene_add(w->scene, b->body, &b->member, &b->id));
        b->present = true;
    }
}

/* ------------------------------------------------------------------- noise */

/* Queries without a reader. The state of caches after them must not change later answers. */
static void make_noise(random_world *w)
{
    random_body *a = &w->body[rng_below(&w->noise, w->body_count)];
    random_body *b = &w->body[rng_below(&w->noise, w->body_count)];
    pliant_collide_options options = pliant_collide_options_default();
    options.budget_nodes = rng_below(&w->noise, 2) == 0 ? 1 + rng_below(&w->noise, 5) : 0;
    options.mode = rng_below(&w->noise, 3) == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    pliant_scene_options scene_options = pliant_scene_options_default();
    scene_options.budget_nodes = rng_below(&w->noise, 2);
    const float point[3] = {1.0f, 1.0f, 1.0f};
    pliant_scene_contacts all;
    pliant_scene_meetings meetings;
    pliant_contacts contacts;
    pliant_closest closest;
    pliant_box box;
    switch (rng_below(&w->noise, 6)) {
    case 0:
        (void)pliant_scene_collide(w->scene, &scene_options, &all);
        break;
    case 1:
        scene_options.mode = PLIANT_COLLIDE_FIRST;
        (void)pliant_scene_find_meetings(w->scene, &scene_options, &meetings);
        break;
    case 2:
        (void)pliant_find_closest_point(w->query, a->body, point, 2.0f, &closest);
        break;
    case 3:
        (void)pliant_body_get_bounds(a->body, &box);
        (void)pliant_body_prepare(b->body);
        break;
    default:
        (void)(a == b ? pliant_collide_self(w->query, a->body, &options, &contacts)
                      : pliant_collide(w->query, a->body, b->body, &options, &contacts));
    }
}

void random_world_step(random_world *w)
{
    bool recorded = pliant_scene_is_recording(w->scene);
    assert_true(w->step < RANDOM_STEPS);
    w->step++;
    for (uint32_t i = 0; i < w->body_count; i++) {
        change_body(w, &w->body[i], recorded);
    }
    for (int i = 0; i < 3 && w->settings->noise != 0; i++) {
        make_noise(w);
    }
    uint64_t hash = 1;
    for (uint32_t i = 0; i < w->body_count; i++) {
        float *positions = random_body_positions(&w->body[i]);
        hash = hash_bytes(hash, positions,
                          3 * (size_t)w->body[i].mesh.vertex_count * sizeof *positions);
        free(positions);
    }
    random_world_note(w, "evaluate", hash);
}

/* --------------------------------------------------------------------- all */

void random_world_create(random_world *w, uint64_t seed, const random_settings *settings)
{
    static uint32_t dealt[] = {1, 2, 3, 4, 5, 6, 7, 8};
    *w = (random_world){.settings = settings};
    rng_seed(&w->r, seed);
    rng_seed(&w->noise, settings->noise);
    w->context = settings->dealt ? dealer_context(&dealt[settings->workers - 1])
                                 : fixture_context_with(settings->isa, settings->workers);
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = settings->broad;
    assert_ok(pliant_scene_create(w->context, &def, &w->scene));
    assert_ok(pliant_query_create(w->context, &w->query));
    assert_ok(pliant_contours_create(w->context, &w->contours));
    assert_ok(pliant_volume_create(w->context, NULL, &w->volume));
    w->family = (int)rng_below(&w->r, RANDOM_FAMILIES);
    w->body_count = 2 + (uint32_t)rng_below(&w->r, RANDOM_BODIES - 1);
    bool large = rng_below(&w->r, 3) == 0;
    for (uint32_t i = 0; i < w->body_count; i++) {
        create_body(w, &w->body[i], large);
    }
}

void random_world_destroy(random_world *w)
{
    pliant_volume_destroy(w->volume);
    pliant_contours_destroy(w->contours);
    pliant_query_destroy(w->query);
    pliant_scene_destroy(w->scene);
    for (uint32_t i = 0; i < w->body_count; i++) {
        destroy_body(&w->body[i]);
    }
    pliant_context_destroy(w->context);
}
