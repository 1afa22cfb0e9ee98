/*
 * A plate breaks against a ball. The plate was cut into ragged pieces beforehand, those squares of
 * a fine sheet that lie nearest to one of many scattered seeds, with hairline cracks between them.
 * When the ball comes, cracks run outward from where it hits, and each piece flies off and turns by
 * itself.
 */
#include "gallery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_TRIANGLES = 48 }; /* about so many */

#define BALL_RADIUS 0.3
#define HIT         0.2   /* the time at which the ball reaches the plate */
#define CRACK       0.999 /* how much of its size a piece keeps */

typedef struct piece {
    uint32_t first, count; /* vertices */
    double centre[3];
    double axis[3]; /* of unit length */
    double turns;   /* radians per time */
    double velocity[3];
    double leaves; /* when it begins to fly */
} piece;

typedef struct shatter {
    uint32_t piece_count;
    piece pieces[];
} shatter;

/* ------------------------------------------------------------- the pieces */

/* Scratch: a fine sheet of `side` x `side` squares, and seeds, one in each square of a coarse one
   of `cells` x `cells`. */
typedef struct cutting {
    uint32_t side, cells;
    double (*seeds)[2];
    uint32_t *owner;     /* per square: its seed */
    uint32_t *vertex;    /* per corner of the sheet: its number in the piece being made, */
    uint32_t *vertex_of; /* and which piece that was */
    uint32_t *order;     /* squares by owner */
    uint32_t *start;     /* per seed: where its squares begin there */
} cutting;

static void cutting_free(cutting *c)
{
    free(c->seeds);
    free(c->owner);
    free(c->vertex);
    free(c->vertex_of);
    free(c->order);
    free(c->start);
}

static bool cutting_allocate(uint32_t side, uint32_t cells, cutting *c)
{
    size_t squares = (size_t)side * side, corners = (size_t)(side + 1) * (side + 1);
    size_t seeds = (size_t)cells * cells;
    *c = (cutting){.side = side,
                   .cells = cells,
                   .seeds = calloc(seeds, sizeof *c->seeds),
                   .owner = calloc(squares, sizeof *c->owner),
                   .vertex = calloc(corners, sizeof *c->vertex),
                   .vertex_of = calloc(corners, sizeof *c->vertex_of),
                   .order = calloc(squares, sizeof *c->order),
                   .start = calloc(seeds + 1, sizeof *c->start)};
    return c->seeds != NULL && c->owner != NULL && c->vertex != NULL && c->vertex_of != NULL &&
           c->order != NULL && c->start != NULL;
}

/* The nearest seed to the middle of a square, among those of its coarse square and around it. */
static uint32_t find_owner(const cutting *c, uint32_t column, uint32_t row)
{
    double x = (column + 0.5) / c->side, y = (row + 0.5) / c->side, least = 4.0;
    int i = (int)(x * c->cells), j = (int)(y * c->cells), cells = (int)c->cells;
    uint32_t owner = 0;
    for (int v = j > 0 ? j - 1 : 0; v <= j + 1 && v < cells; v++) {
        for (int u = i > 0 ? i - 1 : 0; u <= i + 1 && u < cells; u++) {
            const double *seed = c->seeds[v * cells + u];
            double away = (x - seed[0]) * (x - seed[0]) + (y - seed[1]) * (y - seed[1]);
            if (away < least) {
                least = away;
                owner = (uint32_t)(v * cells + u);
            }
        }
    }
    return owner;
}

static void assign_squares(const cutting *c, gallery_random *random)
{
    uint32_t squares = c->side * c->side, seeds = c->cells * c->cells;
    for (uint32_t s = 0; s < seeds; s++) {
        uint32_t cell[2] = {s % c->cells, s / c->cells};
        for (int k = 0; k < 2; k++) {
            c->seeds[s][k] = (cell[k] + gallery_random_range(random, 0.1, 0.9)) / c->cells;
        }
    }
    for (uint32_t q = 0; q < squares; q++) {
        c->owner[q] = find_owner(c, q % c->side, q / c->side);
        c->start[c->owner[q] + 1]++;
    }
    for (uint32_t s = 0; s < seeds; s++) {
        c->start[s + 1] += c->start[s];
    }
    for (uint32_t q = squares; q-- > 0;) { /* the starts move back to where they belong */
        c->order[--c->start[c->owner[q] + 1]] = q;
    }
    memmove(c->start, c->start + 1, seeds * sizeof *c->start);
    c->start[seeds] = squares;
}

