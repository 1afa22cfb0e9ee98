/* How often a body's surface goes around a point, exactly. */
#ifndef PLI_QUERY_WINDING_H
#define PLI_QUERY_WINDING_H

#include "query/descend.h"

/* The winding number of a point that is not on the surface of a closed body, which is prepared. */
pliant_result pli_winding_find(pli_descent *walk, const float point[3], int32_t *winding);

/* The same where the surface may have come apart: follows the whole line along x, and says whether
   its crossings cancel. If they do not, the winding number means nothing. */
pliant_result pli_winding_find_checked(pli_descent *walk, const float point[3], int32_t *winding,
                                       bool *cancels);

#endif
