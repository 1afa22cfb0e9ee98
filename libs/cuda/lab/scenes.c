#include "scenes.h"

#include "gallery/gallery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bench_shape *bench_scene_shape(const bench_scene *scene, uint32_t body)
{
    return &scene->shapes[body % scene->shape_count];
}

size_t bench_scene_numbers(const bench_shape *shape)
{
    return shape->joints == 0 ? 3 * (size_t)shape->vertices
                              : shape->modes + 12 * ((size_t)shape->joints + shape->has_world);
}

size_t bench_scene_offset(const bench_scene *scene, uint32_t body)
{
    size_t all = 0, before = 0;
    for (uint32_t s = 0; s < scene->shape_count; s++) {
        size_t numbers = bench_scene_numbers(&scene->shapes[s]);
        before += s < body % scene->shape_count ? numbers : 0;
        all += numbers;
    }
    return body / scene->shape_count * all + before;
}

void bench_scene_destroy(bench_scene *scene)
{
    for (uint32_t s = 0; s < scene->shape_count; s++) {
        pliant_shape_destroy(scene->shapes[s].shape);
    }
    if (scene->release != NULL) {
        scene->release(scene);
    }
    *scene = (bench_scene){0};
}

pliant_result bench_scene_add(pliant_context *context, const gallery_mesh *mesh,
                              const float *positions, const gallery_model *model,
                              bench_scene *scene)
{
    bench_shape *shape = &scene->shapes[scene->shape_count];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    if (model != NULL) {
        def.modes = model->modes;
        def.mode_count = model->mode_count;
        def.joint_count = model->joint_count;
        def.influence_offsets = model->influence_offsets;
        def.influence_joints = model->influence_joints;
        def.influence_weights = model->influence_weights;
    }
    *shape = (bench_shape){.vertices = mesh->vertex_count,
                           .triangles = mesh->triangle_count,
                           .modes = def.mode_count,
                           .joints = def.joint_count};
    pliant_result result = pliant_shape_create(context, &def, &shape->shape);
    scene->shape_count += result == PLIANT_OK ? 1 : 0;
    return result;
}

void bench_scene_set_bodies(bench_scene *scene, uint32_t bodies)
{
    scene->bodies = bodies;
    scene->numbers = bench_scene_offset(scene, bodies);
}

/* From -1 to 1, another number for each n. */
static double noise(uint32_t n)
{
    n = (n ^ n >> 16) * 0x7feb352du;
    n = (n ^ n >> 15) * 0x846ca68bu;
    return (double)(n ^ n >> 16) * 0x1p-31 - 1.0;
}

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------ cloth */

typedef struct cloth {
    uint32_t columns, rows;
    double layers, height; /* height of the waves, in edges; 0: folded flat */
} cloth;

static void move_cloth(const bench_scene *scene, uint32_t step, float *positions)
{
    const cloth *c = scene->own;
    double edge = 1.0 / c->columns, width = 0.5 / c->layers, time = 2.0 + 0.02 * step;
    bool flat = c->height == 0.0;
    for (uint32_t i = 0; i < scene->shapes[0].vertices; i++, positions += 3) {
        double u = (double)(i % (c->columns + 1)) / c->columns;
        uint32_t row = i / (c->columns + 1);
        double v = (double)row / c->rows, s = u * c->layers;
        double wave = sin(41.0 * v + 9.1 * s + time) + sin(67.0 * v - 13.7 * s + 1.3 * time) +
                      0.7 * sin(23.0 * v + 29.3 * s - 0.7 * time);
        double rough = flat ? 0.0 : 0.05 * edge, sway = flat ? 0.0 : 0.01 * sin(11.0 * v + time);
        /* Both halves of a flat sheet have the very same numbers. */
        double along = flat && s > 1.0 ? 2.0 - s : s;
        double bend = flat ? along - 0.5 : sin(pi * (along - 0.5));
        positions[0] = (float)(width * bend + rough * noise(3 * i) + sway);
        positions[1] = (float)(v + rough * noise(3 * i + 1));
        positions[2] =
            flat ? 0.0f
                 : (float)(2.0 * edge * s + c->height * edge * wave + rough * noise(3 * i + 2));
    }
}

