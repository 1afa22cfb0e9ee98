/*
 * Contours of a dressed person who walks: body, suit and shoes, in every frame. What joining the
 * segments of all touching pairs costs, and what cutting the surfaces into regions, beside finding
 * the pairs with their segments.
 */
#include "experiments.h"

#include <math.h>

#include "lab/motions/asset_motion.h"
#include "pliant/contour.h"

enum { BODIES = 3 };

enum { COLLIDE, JOIN, REGIONS, STAGES };

typedef struct person {
    pliant_context *context;
    pliant_query *query;
    pliant_contours *contours;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
} person;

/* Sums over frames and pairs of bodies. */
typedef struct sums {
    double seconds[STAGES];
    uint64_t pairs, contours, closed, regions, inside, guessed, frames;
    double length;
} sums;

static void release(person *p)
{
    pliant_contours_destroy(p->contours);
    pliant_query_destroy(p->query);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(p->body[i]);
        pliant_shape_destroy(p->shape[i]);
    }
    pliant_context_destroy(p->context);
}

static pliant_result create_body(person *p, const bench_motion *motion, uint32_t i)
{
    const gallery_mesh *mesh = &motion->meshes[i];
    const gallery_model *model = motion->models[i];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = motion->rest[i];
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.modes = model->modes;
    def.mode_count = model->mode_count;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    def.normalise_weights = false;
    pliant_result result = pliant_shape_create(p->context, &def, &p->shape[i]);
    return result == PLIANT_OK ? pliant_body_create(p->shape[i], NULL, &p->body[i]) : result;
}

static pliant_result create(const bench_settings *settings, const bench_motion *motion, person *p)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    pliant_result result = pliant_context_create(&def, &p->context);
    result = result == PLIANT_OK ? pliant_query_create(p->context, &p->query) : result;
    result = result == PLIANT_OK ? pliant_contours_create(p->context, &p->contours) : result;
    for (uint32_t i = 0; i < BODIES && result == PLIANT_OK; i++) {
        result = create_body(p, motion, i);
    }
    return result;
}

static pliant_result set_states(person *p, const bench_motion *motion, const bench_frame *frame)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < BODIES && result == PLIANT_OK; i++) {
        const gallery_model *model = motion->models[i];
        if (model->mode_count > 0) {
            result =
                pliant_body_set_coordinates(p->body[i], frame->coordinates[i], model->mode_count);
        }
        if (result == PLIANT_OK && model->joint_count > 0) {
            result =
                pliant_body_set_transforms(p->body[i], frame->transforms[i], model->joint_count, 0);
        }
    }
    return result;
}

static void add_set(const pliant_contour_set *set, sums *sum)
{
    sum->contours += set->contour_count;
    sum->regions += set->region_count;
    sum->length += set->length;
    for (uint64_t i = 0; i < set->contour_count; i++) {
        sum->closed += set->contours[i].begin == PLIANT_CONTOUR_CLOSED;
    }
    for (uint64_t i = 0; i < set->region_count; i++) {
        sum->inside += set->regions[i].inside && !set->regions[i].guess;
        sum->guessed += set->regions[i].guess;
    }
}

/* Two bodies in one frame: the pairs, then the contours alone, then the regions too. */
static bool measure_pair(person *p, uint32_t a, uint32_t b, sums *sum, bench_report *report)
{
    pliant_collide_options collide = pliant_collide_options_default();
    pliant_contour_options options = pliant_contour_options_default();
    pliant_contacts contacts;
    pliant_contour_set set = {.pair_count = 0};
    collide.segments = true;
    double start = bench_seconds();
    pliant_result result = pliant_collide(p->query, p->body[a], p->body[b], &collide, &contacts);
    sum->seconds[COLLIDE] += bench_seconds() - start;
    if (result != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    if (contacts.count == 0) {
        return true;
    }
    options.pairs = contacts.pairs;
    options.pair_count = contacts.count;
    options.regions = false;
    start = bench_seconds();
    result = pliant_contours_find(p->contours, p->body[a], p->body[b], &options, &set);
    sum->seconds[JOIN] += bench_seconds() - start;
    options.regions = true;
    start = bench_seconds();
    result = result == PLIANT_OK
                 ? pliant_contours_find(p->contours, p->body[a], p->body[b], &options, &set)
                 : result;
    sum->seconds[REGIONS] += bench_seconds() - start;
    if (result != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    if (set.pair_count != contacts.count) {
        return report_fail(report, "%llu pairs touch, and contours have %llu",
                           (unsigned long long)contacts.count, (unsigned long long)set.pair_count);
    }
    sum->pairs += contacts.count;
    add_set(&set, sum);
    return true;
}

static bool play(const bench_settings *settings, person *p, bench_motion *motion, sums *sum,
                 bench_report *report)
{
    for (uint32_t i = 0; i < motion->step_count; i++) {
        bench_progress(settings, "contours-person", i, motion->step_count);
        if (set_states(p, motion, bench_motion_show(motion, i)) != PLIANT_OK) {
            return report_fail(report, "%s", pliant_last_error());
        }
        for (uint32_t a = 0; a < BODIES; a++) {
            for (uint32_t b = a + 1; b < BODIES; b++) {
                if (!measure_pair(p, a, b, sum, report)) {
                    return false;
                }
            }
        }
        sum->frames++;
    }
    return true;
}

static void tell(const sums *sum, bench_report *report)
{
    static const char *const names[STAGES] = {"pairs with segments", "contours",
                                              "contours, regions, depths"};
    double frames = (double)sum->frames;
    for (int i = 0; i < STAGES; i++) {
        bench_row *row = report_row(report, "%s", names[i]);
        report_cell(row, "ms_per_frame", 1e3 * sum->seconds[i] / frames, 3);
    }
    report_ratio(report, "join_over_collide", sum->seconds[JOIN] / sum->seconds[COLLIDE],
                 (double)NAN, "joining segments into contours over finding the pairs");
    report_ratio(report, "regions_over_collide", sum->seconds[REGIONS] / sum->seconds[COLLIDE],
                 (double)NAN, "contours and regions with their depths over finding the pairs");
    report_note(report,
                "%llu frames; per frame %.0f pairs, %.1f contours (%.1f closed), %.1f regions, "
                "%.1f of them inside for certain, %.1f guessed",
                (unsigned long long)sum->frames, (double)sum->pairs / frames,
                (double)sum->contours / frames, (double)sum->closed / frames,
                (double)sum->regions / frames, (double)sum->inside / frames,
                (double)sum->guessed / frames);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {20, 4, 1};
    asset_motion *source =
        asset_motion_read("characters/dressed-person.glb", "walk", strides[settings->length]);
    if (source == NULL) {
        report_note(report, "left out: PLIANT_ASSETS has no characters/dressed-person.glb");
        return true;
    }
    bench_motion *motion = asset_motion_get(source);
    person p = {0};
    sums sum = {0};
    bool done = motion->body_count == BODIES ||
                report_fail(report, "%u bodies, not %d", motion->body_count, BODIES);
    if (done && create(settings, motion, &p) != PLIANT_OK) {
        done = report_fail(report, "%s", pliant_last_error());
    }
    done = done && play(settings, &p, motion, &sum, report);
    if (done) {
        tell(&sum, report);
    }
    release(&p);
    asset_motion_free(source);
    return done;
}

const bench_experiment experiment_contours_person = {
    .name = "contours-person",
    .description = "contours and regions of body, suit and shoes of a walking person",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
