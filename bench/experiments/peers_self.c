/*
 * A cloth against itself, beside other libraries: triangles that share a vertex are left out by
 * everybody. One sheet of ours that rolls up through itself, and two real frames where they are.
 */
#include "bench/cloth_frames.h"
#include "experiments.h"
#include "peers.h"

#define TRIANGLES 92160

static const bench_method *const ours[] = {&bench_self_auto};

static bool run_rolled(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {100, 10, 2};
    static const double seconds[3] = {1.0, 35.0, 300.0};
    static const uint32_t triangles[3] = {5000, TRIANGLES, TRIANGLES};
    scene_settings wanted = {.triangles = triangles[settings->length], .seed = settings->seed};
    scene_instance *scene = scene_create(&scene_cloth, &wanted);
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
        .seconds = seconds[settings->length],
        .title = "peers-self",
        .suffix = "",
        .group = "rolled",
        .triangles = done ? motion.meshes[0].triangle_count : 0,
    };
    done = done && peers_contest_run(&contest, report);
    bench_motion_free(&motion);
    scene_destroy(scene);
    return done;
}

static bool run_frames(const bench_settings *settings, bench_report *report)
{
    cloth_frames frames;
    bool done = true;
    if (!cloth_frames_read(&frames)) {
        report_note(report, "the cloth over a ball is left out: PLIANT_ASSETS has no truth/cloth");
    } else {
        peers_contest contest = {
            .settings = settings,
            .motion = &frames.motion,
            .ours = ours,
            .our_count = 1,
            .seconds = 15.0,
            .title = "peers-self",
            .suffix = "_unc",
            .group = "over a ball",
            .triangles = frames.mesh.triangle_count,
        };
        done = peers_contest_run(&contest, report);
        report_note(report,
                    "keys in _unc, %u triangles: cloth over a turning ball, frames 92 and "
                    "93; layers lie exactly on each other, where inexact tests err",
                    frames.mesh.triangle_count);
    }
    cloth_frames_free(&frames);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    return peers_introduce(report) && run_rolled(settings, report) &&
           (settings->length == BENCH_QUICK || run_frames(settings, report));
}

const bench_experiment experiment_peers_self = {
    .name = "peers-self",
    .description = "a rolled cloth of 92,160 triangles against itself, all pairs, beside other "
                   "libraries",
    .peers = true,
    .run = run,
};
