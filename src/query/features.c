/*
 * Which features of two bodies, or of one, are within a distance: vertices and faces, edges and
 * edges (docs/definition.md, D11). The walk is that of pliant_find_within(). Every vertex and every
 * edge belongs to one triangle (mesh/mesh.h), so that of all pairs of triangles that have a pair of
 * features exactly one has both as its own: there it is looked at, and no list of pairs seen is
 * needed. The boxes of those two triangles hold the features, so the walk comes to them.
 *
 * At each pair of clusters a kernel drops pairs of triangles that are certainly too far apart; the
 * features of the others are put together until there are enough for a kernel, which drops pairs of
 * these; what is left is measured in double. Triangles that touch
 * are found on the way, by what pliant_collide() does.
 */
#include "query/collision.h"
#include "query/near_clusters.h"

#include "base/float_env.h"
#include "geometry/feature_distance.h"
#include "geometry/triangle_distance.h"
#include "mesh/mesh.h"
#include "query/neighbours.h"
#include "query/query_kind.h"

#include <string.h>

enum {
    PLI_FEATURES_OF_TRIANGLES = 9, /* pairs of edges of two triangles */
    PLI_WAITING_FEATURES = PLI_BATCH + PLI_FEATURES_OF_TRIANGLES + 16 /* slack for wide loads */
};

/* Pairs of features of two clusters that wait for a kernel, which is given `vertices`: see
   distance_kernels.h. `names` says for a vertex and a face which slot has the face, and for edges
   which they are: 4 slot + k, a byte each. */
typedef struct pli_waiting_features {
    uint32_t count;
    uint32_t vertices[PLI_WAITING_FEATURES];
    uint16_t names[PLI_WAITING_FEATURES];
} pli_waiting_features;

typedef struct pli_feature_walk {
    pli_collision collision;          /* its walk is the first member, as every walk's */
    pliant_collide_options crossings; /* options of the collision */
    pli_near near;
    pli_cluster_view view[2]; /* the clusters that are compared */
    pli_near_limit limit;
    pli_waiting_features vertices[2]; /* [0]: vertices of the first cluster, faces of the second */
    pli_waiting_features edges;
    bool grouped; /* not all groups are asked for */
} pli_feature_walk;

enum { MOST_PAIRS = PLI_FEATURES_OF_TRIANGLES };

static const pliant_feature_options default_options = {.tag = PLI_TAG(pliant_feature_options)};

PLIANT_DEFINE_DEFAULT(pliant_feature_options)
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

/* Returns true if a pair at a computed distance is reported. */
static bool is_near(const pli_feature_walk *f, const pli_feature_gap *gap)
{
    return gap->distance <= (double)f->near.distance;
}

/* Returns where the numbers of a pair are written; NULL without memory. */
static PLI_NOINLINE pliant_feature_pair *add_result(pli_worker *worker, pliant_feature_kind kind,
                                                    uint32_t a, uint32_t b)
{
    pliant_feature_pair *pair =
        pli_results_add(worker, &worker->results[1 + kind], (uint64_t)a << 32 | b, PLI_FEATURES);
    if (pair != NULL) {
        pair->kind = kind;
        pair->a = a;
        pair->b = b;
    }
    return pair;
}

/* Adds a pair; `turned`: the gap is of b and a, so that weights and direction are turned around.
   At distance 0 the direction is a normal, and stays. */
