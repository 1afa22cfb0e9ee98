/*
 * How near an update comes to what the machine can do: the bytes it touches per second, against
 * memcpy() and against a loop that only reads, on as many bytes that were just written. An update
 * of a free body that touches nothing reads every position once, and a list of vertex numbers
 * unless these are in the tree's order. Bodies with models are refreshed whole here, which reads
 * their rows and patches and writes a record for every node and cluster.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/harness/ours.h"
#include "lab/motions/reduced.h"
#include "lab/motions/star_crowd.h"
#include "body/body.h"
#include "gallery/meshless/ring.h"

#define MAX_REPETITIONS 101
#define SHORTEST        5e-5 /* seconds: what takes less is done several times in a row */

static const uint32_t sizes[] = {1280, 5120, 20480, 81920, 327680, 1310720};
#define SIZES       ((uint32_t)(sizeof sizes / sizeof sizes[0]))
#define QUICK_SIZES 4

/* What is compared: each is prepared by writing what it reads, and then timed. */
typedef struct memory_case {
    const bench_settings *settings;
    pliant_body *body;
    const gallery_mesh *mesh;   /* free bodies: the positions */
    const gallery_model *model; /* others */
    const float *coordinates, *transforms;
    double touched; /* bytes that the update reads and writes */
    size_t size;    /* of each buffer */
    char *source, *live, *copy;
    uint64_t kept; /* what was read, so that reading is not left out */
} memory_case;

typedef bool memory_act(memory_case *c);

static bool act_copy(memory_case *c)
{
    memcpy(c->copy, c->live, c->size);
    c->kept += (uint64_t)c->copy[c->size / 2];
    return true;
}

/* Wide enough for any registers there are, and without waiting for one's own last addition. */
static bool act_read(memory_case *c)
{
    enum { LANES = 32 };
    uint64_t sums[LANES] = {0};
    const uint64_t *words = (const uint64_t *)(const void *)c->live;
    for (size_t i = 0; i + LANES <= c->size / sizeof *words; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            sums[k] ^= words[i + k];
        }
    }
    for (size_t k = 0; k < LANES; k++) {
        c->kept += sums[k];
    }
    return true;
}

static bool act_bounds(memory_case *c)
{
    pliant_box box;
    return pliant_body_share_positions(c->body, (const float *)(const void *)c->live, 0) ==
               PLIANT_OK &&
           pliant_body_get_bounds(c->body, &box) == PLIANT_OK;
}

static bool act_refresh(memory_case *c)
{
    return (c->model->mode_count == 0 ||
            pliant_body_set_coordinates(c->body, c->coordinates, c->model->mode_count) ==
                PLIANT_OK) &&
           pliant_body_set_transforms(c->body, c->transforms, c->model->joint_count, 0) ==
               PLIANT_OK &&
           pliant_body_prepare(c->body) == PLIANT_OK;
}

/* Median seconds of one act; negative on failure. */
static double time_act(memory_case *c, memory_act *act)
{
    double samples[MAX_REPETITIONS];
    uint32_t repetitions = c->settings->length == BENCH_QUICK ? 11 : MAX_REPETITIONS, times = 1;
    for (uint32_t i = 0; i < repetitions; i++) {
        memcpy(c->live, c->source, c->size);
        double start = bench_seconds();
        for (uint32_t k = 0; k < times; k++) {
            if (!act(c)) {
                return -1.0;
            }
        }
        samples[i] = (bench_seconds() - start) / times;
        if (i == 0 && samples[0] < SHORTEST && times == 1) { /* start again, several at a time */
            times = (uint32_t)(SHORTEST / fmax(samples[0], 1e-7)) + 2;
            i = UINT32_MAX;
        }
    }
    return bench_median(samples, repetitions);
}

static bool reserve_buffers(memory_case *c, size_t size)
{
    c->size = (size + 255) / 256 * 256; /* whole rounds of the loop that reads */
    c->source = calloc(1, c->size);
    c->live = aligned_alloc(256, c->size);
    c->copy = aligned_alloc(256, c->size);
    return c->source != NULL && c->live != NULL && c->copy != NULL;
}

static void free_buffers(memory_case *c)
{
    free(c->source);
    free(c->live);
    free(c->copy);
}

