/* The suspension bridge: a road, two cables, two towers, and thousands of beams. */
#include <math.h>
#include <stdlib.h>

#include "builder.h"
#include "gallery/numbers.h"
#include "shapes.h"

#define PANELS      160  /* of the paper's size; smaller bridges have fewer */
#define PARTS       7573 /* all closed: 4 PARTS = 2 V - F */
#define TOWER_X     36.0
#define TOWER_TOP   18.0
#define TRUSS_DEPTH 2.6
#define RAIL_HEIGHT 1.3
#define HALF        (0.5 * MODAL_BRIDGE_LENGTH)
#define SIDE        (0.5 * MODAL_BRIDGE_WIDTH)
#define CABLE_SIDE  (SIDE + 0.35)

/* How many parts of each kind there are, and how finely they are cut. */
typedef struct bridge_plan {
    uint32_t panels;
    uint32_t balusters; /* on each side */
    uint32_t road_stations, road_ring;
    uint32_t cable_stations, cable_ring;
    bool full;
} bridge_plan;

static bridge_plan plan_bridge(uint32_t triangles)
{
    bridge_plan plan = {.full = triangles == MODAL_BRIDGE_FACES};
    double factor = (double)triangles / MODAL_BRIDGE_FACES;
    plan.panels = (uint32_t)floor(PANELS * factor + 0.5);
    plan.panels = plan.panels > 8 ? plan.panels : 8;
    /* One road, two cables, ten parts of towers and 19 beams a panel. */
    plan.balusters = plan.full ? (PARTS - 13 - 19 * PANELS) / 2 : 14 * plan.panels;
    plan.road_stations = plan.full ? 365 : 2 * plan.panels + 1;
    plan.cable_stations = plan.full ? 241 : plan.panels + plan.panels / 2 + 1;
    plan.road_ring = plan.panels > PANELS / 4 ? 24 : 16;
    plan.cable_ring = plan.panels > PANELS / 4 ? 8 : 6;
    return plan;
}

static void build_road(modal_builder *builder, const bridge_plan *plan)
{
    modal_station *stations = calloc(plan->road_stations, sizeof *stations);
    if (stations == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t j = 0; j < plan->road_stations; j++) {
        stations[j].centre[0] = -HALF + MODAL_BRIDGE_LENGTH * j / (plan->road_stations - 1);
        stations[j].side[1] = SIDE;
        stations[j].up[2] = MODAL_BRIDGE_ROAD;
    }
    modal_build_loft(builder, stations, plan->road_stations, plan->road_ring, MODAL_SQUARE,
                     MODAL_CAPPED);
    free(stations);
}

/* A parabola between the towers, straight lines from their tops to the ends. */
static double cable_height(double x)
{
    double out = fabs(x);
    if (out <= TOWER_X) {
        double share = out / TOWER_X;
        return 2.5 + (TOWER_TOP - 2.5) * share * share;
    }
    return TOWER_TOP + (0.6 - TOWER_TOP) * (out - TOWER_X) / (HALF - TOWER_X);
}

static void build_cable(modal_builder *builder, const bridge_plan *plan, double side)
{
    double(*points)[3] = malloc(plan->cable_stations * sizeof *points);
    if (points == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t j = 0; j < plan->cable_stations; j++) {
        points[j][0] = -HALF + MODAL_BRIDGE_LENGTH * j / (plan->cable_stations - 1);
        points[j][1] = side * CABLE_SIDE;
        points[j][2] = cable_height(points[j][0]);
    }
    modal_build_tube(builder, (const double(*)[3])points, plan->cable_stations,
                     (const double[2]){0.22, 0.22}, plan->cable_ring, MODAL_CAPPED);
    free(points);
}

/* Ends stay clear of the next beam's by a hair, or two caps would be one and the same. */
static void beam(modal_builder *builder, const double ends[2][3], double width, double height,
                 uint32_t segments)
{
    const double hair = 0.002;
    double from[3], to[3];
    for (int a = 0; a < 3; a++) {
        from[a] = ends[0][a] + hair * (ends[1][a] - ends[0][a]);
        to[a] = ends[1][a] + hair * (ends[0][a] - ends[1][a]);
    }
    modal_build_beam(builder, from, to, (const double[2]){width, height}, segments);
}

