/* The library as a contestant: one body that touches itself, by one of the rules for neighbours. */
#include "ours.h"

#include <stdlib.h>

typedef struct ours_self {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body;
    pliant_query *query;
    pliant_neighbours neighbours;
    bench_range range;
} ours_self;

static void destroy(void *state)
{
    ours_self *own = state;
    if (own == NULL) {
        return;
    }
    pliant_query_destroy(own->query);
    pliant_body_destroy(own->body);
    pliant_shape_destroy(own->shape);
    pliant_context_destroy(own->context);
    free(own);
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    ours_self *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->neighbours = method->neighbours;
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)method->variant;
    if (!ours_create_context(method, settings, &own->context) ||
        !ours_create_shape(own->context, method, &motion->meshes[0], &own->shape) ||
        pliant_body_create(own->shape, &def, &own->body) != PLIANT_OK ||
        pliant_query_create(own->context, &own->query) != PLIANT_OK) {
        destroy(own);
        return NULL;
    }
    return own;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    ours_self *own = state;
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = first_only ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    options.neighbours = own->neighbours;
    pliant_contacts contacts;
    pliant_box box;
    double start = bench_seconds();
    /* Asking for the body's box is enough to have its update done. */
    if (pliant_body_share_positions(own->body, frame->world[0], 0) != PLIANT_OK ||
        pliant_body_get_bounds(own->body, &box) != PLIANT_OK) {
        return false;
    }
    double updated = bench_seconds();
    if (pliant_collide_self(own->query, own->body, &options, &contacts) != PLIANT_OK) {
        return false;
    }
    outcome->update_seconds = updated - start;
    outcome->total_seconds = bench_seconds() - start;
    outcome->pairs = contacts.pairs;
    own->range = (bench_range){.a = 0, .b = 0, .first = 0, .count = contacts.count};
    outcome->ranges = &own->range;
    outcome->range_count = 1;
    return true;
}

#define OURS .create = create, .step = step, .destroy = destroy
#define SKIP .neighbours = PLIANT_NEIGHBOURS_SKIP

const bench_method bench_self_auto = {.name = "ours, auto", SKIP, OURS};
const bench_method bench_self_avx2 = {
    .name = "ours, auto, avx2", .isa = PLIANT_ISA_AVX2, SKIP, OURS};
const bench_method bench_self_default = {.name = "ours, default rule", OURS};
const bench_method bench_self_default_avx2 = {
    .name = "ours, default rule, avx2", .isa = PLIANT_ISA_AVX2, OURS};
