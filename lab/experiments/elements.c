/*
 * The elements that the papers' methods are made of, one at a time on the motion of larsson-1: how
 * triangles are split into a tree (Larsson & Akenine-Moller 2001, section 3.2; Steinemann, Otaduy &
 * Gross 2007), how many children a node has while clusters stay as large, how many levels are
 * refreshed before the first query (Larsson & Akenine-Moller 2001, section 3.3: half of them), and
 * how many at once on demand; then budgets and loose boxes. All else is as it comes by default.
 */
#include "elements_more.h"
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "lab/harness/ours.h"

#define TRIANGLES 20480

/* A contestant: the method, then what sets it apart. */
typedef struct element {
    bench_method method;
    pliant_update update;
    uint32_t leaf_size, eager_levels, lazy_levels; /* 0: the default */
} element;

/* Two bodies and a query. */
typedef struct element_state {
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
    bench_range range;
} element_state;

static void destroy(void *state)
{
    element_state *own = state;
    pliant_query_destroy(own->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(own->bodies[i]);
        pliant_shape_destroy(own->shapes[i]);
    }
    pliant_context_destroy(own->context);
    free(own);
}

static bool create_body(const element *wanted, const gallery_mesh *mesh, element_state *own, int i)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.partition = wanted->method.partition;
    def.arity = wanted->method.arity > 0 ? wanted->method.arity : def.arity;
    def.leaf_size = wanted->leaf_size > 0 ? wanted->leaf_size : def.leaf_size;
    pliant_body_def body = pliant_body_def_default();
    body.update = wanted->update;
    body.eager_levels = wanted->eager_levels;
    body.lazy_levels = wanted->lazy_levels > 0 ? wanted->lazy_levels : body.lazy_levels;
    return pliant_shape_create(own->context, &def, &own->shapes[i]) == PLIANT_OK &&
           pliant_body_create(own->shapes[i], &body, &own->bodies[i]) == PLIANT_OK;
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    const element *wanted = (const element *)(const void *)method; /* its first member */
    element_state *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    if (!ours_create_context(method, settings, &own->context) ||
        !create_body(wanted, &motion->meshes[0], own, 0) ||
        !create_body(wanted, &motion->meshes[1], own, 1) ||
        pliant_query_create(own->context, &own->query) != PLIANT_OK) {
        destroy(own);
        return NULL;
    }
    return own;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    element_state *own = state;
    pliant_contacts contacts;
    (void)first_only;
    double start = bench_seconds();
    for (int i = 0; i < 2; i++) {
        if (pliant_body_share_positions(own->bodies[i], frame->world[i], 0) != PLIANT_OK) {
            return false;
        }
    }
    if (pliant_collide(own->query, own->bodies[0], own->bodies[1], NULL, &contacts) != PLIANT_OK) {
        return false;
    }
    outcome->total_seconds = bench_seconds() - start;
    outcome->update_seconds = pliant_query_get_stats(own->query)->seconds_update;
    outcome->pairs = contacts.pairs;
    own->range = (bench_range){.a = 0, .b = 1, .first = 0, .count = contacts.count};
    outcome->ranges = &own->range;
    outcome->range_count = 1;
    return true;
}

#define ELEMENT(title, kind, children, leaf, strategy, eager, lazy)                                \
    {                                                                                              \
        .method = {.name = title,                                                                  \
                   .partition = PLIANT_PARTITION_##kind,                                           \
                   .arity = children,                                                              \
                   .create = create,                                                               \
                   .step = step,                                                                   \
                   .destroy = destroy},                                                            \
        .update = PLIANT_UPDATE_##strategy, .leaf_size = leaf, .eager_levels = eager,              \
        .lazy_levels = lazy                                                                        \
    }
#define TREE(title, kind)         ELEMENT(title, kind, 8, 8, HYBRID, 0, 0)
#define ARITY(title, arity, leaf) ELEMENT(title, BALANCED, arity, leaf, HYBRID, 0, 0)
#define EAGER(title, levels)      ELEMENT(title, SHAPE_CENTRE, 8, 1, HYBRID, levels, 0)
#define LAZY(title, levels)       ELEMENT(title, BALANCED, 8, 8, TOP_DOWN, 0, levels)

