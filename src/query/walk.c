#include "walk.h"

#include "base/error.h"
#include "base/context.h"
#include "bounds/boxes.h"
#include "bounds/spheres.h"

/* Of the pairs of a node's children with each other, each once: bits 8 i + j with i <= j. */
#define SELF_PAIRS UINT64_C(0x80c0e0f0f8fcfeff)

void pli_walk_init(pli_walk *walk, pli_worker *worker, pliant_body *a, pliant_body *b,
                   pli_walk_clusters *clusters)
{
    pli_run_init(&walk->run, worker, a, b);
    walk->kernels = pli_context_kernels(worker->context)->pair;
    walk->clusters = clusters;
    walk->leaf = NULL;
    walk->widen = NULL;
    walk->grow = 0.0f;
    walk->spheres = pli_body_has_spheres(a) && pli_body_has_spheres(b);
    walk->apart = 0.0;
    walk->whole[0] = walk->whole[1] = 0;
    walk->opens_roots = false;
    walk->makes_records = true;
}

static inline const pli_boxes *lane_boxes(const pli_walk *walk, int which, pli_node_record *record,
                                          unsigned used, pli_boxes *wider)
{
    if (walk->widen != NULL) {
        return walk->widen(walk, which, record, used, wider);
    }
    if (which == 0 && walk->grow != 0.0f) {
        pli_grow_boxes(record->box.side[0], wider->side[0], PLI_WIDTH, walk->grow);
        return wider;
    }
    return &record->box;
}

pliant_result pli_walk_push_root(pli_walk *walk)
{
    pliant_body *const *body = walk->run.body;
    return pli_run_push(&walk->run, &(pli_task){&body[0]->root, &body[1]->root, 0, 0, 0, 0});
}

pliant_result pli_walk_push_meeting_roots(pli_walk *walk)
{
    pli_boxes wider[2];
    const pli_boxes *a = lane_boxes(walk, 0, &walk->run.body[0]->root, 1, &wider[0]);
    const pli_boxes *b = lane_boxes(walk, 1, &walk->run.body[1]->root, 1, &wider[1]);
    return pli_box_meets(a, 0, b) & 1 ? pli_walk_push_root(walk) : PLIANT_OK;
}

static inline bool is_alone(unsigned used)
{
    return (used & (used - 1)) == 0;
}

/* A lane alone on its side, which is common, takes one row or column of the kernel's work. */
static inline uint64_t boxes_meet(const pli_pair_kernels *kernels, const pli_lanes *a,
                                  const pli_lanes *b)
{
    if (is_alone(a->used)) {
        uint32_t i = (uint32_t)__builtin_ctz(a->used);
        return (uint64_t)(kernels->box_meets(a->boxes, i, b->boxes) & b->used) << (PLI_WIDTH * i);
    }
    if (is_alone(b->used)) {
        uint32_t j = (uint32_t)__builtin_ctz(b->used);
        return pli_spread_lanes(kernels->box_meets(b->boxes, j, a->boxes) & a->used, 1u << j);
    }
    return kernels->boxes_meet(a->boxes->side[0], PLI_WIDTH, b->boxes->side[0], PLI_WIDTH) &
           pli_spread_lanes(a->used, b->used);
}

static inline uint64_t lanes_meet(const pli_walk *walk, const pli_lanes *a, const pli_lanes *b)
{
    uint64_t mask = boxes_meet(walk->kernels, a, b);
    return mask != 0 && a->spheres != NULL && b->spheres != NULL
               ? pli_spheres_filter(mask, a->spheres, b->spheres, walk->apart)
               : mask;
}

uint64_t pli_lanes_meet(const pli_walk *walk, const pli_lanes *a, const pli_lanes *b)
{
    return lanes_meet(walk, a, b);
}

/* What a child was opened into, or the child itself: lanes of a record. */
typedef struct side {
    pli_lanes lanes;
    pli_node_record *record;
    const uint32_t *children; /* by lane */
} side;

