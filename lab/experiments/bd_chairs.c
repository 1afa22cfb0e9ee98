/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, section 4: 3,601 deformable plastic chairs crash to the ground; rigid
 * ones for comparison, and rigid ones whose bounds are updated for deformations all the same. Only
 * the library's part is timed. And section 3: what a bound costs, and how fast the radii that modes
 * add fall off from level to level.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "lab/baselines/sphere_tree.h"
#include "lab/harness/turns.h"
#include "lab/motions/pile.h"
#include "bounds/bounds.h"
#include "bounds/pose.h"
#include "gallery/modal/models.h"
#include "gallery/modal/touch.h"

/* Clusters of eight leaves of two: proxies of 16 triangles, where the paper has about 17. */
#define PROXY_TRIANGLES 17
#define LEAF_SIZE       2
/* Springs as stiff as steps allow, or chairs would fall through each other instead of piling up:
   so steps are four times as short as the paper's. Few layers and much drag, so that a pile lies
   after a few hundred steps; without drag chairs are too fast for springs to stop. Chairs start a
   little closer than spheres around them would let them, for a shorter fall. */
#define TIME_STEP      (1.0 / 600.0)
#define LAYERS         3u
#define DRAG           4.0
#define CLOSENESS      0.8
#define BOUND_PLAYS    31
#define SAMPLE_SPACING 0.12
#define SAMPLE_RADIUS  0.0105
#define MAX_LEVELS     19 /* as many as the paper has figures for */

/* How large a run is. */
typedef struct chairs_size {
    uint32_t triangles, chairs, steps;
} chairs_size;

static const chairs_size sizes[3] = {
    {3000, 64, 240}, {0, MODAL_CHAIR_COUNT, 650}, {0, MODAL_CHAIR_COUNT, 25000}};

typedef struct chairs {
    const bench_settings *settings;
    chairs_size size;
    gallery_mesh mesh;
    modal_model model, ground;
    modal_samples samples;
    gallery_model deforming, rigid;
    modal_start *starts;
    uint32_t *shape_of;
} chairs;

/* A world of chairs in the air. */
static modal_world *make_world(chairs *c)
{
    modal_world_def def = modal_world_default();
    def.time_step = TIME_STEP;
    def.contact_frequency = 0.5 / TIME_STEP;
    def.contact_damping = 1.0;
    def.drag = DRAG;
    modal_world *world = modal_world_create(&def);
    modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (world == NULL || modal_world_add_shape(world, &c->model) != 0 ||
        modal_world_add_shape(world, &c->ground) != 1) {
        modal_world_destroy(world);
        return NULL;
    }
    for (uint32_t i = 0; i < c->size.chairs; i++) {
        const modal_start *start = &c->starts[i];
        if (modal_world_add_body(world, 0, start->position, &start->rotation, false) != i) {
            modal_world_destroy(world);
            return NULL;
        }
        modal_world_set_velocity(world, i, start->velocity, start->spin);
    }
    if (modal_world_add_body(world, 1, (const double[3]){0, 0, 0}, &upright, true) !=
        c->size.chairs) {
        modal_world_destroy(world);
        return NULL;
    }
    return world;
}

/* Small balls below the skin of chairs near the ground are pushed up. */
static bool push_from_ground(const chairs *c, const modal_world *world, const pile_view *view,
                             pile_contacts *contacts)
{
    for (uint32_t i = 0; i < c->size.chairs; i++) {
        const float *height = view->states + (size_t)i * PILE_STATE + PILE_MODES + 11;
        if ((double)*height > 1.5 * c->model.radius) {
            continue;
        }
        for (uint32_t s = 0; s < c->samples.count; s++) {
            const modal_sample *sample = &c->samples.samples[s];
            double point[3];
            modal_world_place(world, i, sample->centre, sample->vertex, point);
            modal_contact contact = {.a = i, .b = c->size.chairs, .normal = {0, 0, 1}};
            contact.vertex_a = sample->vertex;
            contact.depth = (float)(c->samples.radius - point[2]);
            contact.point[0] = (float)point[0];
            contact.point[1] = (float)point[1];
            if (contact.depth > 0.0f && !pile_contacts_add(contacts, &contact)) {
                return false;
            }
        }
    }
    return true;
}

