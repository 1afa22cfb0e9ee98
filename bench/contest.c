#include "contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REPETITIONS 31

bool bench_frame_allocate(const scene_instance *scene, bench_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    for (int i = 0; i < 2; i++) {
        size_t size = (size_t)scene->bodies[i].vertex_count * 3 * sizeof(float);
        frame->world[i] = malloc(size);
        frame->local[i] = malloc(size);
        if (frame->world[i] == NULL || frame->local[i] == NULL) {
            bench_frame_free(frame);
            return false;
        }
    }
    return true;
}

void bench_frame_evaluate(const scene_instance *scene, uint32_t step, bench_frame *frame)
{
    for (uint32_t i = 0; i < 2; i++) {
        scene_evaluate(scene, i, step, frame->world[i]);
        scene_evaluate_local(scene, i, step, frame->local[i]);
        scene_place(scene, i, step, &frame->placements[i]);
    }
}

void bench_frame_free(bench_frame *frame)
{
    for (int i = 0; i < 2; i++) {
        free(frame->world[i]);
        free(frame->local[i]);
    }
    memset(frame, 0, sizeof *frame);
}

/* What two methods must have in common: a sum of well-mixed hashes, whatever the order of pairs. */
typedef struct pair_summary {
    uint64_t count, hash;
} pair_summary;

static uint64_t mix_pair(pliant_pair pair)
{
    uint64_t x = (uint64_t)pair.a << 32 | pair.b;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static pair_summary summarise(const bench_outcome *outcome)
{
    pair_summary summary = {.count = outcome->pair_count};
    for (uint64_t i = 0; i < outcome->pair_count; i++) {
        summary.hash += mix_pair(outcome->pairs[i]);
    }
    return summary;
}

/* Whether the one pair of a first-contact query really touches. */
static bool witness_touches(const bench_contest *contest, const bench_frame *frame,
                            pliant_pair pair)
{
    float corners[2][3][3];
    for (int i = 0; i < 2; i++) {
        const scene_mesh *mesh = &contest->scene->bodies[i];
        uint32_t triangle = i == 0 ? pair.a : pair.b;
        if (triangle >= mesh->triangle_count) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = mesh->triangles[(size_t)3 * triangle + k];
            memcpy(corners[i][k], frame->world[i] + (size_t)3 * vertex, sizeof corners[i][k]);
        }
    }
    return pliant_triangle_overlap((const float(*)[3])corners[0], (const float(*)[3])corners[1]);
}

static bool check_answer(const bench_contest *contest, const bench_frame *frame, uint32_t step,
                         const char *method, const bench_outcome *outcome, pair_summary *expected,
                         bool is_first, bench_report *report)
{
    pair_summary found = summarise(outcome);
    if (contest->first_only) {
        found.hash = 0;
        if (found.count > 1 ||
            (found.count == 1 && !witness_touches(contest, frame, outcome->pairs[0]))) {
            return report_fail(report, "%s reports a first contact that is none at step %u", method,
                               step);
        }
    }
    if (is_first) {
        *expected = found;
    } else if (found.count != expected->count || found.hash != expected->hash) {
        return report_fail(report, "%s and %s do not agree on the pairs at step %u (%llu and %llu)",
                           contest->methods[0]->name, method, step,
                           (unsigned long long)expected->count, (unsigned long long)found.count);
    }
    return true;
}

/*
 * The whole motion, evaluated beforehand. Every method sees it played through one live frame, as a
 * simulation would write it, so that nobody's caches hold another step's positions.
 */
typedef struct motion {
    bench_frame *frames; /* per step */
    bench_frame live;
    pair_summary *expected; /* per step */
    double *update, *total; /* samples: per method, per step, per repetition */
} motion;

static void motion_free(const bench_contest *contest, motion *m)
{
    for (uint32_t i = 0; m->frames != NULL && i < contest->step_count; i++) {
        bench_frame_free(&m->frames[i]);
    }
    bench_frame_free(&m->live);
    free(m->frames);
    free(m->expected);
    free(m->update);
    free(m->total);
}

static bool motion_evaluate(const bench_contest *contest, motion *m)
{
    size_t samples = (size_t)contest->method_count * contest->step_count * MAX_REPETITIONS;
    *m = (motion){.frames = calloc(contest->step_count, sizeof *m->frames),
                  .expected = calloc(contest->step_count, sizeof *m->expected),
                  .update = calloc(samples, sizeof *m->update),
                  .total = calloc(samples, sizeof *m->total)};
    bool done = m->frames != NULL && m->expected != NULL && m->update != NULL && m->total != NULL &&
                bench_frame_allocate(contest->scene, &m->live);
    for (uint32_t i = 0; done && i < contest->step_count; i++) {
        done = bench_frame_allocate(contest->scene, &m->frames[i]);
        if (done) {
            bench_frame_evaluate(contest->scene, contest->steps[i], &m->frames[i]);
        }
    }
    return done;
}

static void show_frame(const bench_contest *contest, const bench_frame *frame, bench_frame *live)
{
    for (int i = 0; i < 2; i++) {
        size_t size = (size_t)contest->scene->bodies[i].vertex_count * 3 * sizeof(float);
        memcpy(live->world[i], frame->world[i], size);
        memcpy(live->local[i], frame->local[i], size);
        live->placements[i] = frame->placements[i];
    }
}

