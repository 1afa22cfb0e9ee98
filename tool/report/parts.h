/* What a page holds while it is made; shared by what fills it and what writes it. */
#ifndef TOOL_REPORT_PARTS_H
#define TOOL_REPORT_PARTS_H

#include "buffer.h"
#include "page.h"

typedef struct page_mesh {
    report_mesh mesh;
    double size, reach; /* diagonal of the box at rest; largest coordinate there */
} page_mesh;

typedef struct page_body {
    char *name;
    uint32_t mesh;
    bool closed;
    bool is_positions; /* given by its positions, whatever the mesh says */
    bool is_started;
    report_track series;
    float *state; /* room for coordinates and transforms */
    uint32_t *parts;
    pliant_bound *bounds; /* the tree; NULL: not shown */
    uint32_t bound_count;
    report_track boxes;
    report_buffer box_states;
} page_body;

typedef struct page_part {
    char *name;
    uint32_t body;
} page_part;

typedef struct page_frame {
    uint32_t clip, number;
    float time;
    uint32_t contact_bytes, contour_bytes;
    report_cost cost;
} page_frame;

/* An array that grows by doubling. */
#define LIST(type)                                                                                 \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count, capacity;                                                                  \
    }

struct report {
    char *kind, *title, *description, *extra;
    LIST(page_mesh) meshes;
    LIST(page_body) bodies;
    LIST(page_part) parts;
    LIST(char *) clips;
    LIST(char *) notes;
    LIST(pliant_pair) pairs; /* of parts, in the order in which they first touch */
    LIST(page_frame) frames;
    report_buffer contacts;
    size_t frame_begin; /* where the contacts of the latest frame begin */
    report_buffer contours;
    size_t contour_begin; /* the same */
    double contour_step;  /* of the grid that their points are on */
    report_buffer passes;
    uint32_t state_count; /* beside those of frames */
    uint64_t *codes;      /* scratch: triangles of one side of a pair */
    size_t code_capacity;
    report_buffer findings; /* JSON, with commas between */
    char up;                /* 'y' or 'z' */
    report_cost whole;
    double world; /* largest size of a body, for the boxes of trees */
    bool has_cost, failed;
};

/* The number of a pair of parts, which is added if it is not there yet. */
uint32_t report_find_pair(report *page, uint32_t a, uint32_t b);

/* Ends the latest frame, if there is one. */
void report_end_frame(report *page);

#endif
