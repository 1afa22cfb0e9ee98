/*
 * A query of a scene gives the results of queries of its bodies one by one. Members and filters
 * choose the pairs of bodies, a selection the bodies.
 */
#include "scene_check.h"

#include <math.h>
#include <string.h>

/* Sets the options of two bodies from those of the scene and its members. */
static void take_over(scene_check *c, const table_actor *a, const table_actor *b)
{
    query_arguments *to = &c->arguments;
    const pliant_scene_options *o = &c->l->arguments.scene_options;
    to->collide_options.neighbours = o->neighbours;
    to->collide_options.segments = o->segments;
    to->collide_options.separations = o->separations;
    to->collide_options.separation_side = o->separation_side;
    to->collide_options.budget_nodes = to->meeting_options.budget_nodes = o->budget_nodes;
    to->proxy_options.budget_nodes = o->budget_nodes;
    to->within_options.across_groups = o->across_groups && a == b;
    to->meeting_options.distance = o->distance;
    to->meeting_options.mode = o->mode;
    to->proxy_options.proxies_a = a->member.proxies;
    to->proxy_options.proxies_b = b->member.proxies;
    to->collide_options.groups_a = to->within_options.groups_a = to->feature_options.groups_a =
        to->meeting_options.groups_a = a->member.groups;
    to->collide_options.groups_b = to->within_options.groups_b = to->feature_options.groups_b =
        to->meeting_options.groups_b = b->member.groups;
}

/* Runs the query of two bodies, or of one with itself; returns false if it fails or has no such
 * form. */
static bool run_pair(scene_check *c, uint32_t i, uint32_t j)
{
    const query_row *row = c->e->row;
    query_form form = i == j ? FORM_SELF : FORM_BODIES;
    const table_actor *a = scene_actor(c, i), *b = scene_actor(c, j);
    if (row->forms[form].name == NULL) {
        return false;
    }
    take_over(c, a, b);
    c->place.body[0] = a->body;
    c->place.body[1] = b->body;
    query_run(row, form, &c->place, &c->arguments, &c->copy);
    return c->copy.result == PLIANT_OK;
}

/* Options of a scene for another call of the same query. */
static pliant_scene_options options_again(const scene_check *c)
{
    pliant_scene_options o = c->arguments.scene_options;
    o.neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED;
    o.segments = o.separations = false;
    o.separation_side = PLIANT_SEPARATION_SHORTEST;
    return o;
}

/* ------------------------------------------------------------ pairs of bodies */

/* Returns true if entry `k` of a list of pairs of bodies names the pair. */
static bool names_pair(const scene_check *c, const char *list, uint32_t k, const table_actor *a,
                       const table_actor *b)
{
    const query_copy *scene = &c->l->copy;
    return query_copy_number(scene, list, k, "a.index") == a->id.index &&
           query_copy_number(scene, list, k, "a.generation") == a->id.generation &&
           query_copy_number(scene, list, k, "b.index") == b->id.index &&
           query_copy_number(scene, list, k, "b.generation") == b->id.generation &&
           query_copy_number(scene, list, k, "user_a") == (uintptr_t)a->member.user &&
           query_copy_number(scene, list, k, "user_b") == (uintptr_t)b->member.user;
}

/* Of contacts in mode FIRST any one is right. */
static bool one_of(const scene_check *c, uint64_t first)
{
    uint64_t count = query_copy_number(&c->copy, NULL, 0, "count");
    uint64_t a = query_copy_number(&c->l->copy, "pairs", (uint32_t)first, "a");
    uint64_t b = query_copy_number(&c->l->copy, "pairs", (uint32_t)first, "b");
    bool found = false;
    for (uint64_t i = 0; i < count && !found; i++) {
        found = query_copy_number(&c->copy, "pairs", (uint32_t)i, "a") == a &&
                query_copy_number(&c->copy, "pairs", (uint32_t)i, "b") == b;
    }
    return found;
}

/* Where the next pair of bodies is in the result of a scene. */
typedef struct progress {
    uint32_t entry, undecided;
    uint64_t first;
    bool one, budgets; /* one pair of triangles each; budgets: pairs may not be complete */
} progress;

