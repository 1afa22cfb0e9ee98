/*
 * What `pliant check` asks of a dressed person who walks: all touching triangles of body, suit and
 * shoes, in every frame. The hard case for bounds without vertices: the suit lies on the skin, so
 * contact is everywhere and most of the bodies is evaluated whatever one does.
 */
#include "experiments.h"

#include <math.h>

#include "lab/motions/asset_motion.h"
#include "points.h"

static bool contest(const bench_settings *settings, bench_motion *motion, bench_report *report)
{
    points_contest wanted = {
        .settings = settings,
        .motion = motion,
        .title = "check-dressed",
        .nodes = motion->models[0]->joint_count,
        .large = true,
    };
    uint32_t triangles = 0;
    for (uint32_t i = 0; i < motion->body_count; i++) {
        wanted.vertices += motion->meshes[i].vertex_count;
        triangles += motion->meshes[i].triangle_count;
    }
    points_result all;
    if (!points_contest_run(&wanted, &all, report)) {
        return false;
    }
    report_ratio(report, "plain", all.plain / all.ours, (double)NAN,
                 "plain evaluation, refit and query over ours");
    report_ratio(report, "simd", all.simd / all.ours, (double)NAN,
                 "vectorised evaluation and refit, and query, over ours");
    report_ratio(report, "auto_over_best", all.auto_over_best, (double)NAN,
                 "our automatic choice over our best fixed one");
    report_note(report, "%u bodies, %u triangles, %u frames; times are means per frame",
                motion->body_count, triangles, motion->step_count);
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {20, 1, 1};
    asset_motion *source =
        asset_motion_read("characters/dressed-person.glb", "walk", strides[settings->length]);
    if (source == NULL) {
        report_note(report, "left out: PLIANT_ASSETS has no characters/dressed-person.glb");
        return true;
    }
    bool done = contest(settings, asset_motion_get(source), report);
    asset_motion_free(source);
    return done;
}

const bench_experiment experiment_check_dressed = {
    .name = "check-dressed",
    .description = "body, suit and shoes of a walking person, all pairs in every frame",
    .paper = NULL,
    .run = run,
};
