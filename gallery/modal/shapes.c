#include "shapes.h"

#include <math.h>
#include <stdlib.h>

#include "builder.h"
#include "gallery/numbers.h"

/* A number of rings or of vertices in a ring, at another resolution than the paper's. */
typedef struct resolution {
    double factor; /* 1: the paper's */
} resolution;

static resolution resolution_of(uint32_t triangles, uint32_t full)
{
    return (resolution){triangles == full ? 1.0 : sqrt((double)triangles / (double)full)};
}

static uint32_t scaled(resolution by, uint32_t number, uint32_t least)
{
    uint32_t result = (uint32_t)floor((double)number * by.factor + 0.5);
    return result > least ? result : least;
}

/* Refines to the paper's size, if that is what was asked for. */
static bool finish(modal_builder *builder, resolution by, uint32_t vertex_count, gallery_mesh *mesh)
{
    if (by.factor == 1.0) {
        modal_build_refine(builder, vertex_count);
    }
    return modal_build_finish(builder, mesh);
}

/* A slab: rings that widen, go up, and narrow again. */
static void build_seat(modal_builder *builder, resolution by)
{
    enum { MOST = 64 };
    modal_station stations[MOST];
    uint32_t across = scaled(by, 12, 2);
    across = across < MOST / 2 ? across : MOST / 2;
    uint32_t count = 2 * across;
    for (uint32_t j = 0; j < count; j++) {
        bool below = j < across;
        uint32_t from_middle = below ? j : count - 1 - j;
        double share = (from_middle + 0.6) / (across - 0.4);
        double out = share * share * share;
        /* Hollowed a little, as a seat is. */
        double z = below ? 0.43 + 0.004 * out : 0.456 + 0.006 * share * share - 0.008 * out;
        stations[j] = (modal_station){
            .centre = {0, 0, z}, .side = {0.23 * share, 0, 0}, .up = {0, 0.215 * share, 0}};
    }
    modal_build_loft(builder, stations, count, scaled(by, 64, 6), MODAL_ROUNDED, MODAL_CAPPED);
}

/* Where the back is, from the left post (-1) to the right one (1), at a height from 0.45 to 0.96.
 */
static void back_point(double across, double height, double point[3])
{
    double up = (height - 0.45) / 0.5;
    point[0] = across * (0.18 + 0.03 * up);
    point[1] = -0.165 - 0.1 * up - 0.04 * (1.0 - across * across);
    point[2] = height;
}

static void build_crest(modal_builder *builder, resolution by)
{
    enum { MOST = 64 };
    modal_station stations[MOST];
    uint32_t count = scaled(by, 30, 3);
    count = count < MOST ? count : MOST;
    for (uint32_t j = 0; j < count; j++) {
        double across = -1.06 + 2.12 * j / (count - 1);
        double height = 0.05 - 0.018 * across * across;
        stations[j] = (modal_station){.side = {0, -0.014, 0}, .up = {0, -0.2 * height, height}};
        back_point(across, 0.9, stations[j].centre);
    }
    modal_build_loft(builder, stations, count, scaled(by, 20, 4), MODAL_ROUNDED, MODAL_CAPPED);
}

static void build_back(modal_builder *builder, resolution by)
{
    for (int i = 0; i < 10; i++) {
        double across = -0.82 + 1.64 * i / 9.0, low[3], high[3];
        back_point(across, 0.445, low);
        back_point(across, 0.89, high);
        modal_build_rod(builder, low, high, (const double[2]){0.012, 0.0105}, scaled(by, 20, 3),
                        scaled(by, 13, 2), MODAL_OPEN);
    }
    for (int side = -1; side <= 1; side += 2) {
        double low[3], high[3];
        back_point(side, 0.44, low);
        back_point(side, 0.94, high);
        modal_build_rod(builder, low, high, (const double[2]){0.018, 0.015}, scaled(by, 24, 3),
                        scaled(by, 16, 2), MODAL_OPEN);
        modal_build_ball(builder, high, (const double[3]){0.02, 0.02, 0.02}, scaled(by, 12, 3),
                         scaled(by, 6, 1));
    }
    double middle[3];
    back_point(0, 0.957, middle);
    modal_build_ball(builder, middle, (const double[3]){0.022, 0.018, 0.016}, scaled(by, 12, 3),
                     scaled(by, 6, 1));
}

