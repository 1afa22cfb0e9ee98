/*
 * A query of a scene gives what queries of its bodies give one by one: for the pairs that members
 * and filters let through, or the bodies that a selection does.
 */
#include "table_world.h"

#include <math.h>
#include <string.h>

typedef struct scene_check {
    table_life *l;
    const table_event *e;
    uint32_t order[TABLE_BODIES], count; /* bodies in the scene, ascending by index */
    query_place place;                   /* of queries of bodies */
    query_arguments arguments;
    query_copy copy, slices[2]; /* of such a query; of the scene and of that */
    char *text;
} scene_check;

static bool fails(scene_check *c, const char *text)
{
    snprintf(c->text, 256, "%s", text);
    return false;
}

static const table_actor *actor(const scene_check *c, uint32_t k)
{
    return &c->l->actors[c->order[k]];
}

static bool same_id(pliant_body_id a, pliant_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* What a scene takes from its options and members is what two bodies are given. */
static void take_over(scene_check *c, const table_actor *a, const table_actor *b)
{
    query_arguments *to = &c->arguments;
    const pliant_scene_options *o = &c->l->arguments.scene_options;
    to->collide_options.neighbours = o->neighbours;
    to->collide_options.segments = o->segments;
    to->collide_options.separations = o->separations;
    to->collide_options.separation_side = o->separation_side;
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

/* Runs the query of two bodies, or of one with itself; returns false if it has no such form. */
static bool run_pair(scene_check *c, uint32_t i, uint32_t j)
{
    const query_row *row = c->e->row;
    query_form form = i == j ? FORM_SELF : FORM_BODIES;
    const table_actor *a = actor(c, i), *b = actor(c, j);
    if (row->forms[form].name == NULL) {
        return false;
    }
    take_over(c, a, b);
    c->place.body[0] = a->body;
    c->place.body[1] = b->body;
    query_run(row, form, &c->place, &c->arguments, &c->copy);
    assert_int_equal(c->copy.result, PLIANT_OK);
    return true;
}

/* ------------------------------------------------------------ pairs of bodies */

/* Returns true if entry `k` of `bodies` names the pair and begins where the last one ended. */
static bool names_pair(const scene_check *c, uint32_t k, const table_actor *a, const table_actor *b,
                       uint64_t first)
{
    const query_copy *scene = &c->l->copy;
    return query_copy_number(scene, "bodies", k, "a.index") == a->id.index &&
           query_copy_number(scene, "bodies", k, "a.generation") == a->id.generation &&
           query_copy_number(scene, "bodies", k, "b.index") == b->id.index &&
           query_copy_number(scene, "bodies", k, "b.generation") == b->id.generation &&
           query_copy_number(scene, "bodies", k, "user_a") == (uintptr_t)a->member.user &&
           query_copy_number(scene, "bodies", k, "user_b") == (uintptr_t)b->member.user &&
           query_copy_number(scene, "bodies", k, "first") == first;
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

/* Contacts, distances, features and meetings by pairs of bodies, each pair with a result once. */
static bool check_pairs(scene_check *c)
{
    const query_copy *scene = &c->l->copy;
    const pliant_scene_options *o = &c->arguments.scene_options;
    bool contacts = c->e->row->recorded == PLIANT_RECORDED_COLLIDE;
    bool one = contacts && (o->mode == PLIANT_COLLIDE_FIRST || o->first_in_all);
    uint64_t first = 0, entries = query_copy_number(scene, NULL, 0, "body_pair_count");
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = i; j < c->count; j++) {
            if (!table_compared(c->l, c->e, c->order[i], c->order[j]) || !run_pair(c, i, j)) {
                continue;
            }
            uint64_t count = query_copy_number(&c->copy, NULL, 0, "count");
            if (count == 0 || (o->first_in_all && first > 0)) {
                continue;
            }
            bool named = next < entries && names_pair(c, next, actor(c, i), actor(c, j), first);
            if (!named && o->first_in_all) {
                continue; /* any pair, or a later one that meets earlier */
            }
            if (!named || query_copy_number(scene, "bodies", next, "count") != (one ? 1 : count)) {
                return fails(c, named ? "a pair of bodies has another count"
                                      : "a pair of bodies is missing");
            }
            query_copy_slice(scene, first, one ? 1 : count, &c->slices[0]);
            query_copy_slice(&c->copy, 0, UINT64_MAX, &c->slices[1]);
            if (one ? !one_of(c, first)
                    : !query_copies_equal(&c->slices[1], &c->slices[0], false, c->text)) {
                return one ? fails(c, "a pair does not touch") : false;
            }
            first += one ? 1 : count;
            next++;
        }
    }
    return (next == entries && first == query_copy_number(scene, NULL, 0, "count")) ||
           fails(c, "body_pair_count or count is too large");
}

/* With first_in_all nothing meets earlier than the one meeting, and one is found if anything meets.
 */
static bool check_first_meeting(scene_check *c)
{
    pliant_scene_meetings found;
    pliant_meetings two;
    pliant_scene_options o = pliant_scene_options_default();
    o.mode = c->arguments.scene_options.mode;
    o.filter = c->arguments.scene_options.filter;
    o.filter_user = c->arguments.scene_options.filter_user;
    o.only_self = c->arguments.scene_options.only_self;
    o.first_in_all = true;
    o.distance = c->arguments.scene_options.distance;
    assert_ok(pliant_scene_find_meetings(c->l->place.scene, &o, &found));
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = i; j < c->count; j++) {
            if (!table_compared(c->l, c->e, c->order[i], c->order[j])) {
                continue;
            }
            const table_actor *a = actor(c, i), *b = actor(c, j);
            take_over(c, a, b);
            pliant_meeting_options first = c->arguments.meeting_options;
            first.mode = PLIANT_COLLIDE_FIRST;
            assert_ok(i == j
                          ? pliant_find_meetings_self(c->place.query, a->body, &first, &two)
                          : pliant_find_meetings(c->place.query, a->body, b->body, &first, &two));
            any = any || two.count > 0;
            if (two.count > 0 &&
                (found.count != 1 || two.meetings[0].time.high < found.meetings[0].time.low)) {
                return fails(c, "something meets earlier");
            }
        }
    }
    return found.count == (any ? 1 : 0) || fails(c, "count is wrong");
}

