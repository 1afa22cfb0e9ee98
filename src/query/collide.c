/* Which triangles of two bodies touch, and which of one body touch each other. */
#include "collision.h"

#include "base/float_env.h"
#include "query/result.h"
#include "query/witness.h"

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

void pli_collision_init(pli_collision *collision, pliant_query *query, pliant_body *a,
                        pliant_body *b, const pliant_collide_options *options)
{
    pli_walk_init(&collision->walk, query, a, b, pli_collide_clusters);
    collision->walk.run.keeps_order = pli_collision_keeps_order(options);
    collision->walk.run.budget = options->budget_nodes;
    collision->options = options;
    collision->kernels_apply = pli_coordinates_are_moderate(a) && pli_coordinates_are_moderate(b);
    collision->reported = 0;
}

/* Asks the pair that answered last time; if it touches still, that is the answer. */
static pliant_result try_witness(pli_collision *collision)
{
    pliant_query *query = collision->walk.run.query;
    pliant_body *a = collision->walk.run.body[0], *b = collision->walk.run.body[1];
    const pli_witness *witness = pli_witness_entry(query, a, b);
    float corner_a[3][3], corner_b[3][3];
    if (!pli_witness_recall(witness, a, b, corner_a, corner_b)) {
        return PLIANT_OK;
    }
    query->stats.vertices_read += 6;
    query->stats.triangle_tests++;
    return pli_test_pair(collision, witness->triangle_a, witness->triangle_b,
                         (const float(*)[3])corner_a, (const float(*)[3])corner_b);
}

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

/* Flushes or sorts, and fills in the answer. */
static pliant_result finish(pli_collision *collision, pliant_contacts *contacts)
{
    pli_run *run = &collision->walk.run;
    const pliant_query *query = run->query;
    const pliant_collide_options *options = collision->options;
    pliant_result result = PLIANT_OK;
    if (options->callback != NULL) {
        pli_collision_flush(collision);
    } else {
        result = pli_run_sort(run, pli_collision_columns(options), pli_keys_to_pairs);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_run_end(run, collision->reported);
    if (contacts != NULL) {
        bool stored = query->keys.count > 0;
        const pli_column_arrays *columns = query->columns;
        contacts->pairs = stored ? (const pliant_pair *)(void *)query->keys.data : NULL;
        contacts->segments = stored && options->segments ? columns[PLI_SEGMENTS].sorted.data : NULL;
        contacts->separations =
            stored && options->separations ? columns[PLI_SEPARATIONS].sorted.data : NULL;
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
    pli_collision_init(&collision, query, a, b, options != NULL ? options : &default_options);
    pliant_result result = pli_run_open(&collision.walk.run);
    if (result == PLIANT_OK) {
        result = find_contacts(&collision);
    }
    return result == PLIANT_OK ? finish(&collision, contacts) : result;
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
