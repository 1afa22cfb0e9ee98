/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004, section 4: about 12,000 fish of 3 modes fall on the swaying bridge.
 * Fish are proxies, about as large as the paper's at level 7; of the bridge the triangles are used.
 */
#include "bd_bridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/motions/pile.h"

#define PROXY_TRIANGLES 194
#define TIME_STEP       (1.0 / 240.0)
#define FALL            3.0 /* metres per second at the start */
#define ABOVE           1.0 /* metres between the lowest fish and the road */

typedef struct fish_size {
    uint32_t triangles, fish, steps;
} fish_size;

static const fish_size sizes[3] = {
    {600, 100, 120}, {0, MODAL_FISH_COUNT, 200}, {0, MODAL_FISH_COUNT, 4800}};

typedef struct shoal {
    const bench_settings *settings;
    fish_size size;
    const gallery_mesh *bridge_mesh;
    const modal_animation *animation;
    modal_model bridge, fish;
    gallery_mesh fish_mesh;
    modal_world *world;
    modal_start *starts;
    uint32_t *shape_of;
    pile_view view;
    pile_contacts contacts;
    uint64_t checked;
} shoal;

/* The bridge sways in its own time. */
static void drive(shoal *s, uint32_t step)
{
    float coordinates[PILE_MODES];
    double share = step * TIME_STEP / MODAL_BRIDGE_PERIOD;
    modal_animation_at(s->animation, (share - floor(share)) * (s->animation->frame_count - 1),
                       coordinates);
    modal_world_drive(s->world, 0, coordinates);
}

/* Fish start above where the road will be when they arrive. */
static void place_starts(shoal *s)
{
    modal_start_fish(s->size.fish, s->fish.radius, s->settings->seed, s->starts);
    double arrival = ABOVE / FALL / MODAL_BRIDGE_PERIOD, lowest = (double)INFINITY;
    for (uint32_t i = 0; i < s->size.fish; i++) {
        lowest = fmin(lowest, s->starts[i].position[2]);
    }
    for (uint32_t i = 0; i < s->size.fish; i++) {
        modal_start *start = &s->starts[i];
        double road[3] = {start->position[0], 0.0, MODAL_BRIDGE_ROAD}, moved[3];
        modal_bridge_move(arrival, road, moved);
        start->position[1] += moved[1];
        start->position[2] += moved[2] + ABOVE + s->fish.radius - lowest;
        start->velocity[2] -= FALL;
    }
}

static bool make_world(shoal *s)
{
    modal_world_def def = modal_world_default();
    def.time_step = TIME_STEP;
    def.contact_frequency = 0.5 / TIME_STEP;
    def.contact_damping = 1.0;
    def.friction = 0.6;
    s->world = modal_world_create(&def);
    modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (s->world == NULL || modal_world_add_shape(s->world, &s->bridge) != 0 ||
        modal_world_add_shape(s->world, &s->fish) != 1 ||
        modal_world_add_body(s->world, 0, (const double[3]){0, 0, 0}, &upright, true) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < s->size.fish; i++) {
        const modal_start *start = &s->starts[i];
        if (modal_world_add_body(s->world, 1, start->position, &start->rotation, false) != i + 1) {
            return false;
        }
        modal_world_set_velocity(s->world, i + 1, start->velocity, start->spin);
    }
    /* One step without contacts puts the bridge where it starts. */
    drive(s, 0);
    modal_world_step(s->world, NULL, 0);
    return true;
}

