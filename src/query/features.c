/*
 * Which features of two bodies, or of one, are within a distance: vertices and faces, edges and
 * edges (docs/definition.md, D11). The walk is that of pliant_find_within(). Every vertex and every
 * edge belongs to one triangle (mesh/mesh.h), so that of all pairs of triangles that have a pair of
 * features exactly one has both as its own: there it is looked at, and no list of pairs seen is
 * needed. The boxes of those two triangles hold the features, so the walk comes to them.
 *
 * At each pair of clusters, pairs of features are put together until there are enough for a kernel,
 * which drops what is certainly too far; the others are measured in double. Triangles that touch
 * are found on the way, by what pliant_collide() does.
 */
#include "query/collision.h"
#include "query/near_clusters.h"
#include "query/neighbours.h"

#include "base/float_env.h"
#include "geometry/feature_distance.h"
#include "geometry/triangle_distance.h"
#include "mesh/mesh.h"
#include "query/result.h"

#include <string.h>

enum {
    MOST_PAIRS = 9,                       /* of edges, of two triangles */
    WAITING = PLI_BATCH + MOST_PAIRS + 16 /* and slack for wide loads */
};

/* Vertices of one cluster with faces of another. */
typedef struct waiting_vertices {
    uint32_t count;
    uint8_t vertex[WAITING]; /* its number in the cluster */
    uint8_t slot[WAITING];
} waiting_vertices;

/* Edges of two clusters: [0] of the first, [1] of the second. */
typedef struct waiting_edges {
    uint32_t count;
    uint8_t from[2][WAITING], to[2][WAITING]; /* numbers in the cluster */
    uint8_t edge[2][WAITING];                 /* 4 slot + k */
} waiting_edges;

typedef struct feature_walk {
    pli_collision collision; /* its walk is the first member, as every walk's */
    pli_near near;
    pli_cluster_view view[2]; /* the clusters that are compared */
    pli_near_limit reach;
    waiting_vertices vertices[2]; /* [0]: vertices of the first cluster */
    waiting_edges edges;
} feature_walk;

static const pliant_feature_options default_options = {.tag = PLI_TAG(pliant_feature_options)};

pliant_feature_options pliant_feature_options_default(void)
{
    return default_options;
}

/* ---------------------------------------------------------------- reports */

static uint32_t vertex_name(pli_cluster_view view, uint32_t vertex)
{
    return view.shape->welded[view.shape->cluster_vertices[view.cluster->first_vertex + vertex]];
}

static void vertex_position(pli_cluster_view view, uint32_t vertex, float position[3])
{
    for (size_t k = 0; k < 3; k++) {
        position[k] = pli_cluster_coordinate(view.record, vertex, k);
    }
}

static void face_names(pli_cluster_view view, uint32_t triangle, uint32_t name[3])
{
    for (size_t c = 0; c < 3; c++) {
        name[c] = view.shape->welded[view.shape->triangles[3 * (size_t)triangle + c]];
    }
}

/* Whether a gap is within the distance asked for, or too close to tell. */
static bool is_near(const feature_walk *f, const pli_feature_gap *gap)
{
    double d = (double)f->collision.walk.grow;
    return gap->distance <= d || (d > 0.0 && gap->distance <= d + PLI_DISTANCE_ERROR * gap->spread);
}

/* Adds a pair; `turned`: the gap is of b and a, so that weights and direction are turned around.
   At distance 0 the direction is a normal, and stays. */
static pliant_result add_pair(feature_walk *f, pliant_feature_kind kind, uint32_t a, uint32_t b,
                              const uint32_t vertices[4], const pli_feature_gap *gap, bool turned)
{
    pliant_query *query = f->collision.walk.run.query;
    pliant_feature_pair *pair = pli_feature_lists_add(query->context, &query->features, kind, a, b);
    if (pair == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < 4; i++) {
        int from = turned ? (i + 1) % 4 : i;
        pair->vertices[i] = vertices[from];
        pair->weights[i] = (float)gap->weight[from];
    }
    double sign = turned && gap->distance > 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++) {
        pair->direction[k] = (float)(sign * gap->direction[k]);
    }
    pair->distance = gap->distance;
    return PLIANT_OK;
}

