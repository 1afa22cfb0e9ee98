/* Two moving triangles: whether they meet, and what of them meets first (D9). */
#ifndef PLI_GEOMETRY_MOVING_TRIANGLES_H
#define PLI_GEOMETRY_MOVING_TRIANGLES_H

#include "pliant/moving.h"

/* `meeting` may be NULL; `fallbacks` counts features and signs that needed exact arithmetic, or is
   NULL. */
bool pli_moving_triangles_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                               pliant_meeting *meeting, uint64_t *fallbacks);

#endif
