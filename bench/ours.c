/* The library as a contestant. */
#include "contest.h"

#include <stdlib.h>

typedef struct ours {
    const bench_method *method;
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
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
    }
    pliant_context_destroy(own->context);
    free(own);
}

static bool create_body(ours *own, const scene_mesh *mesh, int i)
{
    pliant_shape_def shape = pliant_shape_default();
    shape.positions = mesh->positions;
    shape.triangles = mesh->triangles;
    shape.vertex_count = mesh->vertex_count;
    shape.triangle_count = mesh->triangle_count;
    shape.partition = own->method->partition;
    pliant_body_def body = pliant_body_default();
    body.update = (pliant_update)own->method->variant;
    return pliant_shape_create(own->context, &shape, &own->shapes[i]) == PLIANT_OK &&
           pliant_body_create(own->shapes[i], &body, &own->bodies[i]) == PLIANT_OK;
}

static void *create(const bench_method *method, const scene_instance *scene)
{
    ours *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->method = method;
    if (pliant_context_create(NULL, &own->context) != PLIANT_OK ||
        !create_body(own, &scene->bodies[0], 0) || !create_body(own, &scene->bodies[1], 1) ||
        pliant_query_create(own->context, &own->query) != PLIANT_OK) {
        destroy(own);
        return NULL;
    }
    return own;
}

/* New positions, and the update that comes before the first query: asking for a body's box is
   enough to have it done. */
static bool update_bodies(ours *own, const bench_frame *frame)
{
    for (int i = 0; i < 2; i++) {
        pliant_body *body = own->bodies[i];
        pliant_result result = own->method->copied
                                   ? pliant_body_set_positions(body, frame->world[i], 0)
                                   : pliant_body_share_positions(body, frame->world[i], 0);
        pliant_box box;
        if (result != PLIANT_OK || pliant_body_bounds(body, &box) != PLIANT_OK) {
            return false;
        }
    }
    return true;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    ours *own = state;
    pliant_collide_options options = pliant_collide_default();
    options.mode = first_only ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    pliant_contacts contacts;
    double start = bench_cpu_seconds();
    if (!update_bodies(own, frame)) {
        return false;
    }
    double updated = bench_cpu_seconds();
    if (pliant_collide(own->query, own->bodies[0], own->bodies[1], &options, &contacts) !=
        PLIANT_OK) {
        return false;
    }
    double end = bench_cpu_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    outcome->pairs = contacts.pairs;
    outcome->pair_count = contacts.count;
    return true;
}

#define OURS(title, update, tree, copy)                                                            \
    {                                                                                              \
        .name = title, .variant = update, .partition = tree, .copied = copy, .create = create,     \
        .step = step, .destroy = destroy                                                           \
    }

const bench_method bench_ours_bottom_up =
    OURS("ours, bottom-up", PLIANT_UPDATE_BOTTOM_UP, PLIANT_PARTITION_BALANCED, false);
const bench_method bench_ours_top_down =
    OURS("ours, top-down", PLIANT_UPDATE_TOP_DOWN, PLIANT_PARTITION_BALANCED, false);
const bench_method bench_ours_hybrid =
    OURS("ours, hybrid", PLIANT_UPDATE_HYBRID, PLIANT_PARTITION_BALANCED, false);
const bench_method bench_ours_auto =
    OURS("ours, auto", PLIANT_UPDATE_AUTO, PLIANT_PARTITION_BALANCED, false);
const bench_method bench_ours_copied =
    OURS("ours, hybrid, positions copied", PLIANT_UPDATE_HYBRID, PLIANT_PARTITION_BALANCED, true);
const bench_method bench_ours_shape = OURS("ours, hybrid, initial-shape tree", PLIANT_UPDATE_HYBRID,
                                           PLIANT_PARTITION_SHAPE_MEAN, false);
const bench_method bench_ours_connectivity = OURS(
    "ours, hybrid, connectivity tree", PLIANT_UPDATE_HYBRID, PLIANT_PARTITION_CONNECTIVITY, false);
