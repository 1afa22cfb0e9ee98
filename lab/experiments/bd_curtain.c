/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, table 2: a ball thrown at a compressed animation of a curtain that
 * blows in the wind. The paper's quotient is that of its own two methods, both scalar, and its
 * numbers of tests say that its ball is far simpler than a mesh; so it is measured with a ball that
 * is one sphere. Beyond the paper: a ball of 1,280 triangles, finer meshes of the same curtain, a
 * rival of boxes, the library's own bounds, and a second motion in which the ball pushes the
 * curtain ahead of it.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "lab/baselines/sphere_tree.h"
#include "lab/motions/reduced_pair.h"
#include "lab/motions/subdivide.h"
#include "gallery/modal/kinds.h"
#include "gallery/modal/models.h"

#define MAX_MODES         16
#define FRAMES_PER_SECOND 30.0 /* the paper's */

typedef struct curtain_size {
    uint32_t triangles, frames;
    uint32_t finest; /* how often the mesh is refined */
    uint32_t plays;
} curtain_size;

static const curtain_size sizes[3] = {{1500, 28, 2, 1}, {0, 110, 2, 9}, {0, 110, 2, 31}};

/* The mesh refined up to twice. */
enum { CURTAIN_SIZES = 3 };

/* What the two motions are called. */
typedef struct curtain_motion {
    const gallery_kind *kind;
    bool papers; /* whether the curtain is the paper's, about whose spheres it says something */
    const char *what;
    const char *sizes[CURTAIN_SIZES], *keys[CURTAIN_SIZES], *wide_keys[CURTAIN_SIZES];
} curtain_motion;

static const curtain_motion motions[2] = {
    {&gallery_curtain,
     true,
     "layered spheres' time over ours",
     {"1x", "4x", "16x"},
     {"vs_layered_1x", "vs_layered_4x", "vs_layered_16x"},
     {"vs_layered_wide_1x", "vs_layered_wide_4x", "vs_layered_wide_16x"}},
    {&gallery_curtain_pushed,
     false,
     "layered spheres' time over ours, the ball pushing the curtain",
     {"1x, pushed", "4x, pushed", "16x, pushed"},
     {"vs_layered_pushed_1x", "vs_layered_pushed_4x", "vs_layered_pushed_16x"},
     {"vs_layered_wide_pushed_1x", "vs_layered_wide_pushed_4x", "vs_layered_wide_pushed_16x"}},
};

/* The states of both bodies at all frames. */
typedef struct curtain_states {
    float *coordinates, *transforms;
} curtain_states;

static bool take_states(const gallery_scene *scene, uint32_t frames, curtain_states *states)
{
    uint32_t modes = scene->models[0].mode_count;
    states->coordinates = calloc((size_t)frames * modes, sizeof *states->coordinates);
    states->transforms = calloc((size_t)frames * 12, sizeof *states->transforms);
    if (states->coordinates == NULL || states->transforms == NULL) {
        return false;
    }
    for (uint32_t frame = 0; frame < frames; frame++) {
        float nothing[MAX_MODES];
        gallery_state(scene, 0, frame, states->coordinates + (size_t)frame * modes, NULL);
        gallery_state(scene, 1, frame, nothing, states->transforms + (size_t)frame * 12);
    }
    return true;
}

static void add_rows(const reduced_pair *pair, const char *size, const reduced_cost *costs,
                     bench_report *report)
{
    for (int m = 0; m < REDUCED_METHODS; m++) {
        const reduced_cost *cost = &costs[m];
        if (cost->ms <= 0.0) {
            continue;
        }
        bool ours = m >= REDUCED_OURS;
        bench_row *row = report_row(report, "%s: %s", size, reduced_method_names[m]);
        report_cell(row, "triangles", pair->actors[0].mesh.triangle_count, 0);
        report_cell(row, "update_ms", ours ? (double)NAN : cost->evaluate_ms, 3);
        report_cell(row, "total_ms", cost->ms, 3);
        report_cell(row, "frame_ms", cost->ms / pair->frame_count, 5);
        report_cell(row, "over_ours", cost->ms / costs[REDUCED_OURS].ms, 1);
        report_cell(row, "tests", m == REDUCED_REFIT ? (double)NAN : cost->tests, 0);
        report_cell(row, "refreshed", m == REDUCED_REFIT ? (double)NAN : cost->refreshed, 0);
        report_cell(row, "pairs", (double)cost->pairs, 0);
        report_cell(row, "frames_touching", cost->touching, 0);
    }
}

