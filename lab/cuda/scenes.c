#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void bench_scene_move(const bench_scene *scene, uint32_t step, float *numbers)
{
    scene->move(scene, step, numbers);
}

void bench_scene_destroy(bench_scene *scene)
{
    pliant_shape_destroy(scene->shape);
    mesh_free(&scene->mesh);
    free(scene->fields);
}

static pliant_result make_shape(pliant_context *context, bench_scene *scene)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = scene->mesh.positions;
    def.vertex_count = scene->mesh.vertex_count;
    def.triangles = scene->mesh.triangles;
    def.triangle_count = scene->mesh.triangle_count;
    def.modes = scene->fields;
    def.mode_count = scene->modes;
    def.joint_count = scene->modes > 0 ? 1 : 0;
    return pliant_shape_create(context, &def, &scene->shape);
}

static pliant_result no_memory(void)
{
    return PLIANT_ERROR_OUT_OF_MEMORY;
}

/* ------------------------------------------------------------ cloth */

/* Layers to and fro, one above the other, `gap` edges apart, with ripples of `ripple` edges. */
static void move_cloth(const bench_scene *s, uint32_t step, float *positions)
{
    double edge = 1.0 / (double)s->columns, time = 0.02 * (double)step;
    const double pi = 3.14159265358979323846;
    for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
        double x = (double)s->mesh.positions[3 * (size_t)v];
        double y = (double)s->mesh.positions[3 * (size_t)v + 1];
        double along = x * s->layers, there = along - floor(along);
        bool back = ((uint64_t)along & 1) != 0;
        float *p = positions + 3 * (size_t)v;
        double ripple = sin(37.0 * y + 5.0 * time + 3.0 * along) * cos(23.0 * x - 3.0 * time);
        if (s->gap == 0.0) { /* exactly flat: whole edges */
            double column = floor(x / edge + 0.5), middle = floor(0.5 * (double)s->columns);
            p[0] = (float)fabs(column - middle);
            p[1] = (float)floor(y / edge + 0.5);
            p[2] = 0.0f;
            continue;
        }
        p[0] = (float)((back ? 1.0 - there : there) / s->layers);
        p[1] = (float)y;
        p[2] = (float)(edge * (s->gap * (along - 0.5 / pi * sin(2.0 * pi * along)) +
                               s->ripple * ripple));
    }
}

pliant_result bench_cloth_create(pliant_context *context, uint32_t triangles, bool folded,
                                 bench_scene *scene)
{
    uint32_t side = (uint32_t)sqrt(0.5 * (double)(triangles > 8 ? triangles : 8));
    *scene = (bench_scene){.bodies = 1, .self = true, .columns = side, .move = move_cloth};
    scene->layers = folded ? 2.0 : 8.0;
    scene->gap = folded ? 0.0 : 2.0;
    scene->ripple = 1.2;
    if (!mesh_allocate((side + 1) * (side + 1), 2 * side * side, &scene->mesh)) {
        return no_memory();
    }
    scene->numbers = 3 * scene->mesh.vertex_count;
    for (uint32_t v = 0; v < scene->mesh.vertex_count; v++) {
        scene->mesh.positions[3 * (size_t)v] = (float)(v % (side + 1)) / (float)side;
        scene->mesh.positions[3 * (size_t)v + 1] = (float)(v / (side + 1)) / (float)side;
        scene->mesh.positions[3 * (size_t)v + 2] = 0.0f;
    }
    for (uint32_t c = 0; c < side * side; c++) {
        uint32_t a = c / side * (side + 1) + c % side, d = a + side + 1;
        uint32_t square[6] = {a, a + 1, d + 1, a, d + 1, d};
        memcpy(scene->mesh.triangles + 6 * (size_t)c, square, sizeof square);
    }
    return make_shape(context, scene);
}

/* ------------------------------------------------------------ spheres */

static void move_spheres(const bench_scene *s, uint32_t step, float *positions)
{
    double time = 0.02 * (double)step;
    for (uint32_t body = 0; body < 2; body++) {
        for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
            const float *rest = s->mesh.positions + 3 * (size_t)v;
            float *p = positions + (size_t)body * s->numbers + 3 * (size_t)v;
            double bump = 1.0 + 0.1 * sin(9.0 * (double)rest[0] + time + (double)body) *
                                    cos(7.0 * (double)rest[1] - time);
            for (int k = 0; k < 3; k++) {
                p[k] = (float)(bump * (double)rest[k] + (k == 0 ? 1.5 * (double)body : 0.0));
            }
        }
    }
}

pliant_result bench_spheres_create(pliant_context *context, uint32_t triangles, bench_scene *scene)
{
    *scene = (bench_scene){.bodies = 2, .move = move_spheres};
    if (!mesh_make_sphere(triangles > 80 ? triangles : 80, &scene->mesh)) {
        return no_memory();
    }
    scene->numbers = 3 * scene->mesh.vertex_count;
    return make_shape(context, scene);
}

/* ------------------------------------------------------------ crowd */

enum { CROWD_MODES = 10 };

static double wobble(uint32_t body, uint32_t salt)
{
    uint32_t x = body * 2654435761u ^ salt * 2246822519u;
    x = (x ^ x >> 15) * 2246822519u;
    x ^= x >> 13;
    return (double)(x >> 8) / (double)(1u << 24);
}

static void move_crowd(const bench_scene *s, uint32_t step, float *numbers)
{
    double time = 0.05 * (double)step;
    uint32_t side = (uint32_t)ceil(cbrt((double)s->bodies));
    for (uint32_t i = 0; i < s->bodies; i++) {
        float *own = numbers + (size_t)i * s->numbers, *rows = own + s->modes;
        uint32_t cell[3] = {i % side, i / side % side, i / side / side};
        for (uint32_t m = 0; m < s->modes; m++) {
            own[m] = (float)(0.02 * sin(time * (1.0 + m) + 6.0 * wobble(i, m)));
        }
        double angle = time * (wobble(i, 20) - 0.5) + 6.0 * wobble(i, 21);
        double turn[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t j = 0; j < 3; j++) {
                rows[4 * k + j] = (float)turn[3 * k + j];
            }
            rows[4 * k + 3] =
                (float)(2.15 * (double)cell[k] + 0.25 * sin(time + 6.0 * wobble(i, 30 + k)));
        }
    }
}

pliant_result bench_crowd_create(pliant_context *context, uint32_t bodies, uint32_t triangles,
                                 bench_scene *scene)
{
    *scene = (bench_scene){.bodies = bodies, .modes = CROWD_MODES, .move = move_crowd};
    if (!mesh_make_sphere(triangles, &scene->mesh)) {
        return no_memory();
    }
    size_t count = 3 * (size_t)scene->mesh.vertex_count;
    scene->numbers = CROWD_MODES + 12;
    scene->fields = malloc(CROWD_MODES * count * sizeof *scene->fields);
    if (scene->fields == NULL) {
        return no_memory();
    }
    for (size_t m = 0; m < CROWD_MODES; m++) {
        for (size_t n = 0; n < count; n++) {
            double x = (double)scene->mesh.positions[n / 3 * 3 + (n + m) % 3];
            scene->fields[m * count + n] = (float)sin((1.0 + (double)(m % 4)) * 1.7 * x +
                                                      (double)m);
        }
    }
    return make_shape(context, scene);
}
