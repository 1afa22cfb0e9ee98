/* State of the queries of a scene: workers, results and scratch, kept from call to call. */
#ifndef PLI_QUERY_SCENE_QUERIES_H
#define PLI_QUERY_SCENE_QUERIES_H

#include "pliant/volume.h"

#include "query/bodies.h"
#include "query/collect.h"
#include "scene/recording.h"

enum { PLI_MOST_DONATED = 126 }; /* tasks at a time */

/* Tasks that another worker donated while this one was idle; only this one looks at the line. */
typedef struct pli_donation {
    _Alignas(64) PLI_ATOMIC(uint32_t) count;
    uint32_t pair;
    pli_task tasks[PLI_MOST_DONATED];
} pli_donation;

typedef PLI_ARRAY(pliant_scene_pair) pli_scene_pairs;

enum { PLI_SCENE_QUERIES_ARRAYS = 12 };

struct pli_scene_queries {
    pli_worker *workers;            /* one per worker of the context */
    pli_collection found, features; /* triangles; features, which have lists of their own */
    pli_question_arrays asked;
    union {
        struct {
            PLI_ARRAY(pli_worker) worker_array;
            PLI_ARRAY(pli_donation) donations;    /* by worker */
            PLI_ARRAY(pli_asking_worker) asking;  /* by worker */
            pli_scene_pairs pairs, feature_pairs; /* pairs of bodies with results */
            pli_keys over_budget;      /* pairs whose budget was spent before a result was found */
            pli_scene_pairs undecided; /* the same for the caller */
            /* Touch events: pairs that touch in this call, events of the last one, and of this. */
            pli_keys touching;
            PLI_ARRAY(pliant_scene_event) events, new_events;
            PLI_ARRAY(pliant_scene_volume) volumes;
            PLI_ARRAY(bool) moving; /* by slot, of pliant_scene_advance_bodies() */
        };
        pli_array arrays[PLI_SCENE_QUERIES_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(pli_scene_queries);

/* scene_queries.c: makes the state of a scene's queries, unless it is there already. */
pliant_result pli_scene_queries_create(pliant_scene *scene);

/* scene_queries.c: forgets pairs, results, failures and costs of the call before. */
void pli_scene_queries_start_over(pliant_scene *scene);

/* scene_queries.c: adds up the costs of updates and of all workers. */
void pli_scene_add_stats(pliant_scene *scene);

/* A call of a scene on its way. */
typedef struct pli_scene_call {
    const char *name;
    pli_recorded_call recorded; /* query 0: it is not recorded */
    const pliant_scene_select *select;
    pliant_result (*run)(pliant_scene *scene, struct pli_scene_call *call);
    void *argument;
    const void *answer; /* what is recorded of the result; run() may set it */
} pli_scene_call;

/* scene_queries.c: enters a scene, records, runs in the default floating-point environment, and
   leaves. The caller then copies results, which may be the scene's. */
pliant_result pli_scene_enter(pliant_scene *scene, pli_scene_call *call);

/* scene_queries.c: checks the options of a query; NULL: the defaults. */
pliant_result pli_scene_options_check(const pliant_scene_options *options,
                                      pliant_recorded_question query);

/* blocks.c: collects lists of what the workers found about scene->pair_count pairs, in two stages,
   as `how` says (lists, columns and conversion). */
pliant_result pli_scene_list_results(pliant_scene *scene, pli_collecting how, pli_collection *c);
pliant_result pli_scene_sort_results(pliant_scene *scene, pli_collecting how, pli_collection *c);

/* blocks.c: marks the parts whose budget was spent as not complete. Pairs whose budget was spent
   before a result was found are listed; *complete is false if there is one of either. */
pliant_result pli_scene_mark_over_budget(pliant_scene *scene, pli_collection *c, bool *complete);

/* scene_queries.c: a pair of members, as results name it. */
pliant_scene_pair pli_scene_name_pair(const pliant_scene *scene, uint64_t pair);

/* The pair of members that an event is about. */
static inline uint64_t pli_scene_pair_key(pliant_body_id a, pliant_body_id b)
{
    return (uint64_t)a.index << 32 | b.index;
}

/*
 * events.c: finds the events of a call, in which the pairs of `touching` touch and the first
 * `decided` of scene->pairs were compared, in `new_events`. Once the call has succeeded they become
 * the scene's events.
 */
pliant_result pli_scene_find_events(pliant_scene *scene, uint32_t decided);
void pli_scene_keep_events(pliant_scene *scene);

#endif
