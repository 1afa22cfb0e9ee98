/*
 * Closed bodies like those of Heidelberger, Teschner & Gross 2003: a torus knot, and four bodies of
 * about the proportions and triangle counts of their rabbit, reptile, santa and dragon. All are
 * tubes around a curve, with bumps; none cuts through itself at rest.
 */
#ifndef GALLERY_CLOSED_H
#define GALLERY_CLOSED_H

#include "gallery.h"

typedef enum closed_kind {
    CLOSED_KNOT = 0,
    CLOSED_RABBIT,
    CLOSED_REPTILE,
    CLOSED_SANTA,
    CLOSED_DRAGON,
    CLOSED_KINDS
} closed_kind;

/* "knot", "rabbit", ... */
const char *closed_name(closed_kind kind);

/* The number of triangles that the paper's body has. */
uint32_t closed_triangles(closed_kind kind);

/* A body of about that many triangles, at rest, within 1 of the origin. */
bool closed_make(closed_kind kind, uint32_t triangles, gallery_mesh *mesh);

/* The body at a time, swaying and breathing; `rest` as closed_make() gave it. */
void closed_deform(const float *rest, uint32_t vertex_count, double time,
                   const gallery_placement *placement, float *positions);

#endif
