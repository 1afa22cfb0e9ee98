/* The library as a contestant: two bodies and a query. */
#include "ours.h"

#include "body/refresh.h"

#include <stdlib.h>
#include <string.h>

typedef struct ours {
    const bench_method *method;
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
    /* Where vertices lie in the tree's order: that order, and the positions in it. */
    uint32_t *orders[2];
    float *ordered[2];
    bench_range range;
} ours;

static void destroy(void *state)
{
    ours *own = state;
    if (own == NULL) {
        return;
    }
    pliant_query_destroy(own->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(own->bodies[i]);
        pliant_shape_destroy(own->shapes[i]);
        free(own->orders[i]);
        free(own->ordered[i]);
    }
    pliant_context_destroy(own->context);
    free(own);
}

bool ours_create_context(const bench_method *method, const bench_settings *settings,
                         pliant_context **context)
{
    pliant_isa wanted = method->isa, cap = settings->isa;
    pliant_context_def def = pliant_context_def_default();
    def.isa = wanted == PLIANT_ISA_BEST || (cap != PLIANT_ISA_BEST && cap < wanted) ? cap : wanted;
    def.workers = method->workers > 0 ? method->workers : bench_threads(settings);
    return pliant_context_create(&def, context) == PLIANT_OK;
}

bool ours_create_shape(pliant_context *context, const bench_method *method,
                       const gallery_mesh *mesh, pliant_shape **shape)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.partition = method->partition;
    def.arity = method->arity > 0 ? method->arity : def.arity;
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

bool ours_create_shape_of(pliant_context *context, const bench_method *method,
                          const bench_motion *motion, uint32_t body, pliant_shape **shape)
{
    const gallery_mesh *mesh = &motion->meshes[body];
    const gallery_model *model = motion->models[body];
    if (model == NULL) {
        return ours_create_shape(context, method, mesh, shape);
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = motion->rest[body];
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.partition = method->partition;
    def.arity = method->arity > 0 ? method->arity : def.arity;
    def.mode_count = model->mode_count;
    def.modes = model->modes;
    def.mode_stride = 3 * sizeof(float) * (size_t)mesh->vertex_count;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    def.normalise_weights = false; /* rivals use them as they are */
    return pliant_shape_create(context, &def, shape) == PLIANT_OK;
}

bool ours_set_state(pliant_body *body, const bench_motion *motion, const bench_frame *frame,
                    uint32_t which)
{
    const gallery_model *model = motion->models[which];
    if (model == NULL) {
        return pliant_body_share_positions(body, frame->world[which], 0) == PLIANT_OK;
    }
    return (model->mode_count == 0 ||
            pliant_body_set_coordinates(body, frame->coordinates[which], model->mode_count) ==
                PLIANT_OK) &&
           (model->joint_count == 0 ||
            pliant_body_set_transforms(body, frame->transforms[which], model->joint_count, 0) ==
                PLIANT_OK);
}

static void put_in_order(const float *positions, const uint32_t *order, uint32_t count,
                         float *ordered)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(ordered + 3 * i, positions + 3 * (size_t)order[i], 3 * sizeof *ordered);
    }
}

/* Renumbers the corners: vertex order[i] becomes vertex i. False when there is no memory. */
static bool renumber_corners(const gallery_mesh *mesh, const uint32_t *order, uint32_t *corners)
{
    uint32_t *place = malloc(mesh->vertex_count * sizeof *place);
    if (place == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        place[order[i]] = i;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        corners[i] = place[mesh->triangles[i]];
    }
    free(place);
    return true;
}

bool ours_order_mesh(pliant_context *context, const bench_method *method, const gallery_mesh *mesh,
                     uint32_t *order, gallery_mesh *ordered)
{
    pliant_shape *shape = NULL;
    if (!mesh_allocate(mesh->vertex_count, mesh->triangle_count, ordered)) {
        return false;
    }
    bool done = ours_create_shape(context, method, mesh, &shape) &&
                pliant_shape_get_vertex_order(shape, order) == PLIANT_OK &&
                renumber_corners(mesh, order, ordered->triangles);
    if (done) {
        put_in_order(mesh->positions, order, mesh->vertex_count, ordered->positions);
    }
    pliant_shape_destroy(shape);
    return done;
}

