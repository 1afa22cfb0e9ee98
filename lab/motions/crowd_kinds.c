/* The crowds: spheres given by their positions, skinned people, and bodies with modes on a grid. */
#include "crowd.h"

#include <math.h>

#include "gallery/figure.h"
#include "star_crowd.h"
#ifdef PLIANT_HAVE_LAPACKE
#include "gallery/modal/models.h"
#endif

static uint32_t side_of_cube(uint32_t count)
{
    return (uint32_t)ceil(cbrt(count) - 1e-9);
}

/* ---------------------------------------------------------------- spheres */

#define SPHERE_TRIANGLES 5120
#define BUMP_HEIGHT      0.05
#define BUMP_FREQUENCY   9.0
#define SWAY             0.04 /* of the centres */

/* Bumps travel over the sphere, whose centre sways about its place in the grid. */
static void move_sphere(const crowd *c, uint32_t side, double spacing, uint32_t at, uint32_t body)
{
    gallery_random random = gallery_random_seed(1, body);
    const uint32_t cell[3] = {body % side, body / side % side, body / side / side};
    double phase = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI) + 0.3 * at, centre[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = spacing * cell[k] + SWAY * gallery_sin((1.0 + 0.3 * k) * phase + k);
    }
    float *to = crowd_positions(c, at, body);
    const float *from = c->mesh.positions;
    for (uint32_t v = 0; v < c->mesh.vertex_count; v++, to += 3, from += 3) {
        double wave = 0.0;
        for (int k = 0; k < 3; k++) {
            wave += gallery_sin(BUMP_FREQUENCY * (double)from[k] + phase + k);
        }
        for (int k = 0; k < 3; k++) {
            to[k] = (float)(centre[k] + (1.0 + BUMP_HEIGHT / 3.0 * wave) * (double)from[k]);
        }
    }
}

bool crowd_make_spheres(uint32_t count, double spacing, uint32_t step_count, crowd *c)
{
    *c = (crowd){.title = "crowd of spheres", .body_count = count, .step_count = step_count};
    if (!mesh_make_sphere(SPHERE_TRIANGLES, &c->mesh) || !crowd_allocate(c, true)) {
        return false;
    }
    for (uint32_t i = 0; i < count * step_count; i++) {
        move_sphere(c, side_of_cube(count), spacing, i / count, i % count);
    }
    return true;
}

/* ----------------------------------------------------------------- people */

#define PEOPLE_SPACING 0.9 /* metres between neighbours in a row */
#define PEOPLE_SWAY    0.15
#define PEOPLE_STEP    0.013 /* of the figure's motion from one step to the next */

/* Turns a person about the vertical axis and moves it to its place: W after every transform. */
static void place_person(double angle, double x, double y, float *transforms)
{
    double sine = gallery_sin(angle), cosine = gallery_cos(angle);
    for (int j = 0; j < FIGURE_BONES; j++) {
        float *t = transforms + (size_t)12 * j;
        for (int k = 0; k < 4; k++) {
            double u = (double)t[k], v = (double)t[4 + k];
            t[k] = (float)(cosine * u - sine * v + (k == 3 ? x : 0.0));
            t[4 + k] = (float)(sine * u + cosine * v + (k == 3 ? y : 0.0));
        }
    }
}

static void pose_person(const crowd *c, uint32_t at, uint32_t i)
{
    float *transforms = crowd_transforms(c, at, i);
    gallery_random random = gallery_random_seed(2, i);
    double phases[3], angle = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI), place[2];
    double when = gallery_random_range(&random, 0.1, 0.9 - PEOPLE_STEP * c->step_count);
    uint32_t side = (uint32_t)ceil(sqrt(c->body_count) - 1e-9);
    for (int k = 0; k < 3; k++) {
        phases[k] = gallery_random_range(&random, 0.0, 2.0 * GALLERY_PI);
    }
    for (int k = 0; k < 2; k++) {
        place[k] = PEOPLE_SPACING * (k == 0 ? i % side : i / side) +
                   gallery_random_range(&random, -PEOPLE_SWAY, PEOPLE_SWAY);
    }
    figure_pose(when + PEOPLE_STEP * at, phases, crowd_coordinates(c, at, i), transforms);
    place_person(angle + 0.02 * at, place[0], place[1], transforms);
}

