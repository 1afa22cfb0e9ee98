#include "check.h"

#include "accepted.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

check_settings check_default_settings(void)
{
    return (check_settings){
        .threads = 1, .near = {2.0, true}, .min_depth = {CHECK_MIN_DEPTH_PERCENT, true}};
}

check_result check_fail(check *state, check_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->error, sizeof state->error, format, arguments);
    va_end(arguments);
    return result;
}

check_result check_fail_library(check *state, pliant_result result)
{
    bool ours = result == PLIANT_ERROR_OUT_OF_MEMORY || result == PLIANT_ERROR_STATE;
    return check_fail(state, ours ? CHECK_FAILED : CHECK_BAD_INPUT, "%s", pliant_last_error());
}

const char *check_error(const check *state, check_result result)
{
    return result == CHECK_NO_MEMORY ? "not enough memory" : state->error;
}

check_result check_note(check *state, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **grown =
        (char **)realloc((void *)state->notes, ((size_t)state->note_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return CHECK_NO_MEMORY;
    }
    state->notes = grown;
    grown[state->note_count] = check_clean_text(text);
    return grown[state->note_count++] != NULL ? CHECK_DONE : CHECK_NO_MEMORY;
}

void check_free_found(check_found *found)
{
    free(found->pairs);
    free(found->is_new);
    free(found->regions);
    free(found->sites);
    free(found->depths[0]);
    free(found->depths[1]);
    check_free_contours(&found->contours);
}

void check_free_frame(check_frame *frame)
{
    for (uint32_t i = 0; i < frame->found_count; i++) {
        check_free_found(&frame->found[i]);
    }
    free(frame->found);
    free(frame->hidden);
}

void check_free(check *state)
{
    for (uint32_t i = 0; i < state->frame_count; i++) {
        check_free_frame(&state->frames[i]);
        if (state->passes != NULL) {
            check_free_frame(&state->passes[i]);
        }
    }
    for (uint32_t i = 0; i < state->reference_count; i++) {
        check_free_frame(&state->references[i]);
        if (state->acceptances != NULL) {
            check_free_acceptance(&state->acceptances[i]);
        }
    }
    check_free_acceptance(&state->filed);
    check_free_findings(state);
    for (uint32_t i = 0; i < state->clip_count; i++) {
        free(state->clips[i].name);
        free(state->clips[i].rows);
        free(state->clips[i].pass_rows);
    }
    for (uint32_t i = 0; i < state->part_count; i++) {
        free(state->parts[i].name);
    }
    for (uint32_t i = 0; state->bodies != NULL && i < state->body_count; i++) {
        free(state->bodies[i].parts);
        check_surface_destroy(&state->bodies[i].surface);
    }
    for (uint32_t i = 0; state->shapes != NULL && i < state->shape_count; i++) {
        pliant_shape_destroy(state->shapes[i]);
    }
    for (uint32_t i = 0; i < state->note_count; i++) {
        free(state->notes[i]);
    }
    for (uint32_t i = 0; i < state->ignored_count; i++) {
        free(state->ignored[i]);
    }
    free((void *)state->ignored);
    free(state->frames);
    free(state->passes);
    free(state->references);
    free(state->acceptances);
    free(state->clips);
    free(state->parts);
    free(state->bodies);
    free((void *)state->shapes);
    free((void *)state->notes);
    pliant_asset_destroy(state->asset);
    pliant_context_destroy(state->context);
    pliant_context_destroy(state->asset_context);
}

bool check_has_failed(const check *state)
{
    return state->failing_count > 0;
}

const char *check_split_name(check_split split)
{
    switch (split) {
    case CHECK_SPLIT_NODE:
        return "node";
    case CHECK_SPLIT_PRIMITIVE:
        return "primitive";
    case CHECK_SPLIT_COMPONENT:
        return "component";
    }
    return "";
}

void check_against_text(const check *state, char *text, size_t capacity)
{
    switch (state->settings.against) {
    case CHECK_AGAINST_DEFAULT:
    case CHECK_AGAINST_REST:
        snprintf(text, capacity, "rest");
        break;
    case CHECK_AGAINST_NONE:
        snprintf(text, capacity, "none");
        break;
    case CHECK_AGAINST_FRAME:
        snprintf(text, capacity, "frame:%u", state->settings.against_frame);
        break;
    }
}

static pliant_result create_context(const check_settings *settings, uint32_t workers,
                                    pliant_context **context)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    def.workers = workers;
    return pliant_context_create(&def, context);
}

/*
 * Frames are shared out to threads, each with a scene that has no workers (run.c). Where nothing
 * moves there is one frame, and its scene has them all.
 */
