/*
 * Advances all bodies of a scene along their ways as far as nothing meets: the search of
 * query/advance.c, with the scene's own question about the ways that it tries.
 */
#include "scene_contacts.h"

#include "base/float_env.h"

typedef struct scene_asking {
    pliant_scene *scene;
    const pliant_scene_options *options;
} scene_asking;

static pliant_result find_least(const pli_journey *a, pliant_advance *least)
{
    const scene_asking *how = a->asking;
    const pli_host *host = &how->scene->host;
    pliant_scene_free_time found;
    pliant_result result = pli_scene_find_free_time(how->scene, how->options, a, &found);
    if (result == PLIANT_OK && (host->bodies_doomed || host->use.doomed)) {
        result = PLIANT_ERROR_STATE; /* by the filter; the sentence follows when the call ends */
    }
    if (result == PLIANT_OK) {
        *least = (pliant_advance){found.path.time, found.a.index, found.b.index, found.path};
    }
    return result;
}

static PLI_NOINLINE pliant_result advance_bodies(pliant_scene *scene,
                                                 const pliant_scene_options *options,
                                                 pliant_scene_advance *advance)
{
    if (!PLI_RESERVE(scene->context, &scene->advanced, scene->slot_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        scene->advanced.data[i] = scene->members.data[i].body;
    }
    const scene_asking how = {scene, options};
    pli_journey a = {.worker = &scene->workers[0],
                     .bodies = scene->advanced.data,
                     .count = scene->slot_count,
                     .of_scene = true,
                     .call = "pliant_scene_advance_bodies",
                     .find_least = find_least,
                     .asking = &how};
    pliant_advance found;
    pliant_result result = pli_advance_bodies(&a, &found);
    if (result != PLIANT_OK) {
        return result;
    }
    *advance = (pliant_scene_advance){.time = found.time, .path = {.path = found.path}};
    if (found.path.meeting.kind != PLIANT_MEETING_NONE) {
        pliant_scene_pair named = pli_scene_name_pair(scene, (uint64_t)found.a << 32 | found.b);
        advance->path.a = named.a;
        advance->path.b = named.b;
        advance->path.user_a = named.user_a;
        advance->path.user_b = named.user_b;
    }
    return PLIANT_OK;
}

pliant_result pliant_scene_advance_bodies(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_advance *advance)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    options = options != NULL ? options : &defaults;
    PLI_REQUIRE(scene);
    PLI_REQUIRE(advance);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_FREE_TIME);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_advance found;
    pli_recording *recording = scene->recording;
    scene->recording = NULL; /* which takes down questions, not what the filter says here */
    pli_float_env env = pli_float_env_enter();
    result = advance_bodies(scene, options, &found);
    scene->recording = recording;
    result = pli_scene_end_call(scene, result);
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *advance = found;
    }
    return result;
}
