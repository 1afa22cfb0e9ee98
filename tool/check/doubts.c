/* What would make an OK say more than was looked at. */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"still", "unused", "missing", "nothing"};

bool check_allows(const check *state, const char *word)
{
    return check_list_has(state->settings.allowed, word);
}

static check_result check_words(check *state)
{
    const char *list = state->settings.allowed;
    while (list != NULL) {
        char item[CHECK_ITEM];
        bool known = false;
        list = check_next_item(list, item);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            known = known || strcmp(item, words[i]) == 0;
        }
        if (!known) {
            return check_fail(state, CHECK_BAD_INPUT,
                              "--allow takes still, unused, missing and nothing, not '%s'", item);
        }
    }
    return CHECK_DONE;
}

/* Whether an item fits a part, ignored or not, a body, or a material. */
static bool fits_name(const check *state, const char *item)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < state->part_count; i++) {
        found = check_list_has(item, state->parts[i].name);
    }
    for (uint32_t i = 0; !found && i < state->ignored_count; i++) {
        found = check_list_has(item, state->ignored[i]);
    }
    for (uint32_t i = 0; !found && i < state->body_count; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(state->asset, i);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, body->shape);
        found = check_list_has(item, body->name);
        for (uint32_t g = 0; !found && g < mesh->group_count; g++) {
            found = check_list_has(item, mesh->group_names[g]);
        }
    }
    return found;
}

static bool fits_part(const check *state, const char *pattern)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < state->part_count; i++) {
        found = strcmp(pattern, state->parts[i].name) == 0 ||
                check_name_fits(pattern, state->parts[i].name);
    }
    return found;
}

/* Whether "A+B" fits two parts, or one twice; any '+' may be the one between them. */
static bool fits_pair(const check *state, const char *item)
{
    char text[CHECK_ITEM];
    bool found = false;
    check_next_item(item, text);
    for (char *plus = strchr(text, '+'); !found && plus != NULL; plus = strchr(plus + 1, '+')) {
        *plus = '\0';
        found = fits_part(state, text) && fits_part(state, plus + 1);
        *plus = '+';
    }
    return found;
}

/* A name that was mistyped, or has changed in the file, should not go unseen. */
static check_result check_ignored(check *state)
{
    const char *list = state->settings.ignored;
    if (list == NULL || check_allows(state, "unused") || fits_name(state, list)) {
        return CHECK_DONE;
    }
    while (list != NULL) {
        char item[CHECK_ITEM];
        list = check_next_item(list, item);
        if (*item != '\0' && !fits_name(state, item) && !fits_pair(state, item)) {
            return check_fail(state, CHECK_BAD_INPUT,
                              "--ignore: no body and no material%s is called '%s'; pliant info "
                              "lists them (--allow unused lets it pass)",
                              strchr(item, '+') != NULL ? ", and no pair of bodies," : "", item);
        }
    }
    return CHECK_DONE;
}

static check_result check_pairs(check *state)
{
    bool any = false;
    for (uint32_t a = 0; !any && a < state->part_count; a++) {
        uint32_t first = state->settings.self == CHECK_SELF_ON ? a : a + 1;
        for (uint32_t b = first; !any && b < state->part_count; b++) {
            any = !check_list_has_pair(state->settings.ignored, state->parts[a].name,
                                       state->parts[b].name);
        }
    }
    return any || check_allows(state, "nothing")
               ? CHECK_DONE
               : check_fail(state, CHECK_BAD_INPUT,
                            "there is nothing to compare: every pair of bodies is ignored "
                            "(--allow nothing lets it pass)");
}

check_result check_doubt_settings(check *state)
{
    check_result status = check_words(state);
    status = status == CHECK_DONE ? check_ignored(state) : status;
    return status == CHECK_DONE ? check_pairs(state) : status;
}

/* ------------------------------------------------------------------ clips */

static bool is_same(const float *a, const float *b, size_t count)
{
    return count == 0 || (a != NULL && b != NULL && memcmp(a, b, count * sizeof *a) == 0);
}

/* A number for all positions of a frame that is stored as such. */
static uint64_t hash_positions(const check *state, const pliant_asset_pose *pose)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < state->body_count; i++) {
        pliant_asset_state one = pliant_asset_pose_get_state(pose, i);
        const float *positions = state->bodies[i].shape != NULL ? one.positions : NULL;
        for (size_t k = 0; positions != NULL && k < 3 * (size_t)one.position_count; k++) {
            uint32_t bits;
            memcpy(&bits, &positions[k], sizeof bits);
            hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
    }
    return hash;
}

/* Whether stored frames differ: they are read until one does. What cannot be read is said later,
   and who asks for some frames may get some that do not. */