bool crowd_make_people(uint32_t count, uint32_t triangles, uint32_t step_count, crowd *c)
{
    *c = (crowd){.title = "crowd of people", .body_count = count, .step_count = step_count};
    if (!figure_make_body(triangles / 2 + 2, &c->mesh, &c->model) || !crowd_allocate(c, false)) {
        return false;
    }
    for (uint32_t i = 0; i < count * step_count; i++) {
        pose_person(c, i / count, i % count);
    }
    return true;
}

/* ------------------------------------------------- bodies with modes on a grid */

#define STAR_TRIANGLES 18000

/* Chairs and fish as in bd-chairs and bd-bridge. */
#define CHAIR_PROXY   17
#define CHAIR_LEAF    2
#define CHAIR_SPACING 1.6
#define FISH_PROXY    194
#define FISH_SPACING  1.3

/* How far modes move a vertex at most, over the body's radius. */
#define SHARE 0.02

/* States as those of a crowd of stars, whose radius is 1 and whose modes have amplitudes[i] of
   that; NULL: they are stars. */
static bool make_states(crowd *c, double spacing, double radius, const double *amplitudes)
{
    uint32_t count = c->body_count, side = side_of_cube(count);
    if (!crowd_allocate(c, false)) {
        return false;
    }
    for (uint32_t i = 0; i < count * c->step_count; i++) {
        float modes[STAR_MODES], *coordinates = crowd_coordinates(c, i / count, i % count),
                                 *transform = crowd_transforms(c, i / count, i % count);
        star_state(i % count, side, spacing, i / count, modes, transform);
        for (int k = 0; k < 3; k++) {
            transform[4 * k + 3] *= (float)radius;
        }
        for (uint32_t m = 0; m < c->model.mode_count; m++) {
            coordinates[m] = modes[m] * (amplitudes != NULL ? (float)amplitudes[m] : 1.0f);
        }
    }
    return true;
}

bool crowd_make_stars(uint32_t count, double spacing, uint32_t step_count, crowd *c)
{
    *c = (crowd){.title = "crowd of stars", .body_count = count, .step_count = step_count};
    return star_make(STAR_TRIANGLES, &c->mesh, &c->model) && make_states(c, spacing, 1.0, NULL);
}

#ifdef PLIANT_HAVE_LAPACKE
/* Makes a grid of copies of a model, which is freed. */
static bool fill_grid(crowd *c, modal_model *model, double spacing, uint32_t proxy)
{
    double amplitudes[STAR_MODES];
    for (uint32_t m = 0; m < model->mode_count; m++) {
        amplitudes[m] = SHARE * model->radius / model->largest[m] / 0.08; /* a star's */
    }
    bool done =
        modal_copy_model(model->modes, model->mode_count, model->vertex_count, true, &c->model) &&
        make_states(c, spacing, model->radius, amplitudes);
    modal_model_free(model);
    c->proxies = true;
    c->shape.proxy_triangles = proxy;
    c->shape.bound = PLIANT_BOUND_SPHERE;
    return done;
}

bool crowd_make_chairs(uint32_t count, uint32_t step_count, crowd *c)
{
    modal_model model;
    *c = (crowd){.title = "crowd of chairs", .body_count = count, .step_count = step_count};
    if (!modal_make_chair(0, &c->mesh, &model)) {
        return false;
    }
    bool done = fill_grid(c, &model, CHAIR_SPACING, CHAIR_PROXY);
    c->shape.leaf_size = CHAIR_LEAF;
    return done;
}

bool crowd_make_fish(uint32_t count, uint32_t step_count, crowd *c)
{
    modal_model model;
    *c = (crowd){.title = "crowd of fish", .body_count = count, .step_count = step_count};
    return modal_make_fish(0, &c->mesh, &model) && fill_grid(c, &model, FISH_SPACING, FISH_PROXY);
}
#endif
