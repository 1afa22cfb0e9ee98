/*
 * Queries about pairs of bodies: a constant per query, and the one way that all of them take, for
 * two bodies, one body and scenes.
 */
#ifndef PLI_QUERY_QUERY_KIND_H
#define PLI_QUERY_QUERY_KIND_H

#include "query/query.h"
#include "query/scene_queries.h"
#include "query/walk.h"

/* Two bodies that are compared, or one twice; over a step, their sweeps. */
typedef struct pli_pair {
    pliant_body *body[2];
    pli_arena *arena[2];            /* of this worker; NULL: the body's own */
    const pliant_groups *groups[2]; /* of the members; NULL: those of the options */
    bool proxies[2];
} pli_pair;

/* What the mechanism reads of a query's own options. */
typedef struct pli_plan {
    uint64_t budget_nodes, budget_microseconds;
    unsigned columns; /* bits of those that are wanted */
    bool first;       /* one pair of triangles per pair of bodies is enough */
    bool keeps_order; /* the result depends on the order of tasks: a pair stays on one worker */
    bool has_callback;
} pli_plan;

/* A query's own options. */
typedef union pli_own_options {
    pliant_collide_options collide;
    pliant_within_options within;
    pliant_feature_options features;
    pliant_meeting_options meetings;
    pliant_proxy_options proxies;
} pli_own_options;

typedef struct pli_query_kind pli_query_kind;

/* A query on its way. */
typedef struct pli_comparison {
    const pli_query_kind *kind;
    const void *options; /* the query's own; not NULL */
    float distance;
    pli_plan plan;
    double limit;        /* later meetings do not matter */
    double deadline;     /* 0: none */
    pliant_query *query; /* NULL in a scene */
    uint64_t compared;   /* exact comparisons of times, in the order of results */
} pli_comparison;

/* The results of a call, from which its public struct is filled. */
typedef struct pli_report {
    const pli_collection *found, *features;
    uint64_t count; /* results, those given to a callback too */
    bool complete, stored;
    unsigned columns;
    /* In scenes, the pairs of bodies. */
    const pliant_scene_pair *bodies, *feature_bodies, *undecided;
    uint32_t body_count, undecided_count;
} pli_report;

struct pli_query_kind {
    pliant_recorded_question number;
    const char *result;   /* name of the argument that receives results */
    const void *defaults; /* own options */
    bool over_step;
    bool takes_distance; /* of boxes that are compared */
    bool takes_number;   /* the distance is an argument of the call, not an option */
    bool has_self;       /* bodies may be compared with themselves */
    uint32_t list_count; /* of results */
    size_t scene_result_size;
    const char *over_budget; /* what a scene logs of a budget that was spent; NULL: nothing */
    /* Makes own options from those of a scene. */
    void (*adopt)(const pliant_scene_options *options, pli_own_options *own);
    /* Checks options and distance, and sets the plan. */
    pliant_result (*plan)(pli_comparison *c);
    /* Sets up a visitor, which begins with a walk, for two prepared bodies; false: nothing to do.
     */
    bool (*begin)(pli_walk *walk, pli_worker *worker, const pli_comparison *c,
                  const pli_pair *pair);
    /* Works off all tasks from the start; NULL: a walk from meeting roots, which can be shared. */
    pliant_result (*work)(pli_walk *walk);
    /* Looks for the result of the last call again, before bounds; may be NULL. */
    pliant_result (*recall)(pli_walk *walk);
    /* Gives what is left to the callback of a query about two bodies; returns how many it got. */
    uint64_t (*flush)(pli_walk *walk);
    /* Puts a part in another order; false if a budget was spent; may be NULL. */
    bool (*arrange)(pli_comparison *c, pliant_body *const body[2], const pli_collection *found,
                    const pli_pair_results *part);
    /* Gives a part to the callback of a scene; returns what that returned. */
    bool (*give)(const pliant_scene_options *options, const pliant_scene_pair *bodies,
                 const pli_report *report, const pli_pair_results *part);
    /* Fill the public results. */
    void (*report)(const pli_report *report, void *result);
    void (*report_scene)(const pli_report *report, void *result);
    /* Prefetches what pairs after this one need first; NULL: as usual. */
    void (*fetch_ahead)(const pliant_scene *scene, uint32_t pair);
};

extern const pli_query_kind pli_collide_kind, pli_within_kind, pli_features_kind, pli_meetings_kind,
    pli_proxies_kind;

enum { PLI_VISITOR_BYTES = 8192 }; /* room for the visitor of any query */

/* The data of a column, or NULL if it is not stored; the pairs of triangles. */
static inline const void *pli_report_column(const pli_report *report, pli_column column)
{
    bool there = report->stored && report->columns >> column & 1;
    return there ? report->found->column[column].data : NULL;
}

static inline const pliant_pair *pli_report_pairs(const pli_report *report)
{
    return report->stored ? (const pliant_pair *)(const void *)report->found->found : NULL;
}

/* run_query.c: a query about two bodies, or with `self` about one, for the public call `name`.
   `options` may be NULL. */
pliant_result pli_query_bodies(const pli_query_kind *kind, const char *name, pliant_query *query,
                               pliant_body *a, pliant_body *b, bool self, float distance,
                               const void *options, void *result);

/* run_query.c: the same about the pairs of bodies of a scene. */
pliant_result pli_query_scene(const pli_query_kind *kind, const char *name, pliant_scene *scene,
                              float distance, const pliant_scene_options *options, void *result);

/* run_query.c: a query about a scene within a call of it. With `moving`, by slot, only pairs of
   which a body moves are compared. */
pliant_result pli_query_pairs(pliant_scene *scene, pli_comparison *c,
                              const pliant_scene_options *options, const bool *moving,
                              pli_report *report);

/* team.c: compares two bodies; the visitor is in worker->visitor then. */
pliant_result pli_compare_bodies(const pli_comparison *c, pli_worker *worker, const pli_pair *pair);

/* team.c: compares all pairs of a scene on all workers; results are in the workers' lists. */
pliant_result pli_compare_pairs(pliant_scene *scene, const pli_comparison *c);

/* blocks.c: compares scene->pairs and collects, at once or block by block. */
pliant_result pli_compare_blocks(pliant_scene *scene, pli_comparison *c,
                                 const pliant_scene_options *options, pli_report *report);

#endif
