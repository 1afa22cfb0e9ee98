#include "closed.h"

#include <math.h>
#include <string.h>

/* A bump on a tube: where along it, where around it, how wide either way, and how high. */
typedef struct bump {
    double along, around, length, width, height;
} bump;

enum { MAX_BUMPS = 8 };

typedef struct tube {
    const char *name;
    uint32_t triangles;
    bool ring;      /* the curve ends where it begins */
    double slender; /* quads along over quads around */
    double radius;
    void (*curve)(double s, double point[3]); /* s from 0 to 1 */
    void (*aside)(double s, double out[3]);   /* a direction that is never along the curve */
    double (*profile)(double s);              /* the radius over `radius` */
    double spikes, spike_height;              /* waves along the back, and how high they are */
    bump bumps[MAX_BUMPS];
} tube;

static double square(double x)
{
    return x * x;
}

/* Thick in the middle, rounded at the ends. */
static double capsule(double s)
{
    return sqrt(fmax(0.0, 1.0 - square(2.0 * s - 1.0) * square(2.0 * s - 1.0)));
}

/* Thick at the head, ending in a tail. */
static double tail(double s)
{
    return capsule(s) * (0.25 + 0.75 * s);
}

static double even(double s)
{
    (void)s;
    return 1.0;
}

/* A belly, a neck and a head. */
static double figure(double s)
{
    double waist = 1.0 - 0.45 / (1.0 + square((s - 0.68) / 0.07));
    return capsule(s) * waist * (1.1 - 0.5 * s);
}

/* The torus knot that goes twice around the axis and three times through the hole. */
static void knot_curve(double s, double point[3])
{
    double t = 2.0 * GALLERY_PI * s, out = 2.0 + gallery_cos(3.0 * t);
    point[0] = out * gallery_cos(2.0 * t) / 3.6;
    point[1] = out * gallery_sin(2.0 * t) / 3.6;
    point[2] = gallery_sin(3.0 * t) / 3.6;
}

/* Away from the circle that the knot winds around. */
static void knot_aside(double s, double out[3])
{
    double t = 2.0 * GALLERY_PI * s;
    out[0] = gallery_cos(3.0 * t) * gallery_cos(2.0 * t);
    out[1] = gallery_cos(3.0 * t) * gallery_sin(2.0 * t);
    out[2] = gallery_sin(3.0 * t);
}

static void along_x(double s, double out[3])
{
    (void)s;
    out[0] = 1.0;
    out[1] = out[2] = 0.0;
}

static void along_z(double s, double out[3])
{
    (void)s;
    out[0] = out[1] = 0.0;
    out[2] = 1.0;
}

static void upright_curve(double s, double point[3])
{
    point[0] = 0.12 * gallery_sin(3.0 * s);
    point[1] = 0.05 * gallery_cos(4.0 * s);
    point[2] = 1.7 * s - 0.85;
}

/* A coil of three turns, one above the other. */
static void coil_curve(double s, double point[3])
{
    double t = 6.0 * GALLERY_PI * s, out = 0.62 + 0.1 * s;
    point[0] = out * gallery_cos(t);
    point[1] = out * gallery_sin(t);
    point[2] = 1.2 * (s - 0.5);
}

/* Most of another knot: three times around and twice through, with a head and a tail. */
static void serpent_curve(double s, double point[3])
{
    double t = 2.0 * GALLERY_PI * (0.04 + 0.9 * s), out = 2.0 + gallery_cos(2.0 * t);
    point[0] = out * gallery_cos(3.0 * t) / 3.0;
    point[1] = out * gallery_sin(3.0 * t) / 3.0;
    point[2] = 1.4 * gallery_sin(2.0 * t) / 3.0;
}

static void serpent_aside(double s, double out[3])
{
    double t = 2.0 * GALLERY_PI * (0.04 + 0.9 * s);
    out[0] = gallery_cos(2.0 * t) * gallery_cos(3.0 * t);
    out[1] = gallery_cos(2.0 * t) * gallery_sin(3.0 * t);
    out[2] = gallery_sin(2.0 * t);
}

