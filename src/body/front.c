/*
 * Front update: the nodes that queries opened in the last state are refreshed first, by formula or
 * from their vertices at the front, by merging above it; everything below on demand.
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for Point-Based Animations,
 * Symposium on Point-Based Graphics 2007, section 3.4.
 *
 * The front follows the contact: a node that a query opens joins it for the next state, and one
 * that no query opened leaves it. Ours: where the children of a node of a blended body cost less to
 * bound than the node itself, because far fewer joints matter below, they join it as well.
 * And where a large part of a body was looked at, as of a suit that is worn, clusters join it:
 * their vertices will be needed anyway, and give boxes that are tighter than any formula's. A
 * cluster stays for a few states, because with a tight box it may not be opened where with a loose
 * one it would be.
 */
#include "refresh.h"

#include "bounds/bounds.h"

/* Marks that keep a node in the front, and those that keep a cluster. */
enum { LAST_STATE = 0x02, LAST_STATES = 0x1e };

bool pli_is_in_front(const pliant_body *body, uint32_t child)
{
    size_t place = pli_body_mark_place(body, child);
    unsigned bits = atomic_load_explicit(&body->opened[place], memory_order_relaxed);
    if (child & PLI_CLUSTER_BIT) {
        return body->broad_contact && (bits & LAST_STATES) != 0;
    }
    return (bits & LAST_STATE) != 0;
}

/* Whether bounding the remaining children by coefficients of their own, and merging, is cheaper
 * than one more set of coefficients, this node's, for the sake of those children. */
static bool children_are_cheaper(const pliant_body *body, uint32_t index, unsigned opened)
{
    const pli_node *node = &body->shape->nodes[index];
    uint64_t cost = 0;
    for (uint32_t lane = 0; lane < node->child_count; lane++) {
        if (node->child[lane] & PLI_CLUSTER_BIT) {
            return false;
        }
        cost += opened >> lane & 1 ? 0 : body->shape->coefficients[node->child[lane]].joint_count;
    }
    return cost <= body->shape->coefficients[index].joint_count;
}

/* The lanes of a node that belong to the front. What it goes by stays while a body is refreshed. */
static unsigned front_lanes(pliant_body *body, uint32_t node)
{
    const pli_node *constant = &body->shape->nodes[node];
    unsigned opened = 0;
    for (uint32_t lane = 0; lane < constant->child_count; lane++) {
        opened |= (unsigned)pli_is_in_front(body, constant->child[lane]) << lane;
    }
    if (pli_body_is_blended(body) && children_are_cheaper(body, node, opened)) {
        opened = (1u << constant->child_count) - 1;
    }
    return opened;
}

static pliant_result refresh_front(pliant_body *body, pli_arena *arena, uint32_t node,
                                   pli_node_record **record);

/* Refreshes a child that belongs to the front, and puts its box into its lane. */
static pliant_result refresh_lane(pliant_body *body, pli_arena *arena, uint32_t child,
                                  uint32_t lane, pli_node_record *parent)
{
    if (child & PLI_CLUSTER_BIT) {
        pli_cluster_record *cluster = NULL;
        pliant_result result = pli_refresh_cluster(body, arena, child & ~PLI_CLUSTER_BIT, &cluster);
        if (result == PLIANT_OK) {
            atomic_fetch_add_explicit(PLI_SHARED(uint32_t, &body->front_clusters), 1,
                                      memory_order_relaxed);
            parent->child[lane] = cluster;
            for (int k = 0; k < 6; k++) {
                parent->box.side[k][lane] = cluster->box[k];
            }
        }
        return result;
    }
    pli_node_record *below = NULL;
    pliant_result result = refresh_front(body, arena, child, &below);
    if (result == PLIANT_OK) {
        parent->child[lane] = below;
        pli_boxes_merge(&below->box, &parent->box, lane);
    }
    return result;
}

static pliant_result refresh_front(pliant_body *body, pli_arena *arena, uint32_t node,
                                   pli_node_record **record)
{
    const pli_node *constant = &body->shape->nodes[node];
    unsigned opened = front_lanes(body, node);
    pli_node_record *made = pli_node_record_create(body, arena);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pli_bound_children(body, arena, node, opened, made);
    for (uint32_t lane = 0; lane < constant->child_count && result == PLIANT_OK; lane++) {
        if (opened >> lane & 1) {
            result = refresh_lane(body, arena, constant->child[lane], lane, made);
        }
    }
    if (result == PLIANT_OK) {
        pli_measure_node(body, arena, node, made);
    }
    *record = made;
    return result;
}

pliant_result pli_front_lane(pliant_body *body, pli_arena *arena, uint32_t child, uint32_t lane,
                             pli_node_record *parent)
{
    return refresh_lane(body, arena, child, lane, parent);
}

void pli_shift_front(pliant_body *body)
{
    uint64_t refreshed = body->front_clusters + body->counts.clusters_on_demand -
                         body->counts_before.clusters_on_demand;
    body->broad_contact =
        pli_body_has_coefficients(body) && 4 * refreshed > body->shape->cluster_count;
    body->front_clusters = 0; /* the next state may pass without a root's record */
    /* Clusters' marks are of no use otherwise, and there are many. */
    size_t count =
        body->shape->node_count + (body->broad_contact ? body->shape->cluster_count : (size_t)0);
    for (size_t n = 0; n < count; n++) {
        unsigned bits = atomic_load_explicit(&body->opened[n], memory_order_relaxed);
        atomic_store_explicit(&body->opened[n], (uint8_t)(bits << 1), memory_order_relaxed);
    }
}

pliant_result pli_prepare_front(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    pli_front_begin(body);
    return refresh_front(body, arena, 0, root);
}

void pli_front_begin(pliant_body *body)
{
    body->front_clusters = 0;
}

unsigned pli_front_parts(pliant_body *body)
{
    const pli_node *root = &body->shape->nodes[0];
    unsigned nodes = 0;
    for (uint32_t lane = 0; lane < root->child_count; lane++) {
        nodes |= (unsigned)!(root->child[lane] & PLI_CLUSTER_BIT) << lane;
    }
    return front_lanes(body, 0) & nodes;
}

pliant_result pli_front_bound(pliant_body *body, pli_arena *arena, uint32_t node,
                              pli_node_record *record)
{
    return pli_bound_children(body, arena, node, front_lanes(body, node), record);
}

pliant_result pli_front_refresh(pliant_body *body, pli_arena *arena, uint32_t node, uint32_t lane,
                                pli_node_record *record)
{
    return front_lanes(body, node) >> lane & 1
               ? refresh_lane(body, arena, body->shape->nodes[node].child[lane], lane, record)
               : PLIANT_OK;
}
