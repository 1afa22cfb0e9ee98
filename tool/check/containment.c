/*
 * One body inside another without touching it: surfaces say nothing about it, so it is looked for
 * where their boxes nest. A piece that touches nothing of a closed body is inside of it with all
 * its points or with none, so that one vertex decides, by its winding number, exactly.
 */
#include "accepted.h"
#include "regions.h"

#include <stdlib.h>
#include <string.h>

#include "pliant/distance.h"

static bool takes_part(const check_worker *worker, uint32_t body)
{
    const check_member *member = &worker->members[body];
    return member->body != NULL && member->is_shown &&
           worker->state->bodies[body].parts == NULL; /* parts of bodies have no inside of theirs */
}

static bool touches(const check_worker *worker, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < worker->found_count; i++) {
        if (worker->found[i].a == a && worker->found[i].b == b) {
            return true;
        }
    }
    return false;
}

static bool is_in_box(const pliant_box *box, const float *point)
{
    bool in = true;
    for (int k = 0; k < 3; k++) {
        in = in && box->lower[k] <= point[k] && point[k] <= box->upper[k];
    }
    return in;
}

/* The first triangle of a piece of `inner` that lies inside `outer`, and how deep; CHECK_NONE if
   there is none. */
static pliant_result find_piece(check_worker *worker, uint32_t inner, uint32_t outer,
                                const pliant_box *box, uint32_t *found, check_region *region)
{
    const check_surface *surface = &worker->state->bodies[inner].surface;
    uint32_t next = 0; /* pieces are numbered by their first triangles */
    pliant_result result = check_open_positions(worker, inner);
    *found = CHECK_NONE;
    for (uint32_t t = 0; result == PLIANT_OK && next < surface->piece_count; t++) {
        pliant_triangle at;
        pliant_signed_distance distance;
        if (surface->pieces[t] != next) {
            continue;
        }
        next++;
        result = check_read_triangle(worker, inner, t, &at);
        if (result != PLIANT_OK || !is_in_box(box, at.corner[0])) {
            continue;
        }
        result = pliant_measure_distances(worker->query, worker->members[outer].body, at.corner[0],
                                          1, 0, NULL, &distance);
        if (result == PLIANT_OK && distance.side < 0 && -distance.distance > region->depth) {
            region->depth = -distance.distance;
            memcpy(region->position, at.corner[0], sizeof region->position);
            *found = t;
        }
    }
    return result;
}

static pliant_result add_contained(check_worker *worker, uint32_t a, uint32_t b, int32_t inner,
                                   uint32_t triangle, check_region region,
                                   const check_acceptance *accepted)
{
    const check_accepted *known = check_find_accepted(accepted, a, b);
    check_found found = {.a = a, .b = b, .depth = region.depth, .region_count = 1, .inner = inner};
    check_found *grown =
        check_grow(worker->found, &worker->found_capacity, worker->found_count, sizeof *grown);
    worker->found = grown != NULL ? grown : worker->found;
    found.regions = grown != NULL ? malloc(sizeof *found.regions) : NULL;
    if (found.regions == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    bool is_known = known != NULL && known->inside[inner];
    region.kind = CHECK_CONTAINMENT;
    region.verdict = is_known ? CHECK_KNOWN : CHECK_NEW;
    region.accepted = is_known ? region.depth : 0.0;
    region.triangles[inner] = triangle;
    region.triangles[1 - inner] = CHECK_NONE;
    found.new_depth = is_known ? 0.0 : region.depth;
    *found.regions = region;
    worker->found[worker->found_count++] = found;
    return PLIANT_OK;
}

/* Whether one of two bodies that do not touch lies inside the other, either way around. */
static pliant_result look_at_pair(check_worker *worker, uint32_t x, uint32_t y,
                                  const check_acceptance *accepted)
{
    const check_body *bodies = worker->state->bodies;
    const uint32_t both[2] = {x, y};
    pliant_result result = PLIANT_OK;
    for (int32_t inner = 0; result == PLIANT_OK && inner < 2; inner++) {
        uint32_t in = both[inner], out = both[1 - inner], triangle = CHECK_NONE;
        check_region region = {.depth = 0.0};
        pliant_box inner_box, outer_box;
        if (!pliant_shape_is_closed(bodies[out].shape)) {
            continue;
        }
        result = pliant_body_get_bounds(worker->members[in].body, &inner_box);
        result = result == PLIANT_OK ? pliant_body_get_bounds(worker->members[out].body, &outer_box)
                                     : result;
        bool apart = false;
        for (int k = 0; result == PLIANT_OK && k < 3; k++) {
            apart = apart || inner_box.upper[k] < outer_box.lower[k] ||
                    outer_box.upper[k] < inner_box.lower[k];
        }
        if (result == PLIANT_OK && !apart) {
            result = find_piece(worker, in, out, &outer_box, &triangle, &region);
        }
        if (result == PLIANT_OK && triangle != CHECK_NONE) {
            return add_contained(worker, bodies[x].first_part, bodies[y].first_part, inner,
                                 triangle, region, accepted);
        }
    }
    return result;
}

pliant_result check_find_contained(check_worker *worker, const check_acceptance *accepted)
{
    const check *state = worker->state;
    pliant_result result = PLIANT_OK;
    for (uint32_t x = 0; x < state->body_count; x++) {
        for (uint32_t y = x + 1; result == PLIANT_OK && y < state->body_count; y++) {
            if (!takes_part(worker, x) || !takes_part(worker, y)) {
                continue;
            }
            uint32_t a = state->bodies[x].first_part, b = state->bodies[y].first_part;
            if (!touches(worker, a, b) &&
                !check_list_has_pair(state->settings.ignored, state->parts[a].name,
                                     state->parts[b].name)) {
                result = look_at_pair(worker, x, y, accepted);
            }
        }
    }
    return result;
}