/* The paper's <R'/R>: over all spheres of the curtain in every tenth frame. */
static bool add_tightness(const reduced_pair *pair, bench_report *report)
{
    const reduced_actor *actor = &pair->actors[0];
    sphere_shape shape;
    sphere_body layered = {0}, bd = {0};
    bool done = sphere_shape_create(&actor->mesh, &actor->model, pair->settings->isa, &shape) &&
                sphere_body_create(&shape, SPHERES_LAYERED, &layered) &&
                sphere_body_create(&shape, SPHERES_BD, &bd);
    double over_layered = 0.0, over_rest = 0.0, count = 0.0;
    for (uint32_t frame = 0; done && frame < pair->frame_count; frame += 10) {
        const float *q = actor->coordinates + (size_t)frame * actor->model.mode_count;
        sphere_body_set(&layered, q, NULL);
        sphere_body_set(&bd, q, NULL);
        for (uint32_t i = 0; i < shape.tree.node_count; i++) {
            double radius = (double)sphere_body_at(&bd, i)->radius;
            over_layered += radius / (double)layered.spheres[i].radius;
            over_rest += radius / (double)shape.rest[i].radius;
            count += 1.0;
        }
    }
    sphere_body_free(&bd);
    sphere_body_free(&layered);
    sphere_shape_free(&shape);
    if (!done) {
        return report_fail(report, "not enough memory");
    }
    report_ratio(report, "bd_over_layered_radius", over_layered / count, (double)NAN,
                 "BD-Tree's radius over the layered one, mean of all spheres and frames");
    report_ratio(report, "bd_over_rest_radius", over_rest / count, 1.51,
                 "BD-Tree's radius over that at rest, mean of all spheres and frames");
    return true;
}

/* What is said of the paper's motion, by ball. */
typedef struct ball_keys {
    const char *layered_over_bd, *vs_layered_scalar, *vs_layered_wide, *vs_bd_tree, *tests;
    double paper, paper_tests; /* NAN: not this ball's */
} ball_keys;

static const ball_keys simple_ball = {
    "layered_over_bd_simple", "vs_layered_scalar_simple",     "vs_layered_wide_simple",
    "vs_bd_tree_simple",      "tests_bd_over_layered_simple", 2250.0,
    3890.0 / 2150.0};
static const ball_keys mesh_ball = {"layered_over_bd_1x", "vs_layered_scalar_1x",  NULL,
                                    "vs_bd_tree_1x",      "tests_bd_over_layered", (double)NAN,
                                    (double)NAN};

/* The paper's two methods against each other, then ours with vectors against each. */
static void add_paper_ratios(const ball_keys *keys, const reduced_cost *costs, bench_report *report)
{
    double scalar = costs[REDUCED_LAYERED_SCALAR].ms, ours = costs[REDUCED_OURS].ms;
    report_ratio(report, keys->layered_over_bd, scalar / costs[REDUCED_BD_TREE].ms, keys->paper,
                 "the paper's two methods, both scalar: layered spheres' time over BD-Tree's");
    report_ratio(report, keys->vs_layered_scalar, scalar / ours, (double)NAN,
                 "layered spheres, scalar, over ours with vectors");
    if (keys->vs_layered_wide != NULL) {
        report_ratio(report, keys->vs_layered_wide, costs[REDUCED_LAYERED_WIDE].ms / ours,
                     (double)NAN, "layered spheres merged many at once over ours with vectors");
    }
    report_ratio(report, keys->vs_bd_tree, costs[REDUCED_BD_TREE].ms / ours, (double)NAN,
                 "the paper's method in plain C over ours");
    report_ratio(report, keys->tests,
                 costs[REDUCED_BD_TREE].tests / costs[REDUCED_LAYERED_SCALAR].tests,
                 keys->paper_tests, "sphere tests, BD-Tree over layered, on the same tree");
}

static bool run_size(const curtain_motion *motion, const reduced_pair *pair, int size,
                     uint32_t plays, bench_report *report)
{
    reduced_cost costs[REDUCED_METHODS] = {{0}};
    bool wanted[REDUCED_METHODS];
    for (int m = 0; m < REDUCED_METHODS; m++) {
        wanted[m] = true;
    }
    if (!reduced_pair_play(pair, wanted, plays, costs, report)) {
        return false;
    }
    add_rows(pair, motion->sizes[size], costs, report);
    bool papers = motion->papers && size == 0;
    report_ratio(report, motion->keys[size], costs[REDUCED_LAYERED].ms / costs[REDUCED_OURS].ms,
                 (double)NAN, motion->what);
    report_ratio(report, motion->wide_keys[size],
                 costs[REDUCED_LAYERED_WIDE].ms / costs[REDUCED_OURS].ms, (double)NAN,
                 "the same with spheres merged many at once");
    if (papers) {
        add_paper_ratios(&mesh_ball, costs, report);
    }
    return !papers || add_tightness(pair, report);
}

