/*
 * Which proxies of two bodies meet whose nodes have spheres and nothing else that counts.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004, section 3.5: traversal of bounded depth.
 *
 * Ours: eight children against eight at once, from a small table of rows (sphere_table.h) instead
 * of records of the bodies, so that a step over many bodies stays in the cache. Spheres of nodes
 * are widened by what rounding may do to those below them; see proxy_lanes.c.
 */
#include "proxies.h"

#include "query/boxes.h"
#include "query/sphere_table.h"
#include "shape/proxies.h"

#include <string.h>

/* A sphere: a lane of a row. */
typedef struct item {
    uint32_t row, lane;
    float radius;
} item;

/* Up to eight of them, lanes of one row. */
typedef struct item_set {
    const pli_spheres *spheres;
    uint32_t row;
    unsigned used; /* bit l: lane l is among them */
} item_set;

#define NO_ROW UINT32_MAX

bool pli_proxy_run_is_round(const pli_proxy_run *run)
{
    for (int s = 0; s < 2; s++) {
        if (!run->side[s].spheres || !run->side[s].proxies || run->side[s].body->coherent) {
            return false;
        }
    }
    return true;
}

/* The row of what lies below a sphere; NO_ROW below a proxy. */
static uint32_t row_below(const pliant_shape *shape, const item *i)
{
    if (i->row >= shape->node_count) {
        return NO_ROW;
    }
    uint32_t child = shape->nodes[i->row].child[i->lane];
    if (pli_child_triangles(shape, child) <= shape->block->model.proxy_triangles) {
        return NO_ROW;
    }
    return child & PLI_CLUSTER_BIT ? shape->node_count + (child & ~PLI_CLUSTER_BIT) : child;
}

static item_set set_of_row(const pli_proxy_run *run, int side, uint32_t row)
{
    const pliant_body *body = run->side[side].body;
    const pliant_shape *shape = body->shape;
    unsigned used = row < shape->node_count
                        ? (1u << shape->nodes[row].child_count) - 1
                        : pli_cluster_leaves(&shape->clusters[row - shape->node_count]);
    return (item_set){pli_sphere_table_find(run->query->spheres, body, row, side), row, used};
}

static pliant_proxy item_proxy(const pliant_shape *shape, const item *i)
{
    return i->row < shape->node_count
               ? pli_proxy_of_child(shape, shape->nodes[i->row].child[i->lane])
               : pli_proxy_of_leaf(shape, i->row - shape->node_count, i->lane);
}

static pli_ball item_ball(const pli_proxy_run *run, int side, const item *i)
{
    const pli_spheres *spheres =
        pli_sphere_table_find(run->query->spheres, run->side[side].body, i->row, side);
    pli_ball ball = {.radius = (double)spheres->radius[i->lane], .round = true};
    for (int k = 0; k < 3; k++) {
        ball.centre[k] = spheres->centre[k][i->lane];
    }
    return ball;
}

/* The contact of two spheres, if they meet or stand for others. */
static pliant_result add_items(pli_proxy_run *run, const item pair[2], uint32_t flags)
{
    pli_ball a = item_ball(run, 0, &pair[0]), b = item_ball(run, 1, &pair[1]);
    if (flags == 0 && !pli_balls_meet(&a, &b)) {
        return PLIANT_OK;
    }
    pliant_proxy_contact contact = {.a = item_proxy(run->side[0].body->shape, &pair[0]),
                                    .b = item_proxy(run->side[1].body->shape, &pair[1]),
                                    .flags = flags};
    pli_contact_balls(&a, &b, &contact);
    return pli_proxy_run_add(run, &contact);
}

/* Bit 8 i + j: lane i is among the first, lane j among the second. */
static uint64_t spread_lanes(unsigned first, unsigned second)
{
    uint64_t x = first;
    x = (x | x << 28) & UINT64_C(0x0000000f0000000f);
    x = (x | x << 14) & UINT64_C(0x0003000300030003);
    x = (x | x << 7) & UINT64_C(0x0101010101010101);
    return (x * 0xff) & (UINT64_C(0x0101010101010101) * second);
}

static pliant_result meet(pli_proxy_run *run, const item pair[2]);

/* All pairs of two sets whose spheres may meet. */
static pliant_result compare(pli_proxy_run *run, const item_set set[2])
{
    float slack = run->side[0].slack + run->side[1].slack;
    run->tested++;
    run->query->stats.nodes_tested++;
    uint64_t mask = run->kernels->spheres_meet(set[0].spheres, set[1].spheres, slack) &
                    spread_lanes(set[0].used, set[1].used);
    if (mask == 0) {
        return PLIANT_OK;
    }
    float radius[2][PLI_WIDTH]; /* the table forgets what it is not asked for */
    memcpy(radius[0], set[0].spheres->radius, sizeof radius[0]);
    memcpy(radius[1], set[1].spheres->radius, sizeof radius[1]);
    pliant_result result = PLIANT_OK;
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        uint32_t i = bit / PLI_WIDTH, j = bit % PLI_WIDTH;
        result = meet(run, (item[2]){{set[0].row, i, radius[0][i]}, {set[1].row, j, radius[1][j]}});
    }
    return result;
}

/* Two spheres that may meet: those below them are compared, unless one is a proxy or much smaller
   and waits. */
static pliant_result meet(pli_proxy_run *run, const item pair[2])
{
    const uint32_t below[2] = {row_below(run->side[0].body->shape, &pair[0]),
                               row_below(run->side[1].body->shape, &pair[1])};
    if (below[0] == NO_ROW && below[1] == NO_ROW) {
        return add_items(run, pair, 0);
    }
    if (pli_proxy_run_is_spent(run)) {
        run->complete = false;
        return add_items(run, pair, PLIANT_PROXY_COARSE);
    }
    item_set set[2];
    for (int s = 0; s < 2; s++) {
        bool waits = below[1 - s] != NO_ROW && //
                     pair[1 - s].radius > PLI_MUCH_LARGER * pair[s].radius;
        if (below[s] != NO_ROW && !waits) {
            set[s] = set_of_row(run, s, below[s]);
        } else {
            set[s] = set_of_row(run, s, pair[s].row);
            set[s].used = 1u << pair[s].lane;
        }
    }
    return compare(run, set);
}

pliant_result pli_proxy_run_walk_spheres(pli_proxy_run *run)
{
    if (run->query->spheres == NULL) {
        run->query->spheres = pli_allocate(run->query->context, sizeof *run->query->spheres);
        if (run->query->spheres == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        memset(run->query->spheres->keys, 0, sizeof run->query->spheres->keys);
    }
    return compare(run, (item_set[2]){set_of_row(run, 0, 0), set_of_row(run, 1, 0)});
}
