/* Questions about pairs of bodies: what a rank asks its own scene, once the ghosts are there. */
#include "scene.h"

#include <math.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_mpi_options)
{
    pliant_mpi_options options = {.mode = PLIANT_COLLIDE_ALL,
                                  .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                  .tag = PLI_MPI_TAG(pliant_mpi_options)};
    return options;
}

typedef struct pair_question {
    pliant_mpi_scene *scene;
    const pliant_mpi_options *options;
    float distance;
    bool within; /* a distance; else what touches */
} pair_question;

/* ------------------------------------------------------------------ one's own */

/* Of two ghosts nothing is asked here, and of a body and a ghost what this rank is to compare. */
static bool is_ours(void *user, pliant_body_id a, pliant_body_id b)
{
    const pair_question *question = user;
    const pliant_mpi_scene *scene = question->scene;
    pli_mpi_slot *x = pli_mpi_slot_at(scene, a.index), *y = pli_mpi_slot_at(scene, b.index);
    if (x->from >= 0 || y->from >= 0) {
        const pli_mpi_slot *own = x->from < 0 ? x : y, *ghost = x->from < 0 ? y : x;
        if (own->from >= 0 || !pli_mpi_owns(scene, scene->rank, own->id, ghost->from, ghost->id)) {
            return false;
        }
    }
    const pliant_mpi_options *options = question->options;
    if (options->filter != NULL) {
        uint64_t low = x->id < y->id ? x->id : y->id, high = x->id < y->id ? y->id : x->id;
        if (!options->filter(options->filter_user, low, high)) {
            return false;
        }
    }
    x->pairs += x->from < 0 ? 1u + (y->from >= 0) : 0u;
    y->pairs += y->from < 0 ? 1u + (x->from >= 0) : 0u;
    return true;
}

/* Bodies that are compared with themselves have that as so many pairs. */
enum { SELF_PAIRS = 8 };

static void reset_pairs(pliant_mpi_scene *scene)
{
    for (uint32_t i = 0; i < scene->slots.count / sizeof(pli_mpi_slot); i++) {
        pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
        if (one->body != NULL) {
            bool self = one->from < 0 && pli_mpi_kind_of(scene, one)->flags & PLI_MPI_SELF;
            one->pairs = self ? SELF_PAIRS : 0;
        }
    }
}

static pli_mpi_outcome ask_local(pair_question *question, bool *asked)
{
    pliant_mpi_scene *scene = question->scene;
    const pliant_mpi_options *own = question->options;
    pli_mpi_outcome outcome = pli_mpi_number_slots(scene);
    if (outcome.result != PLIANT_OK) {
        return outcome;
    }
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = own->mode;
    options.neighbours = own->neighbours;
    options.segments = own->segments;
    options.separations = own->separations;
    options.separation_side = own->separation_side;
    options.filter = scene->size > 1 || own->filter != NULL ? is_ours : NULL;
    options.filter_user = question;
    reset_pairs(scene);
    uint64_t bounds = pli_mpi_count_work(pliant_scene_get_stats(scene->local));
    double began = MPI_Wtime();
    pliant_scene_contacts contacts;
    pliant_scene_proximities proximities;
    pliant_result result =
        question->within
            ? pliant_scene_find_within(scene->local, question->distance, &options, &proximities)
            : pliant_scene_collide(scene->local, &options, &contacts);
    double ended = MPI_Wtime();
    scene->stats.seconds_local = ended - began;
    if (result != PLIANT_OK) {
        return pli_mpi_fail_local(scene, result);
    }
    *asked = true;
    scene->stats.local = *pliant_scene_get_stats(scene->local);
    scene->stats.work = bounds + pli_mpi_count_work(&scene->stats.local);
    outcome = question->within ? pli_mpi_name_proximities(scene, question->distance, &proximities)
                               : pli_mpi_name_contacts(scene, &options, &contacts);
    scene->stats.seconds_answer = MPI_Wtime() - ended;
    return outcome;
}

/* ------------------------------------------------------------------- together */

/* What must be the same on all ranks. */
static uint64_t digest_of(const pair_question *question)
{
    const pliant_mpi_options *options = question->options;
    const uint64_t parts[8] = {(uint64_t)options->mode,
                               (uint64_t)options->neighbours,
                               options->segments,
                               options->separations,
                               (uint64_t)options->separation_side,
                               options->events,
                               options->filter != NULL,
                               0};
    uint64_t digest = pli_mpi_hash(0, parts, sizeof parts);
    return pli_mpi_hash(digest, &question->distance, sizeof question->distance);
}

