/* Whether two deforming spheres touch, and one pair that shows it, beside other libraries. */
#include "experiments.h"
#include "peers.h"

#define TRIANGLES 20480

static bool run(const bench_settings *settings, bench_report *report)
{
    static const bench_method *const ours[] = {&bench_ours_first_auto,
                                               &bench_ours_first_remembered};
    static const uint32_t strides[3] = {50, 5, 1};
    gallery_settings wanted = {.triangles = TRIANGLES, .seed = settings->seed};
    peers_introduce(report);
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, strides[settings->length], &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    peers_contest contest = {
        .settings = settings,
        .motion = &motion,
        .ours = ours,
        .our_count = 2,
        .avx2 = &bench_ours_first_avx2,
        .first_only = true,
        .oriented = settings->length != BENCH_QUICK,
        .title = "peers-first",
        .suffix = "",
        .triangles = TRIANGLES,
    };
    done = done && peers_contest_run(&contest, report);
    if (done) {
        report_note(report,
                    "pairs: steps in which the bodies touch; the ratios are over us without "
                    "memory of the step before");
    }
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

const bench_experiment experiment_peers_first = {
    .name = "peers-first",
    .description = "two deforming spheres of 20,480 triangles, first contact, beside other "
                   "libraries",
    .peers = true,
    .run = run,
};
