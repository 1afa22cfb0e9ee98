#include "scene_check.h"

#include <math.h>
#include <string.h>

static bool first_is_right(const pliant_scene_ray_hit *hits, uint64_t count,
                           const pliant_scene_ray_hit *first)
{
    bool right = count > 0 ? same_id(first->body, hits->body) && first->hit.t == hits->hit.t &&
                                 first->hit.triangle == hits->hit.triangle
                           : first->hit.triangle == PLIANT_NO_TRIANGLE;
    for (uint64_t h = 1; h < count; h++) {
        right = right && hits[h].hit.t >= hits[h - 1].hit.t;
    }
    return right;
}

bool scene_check_rays(scene_check *c)
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
        const table_actor *x = scene_actor(c, i);
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
                    return scene_fails(c, "a hit is not one of its body");
                }
                next += mine;
            }
            seen[k] += own.starts[k + 1] - own.starts[k];
            if (next != own.starts[k + 1]) {
                return scene_fails(c, "a hit is missing");
            }
        }
    }
    for (uint64_t k = 0; k < count; k++) {
        if (seen[k] != all.starts[k + 1] - all.starts[k] || blocked[k] != (seen[k] > 0) ||
            !first_is_right(seen[k] > 0 ? &all.hits[all.starts[k]] : NULL, seen[k], &first[k])) {
            return scene_fails(c, "the first hit is wrong, or hits do not ascend");
        }
    }
    return true;
}

bool scene_check_closest(scene_check *c)
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
        assert_ok(pliant_find_closest_points(c->place.query, scene_actor(c, i)->body, a->points,
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
            (got->found && (!same_id(found[k].body, scene_actor(c, body[k])->id) ||
                            got->triangle != of_best[k].triangle || got->distance != best[k] ||
                            found[k].user != scene_actor(c, body[k])->member.user))) {
            return scene_fails(c, "the closest point is wrong");
        }
    }
    return true;
}

/* Inside of bodies the deepest counts, else the closest surface; of equal ones the first body. */
bool scene_check_distances(scene_check *c)
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
        assert_ok(pliant_measure_distances(c->place.query, scene_actor(c, i)->body, a->points,
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
        if (any[k] ? !same_id(found[k].body, scene_actor(c, body[k])->id) ||
                         got->distance != best[k].distance || got->side != best[k].side ||
                         got->winding != best[k].winding || got->flags != best[k].flags
                   : found[k].body.generation != 0 || !isinf(got->distance)) {
            return scene_fails(c, "distance is wrong");
        }
    }
    return true;
}

bool scene_check_box(scene_check *c)
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
        assert_ok(
            pliant_overlap_box(c->place.query, scene_actor(c, i)->body, &a->box, &own, &count));
        if (count > 0 && (next == found.body_count || found.bodies[next].first != first ||
                          found.bodies[next].count != count ||
                          !same_id(found.bodies[next].body, scene_actor(c, i)->id) ||
                          memcmp(own, found.triangles + first, count * sizeof *own) != 0)) {
            return scene_fails(c, "triangles of a body are wrong");
        }
        first += count;
        next += count > 0;
    }
    return (first == found.count && next == found.body_count) ||
           scene_fails(c, "count is too large");
}
