/* The rule for triangles of one mesh that share vertices (docs/definition.md, D4). */
#ifndef PLI_QUERY_NEIGHBOURS_H
#define PLI_QUERY_NEIGHBOURS_H

#include "pliant/query.h"

#include "shape/shape.h"

/*
 * Whether two triangles of one body, now at these corners, are to be reported as touching.
 */
bool pli_touch_within(const pliant_shape *shape, uint32_t triangle_a, uint32_t triangle_b,
                      const float corner_a[3][3], const float corner_b[3][3],
                      pliant_neighbours rule, uint64_t *fallbacks);

#endif