/* One method goes through all steps once. */
static bool run_method(bench_contest *contest, motion *m, uint32_t which, void *state,
                       uint32_t repetition, bool is_first, bench_report *report)
{
    const bench_method *method = contest->methods[which];
    for (uint32_t at = 0; at < contest->step_count; at++) {
        bench_outcome outcome = {0};
        show_frame(contest, &m->frames[at], &m->live);
        if (!method->step(state, &m->live, contest->first_only, &outcome)) {
            return report_fail(report, "%s failed at step %u: %s", method->name, contest->steps[at],
                               pliant_last_error());
        }
        size_t sample = ((size_t)which * contest->step_count + at) * MAX_REPETITIONS + repetition;
        m->update[sample] = outcome.update_seconds;
        m->total[sample] = outcome.total_seconds;
        if (!check_answer(contest, &m->live, contest->steps[at], method->name, &outcome,
                          &m->expected[at], is_first, report)) {
            return false;
        }
    }
    return true;
}

static void keep_medians(bench_contest *contest, motion *m)
{
    uint32_t done = contest->repetitions_done;
    for (uint32_t which = 0; which < contest->method_count; which++) {
        for (uint32_t at = 0; at < contest->step_count; at++) {
            size_t sample = ((size_t)which * contest->step_count + at) * MAX_REPETITIONS;
            contest->update_ms[which][at] = 1e3 * bench_median(m->update + sample, done);
            contest->total_ms[which][at] = 1e3 * bench_median(m->total + sample, done);
        }
    }
    for (uint32_t at = 0; at < contest->step_count; at++) {
        contest->pairs[at] = m->expected[at].count;
    }
}

static bool run_steps(bench_contest *contest, void **states, bench_report *report)
{
    motion m;
    bool done = motion_evaluate(contest, &m);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    double start = bench_wall_seconds(), deadline = start + contest->seconds;
    uint32_t repetition = 0;
    while (done && repetition < contest->repetitions &&
           (repetition < contest->least_repetitions || bench_wall_seconds() < deadline)) {
        for (uint32_t turn = 0; done && turn < contest->method_count; turn++) {
            /* Another method begins each time: who follows whom must not favour anybody. */
            uint32_t which = (turn + repetition) % contest->method_count;
            done = run_method(contest, &m, which, states[which], repetition,
                              repetition == 0 && turn == 0, report);
            bench_progress(contest->settings, contest->title,
                           repetition * contest->method_count + turn,
                           contest->repetitions * contest->method_count);
        }
        repetition++;
    }
    contest->repetitions_done = repetition;
    if (done) {
        keep_medians(contest, &m);
    }
    motion_free(contest, &m);
    return done;
}

static bool allocate_results(bench_contest *contest)
{
    uint32_t stride = contest->stride;
    contest->step_count = contest->scene->steps / stride;
    contest->steps = malloc(contest->step_count * sizeof *contest->steps);
    contest->pairs = calloc(contest->step_count, sizeof *contest->pairs);
    bool done = contest->steps != NULL && contest->pairs != NULL;
    for (uint32_t i = 0; done && i < contest->step_count; i++) {
        /* Steps are counted back from the last, which always takes part. */
        contest->steps[i] = contest->scene->steps - (contest->step_count - 1 - i) * stride;
    }
    for (uint32_t m = 0; m < contest->method_count; m++) {
        contest->update_ms[m] = calloc(contest->step_count, sizeof(double));
        contest->total_ms[m] = calloc(contest->step_count, sizeof(double));
        done = done && contest->update_ms[m] != NULL && contest->total_ms[m] != NULL;
    }
    return done;
}

bool contest_run(bench_contest *contest, bench_report *report)
{
    void *states[CONTEST_MAX_METHODS] = {NULL};
    contest->repetitions_done = contest->repetitions;
    bool done = allocate_results(contest);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t m = 0; done && m < contest->method_count; m++) {
        const bench_method *method = contest->methods[m];
        states[m] = method->create(method, contest->scene, contest->settings->isa);
        done = states[m] != NULL;
        if (!done) {
            report_fail(report, "%s cannot be made: %s", method->name, pliant_last_error());
        }
    }
    done = done && run_steps(contest, states, report);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        if (states[m] != NULL) {
            contest->methods[m]->destroy(states[m]);
        }
    }
    return done;
}

void contest_free(bench_contest *contest)
{
    free(contest->steps);
    free(contest->pairs);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        free(contest->update_ms[m]);
        free(contest->total_ms[m]);
    }
}

static double sum(const double *values, uint32_t count)
{
    double total = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        total += values[i];
    }
    return total;
}

double contest_update_ms(const bench_contest *contest, uint32_t method)
{
    return sum(contest->update_ms[method], contest->step_count);
}

double contest_total_ms(const bench_contest *contest, uint32_t method)
{
    return sum(contest->total_ms[method], contest->step_count);
}

uint64_t contest_pairs(const bench_contest *contest)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < contest->step_count; i++) {
        total += contest->pairs[i];
    }
    return total;
}
