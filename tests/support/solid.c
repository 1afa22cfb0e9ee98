#include "solid.h"
#include "as_triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pliant_volume *test_volume;

int test_volume_set_up(void **state)
{
    test_context_set_up(state);
    assert_ok(pliant_volume_create(test_context, NULL, &test_volume));
    return 0;
}

pliant_volume *test_volume_limited(pliant_context *context, uint64_t limit)
{
    pliant_volume_def def = pliant_volume_def_default();
    pliant_volume *volume = NULL;
    def.memory_limit = limit > 0 ? limit : def.memory_limit;
    assert_ok(pliant_volume_create(context, &def, &volume));
    return volume;
}

int test_volume_tear_down(void **state)
{
    pliant_volume_destroy(test_volume);
    return test_context_tear_down(state);
}

test_place place_at(double x, double y, double z)
{
    test_place place = {.scale = {1, 1, 1}, .translation = {x, y, z}};
    for (int k = 0; k < 3; k++) {
        place.rotation[k][k] = 1.0;
    }
    return place;
}

test_place place_random(rng *r, double spread)
{
    test_place place = place_at(0, 0, 0);
    gallery_random random = gallery_random_seed(rng_u64(r), 1);
    gallery_random_rotation(&random, place.rotation);
    for (int k = 0; k < 3; k++) {
        place.translation[k] = rng_range(r, -spread, spread);
    }
    return place;
}

void test_solid_move(gallery_mesh *mesh, const test_place *place)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *p = mesh->positions + 3 * (size_t)v;
        double x[3] = {place->scale[0] * (double)p[0], place->scale[1] * (double)p[1],
                       place->scale[2] * (double)p[2]};
        for (int i = 0; i < 3; i++) {
            const double *row = place->rotation[i];
            p[i] = (float)(row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + place->translation[i]);
        }
    }
}

gallery_mesh test_solid_mesh(const float (*positions)[3], uint32_t vertices,
                             const uint32_t (*triangles)[3], uint32_t triangle_count)
{
    gallery_mesh mesh;
    assert_true(mesh_allocate(vertices, triangle_count, &mesh));
    memcpy(mesh.positions, positions, vertices * sizeof *positions);
    memcpy(mesh.triangles, triangles, triangle_count * sizeof *triangles);
    return mesh;
}

gallery_mesh test_solid_corners(const float corners[4][3])
{
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    return test_solid_mesh(corners, 4, faces, 4);
}

gallery_mesh test_solid_box(const test_place *place)
{
    static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    gallery_mesh mesh = test_solid_mesh(corners, 8, faces, 12);
    test_solid_move(&mesh, place);
    return mesh;
}

gallery_mesh test_solid_tetrahedron(const test_place *place)
{
    static const float corners[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    gallery_mesh mesh = test_solid_corners(corners);
    test_solid_move(&mesh, place);
    return mesh;
}

gallery_mesh test_solid_sphere(uint32_t triangles, const test_place *place)
{
    gallery_mesh mesh;
    assert_true(mesh_make_sphere(triangles, &mesh));
    test_solid_move(&mesh, place);
    return mesh;
}

gallery_mesh test_solid_torus(uint32_t around, uint32_t along, double tube, const test_place *place)
{
    gallery_mesh mesh;
    assert_true(mesh_allocate(around * along, 2 * around * along, &mesh));
    uint32_t *t = mesh.triangles;
    for (uint32_t i = 0; i < along; i++) {
        for (uint32_t j = 0; j < around; j++) {
            double a = 2.0 * GALLERY_PI * i / along, b = 2.0 * GALLERY_PI * j / around;
            float *p = mesh.positions + 3 * (size_t)(i * around + j);
            double radius = 1.0 + tube * gallery_cos(b);
            p[0] = (float)(radius * gallery_cos(a));
            p[1] = (float)(radius * gallery_sin(a));
            p[2] = (float)(tube * gallery_sin(b));
            uint32_t i1 = (i + 1) % along, j1 = (j + 1) % around;
            const uint32_t quad[4] = {i * around + j, i1 * around + j, i1 * around + j1,
                                      i * around + j1};
            const uint32_t both[6] = {quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]};
            memcpy(t, both, sizeof both);
            t += 6;
        }
    }
    test_solid_move(&mesh, place);
    return mesh;
}

gallery_mesh test_solid_random(rng *r)
{
    test_place place = place_random(r, 0.7);
    switch (rng_below(r, 4)) {
    case 0:
        return test_solid_box(&place);
    case 1:
        return test_solid_tetrahedron(&place);
    case 2:
        return test_solid_sphere(80u << 2 * rng_below(r, 2), &place);
    default:
        return test_solid_torus(9, 12, 0.3, &place);
    }
}

