#include "body/body.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/float_env.h"
#include "body/refresh.h"
#include "bounds/evaluate.h"

#include <math.h>
#include <string.h>

/* What a body that touches nothing may hold besides its positions, unless told otherwise. */
enum { IDLE_BODY_SIZE = 4095 };

pliant_body_def pliant_body_def_default(void)
{
    pliant_body_def def = {
        .update = PLIANT_UPDATE_AUTO, .lazy_levels = 1, .tag = PLI_TAG(pliant_body_def)};
    return def;
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

/* Bytes of the eager block. A cluster comes to lie there where the eager part turns out smaller
   than it was, and what reads one may run past its end. */
static size_t eager_block_size(const pliant_body *body)
{
    const pli_cluster smallest = {.slot_count = 16, .vertex_count = 1};
    bool has_room = body->eager_size >= pli_cluster_record_size(&smallest);
    return body->eager_size + (has_room ? PLI_RECORD_SLACK : 0);
}

static void release_eager_block(pliant_body *body)
{
    pli_release(body->context, body->eager_block, eager_block_size(body));
    body->eager_block = body->arena.next = body->arena.end = NULL;
}

/*
 * The strategy behind AUTO. Bounds from modes cost the same at any level, so nothing is gained by
 * making them early. Bounds of blends cost more the more nodes matter, that is, near the root,
 * where merging what was opened before is cheaper and tighter. Free bodies: see automatic.c.
 */
static pliant_update automatic_update(const pliant_body *body)
{
    if (!pli_body_has_coefficients(body)) {
        return PLIANT_UPDATE_HYBRID;
    }
    return body->shape->block->model.coefficient_kind == PLI_COEFFICIENTS_BLEND
               ? PLIANT_UPDATE_FRONT
               : PLIANT_UPDATE_TOP_DOWN;
}

void pli_body_adopt_update(pliant_body *body)
{
    release_eager_block(body);
    body->update = body->asked == PLIANT_UPDATE_AUTO ? automatic_update(body) : body->asked;
    body->automatic = body->asked == PLIANT_UPDATE_AUTO && body->update == PLIANT_UPDATE_HYBRID;
    body->eager_levels = body->eager_asked > 0 ? body->eager_asked : default_eager_levels(body);
    size_t nodes = body->update == PLIANT_UPDATE_BOTTOM_UP ? 0
                   : body->update == PLIANT_UPDATE_HYBRID
                       ? count_upper_nodes(body->shape, body->eager_levels)
                       : 1;
    body->eager_size = nodes * pli_body_node_size(body);
}

static size_t mark_count(const pliant_body *body)
{
    return (size_t)body->shape->node_count + body->shape->cluster_count;
}

static size_t opened_size(const pliant_body *body)
{
    return mark_count(body) * sizeof *body->opened;
}

/* Stores checked settings. */
static pliant_result adopt_settings(pliant_body *body, pliant_update update, uint32_t eager_levels,
                                    uint32_t lazy_levels)
{
    bool fronts = update == PLIANT_UPDATE_FRONT ||
                  (update == PLIANT_UPDATE_AUTO && automatic_update(body) == PLIANT_UPDATE_FRONT);
    if (fronts && body->opened == NULL) {
        body->opened = pli_allocate(body->context, opened_size(body));
        if (body->opened == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        for (size_t n = 0; n < mark_count(body); n++) {
            atomic_init(&body->opened[n], 0);
        }
    }
    pli_body_forget(body); /* records of the old strategy are as good, but lie in its block */
    body->asked = update;
    body->eager_asked = eager_levels;
    body->lazy_levels = lazy_levels;
    pli_body_adopt_update(body);
    return PLIANT_OK;
}

static pli_positions view_positions(const pliant_shape *shape, const float *first, size_t stride)
{
    pli_positions positions = {first, stride, shape->vertex_count - 1};
    return positions;
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
        .context = shape->context,
        .kernels = pli_context_kernels(shape->context)->vertex,
        .model_kernels = pli_context_kernels(shape->context)->model,
        .by_positions = !pli_shape_has_coefficients(shape),
        .coherent = def->coherent && shape->block->model.mode_count > 0 &&
                    !shape->block->model.has_influences,
        .user = def->user,
        .positions = view_positions(shape, shape->positions, 3 * sizeof(float)),
    };
    pli_shape_join(shape);
    pli_context_join(shape->context, PLI_OBJECT_BODY);
    created->arena.counts = &created->counts;
    pli_boxes_clear(&created->top.box);
    pliant_result result = pli_body_create_pose(created);
    if (result == PLIANT_OK) {
        result = adopt_settings(created, def->update, def->eager_levels, def->lazy_levels);
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
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = create(shape, def, body);
        pli_float_env_leave(env);
    }
    return result;
}

static size_t copy_size(const pliant_body *body)
{
    return 3 * (size_t)body->shape->vertex_count * sizeof(float);
}

static void free_body(pliant_body *body)
{
    pliant_context *context = body->context;
    const pliant_shape *shape = body->shape;
    pli_body_forget(body);
    release_eager_block(body);
    pli_release(context, body->copy, copy_size(body));
    pli_release(context, body->opened, opened_size(body));
    pli_body_release_pose(body);
    pli_release(context, body, sizeof *body);
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
    free_body(body);
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

void *pliant_body_get_user(const pliant_body *body)
{
    return body != NULL ? body->user : NULL;
}

const pliant_shape *pliant_body_get_shape(const pliant_body *body)
{
    return body != NULL ? body->shape : NULL;
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

static pliant_result check_stride(size_t *stride, uint32_t count)
{
    if (*stride == 0) {
        *stride = 3 * sizeof(float);
    }
    size_t bytes = 0;
    if (*stride < 3 * sizeof(float) || *stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 12 on", *stride);
    }
    if (!pli_size_multiply(*stride, count, &bytes) || bytes > PTRDIFF_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%u positions, %zu bytes apart", count, *stride);
    }
    return PLIANT_OK;
}

static pliant_result check_finite(pli_positions positions, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        const float *p = pli_position(positions, v);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %u: coordinate %c is %f", v,
                                "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

/* Whether a body may be given by positions. */
static pliant_result check_by_positions(const pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    if (model->mode_count > 0 || model->has_influences) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "positions given to a body whose shape has %u modes and %u joints; set its "
                        "coordinates and transforms",
                        model->mode_count, model->joint_count);
    }
    return PLIANT_OK;
}

/*
 * Checks finite positions under the body's transform, if it has one: *pose is the body's for them.
 * The largest coordinate decides, as for all bodies with models, so that what is refused depends
 * neither on the tree nor on the strategy; pose->local keeps it for later transforms.
 */
static pliant_result measure_positions(const pliant_body *body, pli_positions positions,
                                       pli_pose *pose)
{
    *pose = body->pose;
    if (!pose->moved) {
        return PLIANT_OK;
    }
    float most = 0.0f;
    for (uint32_t v = 0; v < body->shape->vertex_count; v++) {
        const float *p = pli_position(positions, v);
        for (int k = 0; k < 3; k++) {
            most = fabsf(p[k]) > most ? fabsf(p[k]) : most;
        }
    }
    pose->local = (double)most + (double)body->shape->block->model.error;
    return pli_pose_measure(body->shape, pose);
}

/* The body is given by positions from now on. */
static void adopt_positions(pliant_body *body, pli_positions positions, const pli_pose *pose)
{
    body->positions = positions;
    body->pose = *pose;
    body->valid = true;
    pli_body_forget(body);
    if (!body->by_positions) {
        body->by_positions = true;
        pli_body_adopt_update(body);
    }
}

static PLI_NOINLINE pliant_result set_positions(pliant_body *body, pli_positions given)
{
    uint32_t count = body->shape->vertex_count;
    pli_pose pose;
    pliant_result result = check_finite(given, count);
    if (result == PLIANT_OK) {
        result = measure_positions(body, given, &pose);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (body->copy == NULL) {
        body->copy = pli_allocate(body->context, copy_size(body));
        if (body->copy == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    for (uint32_t v = 0; v < count; v++) {
        memcpy(body->copy + 3 * (size_t)v, pli_position(given, v), 3 * sizeof(float));
    }
    adopt_positions(body, view_positions(body->shape, body->copy, 3 * sizeof(float)), &pose);
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result share_positions(pliant_body *body, pli_positions given)
{
    pli_pose pose;
    pliant_result result =
        body->pose.moved ? check_finite(given, body->shape->vertex_count) : PLIANT_OK;
    if (result == PLIANT_OK) {
        result = measure_positions(body, given, &pose);
    }
    if (result == PLIANT_OK) {
        adopt_positions(body, given, &pose);
    }
    return result;
}

/* What setting and sharing have in common: `adopt` is one of the two functions above, for `call`.
 */
static pliant_result take_positions(pliant_body *body, const float *positions, size_t stride,
                                    pliant_result (*adopt)(pliant_body *, pli_positions),
                                    const char *call)
{
    pliant_result result = pli_body_check_idle(body, call);
    if (result == PLIANT_OK) {
        result = check_by_positions(body);
    }
    if (result == PLIANT_OK) {
        result = check_stride(&stride, body->shape->vertex_count);
    }
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = adopt(body, view_positions(body->shape, positions, stride));
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_body_set_positions(pliant_body *body, const float *positions, size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    return take_positions(body, positions, stride, set_positions, __func__);
}

pliant_result pliant_body_share_positions(pliant_body *body, const float *positions, size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    return take_positions(body, positions, stride, share_positions, __func__);
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
    return result == PLIANT_OK ? pli_body_refresh_all(body, &body->top, 0, 0) : result;
}

pliant_result pliant_body_prepare(pliant_body *body)
{
    PLI_REQUIRE(body);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = prepare(body);
    pli_float_env_leave(env);
    return result;
}

void pli_body_vertex(const pliant_body *body, uint32_t vertex, float position[3])
{
    if (pli_body_has_coefficients(body)) {
        pli_evaluate_vertex(body->shape, &body->pose, vertex, position);
        return;
    }
    const float *p = pli_position(body->positions, vertex);
    memcpy(position, p, 3 * sizeof *p);
    if (body->pose.moved) {
        pli_transform_point(body->pose.transforms, p, position);
        for (int k = 0; k < 3; k++) {
            position[k] += 0.0f; /* -0 becomes 0 */
        }
    }
}

static PLI_NOINLINE void evaluate(const pliant_body *body, const uint32_t *vertices, uint32_t count,
                                  float *positions)
{
    if (pli_body_has_coefficients(body)) {
        pli_evaluate_vertices(body->shape, &body->pose, vertices, count, positions);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        pli_body_vertex(body, vertices != NULL ? vertices[i] : i, positions + 3 * (size_t)i);
    }
}

pliant_result pliant_body_evaluate(const pliant_body *body, const uint32_t *vertices,
                                   uint32_t count, float *positions)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    uint32_t limit = body->shape->vertex_count;
    if (vertices == NULL && count > limit) {
        return pli_fail(PLIANT_ERROR_RANGE, "%u vertices asked for; the shape has %u", count,
                        limit);
    }
    for (uint32_t i = 0; i < count && vertices != NULL; i++) {
        if (vertices[i] >= limit) {
            return pli_fail(PLIANT_ERROR_RANGE, "entry %u asks for vertex %u of %u", i, vertices[i],
                            limit);
        }
    }
    pliant_result result = pli_body_check_valid(body);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        evaluate(body, vertices, count, positions);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_body_memory pliant_body_get_memory(const pliant_body *body)
{
    pliant_body_memory memory = {0, 0};
    if (body != NULL) {
        memory.positions = body->copy != NULL ? copy_size(body) : 0;
        memory.bounds = sizeof *body + body->page_count * PLI_PAGE_SIZE +
                        (body->eager_block != NULL ? eager_block_size(body) : 0) +
                        (body->opened != NULL ? opened_size(body) : 0) + pli_body_pose_memory(body);
    }
    return memory;
}

#ifdef PLI_DEBUG
/* The records below one mirror the shape's tree: nothing where there is no child, and nothing
   half made. */
static bool are_records_valid(const pliant_body *body, const pli_node_record *record, uint32_t node)
{
    const pli_node *constant = &body->shape->nodes[node];
    bool valid = constant->child_count <= PLI_WIDTH;
    for (uint32_t lane = 0; lane < PLI_WIDTH && valid; lane++) {
        const void *below = record->child[lane];
        uint32_t child = constant->child[lane];
        if (lane >= constant->child_count) {
            valid = below == NULL && record->box.side[0][lane] > record->box.side[3][lane];
        } else if (below != NULL) {
            valid = below != PLI_CLAIMED;
            valid = valid && (child & PLI_CLUSTER_BIT || are_records_valid(body, below, child));
        }
    }
    return valid;
}
#endif

void pli_body_forget(pliant_body *body)
{
    PLI_ASSERT_VALID(!body->ready || are_records_valid(body, body->top.child[0], 0));
    if (body->automatic && body->ready) {
        pli_adapt_eager_levels(body);
    }
    if (body->opened != NULL && body->ready) {
        pli_shift_front(body);
    }
    body->counts_before = body->counts;
    body->state++;
    pli_pages_return(body->context, body->pages);
    body->pages = NULL;
    body->page_count = 0;
    body->top.child[0] = NULL;
    body->ready = false;
    body->arena.next = body->eager_block;
    body->arena.end = body->eager_block != NULL ? body->eager_block + body->eager_size : NULL;
}

/* Adds a page to the body's list; several workers may do so at once. */
static bool add_page(pliant_body *body, pli_arena *arena)
{
    pli_page *page = pli_page_take(body->context, arena->worker);
    if (page == NULL) {
        return false;
    }
    pli_page *head = body->pages;
    do {
        page->next = head;
    } while (!atomic_compare_exchange_weak(&body->pages, &head, page));
    body->page_count++;
    arena->next = page->memory;
    arena->end = page->memory + PLI_PAGE_SIZE - PLI_RECORD_SLACK;
    return true;
}

/* Where the next records come from, once `next` has reached `end`. */
static bool extend_arena(pliant_body *body, pli_arena *arena)
{
    if (arena != &body->arena || body->eager_block != NULL || body->eager_size == 0) {
        return add_page(body, arena);
    }
    body->eager_block = pli_allocate(body->context, eager_block_size(body));
    arena->next = body->eager_block;
    arena->end = body->eager_block != NULL ? arena->next + body->eager_size : NULL;
    return body->eager_block != NULL;
}

void *pli_body_allocate_record(pliant_body *body, pli_arena *arena, size_t size)
{
    while ((size_t)(arena->end - arena->next) < size) {
        if (!extend_arena(body, arena)) {
            return NULL;
        }
    }
    PLI_ASSERT(size % PLI_ALIGNMENT == 0 && arena->counts != NULL);
    char *record = arena->next;
    arena->next += size;
    /* Records of many bodies are far from the cache since the last step: fetch what comes next. */
    for (size_t i = 0; i < size && i < (size_t)(arena->end - arena->next); i += PLI_ALIGNMENT) {
        __builtin_prefetch(arena->next + i, 1, 2);
    }
    return record;
}
