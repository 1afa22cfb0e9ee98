/* Which triangles of two bodies touch, and which of one body touch each other. */
#include "collision.h"
#include "query_kind.h"

#include <math.h>

static const pliant_collide_options default_options = {
    .mode = PLIANT_COLLIDE_ALL,
    .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
    .tag = PLI_TAG(pliant_collide_options),
};

PLIANT_DEFINE_DEFAULT(pliant_collide_options)
{
    return default_options;
}

pliant_result pli_collide_options_check(const pliant_collide_options *options)
{
    if (options == NULL) {
        return PLIANT_OK;
    }
    PLI_REQUIRE_TAG(options, pliant_collide_options);
    if ((unsigned)options->mode > PLIANT_COLLIDE_FIRST) {
        return pli_fail(PLIANT_ERROR_RANGE, "mode is %d; there is no such one", (int)options->mode);
    }
    if ((unsigned)options->neighbours > PLIANT_NEIGHBOURS_SKIP) {
        return pli_fail(PLIANT_ERROR_RANGE, "neighbours is %d; there is no such rule",
                        (int)options->neighbours);
    }
    if ((unsigned)options->separation_side > PLIANT_SEPARATION_FRONT_OF_B) {
        return pli_fail(PLIANT_ERROR_RANGE, "separation_side is %d; there is no such one",
                        (int)options->separation_side);
    }
    return PLIANT_OK;
}

bool pli_coordinates_are_moderate(const pliant_body *body)
{
    bool moderate = true;
    for (int k = 0; k < 3; k++) {
        moderate = moderate && body->root.box.side[k][0] > -0x1p38f &&
                   body->root.box.side[3 + k][0] < 0x1p38f;
    }
    return moderate;
}

void pli_collision_init(pli_collision *collision, pli_worker *worker, pliant_body *a,
                        pliant_body *b, const pliant_collide_options *options)
{
    pli_walk_init(&collision->walk, worker, a, b, pli_collide_clusters);
    collision->walk.run.keeps_order = pli_collision_keeps_order(options);
    collision->walk.run.budget = options->budget_nodes;
    collision->options = options;
    collision->witness = NULL;
    collision->kernels_apply = pli_coordinates_are_moderate(a) && pli_coordinates_are_moderate(b);
    collision->reported = 0;
}

/* ---------------------------------------------------- remembered contacts */

/*
 * In coherent motion, the pair that answered the last first-contact query about two bodies often
 * answers the next one too. Testing it costs six vertices and one exact test. If it still touches,
 * nothing else of the bodies is read: no bound, no update.
 */

/* The entry for two bodies, which may hold a pair of others. */
static pli_witness *find_witness(pliant_query *query, const pliant_body *a, const pliant_body *b)
{
    uint32_t hash = (a->id * 2654435761u) ^ (b->id * 2246822519u);
    return &query->witness[(hash >> 16) % PLI_WITNESSES];
}

static bool read_corners(const pliant_body *body, uint32_t triangle, float corner[3][3])
{
    if (!pli_shape_has_triangle(body->shape, triangle)) {
        return false;
    }
    bool finite = true;
    for (size_t c = 0; c < 3; c++) {
        uint32_t v = body->shape->triangles[3 * (size_t)triangle + c];
        pli_body_vertex(body, v, corner[c]);
        for (int k = 0; k < 3; k++) {
            finite = finite && isfinite(corner[c][k]);
        }
    }
    return finite; /* if not, the query itself fails */
}

/* Reads the corners of the remembered pair, as they are now; false if there is none for these
   bodies. */
static bool recall(const pli_witness *witness, const pliant_body *a, const pliant_body *b,
                   float corner_a[3][3], float corner_b[3][3])
{
    return witness->body_a == a->id && witness->body_b == b->id && a->valid && b->valid &&
           read_corners(a, witness->triangle_a, corner_a) &&
           read_corners(b, witness->triangle_b, corner_b);
}

/* Tests the remembered pair; if it still touches, it is the result. */
static pliant_result try_witness(pli_walk *walk)
{
    pli_collision *collision = (pli_collision *)walk;
    pli_worker *worker = walk->run.worker;
    pliant_body *a = walk->run.body[0], *b = walk->run.body[1];
    float corner_a[3][3], corner_b[3][3];
    if (!recall(collision->witness, a, b, corner_a, corner_b)) {
        return PLIANT_OK;
    }
    worker->stats.vertices_read += 6;
    worker->stats.triangle_tests++;
    return pli_test_pair(collision, collision->witness->triangle_a, collision->witness->triangle_b,
                         (const float(*)[3])corner_a, (const float(*)[3])corner_b);
}

/* ---------------------------------------------------------------- the query */

