/* pliant demo: what its parts share. */
#ifndef TOOL_DEMO_H
#define TOOL_DEMO_H

#include "cli.h"

#include <stdio.h>

#include "pliant/pliant.h"
#include "gallery/body.h"

#define DEMO_UPDATES 5

/* What a run under one update strategy did. */
typedef struct demo_strategy {
    const char *name;
    double milliseconds; /* all steps */
    uint64_t nodes, clusters, vertices;
    /* The same over what refreshing everything in every step would take, from 0 to 1. */
    double node_share, cluster_share, vertex_share;
} demo_strategy;

/* Everything the demo holds; demo_free() gives it back. */
typedef struct demo_state {
    gallery_scene *scene;
    pliant_context *context;
    pliant_shape *shapes[GALLERY_MAX_BODIES];
    pliant_query *query;
    float *states[GALLERY_MAX_BODIES]; /* what bodies are set by */
    uint64_t *pairs;                   /* of each step */
    uint64_t *hashes;                  /* of each step's pairs */
    demo_strategy strategies[DEMO_UPDATES];
    uint32_t strategy_count;
    pliant_stats full; /* what refreshing everything once costs */
    uint32_t first_step, deepest_step;
    bool show_progress;
} demo_state;

/* The scene's bodies, all updated in the same manner, and who compares them. */
typedef struct demo_world {
    pliant_scene *scene;
    pliant_body *bodies[GALLERY_MAX_BODIES];
} demo_world;

/* Values of the command line. */
typedef struct demo_request {
    const char *folder; /* of the pages */
    uint32_t steps;     /* 0: as many as the scene has */
    cli_limits limits;
} demo_request;

cli_status demo_fail_memory(void);
cli_status demo_fail_library(void);

pliant_result demo_world_create(const demo_state *demo, pliant_update update, demo_world *world);
void demo_world_destroy(demo_world *world);

/* Moves the bodies to one step and asks what touches. */
pliant_result demo_ask(demo_state *demo, demo_world *world, uint32_t step,
                       pliant_scene_contacts *contacts);

void demo_show_progress(const demo_state *demo, const char *what, uint32_t step);

/* Writes a page with that name into a folder, which is made if it is missing, and prints where. */
typedef cli_status demo_writer(void *user, FILE *stream);
cli_status demo_write_page(const char *folder, const char *name, demo_writer *write, void *user);

/* Checks the figure in its coat over its clip: prints the findings, writes report.html. */
cli_status demo_check_figure(const demo_request *request);

/* Writes the page, with everything in 3D; prints what goes wrong. */
cli_status demo_write_report(demo_state *demo, FILE *stream);

#endif
