#include "reduced_pair.h"

#include <math.h>
#include <stdlib.h>

#include "lab/baselines/baselines.h"
#include "lab/baselines/sphere_tree.h"

#define MAX_PLAYS 31

const char *const reduced_method_names[REDUCED_METHODS] = {"layered spheres, scalar",
                                                           "layered spheres",
                                                           "layered spheres, many at once",
                                                           "BD-Tree, plain C",
                                                           "boxes, bottom-up",
                                                           "ours, auto",
                                                           "ours, boxes",
                                                           "ours, spheres",
                                                           "ours, auto, coherent"};

/* A method at work. */
typedef struct player {
    const reduced_pair *pair;
    reduced_method method;
    bool timed; /* whether updates are timed on their own */
    /* Ours. */
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
    /* Rivals. */
    sphere_shape sphere_shapes[2];
    sphere_body sphere_bodies[2];
    baseline_fields fields[2];
    baseline_tree trees[2];
    float *positions[2];
    baseline_scratch scratch;
    /* The latest answer. */
    const pliant_pair *pairs;
    uint64_t pair_count;
    uint64_t tests, refreshed;
    double update_seconds;
} player;

static bool is_ours(reduced_method method)
{
    return method >= REDUCED_OURS;
}

static bool create_ours(player *p)
{
    pliant_body_def body_def = pliant_body_def_default();
    body_def.coherent = p->method == REDUCED_OURS_COHERENT;
    bool done = reduced_create_context(p->pair->settings, &p->context) &&
                pliant_query_create(p->context, &p->query) == PLIANT_OK;
    for (int i = 0; done && i < 2; i++) {
        const reduced_actor *actor = &p->pair->actors[i];
        pliant_shape_def def = reduced_shape_def(&actor->mesh, &actor->model);
        def.bound = p->method == REDUCED_OURS_BOX      ? PLIANT_BOUND_BOX
                    : p->method == REDUCED_OURS_SPHERE ? PLIANT_BOUND_SPHERE
                                                       : PLIANT_BOUND_AUTO;
        done = pliant_shape_create(p->context, &def, &p->shapes[i]) == PLIANT_OK &&
               pliant_body_create(p->shapes[i], &body_def, &p->bodies[i]) == PLIANT_OK;
    }
    return done;
}

static bool create_rival(player *p)
{
    bool done = true;
    for (int i = 0; done && i < 2; i++) {
        const reduced_actor *actor = &p->pair->actors[i];
        pliant_isa cap = p->pair->settings->isa;
        if (p->method == REDUCED_REFIT) {
            done = baseline_fields_create(&actor->mesh, &actor->model, cap, &p->fields[i]) &&
                   baseline_tree_build(&actor->mesh, 2, &p->trees[i]);
            p->positions[i] = done ? baseline_fields_positions(&p->fields[i]) : NULL;
            done = done && p->positions[i] != NULL;
        } else {
            bool wide = p->method == REDUCED_LAYERED_WIDE;
            static const sphere_method methods[REDUCED_REFIT] = {
                [REDUCED_LAYERED_SCALAR] = SPHERES_LAYERED_SCALAR,
                [REDUCED_LAYERED] = SPHERES_LAYERED,
                [REDUCED_LAYERED_WIDE] = SPHERES_LAYERED_WIDE,
                [REDUCED_BD_TREE] = SPHERES_BD,
            };
            sphere_method method = methods[p->method];
            done = (wide ? sphere_shape_create_wide : sphere_shape_create)(
                       &actor->mesh, &actor->model, cap, &p->sphere_shapes[i]) &&
                   sphere_body_create(&p->sphere_shapes[i], method, &p->sphere_bodies[i]);
        }
    }
    return done;
}