/* An arm leaves its post, goes forward and bends down into the seat. */
static void build_arm(modal_builder *builder, resolution by, double side)
{
    enum { MOST = 64 };
    double points[MOST][3];
    uint32_t count = scaled(by, 14, 3);
    count = count < MOST ? count : MOST;
    double start[3];
    back_point(side, 0.66, start);
    for (uint32_t i = 0; i < count; i++) {
        double angle = 0.5 * GALLERY_PI * i / (count - 1);
        points[i][0] = start[0] + side * 0.02 * gallery_sin(2.0 * angle);
        points[i][1] = start[1] + (0.12 - start[1]) * gallery_sin(angle);
        points[i][2] = 0.45 + (start[2] - 0.45) * gallery_cos(angle) * (2.0 - gallery_cos(angle));
    }
    modal_build_tube(builder, (const double(*)[3])points, count, (const double[2]){0.014, 0.014},
                     scaled(by, 16, 3), MODAL_OPEN);
}

/* Where a leg is at a height; side and front are -1 or 1. */
static void leg_point(double side, double front, double height, double point[3])
{
    double down = (0.44 - height) / 0.44;
    point[0] = side * (0.165 + 0.04 * down);
    point[1] = front * (0.15 + 0.045 * down);
    point[2] = height;
}

static void build_rung(modal_builder *builder, resolution by, const double from[3],
                       const double to[3])
{
    modal_build_rod(builder, from, to, (const double[2]){0.011, 0.011}, scaled(by, 20, 3),
                    scaled(by, 12, 2), MODAL_OPEN);
}

static void build_legs(modal_builder *builder, resolution by)
{
    for (int corner = 0; corner < 4; corner++) {
        double side = corner % 2 == 0 ? -1.0 : 1.0, front = corner < 2 ? -1.0 : 1.0;
        double top[3], foot[3];
        leg_point(side, front, 0.44, top);
        leg_point(side, front, 0.012, foot);
        modal_build_rod(builder, foot, top, (const double[2]){0.013, 0.019}, scaled(by, 24, 3),
                        scaled(by, 16, 2), MODAL_OPEN);
        modal_build_ball(builder, foot, (const double[3]){0.019, 0.019, 0.012}, scaled(by, 12, 3),
                         scaled(by, 6, 1));
    }
    double from[3], to[3];
    for (int side = -1; side <= 1; side += 2) {
        leg_point(side, -1, 0.2, from);
        leg_point(side, 1, 0.2, to);
        build_rung(builder, by, from, to);
        leg_point(-1, side, 0.27, from);
        leg_point(1, side, 0.27, to);
        build_rung(builder, by, from, to);
        leg_point(-1, 0.35 * side, 0.2, from);
        leg_point(1, 0.35 * side, 0.2, to);
        build_rung(builder, by, from, to);
    }
}

bool modal_mesh_chair(uint32_t triangles, gallery_mesh *mesh)
{
    modal_builder builder = {0};
    resolution by = resolution_of(triangles, MODAL_CHAIR_FACES);
    build_seat(&builder, by);
    build_crest(&builder, by);
    build_back(&builder, by);
    build_arm(&builder, by, -1.0);
    build_arm(&builder, by, 1.0);
    build_legs(&builder, by);
    return finish(&builder, by, MODAL_CHAIR_VERTICES, mesh);
}

/* Half the height of the fish's body, from nose (0) to the root of its tail (1). */
static double fish_height(double u)
{
    double slow = sqrt(u * sqrt(u)); /* u^(3/4): the highest part lies towards the nose */
    return 0.006 + 0.19 * gallery_sin(GALLERY_PI * slow) * (1.0 - 0.3 * u) + 0.03 * u;
}

#define FISH_NOSE 0.6
#define FISH_BODY 1.15 /* length of the body without its tail */

static double fish_x(double u)
{
    return FISH_NOSE - FISH_BODY * u;
}

static void dorsal_fin(double u, double v, double point[3])
{
    double along = 0.3 + 0.42 * u;
    point[0] = fish_x(along) - 0.05 * v;
    point[1] = 0.0;
    point[2] = 0.95 * fish_height(along) +
               v * 0.13 * (0.25 + 0.75 * gallery_sin(GALLERY_PI * (0.15 + 0.7 * u)));
}

static void anal_fin(double u, double v, double point[3])
{
    double along = 0.62 + 0.2 * u;
    point[0] = fish_x(along) - 0.06 * v;
    point[1] = 0.0;
    point[2] = -0.93 * fish_height(along) - v * 0.09 * (1.0 - 0.6 * u);
}

