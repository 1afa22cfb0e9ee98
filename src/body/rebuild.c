/*
 * Building a body's tree anew, where its bounds have grown since it was cut. Ours.
 *
 * Larger bounds make queries compare and refresh more than a tree that was cut in this state would.
 * How much more nobody knows without that tree; it is taken to be the part of the work by which
 * bounds have grown more than the body as a whole, which was found to be less than the truth. When
 * that has come to what a tree costs, one is built: so at most about as much is lost before as the
 * tree costs, and no more is spent on trees than was lost to old ones.
 *
 * All of it is counted, never timed. The tree is built for the state that is then set, by a worker
 * of a scene in passing or else with the next state, and with that it is taken into use.
 */
#include "body/body.h"

#include "base/float_env.h"
#include "body/refresh.h"

#include <math.h>

/* What things cost, in nanoseconds on the machine where they were measured; only their ratios
   matter. */
enum {
    COST_OF_TEST = 100,    /* a pair of nodes or clusters that a query compares */
    COST_OF_CLUSTER = 250, /* a cluster that a query finds stale */
    COST_OF_VERTEX = 1,    /* a vertex read to bound a node that a query finds stale */
    COST_OF_BUILD = 300,   /* a triangle of a new tree; */
    COST_OF_MODEL = 1500,  /* if bounds follow from coefficients, */
    COST_OF_MODE = 1000    /* and for each mode */
};

/* Bounds that are larger by less than that are no loss: a tree that is new has as much after a
   while. */
#define LEAST_DECAY 1.5

struct pli_rebuild {
    PLI_ATOMIC(uint64_t) tests; /* in this state */
    double excess;       /* work of earlier states that grown bounds are held to have caused */
    double usual;        /* decay in the first state of a new tree, that bounds which are not
                            the smallest have at once; 0: there was none yet */
    uint64_t count;      /* of trees taken into use */
    float *positions;    /* what a tree is to be built for; NULL: nothing is */
    bool is_built;       /* it was tried */
    pliant_shape *built; /* the shape with it; NULL: there was no memory */
};

pliant_result pli_body_create_rebuild(pliant_body *body, pliant_rebuild rebuild)
{
    if (rebuild == PLIANT_REBUILD_NEVER) {
        return PLIANT_OK;
    }
    if (body->shape->block->model.proxy_triangles > 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "rebuild is PLIANT_REBUILD_AUTO, but the shape has proxies, which are "
                        "parts of its tree as it is");
    }
    struct pli_rebuild *made = pli_allocate(body->context, sizeof *made);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *made = (struct pli_rebuild){.usual = 1.0};
    body->rebuild = made;
    return PLIANT_OK;
}

static size_t positions_size(const pliant_body *body)
{
    return 3 * (size_t)body->shape->vertex_count * sizeof(float);
}

/* Gives up a tree that is being built. */
static void drop_build(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    if (rebuild != NULL && rebuild->positions != NULL) {
        pli_release(body->context, rebuild->positions, positions_size(body));
        if (rebuild->built != NULL) {
            pliant_shape_destroy(rebuild->built);
        }
        rebuild->positions = NULL;
        rebuild->built = NULL;
    }
}

void pli_body_release_rebuild(pliant_body *body)
{
    drop_build(body);
    pli_release(body->context, body->rebuild, sizeof *body->rebuild);
    body->rebuild = NULL;
}

uint64_t pli_body_rebuild_memory(const pliant_body *body)
{
    const struct pli_rebuild *rebuild = body->rebuild;
    uint64_t bytes = body->shape != body->given ? pliant_shape_get_memory(body->shape) : 0;
    if (rebuild != NULL) {
        bytes += sizeof *rebuild + (rebuild->positions != NULL ? positions_size(body) : 0) +
                 pliant_shape_get_memory(rebuild->built);
    }
    return bytes;
}

/* ---------------------------------------------------------------- measure */

/* The counts of this state. */
static pli_refresh_counts counts_of_state(const pliant_body *body)
{
    const pli_refresh_counts *now = &body->counts, *before = &body->counts_before;
    return (pli_refresh_counts){
        .vertices_on_demand = now->vertices_on_demand - before->vertices_on_demand,
        .clusters_on_demand = now->clusters_on_demand - before->clusters_on_demand,
        .measured = now->measured - before->measured,
        .sizes = now->sizes - before->sizes,
        .cut_sizes = now->cut_sizes - before->cut_sizes};
}

static double growth_of_body(const pliant_body *body)
{
    double sides = 0.0;
    for (int k = 0; k < 3; k++) {
        sides += (double)body->root.box.side[3 + k][0] - (double)body->root.box.side[k][0];
    }
    return body->ready && body->shape->cut_scale > 0.0
               ? sides * body->shape->cut_scale / PLI_CUT_UNITS
               : 1.0;
}

static pliant_body_quality measure(const pliant_body *body)
{
    pli_refresh_counts counts = counts_of_state(body);
    pliant_body_quality quality = {.nodes = counts.measured,
                                   .growth = 1.0,
                                   .body_growth = growth_of_body(body),
                                   .rebuilds = body->rebuild != NULL ? body->rebuild->count : 0,
                                   .sorts = pli_islands_sorts(body)};
    if (counts.cut_sizes > 0) {
        quality.growth = (double)counts.sizes / (double)counts.cut_sizes;
    }
    quality.decay = quality.growth / fmax(1.0, quality.body_growth);
    return quality;
}

pliant_result pliant_body_get_quality(const pliant_body *body, pliant_body_quality *quality)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(quality);
    pli_float_env env = pli_float_env_enter();
    *quality = measure(body);
    pli_float_env_leave(env);
    return PLIANT_OK;
}

