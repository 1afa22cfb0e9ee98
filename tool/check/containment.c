/*
 * One body inside another without touching it: surfaces say nothing about it, so it is looked for
 * where their boxes nest. A piece that touches nothing of a closed body is inside of it with all
 * its points or with none, so that one vertex decides, by its winding number, exactly.
 */
#include "accepted.h"
#include "regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/distance.h"

static bool takes_part(const check_worker *worker, uint32_t body)
{
    const check_member *member = &worker->members[body];
    return member->body != NULL && member->is_shown &&
           worker->state->bodies[body].parts == NULL; /* parts of bodies have no inside of theirs */
}

/* Whether two parts are among the first of what was found, which are in order. */
static bool touches(const check_worker *worker, size_t count, uint32_t a, uint32_t b)
{
    check_found wanted = {.a = a, .b = b};
    return count > 0 && bsearch(&wanted, worker->found, count, sizeof *worker->found,
                                check_compare_found) != NULL;
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
    pliant_result result = check_reserve_found(worker);
    found.regions = result == PLIANT_OK ? malloc(sizeof *found.regions) : NULL;
    if (found.regions == NULL) {
        return result == PLIANT_OK ? PLIANT_ERROR_OUT_OF_MEMORY : result;
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

/* A body that takes part, and the box around it in the pose in hand. */
typedef struct nesting_body {
    uint32_t body;
    pliant_box box;
    float key; /* the lower end of the box on the axis of the sweep */
} nesting_body;

static bool boxes_meet(const pliant_box *a, const pliant_box *b)
{
    bool meet = true;
    for (int k = 0; k < 3; k++) {
        meet = meet && a->upper[k] >= b->lower[k] && b->upper[k] >= a->lower[k];
    }
    return meet;
}

/* Whether one of two bodies that do not touch lies inside the other, either way around. */
static pliant_result look_at_pair(check_worker *worker, const nesting_body *x,
                                  const nesting_body *y, const check_acceptance *accepted)
{
    const check_body *bodies = worker->state->bodies;
    const nesting_body *both[2] = {x, y};
    pliant_result result = PLIANT_OK;
    for (int32_t inner = 0; result == PLIANT_OK && inner < 2; inner++) {
        uint32_t in = both[inner]->body, out = both[1 - inner]->body, triangle = CHECK_NONE;
        check_region region = {.depth = 0.0};
        if (!pliant_shape_is_closed(bodies[out].shape)) {
            continue;
        }
        result = find_piece(worker, in, out, &both[1 - inner]->box, &triangle, &region);
        if (result == PLIANT_OK && triangle != CHECK_NONE) {
            return add_contained(worker, bodies[x->body].first_part, bodies[y->body].first_part,
                                 inner, triangle, region, accepted);
        }
    }
    return result;
}

/* Fills in the boxes. The sweep goes along the axis on which their lower ends are spread the most.
 */
static pliant_result list_bodies(check_worker *worker, nesting_body *list, size_t *count,
                                 int *sweep)
{
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; result == PLIANT_OK && i < worker->state->body_count; i++) {
        if (takes_part(worker, i)) {
            nesting_body *added = &list[(*count)++];
            added->body = i;
            result = pliant_body_get_bounds(worker->members[i].body, &added->box);
            for (int k = 0; result == PLIANT_OK && k < 3; k++) {
                least[k] = fmin(least[k], (double)added->box.lower[k]);
                most[k] = fmax(most[k], (double)added->box.lower[k]);
            }
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = most[k] - least[k] > most[axis] - least[axis] ? k : axis;
    }
    *sweep = axis;
    for (size_t i = 0; i < *count; i++) {
        list[i].key = list[i].box.lower[axis];
    }
    return result;
}

static int compare_keys(const void *first, const void *second)
{
    const nesting_body *x = first, *y = second;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->body < y->body ? -1 : 1;
}

/* Looks at every pair whose boxes meet, unless the bodies touch or are ignored. */
static pliant_result sweep(check_worker *worker, const nesting_body *list, size_t count, int axis,
                           const check_acceptance *accepted)
{
    const check *state = worker->state;
    const size_t touching = worker->found_count;
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; result == PLIANT_OK && k < count; k++) {
            const nesting_body *x = &list[i], *y = &list[k];
            if (y->key > x->box.upper[axis]) {
                break;
            }
            if (x->body > y->body) {
                x = &list[k];
                y = &list[i];
            }
            uint32_t a = state->bodies[x->body].first_part, b = state->bodies[y->body].first_part;
            if (boxes_meet(&x->box, &y->box) && !touches(worker, touching, a, b) &&
                !check_list_has_pair(state->settings.ignored, state->parts[a].name,
                                     state->parts[b].name)) {
                result = look_at_pair(worker, x, y, accepted);
            }
        }
    }
    return result;
}

pliant_result check_find_contained(check_worker *worker, const check_acceptance *accepted)
{
    size_t count = 0;
    int axis = 0;
    nesting_body *list = malloc(((size_t)worker->state->body_count + 1) * sizeof *list);
    if (list == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = list_bodies(worker, list, &count, &axis);
    if (result == PLIANT_OK && count > 1) {
        qsort(list, count, sizeof *list, compare_keys);
        check_sort_found(worker);
        result = sweep(worker, list, count, axis, accepted);
    }
    free(list);
    return result;
}