/* Compares an entry of `bodies` with the latest query of the two. */
static bool check_entry(scene_check *c, progress *at, const table_actor *a, const table_actor *b)
{
    const query_copy *scene = &c->l->copy;
    uint64_t own = query_copy_number(&c->copy, NULL, 0, "count"), count = at->one ? 1 : own;
    bool complete =
        !at->budgets || at->one || query_copy_number(&c->copy, NULL, 0, "complete") != 0;
    if (at->entry == query_copy_number(scene, NULL, 0, "body_pair_count") ||
        !names_pair(c, "bodies", at->entry, a, b)) {
        /* Proxies may be larger than the box of their body, by which a scene leaves pairs out. */
        bool proxies = c->e->row->recorded == PLIANT_RECORDED_COLLIDE_PROXIES;
        return proxies || scene_fails(c, "a pair of bodies is missing");
    }
    if (query_copy_number(scene, "bodies", at->entry, "count") != count ||
        query_copy_number(scene, "bodies", at->entry, "first") != at->first ||
        query_copy_number(scene, "bodies", at->entry, "complete") != complete) {
        return scene_fails(c, "first, count or complete of a pair of bodies is wrong");
    }
    query_copy_slice(scene, at->first, count, &c->slices[0]);
    query_copy_slice(&c->copy, 0, UINT64_MAX, &c->slices[1]);
    bool right = at->one ? one_of(c, at->first)
                         : query_copies_equal(&c->slices[1], &c->slices[0], false, c->text);
    at->first += count;
    at->entry++;
    return right || !at->one || scene_fails(c, "a pair does not touch");
}

/* Contacts, distances, features and meetings by pairs of bodies, each pair with a result once. With
   a budget, first contacts and proxies are not compared. A scene may find a remembered contact, and
   it leaves out bodies whose boxes are apart. */
static bool check_pairs(scene_check *c)
{
    const query_copy *scene = &c->l->copy;
    const pliant_scene_options *o = &c->arguments.scene_options;
    bool contacts = c->e->row->recorded == PLIANT_RECORDED_COLLIDE, right = true;
    progress at = {.one = contacts && (o->mode == PLIANT_COLLIDE_FIRST || o->first_in_all),
                   .budgets = strstr(c->e->row->uses, "budget_nodes") != NULL};
    bool lists = at.budgets && c->e->row->recorded != PLIANT_RECORDED_COLLIDE_PROXIES;
    if (o->budget_nodes > 0 && (at.one || !lists)) {
        return true;
    }
    for (uint32_t k = 0; k < c->pair_count && right; k++) {
        uint32_t i = c->pairs[k][0], j = c->pairs[k][1];
        const table_actor *a = scene_actor(c, i), *b = scene_actor(c, j);
        bool over = o->first_in_all && at.first > 0;
        if (over || !run_pair(c, i, j)) {
            continue;
        }
        if (query_copy_number(&c->copy, NULL, 0, "count") > 0) {
            right = check_entry(c, &at, a, b);
        } else if (lists && !query_copy_number(&c->copy, NULL, 0, "complete")) {
            right = at.undecided < query_copy_number(scene, NULL, 0, "undecided_count") &&
                    names_pair(c, "undecided", at.undecided++, a, b);
            right = right || scene_fails(c, "an undecided pair of bodies is missing");
        }
    }
    return right && ((at.entry == query_copy_number(scene, NULL, 0, "body_pair_count") &&
                      at.first == query_copy_number(scene, NULL, 0, "count")) ||
                     scene_fails(c, "body_pair_count or count is too large"));
}

static bool names_event(const scene_check *c, const char *list, uint32_t k,
                        const pliant_scene_event *event)
{
    const query_copy *scene = &c->l->copy;
    return query_copy_number(scene, list, k, "a.index") == event->a.index &&
           query_copy_number(scene, list, k, "a.generation") == event->a.generation &&
           query_copy_number(scene, list, k, "b.index") == event->b.index &&
           query_copy_number(scene, list, k, "b.generation") == event->b.generation;
}