/* The vertex of a corner of the sheet in a piece, which has its own. */
static uint32_t find_vertex(const cutting *c, uint32_t piece_number, uint32_t corner,
                            gallery_mesh *mesh)
{
    if (c->vertex_of[corner] != piece_number) {
        float *p = mesh->positions + (size_t)3 * mesh->vertex_count;
        c->vertex_of[corner] = piece_number;
        c->vertex[corner] = mesh->vertex_count++;
        uint32_t place[2] = {corner % (c->side + 1), corner / (c->side + 1)};
        p[0] = (float)(2.0 * place[0] / c->side - 1.0);
        p[1] = (float)(2.0 * place[1] / c->side - 1.0);
        p[2] = 0.0f;
    }
    return c->vertex[corner];
}

static void add_piece(const cutting *c, uint32_t number, uint32_t seed, gallery_mesh *mesh)
{
    for (uint32_t i = c->start[seed]; i < c->start[seed + 1]; i++) {
        uint32_t square = c->order[i];
        uint32_t here = square / c->side * (c->side + 1) + square % c->side;
        uint32_t corner[4] = {here, here + 1, here + c->side + 2, here + c->side + 1};
        uint32_t *triangle = mesh->triangles + (size_t)3 * mesh->triangle_count;
        for (int k = 0; k < 4; k++) {
            corner[k] = find_vertex(c, number, corner[k], mesh);
        }
        memcpy(triangle, (uint32_t[]){corner[0], corner[1], corner[2]}, 3 * sizeof *triangle);
        memcpy(triangle + 3, (uint32_t[]){corner[0], corner[2], corner[3]}, 3 * sizeof *triangle);
        mesh->triangle_count += 2;
    }
}

/* Where a piece lies and how it flies: away from the middle and on with the ball, the faster the
   nearer to where that came. */
