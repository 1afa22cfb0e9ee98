/* Two deforming spheres of 1,280 to 327,680 triangles each, all pairs, beside other libraries. */
#include "experiments.h"
#include "peers.h"

static const uint32_t sizes[] = {1280, 5120, 20480, 81920, 327680};
#define SIZES ((uint32_t)(sizeof sizes / sizeof sizes[0]))

static bool run_size(const bench_settings *settings, uint32_t size, bench_report *report)
{
    static const bench_method *const ours[] = {&bench_ours_auto};
    static const uint32_t strides[3] = {50, 5, 1};
    /* With the largest bodies the slowest libraries take a second for a few steps. */
    uint32_t stride = strides[settings->length] * (sizes[size] > 20480 ? 2 : 1);
    char suffix[16];
    snprintf(suffix, sizeof suffix, "_%u", sizes[size]);
    gallery_settings wanted = {.triangles = sizes[size], .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, stride, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    peers_contest contest = {
        .settings = settings,
        .motion = &motion,
        .ours = ours,
        .our_count = 1,
        .avx2 = &bench_ours_avx2,
        .oriented = sizes[size] <= 20480,
        .title = "peers-spheres",
        .suffix = suffix,
        .group = suffix + 1,
        .triangles = sizes[size],
    };
    done = done && peers_contest_run(&contest, report);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    uint32_t count = settings->length == BENCH_QUICK ? 2 : SIZES;
    bool done = true;
    peers_introduce(report);
    for (uint32_t i = 0; done && i < count; i++) {
        done = run_size(settings, i, report);
    }
    return done;
}

const bench_experiment experiment_peers_spheres = {
    .name = "peers-spheres",
    .description = "two deforming spheres of 1,280 to 327,680 triangles, all pairs, beside other "
                   "libraries",
    .peers = true,
    .run = run,
};
