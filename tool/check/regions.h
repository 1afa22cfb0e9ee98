/*
 * Where two parts touch in one pose, grouped: pairs of triangles that hang together are one group,
 * the curve along which two surfaces cross; what it cuts off inside the other surface is measured
 * by walking over the surface from the curve, so that only vertices there are ever computed.
 *
 * The inside. Where the other surface's piece is closed, it is what lies behind its faces: from the
 * ends of edges that pass through them the walk goes on along edges that pass through nothing.
 * Where neither is closed, the smaller of the two sides of the curve is taken for it. Where only
 * the one that is measured is closed, nothing is: the other one's inside says how deep they are.
 *
 * The depth of a vertex inside is its distance to the other surface near where it went in: from the
 * face that was crossed a walk goes to closer triangles as long as there are any. That is never
 * less than the distance to the whole surface, and means something within one body too; of two
 * whole bodies it is that distance. The depth of a region is the largest of its vertices, or how
 * far its deepest pair of triangles must move to come apart, if that is more.
 */
#ifndef TOOL_CHECK_REGIONS_H
#define TOOL_CHECK_REGIONS_H

#include "worker.h"

/* Two triangles that touch. */
typedef struct check_contact {
    float point[3];   /* one of their common points */
    float length;     /* of what they have in common, as far as it is a curve */
    uint32_t group;   /* a contact of the same group, or itself: a union-find forest */
    uint32_t sums[2]; /* of a root: the sums of what is not forgiven, and of what is */
    bool is_forgiven; /* near something accepted */
    bool has_slid;    /* it is not, but what touches here was no deeper in the reference either */
    float allowed;    /* the largest depth accepted near it; 0 if none */
} check_contact;

/* An edge of one surface that passes through a face of the other. */
typedef struct check_crossing {
    uint32_t body;       /* 0 or 1: whose edge it is */
    uint32_t tail, head; /* its welded ends; the head is behind the face */
    uint32_t face;       /* triangle of the other */
    uint32_t contact;
    float share; /* of the way from the lower to the higher end */
    float point[3];
} check_crossing;

/* An edge that is crossed, perhaps several times: what is before and behind is known at its ends by
   the crossing that is next to each. */
typedef struct check_edge {
    uint32_t body, low, high; /* whose it is; its welded ends */
    uint32_t first, last;     /* the crossings next to the lower and to the higher end */
} check_edge;

/* A list that grows. */
typedef struct check_list {
    void *items;
    size_t count, capacity;
} check_list;

/* Scratch of one thread. */
struct check_regions {
    const check_accepted *accepted; /* of the pair of parts in hand, or NULL */
    check_list inner;               /* of a reference: vertices inside (check_inner) */
    check_list contacts, crossings, edges, edge_slots, reached[2], queues[2], order, sums;
    check_list touching, flags;              /* records that touch, and whether each is new */
    check_list regions, sites, cells, slots; /* of what was found, and to thin it */
    uint32_t epoch;                          /* of the pair of parts in hand */
};

/* So many triangles are tried before a closest one is looked for. */
#define CHECK_WITNESSES 4

/* A point inside, and the triangles of both surfaces that are next to it. */
typedef struct check_deepest {
    float at[3];
    uint32_t triangles[2];
} check_deepest;

/* A vertex inside the other surface in a reference. */
typedef struct check_inner {
    uint32_t which, vertex; /* of which surface, 0 or 1; of its mesh */
    uint32_t sum;
    bool is_guess;
    float depth;
} check_inner;

/* A part of a group: its contacts that are near something accepted, or those that are not. */
typedef struct check_sum {
    bool is_forgiven, is_sampled; /* the latter: a point inside was found */
    double depth, area, length, allowed;
    double enough; /* a depth up to this makes no difference, and is not measured more closely */
    uint64_t pairs;
    check_deepest deepest;
    double guessed[2]; /* depths of what was taken for the inside on either surface; -1: none */
    check_deepest guessed_at[2]; /* and the points with these */
    uint32_t
        witnesses[CHECK_WITNESSES]; /* triangles that were closest to points, the latest last */
    uint32_t witness_count;
} check_sum;

/* Contacts and crossings of records of one pair of parts, whose triangles' positions are known. */
pliant_result check_find_crossings(check_worker *worker, const check_record *records, size_t count);

/* Walks from the crossings over what lies inside, joins groups that meet there, and sums up.
   Whether contacts are forgiven is known by then. */
pliant_result check_measure_groups(check_worker *worker, const check_record *records);

uint32_t check_find_group(check_contact *contacts, uint32_t contact);
void check_unite_groups(check_contact *contacts, uint32_t a, uint32_t b);

/* The sum that a contact belongs to. */
check_sum *check_sum_of(check_regions *regions, uint32_t contact);

/* Room for one more at the end, or NULL. */
void *check_push(check_list *list, size_t size);

/* Room for `count`, of which nothing is kept; false without memory. */
bool check_reserve(check_list *list, size_t count, size_t size);

#endif
