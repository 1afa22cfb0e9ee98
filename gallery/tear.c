/*
 * A sheet is pulled apart: it tears along its middle, vertex by vertex, and the flaps on both sides
 * roll up until they meet themselves. The mesh of the scene is the sheet as it ends, with copies of
 * the vertices along the tear behind all others, which lie where their originals are until they are
 * torn off; a body begins as the whole sheet, and is torn on the way.
 */
#include "gallery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEARING_SHARE 0.6 /* of the steps, after which the sheet is in two pieces */
#define ROLL_RADIUS   0.085
#define LONGEST_ROLL  0.8 /* of half the sheet */
#define ROLL_SPEED    1.7
#define PULL_SPEED    0.35
#define RIPPLE_HEIGHT 0.02

typedef struct tear_scene {
    gallery_mesh whole;          /* triangles only: the sheet before it is torn */
    uint32_t columns, rows;      /* of squares; a row of vertices more than squares */
    uint32_t *split;             /* per row of vertices: the one in the middle */
    pliant_torn_corner *corners; /* by row: those of triangles on the right */
    uint32_t *corner_start;      /* per row, and one more */
} tear_scene;

static uint32_t corners_at(const tear_scene *own, uint32_t vertex, uint32_t copy,
                           const gallery_mesh *mesh, pliant_torn_corner *corners)
{
    uint32_t count = 0, row = copy - (own->columns + 1) * (own->rows + 1);
    for (uint32_t r = row > 0 ? row - 1 : 0; r <= row && r < own->rows; r++) {
        uint32_t first = 2 * (r * own->columns + own->columns / 2);
        for (uint32_t t = first; t < first + 2; t++) { /* the square right of the middle */
            const uint32_t *corner = mesh->triangles + 3 * (size_t)t;
            if (corner[0] == vertex || corner[1] == vertex || corner[2] == vertex) {
                corners[count++] = (pliant_torn_corner){t, copy};
            }
        }
    }
    return count;
}

/* Lists what is torn row by row, and does so to the mesh. */
static void list_tears(tear_scene *own, uint32_t vertices, gallery_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row <= own->rows; row++) {
        uint32_t vertex = row * (own->columns + 1) + own->columns / 2, copy = vertices + row;
        own->split[row] = vertex;
        own->corner_start[row] = count;
        count += corners_at(own, vertex, copy, mesh, own->corners + count);
        memcpy(mesh->positions + 3 * (size_t)copy, mesh->positions + 3 * (size_t)vertex,
               3 * sizeof(float));
        for (uint32_t i = own->corner_start[row]; i < count; i++) {
            uint32_t *corner = mesh->triangles + 3 * (size_t)own->corners[i].triangle;
            for (int k = 0; k < 3; k++) {
                corner[k] = corner[k] == vertex ? copy : corner[k];
            }
        }
    }
    own->corner_start[own->rows + 1] = count;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    uint32_t side = (uint32_t)floor(sqrt((double)triangles / 8.0) + 0.5);
    side = 2 * (side > 0 ? side : 1);
    tear_scene *own = calloc(1, sizeof *own);
    gallery_mesh *mesh = &scene->bodies[0];
    scene->own = own;
    if (own == NULL || !mesh_make_sheet(side, side, &own->whole)) {
        return false;
    }
    own->columns = own->rows = side;
    own->split = malloc((side + 1) * sizeof *own->split);
    own->corners = malloc(4 * ((size_t)side + 1) * sizeof *own->corners);
    own->corner_start = malloc(((size_t)side + 2) * sizeof *own->corner_start);
    uint32_t vertices = own->whole.vertex_count, count = own->whole.triangle_count;
    if (own->split == NULL || own->corners == NULL || own->corner_start == NULL ||
        !mesh_allocate(vertices + side + 1, count, mesh)) {
        return false;
    }
    memcpy(mesh->positions, own->whole.positions, 3 * (size_t)vertices * sizeof(float));
    memcpy(mesh->triangles, own->whole.triangles, 3 * (size_t)count * sizeof(uint32_t));
    list_tears(own, vertices, mesh);
    return true;
}

