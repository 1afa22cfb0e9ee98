/* The questions of a recording: reading what was asked, and asking it. One row each in the table at
   the end. */
#include "player.h"

#include <stdlib.h>
#include <string.h>

static bool filter(void *user, pliant_body_id a, pliant_body_id b)
{
    const uint64_t passes = (uint64_t)1 << 63, wanted = (uint64_t)a.index << 32 | b.index;
    replay_player *player = user;
    while (player->filter_at < player->filter_count &&
           (player->filters[player->filter_at] & ~passes) < wanted) {
        player->filter_at++;
    }
    /* Who was not asked about did not meet then, and does not touch now. */
    return player->filter_at == player->filter_count ||
           (player->filters[player->filter_at] & ~passes) != wanted ||
           player->filters[player->filter_at] & passes;
}

static pliant_scene_options take_options(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.mode = (pliant_collide_mode)replay_take_32(fields);
    options.neighbours = (pliant_neighbours)replay_take_32(fields);
    bool filtered = replay_take_32(fields) != 0;
    replay_take_32(fields);
    options.budget_nodes = replay_take_64(fields);
    options.budget_microseconds = replay_take_64(fields);
    options.filter = filtered ? filter : NULL;
    options.filter_user = player;
    return options;
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

static pliant_result ask_raycast(replay_player *player, replay_fields *fields)
{
    uint64_t count = replay_take_64(fields), most = fields->left / sizeof(pliant_ray);
    fields->failed = fields->failed || count > most;
    if (fields->failed ||
        !replay_reserve(player, &player->numbers, &player->number_capacity, 7 * count,
                        sizeof *player->numbers) ||
        !replay_reserve(player, &player->answers, &player->answer_capacity, count,
                        sizeof(pliant_scene_ray_hit))) {
        return PLIANT_ERROR_OUT_OF_MEMORY; /* or too short, which the caller sees */
    }
    replay_take(fields, player->numbers, count * sizeof(pliant_ray));
    return pliant_scene_raycast(player->scene, (const pliant_ray *)(void *)player->numbers, count,
                                player->answers);
}

static pliant_result ask_closest_point(replay_player *player, replay_fields *fields)
{
    float numbers[4];
    replay_take(fields, numbers, sizeof numbers);
    pliant_scene_closest closest;
    return pliant_scene_find_closest_point(player->scene, numbers, numbers[3], &closest);
}

static pliant_result ask_overlap_box(replay_player *player, replay_fields *fields)
{
    pliant_box box;
    replay_take(fields, box.lower, sizeof box.lower);
    replay_take(fields, box.upper, sizeof box.upper);
    pliant_scene_triangles triangles;
    return pliant_scene_overlap_box(player->scene, &box, &triangles);
}

static pliant_result ask_within(replay_player *player, replay_fields *fields)
{
    pliant_scene_options options = take_options(player, fields);
    float distance = 0.0f;
    replay_take(fields, &distance, sizeof distance);
    pliant_scene_proximities proximities;
    return pliant_scene_find_within(player->scene, distance, &options, &proximities);
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

static const struct {
    const char *name;
    pliant_result (*ask)(replay_player *player, replay_fields *fields);
} questions[] = {
    [PLIANT_RECORDED_COLLIDE] = {"collide", ask_collide},
    [PLIANT_RECORDED_COLLIDE_PROXIES] = {"collide proxies", ask_collide_proxies},
    [PLIANT_RECORDED_RAYCAST] = {"raycast", ask_raycast},
    [PLIANT_RECORDED_FIND_CLOSEST_POINT] = {"closest point", ask_closest_point},
    [PLIANT_RECORDED_OVERLAP_BOX] = {"overlap box", ask_overlap_box},
    [PLIANT_RECORDED_FIND_WITHIN] = {"find within", ask_within},
    [PLIANT_RECORDED_INTERSECT_VOLUMES] = {"intersect volumes", ask_volumes},
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
