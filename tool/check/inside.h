/* Inside of regions.h: the walk over one of two surfaces, and the points that it finds inside. */
#ifndef TOOL_CHECK_INSIDE_H
#define TOOL_CHECK_INSIDE_H

#include "regions.h"

/* Two surfaces: the one that is walked on, and the other. */
typedef struct inside_walk {
    check_worker *worker;
    const check_record *records;
    uint32_t which;       /* of the surface walked on: 0 or 1 */
    uint32_t body, other; /* bodies of the asset */
    const check_surface *surface, *other_surface;
    check_visit *visits;
    uint32_t epoch;
    bool is_guess;   /* the inside is guessed */
    bool is_guarded; /* each step is looked at before it is taken */
} inside_walk;

/* Whether the piece that a crossing's face is of is closed. */
bool check_is_other_closed(const inside_walk *walk, const check_crossing *crossing);

/* Whether a vertex lies behind the other surface near a triangle of that, which is replaced by a
   closer one. One that lies on it, in a fold, does not. Without memory: no. */
bool check_is_inside(const inside_walk *walk, uint32_t vertex, uint32_t *witness);

/* Whether the point just before a vertex, on the outer side of its own surface, lies inside a
   closed piece of the same body: what is behind a face nearby need not be, as a tail is behind an
   ear. */
pliant_result check_is_front_inside(const inside_walk *walk, uint32_t vertex, bool *inside);

/* Points inside, each added to the sum of its contact: the vertices of a walk in the order in which
   they were reached; middles of edges that go in and out again; middles of holes. */
pliant_result check_add_vertices(const inside_walk *walk, const check_list *reached);
pliant_result check_add_middles(const inside_walk *walk);
pliant_result check_add_holes(const inside_walk *walk);

/* Whether what is inside near a contact, a vertex or (CHECK_NONE) a point of a triangle `own`, was
   so in the reference too, and about as deep, although the curve near it went elsewhere: where
   surfaces lie along each other, a little slide takes it far. */
bool check_was_inside(const inside_walk *walk, uint32_t contact, uint32_t vertex, uint32_t own,
                      uint32_t witness, double distance);

/* The end of an edge that is closer to the face that it passes through. */
pliant_result check_add_end(const inside_walk *walk, const check_crossing *crossing);

#endif
