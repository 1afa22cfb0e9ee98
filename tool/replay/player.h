/*
 * A scene that goes through what a recorded one went through. It is recorded itself: so its answers
 * are summed up by the same code, and comparing is comparing two sums.
 */
#ifndef TOOL_REPLAY_PLAYER_H
#define TOOL_REPLAY_PLAYER_H

#include "file.h"

typedef struct replay_member {
    pliant_body *body; /* NULL: the slot is empty */
    pliant_body_id id;
    bool stands_in;        /* a body that only keeps a slot taken while others are added */
    float *borrowed;       /* positions that the body shares; NULL: none */
    float *start_borrowed; /* the same of its start; they may be the same */
    bool has_world;
    float world[12]; /* its world transform, if it has one */
} replay_member;

typedef struct replay_player replay_player;

/* A query as it was recorded. */
typedef struct replay_query {
    const char *name;
    uint32_t signature;
    const char *const *fields; /* of the result; each has a checksum */
    uint32_t field_count;
    pliant_result (*call)(replay_player *player, replay_fields *fields);
} replay_query;

/* The chunk of a result, which is the last chunk that a recording writes about a query. */
enum {
    REPLAY_MOST_FIELDS = 64,
    REPLAY_MOST_ANSWER = REPLAY_CHUNK_HEAD + sizeof(pliant_recorded_answer) +
                         REPLAY_MOST_FIELDS * sizeof(uint64_t) + REPLAY_CHUNK_TAIL
};

static inline uint64_t replay_answer_size(const replay_query *query)
{
    return REPLAY_CHUNK_HEAD + sizeof(pliant_recorded_answer) +
           query->field_count * sizeof(uint64_t) + REPLAY_CHUNK_TAIL;
}

struct replay_player {
    pliant_context *context;
    pliant_scene *scene;
    pliant_volume *volume;
    pliant_shape **shapes;
    uint32_t shape_count, shape_capacity;
    replay_member *members; /* by slot */
    uint32_t member_count, member_capacity;
    uint32_t added_count, stand_in_count, body_count;
    pliant_shape *stand_in; /* one triangle */
    float *numbers;         /* of a state */
    uint64_t number_capacity;
    void *items, *results; /* arrays of arguments and of results of the current query */
    uint64_t item_capacity, result_capacity; /* bytes of both */
    uint64_t *filters;                       /* decisions of filters in the current query */
    uint64_t filter_count, filter_capacity, filter_at;
    uint8_t last[REPLAY_MOST_ANSWER]; /* the last bytes of this scene's own recording */
    uint64_t last_size;
    bool out_of_memory;
    char *error; /* 320 bytes; "" as long as all is well */
};

/* Writes the sentence and returns false. */
bool replay_fail(replay_player *player, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, with what the library says. */
bool replay_fail_call(replay_player *player, pliant_result result, const char *what);

/* Room for `count` elements in *array; false when there is no memory. */
bool replay_reserve(replay_player *player, void *array, uint64_t *capacity, uint64_t count,
                    size_t element_size);

/* player.c: */
bool replay_begin(replay_player *player, replay_fields *fields, const replay_settings *settings,
                  replay_summary *summary);
void replay_end(replay_player *player);

/* world.c: what chunks between questions say. The last takes away what only kept slots taken. */
bool replay_add_shape(replay_player *player, const replay_fields *fields);
bool replay_remove(replay_player *player, replay_fields *fields);
bool replay_change_member(replay_player *player, replay_fields *fields);
bool replay_set_state(replay_player *player, replay_fields *fields);
bool replay_change_step(replay_player *player, replay_fields *fields);
bool replay_settle(replay_player *player);

/* Takes away all bodies, and the positions that they share. */
void replay_drop_members(replay_player *player);

/* queries.c: the query of a chunk, which begins with its number; NULL: there is no such query. */
const replay_query *replay_find_query(replay_fields fields);

/* Runs the query of a chunk. Its result is at the end of player->last. */
bool replay_run_query(replay_player *player, replay_fields *fields);

#endif