void test_solid_join(gallery_mesh *mesh, gallery_mesh *more)
{
    gallery_mesh both;
    assert_true(mesh_allocate(mesh->vertex_count + more->vertex_count,
                              mesh->triangle_count + more->triangle_count, &both));
    memcpy(both.positions, mesh->positions, mesh->vertex_count * 3 * sizeof(float));
    memcpy(both.positions + 3 * (size_t)mesh->vertex_count, more->positions,
           more->vertex_count * 3 * sizeof(float));
    memcpy(both.triangles, mesh->triangles, mesh->triangle_count * 3 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * more->triangle_count; i++) {
        both.triangles[3 * (size_t)mesh->triangle_count + i] =
            more->triangles[i] + mesh->vertex_count;
    }
    mesh_free(mesh);
    mesh_free(more);
    *mesh = both;
}

test_solid test_solid_create(pliant_context *context, gallery_mesh mesh)
{
    test_solid solid = {.mesh = mesh};
    pliant_shape_def def = fixture_shape_def(&mesh);
    def.weld = false; /* separate pieces may touch */
    assert_ok(pliant_shape_create(context, &def, &solid.shape));
    assert_ok(pliant_body_create(solid.shape, NULL, &solid.body));
    return solid;
}

void test_solid_destroy(test_solid *solid)
{
    pliant_body_destroy(solid->body);
    pliant_shape_destroy(solid->shape);
    mesh_free(&solid->mesh);
}

/* ------------------------------------------------------------- clipping */

enum { MAX_FACES = 4096 };

/* The border of a convex piece as triangles. */
typedef struct soup {
    double corner[MAX_FACES][3][3];
    uint32_t count;
} soup;

static void add_face(soup *s, const double a[3], const double b[3], const double c[3])
{
    assert_true(s->count < MAX_FACES);
    memcpy(s->corner[s->count][0], a, 3 * sizeof *a);
    memcpy(s->corner[s->count][1], b, 3 * sizeof *b);
    memcpy(s->corner[s->count++][2], c, 3 * sizeof *c);
}

static void between(const double a[3], const double b[3], double t, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] + t * (b[k] - a[k]);
    }
}

/*
 * How far a point lies beyond a plane. A point that was cut out twice, by faces on both sides of an
 * edge, has two roundings; where planes are common these must not lie on two sides, or the piece
 * stays open. So what is 0 up to rounding is 0.
 */
static double beyond_plane(const double point[3], const double normal[3], double level)
{
    double sum = -level, terms = fabs(level);
    for (int k = 0; k < 3; k++) {
        sum += normal[k] * point[k];
        terms += fabs(normal[k] * point[k]);
    }
    return fabs(sum) <= 1e-12 * terms ? 0.0 : sum;
}

/* Keeps what has normal . x <= level, and closes it. */
static void clip(const soup *from, const double normal[3], double level, soup *to)
{
    double first[3] = {0, 0, 0};
    bool cut = false;
    to->count = 0;
    for (uint32_t f = 0; f < from->count; f++) {
        const double(*corner)[3] = from->corner[f];
        double side[3], polygon[5][3], ends[2][3];
        int count = 0, end_count = 0;
        bool leaves_first = false;
        for (int i = 0; i < 3; i++) {
            side[i] = beyond_plane(corner[i], normal, level);
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            if (side[i] <= 0) {
                memcpy(polygon[count++], corner[i], sizeof polygon[0]);
            }
            if ((side[i] <= 0) != (side[j] <= 0)) {
                double point[3];
                between(corner[i], corner[j], side[i] / (side[i] - side[j]), point);
                memcpy(polygon[count++], point, sizeof point);
                if (end_count == 0) {
                    leaves_first = side[i] <= 0;
                }
                memcpy(ends[end_count++], point, sizeof point);
            }
        }
        for (int i = 2; i < count; i++) {
            add_face(to, polygon[0], polygon[i - 1], polygon[i]);
        }
        if (end_count == 2) {
            /* The face's border runs along the cut from where it leaves to where it comes back;
               the lid runs the other way. */
            const double *leave = ends[leaves_first ? 0 : 1], *enter = ends[leaves_first ? 1 : 0];
            if (!cut) {
                memcpy(first, leave, sizeof first);
                cut = true;
            }
            add_face(to, first, enter, leave);
        }
    }
}

static double soup_volume(const soup *s)
{
    double six = 0.0;
    for (uint32_t f = 0; f < s->count; f++) {
        const double *o = s->corner[0][0];
        double e[3][3];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                e[i][k] = s->corner[f][i][k] - o[k];
            }
        }
        six += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
               e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return six / 6.0;
}

