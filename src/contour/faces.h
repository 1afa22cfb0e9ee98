/* What faces.c keeps about one triangle while it is cut. */
#ifndef PLI_CONTOUR_FACES_H
#define PLI_CONTOUR_FACES_H

#include "contour/contours.h"

/* A place on the triangle's outline where a contour meets it, or a vertex on a contour. Stop i is
   local node i. */
typedef struct pli_stop {
    double point[3];
    uint32_t first_place; /* the first place behind it */
    uint32_t previous;    /* the stop before this one among those that segments join it with */
    bool walked;          /* the outline behind it is part of a face that is done */
} pli_stop;

/* A part of the outline between stops. */
typedef struct pli_place {
    uint32_t element;
    bool is_corner;
    double point[3]; /* of a corner */
} pli_place;

/* A node in the triangle; those of one stop are one. */
typedef struct pli_local_node {
    double point[3];
    uint32_t parent;     /* a forest: nodes that segments join */
    uint32_t first_link; /* 2 * link + end of the latest link here; the list goes on in `next` */
    uint32_t degree;
    uint32_t via;  /* 2 * link + end by which a path came here */
    uint32_t seen; /* by which path */
} pli_local_node;

typedef struct pli_local_link {
    uint32_t node[2], next[2];
} pli_local_link;

#endif
