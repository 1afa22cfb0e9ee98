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

/* One triangle being cut. */
typedef struct pli_cutting {
    pliant_contours *c;
    pli_contour_side *side;
    uint32_t triangle;
    uint32_t vertex[3]; /* in PLI_SIDE_LOWEST's numbers */
    float corner[3][3];
    double normal[3]; /* of length 1, or 0 */
    double area;
    uint32_t stop_at[3]; /* the stop at a corner, or PLI_NONE */
    uint32_t paths;      /* followed so far */
} pli_cutting;

/* No element, stop or node. */
#define PLI_NONE UINT32_MAX

static inline pli_stop *pli_stops(const pli_cutting *t)
{
    return PLI_ITEMS(pli_stop, t->c, PLI_LIST_STOPS);
}

static inline pli_local_node *pli_local_nodes(const pli_cutting *t)
{
    return PLI_ITEMS(pli_local_node, t->c, PLI_LIST_LOCAL_NODES);
}

/* outline.c: lists stops and places around the triangle, and the segments in it; the latter are
   those of keys of PLI_SIDE_TRIANGLE_LINKS. */
pliant_result pli_outline_list(pli_cutting *t);
pliant_result pli_outline_add_link(pli_cutting *t, const pli_contour_link *link);
/* Afterwards: nodes have no local numbers any more. */
void pli_outline_forget(pli_cutting *t, const uint64_t *keys, size_t count);
/* Joins clusters that interleave, and finds for each stop the one before it in its cluster. */
pliant_result pli_outline_connect(pli_cutting *t);

/* walk.c: all faces of a triangle that have a part of its outline. */
pliant_result pli_faces_walk(pli_cutting *t);
/* The whole triangle, as a piece or as what is not cut. */
pliant_result pli_faces_add_whole(pli_cutting *t, bool as_piece);
/* What holes are made of. */
pliant_result pli_faces_add_corner(pli_cutting *t, const double point[3]);
pliant_result pli_faces_add_piece(pli_cutting *t, uint32_t element, uint64_t first_corner);
uint32_t pli_faces_add_element(pli_cutting *t);
double pli_faces_outline_area(const pli_cutting *t, uint64_t first_corner, uint32_t count);

/* holes.c: faces enclosed by clusters without stops. */
pliant_result pli_holes_add(pli_cutting *t, size_t first_piece);

#endif
