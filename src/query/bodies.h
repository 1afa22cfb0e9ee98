/*
 * Queries about the bodies of a scene, one side of which is a ray, a point or a box: which bodies
 * take part, how several workers find and read them, and their scratch.
 */
#ifndef PLI_QUERY_BODIES_H
#define PLI_QUERY_BODIES_H

#include "pliant/scene_query.h"

#include "base/thread.h"
#include "query/descend.h"
#include "broad/broad.h"

/* What one worker holds. */
typedef struct pli_asking_worker {
    PLI_ARRAY(pliant_scene_ray_hit) hits; /* all hits of its rays, one after the other */
    pli_broad_walk walk;
} pli_asking_worker;

void pli_asking_release(pliant_context *context, pli_asking_worker *asking);

/* What a worker found for one piece of a question: its results from `first` on. */
typedef struct pli_found_piece {
    uint32_t worker;
    uint64_t first, count;
} pli_found_piece;

enum { PLI_QUESTION_ARRAYS = 9 };

/* Answers, and scratch that all workers share. */
typedef struct pli_question_arrays {
    union {
        struct {
            PLI_ARRAY(bool) admitted; /* by slot, what a filter said */
            PLI_ARRAY(pli_found_piece) pieces;
            PLI_ARRAY(bool) blocked;
            PLI_ARRAY(pliant_scene_ray_hit) hits;
            pli_keys hit_starts;
            PLI_ARRAY(pliant_scene_signed_distance) distances;
            PLI_ARRAY(pliant_scene_closest) closest;
            pli_indices endless; /* slots */
            PLI_ARRAY(pliant_scene_range) ranges;
        };
        pli_array arrays[PLI_QUESTION_ARRAYS];
    };
} pli_question_arrays;

PLI_CHECK_ARRAYS(pli_question_arrays);

typedef struct pli_scene_question {
    pliant_scene *scene;
    const pliant_scene_select *select; /* NULL: everybody takes part */
    double began, updated;
    pli_lock lock; /* of bodies with loose boxes until they have been read */
} pli_scene_question;

/* Checks a selection; NULL stands for everybody. */
pliant_result pli_select_check(const pliant_scene_select *select);

/* Begins a question within a call of the scene: filters, bounds, the tree over the bodies. It ends
   with statistics, `found` answers among them, whether or not it failed. */
pliant_result pli_question_begin(pli_scene_question *q, pliant_scene *scene,
                                 const pliant_scene_select *select);
void pli_question_end(pli_scene_question *q, uint64_t found);

/* Whether a body takes part; by its slot. */
bool pli_question_takes(const pli_scene_question *q, uint32_t slot);

/* A worker's run about a body begins: the body is prepared, and records are made in the worker's
   arena. */
pliant_result pli_question_enter(pli_scene_question *q, uint32_t slot, uint32_t worker,
                                 pli_run *run);

/* It ends as `result` says, which is returned; the sentence of a failure names the body. */
pliant_result pli_question_leave(pli_scene_question *q, uint32_t slot, uint32_t worker,
                                 const pli_run *run, pliant_result result);

/* Runs `count` pieces on the workers, which note failures by the piece; the lowest is returned. */
pliant_result pli_question_run(pli_scene_question *q, pliant_task task, void *argument,
                               uint64_t count);

/* The user pointer of a slot's body. */
void *pli_question_user(const pliant_scene *scene, uint32_t slot);

#endif
