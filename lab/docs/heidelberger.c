/* The tables of docs/methods/heidelberger-2003.md, and its picture. */
#include "docs.h"

#include <math.h>
#include <string.h>

#include "lab/experiments/ldi.h"

static const char file[] = "methods/heidelberger-2003.md";

/* Rows of an experiment as they are. */
static void write_rows(FILE *stream, const bench_report *report, const char *const *keys,
                       uint32_t key_count)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        fprintf(stream, "| %s |", report->rows[i].method);
        for (uint32_t k = 0; k < key_count; k++) {
            const bench_cell *cell = report_find_cell(&report->rows[i], keys[k]);
            fputc(' ', stream);
            (cell != NULL && cell->decimals == 0 ? docs_count : docs_number)(
                stream, cell != NULL ? cell->value : (double)NAN);
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
}

static void write_pairs(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"depth_a",    "depth_b",    "image_ms", "query_ms",
                                       "paper_ms",   "bounded_ms", "all_ms",   "scalar_ms",
                                       "stencil_ms", "lists_ms"};
    fputs("| bodies | layers, first | second | stages 1 and 2, ms | stage 3, ms | paper, stages 1 "
          "and 2 | with the range | all triangles | scalar twin | OpenGL, stencil | OpenGL, lists "
          "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, docs_report(results, "ldi-pairs"), keys, sizeof keys / sizeof keys[0]);
}

static void write_objects(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"triangles",  "depth",        "image_ms",   "paper_ms",
                                       "points_ms",  "paper_points", "bounded_ms", "scalar_ms",
                                       "stencil_ms", "lists_ms"};
    fputs("| body | triangles | layers | image, ms | paper | 100,000 points, ms | paper | image "
          "with the range | scalar twin | OpenGL, stencil | OpenGL, lists "
          "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, docs_report(results, "ldi-objects"), keys, sizeof keys / sizeof keys[0]);
}

static void write_particles(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"deform_ms", "detect_ms", "particles_ms", "step_ms",
                                       "contacts"};
    const bench_report *report = docs_report(results, "ldi-particles");
    fputs("| | deforming, ms | image and points, ms | particles, ms | step, ms | contacts a step "
          "|\n|---|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, report, keys, sizeof keys / sizeof keys[0]);
    fputs("\nSteps per second, without drawing: ", stream);
    docs_number(stream, docs_ratio(report, "steps_per_second"));
    fputs(" (the paper, with drawing: 29).\n", stream);
}

static void write_ratios(FILE *stream, const docs_results *results)
{
    static const char *const experiments[] = {"ldi-pairs", "ldi-objects"};
    fputs("| experiment | ratio | here | what it is |\n|---|---|--:|---|\n", stream);
    for (int i = 0; i < 2; i++) {
        const bench_report *report = docs_report(results, experiments[i]);
        for (uint32_t k = 0; k < report->ratio_count; k++) {
            const bench_ratio *ratio = &report->ratios[k];
            fprintf(stream, "| %s | `%s` | ", experiments[i], ratio->key);
            docs_number(stream, ratio->value);
            fprintf(stream, " | %s |\n", ratio->meaning);
        }
    }
    const char *renderer = ldi_renderer();
    fprintf(stream, "\nOpenGL is %s%s.\n", renderer[0] != '\0' ? "drawn by " : "missing here",
            renderer);
}

const docs_block docs_heidelberger_blocks[] = {
    {file, "machine", docs_write_machine}, {file, "pairs", write_pairs},
    {file, "objects", write_objects},      {file, "particles", write_particles},
    {file, "ratios", write_ratios},
};
const unsigned docs_heidelberger_block_count =
    sizeof docs_heidelberger_blocks / sizeof docs_heidelberger_blocks[0];

/* -------------------------------------------------------------- picture */

enum { RAYS = 44 };

/* Where a point is drawn. */
static void project(const double point[3], double *x, double *y)
{
    const double yaw = 0.5, pitch = 0.4, scale = 170.0;
    double c = cos(yaw), s = sin(yaw);
    double across = c * point[0] - s * point[1], away = s * point[0] + c * point[1];
    *x = 200.0 + scale * across;
    *y = 190.0 - scale * (cos(pitch) * point[2] + sin(pitch) * away);
}

static void draw_spans(FILE *stream, const pliant_volume_measure *m, const char *colour,
                       double opacity, double width)
{
    fprintf(stream,
            "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\"%.2f\" stroke-width=\"%.1f\" d=\"",
            colour, opacity, width);
    for (uint64_t i = 0; i < m->span_count; i++) {
        const pliant_volume_span *span = &m->spans[i];
        double end[3], x[2], y[2];
        uint32_t axis = m->grid.axis;
        end[(axis + 1) % 3] = m->grid.origin[0] + (span->column + 0.5) * m->grid.pixel[0];
        end[(axis + 2) % 3] = m->grid.origin[1] + (span->row + 0.5) * m->grid.pixel[1];
        end[axis] = (double)span->lower;
        project(end, &x[0], &y[0]);
        end[axis] = (double)span->upper;
        project(end, &x[1], &y[1]);
        fprintf(stream, "M%.1f %.1fL%.1f %.1f", x[0], y[0], x[1], y[1]);
    }
    fputs("\"/>\n", stream);
}

/* The spans of both bodies and of what they have in common. */
static bool draw_overlap(FILE *stream, ldi_player *player)
{
    static const char *const colours[2] = {"#3d6fb0", "#8a8f98"};
    pliant_volume_measure m;
    player->options.resolution = RAYS;
    player->options.spans = true;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 360\" role=\"img\">\n"
            "<title>A knot and a body with ears, as the rays see them, and what they have in "
            "common</title>\n");
    for (uint32_t i = 0; i < 2; i++) {
        if (pliant_volume_measure_body(player->volume, player->bodies[i], &player->options, &m) !=
            PLIANT_OK) {
            return false;
        }
        draw_spans(stream, &m, colours[i], 0.35, 1.2);
    }
    player->options.resolution = 2 * RAYS;
    if (pliant_volume_intersect(player->volume, player->bodies[0], player->bodies[1],
                                &player->options, &m) != PLIANT_OK) {
        return false;
    }
    draw_spans(stream, &m, "#c4262e", 0.9, 1.4);
    fputs("</svg>\n", stream);
    return true;
}

bool docs_draw_overlap(const char *folder)
{
    static const char name[] = "images/heidelberger-overlap.svg";
    static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR};
    ldi_body bodies[2] = {{0}, {0}};
    const ldi_body *const both[2] = {&bodies[0], &bodies[1]};
    ldi_player player;
    bool done =
        ldi_body_make(CLOSED_KNOT, 0, &bodies[0]) && ldi_body_make(CLOSED_RABBIT, 0, &bodies[1]);
    FILE *stream = done ? docs_open(folder, name, "w") : NULL;
    done = stream != NULL;
    if (done) {
        ldi_body_put_against(&bodies[1], &bodies[0], 0, 0.7);
        done = ldi_player_create(&method, PLIANT_ISA_BEST, both, 2, &player);
        if (done) {
            done = ldi_player_show(&player, both, 0) && draw_overlap(stream, &player);
            ldi_player_destroy(&player);
        }
        done = docs_close(stream, folder, name) && done;
    }
    ldi_body_free(&bodies[0]);
    ldi_body_free(&bodies[1]);
    return done;
}