/* The paper's motion with a ball that is one sphere: a point of a radius, which flies as the mesh
   of triangles does. */
static bool run_simple(const reduced_pair *whole, uint32_t plays, bench_report *report)
{
    static float centre[9] = {0};
    static uint32_t corners[3] = {0, 1, 2};
    reduced_cost costs[REDUCED_METHODS] = {{0}};
    bool wanted[REDUCED_METHODS];
    reduced_pair pair = *whole;
    for (int m = 0; m < REDUCED_METHODS; m++) {
        wanted[m] = m != REDUCED_REFIT;
    }
    pair.title = "simple ball";
    pair.ball_radius = (float)MODAL_BALL_RADIUS;
    pair.actors[1].mesh = (gallery_mesh){
        .positions = centre, .triangles = corners, .vertex_count = 3, .triangle_count = 1};
    if (!reduced_pair_play(&pair, wanted, plays, costs, report)) {
        return false;
    }
    add_rows(&pair, "simple ball", costs, report);
    add_paper_ratios(&simple_ball, costs, report);
    return true;
}

/* Refines the curtain again and again. */
static bool run_sizes(const curtain_motion *motion, const gallery_scene *scene,
                      const curtain_states *states, const bench_settings *settings,
                      bench_report *report)
{
    const curtain_size *size = &sizes[settings->length];
    gallery_mesh mesh = scene->bodies[0], owned = {0};
    gallery_model model = scene->models[0], owned_model = {0};
    mesh.positions = scene->rest[0];
    bool done = true;
    for (uint32_t i = 0; done && i <= size->finest && i < CURTAIN_SIZES; i++) {
        reduced_pair pair = {.settings = settings,
                             .title = motion->sizes[i],
                             .frame_count = size->frames,
                             .rate = FRAMES_PER_SECOND};
        pair.actors[0] = (reduced_actor){mesh, model, states->coordinates, NULL};
        pair.actors[1] =
            (reduced_actor){scene->bodies[1], scene->models[1], NULL, states->transforms};
        pair.actors[1].mesh.positions = scene->rest[1];
        uint32_t plays = i == 0 ? size->plays : (size->plays + 2) / 3;
        done = run_size(motion, &pair, (int)i, plays, report) &&
               (i > 0 || !motion->papers || run_simple(&pair, plays, report));
        if (done && i < size->finest) {
            gallery_mesh finer;
            gallery_model finer_model;
            done = bench_subdivide(&mesh, &model, &finer, &finer_model) ||
                   report_fail(report, "not enough memory");
            mesh_free(&owned);
            gallery_model_free(&owned_model);
            mesh = owned = finer;
            model = owned_model = finer_model;
        }
    }
    mesh_free(&owned);
    gallery_model_free(&owned_model);
    return done;
}

static bool run_motion(const curtain_motion *motion, const bench_settings *settings,
                       bench_report *report)
{
    const curtain_size *size = &sizes[settings->length];
    gallery_settings wanted = {.triangles = size->triangles,
                               .steps = size->frames - 1,
                               .seed = settings->seed,
                               .isa = settings->isa};
    curtain_states states = {0};
    gallery_scene *scene = gallery_create(motion->kind, &wanted);
    bool done = scene != NULL && take_states(scene, size->frames, &states);
    if (!done) {
        report_fail(report, "the curtain cannot be made");
    }
    done = done && run_sizes(motion, scene, &states, settings, report);
    free(states.coordinates);
    free(states.transforms);
    gallery_destroy(scene);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done =
        run_motion(&motions[0], settings, report) && run_motion(&motions[1], settings, report);
    if (done) {
        report_note(report,
                    "times are for all %u frames together; ours counts pairs of nodes as tests, "
                    "each of up to 64 pairs of boxes, and nodes and clusters as refreshed",
                    sizes[settings->length].frames);
        report_note(report,
                    "pushed: the cloth was simulated together with the ball, which the paper's was "
                    "not, and the ball pushes it ahead for nine frames");
        report_note(report, "the paper: 3,890 tests and 2.4 ms (BD-Tree), 2,150 tests and 5,400 ms "
                            "(layered), of a ball that it does not describe");
        report_note(report, "simple ball: one sphere, chosen because so few tests need a simple "
                            "one; pairs are triangles of the curtain that it touches");
    }
    return done;
}

const bench_experiment experiment_bd_curtain = {
    .name = "bd-curtain",
    .description = "a ball is thrown at a curtain of 12 modes, over 110 frames",
    .paper = "2,250 times faster than layered spheres, 1.8 times as many sphere tests",
    .run = run,
};
