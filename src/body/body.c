/* Bodies: making and destroying them, their update strategy, and calls that are under way. */
#include "body/body.h"

#include "base/error.h"
#include "base/float_env.h"
#include "body/refresh.h"

/* What a body that touches nothing may hold besides its positions, unless told otherwise. */
enum { IDLE_BODY_SIZE = 4095 };

PLIANT_DEFINE_DEFAULT(pliant_body_def)
{
    pliant_body_def def = {
        .update = PLIANT_UPDATE_AUTO, .lazy_levels = 1, .tag = PLI_TAG(pliant_body_def)};
    return def;
}

static pliant_result check_rebuild(pliant_rebuild rebuild)
{
    return (unsigned)rebuild > PLIANT_REBUILD_AUTO
               ? pli_fail(PLIANT_ERROR_RANGE, "rebuild is %d; there is no such choice",
                          (int)rebuild)
               : PLIANT_OK;
}

static pliant_result check_update(pliant_update update, uint32_t lazy_levels)
{
    if ((unsigned)update > PLIANT_UPDATE_FRONT) {
        return pli_fail(PLIANT_ERROR_RANGE, "update is %d; there is no such one", (int)update);
    }
    if (lazy_levels < 1) {
        return pli_fail(PLIANT_ERROR_RANGE, "lazy_levels is 0; it must be at least 1");
    }
    return PLIANT_OK;
}

/* Nodes on the first `levels` levels of the tree. */
static size_t count_upper_nodes(const pliant_shape *shape, uint32_t levels)
{
    size_t count = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        count += shape->nodes[n].level < levels;
    }
    return count;
}

/* Half the levels; where the body chooses by itself, fewer if their records would make an untouched
   body large. */
static uint32_t default_eager_levels(const pliant_body *body)
{
    size_t most =
        (IDLE_BODY_SIZE - sizeof(pliant_body) - PLI_RECORD_SLACK) / pli_body_node_size(body);
    uint32_t levels = body->shape->block->quality.levels / 2;
    while (body->automatic && levels > 1 && count_upper_nodes(body->shape, levels) > most) {
        levels--;
    }
    return levels > 0 ? levels : 1;
}

/*
 * The strategy behind AUTO. Bounds from modes cost the same at any level, so nothing is gained by
 * making them early. Bounds of blends cost more the more joints matter, that is, near the root,
 * where merging what was opened before is cheaper and tighter. Free bodies: see strategies.c.
 */
static pliant_update automatic_update(const pliant_body *body)
{
    if (!pli_body_has_coefficients(body)) {
        return PLIANT_UPDATE_HYBRID;
    }
    return pli_body_is_blended(body) ? PLIANT_UPDATE_FRONT : PLIANT_UPDATE_TOP_DOWN;
}

void pli_body_adopt_update(pliant_body *body)
{
    pli_body_release_eager_block(body);
    body->update = body->asked == PLIANT_UPDATE_AUTO ? automatic_update(body) : body->asked;
    body->automatic = body->asked == PLIANT_UPDATE_AUTO && body->update == PLIANT_UPDATE_HYBRID;
    body->eager_levels = body->eager_asked > 0 ? body->eager_asked : default_eager_levels(body);
    size_t nodes = body->update == PLIANT_UPDATE_BOTTOM_UP ? 0
                   : body->update == PLIANT_UPDATE_HYBRID
                       ? count_upper_nodes(body->shape, body->eager_levels)
                       : 1;
    body->eager_size = nodes * pli_body_node_size(body);
}

PLI_ATOMIC(uint8_t) * pli_body_create_marks(const pliant_shape *shape)
{
    PLI_ATOMIC(uint8_t) *marks = pli_allocate(shape->context, pli_body_marks_size(shape));
    for (size_t n = 0; n < pli_body_marks_size(shape) && marks != NULL; n++) {
        atomic_init(&marks[n], 0);
    }
    return marks;
}