/* `opened` is NULL where the child stays closed, and is then in `only`. */
static inline side make_side(const pli_walk *walk, int which, const pli_task *task,
                             pli_node_record *opened, uint32_t only[PLI_WIDTH], pli_boxes *wider)
{
    side s;
    pliant_body *body = walk->run.body[which];
    uint32_t child = which == 0 ? task->child_a : task->child_b;
    uint32_t lane = which == 0 ? task->lane_a : task->lane_b;
    if (opened != NULL) {
        const pli_node *node = &body->nodes[child];
        s.record = opened;
        s.children = node->child;
        s.lanes.used = pli_child_lanes(node);
    } else {
        s.record = which == 0 ? task->parent_a : task->parent_b;
        only[lane] = child;
        s.children = only;
        s.lanes.used = 1u << lane;
    }
    /* The whole body's box has no sphere behind it. */
    bool spheres = walk->spheres && s.record != &body->root;
    s.lanes.boxes = lane_boxes(walk, which, s.record, s.lanes.used, wider);
    s.lanes.spheres = spheres ? pli_record_spheres(s.record) : NULL;
    return s;
}

/* Pushes a pair of children for every bit 8 i + j of the mask. */
static inline pliant_result push_children(pli_walk *walk, uint64_t mask, const side *a,
                                          const side *b)
{
    pli_worker *worker = walk->run.worker;
    pli_task *first = pli_run_reserve(worker, PLI_WIDTH * PLI_WIDTH), *task = first;
    if (first == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (; mask != 0; mask &= mask - 1, task++) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        uint32_t i = bit / PLI_WIDTH, j = bit % PLI_WIDTH;
        PLI_ASSERT(a->lanes.used >> i & 1 && b->lanes.used >> j & 1);
        task->parent_a = a->record;
        task->parent_b = b->record;
        task->child_a = a->children[i];
        task->child_b = b->children[j];
        task->lane_a = i;
        task->lane_b = j;
    }
    worker->tasks.count += (size_t)(task - first);
    return PLIANT_OK;
}

/* Compares what the two children of a task were opened into. The task is not read once others are
   pushed: they may take its place. */
static pliant_result compare_lanes(pli_walk *walk, const pli_task *task, pli_node_record *opened_a,
                                   pli_node_record *opened_b)
{
    uint32_t only[2][PLI_WIDTH];
    pli_boxes wider[2];
    side a = make_side(walk, 0, task, opened_a, only[0], &wider[0]);
    side b = make_side(walk, 1, task, opened_b, only[1], &wider[1]);
    uint64_t mask = lanes_meet(walk, &a.lanes, &b.lanes);
    if (walk->run.self && task->parent_a == task->parent_b && task->lane_a == task->lane_b) {
        mask &= SELF_PAIRS;
    }
    return mask != 0 ? push_children(walk, mask, &a, &b) : PLIANT_OK;
}

/* Whether two boxes meet, given by their six sides; the first is grown. */
static inline bool sides_meet(const pli_walk *walk, const float *a, size_t stride_a, const float *b,
                              size_t stride_b)
{
    bool meets = true;
    float grown[6];
    if (walk->grow != 0.0f) {
        for (size_t k = 0; k < 3; k++) {
            grown[k] = pli_lower(a[k * stride_a], walk->grow);
            grown[3 + k] = pli_upper(a[(3 + k) * stride_a], walk->grow);
        }
        a = grown;
        stride_a = 1;
    }
    for (size_t k = 0; k < 3; k++) {
        meets = meets && a[k * stride_a] <= b[(3 + k) * stride_b] &&
                b[k * stride_b] <= a[(3 + k) * stride_a];
    }
    return meets;
}

/* Evaluates a task's cluster of body `which`; *meets: it is there, and as far as is known by then
   it meets the box of the other. */
static inline pliant_result reach_cluster(pli_walk *walk, int which, bool modelled,
                                          const pli_task *task, pli_cluster_record **cluster,
                                          bool *meets)
{
    void *record = NULL;
    pliant_result result = pli_run_record(&walk->run, which, task, &record);
    *cluster = record;
    *meets = result == PLIANT_OK && record != NULL; /* else: an error, or the task was deferred */
    if (*meets && modelled) {
        const float *a = &task->parent_a->box.side[0][task->lane_a];
        const float *b = &task->parent_b->box.side[0][task->lane_b];
        *meets = which == 0 ? sides_meet(walk, (*cluster)->box, 1, b, PLI_WIDTH)
                            : sides_meet(walk, a, PLI_WIDTH, (*cluster)->box, 1);
    }
    return result;
}

