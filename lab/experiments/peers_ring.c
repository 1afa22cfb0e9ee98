/*
 * Six elastic figures of 45,682 vertices that hang from a ring, moved by 115 nodes each. We are
 * given their transforms. The others need the vertices, so evaluating these is part of their
 * update. The ratios are those of the small contact; those of the large one have keys of their own.
 */
#include "experiments.h"
#include "peers.h"
#include "gallery/meshless/ring.h"

#define VERTICES 45682

static bool run_contact(const bench_settings *settings, bool large, bench_report *report)
{
    static const bench_method *const ours[] = {&bench_scene_auto};
    static const double seconds[3] = {0.1, 2.0, 10.0};
    static const uint32_t vertices[3] = {2857, VERTICES, VERTICES};
    gallery_settings wanted = {.triangles = 2 * (vertices[settings->length] - 2),
                               .seed = settings->seed};
    gallery_scene *scene = NULL;
    bench_motion motion;
    bool done = bench_motion_in_time(settings, ring_kind(RING_FEW_NODES, large), wanted,
                                     seconds[settings->length], &scene, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    peers_contest contest = {
        .settings = settings,
        .motion = &motion,
        .ours = ours,
        .our_count = 1,
        .avx2 = &bench_scene_avx2,
        .title = "peers-ring",
        .suffix = large ? "_large" : "_small",
        .headline = !large,
        .group = large ? "large contact" : "small contact",
        .triangles = done ? motion.meshes[0].triangle_count : 0,
    };
    done = done && peers_contest_run(&contest, report);
    if (done && !large) {
        report_note(report,
                    "%u vertices and %u nodes per body; the others' updates include evaluating all "
                    "vertices by vector instructions; keys without an ending: small contact",
                    motion.meshes[0].vertex_count, motion.models[0]->joint_count);
    }
    bench_motion_free(&motion);
    if (scene != NULL) {
        gallery_destroy(scene);
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    peers_introduce(report);
    return run_contact(settings, false, report) && run_contact(settings, true, report);
}

const bench_experiment experiment_peers_ring = {
    .name = "peers-ring",
    .description = "six blended figures of 45,682 vertices and 115 nodes on a ring, all pairs, "
                   "beside other libraries",
    .peers = true,
    .run = run,
};
