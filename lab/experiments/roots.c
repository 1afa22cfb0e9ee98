/*
 * The boxes of whole skinned bodies: how much larger in volume they are than the smallest ones when
 * they are asked for the first time in a state, what one takes, and how many pairs of them meet in
 * a crowd where pairs of smallest ones do. Ours.
 *
 * The people are those of the experiment `workers`; real characters follow where their files are at
 * hand (PLIANT_ASSETS), in all clips. A box that does not hold its body fails the experiment.
 */
#include "experiments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pliant/asset.h"
#include "workers.h"

enum { PEOPLE_TRIANGLES = 10000, MOMENTS = 6 };

/* What is gathered over the states of one body. */
typedef struct root_sums {
    double sum, most, seconds;
    uint32_t count;
} root_sums;

static pliant_box smallest_box(const pliant_shape *shape, const float *positions)
{
    pliant_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t t = 0; t < pliant_shape_get_triangle_count(shape); t++) {
        uint32_t corners[3] = {0, 0, 0};
        pliant_shape_get_triangle(shape, t, corners);
        for (int i = 0; i < 9; i++) {
            float x = positions[3 * (size_t)corners[i / 3] + (size_t)(i % 3)];
            box.lower[i % 3] = fminf(box.lower[i % 3], x);
            box.upper[i % 3] = fmaxf(box.upper[i % 3], x);
        }
    }
    return box;
}

/* Takes the box of a body in a new state, and the smallest one; `positions` is scratch. */
static bool measure_root(pliant_body *body, float *positions, root_sums *sums, pliant_box *smallest,
                         bench_report *report)
{
    const pliant_shape *shape = pliant_body_get_shape(body);
    pliant_box box;
    double start = bench_seconds(), ratio = 1.0;
    if (pliant_body_get_bounds(body, &box) != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    sums->seconds += bench_seconds() - start;
    if (pliant_body_evaluate(body, NULL, pliant_shape_get_vertex_count(shape), positions) !=
        PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    *smallest = smallest_box(shape, positions);
    for (int k = 0; k < 3; k++) {
        if (box.lower[k] > smallest->lower[k] || box.upper[k] < smallest->upper[k]) {
            return report_fail(report, "a box does not hold its body");
        }
        ratio *= ((double)box.upper[k] - (double)box.lower[k]) /
                 ((double)smallest->upper[k] - (double)smallest->lower[k]);
    }
    sums->sum += ratio;
    sums->most = fmax(sums->most, ratio);
    sums->count++;
    return true;
}

static void add_sums(const char *name, const pliant_shape *shape, const root_sums *sums,
                     bench_report *report)
{
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "triangles", pliant_shape_get_triangle_count(shape), 0);
    report_cell(row, "joints", pliant_shape_get_joint_count(shape), 0);
    report_cell(row, "states", sums->count, 0);
    report_cell(row, "volume_mean", sums->sum / sums->count, 3);
    report_cell(row, "volume_max", sums->most, 3);
    report_cell(row, "us", 1e6 * sums->seconds / sums->count, 3);
}

/* ------------------------------------------------------------------ people */

static uint64_t count_meeting(const pliant_box *boxes, uint32_t count)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            bool meet = true;
            for (int k = 0; k < 3; k++) {
                meet = meet && boxes[i].lower[k] <= boxes[j].upper[k] &&
                       boxes[j].lower[k] <= boxes[i].upper[k];
            }
            pairs += meet;
        }
    }
    return pairs;
}

/* One person after the other in one body, in all steps; pairs of boxes are counted by step. */
static bool play_people(workers_cast *cast, pliant_body *body, float *positions, pliant_box *boxes,
                        bench_report *report)
{
    const pliant_shape *shape = pliant_body_get_shape(body);
    uint32_t modes = pliant_shape_get_mode_count(shape),
             joints = pliant_shape_get_joint_count(shape), count = cast->body_count;
    root_sums sums = {0};
    uint64_t pairs = 0, true_pairs = 0;
    for (uint32_t step = 0; step < cast->step_count; step++) {
        cast->show(cast, step);
        for (uint32_t i = 0; i < count; i++) {
            const workers_state *state = &cast->states[i];
            if (pliant_body_set_coordinates(body, state->coordinates, modes) != PLIANT_OK ||
                pliant_body_set_transforms(body, state->transforms, joints, 0) != PLIANT_OK) {
                return report_fail(report, "%s", pliant_last_error());
            }
            if (!measure_root(body, positions, &sums, &boxes[count + i], report) ||
                pliant_body_get_bounds(body, &boxes[i]) != PLIANT_OK) {
                return false;
            }
        }
        pairs += count_meeting(boxes, count);
        true_pairs += count_meeting(boxes + count, count);
    }
    add_sums("people", shape, &sums, report);
    report_ratio(report, "people_volume_mean", sums.sum / sums.count, (double)NAN,
                 "volume of a person's box over the smallest, mean");
    report_ratio(report, "people_volume_max", sums.most, (double)NAN, "the same at its worst");
    report_ratio(report, "people_box_pairs", (double)pairs / (double)true_pairs, (double)NAN,
                 "pairs of boxes that meet in the crowd over pairs of smallest ones");
    return true;
}