static bool check_meetings(scene_check *c)
{
    return c->arguments.scene_options.first_in_all ? check_first_meeting(c) : check_pairs(c);
}

/* Contacts that stand beside the features: those of all pairs of bodies one after the other. */
static bool check_features(scene_check *c)
{
    pliant_scene_features found;
    pliant_scene_options o = pliant_scene_options_default();
    o.filter = c->arguments.scene_options.filter;
    o.filter_user = c->arguments.scene_options.filter_user;
    o.only_self = c->arguments.scene_options.only_self;
    if (!check_pairs(c)) {
        return false;
    }
    assert_ok(pliant_scene_find_features(c->l->place.scene, c->arguments.distance, &o, &found));
    uint64_t next = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = i; j < c->count; j++) {
            if (!table_compared(c->l, c->e, c->order[i], c->order[j]) || !run_pair(c, i, j)) {
                continue;
            }
            uint64_t count = query_copy_number(&c->copy, NULL, 0, "crossing_count");
            for (uint64_t k = 0; k < count; k++, next++) {
                uint32_t n = (uint32_t)k;
                if (next >= found.crossings.count ||
                    found.crossings.pairs[next].a !=
                        query_copy_number(&c->copy, "crossings", n, "a") ||
                    found.crossings.pairs[next].b !=
                        query_copy_number(&c->copy, "crossings", n, "b")) {
                    return fails(c, "crossings.count or a crossing is wrong");
                }
            }
        }
    }
    return next == found.crossings.count || fails(c, "crossings.count is too large");
}

