/*
 * Which proxies of two bodies meet.
 * Based on: D. L. James, D. K. Pai, BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models, SIGGRAPH 2004, section 3.5: traversal of bounded depth.
 *
 * Ours: the depth is asked for in triangles per proxy; coarser spheres hold proxies for all
 * coordinates (model/coefficients_sphere.c), so that the answer does not depend on the tree above;
 * a spent budget leaves coarse contacts where it left the walk, so that nothing is lost.
 */
#include "proxy_lanes.h"

#include "bounds/boxes.h"
#include "query/query_kind.h"
#include "shape/shape.h"

static const pliant_proxy_options default_options = {
    .proxies_a = true,
    .proxies_b = true,
    .tag = PLI_TAG(pliant_proxy_options),
};

PLIANT_DEFINE_DEFAULT(pliant_proxy_options)
{
    return default_options;
}

/* --------------------------------------------------------------- contacts */

pliant_result pli_proxy_add(pli_proxy_walk *proxy, const pliant_proxy_contact *contact)
{
    uint64_t key = (uint64_t)contact->a.id << 32 | contact->b.id;
    pli_worker *worker = proxy->walk.run.worker;
    pliant_proxy_contact *place = pli_results_add(worker, worker->results, key, PLI_PROXY_CONTACTS);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = *contact;
    return PLIANT_OK;
}

/* What a lane of a set is called. */
static pliant_proxy lane_proxy(const pli_proxy_side *side, const pli_lane_set *set, uint32_t lane)
{
    return set->child != PLI_LANES_ARE_LEAVES
               ? pli_proxy_of_child(side->body->shape, set->child)
               : pli_proxy_of_leaf(side->body->shape, set->leaves_of, lane);
}

