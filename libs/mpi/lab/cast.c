#include "cast.h"

#include <math.h>
#include <stdlib.h>
#ifdef PLIANT_HAVE_LAPACKE
#include "gallery/modal/models.h"
#endif

#define STAR_TRIANGLES 18000
#define STAR_SPACING   2.058 /* about one contact per star */
#define FISH_SPACING   1.3   /* over the radius of a fish */
#define FISH_SHARE     0.02  /* how far modes move a vertex at most, over that radius */
#define BALL_SPACING   1.9

const char *const mpi_cast_names[MPI_CAST_KINDS] = {"stars", "fish", "balls"};

static bool make_fish(uint32_t triangles, mpi_cast *cast)
{
#ifdef PLIANT_HAVE_LAPACKE
    modal_model model;
    if (!modal_make_fish(triangles, &cast->mesh, &model)) {
        return false;
    }
    cast->radius = model.radius;
    for (uint32_t m = 0; m < model.mode_count; m++) {
        cast->amplitudes[m] = FISH_SHARE * model.radius / model.largest[m] / 0.08; /* a star's */
    }
    bool done =
        modal_copy_model(model.modes, model.mode_count, model.vertex_count, true, &cast->model);
    modal_model_free(&model);
    return done;
#else
    (void)triangles;
    (void)cast;
    return false;
#endif
}

bool mpi_cast_make(mpi_cast_kind kind, uint32_t bodies, uint32_t triangles, mpi_cast *cast)
{
    *cast = (mpi_cast){
        .kind = kind, .bodies = bodies, .side = (uint32_t)ceil(cbrt(bodies) - 1e-9), .radius = 1.0};
    for (uint32_t m = 0; m < STAR_MODES; m++) {
        cast->amplitudes[m] = 1.0;
    }
    switch (kind) {
    case MPI_CAST_STARS:
        cast->spacing = STAR_SPACING;
        return star_make(triangles > 0 ? triangles : STAR_TRIANGLES, &cast->mesh, &cast->model);
    case MPI_CAST_FISH:
        cast->spacing = FISH_SPACING;
        return make_fish(triangles, cast);
    case MPI_CAST_BALLS:
        cast->spacing = BALL_SPACING;
        cast->model.joint_count = 1;
        return mesh_make_geodesic_sphere(
            triangles > 0 ? (uint32_t)(sqrt(triangles / 20.0) + 0.5) : 1, &cast->mesh);
    case MPI_CAST_KINDS:
        break;
    }
    return false;
}

void mpi_cast_free(mpi_cast *cast)
{
    mesh_free(&cast->mesh);
    gallery_model_free(&cast->model);
}

pliant_shape_def mpi_cast_shape_def(const mpi_cast *cast)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = cast->mesh.positions;
    def.triangles = cast->mesh.triangles;
    def.vertex_count = cast->mesh.vertex_count;
    def.triangle_count = cast->mesh.triangle_count;
    def.mode_count = cast->model.mode_count;
    def.modes = cast->model.modes;
    def.mode_stride = 3 * sizeof(float) * (size_t)cast->mesh.vertex_count;
    def.joint_count = 1;
    return def;
}

void mpi_cast_pose(const mpi_cast *cast, uint32_t body, uint32_t step, mpi_cast_state *state)
{
    star_state(body, cast->side, cast->spacing, step, state->coordinates, state->transform);
    for (int k = 0; k < 3; k++) {
        state->transform[4 * k + 3] *= (float)cast->radius;
    }
    for (uint32_t m = 0; m < cast->model.mode_count; m++) {
        state->coordinates[m] *= (float)cast->amplitudes[m];
    }
}