/* A vertex of cluster `of` and a face of the other. */
static pliant_result measure_vertex(feature_walk *f, int of, uint32_t vertex, uint32_t slot)
{
    const pli_run *run = &f->collision.walk.run;
    pli_cluster_view view = f->view[of], other = f->view[1 - of];
    uint32_t triangle = pli_slot_triangle(other, slot), names[4] = {vertex_name(view, vertex)};
    face_names(other, triangle, names + 1);
    if (run->self && (names[0] == names[1] || names[0] == names[2] || names[0] == names[3])) {
        return PLIANT_OK;
    }
    float point[3], face[3][3];
    pli_feature_gap gap;
    vertex_position(view, vertex, point);
    pli_slot_corners(other, slot, face);
    run->query->stats.feature_tests++;
    pli_vertex_face_gap(point, (const float(*)[3])face, &gap, &run->query->stats.exact_fallbacks);
    if (!is_near(f, &gap)) {
        return PLIANT_OK;
    }
    bool turned = of == 1 && !run->self;
    return turned ? add_pair(f, PLIANT_FACE_VERTEX, triangle, names[0], names, &gap, true)
                  : add_pair(f, PLIANT_VERTEX_FACE, names[0], triangle, names, &gap, false);
}

static uint32_t edge_number(pli_cluster_view view, uint8_t edge)
{
    return 3 * pli_slot_triangle(view, edge / 4) + edge % 4;
}

/* Two edges; within one body the lower one comes first, whichever cluster it is of. */
static pliant_result measure_edges(feature_walk *f, uint32_t at)
{
    const pli_run *run = &f->collision.walk.run;
    const waiting_edges *edges = &f->edges;
    uint32_t number[2], names[4];
    for (int i = 0; i < 2; i++) {
        number[i] = edge_number(f->view[i], edges->edge[i][at]);
    }
    bool swap = run->self && number[0] > number[1];
    float end[2][2][3];
    for (int i = 0; i < 2; i++) {
        int from = swap ? 1 - i : i;
        uint32_t first = edges->from[from][at], second = edges->to[from][at];
        names[2 * i] = vertex_name(f->view[from], first);
        names[2 * i + 1] = vertex_name(f->view[from], second);
        vertex_position(f->view[from], first, end[i][0]);
        vertex_position(f->view[from], second, end[i][1]);
    }
    if (run->self && (names[0] == names[2] || names[0] == names[3] || names[1] == names[2] ||
                      names[1] == names[3])) {
        return PLIANT_OK;
    }
    pli_feature_gap gap;
    run->query->stats.feature_tests++;
    pli_edge_edge_gap((const float(*)[3])end[0], (const float(*)[3])end[1], &gap,
                      &run->query->stats.exact_fallbacks);
    return is_near(f, &gap)
               ? add_pair(f, PLIANT_EDGE_EDGE, number[swap], number[!swap], names, &gap, false)
               : PLIANT_OK;
}

/* ------------------------------------------------------------------ batches */

/* Moves what is behind the first `done` of a list to the front. */
static void move_up(uint8_t *list, uint32_t done, uint32_t left)
{
    memmove(list, list + done, left);
}

/* Kernels look up whole registers: what lies behind the pairs must be numbers of this cluster. */
static void pad(uint8_t *list, uint32_t count)
{
    memset(list + count, 0, 16);
}

static pliant_result work_off_vertices(feature_walk *f, int of)
{
    waiting_vertices *waiting = &f->vertices[of];
    uint32_t batch = waiting->count < PLI_BATCH ? waiting->count : PLI_BATCH;
    uint64_t open = pli_first_bits(batch);
    if (f->near.kernels != NULL) {
        pad(waiting->vertex, waiting->count);
        pad(waiting->slot, waiting->count);
        pli_slot_triangles faces = pli_view_triangles(f->view[1 - of]);
        open = f->near.kernels->vertices_near(f->view[of].record, waiting->vertex, &faces,
                                              waiting->slot, batch, &f->reach);
    }
    pliant_result result = PLIANT_OK;
    for (; open != 0 && result == PLIANT_OK; open &= open - 1) {
        int i = __builtin_ctzll(open);
        result = measure_vertex(f, of, waiting->vertex[i], waiting->slot[i]);
    }
    waiting->count -= batch;
    move_up(waiting->vertex, batch, waiting->count);
    move_up(waiting->slot, batch, waiting->count);
    return result;
}

