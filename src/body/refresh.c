/* Refreshing nodes and clusters of a body, and where their records lie. */
#include "refresh.h"

#include "base/thread.h"
#include "bounds/bounds.h"

#include <math.h>

/* ------------------------------------------------------------ records

   They lie in a block for the eager part, then in pages of the context's pool. */

/* Bytes of the eager block. A cluster comes to lie there where the eager part turns out smaller
   than it was, and what reads one may run past its end. */
static size_t eager_block_size(const pliant_body *body)
{
    const pli_cluster smallest = {.slot_count = 16, .vertex_count = 1};
    bool has_room = body->eager_size >= pli_cluster_record_size(&smallest);
    return body->eager_size + (has_room ? PLI_RECORD_SLACK : 0);
}

void pli_body_release_eager_block(pliant_body *body)
{
    pli_release(body->context, body->eager_block, eager_block_size(body));
    body->eager_block = body->arena.next = body->arena.end = NULL;
}

uint64_t pli_body_record_memory(const pliant_body *body)
{
    return body->page_count * PLI_PAGE_SIZE +
           (body->eager_block != NULL ? eager_block_size(body) : 0);
}

#ifdef PLI_DEBUG
/* The records below one mirror the shape's tree: nothing where there is no child, and nothing
   half made. */
static bool are_records_valid(const pliant_body *body, const pli_node_record *record, uint32_t node)
{
    const pli_node *constant = &body->nodes[node];
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
    PLI_ASSERT_VALID(!body->ready || body->root.child[0] == NULL ||
                     are_records_valid(body, body->root.child[0], 0));
    if (body->rebuild != NULL && body->ready) {
        pli_body_end_state(body);
    }
    if (body->automatic && body->ready) {
        pli_adapt_eager_levels(body);
    }
    if (body->opened != NULL && body->ready) {
        pli_shift_front(body);
    }
    body->counts_before = body->counts;
    body->state++;
    if (body->host != NULL) {
        atomic_store_explicit(&body->host->changed[body->slot], 1, memory_order_relaxed);
    }
    pli_pages_return(body->context, body->pages);
    body->pages = NULL;
    body->page_count = 0;
    body->root_was_opened = body->root.child[0] != NULL;
    body->root.child[0] = NULL;
    body->ready = body->whole_bounded = false;
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

/* ------------------------------------------------------------ refreshing */

/* A non-finite position has been read: names the vertex and takes the body's state away. */
static pliant_result fail_not_finite(pliant_body *body)
{
    body->valid = false;
    for (uint32_t v = 0; v < body->shape->vertex_count; v++) {
        const float *p = pli_position(body->positions, v);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                "shared positions: vertex %u: coordinate %c is %f", v, "xyz"[k],
                                (double)p[k]);
            }
        }
    }
    return pli_fail(PLIANT_ERROR_NOT_FINITE, "shared positions changed while they were read");
}

pliant_result pli_fill_cluster(pliant_body *body, pli_arena *arena, uint32_t cluster,
                               pli_cluster_record *made)
{
    arena->counts->vertices += body->shape->clusters[cluster].vertex_count;
    if (pli_body_has_coefficients(body)) {
        pli_evaluate_cluster(body->kernels, body->model_kernels, body->shape, cluster, &body->pose,
                             made);
    } else if (!pli_refresh_cluster_from_vertices(body->kernels, body->shape, cluster,
                                                  body->positions, pli_body_own_transform(body),
                                                  body->pose.world, body->model_kernels, made)) {
        return fail_not_finite(body);
    }
    return PLIANT_OK;
}

pliant_result pli_refresh_cluster(pliant_body *body, pli_arena *arena, uint32_t cluster,
                                  pli_cluster_record **record)
{
    bool swept = pli_body_is_sweep(body);
    size_t size = pli_cluster_record_size(&body->shape->clusters[cluster]);
    pli_cluster_record *made = pli_body_allocate_record(body, arena, swept ? 2 * size : size);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    arena->counts->clusters++;
    *record = made;
    return swept ? pli_fill_swept_cluster(body, arena, cluster, made)
                 : pli_fill_cluster(body, arena, cluster, made);
}