static void destroy(player *p)
{
    pliant_query_destroy(p->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(p->bodies[i]);
        pliant_shape_destroy(p->shapes[i]);
        sphere_body_free(&p->sphere_bodies[i]);
        sphere_shape_free(&p->sphere_shapes[i]);
        baseline_fields_free(&p->fields[i]);
        baseline_tree_free(&p->trees[i]);
        free(p->positions[i]);
    }
    baseline_scratch_free(&p->scratch);
    pliant_context_destroy(p->context);
}

static const float *coordinates_of(const reduced_actor *actor, uint32_t frame)
{
    uint32_t modes = actor->model.mode_count;
    return modes > 0 ? actor->coordinates + (size_t)frame * modes : NULL;
}

static const float *transform_of(const reduced_actor *actor, uint32_t frame)
{
    return actor->model.joint_count > 0 ? actor->transforms + (size_t)12 * frame : NULL;
}

static bool ask_contacts(player *p)
{
    pliant_contacts contacts = {0};
    bool done = pliant_collide(p->query, p->bodies[0], p->bodies[1], NULL, &contacts) == PLIANT_OK;
    p->pairs = contacts.pairs;
    p->pair_count = contacts.count;
    return done;
}

static bool ask_within(player *p)
{
    pliant_proximities near = {0};
    if (pliant_find_within(p->query, p->bodies[0], p->bodies[1], p->pair->ball_radius, NULL,
                           &near) != PLIANT_OK) {
        return false;
    }
    baseline_scratch_clear(&p->scratch);
    for (uint64_t i = 0; i < near.count; i++) {
        if (!baseline_pairs_reserve(&p->scratch)) {
            return false;
        }
        p->scratch.pairs[p->scratch.pair_count++] = (pliant_pair){near.pairs[i].a, near.pairs[i].b};
    }
    p->pairs = p->scratch.pairs;
    p->pair_count = near.count;
    return true;
}

static bool frame_ours(player *p, uint32_t frame)
{
    for (int i = 0; i < 2; i++) {
        const reduced_actor *actor = &p->pair->actors[i];
        if (!reduced_set(p->bodies[i], &actor->model, coordinates_of(actor, frame),
                         transform_of(actor, frame))) {
            return false;
        }
    }
    if (!(p->pair->ball_radius > 0.0f ? ask_within(p) : ask_contacts(p))) {
        return false;
    }
    const pliant_stats *stats = pliant_query_get_stats(p->query);
    p->tests += stats->nodes_tested;
    p->refreshed += stats->nodes_refreshed + stats->clusters_refreshed;
    return true;
}

static void update_rival(player *p, uint32_t frame)
{
    for (int i = 0; i < 2; i++) {
        const reduced_actor *actor = &p->pair->actors[i];
        const float *coordinates = coordinates_of(actor, frame);
        const float *transform = transform_of(actor, frame);
        if (p->method == REDUCED_REFIT) {
            baseline_fields_evaluate(&p->fields[i], coordinates, transform, p->positions[i]);
            baseline_tree_refit(&p->trees[i], p->positions[i]);
        } else {
            sphere_body_set(&p->sphere_bodies[i], coordinates, transform);
        }
    }
}

static bool frame_rival(player *p, uint32_t frame)
{
    double start = p->timed ? bench_seconds() : 0.0;
    update_rival(p, frame);
    p->update_seconds += p->timed ? bench_seconds() - start : 0.0;
    baseline_scratch_clear(&p->scratch);
    bool done = p->method == REDUCED_REFIT
                    ? baseline_collide_trees(&p->trees[0], p->positions[0], &p->trees[1],
                                             p->positions[1], &p->scratch)
                    : sphere_bodies_collide(&p->sphere_bodies[0], &p->sphere_bodies[1],
                                            p->pair->ball_radius, &p->scratch, &p->tests);
    p->refreshed += p->sphere_bodies[0].refreshed + p->sphere_bodies[1].refreshed;
    p->pairs = p->scratch.pairs;
    p->pair_count = p->scratch.pair_count;
    return done;
}

static bool play_frame(player *p, uint32_t frame)
{
    return is_ours(p->method) ? frame_ours(p, frame) : frame_rival(p, frame);
}