/* One simulation, seen by two views. */
typedef struct simulation {
    modal_world *world;
    pile_view views[2];
    uint32_t view_count;
    pile_contacts contacts;
    uint64_t checked; /* pairs of triangles that were found covered */
} simulation;

static void simulation_free(simulation *s)
{
    for (uint32_t i = 0; i < s->view_count; i++) {
        pile_view_free(&s->views[i]);
    }
    modal_world_destroy(s->world);
    free(s->contacts.items);
}

static bool simulation_create(chairs *c, bool rigid, simulation *s, bench_report *report)
{
    pile_shape deforming = {.mesh = &c->mesh,
                            .model = c->deforming,
                            .proxy_triangles = PROXY_TRIANGLES,
                            .leaf_size = LEAF_SIZE};
    pile_shape stiff = {.mesh = &c->mesh,
                        .model = c->rigid,
                        .proxy_triangles = PROXY_TRIANGLES,
                        .leaf_size = LEAF_SIZE};
    memset(s, 0, sizeof *s);
    s->world = make_world(c);
    if (s->world == NULL) {
        return report_fail(report, "not enough memory");
    }
    s->view_count = 1;
    if (!rigid) {
        bench_settings plain = *c->settings;
        plain.isa = PLIANT_ISA_PLAIN;
        s->view_count = 2;
        return pile_view_create(c->settings, "deforming", &deforming, 1, c->shape_of,
                                c->size.chairs, &s->views[0], report) &&
               pile_view_create(&plain, "deforming, plain C", &deforming, 1, c->shape_of,
                                c->size.chairs, &s->views[1], report);
    }
    modal_world_stiffen(s->world);
    if (!pile_view_create(c->settings, "rigid", &stiff, 1, c->shape_of, c->size.chairs,
                          &s->views[0], report)) {
        return false;
    }
    s->view_count = 2;
    return pile_view_create(c->settings, "rigid, updated all the same", &deforming, 1, c->shape_of,
                            c->size.chairs, &s->views[1], report);
}

/* The second view is there for comparison. */
static bool simulation_step(const chairs *c, simulation *s, bool check, bench_report *report)
{
    for (uint32_t i = 0; i < s->view_count; i++) {
        if (!pile_view_step(&s->views[i], s->world, report)) {
            return false;
        }
    }
    s->contacts.count = 0;
    if (!pile_view_push(&s->views[0], &s->contacts) ||
        !push_from_ground(c, s->world, &s->views[0], &s->contacts)) {
        return report_fail(report, "not enough memory");
    }
    for (uint32_t i = 0; check && i < s->view_count; i++) {
        if (!pile_view_check(&s->views[i], &s->checked, report)) {
            return false;
        }
    }
    modal_world_step(s->world, s->contacts.items, s->contacts.count);
    return true;
}

/* ------------------------------------------------------------ small figures */

/* Ways to make bounds: ours by kind, then a sphere as the paper makes it, in plain C. */
enum { OUR_KINDS = 3, PAPERS_SPHERE = OUR_KINDS, BOUND_WAYS };

static const char *const bound_names[BOUND_WAYS] = {"a sphere", "a box", "an affine box",
                                                    "a sphere, scalar"};

typedef struct bound_game {
    const chairs *chairs;
    pliant_context *context;
    pliant_shape *shapes[OUR_KINDS];
    sphere_body body;
    const sphere_shape *spheres;
    const float *state;
    double ns[BOUND_WAYS][BOUND_PLAYS];
} bound_game;

