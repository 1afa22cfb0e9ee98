/*
 * 20,000 particles bounce off a deforming body of 10,000 triangles (Heidelberger, Teschner & Gross
 * 2003, figure 12). A step deforms the body, moves the particles, finds those inside and takes them
 * out again; nothing is drawn.
 */
#include "ldi.h"

#include "gallery/particles.h"

#include <math.h>
#include <stdlib.h>

enum { PARTICLES = 20000, TRIANGLES = 10000 };

typedef struct simulation {
    gallery_mesh mesh;
    float *positions;
    gallery_particles particles;
    pliant_volume_point *answers;
    ldi_player player;
    uint64_t contacts;
    double seconds[3]; /* deforming, detecting, moving and bouncing */
} simulation;

static bool create(const bench_settings *settings, simulation *sim)
{
    static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR};
    if (!closed_make(CLOSED_SANTA, TRIANGLES, &sim->mesh) ||
        !particles_create(&sim->particles, PARTICLES, settings->seed)) {
        return false;
    }
    sim->positions = malloc((size_t)sim->mesh.vertex_count * 3 * sizeof *sim->positions);
    sim->answers = malloc(PARTICLES * sizeof *sim->answers);
    const ldi_body body = {.name = closed_name(CLOSED_SANTA), .mesh = sim->mesh};
    const ldi_body *const bodies[1] = {&body};
    return sim->positions != NULL && sim->answers != NULL &&
           ldi_player_create(&method, settings->isa, bodies, 1, &sim->player);
}

static void destroy(simulation *sim)
{
    ldi_player_destroy(&sim->player);
    particles_destroy(&sim->particles);
    mesh_free(&sim->mesh);
    free(sim->positions);
    free(sim->answers);
}

static bool step(simulation *sim, uint32_t number)
{
    static const gallery_placement upright = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double start = bench_seconds();
    closed_deform(sim->mesh.positions, sim->mesh.vertex_count, 0.01 * number, &upright,
                  sim->positions);
    double deformed = bench_seconds();
    particles_fall(&sim->particles, 0.01f);
    double moved = bench_seconds();
    pliant_volume_sampling sampling;
    if (pliant_body_share_positions(sim->player.bodies[0], sim->positions, 0) != PLIANT_OK ||
        pliant_volume_locate_points(sim->player.volume, sim->player.bodies[0],
                                    sim->particles.positions, PARTICLES, 0, &sim->player.options,
                                    sim->answers, &sampling) != PLIANT_OK) {
        return false;
    }
    double detected = bench_seconds();
    for (uint32_t i = 0; i < PARTICLES; i++) {
        if (sim->answers[i].winding != 0) {
            particles_bounce(&sim->particles, i, sampling.grid.axis, sim->answers[i].depth);
            sim->contacts++;
        }
    }
    sim->seconds[0] += deformed - start;
    sim->seconds[1] += detected - moved;
    sim->seconds[2] += moved - deformed + bench_seconds() - detected;
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    uint32_t steps = settings->length == BENCH_QUICK ? 60 : 600;
    simulation sim = {.contacts = 0};
    bool done = create(settings, &sim) || report_fail(report, "no memory");
    double start = bench_seconds();
    for (uint32_t i = 0; i < steps && done; i++) {
        if (i % 20 == 0) {
            bench_progress(settings, "ldi-particles", i, steps);
        }
        done = step(&sim, i) || report_fail(report, "step %u: %s", i, pliant_last_error());
    }
    double seconds = bench_seconds() - start;
    if (done && sim.contacts == 0) {
        done = report_fail(report, "no particle met the body");
    }
    if (done) {
        bench_row *row =
            report_row(report, "20,000 particles, %u triangles", sim.mesh.triangle_count);
        report_cell(row, "deform_ms", 1e3 * sim.seconds[0] / steps, 3);
        report_cell(row, "detect_ms", 1e3 * sim.seconds[1] / steps, 3);
        report_cell(row, "particles_ms", 1e3 * sim.seconds[2] / steps, 3);
        report_cell(row, "step_ms", 1e3 * seconds / steps, 3);
        report_cell(row, "contacts", (double)sim.contacts / steps, 0);
        report_ratio(report, "steps_per_second", steps / seconds, 29,
                     "steps per second without drawing (the paper draws)");
    }
    destroy(&sim);
    return done;
}

const bench_experiment experiment_ldi_particles = {
    .name = "ldi-particles",
    .description = "20,000 particles bounce off a deforming body of 10,000 triangles",
    .paper = "Heidelberger, Teschner and Gross 2003, figure 12: 29 frames per second with drawing",
    .own_turns = true,
    .run = run,
};
