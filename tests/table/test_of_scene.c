/*
 * A query of a scene gives what queries of its bodies give one by one: for the pairs that members
 * and filters let through, or the bodies that a selection does.
 */
#include "table_world.h"

#include <math.h>
#include <string.h>

/* Pairs of members that touch after the latest contacts with events. */
typedef struct touching {
    pliant_body_id pairs[256][2];
    uint32_t count;
} touching;

typedef struct scene_check {
    table_life *l;
    const table_event *e;
    uint32_t order[TABLE_BODIES], count; /* bodies in the scene, ascending by index */
    query_place place;                   /* of queries of bodies */
    query_arguments arguments;
    query_copy copy, slices[2]; /* of such a query; of the scene and of that */
    touching *touching;
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
    const table_actor *a = actor(c, i), *b = actor(c, j);
    if (row->forms[form].name == NULL) {
        return false;
    }
    take_over(c, a, b);
    c->place.body[0] = a->body;
    c->place.body[1] = b->body;
    query_run(row, form, &c->place, &c->arguments, &c->copy);
    return c->copy.result == PLIANT_OK;
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
        return proxies || fails(c, "a pair of bodies is missing");
    }
    if (query_copy_number(scene, "bodies", at->entry, "count") != count ||
        query_copy_number(scene, "bodies", at->entry, "first") != at->first ||
        query_copy_number(scene, "bodies", at->entry, "complete") != complete) {
        return fails(c, "first, count or complete of a pair of bodies is wrong");
    }
    query_copy_slice(scene, at->first, count, &c->slices[0]);
    query_copy_slice(&c->copy, 0, UINT64_MAX, &c->slices[1]);
    bool right = at->one ? one_of(c, at->first)
                         : query_copies_equal(&c->slices[1], &c->slices[0], false, c->text);
    at->first += count;
    at->entry++;
    return right || !at->one || fails(c, "a pair does not touch");
}

/* Contacts, distances, features and meetings by pairs of bodies, each pair with a result once. With
   a budget, what was found last time may be found again all the same, and proxies of bodies that
   are apart may not: left out. */
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
    for (uint32_t i = 0; i < c->count && right; i++) {
        for (uint32_t j = i; j < c->count && right; j++) {
            const table_actor *a = actor(c, i), *b = actor(c, j);
            bool over = o->first_in_all && at.first > 0;
            if (over || !table_compared(c->l, c->e, c->order[i], c->order[j]) ||
                !run_pair(c, i, j)) {
                continue;
            }
            if (query_copy_number(&c->copy, NULL, 0, "count") > 0) {
                right = check_entry(c, &at, a, b);
            } else if (lists && !query_copy_number(&c->copy, NULL, 0, "complete")) {
                right = at.undecided < query_copy_number(scene, NULL, 0, "undecided_count") &&
                        names_pair(c, "undecided", at.undecided++, a, b);
                right = right || fails(c, "an undecided pair of bodies is missing");
            }
        }
    }
    return right && ((at.entry == query_copy_number(scene, NULL, 0, "body_pair_count") &&
                      at.first == query_copy_number(scene, NULL, 0, "count")) ||
                     fails(c, "body_pair_count or count is too large"));
}

/* D13: the pairs that touch now and those that did, merged; first_in_all leaves pairs open. */
static bool check_events(scene_check *c)
{
    const query_copy *scene = &c->l->copy;
    touching before = *c->touching, *now = c->touching;
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(c->l->place.scene, &count);
    now->count = 0;
    for (uint32_t i = 0; i < count; i++) { /* what the library says, in place of what is unknown */
        if (events[i].touch != PLIANT_TOUCH_ENDED) {
            now->pairs[now->count][0] = events[i].a;
            now->pairs[now->count++][1] = events[i].b;
        }
    }
    uint64_t entries = query_copy_number(scene, NULL, 0, "body_pair_count");
    uint64_t undecided = query_copy_number(scene, NULL, 0, "undecided_count");
    if (c->arguments.scene_options.first_in_all) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool did = false, does = false;
        for (uint32_t k = 0; k < before.count; k++) {
            did = did || (same_id(before.pairs[k][0], events[i].a) &&
                          same_id(before.pairs[k][1], events[i].b));
        }
        for (uint32_t k = 0; k < entries + undecided; k++) {
            const char *list = k < entries ? "bodies" : "undecided";
            uint32_t n = k < entries ? k : k - (uint32_t)entries;
            bool same =
                query_copy_number(scene, list, n, "a.index") == events[i].a.index &&
                query_copy_number(scene, list, n, "a.generation") == events[i].a.generation &&
                query_copy_number(scene, list, n, "b.index") == events[i].b.index &&
                query_copy_number(scene, list, n, "b.generation") == events[i].b.generation;
            does = does || (same && (k < entries || did));
        }
        pliant_touch touch = !did   ? PLIANT_TOUCH_BEGAN
                             : does ? PLIANT_TOUCH_ONGOING
                                    : PLIANT_TOUCH_ENDED;
        if (events[i].touch != touch || (!did && !does)) {
            return fails(c, "touch of an event is wrong");
        }
    }
    bool all = now->count >= entries;
    for (uint32_t k = 0; k < before.count && all; k++) {
        bool listed = false;
        for (uint32_t i = 0; i < count; i++) {
            listed = listed || (same_id(before.pairs[k][0], events[i].a) &&
                                same_id(before.pairs[k][1], events[i].b));
        }
        all = listed;
    }
    for (uint32_t i = 1; i < count && all; i++) {
        all = events[i - 1].a.index < events[i].a.index ||
              (events[i - 1].a.index == events[i].a.index &&
               events[i - 1].b.index <= events[i].b.index);
    }
    return all || fails(c, "an event is missing, or events do not ascend");
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
    pliant_scene_options o = pliant_scene_options_default();
    if (c->arguments.scene_options.budget_nodes > 0) {
        return true;
    }
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
    c->arguments.scene_options.budget_nodes = c->l->arguments.scene_options.budget_nodes = 0;
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
                  {PLIANT_RECORDED_RAYCAST, check_rays},
                  {PLIANT_RECORDED_RAYCAST_ANY, check_rays},
                  {PLIANT_RECORDED_RAYCAST_ALL, check_rays},
                  {PLIANT_RECORDED_FIND_CLOSEST_POINTS, check_closest},
                  {PLIANT_RECORDED_MEASURE_DISTANCES, check_distances},
                  {PLIANT_RECORDED_OVERLAP_BOX, check_box}};
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
