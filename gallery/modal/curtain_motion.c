/*
 * Based on: M. Macklin, M. Mueller, N. Chentanez, "XPBD: Position-Based Simulation of Compliant
 * Constrained Dynamics", 2016, with one pass of constraints in each of many small steps.
 */
#include "curtain_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curtain_throw.h"

#define SUBSTEPS   8
#define CLOTH_MASS 1.2  /* kilograms of the whole curtain */
#define SWEEPS     2    /* of all constraints in a substep */
#define BEND_STIFF 0.4  /* newtons per metre, of springs across edges */
#define AIR        0.4  /* share of the velocity lost per second */
#define STRETCH    1.01 /* how far a vertex may hang below the rod, over its rest distance */
#define FASTEST    12.0 /* metres per second, of any vertex */
#define LEAD       90   /* frames that the wind blows before the first, without a ball */

/* Two vertices that keep their distance. */
typedef struct cloth_link {
    uint32_t a, b;
    double length;
    double compliance; /* over the square of the time step */
} cloth_link;

typedef struct cloth_state {
    uint32_t vertex_count;
    double (*points)[3], (*before)[3], (*velocities)[3];
    double *mobility;     /* 1 / mass; 0 on the rod */
    double (*anchors)[3]; /* where on the rod a vertex hangs */
    double *hanging;      /* how far below, at rest */
    cloth_link *links;
    uint32_t link_count;
    modal_throw ball;
    double ball_before[3], ball_turned;
    double time;
    double phases[2]; /* of the wind */
} cloth_state;

/* One side of a triangle and the corner opposite. */
typedef struct cloth_side {
    uint32_t low, high, opposite;
} cloth_side;

static int compare_sides(const void *left, const void *right)
{
    const cloth_side *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->opposite < b->opposite ? -1 : a->opposite > b->opposite;
}

static double distance(const double a[3], const double b[3])
{
    double side[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(modal_dot(side, side));
}

static void link_vertices(cloth_state *cloth, uint32_t a, uint32_t b, double compliance)
{
    double length = distance(cloth->points[a], cloth->points[b]);
    cloth->links[cloth->link_count++] = (cloth_link){a, b, length, compliance};
}

/* A stiff link along every edge, and a soft one across every edge between two triangles. */
static bool make_links(const gallery_mesh *mesh, cloth_state *cloth)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    cloth_side *sides = malloc(count * sizeof *sides);
    cloth->links = malloc(2 * count * sizeof *cloth->links);
    if (sides == NULL || cloth->links == NULL) {
        free(sides);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = mesh->triangles + i / 3 * 3;
        uint32_t a = corners[i % 3], b = corners[(i + 1) % 3], c = corners[(i + 2) % 3];
        sides[i] = (cloth_side){a < b ? a : b, a < b ? b : a, c};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    double step = MODAL_FRAME_TIME / SUBSTEPS, bend = 1.0 / (BEND_STIFF * step * step);
    for (size_t i = 0; i < count; i++) {
        bool again =
            i > 0 && sides[i].low == sides[i - 1].low && sides[i].high == sides[i - 1].high;
        if (!again) {
            link_vertices(cloth, sides[i].low, sides[i].high, 0.0);
        } else {
            link_vertices(cloth, sides[i - 1].opposite, sides[i].opposite, bend);
        }
    }
    free(sides);
    return true;
}

/* What chance decides: the throw, and the phases of the wind. */
static void draw_start(cloth_state *cloth, uint64_t seed)
{
    gallery_random random = gallery_random_seed(seed, 0);
    cloth->ball = modal_draw_throw(&random);
    cloth->phases[0] = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI);
    cloth->phases[1] = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI);
}

