/* Which clips are looked at, and at which moments of them. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MOST_FRAMES 10000000

/* glTF keeps times in float32: what is meant as frame 76 may be 75.99999. */
#define FRAME_TOLERANCE 1e-4

double check_clip_frames(const check *state, uint32_t clip)
{
    if (clip == PLIANT_ASSET_REST) {
        return 1.0;
    }
    const pliant_asset_clip *described = pliant_asset_get_clip(state->asset, clip);
    return described->frame_count > 0
               ? described->frame_count
               : floor(described->duration * state->settings.rate + FRAME_TOLERANCE) + 1.0;
}

double check_frame_time(const check *state, uint32_t clip, uint32_t frame)
{
    if (clip == PLIANT_ASSET_REST) {
        return 0.0;
    }
    /* The frames of an MDD cache have times of their own: sampled evenly over its length. */
    const pliant_asset_clip *described = pliant_asset_get_clip(state->asset, clip);
    return described->frame_count > 1 ? described->duration * frame / (described->frame_count - 1)
                                      : frame / state->settings.rate;
}

/* Makes room for one more clip and `count` more frames. */
static bool grow_lists(check *state, uint32_t count)
{
    size_t clips = (size_t)state->clip_count + 1;
    size_t frames = (size_t)state->frame_count + count + 1;
    check_clip *grown_clips = realloc(state->clips, clips * sizeof *grown_clips);
    if (grown_clips == NULL) {
        return false;
    }
    state->clips = grown_clips;
    check_frame *grown_frames = realloc(state->frames, frames * sizeof *grown_frames);
    if (grown_frames == NULL) {
        return false;
    }
    state->frames = grown_frames;
    return true;
}

static check_result add_clip(check *state, uint32_t index, const char *name)
{
    const check_settings *settings = &state->settings;
    double frames = check_clip_frames(state, index);
    if (!(frames <= MOST_FRAMES)) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "clip '%s' has %.0f frames at %g a second; at most %d are looked at",
                          name, frames, settings->rate, MOST_FRAMES);
    }
    uint32_t first = settings->has_first ? settings->first : 0;
    uint32_t end = (uint32_t)frames;
    if (settings->has_last && settings->last < end) {
        end = settings->last + 1;
    }
    uint32_t count = end > first ? end - first : 0;
    if (count > MOST_FRAMES - state->frame_count) {
        return check_fail(state, CHECK_BAD_INPUT, "all clips together have more than %d frames",
                          MOST_FRAMES);
    }
    char *clean = grow_lists(state, count) ? check_clean_text(name) : NULL;
    if (clean == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        state->frames[state->frame_count + i] =
            (check_frame){.clip = state->clip_count,
                          .number = first + i,
                          .time = check_frame_time(state, index, first + i)};
    }
    state->clips[state->clip_count++] = (check_clip){.name = clean,
                                                     .index = index,
                                                     .first = state->frame_count,
                                                     .count = count,
                                                     .reference = CHECK_NONE};
    state->frame_count += count;
    return CHECK_DONE;
}

check_result check_make_clips(check *state)
{
    const check_settings *settings = &state->settings;
    uint32_t count = pliant_asset_get_counts(state->asset).clips;
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < count; i++) {
        const char *name = pliant_asset_get_clip(state->asset, i)->name;
        if (settings->clips == NULL || check_list_has(settings->clips, name)) {
            status = add_clip(state, i, name);
        }
    }
    if (status == CHECK_DONE && settings->clips != NULL && state->clip_count == 0) {
        return check_fail(state, CHECK_BAD_INPUT,
                          count == 0 ? "there is no clip '%s': nothing moves in it"
                                     : "there is no clip '%s'; pliant info lists them",
                          settings->clips);
    }
    if (status == CHECK_DONE && count == 0) {
        status = add_clip(state, PLIANT_ASSET_REST, "rest");
    }
    if (status == CHECK_DONE && state->frame_count == 0) {
        return check_fail(state, CHECK_BAD_INPUT, "no clip has frames from %" PRIu32 " on",
                          settings->first);
    }
    return status;
}
