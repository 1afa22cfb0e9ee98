/*
 * Which proxies of two bodies meet, where spheres are all that both are compared by.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004, section 3.5: traversal of bounded depth.
 *
 * Ours: eight children against eight at once, out of a small table (sphere_table.h) instead of
 * records of the bodies, so that a step over many bodies stays in the cache; and children
 * against the other sphere as a whole first, which spares most of the other's children. Spheres of
 * nodes are widened by what rounding may do to those below them; see proxy_lanes.c.
 *
 * It is no use of query/walk.c, though it shares its run and its results: that one asks bodies for
 * records and opens children through their parents' records, and making records of many bodies that
 * barely touch costs more memory traffic than the whole walk does here.
 */
#include "proxies.h"

#include "bounds/boxes.h"
#include "query/sphere_table.h"
#include "shape/shape.h"

typedef pli_sphere_item item;

/* The walk goes no deeper than that at once, whatever the trees are: what lies below is put aside
   for later, so that the stack which the walk needs is known. Few trees are as deep. */
enum { MOST_LEVELS = 64 };

/* What a sphere was opened into: some lanes of a set of siblings. */
typedef struct item_set {
    uint32_t siblings;
    unsigned used; /* bit l: lane l is among them */
    const pli_spheres *spheres;
} item_set;

#define NO_SIBLINGS UINT32_MAX

bool pli_proxy_walk_is_round(const pli_proxy_walk *proxy)
{
    for (int s = 0; s < 2; s++) {
        if (!proxy->side[s].spheres || !proxy->side[s].proxies || proxy->side[s].body->coherent) {
            return false;
        }
    }
    return true;
}

/* The siblings below a sphere; NO_SIBLINGS below a proxy. */
static uint32_t siblings_below(const pliant_shape *shape, const item *i)
{
    if (i->siblings >= shape->node_count) {
        return NO_SIBLINGS;
    }
    uint32_t child = shape->nodes[i->siblings].child[i->lane];
    if (pli_child_triangles(shape, child) <= shape->block->model.proxy_triangles) {
        return NO_SIBLINGS;
    }
    return child & PLI_CLUSTER_BIT ? shape->node_count + (child & ~PLI_CLUSTER_BIT) : child;
}

/* The lanes in which there are siblings. */
static unsigned sibling_lanes(const pliant_shape *shape, uint32_t siblings)
{
    return siblings < shape->node_count
               ? pli_child_lanes(&shape->nodes[siblings])
               : pli_cluster_leaves(&shape->clusters[siblings - shape->node_count]);
}

static item take_item(uint32_t siblings, const pli_spheres *spheres, uint32_t lane)
{
    return (item){siblings,
                  lane,
                  {spheres->centre[0][lane], spheres->centre[1][lane], spheres->centre[2][lane]},
                  spheres->radius[lane]};
}

static pliant_proxy item_proxy(const pliant_shape *shape, const item *i)
{
    return i->siblings < shape->node_count
               ? pli_proxy_of_child(shape, shape->nodes[i->siblings].child[i->lane])
               : pli_proxy_of_leaf(shape, i->siblings - shape->node_count, i->lane);
}

static pli_ball item_ball(const item *i)
{
    return (pli_ball){.centre = {i->centre[0], i->centre[1], i->centre[2]},
                      .radius = (double)i->radius,
                      .round = true};
}

/* The contact of two proxies, if they meet; or of two spheres for all that is below them. */
static pliant_result add_items(pli_proxy_walk *proxy, const item pair[2], uint32_t flags)
{
    pli_ball a = item_ball(&pair[0]), b = item_ball(&pair[1]);
    if (flags == 0 && !pli_balls_meet(&a, &b)) {
        return PLIANT_OK;
    }
    pliant_proxy_contact contact = {.a = item_proxy(proxy->side[0].body->shape, &pair[0]),
                                    .b = item_proxy(proxy->side[1].body->shape, &pair[1]),
                                    .flags = flags};
    pli_contact_balls(&a, &b, &contact);
    return pli_proxy_add(proxy, &contact);
}

