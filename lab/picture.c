#include "picture.h"

#include <math.h>

#include "lab/experiments/ldi.h"

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

bool picture_draw_overlap(FILE *stream)
{
    static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR};
    ldi_body bodies[2] = {{0}, {0}};
    const ldi_body *const both[2] = {&bodies[0], &bodies[1]};
    ldi_player player;
    bool done =
        ldi_body_make(CLOSED_KNOT, 0, &bodies[0]) && ldi_body_make(CLOSED_RABBIT, 0, &bodies[1]);
    if (done) {
        ldi_body_put_against(&bodies[1], &bodies[0], 0, 0.7);
        done = ldi_player_create(&method, PLIANT_ISA_BEST, both, 2, &player);
    }
    if (done) {
        done = ldi_player_show(&player, both, 0) && draw_overlap(stream, &player);
        ldi_player_destroy(&player);
    }
    ldi_body_free(&bodies[0]);
    ldi_body_free(&bodies[1]);
    return done;
}