void pli_body_count_tests(pliant_body *body, uint64_t tests)
{
    if (body->rebuild != NULL) {
        atomic_fetch_add_explicit(&body->rebuild->tests, tests, memory_order_relaxed);
    }
}

void pli_body_end_state(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    pli_refresh_counts counts = counts_of_state(body);
    pliant_body_quality quality = measure(body);
    if (quality.nodes > 0 && rebuild->usual == 0.0) {
        rebuild->usual = fmax(1.0, quality.decay);
    }
    double decay = rebuild->usual > 0.0 ? quality.decay / rebuild->usual : 1.0;
    double work = (double)rebuild->tests * COST_OF_TEST +
                  (double)counts.clusters_on_demand * COST_OF_CLUSTER +
                  (double)counts.vertices_on_demand * COST_OF_VERTEX;
    if (decay >= LEAST_DECAY) {
        rebuild->excess += work * (1.0 - 1.0 / decay);
    }
    rebuild->tests = 0;
}

void pli_body_ask_rebuild(pliant_body *body)
{
    if (body->rebuild != NULL) {
        body->rebuild->excess = (double)INFINITY;
    }
}

/* ------------------------------------------------------------ another tree */

/* What a body needs of its own for another shape. */
typedef struct belongings {
    PLI_ATOMIC(uint8_t) * opened;
    pli_local_memory **memory;
} belongings;

static void adopt_shape(pliant_body *body, const pliant_shape *shape, belongings own)
{
    uint32_t levels = body->eager_levels;
    pli_body_forget(body);
    pli_body_release_eager_block(body);
    pli_islands_release(body);
    pli_body_release_memories(body);
    pli_release(body->context, body->opened, pli_body_marks_size(body->shape));
    body->shape = shape;
    body->nodes = shape->nodes;
    body->opened = own.opened;
    body->memory = own.memory;
    pli_body_adopt_update(body);
    if (body->automatic) { /* it has found out how many are right */
        body->eager_levels = levels;
    }
}

void pli_body_follow_shape(pliant_body *body, const pliant_shape *shape)
{
    if (body != NULL) {
        const pliant_shape *old = body->shape;
        pli_shape_join(shape);
        adopt_shape(body, shape, (belongings){NULL, NULL});
        body->given = shape;
        pli_shape_leave(old);
    }
}

pliant_result pli_body_replace_shape(pliant_body *body, pliant_shape *shape)
{
    belongings own = {NULL, NULL};
    if (body->opened != NULL) {
        own.opened = pli_body_create_marks(shape);
    }
    if (body->memory != NULL) {
        own.memory = pli_body_create_memories(shape);
    }
    if ((body->opened != NULL && own.opened == NULL) ||
        (body->memory != NULL && own.memory == NULL)) {
        pli_release(body->context, own.opened, pli_body_marks_size(shape));
        pli_release(body->context, own.memory, shape->node_count * sizeof(pli_local_memory *));
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    const pliant_shape *old = body->shape;
    adopt_shape(body, shape, own);
    pli_body_follow_shape(body->start, shape);
    pli_body_follow_shape(body->sweep, shape);
    if (old != body->given) {
        pli_shape_leave(old);
    }
    return PLIANT_OK;
}

/* The positions that a tree is to be built for. Borrowed ones may change afterwards, and those that
   are not finite are found by queries, not here. */
static void begin_build(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    uint32_t count = body->shape->vertex_count;
    float *positions = pli_allocate(body->context, positions_size(body));
    if (positions == NULL) {
        return;
    }
    pli_body_vertices(body, NULL, count, positions);
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        if (!isfinite(positions[i])) {
            pli_release(body->context, positions, positions_size(body));
            return;
        }
    }
    rebuild->positions = positions;
    rebuild->is_built = false;
    if (body->host != NULL) {
        atomic_store_explicit(&body->host->builds, true, memory_order_relaxed);
    }
}

bool pli_body_wants_build(const pliant_body *body)
{
    return body->rebuild != NULL && body->rebuild->positions != NULL && !body->rebuild->is_built;
}

void pli_body_build(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    pliant_shape *built = NULL;
    if (pli_shape_derive(body->shape, rebuild->positions, &built) == PLIANT_OK) {
        rebuild->built = built;
    }
    rebuild->is_built = true;
}

/* Takes the tree that was built, if there was memory for it. */
static void end_build(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    if (pli_body_wants_build(body)) {
        pli_body_build(body);
    }
    if (rebuild->built != NULL && pli_body_replace_shape(body, rebuild->built) == PLIANT_OK) {
        rebuild->built = NULL;
        rebuild->usual = 0.0;
        rebuild->count++;
    }
    drop_build(body);
}

static double cost_of_build(const pliant_shape *shape)
{
    const pli_model *model = &shape->block->model;
    double each = COST_OF_BUILD;
    if (model->coefficient_kind != PLI_COEFFICIENTS_NONE) {
        each += COST_OF_MODEL + (double)model->mode_count * COST_OF_MODE;
    }
    return each * shape->triangle_count;
}

void pli_body_end_rebuild(pliant_body *body)
{
    if (body->rebuild != NULL && body->rebuild->positions != NULL) {
        end_build(body);
        body->rebuild->excess = 0.0;
    }
}

void pli_body_follow_state(pliant_body *body)
{
    struct pli_rebuild *rebuild = body->rebuild;
    if (rebuild->positions != NULL) {
        pli_body_end_rebuild(body);
    } else if (rebuild->excess > cost_of_build(body->shape)) {
        rebuild->excess = 0.0;
        begin_build(body);
    }
}