static bool has_other_frames(const check *state, const check_clip *clip, pliant_asset_pose *pose)
{
    bool some = state->settings.has_first || state->settings.has_last;
    uint64_t first = 0;
    for (uint32_t f = 0; !some && f < clip->count; f++) {
        if (pliant_asset_pose_sample(pose, clip->index, state->frames[clip->first + f].time) !=
            PLIANT_OK) {
            return true;
        }
        uint64_t hash = hash_positions(state, pose);
        first = f == 0 ? hash : first;
        if (hash != first) {
            return true;
        }
    }
    return some || clip->count == 1;
}

/* Whether any body that is compared has another state than at rest. */
static bool differs(const check *state, const pliant_asset_pose *pose,
                    const pliant_asset_pose *rest)
{
    for (uint32_t i = 0; i < state->body_count; i++) {
        pliant_asset_state x = pliant_asset_pose_get_state(pose, i);
        pliant_asset_state y = pliant_asset_pose_get_state(rest, i);
        if (state->bodies[i].shape == NULL) {
            continue;
        }
        if (x.hidden != y.hidden || !is_same(x.coordinates, y.coordinates, x.coordinate_count) ||
            !is_same(x.transforms, y.transforms, 12 * (size_t)x.transform_count)) {
            return true;
        }
    }
    return false;
}

static pliant_result find_moving(const check *state, const check_clip *clip,
                                 pliant_asset_pose *pose, const pliant_asset_pose *rest,
                                 bool *moves)
{
    const pliant_asset_clip *described = pliant_asset_get_clip(state->asset, clip->index);
    pliant_result result = PLIANT_OK;
    *moves = described->frame_count > 0 && has_other_frames(state, clip, pose);
    bool stored = described->frame_count > 0;
    for (uint32_t f = 0; result == PLIANT_OK && !stored && !*moves && f < clip->count; f++) {
        result = pliant_asset_pose_sample(pose, clip->index, state->frames[clip->first + f].time);
        *moves = result == PLIANT_OK && differs(state, pose, rest);
    }
    return result;
}

/* What bodies do in no frame other than at rest was not looked at as anybody thinks. A clip of one
   pose, or one of many, may be the rest pose itself. */
static check_result check_still(check *state, pliant_asset_pose *pose,
                                const pliant_asset_pose *rest)
{
    uint32_t still = 0, first = CHECK_NONE;
    for (uint32_t i = 0; i < state->clip_count; i++) {
        bool moves = true;
        pliant_result result = state->clips[i].index == PLIANT_ASSET_REST
                                   ? PLIANT_OK
                                   : find_moving(state, &state->clips[i], pose, rest, &moves);
        if (result != PLIANT_OK) {
            return check_fail_library(state, result);
        }
        still += moves ? 0 : 1;
        first = !moves && first == CHECK_NONE ? i : first;
        if (!moves && state->clips[i].count > 1 && !check_allows(state, "still")) {
            return check_fail(state, CHECK_BAD_INPUT,
                              "clip '%s' moves none of the bodies in its %" PRIu32
                              " frames (--allow still lets it pass)",
                              state->clips[i].name, state->clips[i].count);
        }
    }
    if (still == state->clip_count && still > 0 && !check_allows(state, "still")) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "clip '%s' shows nothing but the rest pose (--allow still lets it pass)",
                          state->clips[first].name);
    }
    return still == 0 ? CHECK_DONE
                      : check_note(state, "%" PRIu32 " %s nothing but the rest pose, '%s' first",
                                   still, check_plural(still, "clip shows", "clips show"),
                                   state->clips[first].name);
}

static check_result check_missing(check *state)
{
    for (uint32_t i = 0; i < state->clip_count; i++) {
        const pliant_asset_clip *clip =
            state->clips[i].index != PLIANT_ASSET_REST
                ? pliant_asset_get_clip(state->asset, state->clips[i].index)
                : NULL;
        if (clip != NULL && clip->missing_frames > 0 && !check_allows(state, "missing")) {
            return check_fail(state, CHECK_BAD_INPUT,
                              "%" PRIu64 " of %" PRIu64 " files of the sequence are missing "
                              "(--allow missing lets that pass)",
                              clip->missing_frames, clip->missing_frames + clip->frame_count);
        }
    }
    return CHECK_DONE;
}

check_result check_doubt_clips(check *state)
{
    pliant_asset_pose *pose = NULL, *rest = NULL;
    check_result status = check_missing(state);
    if (status != CHECK_DONE) {
        return status;
    }
    pliant_result result = pliant_asset_pose_create(state->asset, &pose);
    result = result == PLIANT_OK ? pliant_asset_pose_create(state->asset, &rest) : result;
    status =
        result == PLIANT_OK ? check_still(state, pose, rest) : check_fail_library(state, result);
    pliant_asset_pose_destroy(pose);
    pliant_asset_pose_destroy(rest);
    return status;
}
