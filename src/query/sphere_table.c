#include "sphere_table.h"

#include <string.h>

pli_sphere_table *pli_sphere_table_create(pliant_context *context)
{
    pli_sphere_table *table = pli_allocate(context, sizeof *table);
    if (table != NULL) {
        memset(table, 0, sizeof *table);
    }
    return table;
}

const pli_spheres *pli_sphere_table_make(pli_sphere_table *table, uint32_t place,
                                         const pliant_body *body, uint32_t row)
{
    pli_coefficient_view view = pli_view_coefficients(body->shape, row, PLI_WIDTH);
    pli_boxes boxes; /* not asked for */
    pli_bound_children_from_modes(body->model_kernels, &view, &body->pose, &boxes,
                                  &table->spheres[place]);
    table->made++;
    table->keys[place] = (pli_sphere_key){body->state, body->id, row};
    return &table->spheres[place];
}
