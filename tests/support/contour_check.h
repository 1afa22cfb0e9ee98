/* Contours against what they were made of, and regions against brute force. */
#ifndef PLIANT_TESTS_CONTOUR_CHECK_H
#define PLIANT_TESTS_CONTOUR_CHECK_H

#include "fixture.h"

/* What the tests ask with beside test_query; made and destroyed with that one. */
extern pliant_contours *test_contours;
int test_contours_set_up(void **state);
int test_contours_tear_down(void **state);

/* Two bodies, or one and itself, with what brute force needs to know of them. */
typedef struct contour_case {
    pliant_body *body[2]; /* the second is NULL for one body with itself */
    const uint32_t *triangles[2];
    uint32_t triangle_count[2], vertex_count[2];
    float *positions[2]; /* current ones */
} contour_case;

/* Reads the current positions; shapes are as the meshes say. */
contour_case contour_case_of(pliant_body *a, const gallery_mesh *mesh_a, pliant_body *b,
                             const gallery_mesh *mesh_b);
void contour_case_free(contour_case *c);

/*
 * D12: every touching pair is one segment or one touch; segments that follow each other share the
 * features between them; ends, lengths and counts are what they say. Returns how many contours are
 * not closed.
 */
uint64_t contour_check_set(const contour_case *c, const pliant_contour_set *set);

/* The first part of it: every touching pair is there once. */
void contour_check_pairs(const contour_case *c, const pliant_contour_set *set);

/* Vertices joined by an edge without a point of a contour are in the same region. */
void contour_check_edges(const contour_case *c, const pliant_contour_set *set);

/* The other body is closed: whether a vertex is inside is compared with winding numbers by solid
   angles, unless it is a guess or very close; returns how many were compared. */
uint64_t contour_check_inside(const contour_case *c, const pliant_contour_set *set);

/* The edges, and insides if `exact`; areas add up to that of the surface. */
uint64_t contour_check_regions(const contour_case *c, const pliant_contour_set *set, bool exact);

#endif