/* All nodes of the chair again and again; returns how many bounds that were. */
static double make_bounds(const bound_game *g, const pliant_shape *shape)
{
    const pli_model_kernels *kernels =
        pli_kernels_for(pli_isa_choose(g->chairs->settings->isa))->model;
    float coordinates[PILE_MODES], transform[12];
    memcpy(coordinates, g->state, sizeof coordinates);
    memcpy(transform, g->state + PILE_MODES, sizeof transform);
    pli_pose pose = {.coordinates = coordinates, .transforms = transform};
    pli_boxes boxes;
    pli_spheres spheres;
    double bounds = 0.0;
    pli_pose_place(shape, NULL, &pose);
    pli_pose_measure(shape, &pose);
    for (int again = 0; again < 10; again++) {
        for (uint32_t n = 0; n < shape->node_count; n++) {
            pli_coefficient_view view =
                pli_view_coefficients(shape, n, shape->nodes[n].child_count);
            pli_bound_children_from_coefficients(kernels, &view, &pose, &boxes, &spheres);
            bounds += shape->nodes[n].child_count;
        }
    }
    return bounds;
}

static bool play_bounds(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    bound_game *g = user;
    double bounds = g->spheres->tree.node_count, start = bench_seconds();
    (void)report;
    if (who < OUR_KINDS) {
        bounds = make_bounds(g, g->shapes[who]);
    } else {
        sphere_body_set(&g->body, g->state, g->state + PILE_MODES);
        for (uint32_t n = 0; n < g->spheres->tree.node_count; n++) {
            sphere_body_at(&g->body, n);
        }
    }
    g->ns[who][round] = 1e9 * (bench_seconds() - start) / bounds;
    return true;
}

/* Times bounds of the chair that is bent most. */
static bool add_bounds(const chairs *c, const sphere_shape *spheres, const float *state,
                       bench_report *report)
{
    static const pliant_bound_kind kinds[OUR_KINDS] = {PLIANT_BOUND_SPHERE, PLIANT_BOUND_BOX,
                                                       PLIANT_BOUND_AFFINE};
    bound_game g = {.chairs = c, .spheres = spheres, .state = state};
    bool done = reduced_create_context(c->settings, &g.context) &&
                sphere_body_create(spheres, SPHERES_BD, &g.body);
    for (int i = 0; done && i < OUR_KINDS; i++) {
        pliant_shape_def def = reduced_shape_def(&c->mesh, &c->deforming);
        def.bound = kinds[i];
        done = pliant_shape_create(g.context, &def, &g.shapes[i]) == PLIANT_OK;
    }
    bench_terms turns = {"bounds", bound_names, BOUND_WAYS, BOUND_PLAYS, 1, 0.0};
    done = (done || report_fail(report, "not enough memory")) &&
           bench_take_turns(c->settings, &turns, play_bounds, &g, report);
    for (int i = 0; done && i < BOUND_WAYS; i++) {
        double ns = bench_median(g.ns[i], bench_plays(c->settings, &turns));
        report_cell(report_row(report, "bound: %s", bound_names[i]), "ns", ns, 2);
        if (i == 0) {
            report_ratio(report, "ns_per_bound", ns, (double)NAN,
                         "nanoseconds for a sphere from 10 modes and a transform, with vectors");
        } else if (i == PAPERS_SPHERE) {
            report_ratio(report, "ns_per_bound_scalar", ns, 750.0,
                         "nanoseconds for a sphere from 10 modes as the paper makes it, in plain "
                         "C");
        }
    }
    for (int i = 0; i < OUR_KINDS; i++) {
        pliant_shape_destroy(g.shapes[i]);
    }
    sphere_body_free(&g.body);
    pliant_context_destroy(g.context);
    return done;
}

/* Layered spheres of a chair, all vertices evaluated first: scalar, vertices many at once, spheres
   too. */
enum { LAYERED_WAYS = 3, LAYERED_TIMED = 8 };

typedef struct layered_chairs {
    sphere_shape spheres, wide;
    sphere_body bodies[LAYERED_WAYS];
    double seconds[LAYERED_WAYS]; /* of a chair, summed over steps */
    uint32_t steps;
} layered_chairs;