static void release_own(bench_scene *scene)
{
    free(scene->own);
}

static bool make_sheet(uint32_t columns, uint32_t rows, gallery_mesh *mesh)
{
    uint32_t row = columns + 1;
    if (!mesh_allocate(row * (rows + 1), 2 * columns * rows, mesh)) {
        return false;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[3 * (size_t)v] = (float)(v % row) / (float)columns;
        uint32_t from_below = v / row;
        mesh->positions[3 * (size_t)v + 1] = (float)from_below / (float)rows;
        mesh->positions[3 * (size_t)v + 2] = 0.0f;
    }
    for (uint32_t c = 0; c < columns * rows; c++) {
        uint32_t a = c / columns * row + c % columns, d = a + row;
        uint32_t square[6] = {a, a + 1, d + 1, a, d + 1, d};
        memcpy(mesh->triangles + 6 * (size_t)c, square, sizeof square);
    }
    return true;
}

/* How high waves are, in edges: so that about 6,000 pairs touch on 214 columns, and on 707 about
   30,000 in eight layers and 100,000 in 24. */
static double wave_height(uint32_t columns, uint32_t layers)
{
    return layers > 8 ? 0.595 : columns > 400 ? 0.36 : 0.38;
}

pliant_result bench_cloth_create(pliant_context *context, uint32_t columns, uint32_t rows,
                                 uint32_t layers, bool flat, bench_scene *scene)
{
    gallery_mesh mesh;
    cloth *own = malloc(sizeof *own);
    *scene = (bench_scene){.self = true, .own = own, .move = move_cloth, .release = release_own};
    if (own == NULL || !make_sheet(columns, rows, &mesh)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *own = (cloth){columns, rows, layers, flat ? 0.0 : wave_height(columns, layers)};
    pliant_result result = bench_scene_add(context, &mesh, mesh.positions, NULL, scene);
    mesh_free(&mesh);
    if (result == PLIANT_OK) {
        bench_scene_set_bodies(scene, 1);
    }
    return result;
}

/* ------------------------------------------------------------ spheres */

static void move_spheres(const bench_scene *scene, uint32_t step, float *positions)
{
    const gallery_mesh *mesh = scene->own;
    double time = 2.0 + 0.02 * step;
    for (uint32_t body = 0; body < 2; body++) {
        double t = time + 1.7 * body, turn = 0.3 * body + 0.01 * time;
        double c = cos(turn), s = sin(turn);
        for (uint32_t v = 0; v < mesh->vertex_count; v++, positions += 3) {
            const float *rest = mesh->positions + 3 * (size_t)v;
            double x = (double)rest[0], y = (double)rest[1], z = (double)rest[2];
            double r =
                1.0 + 0.04 * sin(9.0 * x + t) * sin(8.0 * y + 1.1 * t) + 0.03 * sin(13.0 * z - t);
            positions[0] = (float)(r * (c * x - s * y) + 1.2 * body);
            positions[1] = (float)(r * (s * x + c * y) + 0.03 * body);
            positions[2] = (float)(r * z + 0.02 * body);
        }
    }
}

static void release_mesh(bench_scene *scene)
{
    if (scene->own != NULL) {
        mesh_free(scene->own);
    }
    free(scene->own);
}

pliant_result bench_spheres_create(pliant_context *context, uint32_t subdivisions,
                                   bench_scene *scene)
{
    gallery_mesh *mesh = calloc(1, sizeof *mesh);
    *scene = (bench_scene){.own = mesh, .move = move_spheres, .release = release_mesh};
    if (mesh == NULL || !mesh_make_subdivided_sphere(MESH_ICOSAHEDRON, subdivisions, mesh)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = bench_scene_add(context, mesh, mesh->positions, NULL, scene);
    if (result == PLIANT_OK) {
        bench_scene_set_bodies(scene, 2);
    }
    return result;
}

/* ------------------------------------------------------------ crowd */

enum { CROWD_MODES = 10 };

typedef struct crowd {
    uint32_t side;  /* of the lattice */
    double spacing; /* so that about as many pairs of triangles touch as there are balls; or less */
} crowd;

static void move_ball(const crowd *c, uint32_t body, double time, float *own)
{
    float *rows = own + CROWD_MODES;
    for (uint32_t m = 0; m < CROWD_MODES; m++) {
        own[m] = (float)(0.02 * sin((1.0 + 0.3 * m) * time + 6.28 * noise(31 * body + m)));
    }
    double a = 3.14 * noise(7 * body + 1) + 0.3 * time;
    double e = 3.14 * noise(7 * body + 2) + 0.2 * time;
    double ca = cos(a), sa = sin(a), ce = cos(e), se = sin(e);
    double turn[9] = {ca, -sa * ce, sa * se, sa, ca * ce, -ca * se, 0.0, se, ce};
    uint32_t cell[3] = {body % c->side, body / c->side % c->side, body / c->side / c->side};
    for (uint32_t k = 0; k < 3; k++) {
        double place = c->spacing * (cell[k] + 0.25 * noise(7 * body + 3 + k));
        for (uint32_t i = 0; i < 3; i++) {
            rows[4 * k + i] = (float)turn[3 * k + i];
        }
        rows[4 * k + 3] = (float)(place + 0.05 * sin(time + body + k));
    }
}

static void move_crowd(const bench_scene *scene, uint32_t step, float *numbers)
{
    for (uint32_t i = 0; i < scene->bodies; i++) {
        move_ball(scene->own, i, 2.0 + 0.02 * step, numbers + bench_scene_offset(scene, i));
    }
}

static void bulge(gallery_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * (size_t)v;
        double down = acos((double)p[2]), round = atan2((double)p[1], (double)p[0]);
        double r = 1.0 + 0.25 * sin(3.0 * down) * cos(5.0 * round) * sin(down);
        for (int k = 0; k < 3; k++) {
            p[k] = (float)(r * (double)p[k]);
        }
    }
}

static void make_fields(const gallery_mesh *mesh, float *fields)
{
    for (uint32_t m = 0; m < CROWD_MODES; m++) {
        uint32_t third = m / 3;
        for (uint32_t v = 0; v < mesh->vertex_count; v++, fields += 3) {
            const float *p = mesh->positions + 3 * (size_t)v;
            double f = sin((1.0 + m % 3) * 1.7 * (double)p[0] + m);
            double g = cos((1.0 + third) * 1.3 * (double)p[1] - m);
            double h = sin((1.0 + m % 4) * 1.1 * (double)p[2] + 2.0 * m);
            fields[0] = (float)(g * h + 0.3 * f);
            fields[1] = (float)(f * h - 0.2 * g);
            fields[2] = (float)(f * g);
        }
    }
}

pliant_result bench_crowd_create(pliant_context *context, uint32_t bodies, uint32_t frequency,
                                 bool close, bench_scene *scene)
{
    gallery_mesh mesh;
    crowd *own = malloc(sizeof *own);
    *scene = (bench_scene){.own = own, .move = move_crowd, .release = release_own};
    if (own == NULL || !mesh_make_geodesic_sphere(frequency, &mesh)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *own = (crowd){(uint32_t)ceil(cbrt((double)bodies)), close ? 2.5 : 3.7};
    bulge(&mesh);
    gallery_model model = {.mode_count = CROWD_MODES, .joint_count = 1};
    model.modes = malloc(3 * sizeof(float) * CROWD_MODES * (size_t)mesh.vertex_count);
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    if (model.modes != NULL) {
        make_fields(&mesh, model.modes);
        result = bench_scene_add(context, &mesh, mesh.positions, &model, scene);
    }
    free(model.modes);
    mesh_free(&mesh);
    if (result == PLIANT_OK) {
        bench_scene_set_bodies(scene, bodies);
    }
    return result;
}