static void tail_fin(double u, double v, double point[3])
{
    double up = 2.0 * v - 1.0;
    point[0] = fish_x(0.985) - u * (0.11 + 0.15 * fabs(up));
    point[1] = 0.0;
    point[2] = up * (0.03 + 0.19 * u);
}

/* The fins that come in pairs: u leads away from the body, v along it. */
static void paired_fin(double along, double low, const double size[3], double side, double u,
                       double v, double point[3])
{
    double root = along + size[2] * v;
    point[0] = fish_x(root) - 0.6 * size[0] * u * (1.0 - 0.4 * v);
    point[1] = side * (0.48 * fish_height(root) + size[0] * u * 0.8);
    point[2] = -low * fish_height(root) - size[1] * u;
}

static const double pectoral_size[3] = {0.17, 0.05, 0.1}, pelvic_size[3] = {0.07, 0.06, 0.06};

static void left_pectoral_fin(double u, double v, double point[3])
{
    paired_fin(0.27, 0.3, pectoral_size, 1.0, u, v, point);
}

static void right_pectoral_fin(double u, double v, double point[3])
{
    paired_fin(0.27, 0.3, pectoral_size, -1.0, u, v, point);
}

static void left_pelvic_fin(double u, double v, double point[3])
{
    paired_fin(0.45, 0.75, pelvic_size, 0.7, u, v, point);
}

static void right_pelvic_fin(double u, double v, double point[3])
{
    paired_fin(0.45, 0.75, pelvic_size, -0.7, u, v, point);
}

static bool build_fish_body(modal_builder *builder, resolution by)
{
    uint32_t count = scaled(by, 120, 5);
    modal_station *stations = calloc(count, sizeof *stations);
    if (stations == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < count; j++) {
        double u = (double)j / (count - 1), height = fish_height(u);
        stations[j].centre[0] = fish_x(u);
        stations[j].side[1] = -(0.55 - 0.2 * u) * height;
        stations[j].up[2] = height;
    }
    modal_build_loft(builder, stations, count, scaled(by, 96, 6), MODAL_ELLIPSE, MODAL_CAPPED);
    free(stations);
    return true;
}

bool modal_mesh_fish(uint32_t triangles, gallery_mesh *mesh)
{
    static const struct {
        uint32_t columns, rows;
        modal_surface surface;
    } fins[7] = {{24, 6, dorsal_fin},        {16, 16, tail_fin},          {11, 5, anal_fin},
                 {10, 6, left_pectoral_fin}, {10, 6, right_pectoral_fin}, {6, 4, left_pelvic_fin},
                 {6, 4, right_pelvic_fin}};
    modal_builder builder = {0};
    resolution by = resolution_of(triangles, MODAL_FISH_FACES);
    builder.failed = !build_fish_body(&builder, by);
    for (int side = -1; side <= 1; side += 2) {
        modal_build_ball(
            &builder, (const double[3]){fish_x(0.12), side * 0.5 * fish_height(0.12), 0.035},
            (const double[3]){0.018, 0.012, 0.018}, scaled(by, 16, 3), scaled(by, 7, 1));
    }
    for (int i = 0; i < 7; i++) {
        modal_build_sheet(&builder, scaled(by, fins[i].columns, 1), scaled(by, fins[i].rows, 1),
                          fins[i].surface);
    }
    return finish(&builder, by, MODAL_FISH_VERTICES, mesh);
}

#define CURTAIN_COLUMNS 125
#define CURTAIN_ROWS    48

static void curtain_point(double u, double v, double point[3])
{
    point[0] = 2.0 * (u - 0.5);
    point[1] = 0.055 * gallery_sin(2.0 * GALLERY_PI * 9.0 * u);
    point[2] = 2.0 - 2.0 * v;
}

uint32_t modal_curtain_edge(uint32_t triangles)
{
    return scaled(resolution_of(triangles, MODAL_CURTAIN_FACES), CURTAIN_COLUMNS, 2) + 1;
}

bool modal_mesh_curtain(uint32_t triangles, gallery_mesh *mesh)
{
    modal_builder builder = {0};
    resolution by = resolution_of(triangles, MODAL_CURTAIN_FACES);
    modal_build_sheet(&builder, modal_curtain_edge(triangles) - 1, scaled(by, CURTAIN_ROWS, 2),
                      curtain_point);
    return finish(&builder, by, MODAL_CURTAIN_VERTICES, mesh);
}