static pliant_result add_pair(pli_feature_walk *f, pliant_feature_kind kind, uint32_t a, uint32_t b,
                              const uint32_t vertices[4], const pli_feature_gap *gap, bool turned)
{
    pliant_feature_pair *pair = add_result(f->collision.walk.run.worker, kind, a, b);
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
static pliant_result measure_vertex(pli_feature_walk *f, int of, uint32_t vertex, uint32_t slot)
{
    const pli_run *run = &f->collision.walk.run;
    pli_cluster_view view = f->view[of], other = f->view[1 - of];
    float point[3], face[3][3];
    pli_feature_gap gap;
    vertex_position(view, vertex, point);
    pli_slot_corners(other, slot, face);
    run->worker->stats.feature_tests++;
    pli_vertex_face_gap(point, (const float(*)[3])face, &gap, &run->worker->stats.exact_fallbacks);
    if (!is_near(f, &gap)) {
        return PLIANT_OK;
    }
    uint32_t triangle = pli_slot_triangle(other, slot), names[4] = {vertex_name(view, vertex)};
    face_names(other, triangle, names + 1);
    bool turned = of == 1 && !run->self;
    return turned ? add_pair(f, PLIANT_FACE_VERTEX, triangle, names[0], names, &gap, true)
                  : add_pair(f, PLIANT_VERTEX_FACE, names[0], triangle, names, &gap, false);
}

static uint32_t edge_number(pli_cluster_view view, uint32_t edge)
{
    return 3 * pli_slot_triangle(view, edge / 4) + edge % 4;
}

/* Two edges; within one body the lower one comes first, whichever cluster it is of. */
static pliant_result measure_edges(pli_feature_walk *f, uint32_t vertices, uint32_t edges)
{
    const pli_run *run = &f->collision.walk.run;
    uint32_t number[2] = {edge_number(f->view[0], edges & 0xff),
                          edge_number(f->view[1], edges >> 8)};
    bool swap = run->self && number[0] > number[1];
    float end[2][2][3];
    for (int i = 0; i < 4; i++) {
        int from = (swap ? i + 2 : i) % 4;
        vertex_position(f->view[from / 2], vertices >> 8 * from & 0xff, end[i / 2][i % 2]);
    }
    pli_feature_gap gap;
    run->worker->stats.feature_tests++;
    pli_edge_edge_gap((const float(*)[3])end[0], (const float(*)[3])end[1], &gap,
                      &run->worker->stats.exact_fallbacks);
    if (!is_near(f, &gap)) {
        return PLIANT_OK;
    }
    uint32_t names[4];
    for (int i = 0; i < 4; i++) {
        int from = (swap ? i + 2 : i) % 4;
        names[i] = vertex_name(f->view[from / 2], vertices >> 8 * from & 0xff);
    }
    return add_pair(f, PLIANT_EDGE_EDGE, number[swap], number[!swap], names, &gap, false);
}

/* The first of the pairs that wait, as many as a kernel takes; bits of those that may be near. */
static uint64_t ask_kernel(pli_feature_walk *f, pli_waiting_features *waiting, int of, bool edges,
                           uint32_t batch)
{
    const pli_distance_kernels *kernels = f->near.kernels;
    const pli_cluster_record *a = f->view[of].record, *b = f->view[1 - of].record;
    if (kernels == NULL) {
        return pli_first_bits(batch);
    }
    /* Whole registers are looked up: what lies behind must be numbers of these clusters. */
    memset(waiting->vertices + waiting->count, 0, 16 * sizeof *waiting->vertices);
    return edges ? kernels->edges_near(a, b, waiting->vertices, batch, &f->limit)
                 : kernels->vertices_near(a, b, waiting->vertices, batch, &f->limit);
}

static void move_up(pli_waiting_features *waiting, uint32_t done)
{
    waiting->count -= done;
    memmove(waiting->vertices, waiting->vertices + done,
            waiting->count * sizeof *waiting->vertices);
    memmove(waiting->names, waiting->names + done, waiting->count * sizeof *waiting->names);
}

/* A batch of pairs with vertices of cluster `of`, or of edges. */
static pliant_result work_off(pli_feature_walk *f, pli_waiting_features *waiting, int of,
                              bool edges)
{
    uint32_t batch = waiting->count < PLI_BATCH ? waiting->count : PLI_BATCH;
    pliant_result result = PLIANT_OK;
    for (uint64_t open = ask_kernel(f, waiting, of, edges, batch); open != 0 && result == PLIANT_OK;
         open &= open - 1) {
        int i = __builtin_ctzll(open);
        result = edges ? measure_edges(f, waiting->vertices[i], waiting->names[i])
                       : measure_vertex(f, of, waiting->vertices[i] & 0xff, waiting->names[i]);
    }
    move_up(waiting, batch);
    return result;
}

static pliant_result work_off_vertices(pli_feature_walk *f, int of)
{
    return work_off(f, &f->vertices[of], of, false);
}

static pliant_result work_off_edges(pli_feature_walk *f)
{
    return work_off(f, &f->edges, 0, true);
}

static inline uint32_t packed_corner(uint32_t packed, uint32_t k)
{
    return packed >> 8 * k & 0xff;
}

/*
 * Puts pairs on a list without asking which are wanted: each is written, and counts if it is.
 * Branches that nobody can predict would cost more.
 */
static inline void add_vertices(pli_waiting_features *waiting, uint32_t packed, unsigned corners,
                                uint32_t other, uint8_t other_slot)
{
    uint32_t at = waiting->count;
    for (uint32_t k = 0; k < 3; k++) {
        waiting->vertices[at] = packed_corner(packed, k) | other << 8;
        waiting->names[at] = other_slot;
        at += corners >> k & 1;
    }
    waiting->count = at;
}

/* The ends of edge i of a triangle, a byte each. */
static inline uint32_t edge_ends(uint32_t packed, uint32_t i)
{
    uint32_t around = packed | packed << 24; /* corner 0 follows corner 2 */
    return around >> 8 * i & 0xffff;
}

static inline void put_edges(pli_waiting_features *waiting, uint32_t a, uint32_t edge_a, uint32_t b,
                             uint32_t edge_b, bool counts)
{
    uint32_t at = waiting->count;
    waiting->vertices[at] = edge_ends(a, edge_a % 4) | edge_ends(b, edge_b % 4) << 16;
    waiting->names[at] = (uint16_t)(edge_a | edge_b << 8);
    waiting->count = at + counts;
}

/* Of triangles that share a corner at most one pair of edges is open: those that face it. */
static inline void add_edges(pli_waiting_features *waiting, uint32_t a, uint32_t slot_a, uint32_t b,
                             uint32_t slot_b, unsigned open)
{
    static const uint8_t row[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0},
                         column[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
    if ((open & (open - 1)) == 0) {
        unsigned which = (unsigned)__builtin_ctz(open | 1u << MOST_PAIRS);
        put_edges(waiting, a, 4 * slot_a + row[which], b, 4 * slot_b + column[which], open != 0);
        return;
    }
    for (uint32_t i = 0; i < MOST_PAIRS; i++) {
        put_edges(waiting, a, 4 * slot_a + i / 3, b, 4 * slot_b + i % 3, open >> i & 1);
    }
}

/* Puts the features of two triangles that are open (query/pair_kernels.h) on the lists. */
static inline pliant_result add_features(pli_feature_walk *f, uint32_t a, uint8_t slot_a,
                                         uint32_t b, uint8_t slot_b, unsigned open)
{
    pliant_result result = PLIANT_OK;
    add_vertices(&f->vertices[0], a, open, b, slot_b);
    add_vertices(&f->vertices[1], b, open >> 3, a, slot_a);
    add_edges(&f->edges, a, slot_a, b, slot_b, open >> 6);
    if (f->vertices[0].count >= PLI_BATCH) {
        result = work_off_vertices(f, 0);
    }
    if (f->vertices[1].count >= PLI_BATCH && result == PLIANT_OK) {
        result = work_off_vertices(f, 1);
    }
    return f->edges.count >= PLI_BATCH && result == PLIANT_OK ? work_off_edges(f) : result;
}

static pliant_result work_off_rest(pli_feature_walk *f)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < 2 && result == PLIANT_OK; i++) {
        result = f->vertices[i].count > 0 ? work_off_vertices(f, i) : result;
    }
    return result == PLIANT_OK && f->edges.count > 0 ? work_off_edges(f) : result;
}