/* The shape of the same mesh with its vertices in the tree's order. Triangles keep their numbers,
   so pairs are the same. */
static bool create_ordered_shape(ours *own, const gallery_mesh *mesh, int i)
{
    gallery_mesh ordered = {0};
    own->orders[i] = malloc(mesh->vertex_count * sizeof *own->orders[i]);
    own->ordered[i] = malloc(mesh->vertex_count * 3 * sizeof *own->ordered[i]);
    bool done = own->orders[i] != NULL && own->ordered[i] != NULL &&
                ours_order_mesh(own->context, own->method, mesh, own->orders[i], &ordered) &&
                ours_create_shape(own->context, own->method, &ordered, &own->shapes[i]);
    mesh_free(&ordered);
    return done;
}

static bool create_body(ours *own, const gallery_mesh *mesh, int i)
{
    pliant_body_def body = pliant_body_def_default();
    body.update = (pliant_update)own->method->variant;
    bool done = own->method->tree_order
                    ? create_ordered_shape(own, mesh, i)
                    : ours_create_shape(own->context, own->method, mesh, &own->shapes[i]);
    return done && pliant_body_create(own->shapes[i], &body, &own->bodies[i]) == PLIANT_OK;
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    ours *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->method = method;
    if (!ours_create_context(method, settings, &own->context) ||
        !create_body(own, &motion->meshes[0], 0) || !create_body(own, &motion->meshes[1], 1) ||
        pliant_query_create(own->context, &own->query) != PLIANT_OK) {
        destroy(own);
        return NULL;
    }
    return own;
}

/* What is not timed: a simulation that keeps its vertices in the tree's order has them there. */
static bool prepare(ours *own, const bench_frame *frame)
{
    for (int i = 0; own->method->tree_order && i < 2; i++) {
        put_in_order(frame->world[i], own->orders[i], pliant_shape_get_vertex_count(own->shapes[i]),
                     own->ordered[i]);
    }
    if (own->method->forgetful) {
        pliant_query_destroy(own->query);
        own->query = NULL;
        return pliant_query_create(own->context, &own->query) == PLIANT_OK;
    }
    return true;
}

static bool set_positions(ours *own, const bench_frame *frame)
{
    for (int i = 0; i < 2; i++) {
        const float *positions = own->method->tree_order ? own->ordered[i] : frame->world[i];
        pliant_result result = own->method->copied
                                   ? pliant_body_set_positions(own->bodies[i], positions, 0)
                                   : pliant_body_share_positions(own->bodies[i], positions, 0);
        if (result != PLIANT_OK) {
            return false;
        }
    }
    return true;
}

/* The update that comes before the first query, by itself so that it can be timed. */
static bool update_bodies(ours *own)
{
    return pli_body_prepare_walk(own->bodies[0]) == PLIANT_OK &&
           pli_body_prepare_walk(own->bodies[1]) == PLIANT_OK;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    ours *own = state;
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = first_only ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    pliant_contacts contacts;
    if (!prepare(own, frame)) {
        return false;
    }
    double start = bench_seconds();
    /* A first-contact query may need no update at all, so it is left to decide. */
    if (!set_positions(own, frame) || (!first_only && !update_bodies(own))) {
        return false;
    }
    double updated = first_only ? start : bench_seconds();
    if (pliant_collide(own->query, own->bodies[0], own->bodies[1], &options, &contacts) !=
        PLIANT_OK) {
        return false;
    }
    double end = bench_seconds();
    outcome->update_seconds =
        first_only ? pliant_query_get_stats(own->query)->seconds_update : updated - start;
    outcome->total_seconds = end - start;
    outcome->pairs = contacts.pairs;
    own->range = (bench_range){.a = 0, .b = 1, .first = 0, .count = contacts.count};
    outcome->ranges = &own->range;
    outcome->range_count = 1;
    return true;
}