static pliant_result put_aside(pli_proxy_walk *proxy, const item pair[2])
{
    pli_worker *worker = proxy->walk.run.worker;
    bool done = PLI_PUSH(worker->context, &worker->aside, (pli_sphere_pair){{pair[0], pair[1]}});
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static pliant_result meet(pli_proxy_walk *proxy, const item pair[2], unsigned level);

/* What two spheres were opened into. A side that was not, and whose spheres are NULL, stays as it
   is in `pair`, in the place of its lane 0. */
static pliant_result compare(pli_proxy_walk *proxy, const item_set set[2], const item pair[2],
                             unsigned level)
{
    uint64_t mask = pli_spread_lanes(set[0].used, set[1].used);
    const pli_spheres *a = set[0].spheres, *b = set[1].spheres;
    if (a != NULL && b != NULL) {
        mask &= proxy->walk.kernels->spheres_meet(a, b, proxy->slack);
    }
    if (mask == 0) {
        return PLIANT_OK;
    }
    pli_spheres copy[2]; /* the table forgets what it is not asked for */
    for (int s = 0; s < 2; s++) {
        if (set[s].spheres != NULL) {
            copy[s] = *set[s].spheres;
        }
    }
    pliant_result result = PLIANT_OK;
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        const item next[2] = {
            a != NULL ? take_item(set[0].siblings, &copy[0], bit / PLI_WIDTH) : pair[0],
            b != NULL ? take_item(set[1].siblings, &copy[1], bit % PLI_WIDTH) : pair[1]};
        result = meet(proxy, next, level + 1);
    }
    return result;
}

/* Two spheres that may meet: those below them are compared. A proxy, or a sphere that is much
   smaller than the other, waits. */
static pliant_result meet(pli_proxy_walk *proxy, const item pair[2], unsigned level)
{
    const uint32_t below[2] = {siblings_below(proxy->side[0].body->shape, &pair[0]),
                               siblings_below(proxy->side[1].body->shape, &pair[1])};
    if (below[0] == NO_SIBLINGS && below[1] == NO_SIBLINGS) {
        return add_items(proxy, pair, 0);
    }
    if (pli_run_is_spent(&proxy->walk.run)) {
        proxy->walk.run.complete = false;
        return add_items(proxy, pair, PLIANT_PROXY_COARSE);
    }
    if (level == MOST_LEVELS) {
        return put_aside(proxy, pair);
    }
    proxy->walk.run.tested++;
    item_set set[2];
    for (int s = 0; s < 2; s++) {
        const item *other = &pair[1 - s];
        bool waits =
            below[1 - s] != NO_SIBLINGS && other->radius > PLI_MUCH_LARGER * pair[s].radius;
        if (below[s] == NO_SIBLINGS || waits) {
            set[s] = (item_set){.used = 1};
            continue;
        }
        const pliant_body *body = proxy->side[s].body;
        const pli_spheres *spheres =
            pli_sphere_table_find(proxy->walk.run.worker->spheres.data, body, below[s], s);
        unsigned used =
            sibling_lanes(body->shape, below[s]) &
            proxy->walk.kernels->sphere_meets(other->centre, other->radius, spheres, proxy->slack);
        if (used == 0) {
            return PLIANT_OK;
        }
        set[s] = (item_set){below[s], used, spheres};
    }
    return compare(proxy, set, pair, level);
}

pliant_result pli_proxy_walk_spheres(pli_proxy_walk *proxy)
{
    pli_worker *worker = proxy->walk.run.worker;
    if (!PLI_CREATE(worker->context, &worker->spheres, 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    item_set roots[2];
    const item none[2] = {{.siblings = NO_SIBLINGS}, {.siblings = NO_SIBLINGS}};
    for (int s = 0; s < 2; s++) { /* these have records, since the bodies are prepared */
        pliant_body *body = proxy->side[s].body;
        pli_node_record *root = body->root.child[0];
        roots[s] = (item_set){0, sibling_lanes(body->shape, 0), pli_record_spheres(root)};
    }
    proxy->walk.run.tested++;
    worker->aside.count = 0;
    pliant_result result = compare(proxy, roots, none, 0);
    while (result == PLIANT_OK && worker->aside.count > 0) {
        pli_sphere_pair next = worker->aside.data[--worker->aside.count];
        result = meet(proxy, next.item, 0);
    }
    worker->stats.nodes_tested += proxy->walk.run.tested;
    return result;
}
