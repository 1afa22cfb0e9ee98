/* The inside of a scene. */
#ifndef PLI_SCENE_SCENE_H
#define PLI_SCENE_SCENE_H

#include "pliant/scene.h"

#include "broad/broad.h"
#include "query/collision.h"
#include "query/proxies.h"

/* One worker's room in one body, and what it refreshed there. */
typedef struct pli_worker_room {
    pli_room room;
    pli_refresh_counts counts;
} pli_worker_room;

typedef struct pli_member {
    pliant_body *body; /* NULL in a free slot */
    uint32_t generation;
    uint64_t box_state;  /* the body's state that this box is of */
    uint64_t room_state; /* the body's state that the rooms are of */
    pliant_member_def def;
    pli_worker_room *rooms; /* one per worker; NULL with one worker */
} pli_member;

/* Two members to be compared, or one with itself. */
typedef struct pli_body_pair {
    uint32_t a, b;
    uint64_t first, count; /* of the results */
} pli_body_pair;

/* A piece of narrow-phase work: one task of one pair, or (task NULL) all of it. */
typedef struct pli_piece {
    uint32_t pair;
    bool whole;
    pli_task task;
} pli_piece;

/* Keys that a worker found for a pair, one after the other. */
typedef struct pli_key_run {
    uint32_t pair;
    uint64_t first, count;
} pli_key_run;

/* What one worker holds. */
typedef struct pli_scene_worker {
    pliant_query *query;
    pli_key_run *runs;
    size_t run_count, run_room;
    uint32_t failed_at; /* the lowest piece that failed here; UINT32_MAX: none */
    pliant_result result;
    char message[160];
} pli_scene_worker;

struct pliant_scene {
    pliant_context *context;
    pli_broad *broad;
    pli_member *members;
    size_t member_room;
    uint32_t slot_count;   /* slots ever used */
    uint32_t member_count; /* bodies in them */
    uint32_t lowest_free;  /* no slot below is free */
    pliant_scene_stats stats;
    uint32_t worker_count;
    pli_scene_worker *workers;
    /* Scratch of pliant_scene_collide(), and its answer. */
    uint32_t *slots; /* members to prepare */
    size_t slot_list_count, slot_list_room;
    uint64_t *pair_keys, *pair_key_scratch;
    size_t pair_key_count, pair_key_room, pair_key_scratch_room;
    pli_body_pair *pairs;
    size_t pair_room;
    uint32_t pair_count;
    pli_piece *pieces;
    size_t piece_count, piece_room;
    uint64_t *keys, *key_scratch;
    size_t key_room, key_scratch_room;
    pliant_scene_pair *answer;
    size_t answer_room;
    /* Answers to the other questions. */
    uint32_t *triangles;
    size_t triangle_room;
    pliant_scene_range *ranges;
    size_t range_room;
    pliant_proximity *proximities;
    size_t proximity_room;
    pliant_proxy_contact *proxies;
    size_t proxy_room;
};

/* scene_collide.c: the stages that all kinds of collisions have in common. Starts over: bounds,
   broad phase, filters; scene->pairs is then the work. */
pliant_result pli_scene_find_work(pliant_scene *scene, const pliant_scene_options *options);

/* This worker's room in a member's body; NULL with one worker. pli_scene_open_rooms() comes before,
   on the calling thread, for both members of every pair. */
pli_room *pli_scene_room(const pliant_scene *scene, uint32_t slot, uint32_t worker);
void pli_scene_open_rooms(pliant_scene *scene, const pli_body_pair *pair);

/* Runs the narrow phase and adds up what it refreshed in the bodies. */
void pli_scene_run_narrow(pliant_scene *scene, pliant_task task, void *argument, uint32_t count);

/* Remembers that a worker's results from `first` on belong to a pair. */
pliant_result pli_scene_note_run(pli_scene_worker *worker, uint32_t pair, uint64_t first,
                                 uint64_t count);

/* Counts the results of every pair, and says where they will be. Returns how many there are. */
uint64_t pli_scene_place_pairs(pliant_scene *scene);

/* The pairs that have results, in scene->answer; *touching is their number. */
pliant_result pli_scene_list_answer(pliant_scene *scene, uint32_t *touching);

/* Completes the statistics of a narrow phase that began and ended at these times. */
void pli_scene_end_stats(pliant_scene *scene, uint64_t total, double began, double ended);

/* A failure on a worker is kept with the number of its piece, since the lowest one is reported. */
void pli_scene_note_failure(pli_scene_worker *worker, uint32_t piece, pliant_result result);
void pli_scene_forget_failures(pliant_scene *scene);

/* The worker with the lowest failed piece, or NULL. */
const pli_scene_worker *pli_scene_first_failure(const pliant_scene *scene);

/* Lists the pairs of members to be compared, by broad phase and filters, in scene->pairs. */
pliant_result pli_scene_find_pairs(pliant_scene *scene, const pliant_scene_options *options);

/* Prepares bodies with loose boxes that take part in a pair after all. */
pliant_result pli_scene_update_loose_bodies(pliant_scene *scene);

/* Brings the bounds of all bodies without a loose box up to date, and tells the broad phase. */
pliant_result pli_scene_update_boxes(pliant_scene *scene);

/* The box of a body that has been prepared. */
pliant_box pli_scene_body_box(const pliant_body *body);

/* Fails unless a prepared body lies inside its loose box, if it has one. */
pliant_result pli_scene_check_loose_box(const pliant_scene *scene, uint32_t slot);

/* Whether category, mask and filter let two members be compared. */
bool pli_scene_may_touch(const pliant_scene *scene, const pliant_scene_options *options, uint32_t a,
                         uint32_t b);

/* Checks options; NULL stands for the defaults. */
pliant_result pli_scene_options_check(const pliant_scene_options *options);

/* The member an id names, or NULL with the error set. */
pli_member *pli_scene_member(const pliant_scene *scene, pliant_body_id id);

#endif
