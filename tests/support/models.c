#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 7, NODES = 6 };

static bool has_modes(model_kind kind)
{
    return kind == MODEL_MODES || kind == MODEL_REDUCED || kind == MODEL_COMPOSED;
}

static uint32_t node_count(model_kind kind)
{
    return kind == MODEL_BLENDED || kind == MODEL_COMPOSED ? NODES : kind == MODEL_MODES ? 0 : 1;
}

/* Field m at a rest position, the size of the body being 1. */
static void field(const model_case *c, uint32_t m, const double p[3], rng *r, double u[3])
{
    for (int k = 0; k < 3; k++) {
        switch (c->trait) {
        case MODEL_ALIGNED:
            u[k] = k == (int)(m % 3) ? 0.75 : 0.0;
            break;
        case MODEL_CANCELLED:
            u[k] = m == 0 ? p[k] * (1.0 + 1e-3 * rng_range(r, -1.0, 1.0)) : 0.1 * p[(k + 1) % 3];
            break;
        case MODEL_SPARSE:
            u[k] = rng_unit(r) < 0.1 ? rng_range(r, -0.3, 0.3) : 0.0;
            break;
        case MODEL_ROUGH:
            u[k] = rng_range(r, -0.2, 0.2);
            break;
        default:
            u[k] = 0.4 * sin((1.0 + m) * p[(k + 1) % 3] + m + k) * cos(p[(k + 2) % 3] * (2.0 + k));
            break;
        }
    }
}

static void make_modes(model_case *c, rng *r)
{
    uint32_t vertices = c->mesh.vertex_count;
    c->model.mode_count = MODES;
    c->model.modes = malloc(3 * (size_t)MODES * vertices * sizeof(float));
    for (uint32_t m = 0; m < MODES; m++) {
        for (uint32_t v = 0; v < vertices; v++) {
            double p[3], u[3];
            for (int k = 0; k < 3; k++) {
                p[k] = ((double)c->mesh.positions[3 * v + k] - c->offset) / c->scale;
                if (c->trait == MODEL_CANCELLED) {
                    p[k] = (double)c->mesh.positions[3 * v + k] / c->scale;
                }
            }
            field(c, m, p, r, u);
            bool skip = c->trait == MODEL_SPARSE && rng_unit(r) < 0.7;
            for (int k = 0; k < 3; k++) {
                c->model.modes[3 * ((size_t)m * vertices + v) + k] =
                    skip ? 0.0f : (float)(u[k] * c->scale);
            }
        }
    }
}

static void make_influences(model_case *c, rng *r)
{
    uint32_t vertices = c->mesh.vertex_count, n = node_count(c->kind), count = 0;
    c->model.influence_offsets = malloc((vertices + 1) * sizeof(uint32_t));
    c->model.influence_joints = malloc((size_t)vertices * n * sizeof(uint32_t));
    c->model.influence_weights = malloc((size_t)vertices * n * sizeof(float));
    for (uint32_t v = 0; v < vertices; v++) {
        double weight[NODES], sum = 0.0;
        for (uint32_t j = 0; j < n; j++) {
            double angle = 6.28 * j / n;
            double x = ((double)c->mesh.positions[3 * v] - c->offset) / c->scale - cos(angle);
            double y = ((double)c->mesh.positions[3 * v + 1] - c->offset) / c->scale - sin(angle);
            double near = exp(-2.0 * (x * x + y * y));
            weight[j] = c->trait == MODEL_ROUGH    ? rng_unit(r)
                        : c->trait == MODEL_SPARSE ? (j == v % n || j == 1 ? rng_unit(r) : 0.0)
                                                   : (near < 0.05 ? 0.0 : near);
            sum += weight[j];
        }
        double total = c->trait == MODEL_ROUGH ? rng_range(r, 0.57, 1.004) : 1.0;
        c->model.influence_offsets[v] = count;
        for (uint32_t j = 0; j < n; j++) {
            if (weight[j] > 0.0) {
                c->model.influence_joints[count] = j;
                c->model.influence_weights[count++] = (float)(weight[j] / sum * total);
            }
        }
    }
    c->model.influence_offsets[vertices] = count;
    c->normalise = false; /* evaluation outside knows the given weights only */
}

/* A transform about the centre of the body: turned, scaled, sheared, mirrored. */
static void random_transform(const model_case *c, rng *r, double much, float rows[12])
{
    double a[3][3], q[4], length = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = (i == 0 ? 1.0 : 0.0) + much * rng_range(r, -1.0, 1.0);
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(length);
    }
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                         {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                         {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    double mirror = much > 0.5 && rng_unit(r) < 0.3 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = turn[i][j] * (j == 0 ? mirror : 1.0) + 0.2 * much * rng_range(r, -1.0, 1.0);
        }
    }
    for (int i = 0; i < 3; i++) {
        double t = c->offset + c->away + 0.5 * much * c->scale * rng_range(r, -1.0, 1.0);
        for (int j = 0; j < 3; j++) {
            rows[4 * i + j] = (float)a[i][j];
            t -= (double)rows[4 * i + j] * c->offset;
        }
        rows[4 * i + 3] = (float)t;
    }
}

void model_random_transform(rng *r, double much, float rows[12])
{
    random_transform(&(model_case){.scale = 1.0}, r, much, rows);
}

/* Each operation in double, then rounded: for a sum or a product of two floats that is rounding
   once, whatever the compiler does with floats. */
