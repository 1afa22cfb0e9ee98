/*
 * When bounds are refreshed. Queries call the three functions at the end; what they do before and
 * besides depends on the body's update strategy (strategies.c) and never changes an answer.
 */
#ifndef PLI_BODY_REFRESH_H
#define PLI_BODY_REFRESH_H

#include "body/body.h"

/* strategies.c, front.c: what is done before the first query of a state, by the body's strategy and
   by FRONT. Each makes the root's record. */
pliant_result pli_prepare_root(pliant_body *body, pli_arena *arena, pli_node_record **root);
pliant_result pli_prepare_front(pliant_body *body, pli_arena *arena, pli_node_record **root);

/* strategies.c: chooses body->eager_levels for the next state by what happened in this one. */
void pli_adapt_eager_levels(pliant_body *body);

/* front.c: what queries opened in this state is what they opened in the last one from now on. */
void pli_shift_front(pliant_body *body);

/*
 * front.c: the front in parts (see pli_body_begin_parts()). It begins; the lanes of the root that
 * are nodes of the front, each of which gets a record; what bounds the children of the root or of
 * such a node by themselves; and, after all of that, what refreshes a lane of one if it is in
 * front.
 */
void pli_front_begin(pliant_body *body);
unsigned pli_front_parts(pliant_body *body);
pliant_result pli_front_bound(pliant_body *body, pli_arena *arena, uint32_t node,
                              pli_node_record *record);
pliant_result pli_front_refresh(pliant_body *body, pli_arena *arena, uint32_t node, uint32_t lane,
                                pli_node_record *record);

/* A new record for a node, with empty boxes and stale children; NULL when there is no memory. */
pli_node_record *pli_node_record_create(pliant_body *body, pli_arena *arena);

/* Bounds the children of a node by themselves, except lanes whose bits are set in `merged`: those
   will be filled by merging. */
pliant_result pli_bound_children(pliant_body *body, pli_arena *arena, uint32_t node,
                                 unsigned merged, pli_node_record *record);

/*
 * Adds to the arena's counts how large the bounds of a node's children are, once all are there, and
 * were when the tree was cut. Not of sweeps, which hold a whole step, nor above islands, whose
 * tree is not the one that was cut.
 */
static inline void pli_measure_node(const pliant_body *body, pli_arena *arena, uint32_t node,
                                    const pli_node_record *record)
{
    const double most = 0x1p40;
    float sides[PLI_WIDTH];
    const float(*side)[PLI_WIDTH] = record->box.side;
    for (int i = 0; i < PLI_WIDTH; i++) {
        sides[i] =
            (side[3][i] - side[0][i]) + (side[4][i] - side[1][i]) + (side[5][i] - side[2][i]);
        sides[i] = sides[i] > 0.0f ? sides[i] : 0.0f; /* lanes without a child have -infinity */
    }
    double sum = (((double)sides[0] + (double)sides[1]) + ((double)sides[2] + (double)sides[3])) +
                 (((double)sides[4] + (double)sides[5]) + ((double)sides[6] + (double)sides[7]));
    double size = sum * body->shape->cut_scale;
    if (body->ends[1] == NULL && body->shape->cut_scale > 0.0) {
        arena->counts->measured++;
        arena->counts->sizes += size < most ? (uint64_t)size : (uint64_t)most;
        arena->counts->cut_sizes += body->shape->cut_sizes[node];
    }
}

/* strategies.c, front.c: refresh a child of a top node as these strategies do, and put its box into
   its lane; and whether FRONT does so before the first query. */
pliant_result pli_bottom_up_lane(pliant_body *body, pli_arena *arena, uint32_t child, uint32_t lane,
                                 pli_node_record *parent);
pliant_result pli_front_lane(pliant_body *body, pli_arena *arena, uint32_t child, uint32_t lane,
                             pli_node_record *parent);
bool pli_is_in_front(const pliant_body *body, uint32_t child);

/* islands.c: what is done before the first query of a state where the shape has top nodes besides
   the root: all of these get records. */
pliant_result pli_prepare_islands(pliant_body *body, pli_arena *arena, pli_node_record **root);

/* Fills one lane of a record from the vertices of that child. */
pliant_result pli_bound_lane(pliant_body *body, pli_arena *arena, pli_node_record *record,
                             uint32_t lane, uint32_t child);

/*
 * Refreshes `levels` levels below a node (1 or more) into a new record: the children at the lowest
 * of them are bounded from their vertices, those above by merging.
 */
pliant_result pli_refresh_levels(pliant_body *body, pli_arena *arena, uint32_t node,
                                 uint32_t levels, pli_node_record **record);

/* The second stage of a cluster's record: the boxes of its leaves and triangles. */
void pli_box_cluster(const pliant_body *body, uint32_t cluster, pli_cluster_record *record);

static inline void pli_finish_cluster(const pliant_body *body, uint32_t child,
                                      pli_cluster_record *record)
{
    if (atomic_load_explicit(&record->stage, memory_order_acquire) != PLI_BOXED) {
        pli_box_cluster(body, child & ~PLI_CLUSTER_BIT, record);
    }
}

/* Refreshes a cluster into a new record; bodies with models stop after the first stage. */
pliant_result pli_refresh_cluster(pliant_body *body, pli_arena *arena, uint32_t cluster,
                                  pli_cluster_record **record);

/* The same into a record that is there. */
pliant_result pli_fill_cluster(pliant_body *body, pli_arena *arena, uint32_t cluster,
                               pli_cluster_record *record);

/*
 * step.c: the same for a sweep, from both of its ends: boxes hold what they hold at either end. A
 * cluster's record is followed by that of its end; its own vertices are those of the start.
 */