static bool groups_allow(const pli_feature_walk *f, uint32_t slot_a, uint32_t slot_b)
{
    return !f->grouped ||
           pli_collision_groups_allow(&f->collision, pli_slot_triangle(f->view[0], slot_a),
                                      pli_slot_triangle(f->view[1], slot_b));
}

/* A batch of pairs of triangles. Those without open features, which nobody can predict, are left
   out before the others are looked at. */
static pliant_result gather_batch(pli_feature_walk *f, const pli_feature_triangles named[2],
                                  const uint8_t *slot_a, const uint8_t *slot_b, uint32_t count)
{
    pli_packed_pairs pairs;
    uint8_t kept[PLI_BATCH + 1];
    uint32_t kept_count = 0;
    pliant_result result = PLIANT_OK;
    f->collision.walk.kernels->pack_pairs(&named[0], slot_a, &named[1], slot_b, count, &pairs);
    for (uint32_t i = 0; i < count; i++) {
        kept[kept_count] = (uint8_t)i;
        kept_count += pairs.open[i] != 0;
    }
    for (uint32_t k = 0; k < kept_count && result == PLIANT_OK; k++) {
        uint32_t i = kept[k];
        if (groups_allow(f, slot_a[i], slot_b[i])) {
            result = add_features(f, pairs.a[i], slot_a[i], pairs.b[i], slot_b[i], pairs.open[i]);
        }
    }
    return result;
}