static void set_in_motion(gallery_random *random, const gallery_mesh *mesh, piece *p)
{
    double low[2] = {1.0, 1.0}, high[2] = {-1.0, -1.0}, length = 0.0;
    for (uint32_t v = p->first; v < p->first + p->count; v++) {
        for (int k = 0; k < 2; k++) {
            double x = (double)mesh->positions[(size_t)3 * v + (size_t)k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        p->centre[k] = k < 2 ? 0.5 * (low[k] + high[k]) : 0.0;
        p->axis[k] = gallery_random_range(random, -1.0, 1.0);
        length += p->axis[k] * p->axis[k];
    }
    for (int k = 0; k < 3; k++) {
        p->axis[k] = length > 0.0 ? p->axis[k] / sqrt(length) : k == 0;
    }
    double away = sqrt(p->centre[0] * p->centre[0] + p->centre[1] * p->centre[1]);
    double force = 1.0 / (0.4 + away);
    p->leaves = HIT + 0.15 * away;
    p->turns = gallery_random_range(random, -9.0, 9.0) * force;
    for (int k = 0; k < 2; k++) {
        p->velocity[k] =
            (0.9 * p->centre[k] / (away + 0.1) + gallery_random_range(random, -0.3, 0.3)) * force;
    }
    p->velocity[2] = -gallery_random_range(random, 0.5, 1.1) * force;
}

static bool make_plate(gallery_scene *scene, const cutting *c, gallery_random *random)
{
    gallery_mesh *mesh = &scene->bodies[0];
    uint32_t seeds = c->cells * c->cells, squares = c->side * c->side;
    shatter *own = calloc(1, sizeof *own + seeds * sizeof *own->pieces);
    scene->own = own;
    if (own == NULL || !mesh_allocate(4 * squares, 2 * squares, mesh)) {
        return false;
    }
    mesh->vertex_count = mesh->triangle_count = 0;
    memset(c->vertex_of, 0xff, (size_t)(c->side + 1) * (c->side + 1) * sizeof *c->vertex_of);
    for (uint32_t s = 0; s < seeds; s++) {
        piece *p = &own->pieces[own->piece_count];
        if (c->start[s] == c->start[s + 1]) {
            continue; /* other seeds are nearer to all squares */
        }
        p->first = mesh->vertex_count;
        add_piece(c, own->piece_count++, s, mesh);
        p->count = mesh->vertex_count - p->first;
        set_in_motion(random, mesh, p);
    }
    return true;
}

static bool create(gallery_scene *scene, uint32_t triangles)
{
    uint32_t side = (uint32_t)floor(sqrt((double)triangles / 2.0) + 0.5);
    uint32_t cells = (uint32_t)floor(sqrt((double)triangles / PIECE_TRIANGLES) + 0.5);
    gallery_random random = gallery_random_seed(scene->seed, 200);
    cutting c;
    side = side > 0 ? side : 1;
    cells = cells > 0 ? cells : 1;
    bool done = cutting_allocate(side, cells, &c);
    if (done) {
        assign_squares(&c, &random);
        done = make_plate(scene, &c, &random) &&
               mesh_make_sphere(triangles / 4 > 20 ? triangles / 4 : 20, &scene->bodies[1]);
    }
    cutting_free(&c);
    return done;
}

static void destroy(gallery_scene *scene)
{
    free(scene->own);
}

/* ------------------------------------------------------------- the motion */

/* By an angle about an axis. */
static void make_rotation(const double axis[3], double angle, double rotation[3][3])
{
    double sine = gallery_sin(angle), cosine = gallery_cos(angle);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rotation[i][j] = axis[i] * axis[j] * (1.0 - cosine) + (i == j ? cosine : 0.0);
        }
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rotation[k][j] += axis[i] * sine;
        rotation[j][k] -= axis[i] * sine;
    }
}

static void move_piece(const piece *p, double time, const float *rest,
                       const gallery_placement *placement, float *positions)
{
    double flown = time > p->leaves ? time - p->leaves : 0.0, rotation[3][3];
    make_rotation(p->axis, p->turns * flown, rotation);
    for (size_t v = p->first; v < (size_t)p->first + p->count; v++) {
        double local[3], point[3];
        for (int k = 0; k < 3; k++) {
            local[k] = CRACK * ((double)rest[3 * v + (size_t)k] - p->centre[k]);
        }
        for (int k = 0; k < 3; k++) {
            point[k] = rotation[k][0] * local[0] + rotation[k][1] * local[1] +
                       rotation[k][2] * local[2] + p->centre[k] + p->velocity[k] * flown;
        }
        gallery_put(placement, point, positions + 3 * v);
    }
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    if (body == 0) {
        const shatter *own = scene->own;
        for (uint32_t i = 0; i < own->piece_count; i++) {
            move_piece(&own->pieces[i], time, scene->rest[0], placement, positions);
        }
        return;
    }
    const float *direction = scene->rest[1];
    double height = BALL_RADIUS * (1.0 + 4.0 * (HIT - time));
    for (uint32_t i = 0; i < scene->bodies[1].vertex_count; i++, direction += 3) {
        double point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = BALL_RADIUS * (double)direction[k] + (k == 2 ? height : 0.0);
        }
        gallery_put(placement, point, positions + (size_t)3 * i);
    }
}

const gallery_kind gallery_shatter = {
    .name = "shatter",
    .title = "A plate breaks against a ball",
    .description = "a plate breaks against a ball into hundreds of pieces that fly apart",
    .body_count = 2,
    .triangles = 20000,
    .steps = 200,
    .create = create,
    .destroy = destroy,
    .place = NULL,
    .evaluate = evaluate,
};