void pli_box_cluster(const pliant_body *body, uint32_t cluster, pli_cluster_record *record)
{
    uint32_t stage = PLI_EVALUATED;
    if (atomic_compare_exchange_strong_explicit(&record->stage, &stage, PLI_BOXING,
                                                memory_order_acquire, memory_order_acquire)) {
        const pli_cluster *constant = &body->shape->clusters[cluster];
        body->kernels->bound_triangles(
            constant, body->shape->slot_corners + 3 * (size_t)constant->first_slot, record);
        atomic_store_explicit(&record->stage, PLI_BOXED, memory_order_release);
    }
    while (stage ==
           PLI_BOXING) { /* another worker is at it; that takes a fraction of a microsecond */
        pli_thread_yield();
        stage = atomic_load_explicit(&record->stage, memory_order_acquire);
    }
}

pli_node_record *pli_node_record_create(pliant_body *body, pli_arena *arena)
{
    pli_node_record *made = pli_body_allocate_record(body, arena, pli_body_node_size(body));
    if (made != NULL) {
        pli_boxes_clear(&made->box);
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            atomic_init(&made->child[lane], NULL);
        }
        arena->counts->nodes++;
    }
    return made;
}

/*
 * A box moved by a transform: it holds every vertex of the given box as it is evaluated.
 * False if a vertex could overflow, which was ruled out when positions and transform were set, but
 * for the roundings of that check: somebody has changed shared positions.
 */
static bool move_box(const float *rows, pli_boxes *boxes, uint32_t lane)
{
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        const float *row = rows + 4 * a;
        double size = fabs((double)row[3]);
        low[a] = high[a] = (double)row[3];
        for (int k = 0; k < 3; k++) {
            double x = (double)row[k] * (double)boxes->side[k][lane];
            double y = (double)row[k] * (double)boxes->side[3 + k][lane];
            low[a] += fmin(x, y);
            high[a] += fmax(x, y);
            size += fmax(fabs(x), fabs(y));
        }
        if (!(size < 0x1.001p127)) {
            return false;
        }
        double margin = 5.0 * 0x1p-24 * size + 0x1p-140; /* four roundings per vertex */
        low[a] -= margin;
        high[a] += margin;
    }
    for (int a = 0; a < 3; a++) {
        boxes->side[a][lane] = nextafterf((float)low[a], -INFINITY);
        boxes->side[3 + a][lane] = nextafterf((float)high[a], INFINITY);
    }
    return true;
}

pliant_result pli_bound_lane(pliant_body *body, pli_arena *arena, pli_node_record *record,
                             uint32_t lane, uint32_t child)
{
    arena->counts->vertices += pli_child_vertex_count(body->shape, child);
    if (!pli_bound_child_from_vertices(body->kernels, body->shape, child, body->positions,
                                       &record->box, lane)) {
        return fail_not_finite(body);
    }
    const float *own = pli_body_own_transform(body), *world = body->pose.world;
    if ((own != NULL && !move_box(own, &record->box, lane)) ||
        (world != NULL && !move_box(world, &record->box, lane))) {
        body->valid = false;
        return pli_fail(PLIANT_ERROR_RANGE, "shared positions changed after they were shared: the "
                                            "transform takes a vertex beyond 2^127");
    }
    return PLIANT_OK;
}