pliant_result pli_bound_swept_children(pliant_body *sweep, pli_arena *arena, uint32_t node,
                                       unsigned merged, pli_node_record *record);
pliant_result pli_fill_swept_cluster(pliant_body *sweep, pli_arena *arena, uint32_t cluster,
                                     pli_cluster_record *record);

/* A blended body's own box, from its joints, is tighter than those of nodes: the box of its sweep
   reaches no farther than those of both ends. */
void pli_clip_swept_root(pliant_body *sweep);

/* The boxes of both ends of a step together, each from its state alone. */
void pli_swept_state_box(const pliant_body *sweep, pli_boxes *box);

static inline pli_cluster_record *pli_swept_end(const pli_cluster *cluster,
                                                pli_cluster_record *record)
{
    return (pli_cluster_record *)(void *)((char *)record + pli_cluster_record_size(cluster));
}

/* Fails, with a sentence, if the body has no valid state. */
pliant_result pli_body_check_valid(const pliant_body *body);

/*
 * Whether the box of the whole body is bounded by itself, from its state alone, and the root's
 * children only when a query opens the root: bodies that meet nothing need no more, and what a body
 * meets in a scene does not depend on what was asked before.
 */
static inline bool pli_body_bounds_whole_first(const pliant_body *body)
{
    return pli_body_is_blended(body) && body->update != PLIANT_UPDATE_BOTTOM_UP;
}

/* Makes sure that body->root is filled. */
pliant_result pli_body_prepare(pliant_body *body);

/* The same for walks, which find a box that was made of the root's record as good: where the root
   was opened in the last state, it will be again. */
pliant_result pli_body_prepare_walk(pliant_body *body);

/*
 * Computes the box of a prepared body, in lane 0, from its state alone (definition D7): the
 * smallest box of given positions, the box from joint boxes of any other body. body->root.box
 * differs with the tree, the strategy and earlier queries.
 */
void pli_body_state_box(const pliant_body *body, pli_boxes *box);

/* The smallest box around all vertices that triangles use. */
void pli_body_enclose_vertices(const pliant_body *body, pli_boxes *box);

/*
 * strategies.c: pli_body_prepare() of a body with the HYBRID or the FRONT strategy in parts, for
 * workers. One worker begins, any of them bound the upper parts, then any refresh the parts, each
 * once. One joins them and ends, or forgets after a failure. Upper parts do nothing but for FRONT.
 */
enum { PLI_BODY_UPPER_PARTS = 1 + PLI_WIDTH, PLI_BODY_PARTS = PLI_WIDTH * PLI_WIDTH };
pliant_result pli_body_bound_upper_part(pliant_body *body, pli_arena *arena, pli_node_record *root,
                                        uint32_t part);
pliant_result pli_body_begin_parts(pliant_body *body, pli_node_record **root);
pliant_result pli_body_refresh_part(pliant_body *body, pli_arena *arena, pli_node_record *root,
                                    uint32_t part);
void pli_body_join_parts(pliant_body *body, pli_node_record *root);
void pli_body_end_parts(pliant_body *body, pli_node_record *root);

/* Makes the records of everything below lane `lane` of a parent's record. */
pliant_result pli_body_refresh_all(pliant_body *body, pli_node_record *parent, uint32_t lane,
                                   uint32_t child);

/* Makes the record of a stale child; `child` is its entry in the shape's tree. */
pliant_result pli_body_refresh_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                     uint32_t lane, uint32_t child, void **record);

/* Remembers, for the FRONT strategy, that a query opened a child. */
static inline void pli_body_mark_opened(pliant_body *body, uint32_t child)
{
    if (body->opened != NULL) {
        PLI_ATOMIC(uint8_t) *mark = &body->opened[pli_body_mark_place(body, child)];
        unsigned bits = atomic_load_explicit(mark, memory_order_relaxed);
        if (!(bits & 1)) {
            atomic_store_explicit(mark, (uint8_t)(bits | 1), memory_order_relaxed);
        }
    }
}

/* The record behind lane `lane` of a parent's record, refreshed if it is stale. A cluster of a body
   with a model may be in its first stage. */
static inline pliant_result pli_body_peek(pliant_body *body, pli_node_record *parent, uint32_t lane,
                                          uint32_t child, void **record)
{
    void *found = atomic_load_explicit(&parent->child[lane], memory_order_acquire);
    pli_body_mark_opened(body, child);
    if (found == NULL) {
        pliant_result result =
            pli_body_refresh_child(body, &body->arena, parent, lane, child, &found);
        if (result != PLIANT_OK) {
            return result;
        }
        atomic_store_explicit(&parent->child[lane], found, memory_order_release);
    }
    *record = found;
    return PLIANT_OK;
}

/* The same, with clusters in both stages. */
static inline pliant_result pli_body_child(pliant_body *body, pli_node_record *parent,
                                           uint32_t lane, uint32_t child, void **record)
{
    pliant_result result = pli_body_peek(body, parent, lane, child, record);
    if (result == PLIANT_OK && child & PLI_CLUSTER_BIT) {
        pli_finish_cluster(body, child, *record);
    }
    return result;
}

/*
 * pli_body_peek() where other workers may ask for the same child: one of them claims it, makes the
 * record in its own arena and publishes it. *record is NULL while another worker is at it.
 */
pliant_result pli_body_claim_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                   uint32_t lane, uint32_t child, void **record);

/*
 * The same for walks whose order matters: waits until the other worker is done, which takes
 * microseconds. Nobody waits while making a record, so whoever is waited for gets there.
 */
pliant_result pli_body_await_child(pliant_body *body, pli_arena *arena, pli_node_record *parent,
                                   uint32_t lane, uint32_t child, void **record);

#endif