static bool listed(const touching *pairs, const pliant_scene_event *event)
{
    bool found = false;
    for (uint32_t k = 0; k < pairs->count; k++) {
        found = found ||
                (same_id(pairs->pairs[k][0], event->a) && same_id(pairs->pairs[k][1], event->b));
    }
    return found;
}

/* D13: what an event must be, of a pair that touched before or touches now. */
static bool event_is_right(const scene_check *c, const touching *before,
                           const pliant_scene_event *event)
{
    bool did = listed(before, event), does = false;
    uint64_t entries = query_copy_number(&c->l->copy, NULL, 0, "body_pair_count");
    uint64_t undecided = query_copy_number(&c->l->copy, NULL, 0, "undecided_count");
    for (uint32_t k = 0; k < entries; k++) {
        does = does || names_event(c, "bodies", k, event);
    }
    for (uint32_t k = 0; k < undecided && did; k++) {
        does = does || names_event(c, "undecided", k, event);
    }
    return (did || does) && event->touch == (!did   ? PLIANT_TOUCH_BEGAN
                                             : does ? PLIANT_TOUCH_ONGOING
                                                    : PLIANT_TOUCH_ENDED);
}

/* The pairs that touch now and those that did, merged. first_in_all leaves pairs open. */
static bool check_events(scene_check *c)
{
    touching before = *c->touching, *now = c->touching;
    uint32_t count = 0, known = 0;
    const pliant_scene_event *events = pliant_scene_get_events(c->l->place.scene, &count);
    bool open = c->arguments.scene_options.first_in_all, right = true;
    now->count = 0;
    for (uint32_t i = 0; i < count && right; i++) {
        right = open || event_is_right(c, &before, &events[i]);
        right = right && (i == 0 || events[i - 1].a.index < events[i].a.index ||
                          (events[i - 1].a.index == events[i].a.index &&
                           events[i - 1].b.index <= events[i].b.index));
        known += listed(&before, &events[i]);
        if (events[i].touch != PLIANT_TOUCH_ENDED) {
            now->pairs[now->count][0] = events[i].a;
            now->pairs[now->count++][1] = events[i].b;
        }
    }
    right = right && (open || known == before.count) &&
            now->count >= query_copy_number(&c->l->copy, NULL, 0, "body_pair_count");
    return right || scene_fails(c, "an event is wrong or missing");
}

static bool check_contacts(scene_check *c)
{
    return check_pairs(c) && (!c->arguments.scene_options.events || check_events(c));
}

/* With first_in_all nothing meets earlier than the one meeting, and one is found if anything meets.
 */
static bool check_first_meeting(scene_check *c)
{
    pliant_scene_meetings found;
    pliant_meetings two;
    pliant_scene_options o = options_again(c);
    if (c->arguments.scene_options.budget_nodes > 0) {
        return true;
    }
    assert_ok(pliant_scene_find_meetings(c->l->place.scene, &o, &found));
    bool any = false;
    for (uint32_t k = 0; k < c->pair_count; k++) {
        uint32_t i = c->pairs[k][0], j = c->pairs[k][1];
        const table_actor *a = scene_actor(c, i), *b = scene_actor(c, j);
        take_over(c, a, b);
        pliant_meeting_options first = c->arguments.meeting_options;
        first.mode = PLIANT_COLLIDE_FIRST;
        assert_ok(i == j ? pliant_find_meetings_self(c->place.query, a->body, &first, &two)
                         : pliant_find_meetings(c->place.query, a->body, b->body, &first, &two));
        any = any || two.count > 0;
        if (two.count > 0 &&
            (found.count != 1 || two.meetings[0].time.high < found.meetings[0].time.low)) {
            return scene_fails(c, "something meets earlier");
        }
    }
    return found.count == (any ? 1 : 0) || scene_fails(c, "count is wrong");
}

static bool check_meetings(scene_check *c)
{
    return c->arguments.scene_options.first_in_all ? check_first_meeting(c) : check_pairs(c);
}

