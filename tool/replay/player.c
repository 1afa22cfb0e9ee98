#include "player.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool replay_fail(replay_player *player, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(player->error, 320, format, arguments);
    va_end(arguments);
    return false;
}

bool replay_fail_call(replay_player *player, pliant_result result, const char *what)
{
    player->out_of_memory = result == PLIANT_ERROR_OUT_OF_MEMORY;
    return replay_fail(player, "%s: %s", what,
                       player->out_of_memory ? "out of memory" : pliant_last_error());
}

bool replay_reserve(replay_player *player, void *array, uint64_t *capacity, uint64_t count,
                    size_t element_size)
{
    void *memory = NULL;
    memcpy(&memory, array, sizeof memory);
    if (count <= *capacity && memory != NULL) {
        return true;
    }
    uint64_t wanted = count > 2 * *capacity ? count : 2 * *capacity;
    wanted = wanted > 0 ? wanted : 1;
    memory =
        wanted <= SIZE_MAX / element_size ? realloc(memory, (size_t)wanted * element_size) : NULL;
    if (memory == NULL) {
        return replay_fail_call(player, PLIANT_ERROR_OUT_OF_MEMORY, "replay");
    }
    memcpy(array, &memory, sizeof memory);
    *capacity = wanted;
    return true;
}

/* Keeps the last bytes of the player's own recording. */
static bool keep_last(void *user, const void *bytes, uint64_t size)
{
    replay_player *player = user;
    const uint64_t most = sizeof player->last;
    if (size >= most) {
        memcpy(player->last, (const uint8_t *)bytes + size - most, (size_t)most);
        player->last_size = most;
        return true;
    }
    uint64_t kept = most - size < player->last_size ? most - size : player->last_size;
    memmove(player->last, player->last + player->last_size - kept, (size_t)kept);
    memcpy(player->last + kept, bytes, (size_t)size);
    player->last_size = kept + size;
    return true;
}

/* A body that only keeps a slot taken is one triangle. */
static pliant_result create_stand_in(replay_player *player)
{
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    return pliant_shape_create(player->context, &def, &player->stand_in);
}

bool replay_begin(replay_player *player, replay_fields *fields, const replay_settings *settings,
                  replay_summary *summary)
{
    pliant_context_def context_def = pliant_context_def_default();
    pliant_scene_def scene_def = pliant_scene_def_default();
    pliant_recording_options recording = pliant_recording_options_default();
    context_def.workers = settings->threads;
    context_def.isa = settings->isa;
    recording.write = keep_last;
    recording.write_user = player;
    scene_def.broad = (pliant_broad)replay_take_32(fields);
    summary->recorded_threads = replay_take_32(fields);
    uint32_t isa = replay_take_32(fields);
    summary->recorded_isa = isa <= PLIANT_ISA_AVX512 ? (pliant_isa)isa : PLIANT_ISA_BEST;
    summary->recorded_version = replay_take_32(fields);
    pliant_result result = pliant_context_create(&context_def, &player->context);
    result = result == PLIANT_OK ? pliant_scene_create(player->context, &scene_def, &player->scene)
                                 : result;
    result = result == PLIANT_OK ? pliant_scene_record(player->scene, &recording) : result;
    result = result == PLIANT_OK ? create_stand_in(player) : result;
    return result == PLIANT_OK || replay_fail_call(player, result, "a scene");
}

void replay_end(replay_player *player)
{
    pliant_volume_destroy(player->volume);
    replay_drop_members(player);
    pliant_scene_destroy(player->scene);
    for (uint32_t i = 0; i < player->shape_count; i++) {
        pliant_shape_destroy(player->shapes[i]);
    }
    pliant_shape_destroy(player->stand_in);
    pliant_context_destroy(player->context);
    free(player->shapes);
    free(player->members);
    free(player->numbers);
    free(player->items);
    free(player->results);
    free(player->filters);
}