static bool check_free_time(scene_check *c)
{
    pliant_scene_free_time found;
    pliant_scene_options o = pliant_scene_options_default();
    o.filter = c->arguments.scene_options.filter;
    o.filter_user = c->arguments.scene_options.filter_user;
    o.only_self = c->arguments.scene_options.only_self;
    o.distance = c->arguments.scene_options.distance;
    assert_ok(pliant_scene_find_free_time(c->l->place.scene, &o, &found));
    float least = 1.0f;
    bool named = found.path.meeting.kind == PLIANT_MEETING_NONE;
    for (uint32_t i = 0; i < c->count; i++) {
        for (uint32_t j = i; j < c->count; j++) {
            pliant_free_time two;
            const table_actor *a = actor(c, i), *b = actor(c, j);
            if (!table_compared(c->l, c->e, c->order[i], c->order[j])) {
                continue;
            }
            take_over(c, a, b);
            const pliant_meeting_options *options = &c->arguments.meeting_options;
            assert_ok(i == j
                          ? pliant_find_free_time_self(c->place.query, a->body, options, &two)
                          : pliant_find_free_time(c->place.query, a->body, b->body, options, &two));
            least = fminf(least, two.time);
            named = named || (same_id(a->id, found.a) && same_id(b->id, found.b) &&
                              two.time == found.path.time && two.pair.a == found.path.pair.a &&
                              two.pair.b == found.path.pair.b);
        }
    }
    return (found.path.time == least && named) || fails(c, "path.time or the pair is wrong");
}

/* Spans and gradients are not kept in scenes. Open rays are those of an image, which may be one of
   an earlier pair that shows more. */
static bool check_volumes(scene_check *c)
{
    pliant_scene_volumes found;
    pliant_scene_options o = pliant_scene_options_default();
    pliant_volume *volume = NULL;
    c->arguments.volume_options.spans = c->arguments.volume_options.gradients = false;
    o.filter = c->arguments.scene_options.filter;
    o.filter_user = c->arguments.scene_options.filter_user;
    o.only_self = c->arguments.scene_options.only_self;
    const pliant_volume_options *options = &c->arguments.volume_options;
    assert_ok(
        pliant_volume_intersect_scene(c->l->place.volume, c->l->place.scene, &o, options, &found));
    assert_ok(pliant_volume_create(c->l->context, NULL, &volume));
    uint32_t next = 0;
    bool right = true;
    for (uint32_t i = 0; i < c->count && right; i++) {
        for (uint32_t j = i; j < c->count && right; j++) {
            const table_actor *a = actor(c, i), *b = actor(c, j);
            if (!table_compared(c->l, c->e, c->order[i], c->order[j])) {
                continue;
            }
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
                        memcmp(v->measure.centroid, m.centroid, sizeof m.centroid) == 0 &&
                        m.most > 0.0;
            } else {
                right = !(m.volume > 0.0);
            }
        }
    }
    pliant_volume_destroy(volume);
    return (right && next == found.count) || fails(c, "a volume is wrong or missing");
}

/* --------------------------------------------------------------- single bodies */