static pliant_result work_off_edges(feature_walk *f)
{
    waiting_edges *waiting = &f->edges;
    uint32_t batch = waiting->count < PLI_BATCH ? waiting->count : PLI_BATCH;
    uint64_t open = pli_first_bits(batch);
    if (f->near.kernels != NULL) {
        for (int i = 0; i < 2; i++) {
            pad(waiting->from[i], waiting->count);
            pad(waiting->to[i], waiting->count);
        }
        pli_cluster_edges a = {f->view[0].record, waiting->from[0], waiting->to[0]};
        pli_cluster_edges b = {f->view[1].record, waiting->from[1], waiting->to[1]};
        open = f->near.kernels->edges_near(&a, &b, batch, &f->reach);
    }
    pliant_result result = PLIANT_OK;
    for (; open != 0 && result == PLIANT_OK; open &= open - 1) {
        result = measure_edges(f, (uint32_t)__builtin_ctzll(open));
    }
    waiting->count -= batch;
    for (int i = 0; i < 2; i++) {
        move_up(waiting->from[i], batch, waiting->count);
        move_up(waiting->to[i], batch, waiting->count);
        move_up(waiting->edge[i], batch, waiting->count);
    }
    return result;
}

/* ------------------------------------------------------------- the triangles */

static unsigned owned_by(pli_cluster_view view, uint32_t slot)
{
    return view.shape->slot_features[view.cluster->first_slot + slot];
}

/* The number in the cluster of corner k of a slot. */
static uint8_t corner_of(pli_cluster_view view, uint32_t slot, uint32_t k)
{
    return view.shape
        ->slot_corners[3 * (size_t)view.cluster->first_slot + k * view.cluster->slot_count + slot];
}

static void add_vertices(waiting_vertices *waiting, pli_cluster_view view, uint32_t slot,
                         unsigned owned, uint32_t other_slot)
{
    for (unsigned bits = owned & PLI_OWNED_CORNERS; bits != 0; bits &= bits - 1) {
        uint32_t at = waiting->count++;
        waiting->vertex[at] = corner_of(view, slot, (uint32_t)__builtin_ctz(bits));
        waiting->slot[at] = (uint8_t)other_slot;
    }
}

static void add_edge(waiting_edges *waiting, int i, uint32_t at, pli_cluster_view view,
                     uint32_t slot, uint32_t k)
{
    waiting->from[i][at] = corner_of(view, slot, k);
    waiting->to[i][at] = corner_of(view, slot, k == 2 ? 0 : k + 1);
    waiting->edge[i][at] = (uint8_t)(4 * slot + k);
}

static void add_edges(feature_walk *f, uint32_t slot_a, unsigned owned_a, uint32_t slot_b,
                      unsigned owned_b)
{
    for (unsigned a = owned_a >> 3; a != 0; a &= a - 1) {
        for (unsigned b = owned_b >> 3; b != 0; b &= b - 1) {
            uint32_t at = f->edges.count++;
            add_edge(&f->edges, 0, at, f->view[0], slot_a, (uint32_t)__builtin_ctz(a));
            add_edge(&f->edges, 1, at, f->view[1], slot_b, (uint32_t)__builtin_ctz(b));
        }
    }
}

static pliant_result add_features(feature_walk *f, uint32_t slot_a, uint32_t slot_b)
{
    unsigned owned_a = owned_by(f->view[0], slot_a), owned_b = owned_by(f->view[1], slot_b);
    pliant_result result = PLIANT_OK;
    add_vertices(&f->vertices[0], f->view[0], slot_a, owned_a, slot_b);
    add_vertices(&f->vertices[1], f->view[1], slot_b, owned_b, slot_a);
    add_edges(f, slot_a, owned_a, slot_b, owned_b);
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        if (f->vertices[i].count >= PLI_BATCH) {
            result = work_off_vertices(f, i);
        }
    }
    return result == PLIANT_OK && f->edges.count >= PLI_BATCH ? work_off_edges(f) : result;
}

