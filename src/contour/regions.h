/* What regions.c knows about a region besides what the caller gets. */
#ifndef PLI_CONTOUR_REGIONS_H
#define PLI_CONTOUR_REGIONS_H

#include "contour/contours.h"

typedef struct pli_region_mark {
    uint32_t component; /* the connected piece of the mesh that it is a part of */
    uint32_t tries;     /* vertices that were located, and lay on the other surface */
    int32_t winding;    /* of the other body, once it is known */
    bool known;
    bool doubtful;  /* what is known contradicts itself */
    bool has_near;  /* the next is known */
    double near[3]; /* the point of the other body that was closest to the latest vertex */
} pli_region_mark;

#endif
