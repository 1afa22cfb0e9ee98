/* Bodies at both ends of a step, and answers about what meets, for tests that try every pair. */
#ifndef PLIANT_TESTS_MOVING_MESH_H
#define PLIANT_TESTS_MOVING_MESH_H

#include "subjects.h"

/* A body at both ends of its step, by the positions that queries see. */
typedef struct moving_mesh {
    float *at[2];
    const uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} moving_mesh;

/* A body that stands still, and what is released in the end. */
moving_mesh moving_mesh_begin(const subject *s);
void moving_mesh_end(moving_mesh *m);

/* One end becomes where the body is now. */
void moving_mesh_read(moving_mesh *m, const pliant_body *body, int end);

pliant_moving_triangle moving_mesh_triangle(const moving_mesh *m, uint32_t triangle);

/* Options of meetings within a distance. */
pliant_meeting_options approach_options(float distance);

bool meetings_agree(const pliant_meeting *a, const pliant_meeting *b);

/* Times ascend as far as their bounds tell, and pairs ascend where times are the same number. */
bool meetings_are_ordered(const pliant_meetings *m);

/* The meeting of a pair of triangles; NULL if it is not listed. */
const pliant_meeting *meetings_find(const pliant_meetings *m, uint32_t a, uint32_t b);

#endif