static pliant_result work_off_rest(feature_walk *f)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = f->vertices[i].count > 0 ? work_off_vertices(f, i) : result;
    }
    return result == PLIANT_OK && f->edges.count > 0 ? work_off_edges(f) : result;
}

static pliant_result compare_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    feature_walk *f = (feature_walk *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = 0;
    pliant_result result = pli_collide_clusters(walk, a, b);
    if (result == PLIANT_OK) {
        result = pli_near_list(&f->near, walk, a, b, slot_a, slot_b, &count);
    }
    f->view[0] = a;
    f->view[1] = b;
    f->reach = pli_near_limit_of(walk, a, b);
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        if (pli_collision_groups_allow(&f->collision, pli_slot_triangle(a, slot_a[i]),
                                       pli_slot_triangle(b, slot_b[i]))) {
            result = add_features(f, slot_a[i], slot_b[i]);
        }
    }
    return result == PLIANT_OK ? work_off_rest(f) : result;
}

/* ------------------------------------------------------------- the question */

static pliant_result walk_features(feature_walk *f)
{
    pli_walk *walk = &f->collision.walk;
    pliant_result result = pli_run_begin(&walk->run);
    if (result == PLIANT_OK) {
        pli_feature_lists_clear(&walk->run.query->features);
        pli_near_prepared(&f->near, walk);
        f->collision.kernels_apply = f->near.kernels != NULL;
        result = pli_walk_push_meeting_roots(walk);
    }
    return result == PLIANT_OK ? pli_walk_work(walk) : result;
}

static pliant_result finish(feature_walk *f, pliant_features *found)
{
    pli_run *run = &f->collision.walk.run;
    pliant_query *query = run->query;
    pliant_features made = {0};
    pliant_result result = pli_run_sort(run, 0, pli_keys_to_pairs);
    double started = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_feature_lists_sort(query->context, &query->features, &made.count);
    }
    query->stats.seconds_sort += pli_seconds() - started;
    if (result == PLIANT_OK) {
        pli_run_end(run, made.count);
        made.pairs = made.count > 0 ? query->features.sorted : NULL;
        made.crossings = query->key_count > 0 ? (const pliant_pair *)(void *)query->keys : NULL;
        made.crossing_count = query->key_count;
        *found = made;
    }
    return result;
}

static PLI_NOINLINE pliant_result find_features(pliant_query *query, pliant_body *a, pliant_body *b,
                                                float distance,
                                                const pliant_feature_options *options,
                                                pliant_features *found)
{
    feature_walk f;
    pliant_collide_options crossings = pliant_collide_options_default();
    crossings.groups_a = options->groups_a;
    crossings.groups_b = options->groups_b;
    pli_collision_init(&f.collision, query, a, b, &crossings);
    f.collision.walk.clusters = compare_clusters;
    pli_near_begin(&f.near, &f.collision.walk, distance);
    f.vertices[0].count = f.vertices[1].count = f.edges.count = 0;
    pliant_result result = walk_features(&f);
    return result == PLIANT_OK ? finish(&f, found) : result;
}

static pliant_result answer(pliant_query *query, pliant_body *a, pliant_body *b, float distance,
                            const pliant_feature_options *options, pliant_features *found)
{
    if (options != NULL) {
        PLI_REQUIRE_TAG(options, pliant_feature_options);
    }
    pliant_result result = pli_distance_check(distance);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = find_features(query, a, b, distance, options != NULL ? options : &default_options,
                               found);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_find_features(pliant_query *query, pliant_body *a, pliant_body *b,
                                   float distance, const pliant_feature_options *options,
                                   pliant_features *features)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(features);
    if (a == b) {
        return pli_fail(
            PLIANT_ERROR_ARGUMENT,
            "pliant_find_features: both bodies are the same; use pliant_find_features_self");
    }
    return answer(query, a, b, distance, options, features);
}

pliant_result pliant_find_features_self(pliant_query *query, pliant_body *body, float distance,
                                        const pliant_feature_options *options,
                                        pliant_features *features)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE(features);
    return answer(query, body, body, distance, options, features);
}