static void load_triangle(const gallery_mesh *mesh, uint32_t t, double corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + c];
        for (int k = 0; k < 3; k++) {
            corner[c][k] = (double)p[k];
        }
    }
}

static void mesh_middle(const gallery_mesh *mesh, double middle[3])
{
    memset(middle, 0, 3 * sizeof *middle);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            middle[k] += (double)mesh->positions[3 * (size_t)v + k] / mesh->vertex_count;
        }
    }
}

/* The tetrahedron over one triangle, outward whichever way it lies; returns its sign. */
static double set_tetrahedron(soup *s, const double o[3], double c[3][3])
{
    s->count = 0;
    add_face(s, c[0], c[1], c[2]);
    add_face(s, o, c[1], c[0]);
    add_face(s, o, c[2], c[1]);
    add_face(s, o, c[0], c[2]);
    if (soup_volume(s) >= 0) {
        return 1.0;
    }
    s->count = 0;
    add_face(s, c[0], c[2], c[1]);
    add_face(s, o, c[0], c[1]);
    add_face(s, o, c[1], c[2]);
    add_face(s, o, c[2], c[0]);
    return -1.0;
}

double test_solid_common_volume(const gallery_mesh *mesh, const gallery_mesh *convex)
{
    static soup pieces[2];
    double o[3], total = 0.0;
    mesh_middle(mesh, o);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double corner[3][3], normal[3];
        load_triangle(mesh, t, corner);
        double sign = set_tetrahedron(&pieces[0], o, corner);
        int at = 0;
        for (uint32_t f = 0; f < convex->triangle_count && pieces[at].count > 0; f++) {
            double face[3][3], a[3], b[3];
            load_triangle(convex, f, face);
            for (int k = 0; k < 3; k++) {
                a[k] = face[1][k] - face[0][k];
                b[k] = face[2][k] - face[0][k];
            }
            for (int k = 0; k < 3; k++) {
                normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            }
            double level = normal[0] * face[0][0] + normal[1] * face[0][1] + normal[2] * face[0][2];
            clip(&pieces[at], normal, level, &pieces[1 - at]);
            at = 1 - at;
        }
        total += pieces[at].count > 0 ? sign * soup_volume(&pieces[at]) : 0.0;
    }
    return total;
}

double test_solid_volume(const gallery_mesh *mesh)
{
    double six = 0.0, o[3];
    mesh_middle(mesh, o);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double c[3][3];
        load_triangle(mesh, t, c);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                c[i][k] -= o[k];
            }
        }
        six += c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) +
               c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
               c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    }
    return six / 6.0;
}

int test_solid_winding(const gallery_mesh *mesh, const float point[3])
{
    double angle = 0.0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double c[3][3], length[3];
        load_triangle(mesh, t, c);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                c[i][k] -= (double)point[k];
            }
            length[i] = sqrt(c[i][0] * c[i][0] + c[i][1] * c[i][1] + c[i][2] * c[i][2]);
        }
        double product = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) +
                         c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
                         c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
        double bottom = length[0] * length[1] * length[2];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            bottom += (c[i][0] * c[j][0] + c[i][1] * c[j][1] + c[i][2] * c[j][2]) * length[k];
        }
        angle += 2.0 * atan2(product, bottom);
    }
    return (int)lround(angle / (4.0 * GALLERY_PI));
}

double test_solid_distance(const gallery_mesh *mesh, const float point[3])
{
    double least = HUGE_VAL;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        float corner[3][3];
        for (int c = 0; c < 3; c++) {
            memcpy(corner[c], mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + c],
                   sizeof corner[c]);
        }
        least = fmin(least, pliant_triangle_find_closest_point(as_triangle(corner), point, NULL));
    }
    return least;
}

pliant_volume_options volume_at_resolution(uint32_t resolution)
{
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = resolution;
    return options;
}

void check_volume_range(const char *what, const pliant_volume_measure *m, double truth,
                        double rounding)
{
    if (!(m->least <= truth + rounding && truth <= m->most + rounding) ||
        !(fabs(m->volume - truth) <= m->error + rounding)) {
        fail_msg("%s: true volume %.17g, measured %.17g +- %.17g, from %.17g to %.17g", what, truth,
                 m->volume, m->error, m->least, m->most);
    }
}

pliant_volume_measure intersect_solids(const test_solid *a, const test_solid *b,
                                       const pliant_volume_options *options)
{
    pliant_volume_measure measure;
    assert_ok(pliant_volume_intersect(test_volume, a->body, b->body, options, &measure));
    return measure;
}