/* Stores checked settings. */
static pliant_result adopt_settings(pliant_body *body, pliant_update update, uint32_t eager_levels,
                                    uint32_t lazy_levels)
{
    bool fronts = update == PLIANT_UPDATE_FRONT ||
                  (update == PLIANT_UPDATE_AUTO && automatic_update(body) == PLIANT_UPDATE_FRONT);
    if (fronts && body->opened == NULL) {
        body->opened = pli_body_create_marks(body->shape);
        if (body->opened == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    pli_body_forget(body); /* records of the old strategy are as good, but lie in its block */
    body->asked = update;
    body->eager_asked = eager_levels;
    body->lazy_levels = lazy_levels;
    pli_body_adopt_update(body);
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result create(const pliant_shape *shape, const pliant_body_def *def,
                                         pliant_body **body)
{
    pliant_body *created = pli_allocate(shape->context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (pliant_body){
        .valid = true,
        .id = pli_context_next_id(shape->context),
        .shape = shape,
        .given = shape,
        .nodes = shape->nodes,
        .context = shape->context,
        .kernels = pli_context_kernels(shape->context)->vertex,
        .model_kernels = pli_context_kernels(shape->context)->model,
        .by_positions = !pli_shape_has_coefficients(shape),
        .coherent = def->coherent && shape->block->model.mode_count > 0 &&
                    !shape->block->model.has_influences,
        .user = def->user,
        .positions = pli_view_positions(shape, shape->positions, 3 * sizeof(float)),
    };
    pli_shape_join(shape);
    pli_context_join(shape->context, PLI_OBJECT_BODY);
    created->arena.counts = &created->counts;
    pli_boxes_clear(&created->root.box);
    pliant_result result = pli_body_create_pose(created);
    if (result == PLIANT_OK) {
        result = adopt_settings(created, def->update, def->eager_levels, def->lazy_levels);
    }
    if (result == PLIANT_OK) {
        result = pli_body_create_rebuild(created, def->rebuild);
    }
    if (result != PLIANT_OK) {
        pliant_body_destroy(created);
        return result;
    }
    *body = created;
    return PLIANT_OK;
}

pliant_result pliant_body_create(const pliant_shape *shape, const pliant_body_def *def,
                                 pliant_body **body)
{
    pliant_body_def defaults = pliant_body_def_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(shape);
    PLI_REQUIRE(body);
    PLI_REQUIRE_TAG(def, pliant_body_def);
    pliant_result result = check_update(def->update, def->lazy_levels);
    result = result == PLIANT_OK ? check_rebuild(def->rebuild) : result;
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = create(shape, def, body);
        pli_float_env_leave(env);
    }
    return result;
}

void pli_body_free(pliant_body *body)
{
    pliant_context *context = body->context;
    const pliant_shape *shape = body->shape, *given = body->given;
    if (body->sweep != NULL) {
        pli_body_free(body->sweep);
    }
    if (body->start != NULL) {
        pli_body_free(body->start);
    }
    pli_body_forget(body);
    pli_body_release_eager_block(body);
    pli_islands_release(body);
    pli_body_release_rebuild(body);
    pli_release(context, body->copy, pli_body_copy_size(body));
    pli_release(context, body->opened, pli_body_marks_size(body->shape));
    pli_body_release_pose(body);
    pli_release(context, body, sizeof *body);
    if (given != shape) {
        pli_shape_leave(given);
    }
    pli_shape_leave(shape);
    pli_context_leave(context, PLI_OBJECT_BODY);
}

void pliant_body_destroy(pliant_body *body)
{
    if (body == NULL) {
        return;
    }
    PLI_ASSERT_UNUSED(
        body->host == NULL,
        "pliant_body_destroy: the body is used by a scene as body %u; remove it first", body->slot);
    PLI_ASSERT_UNUSED(body->calls == 0,
                      "pliant_body_destroy: the body is used by %u calls under way", body->calls);
    pli_host *host = body->host;
    if (pli_body_is_busy(body)) {
        body->doomed = true;
        if (host != NULL && pli_use_is_busy(&host->use)) {
            host->bodies_doomed = true;
        }
        return;
    }
    if (host != NULL) {
        host->let_go(host, body);
        PLI_ASSERT(body->host == NULL);
    }
    pli_body_free(body);
}

pliant_result pli_body_check_idle(const pliant_body *body, const char *call)
{
    return pli_body_is_busy(body)
               ? pli_fail(PLIANT_ERROR_STATE, "%s: a call about the body or its scene is under way",
                          call)
               : PLIANT_OK;
}

void pli_body_begin_call(pliant_body *body)
{
    atomic_fetch_add(&body->calls, 1);
}

void pli_body_end_call(pliant_body *body)
{
    uint32_t before = atomic_fetch_sub(&body->calls, 1);
    PLI_ASSERT(before > 0);
    if (before == 1 && body->doomed) {
        pliant_body_destroy(body);
    }
}

pliant_result pliant_body_set_user(pliant_body *body, void *user)
{
    PLI_REQUIRE(body);
    body->user = user;
    return PLIANT_OK;
}

void *pliant_body_get_user(const pliant_body *body)
{
    return body != NULL ? body->user : NULL;
}

const pliant_shape *pliant_body_get_shape(const pliant_body *body)
{
    return body != NULL ? body->given : NULL;
}

pliant_result pliant_body_set_update(pliant_body *body, pliant_update update, uint32_t eager_levels,
                                     uint32_t lazy_levels)
{
    PLI_REQUIRE(body);
    pliant_result result = check_update(update, lazy_levels);
    if (result == PLIANT_OK) {
        result = pli_body_check_idle(body, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    return adopt_settings(body, update, eager_levels, lazy_levels);
}

static PLI_NOINLINE pliant_result bounds(pliant_body *body, pliant_box *box)
{
    pliant_result result = pli_body_prepare(body);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_boxes whole;
    pli_body_state_box(body, &whole);
    for (int k = 0; k < 3; k++) {
        box->lower[k] = whole.side[k][0];
        box->upper[k] = whole.side[3 + k][0];
    }
    return PLIANT_OK;
}

pliant_result pliant_body_get_bounds(pliant_body *body, pliant_box *box)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(box);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = bounds(body, box);
    pli_float_env_leave(env);
    return result;
}

static PLI_NOINLINE pliant_result prepare(pliant_body *body)
{
    pliant_result result = pli_body_prepare(body);
    return result == PLIANT_OK ? pli_body_refresh_all(body, &body->root, 0, 0) : result;
}

pliant_result pliant_body_prepare(pliant_body *body)
{
    PLI_REQUIRE(body);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = prepare(body);
    pli_float_env_leave(env);
    return result;
}

pliant_body_memory pliant_body_get_memory(const pliant_body *body)
{
    pliant_body_memory memory = {0, 0};
    if (body != NULL) {
        memory.positions = pli_body_copy_size(body);
        memory.bounds = sizeof *body + pli_body_record_memory(body) +
                        (body->opened != NULL ? pli_body_marks_size(body->shape) : 0) +
                        pli_body_pose_memory(body) + pli_body_step_memory(body) +
                        pli_islands_memory(body) + pli_body_rebuild_memory(body);
    }
    return memory;
}
