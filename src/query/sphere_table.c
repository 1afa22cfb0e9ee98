#include "sphere_table.h"

#include "bounds/bounds.h"

const pli_spheres *pli_sphere_table_make(pli_sphere_table *table, uint32_t place,
                                         const pliant_body *body, uint32_t siblings)
{
    pli_coefficient_view view = pli_view_coefficients(body->shape, siblings, PLI_WIDTH);
    pli_boxes boxes; /* not asked for */
    pli_bound_children_from_coefficients(body->model_kernels, &view, &body->pose, &boxes,
                                         &table->spheres[place]);
    table->made++;
    table->keys[place] = (pli_sphere_key){body->state, body->id, siblings};
    return &table->spheres[place];
}
