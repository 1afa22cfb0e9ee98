/* The work that a check saves beside ways that compute everything. */
#ifndef TOOL_DEMO_WORK_H
#define TOOL_DEMO_WORK_H

#include "tool/check/check.h"

#include "cli.h"

#define DEMO_PLAYS 5

/* How the touching triangles of a frame are found. */
typedef enum demo_way {
    DEMO_DEMAND,    /* bounds and vertices where a query needs them: the default */
    DEMO_REFIT,     /* a full refit: every vertex and every bound, by the same library */
    DEMO_EVALUATED, /* every vertex is written out first; then a full refit around positions */
    DEMO_WAYS
} demo_way;

typedef struct demo_work {
    uint64_t evaluated; /* vertices by DEMO_DEMAND in all frames, again for each cluster with it */
    uint64_t vertices;  /* of all bodies in all frames */
    uint32_t frames;
    double milliseconds[DEMO_WAYS]; /* all frames; median of DEMO_PLAYS plays */
} demo_work;

/*
 * Plays the frames of a filled check DEMO_PLAYS times in each way, in turn, on this thread. Prints
 * one line and fails if a way finds other numbers of touching triangles than the check did.
 */
cli_status demo_measure_work(const check *state, demo_work *work);

/* Writes one sentence about it. */
void demo_describe_work(const demo_work *work, char *text, size_t capacity);

#endif