static bool layered_create(const chairs *c, layered_chairs *l)
{
    *l = (layered_chairs){.steps = 0};
    return sphere_shape_create(&c->mesh, &c->deforming, c->settings->isa, &l->spheres) &&
           sphere_shape_create_wide(&c->mesh, &c->deforming, c->settings->isa, &l->wide) &&
           sphere_body_create(&l->spheres, SPHERES_LAYERED_SCALAR, &l->bodies[0]) &&
           sphere_body_create(&l->spheres, SPHERES_LAYERED, &l->bodies[1]) &&
           sphere_body_create(&l->wide, SPHERES_LAYERED_WIDE, &l->bodies[2]);
}

static void layered_free(layered_chairs *l)
{
    for (int way = 0; way < LAYERED_WAYS; way++) {
        sphere_body_free(&l->bodies[way]);
    }
    sphere_shape_free(&l->spheres);
    sphere_shape_free(&l->wide);
}

/* A few chairs of the state that our methods have just seen, other ones in each step. The first
   update brings the shape's data back to the cache, where all chairs of a step would share them,
   and is not timed. */
static void layered_step(const chairs *c, const pile_view *view, layered_chairs *l)
{
    for (int way = 0; way < LAYERED_WAYS; way++) {
        double start = 0.0;
        for (uint32_t i = 0; i <= LAYERED_TIMED; i++) {
            size_t chair = (l->steps * LAYERED_TIMED + i) % c->size.chairs;
            const float *state = view->states + chair * PILE_STATE;
            start = i == 1 ? bench_seconds() : start;
            sphere_body_set(&l->bodies[way], state, state + PILE_MODES);
        }
        l->seconds[way] += (bench_seconds() - start) / LAYERED_TIMED;
    }
    l->steps++;
}

/* A body that has a state and a box, and touches nobody. */
static double idle_bytes(const pile_view *view)
{
    pliant_body *body = NULL;
    pliant_box box;
    double bytes = (double)NAN;
    if (pliant_body_create(view->shapes[0].shape, NULL, &body) == PLIANT_OK &&
        reduced_set(body, &view->shapes[0].model, view->states, view->states + PILE_MODES) &&
        pliant_body_get_bounds(body, &box) == PLIANT_OK) {
        pliant_body_memory memory = pliant_body_get_memory(body);
        bytes = (double)(memory.positions + memory.bounds);
    }
    pliant_body_destroy(body);
    return bytes;
}

/* |dR| per level of a binary tree, over that of the root. */
static void add_decay(const sphere_shape *shape, bench_report *report)
{
    static const double paper[MAX_LEVELS] = {1.000, 0.684, 0.575, 0.399, 0.252, 0.167, 0.11,
                                             0.0,   0.057, 0.041, 0.030, 0.022, 0.017, 0.016,
                                             0.015, 0.013, 0.0,   0.004, 0.003};
    double growth[MAX_LEVELS];
    uint32_t nodes[MAX_LEVELS];
    uint32_t levels = sphere_shape_growth(shape, growth, nodes, MAX_LEVELS);
    for (uint32_t i = 0; i < levels; i++) {
        bench_row *row = report_row(report, "|dR| of level %u", i);
        report_cell(row, "spheres", nodes[i], 0);
        report_cell(row, "growth", growth[i] / growth[0], 3);
        report_cell(row, "paper", paper[i] > 0.0 ? paper[i] : (double)NAN, 3);
    }
}

/* ---------------------------------------------------------------- the whole */

/* The last quarter of all steps: by then chairs lie on each other. */
static uint32_t pile_begin(const pile_view *view)
{
    return view->steps - (view->steps + 3) / 4;
}

