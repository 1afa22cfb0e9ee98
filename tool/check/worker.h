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

/* The vertices of a body that depths are computed from. */
typedef struct vertex_cache {
    uint32_t *slots; /* per vertex: its place in the lists, or CHECK_NONE; NULL before first use */
    uint32_t *vertices;
    float (*positions)[3];
    uint32_t count, vertex_count;
} vertex_cache;

/* A body of the asset, and how it takes part. */
typedef struct check_member {
    pliant_body *body; /* NULL: nothing of it is looked at */
    pliant_body_id id;
    bool is_shown;  /* in the latest frame */
    bool was_shown; /* where the latest step began */
    bool is_placed; /* a still body is placed once */
    vertex_cache cache;
} check_member;

struct check_worker {
    const check *state;
    pliant_asset_pose *pose;
    pliant_scene *scene;
    pliant_query *query;       /* NULL unless somebody looks between frames */
    pliant_volume *volume;     /* NULL unless volumes are asked for */
    pliant_contours *contours; /* NULL unless contours are */
    check_member *members;     /* per body of the asset */
    check_record *records;     /* of the bodies in hand */
    size_t record_count, record_capacity;
    check_found *found; /* of the frame in hand */
    size_t found_count, found_capacity;
};

/* Makes room for one more than `count` in a list. Returns where it is now, or NULL. */
void *check_grow(void *list, size_t *capacity, size_t count, size_t size);

/* Places all bodies as they are in the frame's clip at some time. */
pliant_result check_place(check_worker *worker, check_frame *frame, double time);

/* Moves what was found to the frame, which keeps no more than it needs. */
pliant_result check_store(check_worker *worker, check_frame *frame);
void check_drop_found(check_worker *worker);

/* Adds a pair of triangles of two bodies to the records, unless nobody asks about their parts.
   Returns false without memory. */
bool check_add_record(check_worker *worker, const check_body *a, const check_body *b,
                      pliant_pair pair, double gap);

/* Asks which triangles of all bodies, as they are placed, touch or are too close, and sums up what
   that says about pairs of parts. */
pliant_result check_ask(check_worker *worker, const check_frame *reference, bool keep);

/* Orders records by parts, then triangles, then gap. */
void check_sort_records(check_worker *worker);

/* The end of the records that have the parts of record `first`. */
size_t check_end_of_parts(const check_worker *worker, size_t first);

/* Sums up `count` records of one pair of parts, of which depths can be computed where they touch;
   nothing where that pair is ignored. */
pliant_result check_add_parts(check_worker *worker, const check_record *records, size_t count,
                              const check_frame *reference, bool keep);

/* Sums the records of two bodies up: adds to what was found for every pair of their parts. */
pliant_result check_add_found(check_worker *worker, uint32_t a, uint32_t b,
                              const check_frame *reference, bool keep);

/* Measures the contours of the bodies of the latest pair of parts that was found. */
pliant_result check_measure_contours(check_worker *worker, uint32_t a, uint32_t b);

/* Orders pairs of parts. */
int check_compare_found(const void *first, const void *second);

#endif