static pliant_result load_asset(check *state)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = state->settings.files;
    def.path_count = state->settings.file_count;
    def.clip_paths = state->settings.clip_files;
    def.clip_path_count = state->settings.clip_file_count;
    def.together = state->settings.together;
    def.frames_per_second = state->settings.rate > 0.0 ? state->settings.rate : 30.0;
    def.repair = state->settings.repair;
    def.scene = state->settings.scene;
    def.files = state->settings.source.read != NULL ? state->settings.source : def.files;
    pliant_result result = create_context(&state->settings, 1, &state->asset_context);
    if (result == PLIANT_OK) {
        result = pliant_asset_load(state->asset_context, &def, &state->asset);
    }
    bool moves = result == PLIANT_OK && pliant_asset_get_counts(state->asset).clips > 0;
    uint32_t workers = moves || state->settings.threads == 0 ? 1 : state->settings.threads;
    return result == PLIANT_OK ? create_context(&state->settings, workers, &state->context)
                               : result;
}

/* Characters that were meant to be checked one by one, given as if they stood in one world. Files
   without triangles only bring clips. */
static check_result note_batch(check *state)
{
    int count = 0;
    for (uint32_t i = 0; i < pliant_asset_get_counts(state->asset).notes; i++) {
        const char *note = pliant_asset_get_note(state->asset, i);
        count -= strstr(note, ": its scene has no triangles") != NULL ? 1 : 0;
    }
    for (uint32_t i = 0; i < state->settings.file_count; i++) {
        const char *dot = strrchr(state->settings.files[i], '.');
        count += dot != NULL && (strcasecmp(dot, ".glb") == 0 || strcasecmp(dot, ".gltf") == 0);
    }
    return count < 2 ? CHECK_DONE
                     : check_note(state,
                                  "%d glTF files stand side by side in one world and are compared "
                                  "with each other; --each checks each by itself",
                                  count);
}

static check_result load(check *state)
{
    pliant_result result = load_asset(state);
    if (result != PLIANT_OK) {
        return check_fail_library(state, result);
    }
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < pliant_asset_get_counts(state->asset).notes;
         i++) {
        status = check_note(state, "%s", pliant_asset_get_note(state->asset, i));
    }
    status = status == CHECK_DONE ? note_batch(state) : status;
    if (state->settings.against == CHECK_AGAINST_DEFAULT) {
        bool moves = pliant_asset_get_counts(state->asset).clips > 0;
        state->settings.against = moves ? CHECK_AGAINST_REST : CHECK_AGAINST_NONE;
    }
    return status;
}

/* The rest pose of a sequence is nothing but its first frame, which may be as wrong as the others.
 */
static check_result note_first_frame(check *state)
{
    const check_frame *frame = state->references;
    const check_found *deepest = NULL;
    if (state->settings.against != CHECK_AGAINST_REST || state->reference_count == 0 ||
        state->clips[0].index == PLIANT_ASSET_REST ||
        pliant_asset_get_clip(state->asset, state->clips[0].index)->frame_count == 0) {
        return CHECK_DONE;
    }
    for (uint32_t i = 0; i < frame->found_count; i++) {
        const check_found *found = &frame->found[i];
        double least = check_limit_depth(state, state->settings.min_depth, found->a, found->b);
        if (found->depth > least && (deepest == NULL || found->depth > deepest->depth)) {
            deepest = found;
        }
    }
    return deepest == NULL
               ? CHECK_DONE
               : check_note(state,
                            "the reference is the first frame, or the mesh of a cache: contacts in "
                            "it are known, up to %.3g deep between '%s' and '%s'; --against none "
                            "reports them",
                            deepest->depth, state->parts[deepest->a].name,
                            state->parts[deepest->b].name);
}

check_result check_fill(check *state)
{
    check_result status = load(state);
    state->settings.keep_sites = state->settings.keep_sites || state->settings.reference != NULL;
    status = status == CHECK_DONE ? check_make_parts(state) : status;
    status = status == CHECK_DONE ? check_doubt_settings(state) : status;
    status = status == CHECK_DONE ? check_make_clips(state) : status;
    status = status == CHECK_DONE ? check_doubt_clips(state) : status;
    if (status == CHECK_DONE && state->settings.reference != NULL) {
        status = check_read_reference(state);
    }
    status = status == CHECK_DONE ? check_all_frames(state) : status;
    status = status == CHECK_DONE ? note_first_frame(state) : status;
    return status == CHECK_DONE ? check_sum_up(state) : status;
}
