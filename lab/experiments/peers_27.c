/* The crowd of 27 deforming spheres, all pairs of all bodies, beside other libraries. */
#include "lab/motions/crowd_motion.h"
#include "experiments.h"
#include "peers.h"

static bool run(const bench_settings *settings, bench_report *report)
{
    static const bench_method *const ours[] = {&bench_scene_auto};
    static const uint32_t strides[3] = {100, 10, 1};
    crowd_motion crowd = {0};
    peers_introduce(report);
    bool done = crowd_motion_record(settings, &gallery_crowd_spheres, strides[settings->length],
                                    &crowd, report);
    peers_contest contest = {
        .settings = settings,
        .motion = &crowd.motion,
        .ours = ours,
        .our_count = 1,
        .avx2 = &bench_scene_avx2,
        .oriented = settings->length != BENCH_QUICK,
        .title = "peers-27",
        .suffix = "",
        .triangles = gallery_crowd_spheres.triangles,
    };
    done = done && peers_contest_run(&contest, report);
    crowd_motion_free(&crowd);
    return done;
}

const bench_experiment experiment_peers_27 = {
    .name = "peers-27",
    .description = "a crowd of 27 deforming spheres of 5,120 triangles, all pairs, beside other "
                   "libraries",
    .peers = true,
    .run = run,
};
