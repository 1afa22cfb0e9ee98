/* Which clips are looked at, and at which moments of them. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* glTF keeps times in float32: what is meant as frame 76 may be 75.99999. */
#define FRAME_TOLERANCE 1e-4

/* Steps of keys outside of this are not those of frames. */
#define SHORTEST_STEP (1.0 / 120.0)
#define LONGEST_STEP  (1.0 / 10.0)
#define USUAL_RATE    30.0

double check_own_rate(const pliant_asset_clip *clip)
{
    bool usable = clip->key_step >= SHORTEST_STEP * (1.0 - 1e-3) &&
                  clip->key_step <= LONGEST_STEP * (1.0 + 1e-3);
    double rate = usable ? 1.0 / clip->key_step : USUAL_RATE, whole = floor(rate + 0.5);
    return fabs(rate - whole) < 1e-3 * whole ? whole : rate;
}

double check_clip_rate(const check *state, uint32_t clip)
{
    return clip == PLIANT_ASSET_REST || state->settings.rate > 0.0
               ? fmax(state->settings.rate, 0.0)
               : check_own_rate(pliant_asset_get_clip(state->asset, clip));
}

/* A clip that ends between two frames has one more, its last pose. */
double check_clip_frames(const check *state, uint32_t clip)
{
    if (clip == PLIANT_ASSET_REST) {
        return 1.0;
    }
    const pliant_asset_clip *described = pliant_asset_get_clip(state->asset, clip);
    if (described->frame_count > 0) {
        return described->frame_count;
    }
    double length = described->duration * check_clip_rate(state, clip);
    double whole = floor(length + FRAME_TOLERANCE);
    return length - whole > FRAME_TOLERANCE ? whole + 2.0 : whole + 1.0;
}

double check_frame_time(const check *state, uint32_t clip, uint32_t frame)
{
    if (clip == PLIANT_ASSET_REST) {
        return 0.0;
    }
    /* The frames of an MDD cache have times of their own: sampled evenly over its length. */
    const pliant_asset_clip *described = pliant_asset_get_clip(state->asset, clip);
    if (described->frame_count > 1) {
        return described->duration * frame / (described->frame_count - 1);
    }
    double time = frame / check_clip_rate(state, clip);
    return described->frame_count == 0 && time > described->duration ? described->duration : time;
}

uint32_t check_frame_number(const check *state, uint32_t clip, uint32_t frame)
{
    const pliant_asset_clip *described =
        clip != PLIANT_ASSET_REST ? pliant_asset_get_clip(state->asset, clip) : NULL;
    const uint64_t *numbers = described != NULL ? described->frame_numbers : NULL;
    bool usable = numbers != NULL && numbers[described->frame_count - 1] < CHECK_NONE;
    return usable ? (uint32_t)numbers[frame] : frame;
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

/* How many poses are looked at from one frame to the next. */
static uint32_t count_poses(const check *state, uint32_t clip)
{
    bool any = clip != PLIANT_ASSET_REST && state->settings.steps == 0 &&
               pliant_asset_get_clip(state->asset, clip)->frame_count == 0;
    return any ? state->settings.between + 1 : 1;
}

/* Leaves the frames whose numbers the settings include. */
static void narrow_frames(const check *state, uint32_t clip, uint32_t *first, uint32_t *end)
{
    const check_settings *settings = &state->settings;
    uint32_t low = *first, high = *end; /* numbers grow from frame to frame */
    while (settings->has_first && low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = check_frame_number(state, clip, middle) < settings->first;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    *first = low;
    high = *end;
    while (settings->has_last && low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool after = check_frame_number(state, clip, middle) > settings->last;
        low = after ? low : middle + 1;
        high = after ? middle : high;
    }
    *end = high;
}

static check_result add_clip(check *state, uint32_t index, const char *name)
{
    double frames = check_clip_frames(state, index);
    uint32_t first = 0, end = frames < CHECK_NONE ? (uint32_t)frames : CHECK_NONE;
    narrow_frames(state, index, &first, &end);
    uint64_t poses = count_poses(state, index),
             wanted = end > first ? (uint64_t)(end - first - 1) * poses + 1 : 0;
    if (wanted > CHECK_MOST_FRAMES - state->frame_count) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "clip '%s' has %.0f frames at %g a second, and at most %d are looked at "
                          "in all clips together; --frames, --clip and a lower --fps take fewer",
                          name, frames, check_clip_rate(state, index), CHECK_MOST_FRAMES);
    }
    uint32_t count = (uint32_t)wanted;
    char *clean = grow_lists(state, count) ? check_clean_text(name) : NULL;
    if (clean == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = first + (uint32_t)(i / poses);
        double time = check_frame_time(state, index, frame);
        if (i % poses > 0) {
            double next = check_frame_time(state, index, frame + 1);
            time += (next - time) * (double)(i % poses) / (double)poses;
        }
        state->frames[state->frame_count + i] =
            (check_frame){.clip = state->clip_count,
                          .number = check_frame_number(state, index, frame),
                          .time = time};
    }
    state->clips[state->clip_count++] = (check_clip){.name = clean,
                                                     .index = index,
                                                     .first = state->frame_count,
                                                     .count = count,
                                                     .reference = CHECK_NONE};
    state->frame_count += count;
    return CHECK_DONE;
}

/* Clips that nobody asked for by a name that fits none: what was meant may be a longer name. */
static check_result fail_clip(check *state, const char *item, uint32_t count)
{
    const char *meant = NULL;
    for (uint32_t i = 0; meant == NULL && i < count; i++) {
        const char *name = pliant_asset_get_clip(state->asset, i)->name;
        meant = check_is_alike(item, name) ? name : NULL;
    }
    return count == 0      ? check_fail(state, CHECK_BAD_INPUT,
                                        "there is no clip '%s': nothing moves in it", item)
           : meant != NULL ? check_fail(state, CHECK_BAD_INPUT,
                                        "there is no clip '%s'; did you mean '%s'?", item, meant)
                           : check_fail(state, CHECK_BAD_INPUT,
                                        "there is no clip '%s'; pliant info lists them", item);
}

/* Every item of --clip must be the name of a clip. */
static check_result check_items(check *state, uint32_t count)
{
    const char *list = state->settings.clips;
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        const char *name = pliant_asset_get_clip(state->asset, i)->name;
        list = strcmp(list, name) == 0 ? NULL : list; /* a name with commas in it */
    }
    while (status == CHECK_DONE && list != NULL && !check_allows(state, "unused")) {
        char item[CHECK_ITEM];
        list = check_next_item(list, item);
        bool found = *item == '\0';
        for (uint32_t i = 0; !found && i < count; i++) {
            found = check_list_has(item, pliant_asset_get_clip(state->asset, i)->name);
        }
        status = found ? CHECK_DONE : fail_clip(state, item, count);
    }
    return status;
}

check_result check_make_clips(check *state)
{
    const check_settings *settings = &state->settings;
    uint32_t count = pliant_asset_get_counts(state->asset).clips;
    check_result status = check_items(state, count);
    for (uint32_t i = 0; status == CHECK_DONE && i < count; i++) {
        const char *name = pliant_asset_get_clip(state->asset, i)->name;
        if (settings->clips == NULL || check_list_has(settings->clips, name)) {
            status = add_clip(state, i, name);
        }
    }
    if (status == CHECK_DONE && settings->clips != NULL && state->clip_count == 0) {
        return fail_clip(state, settings->clips, count);
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