static pliant_result plan(pli_comparison *c)
{
    const pliant_collide_options *options = c->options;
    pliant_result result = pli_collide_options_check(options);
    if (result == PLIANT_OK) {
        c->plan = (pli_plan){.budget_nodes = options->budget_nodes,
                             .budget_microseconds = options->budget_microseconds,
                             .columns = pli_collision_columns(options),
                             .first = options->mode == PLIANT_COLLIDE_FIRST,
                             .keeps_order = pli_collision_keeps_order(options),
                             .has_callback = options->callback != NULL};
    }
    return result;
}

static void adopt(const pliant_scene_options *options, pli_own_options *own)
{
    own->collide = default_options;
    own->collide.mode = options->first_in_all ? PLIANT_COLLIDE_FIRST : options->mode;
    own->collide.neighbours = options->neighbours;
    own->collide.segments = options->segments;
    own->collide.separations = options->separations;
    own->collide.separation_side = options->separation_side;
    own->collide.budget_nodes = options->budget_nodes;
    own->collide.budget_microseconds = options->budget_microseconds;
}

static bool begin(pli_walk *walk, pli_worker *worker, const pli_comparison *c, const pli_pair *pair)
{
    pli_collision *collision = (pli_collision *)walk;
    const pliant_collide_options *options = c->options;
    _Static_assert(sizeof *collision <= PLI_VISITOR_BYTES, "a visitor has room for it");
    if (pair->groups[0] != NULL || pair->groups[1] != NULL) {
        collision->with_groups = *options;
        for (int i = 0; i < 2; i++) {
            pliant_groups *own =
                i == 0 ? &collision->with_groups.groups_a : &collision->with_groups.groups_b;
            *own = pair->groups[i] != NULL ? *pair->groups[i] : (pliant_groups){NULL, 0};
        }
        options = &collision->with_groups;
    }
    pli_collision_init(collision, worker, pair->body[0], pair->body[1], options);
    if (c->query != NULL) {
        collision->witness = find_witness(c->query, pair->body[0], pair->body[1]);
    }
    return true;
}

static uint64_t flush(pli_walk *walk)
{
    pli_collision *collision = (pli_collision *)walk;
    pli_collision_flush(collision);
    return collision->reported;
}

static bool give(const pliant_scene_options *options, const pliant_scene_pair *bodies,
                 const pli_report *report, const pli_pair_results *part)
{
    const pliant_segment *segments = pli_report_column(report, PLI_SEGMENTS);
    const pliant_separation *separations = pli_report_column(report, PLI_SEPARATIONS);
    pliant_contacts contacts = {.pairs = pli_report_pairs(report) + part->first,
                                .segments = segments != NULL ? segments + part->first : NULL,
                                .separations =
                                    separations != NULL ? separations + part->first : NULL,
                                .count = part->count,
                                .complete = part->complete};
    return options->callback(options->callback_user, bodies, &contacts);
}

static void report(const pli_report *from, void *result)
{
    *(pliant_contacts *)result =
        (pliant_contacts){.pairs = pli_report_pairs(from),
                          .segments = pli_report_column(from, PLI_SEGMENTS),
                          .separations = pli_report_column(from, PLI_SEPARATIONS),
                          .count = from->count,
                          .complete = from->complete};
}

static void report_scene(const pli_report *from, void *result)
{
    *(pliant_scene_contacts *)result =
        (pliant_scene_contacts){.bodies = from->bodies,
                                .body_pair_count = from->body_count,
                                .pairs = pli_report_pairs(from),
                                .segments = pli_report_column(from, PLI_SEGMENTS),
                                .separations = pli_report_column(from, PLI_SEPARATIONS),
                                .count = from->count,
                                .undecided = from->undecided,
                                .undecided_count = from->undecided_count,
                                .complete = from->complete};
}

const pli_query_kind pli_collide_kind = {.number = PLIANT_RECORDED_COLLIDE,
                                         .result = "contacts",
                                         .defaults = &default_options,
                                         .has_self = true,
                                         .list_count = 1,
                                         .scene_result_size = sizeof(pliant_scene_contacts),
                                         .adopt = adopt,
                                         .plan = plan,
                                         .begin = begin,
                                         .recall = try_witness,
                                         .flush = flush,
                                         .give = give,
                                         .report = report,
                                         .report_scene = report_scene};

pliant_result pliant_collide(pliant_query *query, pliant_body *a, pliant_body *b,
                             const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    return pli_query_bodies(&pli_collide_kind, __func__, query, a, b, false, 0.0f, options,
                            contacts);
}

pliant_result pliant_collide_self(pliant_query *query, pliant_body *body,
                                  const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    return pli_query_bodies(&pli_collide_kind, __func__, query, body, body, true, 0.0f, options,
                            contacts);
}

pliant_result pliant_scene_collide(pliant_scene *scene, const pliant_scene_options *options,
                                   pliant_scene_contacts *contacts)
{
    PLI_REQUIRE(scene);
    return pli_query_scene(&pli_collide_kind, __func__, scene, 0.0f, options, contacts);
}