static bool run_people(const bench_settings *settings, bench_report *report)
{
    static const uint32_t steps[3] = {2, 10, 40}, counts[3] = {50, 200, 200};
    uint32_t count = counts[settings->length];
    workers_cast cast;
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_box *boxes = calloc(2 * (size_t)count, sizeof *boxes);
    float *positions = NULL;
    bool done = workers_cast_people(count, PEOPLE_TRIANGLES, steps[settings->length], &cast) &&
                pliant_context_create(NULL, &context) == PLIANT_OK &&
                cast.make_shape(&cast, context, 0, &shape) &&
                pliant_body_create(shape, NULL, &body) == PLIANT_OK;
    if (done) {
        positions = malloc(3 * (size_t)pliant_shape_get_vertex_count(shape) * sizeof *positions);
    }
    done = done && boxes != NULL && positions != NULL
               ? play_people(&cast, body, positions, boxes, report)
               : report_fail(report, "not enough memory");
    free(boxes);
    free(positions);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    workers_cast_free(&cast);
    return done;
}

/* --------------------------------------------------------- real characters */

/* The moments of all clips of one body of a file, which is skinned. */
static bool play_body(pliant_asset *asset, pliant_asset_pose *pose, uint32_t number,
                      pliant_body *body, float *positions, root_sums *sums, bench_report *report)
{
    uint32_t clips = pliant_asset_get_counts(asset).clips;
    for (uint32_t i = 0; i < clips * MOMENTS; i++) {
        double end = pliant_asset_get_clip(asset, i / MOMENTS)->duration;
        pliant_box smallest;
        if (pliant_asset_pose_sample(pose, i / MOMENTS, end * (i % MOMENTS) / MOMENTS) !=
            PLIANT_OK) {
            return report_fail(report, "%s", pliant_last_error());
        }
        if (pliant_asset_pose_get_state(pose, number).hidden) {
            continue;
        }
        if (pliant_asset_pose_apply(pose, number, body) != PLIANT_OK) {
            return report_fail(report, "%s", pliant_last_error());
        }
        if (!measure_root(body, positions, sums, &smallest, report)) {
            return false;
        }
    }
    return true;
}

static bool run_body(pliant_context *context, pliant_asset *asset, pliant_asset_pose *pose,
                     uint32_t number, root_sums *all, bench_report *report)
{
    const pliant_asset_body *made = pliant_asset_get_body(asset, number);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, made->shape);
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    root_sums sums = {0};
    if (mesh->influence_offsets == NULL || mesh->triangles == NULL) {
        return true;
    }
    float *positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
    bool done = positions != NULL &&
                        pliant_asset_get_shape_def(asset, made->shape, &def) == PLIANT_OK &&
                        pliant_shape_create(context, &def, &shape) == PLIANT_OK &&
                        pliant_body_create(shape, NULL, &body) == PLIANT_OK
                    ? play_body(asset, pose, number, body, positions, &sums, report)
                    : report_fail(report, "%s: not enough memory", made->name);
    if (done && sums.count > 0) {
        add_sums(made->name, shape, &sums, report);
        all->sum = fmax(all->sum, sums.sum / sums.count); /* the worst of the means */
        all->most = fmax(all->most, sums.most);
        all->count++;
    }
    free(positions);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return done;
}

/* All skinned bodies of a file; nothing if it is not there. */
static bool run_file(const char *name, root_sums *all, bench_report *report)
{
    const char *assets = getenv("PLIANT_ASSETS");
    char path[4096];
    const char *paths[] = {path};
    snprintf(path, sizeof path, "%s/characters/%s", assets != NULL ? assets : PLIANT_ASSETS_DIR,
             name);
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    pliant_asset_pose *pose = NULL;
    bool done = true;
    if (pliant_context_create(NULL, &context) == PLIANT_OK &&
        pliant_asset_load(context, &def, &asset) == PLIANT_OK &&
        pliant_asset_pose_create(asset, &pose) == PLIANT_OK) {
        for (uint32_t i = 0; done && i < pliant_asset_get_counts(asset).bodies; i++) {
            done = run_body(context, asset, pose, i, all, report);
        }
    }
    pliant_asset_pose_destroy(pose);
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const char *const files[] = {"dressed-person.glb", "horse.glb", "wolf.glb",  "fox.glb",
                                        "shark.glb",          "robot.glb", "knight.glb"};
    enum { FILES = sizeof files / sizeof files[0] };
    root_sums all = {0};
    bool done = run_people(settings, report);
    for (int i = 0; done && i < FILES && settings->length != BENCH_QUICK; i++) {
        done = run_file(files[i], &all, report);
        bench_progress(settings, "roots", (uint64_t)i + 1, FILES);
    }
    if (done && all.count > 0) {
        report_ratio(
            report, "real_volume_mean", all.sum, (double)NAN,
            "the same of real characters and their parts, mean over clips, the worst body");
        report_ratio(report, "real_volume_max", all.most, (double)NAN,
                     "the same at its worst moment");
    }
    return done;
}

const bench_experiment experiment_roots = {
    .name = "roots",
    .description = "the boxes of whole skinned bodies: how tight, how fast, and pairs that meet",
    .own_turns = true,
    .run = run,
};
