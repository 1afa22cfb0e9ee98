/* The queries of a recording: reads their arguments, and calls them on the player's scene. The
   calls are generated. */
#include "player.h"

#include <string.h>

/* Returns the recorded decision of the filter about two slots, or about one. */
static bool filter(replay_player *player, uint64_t wanted)
{
    const uint64_t passes = (uint64_t)1 << 63;
    while (player->filter_at < player->filter_count &&
           (player->filters[player->filter_at] & ~passes) < wanted) {
        player->filter_at++;
    }
    /* A pair without a decision did not touch then, and does not touch now. */
    return player->filter_at == player->filter_count ||
           (player->filters[player->filter_at] & ~passes) != wanted ||
           player->filters[player->filter_at] & passes;
}

static bool filter_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    return filter(user, (uint64_t)a.index << 32 | b.index);
}

static bool filter_body(void *user, pliant_body_id body)
{
    return filter(user, (uint64_t)body.index << 32 | body.index);
}

/* ------------------------------------------------- arguments, for the generated calls */

/* Copies an array whose number of elements, in *count, comes before it; NULL if it is not all there
   or memory runs out. */
static void *replay_take_items(replay_player *player, replay_fields *fields, size_t size,
                               uint64_t *count)
{
    *count = replay_take_64(fields);
    fields->failed = fields->failed || *count > fields->left / size;
    if (fields->failed ||
        !replay_reserve(player, &player->items, &player->item_capacity, *count * size, 1)) {
        return NULL;
    }
    replay_take(fields, player->items, *count * size);
    return player->items;
}

/* Returns memory for an array of results; NULL if memory runs out. */
static void *replay_room(replay_player *player, const replay_fields *fields, uint64_t count,
                         size_t size)
{
    bool there =
        !fields->failed && count <= UINT64_MAX / size &&
        replay_reserve(player, &player->results, &player->result_capacity, count * size, 1);
    return there ? player->results : NULL;
}

static pliant_volume *replay_volume(replay_player *player)
{
    if (player->volume == NULL) {
        pliant_result result = pliant_volume_create(player->context, NULL, &player->volume);
        (void)(result == PLIANT_OK || replay_fail_call(player, result, "a volume"));
    }
    return player->volume;
}

/* Returns true if all arguments were there, and nothing else. */
static bool replay_is_ready(const replay_player *player, const replay_fields *fields)
{
    return !fields->failed && fields->left == 0 && !player->out_of_memory;
}

#include "queries.inl"

/* ------------------------------------------------------------------------- the query */

const replay_query *replay_find_query(replay_fields fields)
{
    uint32_t number = replay_take_32(&fields);
    bool known = number < sizeof queries / sizeof queries[0] && queries[number].name != NULL;
    return known ? &queries[number] : NULL;
}

bool replay_run_query(replay_player *player, replay_fields *fields)
{
    const replay_query *query = replay_find_query(*fields);
    uint32_t number = replay_take_32(fields), signature = replay_take_32(fields);
    if (query == NULL) {
        return replay_fail(player, "unknown query %u", number);
    }
    if (signature != query->signature) {
        return replay_fail(player,
                           "the query '%s' was recorded with other fields than this version has; "
                           "replay it with the version that recorded it",
                           query->name);
    }
    player->last_size = player->filter_at = 0;
    pliant_result result = query->call(player, fields);
    if (fields->failed || fields->left > 0) {
        return replay_fail(player, "the query '%s' is too %s", query->name,
                           fields->failed ? "short" : "long");
    }
    if (player->out_of_memory) {
        return false;
    }
    if (!pliant_scene_is_recording(player->scene)) { /* nothing but memory can end it */
        return replay_fail_call(player, PLIANT_ERROR_OUT_OF_MEMORY, query->name);
    }
    /* A query that was rejected has no result in the player's own recording. */
    return player->last_size >= replay_answer_size(query) ||
           replay_fail_call(player, result, query->name);
}
