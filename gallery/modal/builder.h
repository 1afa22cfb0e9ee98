/*
 * Meshes put together from parts: lofts through rings, rods, beams, balls and sheets. A part is
 * either closed (it adds 4 to 2 V - F), an open tube (twice its ring) or a sheet (2 plus its
 * boundary edges), and splitting an inner edge leaves 2 V - F as it is. So a mesh of any wanted
 * numbers of vertices and faces is a choice of parts with the right sum, a little too coarse, and
 * then modal_build_refine().
 */
#ifndef GALLERY_MODAL_BUILDER_H
#define GALLERY_MODAL_BUILDER_H

#include "gallery/mesh.h"

typedef struct modal_builder {
    gallery_mesh mesh;
    uint32_t vertex_capacity, triangle_capacity;
    bool failed; /* there was no memory; everything after that does nothing */
} modal_builder;

/* A ring runs around `centre` from the tip of `side` to the tip of `up`; the loft goes on towards
   side x up. */
typedef struct modal_station {
    double centre[3], side[3], up[3];
} modal_station;

typedef enum modal_ends { MODAL_OPEN, MODAL_CAPPED } modal_ends;

/* Whether a ring is an ellipse or nearly a rectangle: |c|^power + |s|^power = 1. */
typedef enum modal_outline { MODAL_ELLIPSE = 2, MODAL_ROUNDED = 4, MODAL_SQUARE = 8 } modal_outline;

uint32_t modal_build_vertex(modal_builder *builder, const double point[3]);
void modal_build_triangle(modal_builder *builder, uint32_t a, uint32_t b, uint32_t c);

/* count * ring vertices, and 2 more if capped; 2 * ring triangles between two stations and, at a
   capped end, `ring` more. */
void modal_build_loft(modal_builder *builder, const modal_station *stations, uint32_t count,
                      uint32_t ring, modal_outline outline, modal_ends ends);

/* A round tube along points; its radius goes evenly from the first to the last. */
void modal_build_tube(modal_builder *builder, const double (*points)[3], uint32_t count,
                      const double radii[2], uint32_t ring, modal_ends ends);

/* A straight tube of `count` rings. */
void modal_build_rod(modal_builder *builder, const double from[3], const double to[3],
                     const double radii[2], uint32_t ring, uint32_t count, modal_ends ends);

/* A closed beam of rectangular section: 4 (segments + 1) vertices, 8 segments + 4 triangles. */
void modal_build_beam(modal_builder *builder, const double from[3], const double to[3],
                      const double widths[2], uint32_t segments);

/* A closed ellipsoid of rings * ring + 2 vertices. */
void modal_build_ball(modal_builder *builder, const double centre[3], const double radii[3],
                      uint32_t ring, uint32_t rings);

/* A sheet of columns x rows squares; `point` maps the unit square into space. */
typedef void (*modal_surface)(double u, double v, double point[3]);
void modal_build_sheet(modal_builder *builder, uint32_t columns, uint32_t rows,
                       modal_surface surface);

/* Splits inner edges, the longest first, until there are as many vertices as wanted. */
void modal_build_refine(modal_builder *builder, uint32_t vertex_count);

/* Hands the mesh over. Without memory the mesh is empty and the answer false. */
bool modal_build_finish(modal_builder *builder, gallery_mesh *mesh);

#endif