/* Contacts that stand beside the features: those of all pairs of bodies one after the other. */
static bool check_features(scene_check *c)
{
    pliant_scene_features found;
    pliant_scene_options o = options_again(c);
    if (!check_pairs(c)) {
        return false;
    }
    assert_ok(pliant_scene_find_features(c->l->place.scene, c->arguments.distance, &o, &found));
    uint64_t next = 0;
    for (uint32_t pair = 0; pair < c->pair_count; pair++) {
        uint32_t i = c->pairs[pair][0], j = c->pairs[pair][1];
        if (!run_pair(c, i, j)) {
            continue;
        }
        uint64_t count = query_copy_number(&c->copy, NULL, 0, "crossing_count");
        for (uint64_t k = 0; k < count; k++, next++) {
            uint32_t n = (uint32_t)k;
            if (next >= found.crossings.count ||
                found.crossings.pairs[next].a != query_copy_number(&c->copy, "crossings", n, "a") ||
                found.crossings.pairs[next].b != query_copy_number(&c->copy, "crossings", n, "b")) {
                return scene_fails(c, "crossings.count or a crossing is wrong");
            }
        }
    }
    return next == found.crossings.count || scene_fails(c, "crossings.count is too large");
}

static bool check_free_time(scene_check *c)
{
    pliant_scene_free_time found;
    c->arguments.scene_options.budget_nodes = c->l->arguments.scene_options.budget_nodes = 0;
    pliant_scene_options o = options_again(c);
    assert_ok(pliant_scene_find_free_time(c->l->place.scene, &o, &found));
    float least = 1.0f;
    bool named = found.path.meeting.kind == PLIANT_MEETING_NONE;
    for (uint32_t k = 0; k < c->pair_count; k++) {
        uint32_t i = c->pairs[k][0], j = c->pairs[k][1];
        pliant_free_time two;
        const table_actor *a = scene_actor(c, i), *b = scene_actor(c, j);
        take_over(c, a, b);
        const pliant_meeting_options *options = &c->arguments.meeting_options;
        assert_ok(i == j ? pliant_find_free_time_self(c->place.query, a->body, options, &two)
                         : pliant_find_free_time(c->place.query, a->body, b->body, options, &two));
        least = fminf(least, two.time);
        named = named || (same_id(a->id, found.a) && same_id(b->id, found.b) &&
                          two.time == found.path.time && two.pair.a == found.path.pair.a &&
                          two.pair.b == found.path.pair.b);
    }
    return (found.path.time == least && named) || scene_fails(c, "path.time or the pair is wrong");
}

/* Spans and gradients are not kept in scenes. Open rays are those of an image, which may be one of
   an earlier pair that shows more. */
static bool check_volumes(scene_check *c)
{
    pliant_scene_volumes found;
    pliant_scene_options o = options_again(c);
    pliant_volume *volume = NULL;
    c->arguments.volume_options.spans = c->arguments.volume_options.gradients = false;
    const pliant_volume_options *options = &c->arguments.volume_options;
    assert_ok(
        pliant_volume_intersect_scene(c->l->place.volume, c->l->place.scene, &o, options, &found));
    assert_ok(pliant_volume_create(c->l->context, NULL, &volume));
    uint32_t next = 0;
    bool right = true;
    for (uint32_t k = 0; k < c->pair_count && right; k++) {
        uint32_t i = c->pairs[k][0], j = c->pairs[k][1];
        const table_actor *a = scene_actor(c, i), *b = scene_actor(c, j);
        pliant_volume_measure m;
        assert_ok(i == j ? pliant_volume_intersect_self(volume, a->body, options, &m)
                         : pliant_volume_intersect(volume, a->body, b->body, options, &m));
        const pliant_scene_volume *v = next < found.count ? &found.pairs[next] : NULL;
        bool listed = v != NULL && same_id(v->a, a->id) && same_id(v->b, b->id);
        if (listed) {
            next++;
            right = v->measure.overlap == m.overlap && v->measure.volume == m.volume &&
                    v->measure.least == m.least && v->measure.most == m.most &&
                    v->measure.error == m.error &&
                    memcmp(v->measure.centroid, m.centroid, sizeof m.centroid) == 0 && m.most > 0.0;
        } else {
            right = !(m.volume > 0.0);
        }
    }
    pliant_volume_destroy(volume);
    return (right && next == found.count) || scene_fails(c, "a volume is wrong or missing");
}

