#include "sphere_table.h"

void pli_spheres_of_row(const pliant_body *body, uint32_t row, pli_spheres *spheres)
{
    const pliant_shape *shape = body->shape;
    pli_row_view view = pli_view_row(shape, row, PLI_WIDTH);
    pli_boxes boxes;
    pli_bound_children_from_modes(body->model_kernels, shape, &view, &body->pose, &boxes, spheres);
}
