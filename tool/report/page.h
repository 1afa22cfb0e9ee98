/*
 * The page that people look at: bodies that move, what touches, and when. It is one HTML file, the
 * template that web/ is built into with the data filled in, compressed.
 *
 * A page is made in the order of these functions: meshes, bodies and parts, then frame after frame.
 * What goes wrong for want of memory is kept until report_write() says so.
 */
#ifndef TOOL_REPORT_PAGE_H
#define TOOL_REPORT_PAGE_H

#include <stdio.h>

#include "pliant/query.h"

typedef struct report report;

/* `kind` is "demo", "check" or "bench". NULL without memory. */
report *report_create(const char *kind, const char *title, const char *description);
void report_destroy(report *page);

/* A mesh and how it deforms, as in pliant_shape_def. */
typedef struct report_mesh {
    const float *positions;
    const uint32_t *triangles;
    const float *modes; /* field after field */
    const uint32_t *influence_offsets, *influence_joints;
    const float *influence_weights;
    uint32_t vertex_count, triangle_count, mode_count;
    uint32_t joint_count; /* 0, and no modes: the body is given by its positions */
} report_mesh;

/* Adds a mesh, or finds the number of an equal one. The arrays must stay until the page is written.
 */
uint32_t report_add_mesh(report *page, const report_mesh *mesh);

/* Adds a body and returns its number. */
uint32_t report_add_body(report *page, const char *name, uint32_t mesh, bool closed);

/*
 * What the reader knows as a body: a body or, where `parts` gives a part per triangle (UINT32_MAX:
 * none), a piece of one. `parts` is read now.
 */
uint32_t report_add_part(report *page, const char *name, uint32_t body);
void report_set_parts(report *page, uint32_t body, const uint32_t *parts);

/* The tree over a body: its bounds from the root down, as pliant_visit_bounds() shows them. */
void report_add_tree(report *page, uint32_t body, const pliant_bound *bounds, uint32_t count);

/* Frames that belong together; at least one. */
uint32_t report_add_clip(report *page, const char *name);

/* A sentence that the reader should know. */
void report_add_note(report *page, const char *note);

/* Starts a frame, whose number counts within its clip; the functions below fill it. */
void report_begin_frame(report *page, uint32_t clip, uint32_t number, double time);

/*
 * Behind the last frame: starts a state that belongs to no frame, and returns its number. Frames
 * are the states from 0 on.
 */
uint32_t report_begin_state(report *page);

/* The state of a body, for every body in every frame: coordinates and transforms, or positions. */
void report_set_state(report *page, uint32_t body, const float *coordinates,
                      const float *transforms);
void report_set_positions(report *page, uint32_t body, const float *positions);

/* Which axis is up, 'y' or 'z'; default: y, in a demo z. */
void report_set_up(report *page, char axis);

/* What touches between two parts, or within one. `is_new` may be NULL: none is. */
typedef struct report_contacts {
    uint32_t a, b; /* parts */
    uint64_t count, new_count;
    double depth; /* 0: unknown */
    const pliant_pair *pairs;
    const bool *is_new;
} report_contacts;

void report_add_contacts(report *page, const report_contacts *contacts);

/* What passes through between two frames: the pairs that meet, at the time of the first of them. */
typedef struct report_pass {
    report_contacts contacts; /* without a depth */
    uint32_t frame;           /* the one before, counted over all clips */
    double share;             /* of the way to the next frame */
    uint32_t from, to;        /* states between which vertices move along straight lines then */
    double at;                /* the share of that way */
} report_pass;

void report_add_pass(report *page, const report_pass *pass);

/* The curves along which two parts cross, and the triangles that lie inside the other one. */
typedef struct report_contours {
    uint32_t a, b;      /* parts */
    const float *lines; /* 6 numbers for each segment: its two ends */
    uint64_t line_count;
    const uint32_t *inside[2]; /* ascending */
    uint64_t inside_count[2];
} report_contours;

void report_add_contours(report *page, const report_contours *contours);

/* A place at which two parts do something over frames of a clip. */
typedef struct report_finding {
    uint32_t clip, a, b;
    const char *what;           /* "body + suit", "eye inside head" */
    const char *kind, *verdict; /* one word each */
    const char *place;          /* what it is near; "": unknown */
    bool fails;
    double depth, percent, area, length, gap;   /* 0: unknown */
    uint32_t frame_count, first, deepest, last; /* numbers within the clip */
    uint32_t frame;                             /* the deepest, counted over all clips */
    float position[3];                          /* in that frame */
} report_finding;

/* Adds a finding; they are shown in the order in which they come. */
void report_add_finding(report *page, const report_finding *finding);

/*
 * The bounds of a body's tree in this frame, in the order of report_add_tree(), and for each how
 * far the step came: 0 nothing was computed, 1 the bound was, 2 so was what lies below.
 */
void report_set_tree(report *page, uint32_t body, const pliant_box *boxes,
                     const unsigned char *states);

/* What the step cost, and what refreshing everything would cost. */
typedef struct report_cost {
    uint64_t nodes, clusters, vertices;
} report_cost;

void report_set_cost(report *page, const report_cost *cost);
void report_set_whole_cost(report *page, const report_cost *whole);

/*
 * Further members of the page's JSON, ready-made: `"name":value`. They stay readable in the file
 * and are where times belong, so that all else is the same in every run.
 */
void report_set_extra(report *page, const char *members);

/* Writes the page. Write errors stay in the stream; false: there was no memory. */
bool report_write(report *page, FILE *stream);

#endif
