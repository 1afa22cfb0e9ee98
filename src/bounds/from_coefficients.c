#include "from_coefficients.h"

#include "bounds/from_blend.h"
#include "bounds/from_modes.h"

pli_coefficient_view pli_view_coefficients(const pliant_shape *shape, size_t index, uint32_t lanes)
{
    const pli_coefficients *coefficients = &shape->coefficients[index];
    pli_coefficient_view view = {
        .values = shape->coefficient_values + coefficients->first_value,
        .modes = coefficients->mode_count > 0 ? shape->coefficient_modes + coefficients->first_mode
                                              : NULL,
        .joints = coefficients->joint_count > 0
                      ? shape->coefficient_joints + coefficients->first_joint
                      : NULL,
        .mode_count = coefficients->mode_count,
        .joint_count = coefficients->joint_count,
        .lanes = lanes,
        .kind = (pli_coefficient_kind)coefficients->kind,
    };
    return view;
}

void pli_bound_children_from_coefficients(const pli_model_kernels *kernels,
                                          const pli_coefficient_view *coefficients,
                                          const pli_pose *pose, pli_boxes *boxes,
                                          pli_spheres *spheres)
{
    if (coefficients->kind == PLI_COEFFICIENTS_BLEND) {
        pli_bound_children_from_blend(kernels, coefficients, pose, boxes);
    } else {
        pli_bound_children_from_modes(kernels, coefficients, pose, boxes, spheres);
    }
}