/* One play in which answers are compared, and counts and the rivals' updates are taken. */
static bool play_checked(player *p, bench_summary *answers, bool is_first, reduced_cost *cost,
                         bench_report *report)
{
    p->timed = true;
    for (uint32_t frame = 0; frame < p->pair->frame_count; frame++) {
        if (!play_frame(p, frame)) {
            return report_fail(report, "%s failed: %s", reduced_method_names[p->method],
                               pliant_last_error());
        }
        bench_summary found = reduced_summarise(p->pairs, p->pair_count);
        if (is_first) {
            answers[frame] = found;
        } else if (found.count != answers[frame].count || found.hash != answers[frame].hash) {
            return report_fail(report, "%s does not agree on the pairs at frame %u (%llu and %llu)",
                               reduced_method_names[p->method], frame,
                               (unsigned long long)answers[frame].count,
                               (unsigned long long)found.count);
        }
        cost->pairs += found.count;
        cost->touching += found.count > 0;
    }
    cost->evaluate_ms = 1e3 * p->update_seconds;
    cost->tests = (double)p->tests;
    cost->refreshed = (double)p->refreshed;
    p->timed = false;
    return true;
}

static bool play_timed(player *p, double *seconds)
{
    double start = bench_seconds();
    for (uint32_t frame = 0; frame < p->pair->frame_count; frame++) {
        if (!play_frame(p, frame)) {
            return false;
        }
    }
    *seconds = bench_seconds() - start;
    return true;
}

/* A contest in progress. */
typedef struct game {
    player *players;
    bench_summary *answers; /* per frame */
    reduced_cost *costs;    /* per method */
    double seconds[REDUCED_METHODS][MAX_PLAYS];
} game;

/* Makes a player, and compares its answers with those of the first. */
static bool begin(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    game *g = user;
    player *p = &g->players[who];
    (void)round;
    return ((is_ours(p->method) ? create_ours(p) : create_rival(p)) ||
            report_fail(report, "%s cannot be made", reduced_method_names[p->method])) &&
           play_checked(p, g->answers, who == 0, &g->costs[p->method], report);
}

static bool play(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    game *g = user;
    player *p = &g->players[who];
    return play_timed(p, &g->seconds[who][round]) ||
           report_fail(report, "%s failed", reduced_method_names[p->method]);
}

bool reduced_pair_play(const reduced_pair *pair, const bool wanted[REDUCED_METHODS], uint32_t plays,
                       reduced_cost costs[REDUCED_METHODS], bench_report *report)
{
    player players[REDUCED_METHODS] = {{0}};
    const char *names[REDUCED_METHODS];
    game g = {.players = players,
              .answers = calloc(pair->frame_count, sizeof *g.answers),
              .costs = costs};
    uint32_t count = 0;
    for (int method = 0; method < REDUCED_METHODS; method++) {
        if (wanted[method]) {
            names[count] = reduced_method_names[method];
            players[count++] = (player){.pair = pair, .method = (reduced_method)method};
        }
    }
    char first_title[48];
    snprintf(first_title, sizeof first_title, "%s, answers", pair->title);
    bench_terms first = {first_title, names, count, 1, pair->frame_count, pair->rate};
    bench_terms turns = first;
    turns.title = pair->title;
    turns.plays = plays;
    bool done = (g.answers != NULL && bench_plays(pair->settings, &turns) <= MAX_PLAYS) ||
                report_fail(report, "not enough memory, or more than %d plays", MAX_PLAYS);
    done = done && bench_take_turns(pair->settings, &first, begin, &g, report) &&
           bench_take_turns(pair->settings, &turns, play, &g, report);
    for (uint32_t i = 0; i < count; i++) {
        if (done) {
            costs[players[i].method].ms =
                1e3 * bench_median(g.seconds[i], bench_plays(pair->settings, &turns));
        }
        destroy(&players[i]);
    }
    free(g.answers);
    return done;
}