static bool prepare(shoal *s, bench_report *report)
{
    if (!modal_make_fish(s->size.triangles, &s->fish_mesh, &s->fish)) {
        return report_fail(report, "the fish cannot be made");
    }
    s->bridge = modal_driven_model(s->bridge_mesh, s->animation);
    s->starts = calloc(s->size.fish, sizeof *s->starts);
    s->shape_of = calloc((size_t)s->size.fish + 1, sizeof *s->shape_of);
    if (s->starts == NULL || s->shape_of == NULL) {
        return report_fail(report, "not enough memory");
    }
    for (uint32_t i = 1; i <= s->size.fish; i++) {
        s->shape_of[i] = 1;
    }
    place_starts(s);
    pile_shape shapes[2] = {
        {.mesh = s->bridge_mesh,
         .model = {.mode_count = s->animation->mode_count, .modes = s->animation->modes}},
        {.mesh = &s->fish_mesh,
         .model = {.mode_count = s->fish.mode_count, .modes = s->fish.modes, .joint_count = 1},
         .proxy_triangles = PROXY_TRIANGLES}};
    if (!make_world(s)) {
        return report_fail(report, "not enough memory");
    }
    return pile_view_create(s->settings, "fish on the bridge", shapes, 2, s->shape_of,
                            s->size.fish + 1, &s->view, report);
}

/* Megabytes that the whole process holds in memory, or NAN where that is not told. */
static double resident_megabytes(void)
{
    unsigned long whole = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    bool read = file != NULL && fscanf(file, "%lu %lu", &whole, &resident) == 2;
    if (file != NULL) {
        fclose(file);
    }
    return read ? (double)resident * 4096.0 / 0x1p20 : (double)NAN;
}

static bool simulate(shoal *s, double *megabytes, bench_report *report)
{
    *megabytes = 0.0;
    for (uint32_t step = 0; step < s->size.steps; step++) {
        bench_progress(s->settings, "fish", step, s->size.steps);
        drive(s, step + 1);
        s->contacts.count = 0;
        if (!pile_view_step(&s->view, s->world, report)) {
            return false;
        }
        if (!pile_view_push(&s->view, &s->contacts)) {
            return report_fail(report, "not enough memory");
        }
        if (step % 16 == 15) {
            s->view.most_bytes = fmax(s->view.most_bytes, pile_view_bytes(&s->view));
            *megabytes = fmax(*megabytes, resident_megabytes());
        }
        modal_world_step(s->world, s->contacts.items, s->contacts.count);
    }
    /* How it ends, against exact contacts. */
    return pile_view_step(&s->view, s->world, report) &&
           pile_view_check(&s->view, &s->checked, report);
}

static void add_results(const shoal *s, double megabytes, bench_report *report)
{
    const pile_view *view = &s->view;
    double step_ms = 1e3 * view->seconds / view->steps;
    bench_row *row = report_row(report, "%s", view->name);
    report_cell(row, "fish", s->size.fish, 0);
    report_cell(row, "steps", view->steps, 0);
    report_cell(row, "step_ms", step_ms, 2);
    report_cell(row, "contacts", view->contact_count / view->steps, 0);
    report_cell(row, "library_mib", view->most_bytes / 0x1p20, 1);
    report_cell(row, "process_mib", megabytes, 1);
    report_ratio(report, "fish_step_ms", step_ms, (double)NAN,
                 "milliseconds of finding contacts in a step");
    report_ratio(report, "fish_share_updated", pile_view_mean(view, 0).updated / view->rows,
                 (double)NAN, "bounds updated in a step over all bounds (figure 7), mean");
    report_ratio(report, "fish_mib", megabytes, (double)NAN,
                 "MiB of the whole process while fish fall");
    report_note(report,
                "%u fish and the bridge: %.0f MiB held by the library, %.0f MiB by the process; "
                "all %llu pairs of triangles that touch in the end were covered by contacts",
                s->size.fish, view->most_bytes / 0x1p20, megabytes, (unsigned long long)s->checked);
}

bool bd_bridge_drop_fish(const bench_settings *settings, const gallery_mesh *mesh,
                         const modal_animation *animation, bench_report *report)
{
    double megabytes = 0.0;
    shoal s = {.settings = settings,
               .size = sizes[settings->length],
               .bridge_mesh = mesh,
               .animation = animation};
    bool done = prepare(&s, report) && simulate(&s, &megabytes, report);
    if (done) {
        add_results(&s, megabytes, report);
        done = pile_view_add_shares(&s.view, report);
    }
    pile_view_free(&s.view);
    modal_world_destroy(s.world);
    mesh_free(&s.fish_mesh);
    modal_model_free(&s.fish);
    free(s.starts);
    free(s.shape_of);
    free(s.contacts.items);
    return done;
}