#define OURS .create = create, .step = step, .destroy = destroy

const bench_method bench_modern = {
    .name = "modern bottom-up", .variant = PLIANT_UPDATE_BOTTOM_UP, OURS};
const bench_method bench_modern_plain = {.name = "modern bottom-up, plain C",
                                         .variant = PLIANT_UPDATE_BOTTOM_UP,
                                         .isa = PLIANT_ISA_PLAIN,
                                         OURS};
const bench_method bench_ours_bottom_up = {
    .name = "ours, bottom-up", .variant = PLIANT_UPDATE_BOTTOM_UP, OURS};
const bench_method bench_ours_top_down = {
    .name = "ours, top-down", .variant = PLIANT_UPDATE_TOP_DOWN, OURS};
const bench_method bench_ours_hybrid = {
    .name = "ours, hybrid", .variant = PLIANT_UPDATE_HYBRID, OURS};
const bench_method bench_ours_auto = {.name = "ours, auto", OURS};
const bench_method bench_ours_copied = {
    .name = "ours, auto, positions copied", .copied = true, OURS};
const bench_method bench_ours_tree_order = {
    .name = "ours, auto, vertices in tree order", .tree_order = true, OURS};

const bench_method bench_ours_avx2 = {.name = "ours, auto, avx2", .isa = PLIANT_ISA_AVX2, OURS};
const bench_method bench_ours_baseline = {
    .name = "ours, auto, baseline", .isa = PLIANT_ISA_BASELINE, OURS};
const bench_method bench_ours_plain = {.name = "ours, auto, plain", .isa = PLIANT_ISA_PLAIN, OURS};

const bench_method bench_ours_first_bottom_up = {.name = "ours, bottom-up, no memory",
                                                 .variant = PLIANT_UPDATE_BOTTOM_UP,
                                                 .forgetful = true,
                                                 OURS};
const bench_method bench_ours_first_top_down = {.name = "ours, top-down, no memory",
                                                .variant = PLIANT_UPDATE_TOP_DOWN,
                                                .forgetful = true,
                                                OURS};
const bench_method bench_ours_first_hybrid = {
    .name = "ours, hybrid, no memory", .variant = PLIANT_UPDATE_HYBRID, .forgetful = true, OURS};
const bench_method bench_ours_first_auto = {
    .name = "ours, auto, no memory", .forgetful = true, OURS};
const bench_method bench_ours_first_avx2 = {
    .name = "ours, auto, no memory, avx2", .forgetful = true, .isa = PLIANT_ISA_AVX2, OURS};
const bench_method bench_ours_first_remembered = {.name = "ours, auto, witness memory", OURS};

#define TREE(title, kind, children)                                                                \
    {                                                                                              \
        .name = title, .partition = kind, .arity = children, .variant = PLIANT_UPDATE_HYBRID, OURS \
    }
const bench_method bench_ours_trees[9] = {
    TREE("balanced, 2-ary", PLIANT_PARTITION_BALANCED, 2),
    TREE("balanced, 4-ary", PLIANT_PARTITION_BALANCED, 4),
    TREE("balanced, 8-ary", PLIANT_PARTITION_BALANCED, 8),
    TREE("initial shape, 2-ary", PLIANT_PARTITION_SHAPE_CENTRE, 2),
    TREE("initial shape, 4-ary", PLIANT_PARTITION_SHAPE_CENTRE, 4),
    TREE("initial shape, 8-ary", PLIANT_PARTITION_SHAPE_CENTRE, 8),
    TREE("connectivity, 2-ary", PLIANT_PARTITION_CONNECTIVITY, 2),
    TREE("connectivity, 4-ary", PLIANT_PARTITION_CONNECTIVITY, 4),
    TREE("connectivity, 8-ary", PLIANT_PARTITION_CONNECTIVITY, 8),
};
