/*
 * A cloth against itself, beside other libraries. Triangles that share a vertex are left out by
 * everybody: by us under PLIANT_NEIGHBOURS_SKIP, by the others by their indices before triangles
 * are tested. Two real frames, where they are at hand, and a sheet of ours that rolls up. Rows
 * without peers show our default rule, which no other library has.
 */
#include "lab/motions/cloth_frames.h"
#include "experiments.h"
#include "peers.h"

#define TRIANGLES 92160

static const bench_method *const ours[] = {&bench_self_auto};

/* Two rows for our default rule; instruction sets must agree on the pairs. */
static bool run_default_rule(const peers_contest *beside, bench_report *report)
{
    static const bench_method *const methods[] = {&bench_self_default, &bench_self_default_avx2};
    char title[64];
    snprintf(title, sizeof title, "%s, default rule", beside->group);
    bench_contest contest = {.settings = beside->settings,
                             .motion = beside->motion,
                             .methods = methods,
                             .method_count = 2,
                             .title = title};
    bool done = contest_run(&contest, report);
    for (uint32_t m = 0; done && m < 2; m++) {
        double steps = beside->motion->step_count, update = contest_update_ms(&contest, m) / steps;
        double total = contest_total_ms(&contest, m) / steps;
        bench_row *row = report_row(report, "%s, %s", methods[m]->name, beside->group);
        report_cell(row, "triangles", beside->triangles, 0);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total - update, 4);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "pairs", (double)contest_pairs(&contest), 0);
    }
    contest_free(&contest);
    return done;
}

static bool run_both(const peers_contest *contest, bench_report *report)
{
    return peers_contest_run(contest, report) && run_default_rule(contest, report);
}

/* ----------------------------------------------------------------- motions */

static bool run_rolled(const bench_settings *settings, bool headline, bench_report *report)
{
    static const uint32_t strides[3] = {100, 10, 2};
    static const uint32_t triangles[3] = {5000, TRIANGLES, TRIANGLES};
    gallery_settings wanted = {.triangles = triangles[settings->length], .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_cloth, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, strides[settings->length], &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    motion.self = true;
    peers_contest contest = {
        .settings = settings,
        .motion = &motion,
        .ours = ours,
        .our_count = 1,
        .avx2 = &bench_self_avx2,
        .title = "peers-self",
        .suffix = "_rolled",
        .headline = headline,
        .group = "rolled",
        .triangles = done ? motion.meshes[0].triangle_count : 0,
    };
    done = done && run_both(&contest, report);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run_frames(const bench_settings *settings, bench_motion *motion, bench_report *report)
{
    uint32_t triangles = motion->meshes[0].triangle_count;
    peers_contest contest = {
        .settings = settings,
        .motion = motion,
        .ours = ours,
        .our_count = 1,
        .avx2 = &bench_self_avx2,
        .title = "peers-self",
        .suffix = "_ball",
        .headline = true,
        .group = "over a ball",
        .triangles = triangles,
    };
    report_note(report,
                "over a ball: two frames of %u triangles, whose layers lie exactly on each other; "
                "keys without an ending are its; keys in _rolled: a sheet that rolls up through "
                "itself",
                triangles);
    return run_both(&contest, report);
}

/* The ratios are those of the real frames, where these are at hand. */
static bool run(const bench_settings *settings, bench_report *report)
{
    cloth_frames frames = {0};
    peers_introduce(report);
    bool real = settings->length != BENCH_QUICK && cloth_frames_read(&frames);
    bool done = !real || run_frames(settings, &frames.motion, report);
    cloth_frames_free(&frames);
    if (!real) {
        report_note(report, "without the cloth over a ball: a quick run, or PLIANT_ASSETS has no "
                            "truth/cloth");
    }
    return done && run_rolled(settings, !real, report);
}

const bench_experiment experiment_peers_self = {
    .name = "peers-self",
    .description = "a cloth of 92,000 triangles against itself, all pairs, beside other libraries",
    .peers = true,
    .run = run,
};