/* Adds a row; `key` is for the ratio, and NULL for none. */
static bool compare(memory_case *c, memory_act *act, const char *name, const char *key,
                    bench_report *report)
{
    double update = time_act(c, act), copy = time_act(c, act_copy), read = time_act(c, act_read);
    if (update < 0.0) {
        return report_fail(report, "%s: %s", name, pliant_last_error());
    }
    /* memcpy() reads and writes. */
    double speed = 1e-9 * c->touched / update, read_speed = 1e-9 * (double)c->size / read;
    double copy_speed = 2e-9 * (double)c->size / copy;
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "touched_kb", 1e-3 * c->touched, 1);
    report_cell(row, "update_us", 1e6 * update, 2);
    report_cell(row, "update_gb_per_s", speed, 1);
    report_cell(row, "copy_gb_per_s", copy_speed, 1);
    report_cell(row, "read_gb_per_s", read_speed, 1);
    report_cell(row, "over_copy", speed / copy_speed, 3);
    report_cell(row, "over_read", speed / read_speed, 3);
    if (key != NULL) {
        report_ratio(report, key, speed / copy_speed, (double)NAN,
                     "bytes touched per second by an update over those by memcpy()");
    }
    return true;
}

/* ------------------------------------------------------------ free bodies */

/* Bytes of an update: positions, their numbers where they are listed, and records. */
static double free_bytes(const pliant_body *body, pli_refresh_counts before)
{
    double vertices = (double)(body->counts.vertices - before.vertices);
    double nodes = (double)(body->counts.nodes - before.nodes);
    double listed = body->shape->in_tree_order ? 0.0 : sizeof(uint32_t);
    return vertices * (3.0 * sizeof(float) + listed) + nodes * sizeof(pli_node_record);
}

static bool run_free(const bench_settings *settings, pliant_context *context,
                     const gallery_mesh *mesh, bool ordered, const char *key, bench_report *report)
{
    memory_case c = {.settings = settings, .mesh = mesh};
    size_t bytes = 3 * (size_t)mesh->vertex_count * sizeof(float);
    pliant_shape *shape = NULL;
    char name[64];
    bool done = reserve_buffers(&c, bytes) &&
                ours_create_shape(context, &bench_ours_auto, mesh, &shape) &&
                pliant_body_create(shape, NULL, &c.body) == PLIANT_OK;
    if (done) {
        memcpy(c.source, mesh->positions, bytes);
        memcpy(c.live, c.source, bytes);
        for (int i = 0; i < PLI_MAX_LEVELS / 64 && done; i++) { /* AUTO settles */
            done = act_bounds(&c);
        }
    }
    if (done) {
        pli_refresh_counts before = c.body->counts;
        done = act_bounds(&c);
        c.touched = free_bytes(c.body, before);
        snprintf(name, sizeof name, "free, %u triangles%s", mesh->triangle_count,
                 ordered ? ", tree order" : "");
        done = done && compare(&c, act_bounds, name, key, report);
    } else {
        report_fail(report, "a body cannot be made: %s", pliant_last_error());
    }
    pliant_body_destroy(c.body);
    pliant_shape_destroy(shape);
    free_buffers(&c);
    return done;
}

static bool run_size(const bench_settings *settings, pliant_context *context, uint32_t triangles,
                     bench_report *report)
{
    gallery_settings wanted = {.triangles = triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    gallery_mesh ordered = {0};
    uint32_t *order = NULL;
    char key[40];
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    const gallery_mesh *mesh = &scene->bodies[0];
    order = malloc(mesh->vertex_count * sizeof *order);
    snprintf(key, sizeof key, "free_%u_over_copy", triangles);
    bool done = run_free(settings, context, mesh, false, key, report);
    if (done &&
        !(order != NULL && ours_order_mesh(context, &bench_ours_auto, mesh, order, &ordered))) {
        done = report_fail(report, "not enough memory");
    }
    done = done && run_free(settings, context, &ordered, true, NULL, report);
    mesh_free(&ordered);
    free(order);
    gallery_destroy(scene);
    return done;
}

/* ------------------------------------------------------ bodies with models */

/* Everything a shape keeps for bounds and vertices, and all records. */
static double model_bytes(const pliant_body *body)
{
    static const pli_section read[] = {PLI_SECTION_NODES,
                                       PLI_SECTION_CLUSTERS,
                                       PLI_SECTION_SLOT_CORNERS,
                                       PLI_SECTION_SKIN_BLOCKS,
                                       PLI_SECTION_SKIN_BLOCK_MODES,
                                       PLI_SECTION_SKIN_BLOCK_JOINTS,
                                       PLI_SECTION_SKIN_BLOCK_VALUES,
                                       PLI_SECTION_COEFFICIENTS,
                                       PLI_SECTION_COEFFICIENT_MODES,
                                       PLI_SECTION_COEFFICIENT_JOINTS,
                                       PLI_SECTION_COEFFICIENT_VALUES};
    const pliant_shape *shape = body->shape;
    double bytes = (double)shape->node_count * (double)pli_body_node_size(body);
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        bytes += (double)shape->block->count[read[i]] * (double)pli_section_element_size(read[i]);
    }
    for (uint32_t i = 0; i < shape->cluster_count; i++) {
        bytes += (double)pli_cluster_record_size(&shape->clusters[i]);
    }
    return bytes;
}