static const element trees[] = {
    TREE("tree: balanced", BALANCED),
    TREE("tree: initial shape, centre", SHAPE_CENTRE),
    TREE("tree: initial shape, mean", SHAPE_MEAN),
    TREE("tree: connectivity", CONNECTIVITY),
    TREE("tree: covariance, median", COVARIANCE),
};
static const element arities[] = {
    ARITY("clusters of 16: 8 children", 8, 2),
    ARITY("clusters of 16: 4 children", 4, 4),
    ARITY("clusters of 16: 2 children", 2, 8),
};
/* On the paper's tree: eight children, one triangle per leaf. */
static const element eager[] = {
    EAGER("eager levels: default", 0), EAGER("eager levels: 1", 1), EAGER("eager levels: 2", 2),
    EAGER("eager levels: 3", 3),       EAGER("eager levels: 4", 4), EAGER("eager levels: 5", 5),
    EAGER("eager levels: 6", 6),
};
static const element lazy[] = {
    LAZY("lazy levels: 1", 1),
    LAZY("lazy levels: 2", 2),
    LAZY("lazy levels: 3", 3),
};

enum { MOST = 7 };

typedef struct group {
    const char *title;
    const element *elements;
    uint32_t count;
} group;

#define GROUP(title, list)                                                                         \
    {                                                                                              \
        title, list, (uint32_t)(sizeof(list) / sizeof(list)[0])                                    \
    }
static const group groups[] = {
    GROUP("trees", trees),
    GROUP("arity", arities),
    GROUP("eager levels", eager),
    GROUP("lazy levels", lazy),
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static void add_rows(const bench_contest *contest, bench_report *report, double total[MOST])
{
    double steps = contest->motion->step_count;
    for (uint32_t m = 0; m < contest->method_count; m++) {
        total[m] = contest_total_ms(contest, m) / steps;
        double update = contest_update_ms(contest, m) / steps;
        bench_row *row = report_row(report, "%s", contest->methods[m]->name);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total[m] - update, 4);
        report_cell(row, "total_ms", total[m], 4);
        report_cell(row, "over_first", total[m] / total[0], 2);
        report_cell(row, "pairs", (double)contest_pairs(contest), 0);
    }
}

static bool run_group(const bench_settings *settings, const group *wanted, bench_motion *motion,
                      bench_report *report, double total[MOST])
{
    const bench_method *methods[MOST];
    for (uint32_t m = 0; m < wanted->count; m++) {
        methods[m] = &wanted->elements[m].method;
    }
    bench_contest contest = {
        .settings = settings,
        .motion = motion,
        .methods = methods,
        .method_count = wanted->count,
        .title = wanted->title,
    };
    bool done = contest_run(&contest, report);
    if (done) {
        add_rows(&contest, report, total);
    }
    contest_free(&contest);
    return done;
}

static double least(const double *values, uint32_t count)
{
    double best = values[0];
    for (uint32_t i = 1; i < count; i++) {
        best = fmin(best, values[i]);
    }
    return best;
}

static void add_ratios(double total[GROUPS][MOST], bench_report *report)
{
    const double none = (double)NAN;
    report_ratio(report, "covariance_over_balanced", total[0][4] / total[0][0], none,
                 "time with covariance trees over balanced ones");
    report_ratio(report, "mean_over_centre", total[0][2] / total[0][1], none,
                 "time with initial-shape trees split at the mean over those split at the centre");
    report_ratio(report, "arity_4_over_8", total[1][1] / total[1][0], none,
                 "time with four children over eight, clusters of 16 triangles");
    report_ratio(report, "arity_2_over_8", total[1][2] / total[1][0], none,
                 "time with two children over eight, clusters of 16 triangles");
    report_ratio(report, "eager_default_over_best", total[2][0] / least(total[2] + 1, 6), none,
                 "time with half the levels eager over the best of 1 to 6, the paper's tree");
    report_ratio(report, "lazy_2_over_1", total[3][1] / total[3][0], none,
                 "time with two levels at once on demand over one, top-down update");
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {20, 4, 1};
    double total[GROUPS][MOST];
    gallery_settings wanted = {.triangles = TRIANGLES, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    bench_motion motion;
    bool done = bench_motion_of_scene(scene, strides[settings->length], &motion) ||
                report_fail(report, "not enough memory");
    for (uint32_t i = 0; done && i < GROUPS; i++) {
        done = run_group(settings, &groups[i], &motion, report, total[i]);
    }
    if (done) {
        add_ratios(total, report);
        done =
            elements_add_budgets(settings, &motion, report) && elements_add_loose(settings, report);
        report_note(report, "each row is an element alone: a group is run by itself, and its other "
                            "settings are the first row's");
    }
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

const bench_experiment experiment_elements = {
    .name = "elements",
    .description = "splits, arity, eager and lazy levels, budgets, loose boxes, one at a time on "
                   "two spheres of 20,480 triangles",
    .paper = "eight children better than four or two; half the levels before the first query",
    .own_turns = true,
    .run = run,
};
