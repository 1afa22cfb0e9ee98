#include "reduced.h"

pliant_shape_def reduced_shape_def(const gallery_mesh *mesh, const gallery_model *model)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    def.modes = model->modes;
    def.mode_count = model->mode_count;
    def.joint_count = model->joint_count;
    return def;
}

bool reduced_create_context(const bench_settings *settings, pliant_context **context)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    def.workers = bench_threads(settings);
    return pliant_context_create(&def, context) == PLIANT_OK;
}

bool reduced_set(pliant_body *body, const gallery_model *model, const float *coordinates,
                 const float *transform)
{
    return (model->mode_count == 0 ||
            pliant_body_set_coordinates(body, coordinates, model->mode_count) == PLIANT_OK) &&
           (model->joint_count == 0 ||
            pliant_body_set_transforms(body, transform, model->joint_count, 0) == PLIANT_OK);
}

bench_summary reduced_summarise(const pliant_pair *pairs, uint64_t count)
{
    bench_range range = {.a = 0, .b = 1, .first = 0, .count = count};
    bench_outcome outcome = {.pairs = pairs, .ranges = &range, .range_count = 1};
    return bench_summarise(&outcome);
}
