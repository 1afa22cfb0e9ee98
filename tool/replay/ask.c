/* The questions of a recording: reading what was asked, and asking it. One row each in the table at
   the end. */
#include "player.h"

#include <stdlib.h>
#include <string.h>

/* What the recorded filter said about two slots, or about one. */
static bool filter(replay_player *player, uint64_t wanted)
{
    const uint64_t passes = (uint64_t)1 << 63;
    while (player->filter_at < player->filter_count &&
           (player->filters[player->filter_at] & ~passes) < wanted) {
        player->filter_at++;
    }
    /* Who was not asked about did not meet then, and does not touch now. */
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

static pliant_scene_options take_options(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = (pliant_collide_mode)replay_take_32(fields);
    options.neighbours = (pliant_neighbours)replay_take_32(fields);
    bool filtered = replay_take_32(fields) != 0;
    uint32_t bits = replay_take_32(fields);
    options.first_in_all = bits & PLIANT_ASKS_FIRST_IN_ALL;
    options.only_self = bits & PLIANT_ASKS_ONLY_SELF;
    options.segments = bits & PLIANT_ASKS_SEGMENTS;
    options.separations = bits & PLIANT_ASKS_SEPARATIONS;
    options.events = bits & PLIANT_ASKS_EVENTS;
    options.across_groups = bits & PLIANT_ASKS_ACROSS_GROUPS;
    options.separation_side = (pliant_separation_side)replay_take_32(fields);
    replay_take(fields, &options.distance, sizeof options.distance);
    options.budget_nodes = replay_take_64(fields);
    options.budget_microseconds = replay_take_64(fields);
    options.filter = filtered ? filter_pair : NULL;
    options.filter_user = player;
    return options;
}

/* Who is asked; NULL: everybody. */
static const pliant_scene_select *take_select(replay_player *player, replay_fields *fields,
                                              pliant_scene_select *select)
{
    *select = pliant_scene_select_default();
    bool is_given = replay_take_32(fields) != 0, filtered = replay_take_32(fields) != 0;
    select->category = replay_take_64(fields);
    select->mask = replay_take_64(fields);
    select->filter = filtered ? filter_body : NULL;
    select->filter_user = player;
    return is_given ? select : NULL;
}

/* Room for `count` items of so many floats, which are what is left of the fields, and for so many
   answers; false if they are not there, or there is no memory. */
static bool take_items(replay_player *player, replay_fields *fields, uint64_t count,
                       uint64_t floats, size_t answer_size)
{
    fields->failed = fields->failed || count > fields->left / (floats * sizeof(float));
    if (fields->failed ||
        !replay_reserve(player, &player->numbers, &player->number_capacity, floats * count,
                        sizeof *player->numbers) ||
        !replay_reserve(player, &player->answers, &player->answer_capacity, count * answer_size,
                        1)) {
        return false;
    }
    replay_take(fields, player->numbers, count * floats * sizeof(float));
    return true;
}

static pliant_result ask_collide(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    pliant_scene_contacts contacts;
    return pliant_scene_collide(player->scene, &options, &contacts);
}

static pliant_result ask_collide_proxies(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    pliant_scene_proxy_contacts contacts;
    return pliant_scene_collide_proxies(player->scene, &options, &contacts);
}

/* PLIANT_ERROR_DATA below stands for fields that are too short, which replay_ask() sees. */
static pliant_result ask_raycast(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    uint64_t count = replay_take_64(fields);
    return take_items(player, fields, count, 7, sizeof(pliant_scene_ray_hit))
               ? pliant_scene_raycast(player->scene, (const pliant_ray *)(void *)player->numbers,
                                      count, select, player->answers)
               : PLIANT_ERROR_DATA;
}

static pliant_result ask_raycast_any(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    uint64_t count = replay_take_64(fields);
    return take_items(player, fields, count, 7, sizeof(bool))
               ? pliant_scene_raycast_any(player->scene,
                                          (const pliant_ray *)(void *)player->numbers, count,
                                          select, player->answers)
               : PLIANT_ERROR_DATA;
}

static pliant_result ask_raycast_all(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    uint64_t count = replay_take_64(fields);
    pliant_scene_ray_hits hits;
    return take_items(player, fields, count, 7, 1)
               ? pliant_scene_raycast_all(player->scene,
                                          (const pliant_ray *)(void *)player->numbers, count,
                                          select, &hits)
               : PLIANT_ERROR_DATA;
}

static pliant_result ask_closest_points(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    uint64_t count = replay_take_64(fields);
    float distance = 0.0f;
    replay_take(fields, &distance, sizeof distance);
    replay_take_32(fields);
    return take_items(player, fields, count, 3, sizeof(pliant_scene_closest))
               ? pliant_scene_find_closest_points(player->scene, player->numbers, count, 0,
                                                  distance, select, player->answers)
               : PLIANT_ERROR_DATA;
}

static pliant_result ask_distances(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    pliant_distance_options options = pliant_distance_options_default();
    uint64_t count = replay_take_64(fields);
    replay_take(fields, &options.max_distance, sizeof options.max_distance);
    options.side = (pliant_side_rule)replay_take_32(fields);
    return take_items(player, fields, count, 3, sizeof(pliant_scene_signed_distance))
               ? pliant_scene_measure_distances(player->scene, player->numbers, count, 0, &options,
                                                select, player->answers)
               : PLIANT_ERROR_DATA;
}

static pliant_result ask_overlap_box(replay_player *player, replay_fields *fields)
{
    pliant_scene_select kept;
    const pliant_scene_select *select = take_select(player, fields, &kept);
    pliant_box box;
    replay_take(fields, box.lower, sizeof box.lower);
    replay_take(fields, box.upper, sizeof box.upper);
    pliant_scene_triangles triangles;
    return pliant_scene_overlap_box(player->scene, &box, select, &triangles);
}

static pliant_result ask_within(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    float distance = 0.0f;
    replay_take(fields, &distance, sizeof distance);
    pliant_scene_proximities proximities;
    return pliant_scene_find_within(player->scene, distance, &options, &proximities);
}

static pliant_result ask_features(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    float distance = 0.0f;
    replay_take(fields, &distance, sizeof distance);
    pliant_scene_features features;
    return pliant_scene_find_features(player->scene, distance, &options, &features);
}

static pliant_result ask_volumes(replay_player *player, replay_fields *fields)
{
    pliant_scene_options scene_options = take_options(player, fields);
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = replay_take_32(fields);
    options.max_resolution = replay_take_32(fields);
    uint32_t flags = replay_take_32(fields);
    options.error_bound = flags & 1;
    options.allow_open = flags & 2;
    options.cull = flags & 4;
    replay_take_32(fields);
    replay_take(fields, &options.tolerance, sizeof options.tolerance);
    pliant_result result = PLIANT_OK;
    if (player->volume == NULL) {
        result = pliant_volume_create(player->context, NULL, &player->volume);
    }
    pliant_scene_volumes volumes;
    return result == PLIANT_OK ? pliant_volume_intersect_scene(player->volume, player->scene,
                                                               &scene_options, &options, &volumes)
                               : result;
}

static pliant_result ask_meetings(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    pliant_scene_meetings meetings;
    return pliant_scene_find_meetings(player->scene, &options, &meetings);
}

static pliant_result ask_free_time(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    pliant_scene_free_time found;
    return pliant_scene_find_free_time(player->scene, &options, &found);
}

static const struct {
    const char *name;
    pliant_result (*ask)(replay_player *player, replay_fields *fields);
} questions[] = {
    [PLIANT_RECORDED_COLLIDE] = {"collide", ask_collide},
    [PLIANT_RECORDED_COLLIDE_PROXIES] = {"collide proxies", ask_collide_proxies},
    [PLIANT_RECORDED_FIND_WITHIN] = {"find within", ask_within},
    [PLIANT_RECORDED_FIND_FEATURES] = {"find features", ask_features},
    [PLIANT_RECORDED_INTERSECT_VOLUMES] = {"intersect volumes", ask_volumes},
    [PLIANT_RECORDED_RAYCAST] = {"raycast", ask_raycast},
    [PLIANT_RECORDED_RAYCAST_ANY] = {"raycast any", ask_raycast_any},
    [PLIANT_RECORDED_RAYCAST_ALL] = {"raycast all", ask_raycast_all},
    [PLIANT_RECORDED_FIND_CLOSEST_POINTS] = {"closest points", ask_closest_points},
    [PLIANT_RECORDED_MEASURE_DISTANCES] = {"distances", ask_distances},
    [PLIANT_RECORDED_OVERLAP_BOX] = {"overlap box", ask_overlap_box},
    [PLIANT_RECORDED_FIND_MEETINGS] = {"find meetings", ask_meetings},
    [PLIANT_RECORDED_FIND_FREE_TIME] = {"find free time", ask_free_time},
};
#define QUESTIONS (sizeof questions / sizeof questions[0])

const char *replay_question_name(replay_fields fields)
{
    uint32_t question = replay_take_32(&fields);
    return question < QUESTIONS ? questions[question].name : NULL;
}

bool replay_ask(replay_player *player, replay_fields *fields, const char **name)
{
    *name = replay_question_name(*fields);
    uint32_t question = replay_take_32(fields);
    replay_take_32(fields);
    if (*name == NULL) {
        return replay_fail(player, "there is no question of number %u", question);
    }
    player->last_size = player->filter_at = 0;
    pliant_result result = questions[question].ask(player, fields);
    if (fields->failed) {
        return replay_fail(player, "the question '%s' is too short", *name);
    }
    if (player->out_of_memory) {
        return false;
    }
    /* A question that was refused has no answer in the player's own recording. */
    return player->last_size == REPLAY_ANSWER_SIZE || replay_fail_call(player, result, *name);
}