static bool check_rays(scene_check *c)
{
    pliant_scene_ray_hit first[TABLE_RAYS];
    pliant_scene_ray_hits all;
    bool blocked[TABLE_RAYS];
    const query_arguments *a = &c->arguments;
    uint64_t count = a->ray_count, seen[TABLE_RAYS] = {0};
    pliant_scene *scene = c->l->place.scene;
    assert_ok(pliant_scene_raycast(scene, a->rays, count, &a->scene_select, first));
    assert_ok(pliant_scene_raycast_any(scene, a->rays, count, &a->scene_select, blocked));
    assert_ok(pliant_scene_raycast_all(scene, a->rays, count, &a->scene_select, &all));
    for (uint32_t i = 0; i < c->count; i++) {
        pliant_ray_hits own;
        const table_actor *x = actor(c, i);
        if (!table_selected(c->l, c->e, c->order[i])) {
            continue;
        }
        assert_ok(pliant_raycast_all(c->place.query, x->body, a->rays, count, &own));
        for (uint64_t k = 0; k < count; k++) {
            uint64_t next = own.starts[k];
            for (uint64_t h = all.starts[k]; h < all.starts[k + 1]; h++) {
                bool mine = same_id(all.hits[h].body, x->id);
                if (mine &&
                    (next == own.starts[k + 1] ||
                     own.hits[next].triangle != all.hits[h].hit.triangle ||
                     own.hits[next].t != all.hits[h].hit.t || all.hits[h].user != x->member.user)) {
                    return fails(c, "a hit is not one of its body");
                }
                next += mine;
            }
            seen[k] += own.starts[k + 1] - own.starts[k];
            if (next != own.starts[k + 1]) {
                return fails(c, "a hit is missing");
            }
        }
    }
    for (uint64_t k = 0; k < count; k++) {
        const pliant_scene_ray_hit *hit = &all.hits[all.starts[k]];
        bool any = seen[k] > 0;
        if (seen[k] != all.starts[k + 1] - all.starts[k] || blocked[k] != any ||
            (any && (!same_id(first[k].body, hit->body) || first[k].hit.t != hit->hit.t ||
                     first[k].hit.triangle != hit->hit.triangle)) ||
            (!any && first[k].hit.triangle != PLIANT_NO_TRIANGLE)) {
            return fails(c, "the first hit is wrong");
        }
        for (uint64_t h = 1; h < seen[k]; h++) {
            if (hit[h].hit.t < hit[h - 1].hit.t) {
                return fails(c, "hits do not ascend");
            }
        }
    }
    return true;
}

static bool check_closest(scene_check *c)
{
    pliant_scene_closest found[TABLE_POINTS];
    const query_arguments *a = &c->arguments;
    double best[TABLE_POINTS];
    pliant_closest of_best[TABLE_POINTS];
    uint32_t body[TABLE_POINTS];
    assert_ok(pliant_scene_find_closest_points(c->l->place.scene, a->points, a->point_count, 0,
                                               a->max_distance, &a->scene_select, found));
    for (uint64_t k = 0; k < a->point_count; k++) {
        best[k] = INFINITY;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        pliant_closest own[TABLE_POINTS];
        if (!table_selected(c->l, c->e, c->order[i])) {
            continue;
        }
        assert_ok(pliant_find_closest_points(c->place.query, actor(c, i)->body, a->points,
                                             a->point_count, 0, a->max_distance, own));
        for (uint64_t k = 0; k < a->point_count; k++) {
            if (own[k].found && own[k].distance < best[k]) {
                best[k] = own[k].distance;
                of_best[k] = own[k];
                body[k] = i;
            }
        }
    }
    for (uint64_t k = 0; k < a->point_count; k++) {
        const pliant_closest *got = &found[k].closest;
        if (got->found != (best[k] < (double)INFINITY) ||
            (got->found && (!same_id(found[k].body, actor(c, body[k])->id) ||
                            got->triangle != of_best[k].triangle || got->distance != best[k] ||
                            found[k].user != actor(c, body[k])->member.user))) {
            return fails(c, "the closest point is wrong");
        }
    }
    return true;
}