static bool cloth_create(const gallery_mesh *mesh, uint32_t edge, uint64_t seed, cloth_state *cloth)
{
    uint32_t count = mesh->vertex_count;
    cloth->vertex_count = count;
    cloth->points = malloc(count * sizeof *cloth->points);
    cloth->before = malloc(count * sizeof *cloth->before);
    cloth->velocities = calloc(count, sizeof *cloth->velocities);
    cloth->mobility = malloc(count * sizeof *cloth->mobility);
    cloth->anchors = malloc(count * sizeof *cloth->anchors);
    cloth->hanging = malloc(count * sizeof *cloth->hanging);
    if (cloth->points == NULL || cloth->before == NULL || cloth->velocities == NULL ||
        cloth->mobility == NULL || cloth->anchors == NULL || cloth->hanging == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < count; v++) {
        for (size_t a = 0; a < 3; a++) {
            cloth->points[v][a] = (double)mesh->positions[3 * (size_t)v + a];
        }
        cloth->mobility[v] = v < edge ? 0.0 : count / CLOTH_MASS;
        /* Folds are upright at rest: every vertex hangs straight below the rod. */
        memcpy(cloth->anchors[v], cloth->points[v], sizeof cloth->anchors[v]);
        cloth->anchors[v][2] = cloth->points[0][2];
        cloth->hanging[v] = cloth->points[0][2] - cloth->points[v][2];
    }
    draw_start(cloth, seed);
    return make_links(mesh, cloth);
}

static void cloth_free(cloth_state *cloth)
{
    free(cloth->points);
    free(cloth->before);
    free(cloth->velocities);
    free(cloth->mobility);
    free(cloth->anchors);
    free(cloth->hanging);
    free(cloth->links);
}

/* Gusts that travel along the curtain, in metres per second squared. */
static double wind_at(const cloth_state *cloth, const double point[3])
{
    double gust = 1.0 + 0.7 * gallery_sin(2.1 * cloth->time + cloth->phases[0]);
    return gust * gallery_sin(2.6 * point[0] - 3.3 * cloth->time + cloth->phases[1]) +
           0.3 * gallery_sin(1.7 * cloth->time + point[2]);
}

static void predict(cloth_state *cloth, double step)
{
    double keep = 1.0 - AIR * step;
    for (uint32_t v = 0; v < cloth->vertex_count; v++) {
        memcpy(cloth->before[v], cloth->points[v], sizeof cloth->before[v]);
        if (cloth->mobility[v] > 0.0) {
            double *velocity = cloth->velocities[v];
            velocity[1] += step * wind_at(cloth, cloth->points[v]);
            velocity[2] -= step * MODAL_GRAVITY;
            for (int a = 0; a < 3; a++) {
                velocity[a] *= keep;
                cloth->points[v][a] += step * velocity[a];
            }
        }
    }
}

static void predict_ball(cloth_state *cloth, double step)
{
    memcpy(cloth->ball_before, cloth->ball.centre, sizeof cloth->ball_before);
    cloth->ball.velocity[2] -= step * MODAL_GRAVITY;
    for (int a = 0; a < 3; a++) {
        cloth->ball.centre[a] += step * cloth->ball.velocity[a];
    }
    cloth->ball_turned += step * cloth->ball.spin;
}

static void satisfy_links(cloth_state *cloth)
{
    for (uint32_t i = 0; i < cloth->link_count; i++) {
        const cloth_link *link = &cloth->links[i];
        double *a = cloth->points[link->a], *b = cloth->points[link->b];
        double give = cloth->mobility[link->a] + cloth->mobility[link->b];
        double length = distance(a, b);
        if (give == 0.0 || length == 0.0) {
            continue;
        }
        double share = (length - link->length) / (length * (give + link->compliance));
        for (int axis = 0; axis < 3; axis++) {
            double push = share * (b[axis] - a[axis]);
            a[axis] += cloth->mobility[link->a] * push;
            b[axis] -= cloth->mobility[link->b] * push;
        }
    }
}

/* One sweep of links says little about the lower end to the rod; so no vertex may be farther from
   the rod than the cloth is long there (T.-Y. Kim et al., "Long Range Attachments", 2012). */
static void satisfy_tethers(cloth_state *cloth)
{
    for (uint32_t v = 0; v < cloth->vertex_count; v++) {
        double away = distance(cloth->anchors[v], cloth->points[v]);
        double most = STRETCH * cloth->hanging[v];
        for (int a = 0; a < 3 && away > most && cloth->mobility[v] > 0.0; a++) {
            double from = cloth->anchors[v][a];
            cloth->points[v][a] = from + most / away * (cloth->points[v][a] - from);
        }
    }
}