static void add_steps(const pile_view *view, const char *name, uint32_t first, bench_report *report)
{
    pile_step mean = pile_view_mean(view, first);
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "chairs", view->body_count, 0);
    report_cell(row, "steps", view->steps - first, 0);
    report_cell(row, "step_ms", 1e3 * mean.seconds, 3);
    report_cell(row, "contacts", mean.contacts, 0);
    report_cell(row, "contacts_per_s", mean.contacts / mean.seconds, 0);
    report_cell(row, "updated", mean.updated / view->rows, 4);
}

/* All steps, and those of the pile. */
static void add_view(const pile_view *view, bench_report *report)
{
    char name[64];
    add_steps(view, view->name, 0, report);
    snprintf(name, sizeof name, "%s, pile", view->name);
    add_steps(view, name, pile_begin(view), report);
}

static const char *const pile_names[] = {
    "deforming", "deforming, plain C",   "rigid", "rigid, updated all the same", "layered, scalar",
    "layered",   "layered, many at once"};

static double pile_seconds(const pile_view *view)
{
    return pile_view_mean(view, pile_begin(view)).seconds;
}

/* The chair that is bent most, rather than one that nothing has touched yet. */
static const float *find_bent_chair(const chairs *c, const pile_view *view)
{
    const float *state = view->states;
    for (uint32_t i = 0; i < c->size.chairs; i++) {
        const float *other = view->states + (size_t)i * PILE_STATE;
        state = fabsf(other[0]) > fabsf(state[0]) ? other : state;
    }
    return state;
}

/* Layered updates of all chairs over our whole step: both scalar, then both with vectors. */
static void add_layered(const chairs *c, const simulation *deforming, const layered_chairs *layered,
                        bench_report *report)
{
    double ms[LAYERED_WAYS], all = 1e-3 * c->size.chairs;
    double step = pile_seconds(&deforming->views[0]);
    for (int way = 0; way < LAYERED_WAYS; way++) {
        ms[way] = 1e3 * layered->seconds[way] / layered->steps;
    }
    report_ratio(report, "layered_scalar_over_plain_step",
                 all * ms[0] / pile_seconds(&deforming->views[1]), 0.055 * 3601 / 2.1,
                 "both scalar: layered spheres of all chairs over our whole step in plain C");
    report_ratio(report, "layered_update_over_step", all * ms[1] / step, (double)NAN,
                 "the same with vertices evaluated many at once, over our step with vectors");
    report_ratio(report, "layered_wide_over_step", all * ms[2] / step, (double)NAN,
                 "the same with spheres merged many at once too, over our step with vectors");
    report_note(report,
                "proxies of at most %u triangles; a layered update of one chair takes %.3f ms "
                "scalar, %.3f ms with vertices many at once, %.3f ms with spheres too",
                PROXY_TRIANGLES, ms[0], ms[1], ms[2]);
}

static bool add_results(const chairs *c, simulation *runs, const layered_chairs *layered,
                        bench_report *report)
{
    const pile_view *deforming = &runs[0].views[0], *rigid = &runs[1].views[0];
    const pile_view *redundant = &runs[1].views[1];
    unsigned long long checked = runs[0].checked + runs[1].checked;
    const float *state = find_bent_chair(c, deforming);
    pile_step pile = pile_view_mean(deforming, pile_begin(deforming));
    add_view(deforming, report);
    add_view(&runs[0].views[1], report);
    add_view(rigid, report);
    add_view(redundant, report);
    report_contest(report,
                   &(bench_terms){"the pile", pile_names, sizeof pile_names / sizeof pile_names[0],
                                  1, deforming->steps - pile_begin(deforming), 1.0 / TIME_STEP});
    report_ratio(report, "deforming_over_rigid", pile.seconds / pile_seconds(rigid), 2.1 / 1.1,
                 "a step of deforming chairs over one of rigid ones, in the pile");
    report_ratio(report, "redundant_over_rigid", pile_seconds(redundant) / pile_seconds(rigid),
                 10.9 / 7.5, "rigid chairs with deformable bounds over rigid ones, in the pile");
    report_ratio(report, "contacts_pile", pile.contacts, 1.6e9 / 25000,
                 "contacts of proxies in a step of the pile");
    report_ratio(report, "share_updated", pile.updated / deforming->rows, (double)NAN,
                 "bounds updated in a step over all bounds (figure 7), in the pile");
    report_ratio(report, "bytes_per_idle_body", idle_bytes(deforming), (double)NAN,
                 "of a chair that touches nobody");
    add_layered(c, &runs[0], layered, report);
    report_note(report,
                "a step is 1/%.0f s (the paper: 1/150 s); chairs start in %u layers with a drag of "
                "%.0f per second, chosen so that a pile lies soon and has about the paper's "
                "contacts",
                1.0 / TIME_STEP, LAYERS, DRAG);
    report_note(report, "the pile: the last quarter of %u steps", deforming->steps);
    report_note(report,
                "every contact of triangles was covered by one of proxies where that was "
                "looked at: %llu pairs of triangles",
                checked);
    add_decay(&layered->spheres, report);
    return add_bounds(c, &layered->spheres, state, report) &&
           pile_view_add_shares(deforming, report);
}