/* The pairs of triangles that are listed. */
static pliant_result gather_features(pli_feature_walk *f, const uint8_t *slot_a,
                                     const uint8_t *slot_b, uint32_t count)
{
    pli_feature_triangles named[2];
    uint32_t welded[2][3 * PLI_CLUSTER_SLOTS];
    for (int i = 0; i < 2; i++) {
        pli_cluster_view view = f->view[i];
        named[i] = (pli_feature_triangles){
            .named.triangles = pli_view_triangles(view),
            .owned = view.shape->slot_features + view.cluster->first_slot,
        };
        if (f->collision.walk.run.self) {
            named[i].named.names =
                pli_name_vertices(view, pli_shape_has_seams(view.shape), welded[i]);
        }
    }
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i += PLI_BATCH) {
        uint32_t batch = count - i < PLI_BATCH ? count - i : PLI_BATCH;
        result = gather_batch(f, named, slot_a + i, slot_b + i, batch);
    }
    return result;
}

/* Triangles that share a vertex are close for certain; of the others, many are not. */
static pliant_result gather_near(pli_feature_walk *f, uint8_t *slot_a, uint8_t *slot_b,
                                 uint32_t count)
{
    const pli_walk *walk = &f->collision.walk;
    pli_cluster_view a = f->view[0], b = f->view[1];
    pliant_result result = PLIANT_OK;
    if (walk->run.self) {
        pli_neighbour_pairs neighbours;
        count = pli_part_neighbours(walk->kernels, a, slot_a, b, slot_b, count, &neighbours);
        result = gather_features(f, neighbours.slot_a, neighbours.slot_b, neighbours.count);
    }
    count = pli_near_filter(&f->near, &f->limit, a, slot_a, b, slot_b, count);
    if (result == PLIANT_OK) {
        result = gather_features(f, slot_a, slot_b, count);
    }
    return result == PLIANT_OK ? work_off_rest(f) : result;
}

static pliant_result compare_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    pli_feature_walk *f = (pli_feature_walk *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = 0;
    pliant_result result = pli_collide_clusters(walk, a, b);
    if (result == PLIANT_OK) {
        result = pli_near_list(&f->near, walk, a, b, slot_a, slot_b, &count);
    }
    if (result != PLIANT_OK || count == 0) {
        return result;
    }
    f->view[0] = a;
    f->view[1] = b;
    f->limit = pli_near_limit_of(walk, a, b);
    return gather_near(f, slot_a, slot_b, count);
}