/* ------------------------------------------------------------------------ all */

static bool check_scene(table_life *l, const table_event *e, touching *pairs, char *text)
{
    static const struct {
        pliant_recorded_question query;
        bool (*check)(scene_check *c);
    } checks[] = {{PLIANT_RECORDED_COLLIDE, check_contacts},
                  {PLIANT_RECORDED_COLLIDE_PROXIES, check_pairs},
                  {PLIANT_RECORDED_FIND_WITHIN, check_pairs},
                  {PLIANT_RECORDED_FIND_FEATURES, check_features},
                  {PLIANT_RECORDED_FIND_MEETINGS, check_meetings},
                  {PLIANT_RECORDED_FIND_FREE_TIME, check_free_time},
                  {PLIANT_RECORDED_INTERSECT_VOLUMES, check_volumes},
                  {PLIANT_RECORDED_RAYCAST, scene_check_rays},
                  {PLIANT_RECORDED_RAYCAST_ANY, scene_check_rays},
                  {PLIANT_RECORDED_RAYCAST_ALL, scene_check_rays},
                  {PLIANT_RECORDED_FIND_CLOSEST_POINTS, scene_check_closest},
                  {PLIANT_RECORDED_MEASURE_DISTANCES, scene_check_distances},
                  {PLIANT_RECORDED_OVERLAP_BOX, scene_check_box}};
    scene_check c = {.l = l, .e = e, .touching = pairs, .text = text};
    c.arguments = l->arguments;
    c.place = l->place;
    bool right = true;
    for (uint32_t i = 0; i < l->world->body_count; i++) {
        uint32_t k = c.count;
        if (!l->actors[i].present) {
            continue;
        }
        for (; k > 0 && l->actors[c.order[k - 1]].id.index > l->actors[i].id.index; k--) {
            c.order[k] = c.order[k - 1];
        }
        c.order[k] = i;
        c.count++;
    }
    for (uint32_t i = 0; i < c.count * c.count; i++) {
        uint32_t a = i / c.count, b = i % c.count;
        if (a <= b && table_compared(l, e, c.order[a], c.order[b])) {
            c.pairs[c.pair_count][0] = a;
            c.pairs[c.pair_count++][1] = b;
        }
    }
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        right = right && (checks[i].query != e->row->recorded || checks[i].check(&c));
    }
    query_copy_free(&c.copy);
    query_copy_free(&c.slices[0]);
    query_copy_free(&c.slices[1]);
    return right;
}

static bool scene_is_wrong(const table_world *w, void *user, table_failure *failure)
{
    uint64_t *compared = user;
    rng r;
    rng_seed(&r, w->seed * 7919 + 2);
    table_settings settings = failure->found ? failure->settings[0] : table_settings_random(&r);
    static table_life l;
    bool wrong = false;
    touching pairs = {.count = 0};
    table_life_begin(&l, w, &settings);
    for (uint32_t i = 0; i < w->event_count && !wrong; i++) {
        const table_event *e = &w->events[i];
        if (table_life_do(&l, i) && e->form == FORM_SCENE && l.copy.result == PLIANT_OK) {
            wrong = !check_scene(&l, e, &pairs, failure->text);
            ++*compared;
            failure->event = i;
        }
    }
    table_life_end(&l);
    failure->settings[0] = failure->settings[1] = settings;
    failure->found = wrong;
    return wrong;
}

static void scenes_are_their_bodies(void **state)
{
    (void)state;
    uint64_t compared = 0;
    table_try(1000, scene_is_wrong, &compared);
    assert_true(compared > 0);
    print_message("%llu results compared\n", (unsigned long long)compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_their_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
