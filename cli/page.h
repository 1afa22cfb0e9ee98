/* The demo's page: one HTML file with everything inside. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdio.h>

#include "pliant/query.h"
#include "scenes/scene.h"

/* What a run under one update strategy did. */
typedef struct page_strategy {
    const char *name;
    double milliseconds; /* all steps */
    uint64_t nodes, clusters, vertices;
    /* The same over what refreshing everything in every step would take, from 0 to 1. */
    double node_share, cluster_share, vertex_share;
} page_strategy;

/* The bodies at one step, and what touches. */
typedef struct page_moment {
    uint32_t step;
    float *positions[SCENE_MAX_BODIES];
    /* Per body the triangles that touch something; with repetitions, which do no harm. */
    uint32_t *touching[SCENE_MAX_BODIES];
    uint64_t touching_count[SCENE_MAX_BODIES];
    pliant_segment *segments; /* where they meet, one per pair */
    uint64_t pair_count;
} page_moment;

typedef struct page_content {
    const scene_instance *scene;
    bool closed[SCENE_MAX_BODIES]; /* back faces of closed bodies need not be drawn */
    const page_strategy *strategies;
    uint32_t strategy_count;
    const uint64_t *pairs; /* of each step, from 1 to steps */
    uint32_t first_step;   /* 0: nothing ever touches */
    uint32_t deepest_step; /* the step with the most pairs */
    const page_moment *moments;
    uint32_t moment_count;
    uint32_t deepest_moment;
} page_content;

/* Writes the page. Write errors stay in the stream: see ferror(). */
void page_write(FILE *stream, const page_content *content);

/* Extends a box by all corners of a mesh's triangles. */
void page_extend_box(const scene_mesh *mesh, const float *positions, double lower[3],
                     double upper[3]);

#endif
