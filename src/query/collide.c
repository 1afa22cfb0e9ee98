/* Which triangles of two bodies touch, and which of one body touch each other. */
#include "collision.h"

#include "base/float_env.h"

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
static pliant_result try_witness(pli_collision *collision)
{
    pli_worker *worker = collision->walk.run.worker;
    pliant_body *a = collision->walk.run.body[0], *b = collision->walk.run.body[1];
    float corner_a[3][3], corner_b[3][3];
    if (!recall(collision->witness, a, b, corner_a, corner_b)) {
        return PLIANT_OK;
    }
    worker->stats.vertices_read += 6;
    worker->stats.triangle_tests++;
    return pli_test_pair(collision, collision->witness->triangle_a, collision->witness->triangle_b,
                         (const float(*)[3])corner_a, (const float(*)[3])corner_b);
}

/* ------------------------------------------------------------- two bodies */

/* Prepares the bodies and walks, unless the pair that answered the last first-contact query answers
   this one too. */
static pliant_result find_contacts(pli_collision *collision)
{
    pli_run *run = &collision->walk.run;
    const pliant_collide_options *options = collision->options;
    pliant_result result =
        options->mode == PLIANT_COLLIDE_FIRST ? try_witness(collision) : PLIANT_OK;
    if (result != PLIANT_OK || run->stopped) {
        return result;
    }
    result = pli_run_prepare(run);
    if (result == PLIANT_OK) {
        pli_run_set_budget(run, options->budget_nodes, options->budget_microseconds);
        collision->kernels_apply = pli_coordinates_are_moderate(run->body[0]) &&
                                   pli_coordinates_are_moderate(run->body[1]);
        result = pli_walk_push_meeting_roots(&collision->walk);
    }
    return result == PLIANT_OK ? pli_walk_all(&collision->walk) : result;
}

/* Flushes or sorts, and fills in the result. */
static pliant_result finish(pliant_query *query, pli_collision *collision,
                            pliant_contacts *contacts)
{
    const pli_run *run = &collision->walk.run;
    const pliant_collide_options *options = collision->options;
    pli_collection *found = &query->found;
    pliant_result result = PLIANT_OK;
    found->total = 0;
    if (options->callback != NULL) {
        pli_collision_flush(collision);
    } else {
        result = pli_run_collect(run,
                                 (pli_collecting){.list_count = 1,
                                                  .columns = pli_collision_columns(options),
                                                  .convert = pli_keys_to_pairs},
                                 found);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_run_end(query, run, collision->reported);
    if (contacts != NULL) {
        bool stored = found->total > 0;
        contacts->pairs = stored ? (const pliant_pair *)(void *)found->found : NULL;
        contacts->segments = stored && options->segments ? found->column[PLI_SEGMENTS].data : NULL;
        contacts->separations =
            stored && options->separations ? found->column[PLI_SEPARATIONS].data : NULL;
        contacts->count = collision->reported;
        contacts->complete = run->complete;
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result collide(pliant_query *query, pliant_body *a, pliant_body *b,
                                          const pliant_collide_options *options,
                                          pliant_contacts *contacts)
{
    pli_collision collision;
    pli_collision_init(&collision, &query->worker, a, b,
                       options != NULL ? options : &default_options);
    collision.witness = find_witness(query, a, b);
    pliant_result result = pli_run_open(&collision.walk.run);
    if (result == PLIANT_OK) {
        result = find_contacts(&collision);
    }
    return result == PLIANT_OK ? finish(query, &collision, contacts) : result;
}

static pliant_result answer(pliant_query *query, pliant_body *a, pliant_body *b,
                            const pliant_collide_options *options, pliant_contacts *contacts,
                            const char *call)
{
    pliant_result result = pli_collide_options_check(options);
    if (result != PLIANT_OK) {
        return result;
    }
    bool has_callback = options != NULL && options->callback != NULL;
    if (contacts == NULL && !has_callback) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: contacts is NULL, and there is no callback",
                        call);
    }
    result = has_callback ? pli_run_enter(query, a, b, call) : PLIANT_OK;
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = collide(query, a, b, options, contacts);
        pli_float_env_leave(env);
        if (has_callback) {
            pli_run_leave(query, a, b);
        }
    }
    return result;
}

pliant_result pliant_collide(pliant_query *query, pliant_body *a, pliant_body *b,
                             const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "pliant_collide: both bodies are the same; use pliant_collide_self");
    }
    return answer(query, a, b, options, contacts, __func__);
}

pliant_result pliant_collide_self(pliant_query *query, pliant_body *body,
                                  const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    return answer(query, body, body, options, contacts, __func__);
}