/* Vertices leave the ball, and the ball gives way to them; it does not sink into the floor. */
static void satisfy_ball(cloth_state *cloth)
{
    const double ball_mobility = 1.0 / MODAL_BALL_MASS;
    for (uint32_t v = 0; v < cloth->vertex_count; v++) {
        double apart = distance(cloth->ball.centre, cloth->points[v]);
        double give = cloth->mobility[v] + ball_mobility;
        if (apart >= MODAL_BALL_RADIUS || apart == 0.0) {
            continue;
        }
        double share = (MODAL_BALL_RADIUS - apart) / (apart * give);
        for (int a = 0; a < 3; a++) {
            double push = share * (cloth->points[v][a] - cloth->ball.centre[a]);
            cloth->points[v][a] += cloth->mobility[v] * push;
            cloth->ball.centre[a] -= ball_mobility * push;
        }
    }
    cloth->ball.centre[2] = fmax(cloth->ball.centre[2], MODAL_BALL_FLOOR + MODAL_BALL_RADIUS);
}

static void take_velocities(cloth_state *cloth, double step)
{
    for (uint32_t v = 0; v < cloth->vertex_count; v++) {
        for (int a = 0; a < 3; a++) {
            cloth->velocities[v][a] = (cloth->points[v][a] - cloth->before[v][a]) / step;
        }
        double speed = sqrt(modal_dot(cloth->velocities[v], cloth->velocities[v]));
        for (int a = 0; a < 3 && speed > FASTEST; a++) {
            cloth->velocities[v][a] *= FASTEST / speed;
        }
    }
}

static void take_ball_velocity(cloth_state *cloth, double step)
{
    for (int a = 0; a < 3; a++) {
        cloth->ball.velocity[a] = (cloth->ball.centre[a] - cloth->ball_before[a]) / step;
    }
    /* Rolling on the floor. */
    if (cloth->ball.centre[2] <= MODAL_BALL_FLOOR + MODAL_BALL_RADIUS) {
        cloth->ball.velocity[0] *= 1.0 - 0.8 * step;
        cloth->ball.velocity[1] *= 1.0 - 0.8 * step;
        cloth->ball.spin = -cloth->ball.velocity[1] / MODAL_BALL_RADIUS;
    }
}

static void record(const cloth_state *cloth, float *frame)
{
    for (uint32_t v = 0; v < cloth->vertex_count; v++) {
        for (size_t a = 0; a < 3; a++) {
            frame[3 * (size_t)v + a] = (float)cloth->points[v][a];
        }
    }
}

static void blow(cloth_state *cloth, double step)
{
    predict(cloth, step);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        satisfy_links(cloth);
        satisfy_tethers(cloth);
    }
    take_velocities(cloth, step);
    cloth->time += step;
}

static void push(cloth_state *cloth, double step)
{
    predict(cloth, step);
    predict_ball(cloth, step);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        satisfy_links(cloth);
        satisfy_tethers(cloth);
        satisfy_ball(cloth);
    }
    take_velocities(cloth, step);
    take_ball_velocity(cloth, step);
    cloth->time += step;
}

bool modal_blow_curtain(const gallery_mesh *mesh, uint32_t edge, uint64_t seed,
                        uint32_t frame_count, float *frames)
{
    cloth_state cloth = {0};
    bool done = cloth_create(mesh, edge, seed, &cloth);
    for (uint32_t f = 0; f < LEAD + frame_count && done; f++) {
        if (f >= LEAD) {
            record(&cloth, frames + (f - LEAD) * 3 * (size_t)mesh->vertex_count);
        }
        for (int i = 0; i < SUBSTEPS; i++) {
            blow(&cloth, MODAL_FRAME_TIME / SUBSTEPS);
        }
    }
    cloth_free(&cloth);
    return done;
}

bool modal_push_curtain(const gallery_mesh *mesh, uint32_t edge, uint64_t seed,
                        uint32_t frame_count, float *frames, modal_ball *balls)
{
    cloth_state cloth = {0};
    bool done = cloth_create(mesh, edge, seed, &cloth);
    for (uint32_t f = 0; f < frame_count && done; f++) {
        record(&cloth, frames + f * 3 * (size_t)mesh->vertex_count);
        memcpy(balls[f].centre, cloth.ball.centre, sizeof balls[f].centre);
        modal_turned_about_x(cloth.ball_turned, balls[f].orientation);
        for (int i = 0; i < SUBSTEPS; i++) {
            push(&cloth, MODAL_FRAME_TIME / SUBSTEPS);
        }
    }
    cloth_free(&cloth);
    return done;
}