/* Everything up to ghosts that are in their places. */
static pliant_result gather_around(pliant_mpi_scene *scene, float distance,
                                   pli_mpi_outcome *outcome)
{
    scene->question++;
    pliant_result result = pli_mpi_share_boxes(scene);
    if (result == PLIANT_OK) {
        result = pli_mpi_find_ghosts(scene, distance);
    }
    if (result == PLIANT_OK) {
        *outcome = pli_mpi_trade_ghosts(scene);
    }
    return result;
}

static pliant_result ask_pairs(pair_question *question, pli_mpi_call call, pli_mpi_outcome outcome)
{
    pliant_mpi_scene *scene = question->scene;
    const pliant_mpi_options *options = question->options;
    uint32_t flags = scene->flags;
    bool asked = false;
    bool readable = outcome.result == PLIANT_OK; /* options are what they should be */
    pliant_result result =
        pli_mpi_begin(scene, call, readable ? digest_of(question) : 0, outcome, &flags);
    scene->answered = 0;
    if (result == PLIANT_OK) {
        result = pli_mpi_check_new(scene, flags);
    }
    if (result == PLIANT_OK) {
        result = gather_around(scene, question->distance, &outcome);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (outcome.result == PLIANT_OK) {
        outcome = ask_local(question, &asked);
    }
    result = options->events && !question->within ? pli_mpi_find_events(scene, outcome)
                                                  : pli_mpi_agree(scene, outcome, NULL);
    if (result == PLIANT_OK) {
        scene->work = scene->stats.work;
        scene->counted = true;
        pli_mpi_spread_work(scene);
        scene->answered = call;
    }
    if (result == PLIANT_OK && options->events && !question->within) {
        pli_mpi_keep_events(scene);
    }
    return result;
}

static pli_mpi_outcome check_options(pliant_mpi_scene *scene, const pliant_mpi_options *options,
                                     const void *answer, const char *name)
{
    pliant_result result =
        pliant_check_tag(options->tag, PLI_MPI_TAG(pliant_mpi_options), "pliant_mpi_options");
    if (result == PLIANT_OK && answer == NULL) {
        result = pliant_fail(PLIANT_ERROR_ARGUMENT, name);
    }
    return result == PLIANT_OK ? PLI_MPI_FINE : pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
}

pliant_result pliant_mpi_scene_collide(pliant_mpi_scene *scene, const pliant_mpi_options *options,
                                       pliant_mpi_contacts *contacts)
{
    const pliant_mpi_options defaults = pliant_mpi_options_default();
    options = options != NULL ? options : &defaults;
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_collide: scene is NULL");
    }
    pair_question question = {.scene = scene, .options = options};
    pli_mpi_outcome outcome =
        check_options(scene, options, contacts, "pliant_mpi_scene_collide: contacts is NULL");
    pliant_result result = ask_pairs(&question, PLI_MPI_COLLIDE, outcome);
    if (result == PLIANT_OK) {
        *contacts = scene->contacts;
    }
    return result;
}

pliant_result pliant_mpi_scene_find_within(pliant_mpi_scene *scene, float distance,
                                           const pliant_mpi_options *options,
                                           pliant_mpi_proximities *proximities)
{
    const pliant_mpi_options defaults = pliant_mpi_options_default();
    options = options != NULL ? options : &defaults;
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_find_within: scene is NULL");
    }
    pair_question question = {
        .scene = scene, .options = options, .distance = distance, .within = true};
    pli_mpi_outcome outcome = check_options(scene, options, proximities,
                                            "pliant_mpi_scene_find_within: proximities is NULL");
    if (outcome.result == PLIANT_OK && !(distance >= 0.0f && distance < INFINITY)) {
        pliant_fail(PLIANT_ERROR_RANGE, "distance: it must be finite and not below 0");
        outcome = pli_mpi_failure(scene, PLIANT_ERROR_RANGE, PLI_MPI_NOBODY);
    }
    pliant_result result = ask_pairs(&question, PLI_MPI_FIND_WITHIN, outcome);
    if (result == PLIANT_OK) {
        *proximities = scene->proximities;
    }
    return result;
}
