/*
 * Touch events (D13): the pairs that touched after the last call that asked, beside those that
 * touch now, both ascending. The events of a call hold all that the next one needs: which pairs
 * touch is what began or is ongoing.
 */
#include "scene_queries.h"

#include "base/error.h"
#include "bounds/boxes.h"

/* Whether a pair is in an ascending list of them. */
static bool is_listed(const uint64_t *pairs, size_t count, uint64_t pair)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs[middle] < pair) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && pairs[low] == pair;
}

/* Whether both members of a pair are still those that they were. */
static bool is_same(const pliant_scene *scene, const pliant_scene_event *event)
{
    return pli_scene_find_member(scene, event->a) != NULL &&
           pli_scene_find_member(scene, event->b) != NULL;
}

/* Whether a pair was still to be compared: it is listed, not only because of loose boxes. */
static bool is_due(const pliant_scene *scene, uint64_t pair, uint32_t decided)
{
    if (decided == scene->pair_count ||
        !is_listed(scene->pairs + decided, scene->pair_count - decided, pair)) {
        return false;
    }
    const pliant_body *a = scene->members.data[pli_pair_a(pair)].body;
    const pliant_body *b = scene->members.data[pli_pair_b(pair)].body;
    return pli_box_meets(&a->root.box, 0, &b->root.box) & 1;
}

/* Adds the event of a pair that touched before and of which nothing was found now. */
static void pass_old(pliant_scene *scene, const pliant_scene_event *old, uint32_t decided)
{
    uint64_t pair = pli_scene_pair_key(old->a, old->b);
    bool open = is_same(scene, old) && (is_listed(scene->queries->over_budget.data,
                                                  scene->queries->over_budget.count, pair) ||
                                        is_due(scene, pair, decided));
    pliant_scene_event *event =
        &scene->queries->new_events.data[scene->queries->new_events.count++];
    *event = *old;
    event->touch = open ? PLIANT_TOUCH_ONGOING : PLIANT_TOUCH_ENDED;
}

static void add_touching(pliant_scene *scene, uint64_t pair, bool before)
{
    pliant_scene_pair named = pli_scene_name_pair(scene, pair);
    scene->queries->new_events.data[scene->queries->new_events.count++] =
        (pliant_scene_event){.a = named.a,
                             .b = named.b,
                             .user_a = named.user_a,
                             .user_b = named.user_b,
                             .touch = before ? PLIANT_TOUCH_ONGOING : PLIANT_TOUCH_BEGAN};
}

/* The next event from *at on after which a pair touched; NULL behind the last. */
static const pliant_scene_event *find_old(const pliant_scene *scene, size_t *at)
{
    while (*at < scene->queries->events.count &&
           scene->queries->events.data[*at].touch == PLIANT_TOUCH_ENDED) {
        ++*at;
    }
    return *at < scene->queries->events.count ? &scene->queries->events.data[*at] : NULL;
}

/* All that touched before and comes before a pair of members in order. */
static void pass_lower(pliant_scene *scene, size_t *at, uint64_t pair, uint32_t decided)
{
    const pliant_scene_event *old = find_old(scene, at);
    while (old != NULL && pli_scene_pair_key(old->a, old->b) < pair) {
        pass_old(scene, old, decided);
        ++*at;
        old = find_old(scene, at);
    }
}

pliant_result pli_scene_find_events(pliant_scene *scene, uint32_t decided)
{
    size_t at = 0, most = scene->queries->events.count + scene->queries->touching.count;
    PLI_ASSERT(decided <= scene->pair_count);
    if (most > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "there are more than %u touch events", UINT32_MAX);
    }
    if (!PLI_RESERVE(scene->context, &scene->queries->new_events, most)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->queries->new_events.count = 0;
    for (size_t i = 0; i < scene->queries->touching.count; i++) {
        uint64_t pair = scene->queries->touching.data[i];
        pass_lower(scene, &at, pair, decided);
        const pliant_scene_event *old = find_old(scene, &at);
        bool same =
            old != NULL && pli_scene_pair_key(old->a, old->b) == pair && is_same(scene, old);
        if (!same) { /* other members may have had these indices */
            pass_lower(scene, &at, pair + 1, decided);
        }
        at += same;
        add_touching(scene, pair, same);
    }
    pass_lower(scene, &at, UINT64_MAX, decided);
    return PLIANT_OK;
}

void pli_scene_keep_events(pliant_scene *scene)
{
    pli_array kept = scene->queries->events.array;
    scene->queries->events.array = scene->queries->new_events.array;
    scene->queries->new_events.array = kept;
}

const pliant_scene_event *pliant_scene_get_events(const pliant_scene *scene, uint32_t *count)
{
    bool any = scene != NULL && scene->queries != NULL;
    uint32_t events = any ? (uint32_t)scene->queries->events.count : 0;
    if (count != NULL) {
        *count = events;
    }
    return events > 0 ? scene->queries->events.data : NULL;
}
