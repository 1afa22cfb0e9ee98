/*
 * The user's own meshes: two files, two sequences, or one animated file, ours against the rivals
 * and the other libraries. So anybody can repeat our claim on their data.
 */
#include "experiments.h"

#include <math.h>
#include <string.h>

#include "lab/baselines/baselines.h"
#include "lab/motions/file_motion.h"
#include "lab/peers/peers.h"
#include "peers.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

/* Who plays: ours first. Bodies moved by joints, free ones, and one body with itself. */
static const bench_method *const blended[] = {&bench_scene_auto, &bench_scene_bottom_up,
                                              &bench_blend_bottom_up, &bench_blend_simd};
static const bench_method *const free_bodies[] = {&bench_scene_auto, &bench_scene_bottom_up,
                                                  &bench_bottom_up, &bench_van_den_bergen};
static const bench_method *const alone[] = {&bench_self_auto};

static void choose(const bench_motion *motion, peers_contest *contest)
{
    if (motion->self) {
        contest->ours = alone;
        contest->our_count = COUNT(alone);
        contest->avx2 = &bench_self_avx2;
    } else if (motion->models[0] != NULL) {
        contest->ours = blended;
        contest->our_count = COUNT(blended);
    } else {
        contest->ours = free_bodies;
        contest->our_count = COUNT(free_bodies);
    }
}

static uint32_t count_triangles(const bench_motion *motion)
{
    uint32_t triangles = 0;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        triangles += motion->meshes[i].triangle_count;
    }
    return triangles;
}

/* The rivals' ratios, from their rows: those of other libraries are there already. */
static void add_ratios(const peers_contest *contest, bench_report *report)
{
    static const struct {
        const bench_method *method;
        const char *key, *meaning;
    } rivals[] = {
        {&bench_scene_bottom_up, "vs_ours_bottom_up", "our own kernels, refitting everything"},
        {&bench_bottom_up, "vs_bottom_up", "scalar binary bottom-up's time over ours"},
        {&bench_van_den_bergen, "vs_van_den_bergen", "van den Bergen's time over ours"},
        {&bench_blend_bottom_up, "vs_bottom_up", "plain evaluation and refit over ours"},
        {&bench_blend_simd, "vs_vectorised", "vectorised evaluation and refit over ours"},
    };
    for (uint32_t i = 1; i < contest->our_count; i++) {
        for (uint32_t k = 0; k < COUNT(rivals); k++) {
            if (contest->ours[i] == rivals[k].method) {
                const bench_cell *over = report_find_cell(&report->rows[i], "over_ours");
                report_ratio(report, rivals[k].key, over != NULL ? over->value : (double)NAN,
                             (double)NAN, rivals[k].meaning);
            }
        }
    }
}

static bool contest_of(const bench_settings *settings, bench_motion *motion, bench_report *report)
{
    peers_contest contest = {
        .settings = settings,
        .motion = motion,
        .avx2 = &bench_scene_avx2,
        .title = "motion",
        .suffix = "",
        .triangles = count_triangles(motion),
    };
    choose(motion, &contest);
    peers_introduce(report);
    if (!peers_contest_run(&contest, report)) {
        return false;
    }
    add_ratios(&contest, report);
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t most_frames[3] = {10, 200, 100000};
    char error[sizeof report->error];
    file_motion *source = file_motion_read(settings->files, settings->file_count,
                                           most_frames[settings->length], error, sizeof error);
    if (source == NULL) {
        return report_fail(report, "%s", error);
    }
    bench_motion *motion = file_motion_get(source);
    report_note(report, "%s: %u bodies, %u triangles, %u frames; everybody is given %s",
                file_motion_clip(source), motion->body_count, count_triangles(motion),
                motion->step_count, motion->models[0] != NULL ? "joints" : "positions");
    bool done = contest_of(settings, motion, report);
    file_motion_free(source);
    return done;
}

const bench_experiment experiment_own_motion = {
    .name = "motion",
    .description = "the meshes of your own files, beside the rivals and other libraries",
    .run = run,
};
