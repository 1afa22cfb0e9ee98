#include "refresh.h"

#include <math.h>

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

pliant_result pli_refresh_cluster(pliant_body *body, pli_room *room, uint32_t cluster,
                                  pli_cluster_record **record)
{
    const pli_cluster *constant = &body->shape->clusters[cluster];
    pli_cluster_record *made =
        pli_body_allocate_record(body, room, pli_cluster_record_size(constant));
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    room->counts->clusters++;
    room->counts->vertices += constant->vertex_count;
    if (!pli_refresh_cluster_from_vertices(body->kernels, body->shape, cluster, body->positions,
                                           made)) {
        return fail_not_finite(body);
    }
    *record = made;
    return PLIANT_OK;
}

pli_node_record *pli_node_record_create(pliant_body *body, pli_room *room)
{
    pli_node_record *made = pli_body_allocate_record(body, room, sizeof *made);
    if (made != NULL) {
        pli_boxes_clear(&made->box);
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            atomic_init(&made->child[lane], NULL);
        }
        room->counts->nodes++;
    }
    return made;
}

/* Fills one lane of a record from the vertices of that child. */
static pliant_result bound_lane(pliant_body *body, pli_room *room, pli_node_record *record,
                                uint32_t lane, uint32_t child)
{
    room->counts->vertices += pli_child_vertex_count(body->shape, child);
    return pli_bound_child_from_vertices(body->kernels, body->shape, child, body->positions,
                                         &record->box, lane)
               ? PLIANT_OK
               : fail_not_finite(body);
}

pliant_result pli_refresh_levels(pliant_body *body, pli_room *room, uint32_t node, uint32_t levels,
                                 pli_node_record **record)
{
    const pli_node *constant = &body->shape->nodes[node];
    pli_node_record *made = pli_node_record_create(body, room);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t lane = 0; lane < constant->child_count; lane++) {
        uint32_t child = constant->child[lane];
        pliant_result result = PLIANT_OK;
        if (levels > 1 && !(child & PLI_CLUSTER_BIT)) {
            pli_node_record *below = NULL;
            result = pli_refresh_levels(body, room, child, levels - 1, &below);
            if (result == PLIANT_OK) {
                made->child[lane] = below;
                pli_boxes_merge(&below->box, &made->box, lane);
            }
        } else {
            result = bound_lane(body, room, made, lane, child);
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    *record = made;
    return PLIANT_OK;
}

static pliant_result prepare_root(pliant_body *body, pli_node_record **root)
{
    switch (body->update) {
    case PLIANT_UPDATE_BOTTOM_UP:
        return pli_prepare_bottom_up(body, root);
    case PLIANT_UPDATE_TOP_DOWN:
        return pli_prepare_top_down(body, root);
    case PLIANT_UPDATE_AUTO:
    case PLIANT_UPDATE_HYBRID:
        break;
    }
    return pli_prepare_hybrid(body, root);
}

pliant_result pli_body_prepare(pliant_body *body)
{
    if (!body->valid) {
        return pli_fail(PLIANT_ERROR_STATE,
                        "the body has no valid state: its shared positions were "
                        "not finite; set or share positions again");
    }
    if (body->ready) {
        return PLIANT_OK;
    }
    pli_node_record *root = NULL;
    pliant_result result = prepare_root(body, &root);
    if (result != PLIANT_OK) {
        pli_body_forget(body);
        return result;
    }
    body->top.child[0] = root;
    pli_boxes_merge(&root->box, &body->top.box, 0);
    body->ready = true;
    return PLIANT_OK;
}

pliant_result pli_body_refresh_child(pliant_body *body, pli_room *room, uint32_t child,
                                     void **record)
{
    if (child & PLI_CLUSTER_BIT) {
        pli_cluster_record *made = NULL;
        pliant_result result = pli_refresh_cluster(body, room, child & ~PLI_CLUSTER_BIT, &made);
        room->counts->clusters_on_demand++;
        *record = made;
        return result;
    }
    pli_node_record *made = NULL;
    uint64_t before = room->counts->vertices;
    pliant_result result = pli_refresh_levels(body, room, child, body->lazy_levels, &made);
    room->counts->vertices_on_demand += room->counts->vertices - before;
    *record = made;
    return result;
}

pliant_result pli_body_claim_child(pliant_body *body, pli_room *room, pli_node_record *parent,
                                   uint32_t lane, uint32_t child, void **record)
{
    _Atomic(void *) *slot = &parent->child[lane];
    void *found = atomic_load_explicit(slot, memory_order_acquire);
    if (found == NULL &&
        atomic_compare_exchange_strong_explicit(slot, &found, PLI_CLAIMED, memory_order_acquire,
                                                memory_order_acquire)) {
        pliant_result result = pli_body_refresh_child(body, room, child, &found);
        atomic_store_explicit(slot, result == PLIANT_OK ? found : NULL, memory_order_release);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    *record = found == PLI_CLAIMED ? NULL : found;
    return PLIANT_OK;
}

pliant_result pli_body_refresh_all(pliant_body *body, pli_node_record *parent, uint32_t lane,
                                   uint32_t child)
{
    void *record = NULL;
    pliant_result result = pli_body_child(body, parent, lane, child, &record);
    if (child & PLI_CLUSTER_BIT) {
        return result;
    }
    const pli_node *node = &body->shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count && result == PLIANT_OK; i++) {
        result = pli_body_refresh_all(body, record, i, node->child[i]);
    }
    return result;
}