static const tube tubes[CLOSED_KINDS] = {
    {"knot", 12000, true, 10.0, 0.13, knot_curve, knot_aside, even, 0, 0, {{0, 0, 0, 0, 0}}},
    {"rabbit",
     50000,
     false,
     1.2,
     0.42,
     upright_curve,
     along_x,
     figure,
     0,
     0,
     {{0.88, 0.9, 0.05, 0.25, 1.6},
      {0.88, -0.9, 0.05, 0.25, 1.6},
      {0.35, 0.6, 0.08, 0.3, 0.5},
      {0.35, -0.6, 0.08, 0.3, 0.5},
      {0.15, 3.1, 0.06, 0.3, 0.5}}},
    {"reptile",
     110000,
     false,
     16.0,
     0.13,
     coil_curve,
     along_z,
     tail,
     60.0,
     0.12,
     {{0.3, 1.6, 0.01, 0.3, 0.8},
      {0.3, -1.6, 0.01, 0.3, 0.8},
      {0.7, 1.6, 0.01, 0.3, 0.8},
      {0.7, -1.6, 0.01, 0.3, 0.8}}},
    {"santa",
     150000,
     false,
     1.0,
     0.5,
     upright_curve,
     along_x,
     figure,
     9.0,
     0.05,
     {{0.55, 1.5, 0.05, 0.2, 0.9},
      {0.55, -1.5, 0.05, 0.2, 0.9},
      {0.45, 3.1, 0.12, 0.5, 0.6},
      {0.06, 0.7, 0.05, 0.3, 0.7},
      {0.06, -0.7, 0.05, 0.3, 0.7}}},
    {"dragon",
     520000,
     false,
     14.0,
     0.12,
     serpent_curve,
     serpent_aside,
     tail,
     90.0,
     0.35,
     {{0.75, 1.7, 0.02, 0.3, 0.6}, {0.75, -1.7, 0.02, 0.3, 0.6}}},
};

const char *closed_name(closed_kind kind)
{
    return tubes[kind].name;
}

uint32_t closed_triangles(closed_kind kind)
{
    return tubes[kind].triangles;
}

/* ------------------------------------------------------------- surface */

static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

/* The curve at s, and two directions across it. */
static void frame_at(const tube *t, double s, double middle[3], double across[2][3])
{
    const double step = 1.0 / 4096.0;
    double before[3], behind[3], along[3], aside[3];
    t->curve(s, middle);
    t->aside(s, aside);
    t->curve(s - step, before);
    t->curve(s + step, behind);
    for (int k = 0; k < 3; k++) {
        along[k] = behind[k] - before[k];
    }
    normalise(along);
    cross(aside, along, across[0]);
    normalise(across[0]);
    cross(along, across[0], across[1]);
}

static double wrapped(double angle)
{
    return angle - 2.0 * GALLERY_PI * floor(angle / (2.0 * GALLERY_PI) + 0.5);
}

/* How far the surface is from the curve, in units of the tube's radius. */
static double distance_at(const tube *t, double s, double angle)
{
    double distance = 1.0;
    for (int i = 0; i < MAX_BUMPS && t->bumps[i].height > 0.0; i++) {
        const bump *b = &t->bumps[i];
        double d =
            square((s - b->along) / b->length) + square(wrapped(angle - b->around) / b->width);
        distance += b->height / square(1.0 + d);
    }
    double back = gallery_cos(0.5 * angle);
    distance += t->spike_height * back * back * back * back *
                (0.5 + 0.5 * gallery_sin(t->spikes * s * 2.0 * GALLERY_PI));
    return distance * t->profile(s);
}

static void put_ring(const tube *t, double s, uint32_t around, float *positions)
{
    double middle[3], across[2][3];
    frame_at(t, s, middle, across);
    for (uint32_t j = 0; j < around; j++) {
        double angle = 2.0 * GALLERY_PI * j / around;
        double distance = t->radius * distance_at(t, s, angle);
        for (int k = 0; k < 3; k++) {
            positions[3 * (size_t)j + k] =
                (float)(middle[k] + distance * (gallery_cos(angle) * across[0][k] +
                                                gallery_sin(angle) * across[1][k]));
        }
    }
}

static uint32_t *put_triangle(uint32_t *to, uint32_t a, uint32_t b, uint32_t c)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return to + 3;
}

/* Quads between ring i and ring j. */
static uint32_t *put_quads(uint32_t *to, uint32_t i, uint32_t j, uint32_t around)
{
    for (uint32_t a = 0; a < around; a++) {
        uint32_t b = (a + 1) % around;
        to = put_triangle(to, i * around + a, i * around + b, j * around + b);
        to = put_triangle(to, i * around + a, j * around + b, j * around + a);
    }
    return to;
}