static void destroy(gallery_scene *scene)
{
    tear_scene *own = scene->own;
    if (own != NULL) {
        mesh_free(&own->whole);
        free(own->split);
        free(own->corners);
        free(own->corner_start);
        free(own);
    }
}

/* The last step at which a row is still whole. */
static uint32_t last_whole_step(const gallery_scene *scene, const tear_scene *own, uint32_t row)
{
    return (uint32_t)floor(TEARING_SHARE * scene->steps * row / (own->rows + 1));
}

static const gallery_mesh *whole(const gallery_scene *scene)
{
    const tear_scene *own = scene->own;
    return &own->whole;
}

static bool tear(const gallery_scene *scene, uint32_t vertex_count, uint32_t step,
                 pliant_tear *torn)
{
    const tear_scene *own = scene->own;
    uint32_t first = vertex_count - own->whole.vertex_count, end = first;
    while (end <= own->rows && last_whole_step(scene, own, end) < step) {
        end++;
    }
    uint32_t corner = own->corner_start[first];
    *torn = (pliant_tear){.split = own->split + first,
                          .split_count = end - first,
                          .corners = own->corners + corner,
                          .corner_count = own->corner_start[end] - corner};
    return end > first;
}

/* Where a point of a sheet goes that lies so far from the tear, in a row that was torn so long ago.
 */
static void roll_up(double distance, double height, double since, double phase, double to[3])
{
    double rolled = ROLL_SPEED * since, pull = PULL_SPEED * since;
    rolled = rolled < LONGEST_ROLL ? rolled : LONGEST_ROLL;
    to[1] = height;
    if (distance >= rolled) {
        to[0] = distance + pull;
        to[2] = 0.0;
        return;
    }
    double angle = (rolled - distance) / ROLL_RADIUS;
    double ripple = 0.02 * angle * gallery_sin(7.0 * height + phase + 2.3 * angle);
    double radius = ROLL_RADIUS * (1.0 - 0.012 * angle + ripple); /* turns meet where they ripple */
    to[0] = rolled + pull - radius * gallery_sin(angle);
    to[2] = ROLL_RADIUS - radius * gallery_cos(angle);
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    const tear_scene *own = scene->own;
    const float *rest = scene->rest[body];
    uint32_t vertices = own->whole.vertex_count;
    for (uint32_t i = 0; i < scene->bodies[body].vertex_count; i++, rest += 3) {
        uint32_t row = i < vertices ? i / (own->columns + 1) : i - vertices;
        double whole_until = (double)last_whole_step(scene, own, row) / scene->steps;
        double since = time > whole_until ? time - whole_until : 0.0, point[3];
        bool right = rest[0] > 0.0f || i >= vertices;
        roll_up(fabs((double)rest[0]), (double)rest[1], since, scene->phases[body][0], point);
        point[0] = right ? point[0] : -point[0];
        point[2] += RIPPLE_HEIGHT * (gallery_sin(9.0 * (double)rest[0] + scene->phases[body][1]) +
                                     gallery_sin(7.0 * (double)rest[1] + 4.0 * (double)rest[0]));
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    (void)time;
    memset(placement, 0, sizeof *placement);
    memcpy(placement->rotation, scene->rotations[body], sizeof placement->rotation);
}

const gallery_kind gallery_tear = {
    .name = "tear",
    .title = "A sheet is pulled apart",
    .description = "one sheet tears along its middle, and the flaps roll up into themselves",
    .body_count = 1,
    .triangles = 5000,
    .steps = 120,
    .self = true,
    .create = create,
    .destroy = destroy,
    .place = place,
    .evaluate = evaluate,
    .whole = whole,
    .tear = tear,
};