/* ---------------------------------------------------------------- the query */

static bool begin(pli_walk *walk, pli_worker *worker, const pli_comparison *c, const pli_pair *pair)
{
    pli_feature_walk *f = (pli_feature_walk *)walk;
    const pliant_feature_options *options = c->options;
    _Static_assert(sizeof *f <= PLI_VISITOR_BYTES, "a visitor has room for it");
    f->crossings = pliant_collide_options_default();
    f->crossings.groups_a = pair->groups[0] != NULL ? *pair->groups[0] : options->groups_a;
    f->crossings.groups_b = pair->groups[1] != NULL ? *pair->groups[1] : options->groups_b;
    f->grouped = f->crossings.groups_a.bits != NULL || f->crossings.groups_b.bits != NULL;
    pli_collision_init(&f->collision, worker, pair->body[0], pair->body[1], &f->crossings);
    f->collision.walk.clusters = compare_clusters;
    pli_near_begin(&f->near, &f->collision.walk, c->distance);
    pli_near_prepared(&f->near, &f->collision.walk);
    f->collision.kernels_apply = f->near.kernels != NULL;
    f->vertices[0].count = f->vertices[1].count = f->edges.count = 0;
    return true;
}

static pliant_result plan(pli_comparison *c)
{
    const pliant_feature_options *options = c->options;
    PLI_REQUIRE_TAG(options, pliant_feature_options);
    c->plan = (pli_plan){.columns = 1u << PLI_FEATURES};
    return pli_distance_check(c->distance);
}

static void adopt(const pliant_scene_options *options, pli_own_options *own)
{
    (void)options;
    own->features = default_options;
}

static const pliant_feature_pair *pairs_of(const pli_report *from)
{
    return from->features->total > 0 ? from->features->column[PLI_FEATURES].data : NULL;
}

static void report(const pli_report *from, void *result)
{
    *(pliant_features *)result = (pliant_features){.pairs = pairs_of(from),
                                                   .count = from->count,
                                                   .crossings = pli_report_pairs(from),
                                                   .crossing_count = from->found->total};
}

static void report_scene(const pli_report *from, void *result)
{
    *(pliant_scene_features *)result =
        (pliant_scene_features){.bodies = from->feature_bodies,
                                .body_pair_count = from->body_count,
                                .pairs = pairs_of(from),
                                .count = from->count,
                                .crossings = {.bodies = from->bodies,
                                              .body_pair_count = (uint32_t)from->found->parts.count,
                                              .pairs = pli_report_pairs(from),
                                              .count = from->found->total,
                                              .complete = true}};
}

const pli_query_kind pli_features_kind = {.number = PLIANT_RECORDED_FIND_FEATURES,
                                          .defaults = &default_options,
                                          .takes_distance = true,
                                          .takes_number = true,
                                          .has_self = true,
                                          .list_count = PLI_RESULT_LISTS,
                                          .scene_result_size = sizeof(pliant_scene_features),
                                          .adopt = adopt,
                                          .plan = plan,
                                          .begin = begin,
                                          .report = report,
                                          .report_scene = report_scene};

pliant_result pliant_find_features(pliant_query *query, pliant_body *a, pliant_body *b,
                                   float distance, const pliant_feature_options *options,
                                   pliant_features *features)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(features);
    return pli_query_bodies(&pli_features_kind, __func__, query, a, b, false, distance, options,
                            features);
}

pliant_result pliant_find_features_self(pliant_query *query, pliant_body *body, float distance,
                                        const pliant_feature_options *options,
                                        pliant_features *features)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(features);
    return pli_query_bodies(&pli_features_kind, __func__, query, body, body, true, distance,
                            options, features);
}

pliant_result pliant_scene_find_features(pliant_scene *scene, float distance,
                                         const pliant_scene_options *options,
                                         pliant_scene_features *features)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(features);
    return pli_query_scene(&pli_features_kind, __func__, scene, distance, options, features);
}