/*
 * Cluster against cluster. The bound of a cluster of a body with a model is looser than its
 * vertices' box, so that is asked first: before the other cluster is evaluated, and again before
 * boxes of triangles are made. Which of the two comes first must not depend on what happened
 * before, so that counts do not either.
 */
static inline pliant_result meet_clusters(pli_walk *walk, const pli_task *task)
{
    pliant_body *const *body = walk->run.body;
    bool modelled_a = pli_body_has_coefficients(body[0]),
         modelled_b = pli_body_has_coefficients(body[1]);
    bool second_first = modelled_b && !modelled_a, meets = true;
    pli_cluster_record *a = NULL, *b = NULL;
    pliant_result result = PLIANT_OK;
    if (second_first) {
        result = reach_cluster(walk, 1, modelled_b, task, &b, &meets);
    }
    if (meets) {
        result = reach_cluster(walk, 0, modelled_a, task, &a, &meets);
    }
    if (meets && !second_first) {
        result = reach_cluster(walk, 1, modelled_b, task, &b, &meets);
    }
    if (!meets || (modelled_a && modelled_b && !sides_meet(walk, a->box, 1, b->box, 1))) {
        return result;
    }
    pli_finish_cluster(body[0], task->child_a, a);
    pli_finish_cluster(body[1], task->child_b, b);
    return walk->clusters(walk, pli_view_cluster(body[0], task->child_a, a),
                          pli_view_cluster(body[1], task->child_b, b));
}

/* Whether the child of body `which` stays closed because the other, which is a node too, is much
   larger. */
static inline bool waits(const pli_walk *walk, int which, const pli_node_record *parent, float size,
                         float other_size)
{
    return other_size > PLI_MUCH_LARGER * size &&
           !(walk->opens_roots && parent == &walk->run.body[which]->root);
}

/* Compares the two children of a task, or opens them and pushes tasks for what lies below. */
static inline pliant_result step(pli_walk *walk, const pli_task *task)
{
    bool ends_a = task->child_a & PLI_CLUSTER_BIT ||
                  pli_walk_is_whole(walk, 0, task->parent_a, task->child_a);
    bool ends_b = task->child_b & PLI_CLUSTER_BIT ||
                  pli_walk_is_whole(walk, 1, task->parent_b, task->child_b);
    PLI_ASSERT(task->lane_a < PLI_WIDTH && task->lane_b < PLI_WIDTH);
    if (ends_a && ends_b) {
        return walk->leaf == NULL ? meet_clusters(walk, task) : walk->leaf(walk, task);
    }
    float size_a = pli_box_size(&task->parent_a->box, task->lane_a);
    float size_b = pli_box_size(&task->parent_b->box, task->lane_b);
    bool open_a = !ends_a && (ends_b || !waits(walk, 0, task->parent_a, size_a, size_b));
    bool open_b = !ends_b && (ends_a || !open_a || !waits(walk, 1, task->parent_b, size_b, size_a));
    void *record_a = NULL, *record_b = NULL;
    pliant_result result = PLIANT_OK;
    if (open_a) {
        result = pli_run_record(&walk->run, 0, task, &record_a);
    }
    if (open_b && result == PLIANT_OK && (!open_a || record_a != NULL)) {
        result = pli_run_record(&walk->run, 1, task, &record_b);
    }
    if (result != PLIANT_OK || (open_a && record_a == NULL) || (open_b && record_b == NULL)) {
        return result; /* an error, or the task has been deferred */
    }
    return compare_lanes(walk, task, record_a, record_b);
}

pliant_result pli_walk_work(pli_walk *walk)
{
    const pli_task *task = NULL;
    uint64_t before = walk->run.tested;
    pliant_result result = PLIANT_OK;
    while (result == PLIANT_OK && (task = pli_run_pop(&walk->run)) != NULL) {
        result = step(walk, task);
    }
    walk->run.worker->stats.nodes_tested += walk->run.tested - before;
    return result;
}