/* Fills all lanes of a node's record from its coefficients. */
static pliant_result bound_from_coefficients(pliant_body *body, uint32_t node,
                                             pli_node_record *record)
{
    const pliant_shape *shape = body->shape;
    pli_coefficient_view coefficients =
        pli_view_coefficients(shape, node, shape->nodes[node].child_count);
    pli_spheres *spheres = pli_record_spheres(record); /* written only where there is room */
    /* What holds everything is not remembered. */
    if (!body->coherent || body->pose.far_out) {
        pli_bound_children_from_coefficients(body->model_kernels, &coefficients, &body->pose,
                                             &record->box, spheres);
        return PLIANT_OK;
    }
    pli_local_memory *memory = body->memory[node];
    bool fresh = memory == NULL;
    if (fresh) {
        memory = pli_allocate(body->context, sizeof *memory);
        if (memory == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        body->memory[node] = memory; /* only the worker that claimed the node comes here */
    }
    pli_bound_children_coherently(body->model_kernels, &coefficients, &body->pose, body->path,
                                  fresh, memory, &record->box, spheres);
    return PLIANT_OK;
}

pliant_result pli_bound_children(pliant_body *body, pli_arena *arena, uint32_t node,
                                 unsigned merged, pli_node_record *record)
{
    const pli_node *constant = &body->shape->nodes[node];
    unsigned all = (1u << constant->child_count) - 1;
    if (pli_body_is_sweep(body)) {
        return pli_bound_swept_children(body, arena, node, merged, record);
    }
    bool spheres = pli_body_node_size(body) > sizeof *record;
    if (pli_body_has_coefficients(body)) {
        return (merged & all) != all || spheres ? bound_from_coefficients(body, node, record)
                                                : PLIANT_OK;
    }
    pliant_result result = PLIANT_OK;
    for (uint32_t lane = 0; lane < constant->child_count && result == PLIANT_OK; lane++) {
        if (!(merged >> lane & 1)) {
            result = pli_bound_lane(body, arena, record, lane, constant->child[lane]);
        }
    }
    return result;
}

pliant_result pli_refresh_levels(pliant_body *body, pli_arena *arena, uint32_t node,
                                 uint32_t levels, pli_node_record **record)
{
    const pli_node *constant = &body->shape->nodes[node];
    pli_node_record *made = pli_node_record_create(body, arena);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    unsigned merged = 0;
    pliant_result result = PLIANT_OK;
    for (uint32_t lane = 0; lane < constant->child_count && levels > 1; lane++) {
        uint32_t child = constant->child[lane];
        pli_node_record *below = NULL;
        if (child & PLI_CLUSTER_BIT) {
            continue;
        }
        result = pli_refresh_levels(body, arena, child, levels - 1, &below);
        if (result != PLIANT_OK) {
            return result;
        }
        made->child[lane] = below;
        merged |= 1u << lane;
    }
    result = pli_bound_children(body, arena, node, merged, made);
    for (; merged != 0 && result == PLIANT_OK; merged &= merged - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(merged);
        pli_node_record *below = made->child[lane];
        pli_boxes_merge(&below->box, &made->box, lane);
    }
    if (result == PLIANT_OK) {
        pli_measure_node(body, arena, node, made);
    }
    *record = made;
    return result;
}

pliant_result pli_body_check_valid(const pliant_body *body)
{
    return body->valid ? PLIANT_OK
                       : pli_fail(PLIANT_ERROR_STATE,
                                  "the body has no valid state: its shared positions were not "
                                  "finite, or changed after they were shared; set or share "
                                  "positions again");
}

void pli_body_end_parts(pliant_body *body, pli_node_record *root)
{
    body->root.child[0] = root;
    pli_boxes_merge(&root->box, &body->root.box, 0);
    if (body->ends[0] != NULL) {
        pli_clip_swept_root(body);
    }
    body->ready = true;
}

/* The eager part of the body's strategy. */
static pliant_result prepare_eager_part(pliant_body *body)
{
    pli_node_record *root = NULL;
    pliant_result result = pli_prepare_root(body, &body->arena, &root);
    if (result != PLIANT_OK) {
        pli_body_forget(body);
        return result;
    }
    pli_body_end_parts(body, root);
    return PLIANT_OK;
}

pliant_result pli_body_prepare(pliant_body *body)
{
    bool whole_first = pli_body_bounds_whole_first(body);
    pliant_result valid = pli_body_check_valid(body);
    if (valid != PLIANT_OK || (body->ready && (body->whole_bounded || !whole_first))) {
        return valid;
    }
    if (!whole_first) {
        return prepare_eager_part(body);
    }
    pli_bound_whole(body->model_kernels, body->shape, &body->pose, &body->root.box);
    body->ready = body->whole_bounded = true;
    return PLIANT_OK;
}

pliant_result pli_body_prepare_walk(pliant_body *body)
{
    if (body->ready || !pli_body_bounds_whole_first(body) || !body->root_was_opened) {
        return body->ready ? pli_body_check_valid(body) : pli_body_prepare(body);
    }
    return prepare_eager_part(body); /* such a body is always valid */
}

/* Those of the root, which has no extras. */
void pli_body_enclose_vertices(const pliant_body *body, pli_boxes *box)
{
    const pli_vertex_span *all = &body->shape->nodes[0].vertices;
    pli_boxes_clear(box);
    for (uint32_t i = 0; i < all->count; i++) {
        float p[3];
        pli_body_vertex(body, body->shape->vertex_order[all->first + i], p);
        for (int k = 0; k < 3; k++) {
            float *lower = &box->side[k][0], *upper = &box->side[3 + k][0];
            *lower = p[k] < *lower ? p[k] : *lower;
            *upper = p[k] > *upper ? p[k] : *upper;
        }
    }
}

void pli_body_state_box(const pliant_body *body, pli_boxes *box)
{
    if (pli_body_is_sweep(body)) {
        pli_swept_state_box(body, box);
    } else if (pli_body_has_coefficients(body)) {
        pli_bound_whole(body->model_kernels, body->shape, &body->pose, box);
    } else if (body->pose.moved) {
        pli_body_enclose_vertices(body, box);
    } else {
        *box = body->root.box; /* the smallest box of given positions, for every tree */
    }
}

/* Boxes of children reach no farther than that of their parent, which may be tighter. */
static void clip_boxes(const pli_boxes *by, uint32_t lane, pli_boxes *boxes)
{
    for (int k = 0; k < 3; k++) {
        float lower = by->side[k][lane], upper = by->side[3 + k][lane];
        for (int i = 0; i < PLI_WIDTH; i++) {
            float *low = &boxes->side[k][i], *high = &boxes->side[3 + k][i];
            *low = *low > lower ? *low : lower;
            *high = *high < upper ? *high : upper;
        }
    }
}

pliant_result pli_body_refresh_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                     uint32_t lane, uint32_t child, void **record)
{
    if (child & PLI_CLUSTER_BIT) {
        pli_cluster_record *made = NULL;
        pliant_result result = pli_refresh_cluster(body, arena, child & ~PLI_CLUSTER_BIT, &made);
        arena->counts->clusters_on_demand++;
        *record = made;
        return result;
    }
    pli_node_record *made = NULL;
    if (child == 0) { /* the root of a body whose box was bounded first */
        pliant_result result = pli_prepare_root(body, arena, &made);
        if (result == PLIANT_OK) {
            clip_boxes(&parent->box, lane, &made->box);
        }
        *record = made;
        return result;
    }
    uint64_t before = arena->counts->vertices;
    pliant_result result = pli_refresh_levels(body, arena, child, body->lazy_levels, &made);
    arena->counts->vertices_on_demand += arena->counts->vertices - before;
    if (result == PLIANT_OK && pli_body_is_blended(body)) {
        clip_boxes(&parent->box, lane, &made->box);
    }
    *record = made;
    return result;
}

