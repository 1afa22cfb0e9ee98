/*
 * Pliant: attaching a surface to joints. A meshless (point-based) simulation moves a few points
 * with their surroundings; to a shape these are joints, as bones are. The functions here make of
 * them what a blended body needs: once the influences of the joints on the vertices
 * (pliant_shape_def), and in every step a transform per joint (pliant_body_set_transforms()).
 * Neither needs a context; both are plain computations.
 */
#ifndef PLIANT_ATTACH_H
#define PLIANT_ATTACH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_attach_def {
    uint32_t tag;                 /* set by pliant_attach_def_default() */
    const float *joint_positions; /* of the joints at rest: x, y, z */
    const float *joint_radii;     /* how far each joint is felt; above 0 */
    uint32_t joint_count;         /* 1 to 2^16 */
    size_t joint_stride;          /* bytes from position to position; 0: 12 */
    const float *positions;       /* of the vertices at rest: x, y, z */
    uint32_t vertex_count;        /* 1 to 2^31 - 1 */
    size_t position_stride;       /* bytes from vertex to vertex; 0: 12 */
    bool attach_to_nearest;       /* default false: a vertex that no joint reaches is an error.
                                     Otherwise the joint nearest to it moves it alone */
} pliant_attach_def;

PLIANT_DEFAULT(pliant_attach_def)

/*
 * How much each joint moves each vertex: (1 - (d / r)^2)^3 for a vertex at a distance d below the
 * joint's radius r, divided by the sum over all joints. This falls off smoothly, twice
 * differentiable where it ends, so that a surface attached by it has no creases.
 *
 * `offsets` (vertex_count + 1 of them), `joints` and `weights` (room for `capacity` each) are
 * written as pliant_shape_def takes them, joints ascending; *count is how many influences there
 * are. Call it with `joints` NULL to learn that number alone; the other arrays are then not used.
 * The error for a vertex that no joint reaches names the first one. Time is proportional to
 * vertices times joints.
 */
PLIANT_API pliant_result pliant_attach_vertices(const pliant_attach_def *def, uint32_t *offsets,
                                                uint32_t *joints, float *weights, uint64_t capacity,
                                                uint64_t *count);

/*
 * The transform of a joint at `reference` that has been displaced and whose surroundings have been
 * deformed: (A | t) with A = G^T + I and t = u - G^T X. gradient[3 * i + k] is the derivative of
 * displacement k along axis i, so that A is the derivative of the deformed positions. Fails if a
 * number is not finite or the transform would overflow.
 */
PLIANT_API pliant_result pliant_compute_joint_transform(const float reference[3],
                                                        const float displacement[3],
                                                        const float gradient[9],
                                                        float transform[12]);

#ifdef __cplusplus
}
#endif

#endif