/* Inside of bodies the deepest counts, else the closest surface; of equal ones the first body. */
static bool check_distances(scene_check *c)
{
    pliant_scene_signed_distance found[TABLE_POINTS];
    pliant_signed_distance best[TABLE_POINTS];
    const query_arguments *a = &c->arguments;
    bool any[TABLE_POINTS] = {false};
    uint32_t body[TABLE_POINTS];
    assert_ok(pliant_scene_measure_distances(c->l->place.scene, a->points, a->point_count, 0,
                                             &a->distance_options, &a->scene_select, found));
    for (uint32_t i = 0; i < c->count; i++) {
        pliant_signed_distance own[TABLE_POINTS];
        if (!table_selected(c->l, c->e, c->order[i])) {
            continue;
        }
        assert_ok(pliant_measure_distances(c->place.query, actor(c, i)->body, a->points,
                                           a->point_count, 0, &a->distance_options, own));
        for (uint64_t k = 0; k < a->point_count; k++) {
            bool inside = own[k].winding != 0 && !(own[k].flags & PLIANT_DISTANCE_BY_SURFACE);
            bool before =
                any[k] && best[k].winding != 0 && !(best[k].flags & PLIANT_DISTANCE_BY_SURFACE);
            double x = fabs(own[k].distance), y = any[k] ? fabs(best[k].distance) : INFINITY;
            if (inside ? !before || x > y : !before && x < y) {
                best[k] = own[k];
                any[k] = true;
                body[k] = i;
            }
        }
    }
    for (uint64_t k = 0; k < a->point_count; k++) {
        const pliant_signed_distance *got = &found[k].distance;
        if (any[k] ? !same_id(found[k].body, actor(c, body[k])->id) ||
                         got->distance != best[k].distance || got->side != best[k].side ||
                         got->winding != best[k].winding || got->flags != best[k].flags
                   : found[k].body.generation != 0 || !isinf(got->distance)) {
            return fails(c, "distance is wrong");
        }
    }
    return true;
}

static bool check_box(scene_check *c)
{
    pliant_scene_triangles found;
    const query_arguments *a = &c->arguments;
    assert_ok(pliant_scene_overlap_box(c->l->place.scene, &a->box, &a->scene_select, &found));
    uint64_t first = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t *own = NULL;
        uint64_t count = 0;
        if (!table_selected(c->l, c->e, c->order[i])) {
            continue;
        }
        assert_ok(pliant_overlap_box(c->place.query, actor(c, i)->body, &a->box, &own, &count));
        if (count > 0 && (next == found.body_count || found.bodies[next].first != first ||
                          found.bodies[next].count != count ||
                          !same_id(found.bodies[next].body, actor(c, i)->id) ||
                          memcmp(own, found.triangles + first, count * sizeof *own) != 0)) {
            return fails(c, "triangles of a body are wrong");
        }
        first += count;
        next += count > 0;
    }
    return (first == found.count && next == found.body_count) || fails(c, "count is too large");
}

/* ------------------------------------------------------------------------ all */

static bool check_scene(table_life *l, const table_event *e, char *text)
{
    static const struct {
        pliant_recorded_question query;
        bool (*check)(scene_check *c);
    } checks[] = {{PLIANT_RECORDED_COLLIDE, check_pairs},
                  {PLIANT_RECORDED_COLLIDE_PROXIES, check_pairs},
                  {PLIANT_RECORDED_FIND_WITHIN, check_pairs},
                  {PLIANT_RECORDED_FIND_FEATURES, check_features},
                  {PLIANT_RECORDED_FIND_MEETINGS, check_meetings},
                  {PLIANT_RECORDED_FIND_FREE_TIME, check_free_time},
                  {PLIANT_RECORDED_INTERSECT_VOLUMES, check_volumes},
                  {PLIANT_RECORDED_RAYCAST, check_rays},
                  {PLIANT_RECORDED_RAYCAST_ANY, check_rays},
                  {PLIANT_RECORDED_RAYCAST_ALL, check_rays},
                  {PLIANT_RECORDED_FIND_CLOSEST_POINTS, check_closest},
                  {PLIANT_RECORDED_MEASURE_DISTANCES, check_distances},
                  {PLIANT_RECORDED_OVERLAP_BOX, check_box}};
    scene_check c = {.l = l, .e = e, .arguments = l->arguments, .place = l->place, .text = text};
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
    table_life_begin(&l, w, &settings);
    for (uint32_t i = 0; i < w->event_count && !wrong; i++) {
        const table_event *e = &w->events[i];
        if (table_life_do(&l, i) && e->form == FORM_SCENE && l.copy.result == PLIANT_OK) {
            wrong = !check_scene(&l, e, failure->text);
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