pliant_result pli_body_claim_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                   uint32_t lane, uint32_t child, void **record)
{
    PLI_ATOMIC(void *) *slot = &parent->child[lane];
    void *found = atomic_load_explicit(slot, memory_order_acquire);
    pli_body_mark_opened(body, child);
    if (found == NULL &&
        atomic_compare_exchange_strong_explicit(slot, &found, PLI_CLAIMED, memory_order_acquire,
                                                memory_order_acquire)) {
        pliant_result result = pli_body_refresh_child(body, arena, parent, lane, child, &found);
        atomic_store_explicit(slot, result == PLIANT_OK ? found : NULL, memory_order_release);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    *record = found == PLI_CLAIMED ? NULL : found;
    return PLIANT_OK;
}

pliant_result pli_body_await_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                   uint32_t lane, uint32_t child, void **record)
{
    pliant_result result = pli_body_claim_child(body, arena, parent, lane, child, record);
    while (result == PLIANT_OK && *record == NULL) {
        pli_thread_yield();
        result = pli_body_claim_child(body, arena, parent, lane, child, record);
    }
    return result;
}

pliant_result pli_body_refresh_all(pliant_body *body, pli_node_record *parent, uint32_t lane,
                                   uint32_t child)
{
    void *record = NULL;
    pliant_result result = pli_body_child(body, parent, lane, child, &record);
    if (child & PLI_CLUSTER_BIT) {
        return result;
    }
    const pli_node *node = &body->nodes[child];
    for (uint32_t i = 0; i < node->child_count && result == PLIANT_OK; i++) {
        result = pli_body_refresh_all(body, record, i, node->child[i]);
    }
    return result;
}