static bool run_model(memory_case *c, const pliant_shape *shape, const char *name, const char *key,
                      bench_report *report)
{
    bool done = pliant_body_create(shape, NULL, &c->body) == PLIANT_OK;
    c->touched = done ? model_bytes(c->body) : 0.0;
    /* memcpy() shall touch as many bytes, half of them read. */
    done = (done && reserve_buffers(c, (size_t)(0.5 * c->touched))) ||
           report_fail(report, "a body cannot be made: %s", pliant_last_error());
    done = done && compare(c, act_refresh, name, key, report);
    pliant_body_destroy(c->body);
    free_buffers(c);
    return done;
}

static bool run_star(const bench_settings *settings, pliant_context *context, bench_report *report)
{
    gallery_mesh mesh = {0};
    gallery_model model = {0};
    float coordinates[STAR_MODES], transform[12];
    pliant_shape *shape = NULL;
    bool done = star_make(18000, &mesh, &model);
    pliant_shape_def def = reduced_shape_def(&mesh, &model);
    star_state(0, 1, 0.0, 1, coordinates, transform);
    memory_case c = {
        .settings = settings, .model = &model, .coordinates = coordinates, .transforms = transform};
    done = done && pliant_shape_create(context, &def, &shape) == PLIANT_OK &&
           run_model(&c, shape, "reduced, 10 modes, 18,000 triangles, all", "reduced_over_copy",
                     report);
    pliant_shape_destroy(shape);
    mesh_free(&mesh);
    gallery_model_free(&model);
    return done;
}

static bool run_figure(const bench_settings *settings, pliant_context *context,
                       bench_report *report)
{
    uint32_t vertices = settings->length == BENCH_QUICK ? 2857 : 45682;
    gallery_settings wanted = {.triangles = 2 * (vertices - 2), .seed = settings->seed};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, true), &wanted);
    bench_motion motion = {0};
    pliant_shape *shape = NULL;
    char name[64];
    if (scene == NULL || !bench_motion_of_scene(scene, scene->steps, &motion)) {
        bench_motion_free(&motion);
        gallery_destroy(scene);
        return report_fail(report, "not enough memory");
    }
    memory_case c = {.settings = settings,
                     .model = motion.models[0],
                     .coordinates = motion.frames[0].coordinates[0],
                     .transforms = motion.frames[0].transforms[0]};
    snprintf(name, sizeof name, "blended, 115 nodes, %u triangles, all", 2 * (vertices - 2));
    bool done = ours_create_shape_of(context, &bench_scene_auto, &motion, 0, &shape) &&
                run_model(&c, shape, name, "blended_over_copy", report);
    pliant_shape_destroy(shape);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    pliant_context *context = NULL;
    if (!reduced_create_context(settings, &context)) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bool done = true;
    uint32_t count = settings->length == BENCH_QUICK ? QUICK_SIZES : SIZES;
    for (uint32_t i = 0; i < count && done; i++) {
        bench_progress(settings, "memory", i, count + 2);
        done = run_size(settings, context, sizes[i], report);
    }
    done = done && run_star(settings, context, report) && run_figure(settings, context, report);
    pliant_context_destroy(context);
    if (done) {
        report_note(report,
                    "memcpy() is counted with what it reads and what it writes; all times are %s "
                    "of one thread, on memory just written",
                    bench_threads(settings) == 1 ? "CPU time" : "time on the wall");
    }
    return done;
}

const bench_experiment experiment_memory = {
    .name = "memory",
    .description = "bytes that updates touch per second, against memcpy() and plain reading",
    .own_turns = true,
    .run = run,
};
