/* The closest point of a body for one of many points: the search of query/closest_point.c with
   vector kernels, and with a triangle that is likely near to begin with. */
#ifndef PLI_QUERY_NEAREST_H
#define PLI_QUERY_NEAREST_H

#include "query/descend.h"

/* The closest point so far, and the triangle it is on. */
typedef struct pli_nearest {
    bool found;
    uint32_t triangle;
    double distance;
    double weight[3];
    float corner[3][3];
    double point[3]; /* pli_nearest_find(): whose closest point it is */
    uint32_t child;  /* pli_nearest_find(): the cluster that the triangle is in, an entry of the */
    void *record;    /* shape's tree, and its record; NULL elsewhere */
} pli_nearest;

/* Clusters that may hold the closest points of a group of points. */
enum { PLI_NEAR_BLOCKS = 4, PLI_NEAR_CLUSTERS = PLI_WIDTH * PLI_NEAR_BLOCKS };

typedef struct pli_near_list {
    uint32_t count;
    bool complete; /* if not, there are too many, and the list says nothing */
    pli_boxes boxes[PLI_NEAR_BLOCKS];
    pli_visit visits[PLI_NEAR_CLUSTERS];
} pli_near_list;

/* Lists the clusters that come as near to a box as `reach`; the box must be moderate. */
pliant_result pli_near_list_fill(pli_descent *walk, const pliant_box *box, double reach,
                                 pli_near_list *list);

/* Twice the error of a computed distance of a point to any triangle of a prepared body. */
double pli_nearest_margin(const pliant_body *body, const float point[3]);

/*
 * Finds what pli_closest_to() finds; point and body must be moderate (PLI_POINT_MODERATE). What
 * `nearest` holds before, if found, is a triangle to begin with, of another point in the same call.
 * With a list, which may be NULL, only its clusters are looked at.
 */
pliant_result pli_nearest_find(pli_descent *walk, const pli_near_list *list, const float point[3],
                               float max_distance, pli_nearest *nearest);

/* What is reported of it. */
void pli_nearest_report(const pli_nearest *nearest, const pliant_shape *shape, const float point[3],
                        pliant_closest *closest);

/* closest_point.c: the same for any coordinates, in plain arithmetic, on the query's own stack. */
pliant_result pli_closest_to(pli_run *run, const float point[3], float max_distance,
                             pli_nearest *nearest);

#endif