static void build_tower(modal_builder *builder, double x)
{
    const double levels[3] = {-3.4, 7.0, TOWER_TOP - 0.8};
    for (int side = -1; side <= 1; side += 2) {
        double y = side * CABLE_SIDE;
        beam(builder, (const double[2][3]){{x, 1.15 * y, MODAL_BRIDGE_FOOT}, {x, y, TOWER_TOP}},
             0.9, 1.3, 10);
    }
    for (int i = 0; i < 3; i++) {
        beam(builder, (const double[2][3]){{x, -CABLE_SIDE, levels[i]}, {x, CABLE_SIDE, levels[i]}},
             0.9, 0.9, 10);
    }
}

/* What one side of a panel from x to next has: chords, a vertical, a diagonal, a hanger, a rail. */
static void build_side(modal_builder *builder, double side, double x, double next, bool odd)
{
    double y = side * SIDE, top = -MODAL_BRIDGE_ROAD - 0.1, low = top - TRUSS_DEPTH;
    double middle = 0.5 * (x + next);
    beam(builder, (const double[2][3]){{x, y, top}, {next, y, top}}, 0.25, 0.25, 3);
    beam(builder, (const double[2][3]){{x, y, low}, {next, y, low}}, 0.25, 0.25, 3);
    beam(builder, (const double[2][3]){{x, y, low}, {x, y, top}}, 0.16, 0.16, 3);
    beam(builder, (const double[2][3]){{odd ? x : next, y, low}, {odd ? next : x, y, top}}, 0.14,
         0.14, 3);
    beam(builder,
         (const double[2][3]){{middle, y, 0.0}, {middle, side * CABLE_SIDE, cable_height(middle)}},
         0.07, 0.07, 3);
    beam(builder, (const double[2][3]){{x, 0.98 * y, RAIL_HEIGHT}, {next, 0.98 * y, RAIL_HEIGHT}},
         0.1, 0.08, 3);
}

/* What carries the road in a panel: a floor beam, two crossing laterals, four stringers. */
static void build_floor(modal_builder *builder, double x, double next)
{
    double top = -MODAL_BRIDGE_ROAD - 0.35, low = -MODAL_BRIDGE_ROAD - 0.1 - TRUSS_DEPTH;
    beam(builder, (const double[2][3]){{x, -SIDE, top}, {x, SIDE, top}}, 0.2, 0.4, 5);
    for (int side = -1; side <= 1; side += 2) {
        beam(builder, (const double[2][3]){{x, side * SIDE, low}, {next, -side * SIDE, low}}, 0.12,
             0.12, 3);
    }
    for (int i = 0; i < 4; i++) {
        double y = SIDE * (-0.6 + 0.4 * i);
        beam(builder, (const double[2][3]){{x, y, top + 0.1}, {next, y, top + 0.1}}, 0.14, 0.22, 3);
    }
}

static void build_railing(modal_builder *builder, uint32_t balusters, double side)
{
    double y = 0.98 * side * SIDE;
    double width = 0.4 * MODAL_BRIDGE_LENGTH / balusters;
    width = width < 0.04 ? width : 0.04;
    for (uint32_t i = 0; i < balusters; i++) {
        double x = -HALF + MODAL_BRIDGE_LENGTH * (i + 0.5) / balusters;
        beam(builder,
             (const double[2][3]){{x, y, MODAL_BRIDGE_ROAD - 0.02}, {x, y, RAIL_HEIGHT - 0.03}},
             width, width, 3);
    }
}

bool modal_mesh_bridge(uint32_t triangles, gallery_mesh *mesh)
{
    modal_builder builder = {0};
    bridge_plan plan = plan_bridge(triangles);
    build_road(&builder, &plan);
    build_tower(&builder, -TOWER_X);
    build_tower(&builder, TOWER_X);
    for (uint32_t panel = 0; panel < plan.panels; panel++) {
        double x = -HALF + MODAL_BRIDGE_LENGTH * panel / plan.panels;
        double next = -HALF + MODAL_BRIDGE_LENGTH * (panel + 1) / plan.panels;
        build_floor(&builder, x, next);
        build_side(&builder, -1.0, x, next, panel % 2 == 1);
        build_side(&builder, 1.0, x, next, panel % 2 == 1);
    }
    for (int side = -1; side <= 1; side += 2) {
        build_cable(&builder, &plan, side);
        build_railing(&builder, plan.balusters, side);
    }
    if (plan.full) {
        modal_build_refine(&builder, MODAL_BRIDGE_VERTICES);
    }
    return modal_build_finish(&builder, mesh);
}
