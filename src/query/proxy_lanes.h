/* Up to eight bounds side by side, as a walk over proxies compares them. */
#ifndef PLI_QUERY_PROXY_LANES_H
#define PLI_QUERY_PROXY_LANES_H

#include "query/proxies.h"

typedef struct pli_lane_set {
    pli_lanes lanes;          /* as they are compared */
    const pli_boxes *own;     /* as they are in a record */
    pli_cluster_view cluster; /* whose triangles the lanes hold; record NULL: they are proxies */
    uint32_t leaves_of;       /* the cluster whose leaves the lanes are */
    uint32_t child;           /* the child that the only lane is, or PLI_LANES_ARE_LEAVES */
    pli_boxes widened;
} pli_lane_set;

#define PLI_LANES_ARE_LEAVES UINT32_MAX

/* The lanes of a record whose bits are set in `used`. */
void pli_lanes_of_record(const pli_proxy_side *side, pli_node_record *record, unsigned used,
                         pli_lane_set *set);

/* The boxes by which lanes of a record are compared. */
pli_walk_widen pli_lanes_widen;

/* The leaves of a task's cluster of side `which`, as proxies or as holders of triangles. */
pliant_result pli_lanes_of_cluster(pli_proxy_walk *proxy, int which, const pli_task *task,
                                   pli_lane_set *set);

/* A lane of a set as a sphere. */
pli_ball pli_lane_ball(const pli_proxy_side *side, const pli_lane_set *set, uint32_t lane);

#endif
