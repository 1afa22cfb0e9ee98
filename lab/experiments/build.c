/* How long it takes to make a shape, and how large it is, on one worker. */
#include "experiments.h"

#include <math.h>

#include "pliant/shape.h"
#include "gallery/gallery.h"

typedef struct build_case {
    const char *name;
    uint32_t triangles;
    pliant_partition partition;
    bool quick; /* also in a quick run */
} build_case;

static const build_case cases[] = {
    {"balanced", 20480, PLIANT_PARTITION_BALANCED, true},
    {"balanced", 81920, PLIANT_PARTITION_BALANCED, false},
    {"balanced", 327680, PLIANT_PARTITION_BALANCED, true},
    {"initial shape, box centre", 20480, PLIANT_PARTITION_SHAPE_CENTRE, true},
    {"initial shape, mean midpoint", 20480, PLIANT_PARTITION_SHAPE_MEAN, true},
    {"connectivity", 20480, PLIANT_PARTITION_CONNECTIVITY, true},
    {"initial shape, box centre", 327680, PLIANT_PARTITION_SHAPE_CENTRE, false},
    {"initial shape, mean midpoint", 327680, PLIANT_PARTITION_SHAPE_MEAN, false},
    {"connectivity", 327680, PLIANT_PARTITION_CONNECTIVITY, false},
};
#define CASES ((uint32_t)(sizeof cases / sizeof cases[0]))

typedef struct build_result {
    double milliseconds;
    uint64_t bytes;
    pliant_shape_quality quality;
} build_result;

static bool time_builds(pliant_context *context, const gallery_mesh *mesh,
                        pliant_partition partition, uint32_t runs, build_result *result)
{
    double times[16];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.partition = partition;
    for (uint32_t i = 0; i < runs; i++) {
        pliant_shape *shape = NULL;
        double start = bench_seconds();
        if (pliant_shape_create(context, &def, &shape) != PLIANT_OK) {
            return false;
        }
        times[i] = bench_seconds() - start;
        result->bytes = pliant_shape_get_memory(shape);
        bool known = pliant_shape_get_quality(shape, &result->quality) == PLIANT_OK;
        pliant_shape_destroy(shape);
        if (!known) {
            return false;
        }
    }
    result->milliseconds = 1e3 * bench_median(times, runs);
    return true;
}

static bool run_case(const bench_settings *settings, pliant_context *context,
                     const build_case *which, bench_report *report)
{
    static const uint32_t runs[3] = {3, 7, 15};
    gallery_settings wanted = {.triangles = which->triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    build_result result = {0};
    bool done =
        time_builds(context, &scene->bodies[0], which->partition, runs[settings->length], &result);
    gallery_destroy(scene);
    if (!done) {
        return report_fail(report, "a shape could not be made: %s", pliant_last_error());
    }
    double bytes_per_triangle = (double)result.bytes / which->triangles;
    bench_row *row = report_row(report, "%s", which->name);
    report_cell(row, "triangles", which->triangles, 0);
    report_cell(row, "total_ms", result.milliseconds, 2);
    report_cell(row, "bytes_per_triangle", bytes_per_triangle, 1);
    report_cell(row, "levels", result.quality.levels, 0);
    report_cell(row, "cluster_fill", result.quality.cluster_fill, 3);
    report_cell(row, "boundary_share", result.quality.boundary_share, 3);
    report_cell(row, "area_ratio", result.quality.area_ratio, 2);
    if (which->triangles == 327680 && which->partition == PLIANT_PARTITION_BALANCED) {
        report_ratio(report, "ms_327680", result.milliseconds, (double)NAN,
                     "ms to make a shape of 327,680 triangles, one worker");
        report_ratio(report, "bytes_per_triangle", bytes_per_triangle, (double)NAN,
                     "size of that shape");
    }
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    pliant_context *context = NULL;
    if (pliant_context_create(&def, &context) != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bool done = true;
    for (uint32_t i = 0; done && i < CASES; i++) {
        bench_progress(settings, "build", i, CASES);
        if (cases[i].quick || settings->length != BENCH_QUICK) {
            done = run_case(settings, context, &cases[i], report);
        }
    }
    pliant_context_destroy(context);
    return done;
}

const bench_experiment experiment_build = {
    .name = "build",
    .description = "making a shape: time and size, by tree and number of triangles",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