static bool make_ring_tube(const tube *t, uint32_t along, uint32_t around, gallery_mesh *mesh)
{
    if (!mesh_allocate(along * around, 2 * along * around, mesh)) {
        return false;
    }
    uint32_t *to = mesh->triangles;
    for (uint32_t i = 0; i < along; i++) {
        put_ring(t, (double)i / along, around, mesh->positions + 3 * (size_t)i * around);
        to = put_quads(to, i, (i + 1) % along, around);
    }
    return true;
}

/* Rings between two poles; they are closer together towards the ends. */
static bool make_closed_tube(const tube *t, uint32_t along, uint32_t around, gallery_mesh *mesh)
{
    uint32_t poles = along * around;
    if (!mesh_allocate(poles + 2, 2 * along * around, mesh)) {
        return false;
    }
    uint32_t *to = mesh->triangles;
    for (uint32_t i = 0; i < along; i++) {
        double even_part = (i + 1.0) / (along + 1.0);
        double s = 0.5 - 0.5 * gallery_cos(GALLERY_PI * even_part);
        s = 0.5 * s + 0.5 * even_part;
        put_ring(t, s, around, mesh->positions + 3 * (size_t)i * around);
        if (i > 0) {
            to = put_quads(to, i - 1, i, around);
        }
    }
    for (uint32_t a = 0; a < around; a++) {
        uint32_t b = (a + 1) % around, last = (along - 1) * around;
        to = put_triangle(to, poles, b, a);
        to = put_triangle(to, poles + 1, last + a, last + b);
    }
    for (uint32_t i = 0; i < 2; i++) {
        double point[3];
        t->curve(i, point);
        for (int k = 0; k < 3; k++) {
            mesh->positions[3 * (size_t)(poles + i) + k] = (float)point[k];
        }
    }
    return true;
}

/* Moves and scales a mesh so that it just fits within 1 of the origin. */
static void fit(gallery_mesh *mesh)
{
    double lower[3] = {1e9, 1e9, 1e9}, upper[3] = {-1e9, -1e9, -1e9}, size = 0.0;
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        lower[i % 3] = fmin(lower[i % 3], (double)mesh->positions[i]);
        upper[i % 3] = fmax(upper[i % 3], (double)mesh->positions[i]);
    }
    for (int k = 0; k < 3; k++) {
        size = fmax(size, 0.5 * (upper[k] - lower[k]));
    }
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        double middle = 0.5 * (lower[i % 3] + upper[i % 3]);
        mesh->positions[i] = (float)(((double)mesh->positions[i] - middle) / size);
    }
}

bool closed_make(closed_kind kind, uint32_t triangles, gallery_mesh *mesh)
{
    const tube *t = &tubes[kind];
    double quads = 0.5 * (triangles > 0 ? triangles : t->triangles);
    uint32_t around = (uint32_t)sqrt(quads / t->slender);
    around = around < 4 ? 4 : around;
    uint32_t along = (uint32_t)(quads / around + 0.5);
    along = along < 4 ? 4 : along;
    bool made =
        t->ring ? make_ring_tube(t, along, around, mesh) : make_closed_tube(t, along, around, mesh);
    if (made) {
        fit(mesh);
    }
    return made;
}

void closed_deform(const float *rest, uint32_t vertex_count, double time,
                   const gallery_placement *placement, float *positions)
{
    double phase = 2.0 * GALLERY_PI * time;
    for (uint32_t i = 0; i < vertex_count; i++) {
        const float *p = rest + 3 * (size_t)i;
        double x = (double)p[0], y = (double)p[1], z = (double)p[2];
        double twist = 0.25 * gallery_sin(phase) * z;
        double breath = 1.0 + 0.04 * gallery_sin(3.0 * z + 2.0 * phase);
        double c = gallery_cos(twist) * breath, s = gallery_sin(twist) * breath;
        const double point[3] = {c * x - s * y + 0.1 * gallery_sin(phase + 1.5 * z), s * x + c * y,
                                 z + 0.05 * gallery_sin(phase + 2.0 * x)};
        gallery_put(placement, point, positions + 3 * (size_t)i);
    }
}
