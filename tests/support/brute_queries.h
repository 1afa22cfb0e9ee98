/* Slow results of queries of bodies: every triangle, or every two, by the exact test and nothing
   else. */
#ifndef PLIANT_TESTS_BRUTE_QUERIES_H
#define PLIANT_TESTS_BRUTE_QUERIES_H

#include "table_world.h"

typedef enum brute_verdict {
    BRUTE_EQUAL,
    BRUTE_DIFFERS,
    BRUTE_UNKNOWN /* no slow result for this query, or not for these bodies */
} brute_verdict;

/* Compares the latest query of a life with its slow result; `text` receives the first difference.
 */
brute_verdict brute_check(table_life *l, const table_event *e, char text[256]);

/* ------------------------------------------- shared by the files of brute force */

/* A body as brute force sees it: the triangles that are left, at both ends of its step. */
typedef struct slow_mesh {
    const table_actor *actor;
    float *at;
    const float *start;
    uint32_t *number; /* of the triangles that are left */
    uint32_t count;
    bool welds_known; /* false: modes or influences may differ at one place */
} slow_mesh;

typedef struct slow_query {
    table_life *l;
    const table_event *e;
    slow_mesh mesh[2]; /* both the same within one body */
    bool self, grouped;
    char *text;
} slow_query;

/* The vertices and the positions of a triangle that is left. */
const uint32_t *slow_corners(const slow_mesh *m, uint32_t i);
pliant_triangle slow_triangle(const slow_mesh *m, uint32_t i);

/* Return true if the groups of the options have a triangle, or let two triangles through. */
bool slow_in_group(const slow_query *s, int side, uint32_t triangle_number);
bool slow_chosen(const slow_query *s, uint32_t i, uint32_t j);

/* Returns true if two vertices are welded, and lie in one place if positions are given. */
bool slow_is_shared(const slow_mesh *m, const float *at, uint32_t v, uint32_t w);

/* Returns true if two triangles of one body have a shared vertex. */
bool slow_are_neighbours(const slow_query *s, const float *at, uint32_t i, uint32_t j);

/* Returns true if two triangles of one body touch (D4), with their vertices at positions `at`. */
bool slow_touch_beyond(const slow_query *s, const float *at, uint32_t i, uint32_t j,
                       pliant_neighbours rule, const pliant_triangle *p, const pliant_triangle *q);

/* Returns the pairs of triangles that touch, by their place among those left. The caller frees
   them. */
pliant_pair *slow_find_pairs(const slow_query *s, pliant_neighbours rule, uint64_t *count);

/* Returns a distance with the errors of the shapes added, rounded up. */
float slow_distance(const slow_query *s, float distance);

brute_verdict slow_check_features(slow_query *s);
brute_verdict slow_check_meetings(slow_query *s);

#endif