/* Deforming and rigid chairs take turns, and every view does every step once. */
static bool simulate(chairs *c, layered_chairs *layered, bench_report *report)
{
    simulation runs[2] = {{0}};
    bool done = simulation_create(c, false, &runs[0], report) &&
                simulation_create(c, true, &runs[1], report);
    uint32_t check_every = c->size.steps / 4, pile = (c->size.steps + 4) / 4;
    for (uint32_t step = 0; done && step <= c->size.steps; step++) {
        bool check = step % check_every == check_every - 1 || step == c->size.steps;
        bench_progress(c->settings, "chairs", step, c->size.steps);
        done = simulation_step(c, &runs[0], check, report) &&
               simulation_step(c, &runs[1], check, report);
        if (done && step + pile > c->size.steps) {
            layered_step(c, &runs[0].views[0], layered);
        }
    }
    done = done && add_results(c, runs, layered, report);
    simulation_free(&runs[0]);
    simulation_free(&runs[1]);
    return done;
}

static bool prepare(const bench_settings *settings, chairs *c)
{
    *c = (chairs){.settings = settings, .size = sizes[settings->length]};
    if (!modal_make_chair(c->size.triangles, &c->mesh, &c->model) ||
        !modal_sample_mesh(&c->mesh, SAMPLE_SPACING, SAMPLE_RADIUS, &c->samples)) {
        return false;
    }
    c->ground = (modal_model){.vertex_count = 1};
    c->deforming = (gallery_model){
        .mode_count = c->model.mode_count, .modes = c->model.modes, .joint_count = 1};
    c->rigid = (gallery_model){.joint_count = 1};
    c->starts = calloc(c->size.chairs, sizeof *c->starts);
    c->shape_of = calloc(c->size.chairs, sizeof *c->shape_of);
    if (c->starts == NULL || c->shape_of == NULL) {
        return false;
    }
    modal_start_chairs(c->size.chairs, LAYERS, CLOSENESS * c->model.radius, settings->seed,
                       c->starts);
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    chairs c;
    layered_chairs layered = {.steps = 0};
    bool done = (prepare(settings, &c) && layered_create(&c, &layered)) ||
                report_fail(report, "the chairs cannot be made");
    done = done && simulate(&c, &layered, report);
    layered_free(&layered);
    mesh_free(&c.mesh);
    modal_model_free(&c.model);
    modal_samples_free(&c.samples);
    free(c.starts);
    free(c.shape_of);
    return done;
}

const bench_experiment experiment_bd_chairs = {
    .name = "bd-chairs",
    .description = "3,601 chairs of 10 modes crash to the ground, deforming and rigid",
    .paper = "deforming takes twice as long as rigid; a sphere 750 ns; a layered update of all "
             "chairs alone 94 steps",
    .own_turns = true,
    .run = run,
};