/* All proxies of two sets whose lanes meet; a sphere is made once, however often it is met. */
static pliant_result meet_proxies(pli_proxy_walk *proxy, const pli_lane_set set[2], uint64_t mask)
{
    pli_ball ball[2][PLI_WIDTH];
    unsigned made[2] = {0, 0};
    for (; mask != 0; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        const uint32_t lane[2] = {bit / PLI_WIDTH, bit % PLI_WIDTH};
        for (int s = 0; s < 2; s++) {
            if (!(made[s] >> lane[s] & 1)) {
                ball[s][lane[s]] = pli_lane_ball(&proxy->side[s], &set[s], lane[s]);
                made[s] |= 1u << lane[s];
            }
        }
        const pli_ball *a = &ball[0][lane[0]], *b = &ball[1][lane[1]];
        if (!pli_balls_meet(a, b)) {
            continue;
        }
        pliant_proxy_contact contact = {.a = lane_proxy(&proxy->side[0], &set[0], lane[0]),
                                        .b = lane_proxy(&proxy->side[1], &set[1], lane[1])};
        pli_contact_balls(a, b, &contact);
        pliant_result result = pli_proxy_add(proxy, &contact);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Whether the box of the triangle in a slot meets a box, each widened by the error of the first. */
static bool slot_meets(const pli_cluster_record *record, uint32_t slot, float error,
                       const float lower[3], const float upper[3])
{
    for (size_t k = 0; k < 3; k++) {
        if (pli_below(record->data[k * record->slots + slot], error) > upper[k] ||
            -pli_below(-record->data[(3 + k) * record->slots + slot], error) < lower[k]) {
            return false;
        }
    }
    return true;
}

static unsigned leaf_slots(const pli_cluster *cluster, uint32_t leaf)
{
    return (unsigned)(cluster->live >> (PLI_WIDTH * leaf) & 0xff);
}

/* A proxy of side `which` and the triangles of a leaf of the other. */
static pliant_result meet_triangles(pli_proxy_walk *proxy, const pli_lane_set set[2],
                                    const uint32_t lane[2], int which)
{
    const pli_proxy_side *side = &proxy->side[which], *other = &proxy->side[1 - which];
    const pli_lane_set *own = &set[which];
    pli_cluster_view view = set[1 - which].cluster;
    uint32_t leaf = lane[1 - which];
    pli_ball ball = pli_lane_ball(side, own, lane[which]);
    float lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = own->lanes.boxes->side[k][lane[which]];
        upper[k] = own->lanes.boxes->side[3 + k][lane[which]];
    }
    for (unsigned live = leaf_slots(view.cluster, leaf); live != 0; live &= live - 1) {
        uint32_t slot = PLI_WIDTH * leaf + (uint32_t)__builtin_ctz(live);
        if (!slot_meets(view.record, slot, other->error, lower, upper)) {
            continue;
        }
        float corner[3][3];
        pliant_proxy_contact contact = {.flags = 0};
        pli_slot_corners(view, slot, corner);
        proxy->walk.run.worker->stats.triangle_tests++;
        if (!pli_contact_ball_triangle(&ball, (const float(*)[3])corner, (double)other->error,
                                       &contact)) {
            continue;
        }
        pliant_proxy triangle = {pli_slot_triangle(view, slot), 0};
        contact.a = which == 0 ? lane_proxy(side, own, lane[0]) : triangle;
        contact.b = which == 0 ? triangle : lane_proxy(side, own, lane[1]);
        for (int k = 0; k < 3 && which == 1; k++) {
            contact.normal[k] = -contact.normal[k]; /* it points to the sphere, which is b's */
        }
        pliant_result result = pli_proxy_add(proxy, &contact);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* The triangles of two leaves. */
static pliant_result meet_leaves(pli_proxy_walk *proxy, pli_cluster_view a, uint32_t leaf_a,
                                 pli_cluster_view b, uint32_t leaf_b)
{
    double error = (double)proxy->side[0].error + (double)proxy->side[1].error;
    for (unsigned i = leaf_slots(a.cluster, leaf_a); i != 0; i &= i - 1) {
        uint32_t slot_a = PLI_WIDTH * leaf_a + (uint32_t)__builtin_ctz(i);
        float p[3][3], lower[3], upper[3];
        for (size_t k = 0; k < 3; k++) {
            lower[k] =
                pli_below(a.record->data[k * a.record->slots + slot_a], proxy->side[0].error);
            upper[k] = -pli_below(-a.record->data[(3 + k) * a.record->slots + slot_a],
                                  proxy->side[0].error);
        }
        pli_slot_corners(a, slot_a, p);
        for (unsigned j = leaf_slots(b.cluster, leaf_b); j != 0; j &= j - 1) {
            uint32_t slot_b = PLI_WIDTH * leaf_b + (uint32_t)__builtin_ctz(j);
            if (!slot_meets(b.record, slot_b, proxy->side[1].error, lower, upper)) {
                continue;
            }
            float q[3][3];
            pliant_proxy_contact contact = {.a = {pli_slot_triangle(a, slot_a), 0},
                                            .b = {pli_slot_triangle(b, slot_b), 0}};
            pli_slot_corners(b, slot_b, q);
            proxy->walk.run.worker->stats.triangle_tests++;
            if (!pli_contact_triangles((const float(*)[3])p, (const float(*)[3])q, error,
                                       &proxy->walk.run.worker->stats.exact_fallbacks, &contact)) {
                continue;
            }
            pliant_result result = pli_proxy_add(proxy, &contact);
            if (result != PLIANT_OK) {
                return result;
            }
        }
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------------- walk */

/* The leaf of the walk: proxies, leaves of clusters and triangles. */
static pliant_result compare(pli_walk *walk, const pli_task *task)
{
    pli_proxy_walk *proxy = (pli_proxy_walk *)walk;
    pli_lane_set set[2];
    pliant_result result = PLIANT_OK;
    for (int s = 0; s < 2 && result == PLIANT_OK; s++) {
        pli_node_record *parent = s == 0 ? task->parent_a : task->parent_b;
        uint32_t child = s == 0 ? task->child_a : task->child_b;
        if (pli_walk_is_whole(walk, s, parent, child)) {
            uint32_t lane = s == 0 ? task->lane_a : task->lane_b;
            pli_lanes_of_record(&proxy->side[s], parent, 1u << lane, &set[s]);
            set[s].child = child;
        } else {
            result = pli_lanes_of_cluster(proxy, s, task, &set[s]);
            set[s].child = PLI_LANES_ARE_LEAVES;
        }
    }
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t mask = pli_lanes_meet(walk, &set[0].lanes, &set[1].lanes);
    bool triangles_a = set[0].cluster.record != NULL, triangles_b = set[1].cluster.record != NULL;
    if (!triangles_a && !triangles_b) {
        return meet_proxies(proxy, set, mask);
    }
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        const uint32_t pair[2] = {bit / PLI_WIDTH, bit % PLI_WIDTH};
        result = triangles_a && triangles_b
                     ? meet_leaves(proxy, set[0].cluster, pair[0], set[1].cluster, pair[1])
                     : meet_triangles(proxy, set, pair, triangles_a ? 1 : 0);
    }
    return result;
}

/* The contact that stands for all that a task could have led to. */
static pliant_result add_coarse(pli_proxy_walk *proxy, const pli_task *task)
{
    pli_lane_set set[2];
    pli_lanes_of_record(&proxy->side[0], task->parent_a, 1u << task->lane_a, &set[0]);
    pli_lanes_of_record(&proxy->side[1], task->parent_b, 1u << task->lane_b, &set[1]);
    pli_ball a = pli_lane_ball(&proxy->side[0], &set[0], task->lane_a);
    pli_ball b = pli_lane_ball(&proxy->side[1], &set[1], task->lane_b);
    pliant_proxy_contact contact = {
        .a = pli_proxy_of_child(proxy->side[0].body->shape, task->child_a),
        .b = pli_proxy_of_child(proxy->side[1].body->shape, task->child_b),
        .flags = PLIANT_PROXY_COARSE};
    pli_contact_balls(&a, &b, &contact);
    return pli_proxy_add(proxy, &contact);
}

/* Where a budget ends the walk, coarse contacts stand for the tasks that are left. */
static pliant_result walk_records(pli_proxy_walk *proxy)
{
    pli_worker *worker = proxy->walk.run.worker;
    /* Boxes of bodies with spheres may be tighter than these; their children will tell. */
    bool spheres = (proxy->side[0].spheres && proxy->side[0].proxies) ||
                   (proxy->side[1].spheres && proxy->side[1].proxies);
    pliant_result result =
        spheres ? pli_walk_push_root(&proxy->walk) : pli_walk_push_meeting_roots(&proxy->walk);
    if (result == PLIANT_OK) {
        result = pli_walk_work(&proxy->walk);
    }
    while (result == PLIANT_OK && worker->tasks.count > 0) {
        result = add_coarse(proxy, &worker->tasks.data[--worker->tasks.count]);
    }
    return result;
}

static pliant_result work(pli_walk *walk)
{
    pli_proxy_walk *proxy = (pli_proxy_walk *)walk;
    return pli_proxy_walk_is_round(proxy) && !pli_run_is_spent(&walk->run)
               ? pli_proxy_walk_spheres(proxy)
               : walk_records(proxy);
}

/* ---------------------------------------------------------------- the query */

/* A whole body is never left closed: its box is not that of its spheres. */
static bool begin(pli_walk *walk, pli_worker *worker, const pli_comparison *c, const pli_pair *pair)
{
    pli_proxy_walk *proxy = (pli_proxy_walk *)walk;
    (void)c;
    _Static_assert(sizeof *proxy <= PLI_VISITOR_BYTES, "a visitor has room for it");
    if (pair->body[0] == pair->body[1]) {
        return false;
    }
    pli_walk_init(walk, worker, pair->body[0], pair->body[1], NULL);
    walk->leaf = compare;
    walk->opens_roots = true;
    for (int s = 0; s < 2; s++) {
        pliant_body *body = pair->body[s];
        bool proxies = pair->proxies[s];
        proxy->side[s] = (pli_proxy_side){.body = body,
                                          .proxies = proxies,
                                          .spheres = pli_body_has_spheres(body),
                                          .error = body->pose.world_error,
                                          .slack = 4.0f * body->pose.radius_margin};
        walk->whole[s] = proxies ? body->shape->block->model.proxy_triangles : 0;
        if (proxy->side[s].error != 0.0f || (proxies && proxy->side[s].spheres)) {
            walk->widen = pli_lanes_widen;
        }
    }
    walk->apart = (double)proxy->side[0].slack + (double)proxy->side[1].slack;
    proxy->slack = proxy->side[0].slack + proxy->side[1].slack;
    walk->makes_records = !pli_proxy_walk_is_round(proxy);
    return true;
}

static pliant_result plan(pli_comparison *c)
{
    const pliant_proxy_options *options = c->options;
    PLI_REQUIRE_TAG(options, pliant_proxy_options);
    c->plan = (pli_plan){.budget_nodes = options->budget_nodes,
                         .budget_microseconds = options->budget_microseconds,
                         .columns = 1u << PLI_PROXY_CONTACTS,
                         .keeps_order = true};
    return PLIANT_OK;
}

static void adopt(const pliant_scene_options *options, pli_own_options *own)
{
    own->proxies = default_options;
    own->proxies.budget_nodes = options->budget_nodes;
    own->proxies.budget_microseconds = options->budget_microseconds;
}

static void report(const pli_report *from, void *result)
{
    *(pliant_proxy_contacts *)result =
        (pliant_proxy_contacts){.contacts = pli_report_column(from, PLI_PROXY_CONTACTS),
                                .count = from->count,
                                .complete = from->complete};
}

static void report_scene(const pli_report *from, void *result)
{
    *(pliant_scene_proxy_contacts *)result =
        (pliant_scene_proxy_contacts){.bodies = from->bodies,
                                      .body_pair_count = from->body_count,
                                      .contacts = pli_report_column(from, PLI_PROXY_CONTACTS),
                                      .count = from->count,
                                      .complete = from->complete};
}

/* Bodies of a large scene are far from the cache: fetches what the walks to come begin with, their
   second bodies and those bodies' roots. */
static void fetch_ahead(const pliant_scene *scene, uint32_t pair)
{
    enum { BODIES = 8, ROOTS = 4 };
    if (pair + BODIES < scene->pair_count) {
        const pliant_body *body = scene->members.data[pli_pair_b(scene->pairs[pair + BODIES])].body;
        __builtin_prefetch(&body->root.child[0]);
        __builtin_prefetch(&body->shape);
        __builtin_prefetch(&body->pose);
        body = scene->members.data[pli_pair_b(scene->pairs[pair + ROOTS])].body;
        const char *root = atomic_load_explicit(&body->root.child[0], memory_order_relaxed);
        if (root != NULL) { /* NULL until it is opened */
            __builtin_prefetch(root + sizeof(pli_node_record));
            __builtin_prefetch(root + sizeof(pli_node_record) + 64);
        }
    }
}

const pli_query_kind pli_proxies_kind = {.number = PLIANT_RECORDED_COLLIDE_PROXIES,
                                         .defaults = &default_options,
                                         .list_count = 1,
                                         .scene_result_size = sizeof(pliant_scene_proxy_contacts),
                                         .over_budget = "some contacts of proxies are coarse",
                                         .adopt = adopt,
                                         .plan = plan,
                                         .begin = begin,
                                         .work = work,
                                         .report = report,
                                         .report_scene = report_scene,
                                         .fetch_ahead = fetch_ahead};

pliant_result pliant_collide_proxies(pliant_query *query, pliant_body *a, pliant_body *b,
                                     const pliant_proxy_options *options,
                                     pliant_proxy_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(contacts);
    const pliant_proxy_options *asked = options != NULL ? options : &default_options;
    PLI_REQUIRE_TAG(asked, pliant_proxy_options);
    pliant_result result =
        asked->proxies_a ? pli_check_proxies(a->shape, "the first body") : PLIANT_OK;
    if (result == PLIANT_OK && asked->proxies_b) {
        result = pli_check_proxies(b->shape, "the second body");
    }
    return result == PLIANT_OK ? pli_query_bodies(&pli_proxies_kind, __func__, query, a, b, false,
                                                  0.0f, options, contacts)
                               : result;
}

pliant_result pliant_scene_collide_proxies(pliant_scene *scene, const pliant_scene_options *options,
                                           pliant_scene_proxy_contacts *contacts)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(contacts);
    return pli_query_scene(&pli_proxies_kind, __func__, scene, 0.0f, options, contacts);
}
