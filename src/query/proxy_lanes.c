/*
 * The bounds that a walk over proxies compares.
 *
 * That spheres hold each other is true of real numbers. Computed in float32, a centre is off by
 * less than an eighth of the margin m that every radius of the body in this state has got
 * (bounds/pose.c), and a radius, at most about 9 times as large as the reach that m is measured by,
 * by less than m. So a node's sphere widened by 2 (1/8 + 1) m holds the computed spheres of the
 * proxies below it. With 4 m its box may be computed in float32 as well.
 */
#include "proxy_lanes.h"

#include "bounds/bounds.h"
#include "bounds/spheres.h"
#include "shape/shape.h"

/* The boxes that spheres take up, with what rounding may have done to them. */
static inline void spread_spheres(const pli_spheres *spheres, float slack, uint32_t first,
                                  uint32_t end, pli_boxes *boxes)
{
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = first; i < end; i++) {
            float radius = spheres->radius[i] + slack;
            boxes->side[k][i] = spheres->centre[k][i] - radius;
            boxes->side[3 + k][i] = spheres->centre[k][i] + radius;
        }
    }
}

static inline void spread_boxes(const pli_boxes *own, float error, uint32_t first, uint32_t end,
                                pli_boxes *boxes)
{
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = first; i < end; i++) {
            boxes->side[k][i] = pli_below(own->side[k][i], error);
            boxes->side[3 + k][i] = -pli_below(-own->side[3 + k][i], error);
        }
    }
}

/* Widens lanes. Boxes of records may be tighter than the spheres, which have to be met where they
   are proxies. */
static inline void widen_lanes(const pli_proxy_side *side, const pli_boxes *own,
                               const pli_spheres *spheres, uint32_t first, uint32_t end,
                               pli_boxes *wider)
{
    if (spheres != NULL && side->proxies) {
        spread_spheres(spheres, side->slack, first, end, wider);
    } else {
        spread_boxes(own, side->error, first, end, wider);
    }
}

static bool is_alone(unsigned used)
{
    return (used & (used - 1)) == 0;
}

/* The boxes by which bounds side by side are compared, of which the lanes in `used` are there. */
static const pli_boxes *widen(const pli_proxy_side *side, const pli_boxes *own,
                              const pli_spheres *spheres, unsigned used, pli_boxes *wider)
{
    if ((spheres == NULL || !side->proxies) && side->error == 0.0f) {
        return own;
    }
    if (is_alone(used)) {
        uint32_t lane = (uint32_t)__builtin_ctz(used);
        widen_lanes(side, own, spheres, lane, lane + 1, wider);
    } else {
        widen_lanes(side, own, spheres, 0, PLI_WIDTH, wider);
    }
    return wider;
}

static const pli_spheres *record_spheres(const pli_proxy_side *side, pli_node_record *record)
{
    return side->spheres && record != &side->body->root ? pli_record_spheres(record) : NULL;
}

const pli_boxes *pli_lanes_widen(const pli_walk *walk, int which, pli_node_record *record,
                                 unsigned used, pli_boxes *wider)
{
    const pli_proxy_side *side = &((const pli_proxy_walk *)walk)->side[which];
    return widen(side, &record->box, record_spheres(side, record), used, wider);
}

/* Fills a set from bounds side by side, of which the lanes in `used` are there. */
static void fill_lanes(const pli_proxy_side *side, const pli_boxes *own, const pli_spheres *spheres,
                       unsigned used, pli_lane_set *set)
{
    set->lanes = (pli_lanes){widen(side, own, spheres, used, &set->widened), spheres, used};
    set->own = own;
    set->cluster.record = NULL;
}

void pli_lanes_of_record(const pli_proxy_side *side, pli_node_record *record, unsigned used,
                         pli_lane_set *set)
{
    fill_lanes(side, &record->box, record_spheres(side, record), used, set);
}

pli_ball pli_lane_ball(const pli_proxy_side *side, const pli_lane_set *set, uint32_t lane)
{
    if (set->lanes.spheres == NULL) {
        float lower[3], upper[3];
        for (int k = 0; k < 3; k++) {
            lower[k] = set->own->side[k][lane];
            upper[k] = set->own->side[3 + k][lane];
        }
        return pli_ball_around(lower, upper, side->error);
    }
    pli_ball ball;
    for (int k = 0; k < 3; k++) {
        ball.centre[k] = set->lanes.spheres->centre[k][lane];
    }
    ball.radius = (double)set->lanes.spheres->radius[lane];
    ball.round = true;
    return ball;
}

/* The bounds of a cluster's leaves without any vertex; NULL when there is no memory. Each side has
   a half of the table, so that what one side looks at stays while the other looks up. */
static const pli_leaf_bounds *leaf_bounds(pli_worker *worker, const pliant_body *body,
                                          uint32_t cluster, int which)
{
    const pliant_shape *shape = body->shape;
    if (!PLI_CREATE(worker->context, &worker->leaf_bounds, PLI_LEAF_BOUNDS)) {
        return NULL;
    }
    uint32_t half = PLI_LEAF_BOUNDS / 2, place = (cluster + body->id * 0x9e3779b1u) % half;
    pli_leaf_bounds *entry = &worker->leaf_bounds.data[(which == 0 ? 0 : half) + place];
    if (entry->body == body->id && entry->cluster == cluster && entry->state == body->state) {
        return entry;
    }
    *entry = (pli_leaf_bounds){.state = body->state, .body = body->id, .cluster = cluster};
    unsigned used = pli_cluster_leaves(&shape->clusters[cluster]);
    pli_coefficient_view view = pli_view_coefficients(shape, (size_t)shape->node_count + cluster,
                                                      32 - (uint32_t)__builtin_clz(used));
    pli_bound_children_from_coefficients(body->model_kernels, &view, &body->pose, &entry->boxes,
                                         &entry->spheres);
    return entry;
}

pliant_result pli_lanes_of_cluster(pli_proxy_walk *proxy, int which, const pli_task *task,
                                   pli_lane_set *set)
{
    const pli_proxy_side *side = &proxy->side[which];
    pli_run *run = &proxy->walk.run;
    uint32_t child = which == 0 ? task->child_a : task->child_b;
    uint32_t cluster = child & ~PLI_CLUSTER_BIT;
    unsigned used = pli_cluster_leaves(&side->body->shape->clusters[cluster]);
    if (side->proxies && pli_body_has_coefficients(side->body)) {
        const pli_leaf_bounds *bounds = leaf_bounds(run->worker, side->body, cluster, which);
        if (bounds == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        fill_lanes(side, &bounds->boxes, side->spheres ? &bounds->spheres : NULL, used, set);
        set->leaves_of = cluster;
        return PLIANT_OK;
    }
    void *record = NULL;
    pliant_result result = pli_run_record(run, which, task, &record);
    if (result == PLIANT_OK) {
        pli_finish_cluster(side->body, child, record);
        fill_lanes(side, &((pli_cluster_record *)record)->leaf_box, NULL, used, set);
        set->leaves_of = cluster;
        if (!side->proxies) {
            set->cluster = pli_view_cluster(side->body, child, record);
        }
    }
    return result;
}
