/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, figure 6: how tight the spheres of a swaying bridge are, bounded from
 * its coordinates or layered; and section 4: about 12,000 fish falling on it.
 */
#include "experiments.h"

#include "bd_bridge.h"
#include "lab/harness/tightness.h"

/* The level whose nodes are three and three halvings of the whole: the paper's 64 spheres. */
#define PAPER_LEVEL 1

static const uint32_t bridge_triangles[3] = {24000, 0, 0};

static void add_level(const tightness_level *level, uint32_t index, bench_report *report)
{
    bench_row *row = report_row(report, "level %u", index + 1);
    report_cell(row, "spheres", level->nodes, 0);
    report_cell(row, "triangles", level->triangles, 0);
    report_cell(row, "layered_rest", level->layered_rest.mean, 3);
    report_cell(row, "rest_max", level->layered_rest.max, 3);
    report_cell(row, "layered", level->layered.mean, 3);
    report_cell(row, "layered_max", level->layered.max, 3);
    report_cell(row, "bd", level->bd_smallest.mean, 3);
    report_cell(row, "bd_max", level->bd_smallest.max, 3);
    report_cell(row, "bd_about_mean", level->bd.mean, 3);
    report_cell(row, "about_mean_max", level->bd.max, 3);
}

static bool run_tightness(const bench_settings *settings, const gallery_mesh *mesh,
                          const modal_animation *animation, bench_report *report)
{
    gallery_model model = {.mode_count = animation->mode_count, .modes = animation->modes};
    tightness result;
    if (!tightness_measure(settings, mesh, &model, animation->coordinates, animation->frame_count,
                           &result, report)) {
        return false;
    }
    for (uint32_t i = 0; i < result.level_count; i++) {
        add_level(&result.levels[i], i, report);
    }
    const tightness_level *level = &result.levels[PAPER_LEVEL];
    report_ratio(report, "bd_mean_radius", level->bd_smallest.mean, 1.25,
                 "ours over undeformed wrapped, mean of level 2 and all frames");
    report_ratio(report, "bd_max_radius", level->bd_smallest.max, 1.56, "the same, largest");
    report_ratio(report, "layered_mean_radius", level->layered.mean, 1.31,
                 "layered over undeformed wrapped, mean of level 2 and all frames");
    report_ratio(report, "layered_max_radius", level->layered.max, 1.79, "the same, largest");
    report_ratio(report, "layered_mean_rest", level->layered_rest.mean, 1.31,
                 "layered, undeformed, mean of level 2");
    report_ratio(report, "layered_max_rest", level->layered_rest.max, 1.77, "the same, largest");
    report_note(report,
                "bd: about the centres of the smallest spheres; about the mean of the "
                "vertices level 2 is %.3f, about the middle of their box %.3f",
                level->bd.mean, level->bd_mid_range.mean);
    report_note(report,
                "a level of eights is three of halves: our level 2 with %u spheres of %.0f "
                "triangles stands for the paper's level 6 with 64",
                level->nodes, level->triangles);
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    gallery_mesh mesh;
    modal_animation animation;
    if (!modal_make_bridge(bridge_triangles[settings->length], &mesh, &animation)) {
        return report_fail(report, "the bridge cannot be made");
    }
    bool done = run_tightness(settings, &mesh, &animation, report) &&
                bd_bridge_drop_fish(settings, &mesh, &animation, report);
    mesh_free(&mesh);
    modal_animation_free(&animation);
    return done;
}

const bench_experiment experiment_bd_bridge = {
    .name = "bd-bridge",
    .description =
        "spheres of a swaying bridge of 240,316 triangles, and 12,000 fish falling on it",
    .paper = "64 spheres over undeformed: BD 1.25 mean, 1.56 max; layered 1.31 mean, 1.79 max",
    .run = run,
};
