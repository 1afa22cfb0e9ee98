/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, figure 6: how tight the spheres of a swaying bridge are, bounded from
 * its coordinates or layered; and section 4: about 12,000 fish falling on it.
 */
#include "experiments.h"

#include <math.h>

#include "bd_bridge.h"
#include "lab/harness/tightness.h"

/* The level whose nodes are three and three halvings of the whole: the paper's 64 spheres. */
#define PAPER_LEVEL 1

static const uint32_t bridge_triangles[3] = {24000, 0, 0};

/* One line of a level: bounded spheres about the centres of the smallest ones and about the means,
   each over undeformed ones about the same. */
static void add_level(const tightness_level *level, const tightness_figures *figures,
                      const char *name, bench_report *report)
{
    const tightness_figures *smallest = &figures[TIGHTNESS_SMALLEST];
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "spheres", level->nodes, 0);
    report_cell(row, "triangles", level->triangles, 0);
    report_cell(row, "layered_rest", level->rest[TIGHTNESS_SMALLEST].mean, 3);
    report_cell(row, "rest_max", level->rest[TIGHTNESS_SMALLEST].max, 3);
    report_cell(row, "layered", smallest->layered.mean, 3);
    report_cell(row, "layered_max", smallest->layered.max, 3);
    report_cell(row, "bd", smallest->bd.mean, 3);
    report_cell(row, "bd_max", smallest->bd.max, 3);
    report_cell(row, "bd_about_mean", figures[TIGHTNESS_MEAN].bd.mean, 3);
    report_cell(row, "about_mean_max", figures[TIGHTNESS_MEAN].bd.max, 3);
}

static void add_levels(const tightness *result, bench_report *report)
{
    for (uint32_t i = 0; i < result->level_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "level %u", i + 1);
        add_level(&result->levels[i], result->levels[i].all, name, report);
        snprintf(name, sizeof name, "level %u, largest frame", i + 1);
        add_level(&result->levels[i], result->levels[i].largest, name, report);
    }
}

/* Figure 6 in its frame of large deformation. */
static void add_figure_6(const tightness_level *level, bench_report *report)
{
    const tightness_figures *smallest = &level->largest[TIGHTNESS_SMALLEST];
    report_ratio(report, "bd_mean_radius", smallest->bd.mean, 1.25,
                 "bounded over undeformed, both about smallest spheres' centres, level 2, mean");
    report_ratio(report, "bd_max_radius", smallest->bd.max, 1.56, "the same, largest");
    report_ratio(report, "layered_mean_radius", smallest->layered.mean, 1.31,
                 "layered over the same undeformed ones, level 2, mean");
    report_ratio(report, "layered_max_radius", smallest->layered.max, 1.79, "the same, largest");
    report_ratio(report, "layered_mean_rest", level->rest[TIGHTNESS_SMALLEST].mean, 1.31,
                 "layered, undeformed, mean of level 2");
    report_ratio(report, "layered_max_rest", level->rest[TIGHTNESS_SMALLEST].max, 1.77,
                 "the same, largest");
    report_ratio(report, "figure_6_mean", smallest->layered.mean / smallest->bd.mean, 1.31 / 1.25,
                 "layered over bounded, mean: above 1, the paper's claim holds");
    report_ratio(report, "figure_6_max", smallest->layered.max / smallest->bd.max, 1.79 / 1.56,
                 "layered over bounded, largest: above 1, the paper's claim holds");
}

/* The same about the means of vertices, and over all frames. */
static void add_other_figures(const tightness_level *level, bench_report *report)
{
    const tightness_figures *about_mean = &level->largest[TIGHTNESS_MEAN];
    const tightness_figures *all = &level->all[TIGHTNESS_SMALLEST];
    const tightness_ratio *affine = &level->largest[TIGHTNESS_SMALLEST].affine;
    const tightness_ratio *layered = &level->largest[TIGHTNESS_SMALLEST].layered;
    report_ratio(report, "affine_mean_radius", affine->mean, (double)NAN,
                 "spheres that follow the affine part where smaller, over the same ones, mean");
    report_ratio(report, "affine_max_radius", affine->max, (double)NAN, "the same, largest");
    report_ratio(report, "figure_6_mean_affine", layered->mean / affine->mean, (double)NAN,
                 "layered over these, mean: above 1, the claim holds with them");
    report_ratio(report, "figure_6_max_affine", layered->max / affine->max, (double)NAN,
                 "the same, largest");
    report_ratio(report, "bd_mean_about_mean", about_mean->bd.mean, (double)NAN,
                 "bounded over undeformed, both about the means of vertices, mean");
    report_ratio(report, "bd_max_about_mean", about_mean->bd.max, (double)NAN, "the same, largest");
    report_ratio(report, "layered_mean_about_mean", about_mean->layered.mean, (double)NAN,
                 "layered over the same undeformed ones, mean");
    report_ratio(report, "layered_max_about_mean", about_mean->layered.max, (double)NAN,
                 "the same, largest");
    report_ratio(report, "bd_mean_all_frames", all->bd.mean, (double)NAN,
                 "bounded about smallest spheres' centres, mean of all frames");
    report_ratio(report, "bd_max_all_frames", all->bd.max, (double)NAN, "the same, largest");
    report_ratio(report, "layered_mean_all_frames", all->layered.mean, (double)NAN,
                 "layered, mean of all frames");
    report_ratio(report, "layered_max_all_frames", all->layered.max, (double)NAN,
                 "the same, largest");
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
    const tightness_level *level = &result.levels[PAPER_LEVEL];
    const tightness_figures *shown = &level->largest[TIGHTNESS_SMALLEST];
    bool holds = shown->layered.mean > shown->bd.mean && shown->layered.max > shown->bd.max;
    add_levels(&result, report);
    add_figure_6(level, report);
    add_other_figures(level, report);
    report_note(report,
                "figure 6 claims that layered spheres are larger than bounded ones in mean and "
                "maximum: here %s (mean %.3f and %.3f, maximum %.3f and %.3f)",
                holds ? "it holds" : "it does not hold", shown->layered.mean, shown->bd.mean,
                shown->layered.max, shown->bd.max);
    report_note(
        report,
        "with spheres that follow the affine part of a deformation where these are smaller, "
        "the mean would be %.3f and the maximum %.3f",
        shown->affine.mean, shown->affine.max);
    report_note(report, "the largest frame is %u of %u, which moves a vertex by %.2f",
                result.largest_frame, animation->frame_count, result.largest_movement);
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
    .own_turns = true,
    .run = run,
};