void model_move_points(const float rows[12], const float *from, uint32_t count, float *to)
{
    for (size_t v = 0; v < count; v++) {
        const double x[3] = {(double)from[3 * v], (double)from[3 * v + 1], (double)from[3 * v + 2]};
        for (size_t k = 0; k < 3; k++) {
            const float *row = rows + 4 * k;
            volatile float product[3], sum;
            for (int i = 0; i < 3; i++) {
                product[i] = (float)((double)row[i] * x[i]);
            }
            sum = (float)((double)product[0] + (double)product[1]);
            sum = (float)((double)sum + (double)product[2]);
            sum = (float)((double)sum + (double)row[3]);
            to[3 * v + k] = sum == 0.0f ? 0.0f : sum;
        }
    }
}

void model_case_evaluate(const model_case *c, const float *rest, float *positions)
{
    gallery_model_evaluate(&c->model, rest, c->mesh.vertex_count, c->coordinates, c->transforms,
                           positions);
    if (c->placed) {
        model_move_points(c->world, positions, c->mesh.vertex_count, positions);
    }
}

static void evaluate(model_case *c)
{
    model_case_evaluate(c, c->mesh.positions, c->positions);
}

void model_case_place(model_case *c, const float *world)
{
    c->placed = world != NULL;
    if (c->placed) {
        memcpy(c->world, world, sizeof c->world);
    }
    evaluate(c);
}

void model_case_place_somewhere(model_case *c, rng *r)
{
    float world[12];
    random_transform(c, r, 0.6, world);
    model_case_place(c, world);
}

void model_case_move(model_case *c, rng *r, bool coherent)
{
    for (uint32_t m = 0; m < c->model.mode_count; m++) {
        if (coherent) {
            c->coordinates[m] += (float)rng_range(r, -0.01, 0.01);
        } else if (c->trait == MODEL_CANCELLED) {
            c->coordinates[m] = m == 0 ? -1.0f : 0.0f;
        } else {
            c->coordinates[m] = rng_unit(r) < 0.2 ? 0.0f : (float)rng_range(r, -1.0, 1.0);
        }
    }
    for (uint32_t j = 0; j < c->model.joint_count; j++) {
        if (coherent) {
            for (int i = 3; i < 12; i += 4) {
                c->transforms[12 * j + (uint32_t)i] += (float)(c->scale * rng_range(r, -.01, .01));
            }
        } else {
            random_transform(c, r, c->trait == MODEL_ROUGH ? 1.0 : 0.3,
                             c->transforms + 12 * (size_t)j);
        }
        if (c->together) {
            memcpy(c->transforms + 12 * (size_t)j, c->transforms, 12 * sizeof(float));
        }
    }
    evaluate(c);
}

model_case model_case_create(model_kind kind, model_trait trait, double scale, double offset,
                             uint32_t triangles, rng *r)
{
    model_case c = {.kind = kind, .trait = trait, .scale = scale, .offset = offset};
    c.normalise = true;
    uint32_t side = (uint32_t)sqrt(0.5 * triangles);
    if (!(trait == MODEL_ALIGNED ? mesh_make_sheet(side, side, &c.mesh)
                                 : mesh_make_sphere(triangles, &c.mesh))) {
        abort();
    }
    for (uint32_t i = 0; i < 3 * c.mesh.vertex_count; i++) {
        c.mesh.positions[i] = (float)(offset + scale * (double)c.mesh.positions[i]);
    }
    if (has_modes(kind)) {
        make_modes(&c, r);
    }
    c.model.joint_count = node_count(kind);
    if (c.model.joint_count > 1) {
        make_influences(&c, r);
    }
    c.coordinates = calloc(MODES, sizeof(float));
    c.transforms = calloc(12 * NODES, sizeof(float));
    c.positions = malloc(3 * (size_t)c.mesh.vertex_count * sizeof(float));
    model_case_move(&c, r, false);
    return c;
}

void model_case_destroy(model_case *c)
{
    mesh_free(&c->mesh);
    gallery_model_free(&c->model);
    free(c->coordinates);
    free(c->transforms);
    free(c->positions);
}

pliant_shape *model_case_shape(pliant_context *context, const model_case *c,
                               pliant_bound_kind bound, fixture_tree tree)
{
    pliant_shape *shape = NULL;
    pliant_shape_def def = fixture_shape_def(&c->mesh);
    def.partition = tree.partition;
    def.arity = tree.arity;
    def.leaf_size = tree.leaf_size;
    def.modes = c->model.modes;
    def.mode_count = c->model.mode_count;
    def.joint_count = c->model.joint_count;
    def.influence_offsets = c->model.influence_offsets;
    def.influence_joints = c->model.influence_joints;
    def.influence_weights = c->model.influence_weights;
    def.normalise_weights = c->normalise;
    def.bound = bound;
    def.proxy_triangles = c->proxy_triangles;
    def.error = c->error;
    def.sphere_centre = c->centre;
    assert_ok(pliant_shape_create(context, &def, &shape));
    return shape;
}

void model_case_set(const model_case *c, pliant_body *body)
{
    if (c->model.mode_count > 0) {
        assert_ok(pliant_body_set_coordinates(body, c->coordinates, c->model.mode_count));
    }
    if (c->model.joint_count > 0) {
        assert_ok(pliant_body_set_transforms(body, c->transforms, c->model.joint_count, 0));
    }
    if (c->placed) {
        assert_ok(pliant_body_set_world(body, c->world));
    }
}

brute_body model_case_brute(const model_case *c)
{
    brute_body body = {c->positions, c->mesh.triangles, c->mesh.vertex_count,
                       c->mesh.triangle_count};
    return body;
}
