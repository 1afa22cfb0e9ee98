/* What one thread of a check holds, and what it does with the bodies of a frame. */
#ifndef TOOL_CHECK_WORKER_H
#define TOOL_CHECK_WORKER_H

#include "check.h"

#include "pliant/continuous.h"
#include "pliant/scene.h"

/* A pair of triangles and the parts that they belong to. */
typedef struct check_record {
    uint32_t a, b; /* parts, a <= b */
    pliant_pair pair;
    double gap;
} check_record;

/* What is known of a vertex in the walk in hand (regions.h). */
typedef struct check_visit {
    uint32_t epoch;   /* of the walk; what is of another one is as if not there */
    uint32_t contact; /* from which it was reached */
    uint32_t witness; /* the face that was crossed there */
    uint32_t side;    /* 0 behind the crossed face, 1 before it */
} check_visit;

/* The same of a triangle. */
typedef struct check_triangle_mark {
    uint32_t epoch;
    uint32_t contact; /* one that it has */
    uint32_t count;   /* edges of the other surface that pass through it */
    float sum[3];     /* of the points where they do */
} check_triangle_mark;

/* Vertices of a body whose positions in the pose in hand are known, and marks on its surface. */
typedef struct check_positions {
    float (*at)[3];   /* per vertex; NULL before first use */
    uint32_t *epochs; /* per vertex: the pose in which it was computed */
    uint32_t *wanted; /* vertices to compute next */
    uint32_t wanted_count;
    float (*scratch)[3];
    check_visit *visits;        /* per vertex */
    check_triangle_mark *marks; /* per triangle */
} check_positions;

/* A body of the asset, and how it takes part. */
typedef struct check_member {
    pliant_body *body; /* NULL: nothing of it is looked at */
    pliant_body_id id;
    bool is_shown;  /* in the latest frame */
    bool was_shown; /* where the latest step began */
    bool is_placed; /* a still body is placed once */
    check_positions known;
} check_member;

/* How contacts are grouped and measured (regions.h). */
typedef struct check_regions check_regions;
check_regions *check_regions_create(void);
void check_regions_destroy(check_regions *regions);

struct check_worker {
    const check *state;
    pliant_asset_pose *pose;
    pliant_scene *scene;
    pliant_query *query;
    pliant_volume *volume;     /* NULL unless volumes are asked for */
    pliant_contours *contours; /* NULL unless contours are */
    check_regions *regions;
    bool is_reference;     /* frames are looked at to compare others with */
    uint32_t pose_epoch;   /* numbers poses, from 1 */
    uint32_t walk_epoch;   /* numbers walks over surfaces, from 1 */
    check_member *members; /* per body of the asset */
    check_record *records; /* of the bodies in hand */
    size_t record_count, record_capacity;
    check_found *found; /* of the frame in hand */
    size_t found_count, found_capacity;
    char error[200]; /* why a call failed, unless the library says it; "" */
};

/* Makes room for one more than `count` in a list. Returns where it is now, or NULL. */
void *check_grow(void *list, size_t *capacity, size_t count, size_t size);

/* Places all bodies as they are in the frame's clip at some time. */
pliant_result check_place(check_worker *worker, check_frame *frame, double time);

/* Makes room for one more in `found`; fails if more pairs of parts touch than a frame may have. */
pliant_result check_reserve_found(check_worker *worker);

/* Puts what was found into the order of its parts. */
void check_sort_found(check_worker *worker);

/* Moves what was found to the frame, which keeps no more than it needs. */
pliant_result check_store(check_worker *worker, check_frame *frame);
void check_drop_found(check_worker *worker);

/* Adds a pair of triangles of two bodies to the records, unless nobody asks about their parts.
   Returns false without memory. */
bool check_add_record(check_worker *worker, const check_body *a, const check_body *b,
                      pliant_pair pair, double gap);

/* Asks which triangles of all bodies, as they are placed, touch or are too close, and sums up what
   that says about pairs of parts. */
pliant_result check_ask(check_worker *worker, const check_acceptance *accepted, bool keep);

/* Positions in the pose in hand (positions.c). Vertices that are wanted are read together. */
pliant_result check_open_positions(check_worker *worker, uint32_t body);
void check_close_positions(check_positions *known);
void check_want_vertex(check_worker *worker, uint32_t body, uint32_t vertex);
void check_want_triangle(check_worker *worker, uint32_t body, uint32_t triangle);
pliant_result check_read_wanted(check_worker *worker, uint32_t body);
pliant_result check_read_triangle(check_worker *worker, uint32_t body, uint32_t triangle,
                                  pliant_triangle *read);

/* Orders records by parts, then triangles, then gap. */
void check_sort_records(check_worker *worker);

/* The end of the records that have the parts of record `first`. */
size_t check_end_of_parts(const check_worker *worker, size_t first);

/* Sums up `count` records of one pair of parts that do not touch, but do what `kind` says; nothing
   where that pair is ignored. */
pliant_result check_add_parts(check_worker *worker, const check_record *records, size_t count,
                              check_kind kind, const check_acceptance *accepted, bool keep);

/* Sums the records of two bodies up: adds to what was found for every pair of their parts. */
pliant_result check_add_found(check_worker *worker, uint32_t a, uint32_t b,
                              const check_acceptance *accepted, bool keep);

/* Measures the contours of the bodies of the latest pair of parts that was found. */
pliant_result check_measure_contours(check_worker *worker, uint32_t a, uint32_t b);

/* Adds bodies that lie inside others, which they do not touch. */
pliant_result check_find_contained(check_worker *worker, const check_acceptance *accepted);

/* Orders pairs of parts. */
int check_compare_found(const void *first, const void *second);

#endif
