/* How deep points inside another surface are; see regions.h. */
#include "accepted.h"
#include "inside.h"

#include <math.h>
#include <string.h>

#include "pliant/distance.h"

static pliant_result distance_to(const inside_walk *walk, uint32_t triangle, const float *point,
                                 double *distance)
{
    pliant_triangle at;
    pliant_result result = check_read_triangle(walk->worker, walk->other, triangle, &at);
    *distance = result == PLIANT_OK ? pliant_triangle_find_closest_point(&at, point, NULL) : 0.0;
    return result;
}

/* From a triangle of the other surface to closer ones around it, until there is none. */
static pliant_result go_closer(const inside_walk *walk, const float *point, uint32_t *witness,
                               double *distance)
{
    const check_surface *other = walk->other_surface;
    pliant_result result = PLIANT_OK;
    for (bool closer = true; closer && result == PLIANT_OK;) {
        uint32_t corners[3], from = *witness;
        check_surface_corners(other, from, corners);
        closer = false;
        for (int k = 0; k < 3; k++) {
            for (uint32_t i = other->ring_start[corners[k]];
                 result == PLIANT_OK && i < other->ring_start[corners[k] + 1]; i++) {
                double one = 0.0;
                result = distance_to(walk, other->ring[i], point, &one);
                if (result == PLIANT_OK && one < *distance) {
                    *distance = one;
                    *witness = other->ring[i];
                    closer = true;
                }
            }
        }
    }
    return result;
}

/* The distance to the other surface: of two whole bodies the shortest, else what a walk finds. */
static pliant_result find_closest(const inside_walk *walk, const float *point, uint32_t *witness,
                                  double *distance)
{
    check_worker *worker = walk->worker;
    if (walk->body == walk->other || worker->state->bodies[walk->other].parts != NULL) {
        return go_closer(walk, point, witness, distance);
    }
    pliant_closest closest;
    pliant_result result =
        pliant_find_closest_point(worker->query, worker->members[walk->other].body, point,
                                  (float)(*distance * (1.0 + 0x1p-20)), &closest);
    if (result == PLIANT_OK && closest.found && closest.distance < *distance) {
        *distance = closest.distance;
        *witness = closest.triangle;
    }
    return result;
}

/* Tries triangles that were closest to other points, until one shows that this point does not
   matter. */
static pliant_result try_witnesses(const inside_walk *walk, const check_sum *sum, double matters,
                                   const float *point, uint32_t *witness, double *distance)
{
    pliant_result result = distance_to(walk, *witness, point, distance);
    for (uint32_t i = 0; i < CHECK_WITNESSES && i < sum->witness_count; i++) {
        if (result != PLIANT_OK || *distance <= matters) {
            break;
        }
        uint32_t other = sum->witnesses[(sum->witness_count - 1 - i) % CHECK_WITNESSES];
        double one = 0.0;
        result = distance_to(walk, other, point, &one);
        *witness = one < *distance ? other : *witness;
        *distance = fmin(one, *distance);
    }
    return result;
}

/* How deep a point inside was in the reference, on the one surface or on the other; a vertex, or
   with CHECK_NONE any point of the triangle `own`. */
static double depth_before(const inside_walk *walk, uint32_t vertex, uint32_t own, uint32_t witness)
{
    const check_accepted *accepted = walk->worker->regions->accepted;
    const float *depths = accepted->depths[walk->which],
                *others = accepted->depths[1 - walk->which];
    double depth = depths != NULL && vertex != CHECK_NONE ? (double)depths[vertex] : 0.0;
    uint32_t corners[2][3];
    check_surface_corners(walk->surface, own, corners[0]);
    check_surface_corners(walk->other_surface, witness, corners[1]);
    for (int i = 0; i < 3; i++) {
        if (depths != NULL && vertex == CHECK_NONE) {
            depth = fmax(depth, (double)depths[corners[0][i]]);
        }
        depth = others != NULL ? fmax(depth, (double)others[corners[1][i]]) : depth;
    }
    return depth;
}

bool check_was_inside(const inside_walk *walk, uint32_t contact, uint32_t vertex, uint32_t own,
                      uint32_t witness, double distance)
{
    const check_contact *contacts = walk->worker->regions->contacts.items;
    if (!contacts[contact].has_slid) {
        return false;
    }
    double before = depth_before(walk, vertex, own, witness);
    return before > 0.0 && distance <= check_allowed_depth(walk->worker->state, before,
                                                           walk->records->a, walk->records->b);
}

/* Remembers a vertex of a reference. */
static bool add_inner(const inside_walk *walk, uint32_t vertex, uint32_t contact, double distance)
{
    check_regions *regions = walk->worker->regions;
    check_inner *added = check_push(&regions->inner, sizeof *added);
    if (added != NULL) {
        size_t sum = (size_t)(check_sum_of(regions, contact) - (check_sum *)regions->sums.items);
        *added = (check_inner){.which = walk->which,
                               .vertex = vertex,
                               .sum = (uint32_t)sum,
                               .is_guess = walk->is_guess,
                               .depth = (float)distance};
    }
    return added != NULL;
}

/* Adds a point inside, a vertex or a point of a triangle `own`, to the sum of its contact. The
   closest triangle of the other surface is only looked for where the point may be the deepest. */
static pliant_result add_sample(const inside_walk *walk, const float *point, uint32_t vertex,
                                uint32_t own, uint32_t contact, uint32_t witness)
{
    check_sum *sum = check_sum_of(walk->worker->regions, contact);
    double distance = 0.0, *depth = walk->is_guess ? &sum->guessed[walk->which] : &sum->depth;
    double matters = fmax(*depth, sum->enough);
    bool keeps = walk->worker->is_reference && vertex != CHECK_NONE;
    pliant_result result = try_witnesses(walk, sum, matters, point, &witness, &distance);
    sum->is_sampled = true;
    if (result == PLIANT_OK && (keeps || distance > matters)) {
        result = find_closest(walk, point, &witness, &distance);
        sum->witnesses[sum->witness_count++ % CHECK_WITNESSES] = witness;
    }
    if (result == PLIANT_OK && keeps && !add_inner(walk, vertex, contact, distance)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK && distance > matters &&
        check_was_inside(walk, contact, vertex, own, witness, distance)) {
        *depth = fmax(*depth, 0.0);
        return PLIANT_OK;
    }
    if (result == PLIANT_OK && distance > *depth) {
        *depth = distance;
        check_deepest *deepest = walk->is_guess ? &sum->guessed_at[walk->which] : &sum->deepest;
        memcpy(deepest->at, point, sizeof deepest->at);
        deepest->triangles[walk->which] = own;
        deepest->triangles[1 - walk->which] = witness;
    }
    return result;
}

/* A third of the triangles around a vertex, as far as their corners are known. */
static double area_of(const inside_walk *walk, uint32_t vertex)
{
    const check_surface *surface = walk->surface;
    const check_positions *known = &walk->worker->members[walk->body].known;
    double sum = 0.0;
    for (uint32_t i = surface->ring_start[vertex]; i < surface->ring_start[vertex + 1]; i++) {
        const uint32_t *c = surface->mesh->triangles + 3 * (size_t)surface->ring[i];
        double e[2][3], normal[3];
        bool there = true;
        for (int k = 0; k < 3; k++) {
            there = there && known->epochs[c[k]] == walk->worker->pose_epoch;
        }
        for (int k = 0; there && k < 3; k++) {
            e[0][k] = (double)known->at[c[1]][k] - (double)known->at[c[0]][k];
            e[1][k] = (double)known->at[c[2]][k] - (double)known->at[c[0]][k];
        }
        for (int k = 0; there && k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            normal[k] = e[0][l] * e[1][m] - e[0][m] * e[1][l];
        }
        sum += there ? sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
                     : 0.0;
    }
    return sum / 6.0;
}

/* The vertices of a walk, the last first: they are the farthest from where it began, and so perhaps
   the deepest. */
pliant_result check_add_vertices(const inside_walk *walk, const check_list *reached)
{
    const uint32_t *vertices = reached->items;
    check_positions *known = &walk->worker->members[walk->body].known;
    for (size_t i = 0; i < reached->count; i++) {
        check_want_vertex(walk->worker, walk->body, vertices[i]);
    }
    pliant_result result = check_read_wanted(walk->worker, walk->body);
    for (size_t i = reached->count; result == PLIANT_OK && i-- > 0;) {
        const check_visit *visit = &walk->visits[vertices[i]];
        uint32_t own = walk->surface->ring[walk->surface->ring_start[vertices[i]]];
        result = add_sample(walk, known->at[vertices[i]], vertices[i], own, visit->contact,
                            visit->witness);
        if (result == PLIANT_OK) {
            check_sum_of(walk->worker->regions, visit->contact)->area += area_of(walk, vertices[i]);
        }
    }
    return result;
}

pliant_result check_add_end(const inside_walk *walk, const check_crossing *crossing)
{
    const check_positions *known = &walk->worker->members[walk->body].known;
    const uint32_t ends[2] = {crossing->head, crossing->tail};
    double distances[2];
    for (int i = 0; i < 2; i++) {
        check_want_vertex(walk->worker, walk->body, ends[i]);
        pliant_result result = check_read_wanted(walk->worker, walk->body);
        result = result == PLIANT_OK
                     ? distance_to(walk, crossing->face, known->at[ends[i]], &distances[i])
                     : result;
        if (result != PLIANT_OK) {
            return result;
        }
    }
    uint32_t end = ends[distances[1] < distances[0]];
    uint32_t own = walk->surface->ring[walk->surface->ring_start[end]];
    return add_sample(walk, known->at[end], end, own, crossing->contact, crossing->face);
}

/* An edge may go in and come out again: the middle of what is inside. */
pliant_result check_add_middles(const inside_walk *walk)
{
    check_regions *regions = walk->worker->regions;
    const check_edge *edges = regions->edges.items;
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < regions->edges.count; i++) {
        const check_crossing *crossings = regions->crossings.items;
        const check_crossing *in = &crossings[edges[i].first], *out = &crossings[edges[i].last];
        if (edges[i].body != walk->which || in->head != edges[i].high ||
            out->head != edges[i].low || !check_is_other_closed(walk, in)) {
            continue;
        }
        float middle[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = (float)(0.5 * ((double)in->point[k] + (double)out->point[k]));
        }
        uint32_t own = walk->surface->ring[walk->surface->ring_start[edges[i].low]];
        result = add_sample(walk, middle, CHECK_NONE, own, in->contact, in->face);
    }
    return result;
}

/* Enough edges through one triangle to be a hole in it. */
#define HOLE_EDGES 3

static void sum_holes(const inside_walk *walk)
{
    check_regions *regions = walk->worker->regions;
    const check_crossing *crossings = regions->crossings.items;
    check_triangle_mark *marks = walk->worker->members[walk->body].known.marks;
    for (size_t i = 0; i < regions->crossings.count; i++) {
        if (crossings[i].body != walk->which || walk->body == walk->other) {
            check_triangle_mark *mark = &marks[crossings[i].face];
            mark->count++;
            mark->contact = crossings[i].contact;
            for (int k = 0; k < 3; k++) {
                mark->sum[k] += crossings[i].point[k];
            }
        }
    }
}

/* Whether a point lies behind the triangle that is closest to it. */
static pliant_result is_behind(const inside_walk *walk, const float *point, uint32_t triangle,
                               bool *behind)
{
    pliant_triangle at;
    double closest[3], e[2][3], height = 0.0;
    pliant_result result = check_read_triangle(walk->worker, walk->other, triangle, &at);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_triangle_find_closest_point(&at, point, closest);
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)at.corner[1][k] - (double)at.corner[0][k];
        e[1][k] = (double)at.corner[2][k] - (double)at.corner[0][k];
    }
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        height += (e[0][l] * e[1][m] - e[0][m] * e[1][l]) * ((double)point[k] - closest[k]);
    }
    bool inverted = walk->other_surface->sides[walk->other_surface->pieces[triangle]] < 0;
    *behind = inverted ? height > 0.0 : height < 0.0;
    return PLIANT_OK;
}

/* Of whole bodies: by winding numbers, or by the side of the surface where that is closest. */
static pliant_result is_in_body(const inside_walk *walk, const float *point, uint32_t *witness,
                                bool *inside)
{
    pliant_signed_distance distance;
    pliant_result result = pliant_measure_distances(
        walk->worker->query, walk->worker->members[walk->other].body, point, 1, 0, NULL, &distance);
    if (result == PLIANT_OK) {
        bool by_surface = (distance.flags & PLIANT_DISTANCE_BY_SURFACE) != 0;
        uint32_t triangle = distance.closest.triangle;
        bool inverted = walk->other_surface->sides[walk->other_surface->pieces[triangle]] < 0;
        *inside = distance.side == (by_surface && inverted ? 1 : -1);
        *witness = triangle;
    }
    return result;
}

bool check_is_inside(const inside_walk *walk, uint32_t vertex, uint32_t *witness)
{
    const float *point = walk->worker->members[walk->body].known.at[vertex];
    double distance = 0.0;
    bool behind = false;
    check_want_vertex(walk->worker, walk->body, vertex);
    pliant_result result = check_read_wanted(walk->worker, walk->body);
    if (walk->body != walk->other && walk->worker->state->bodies[walk->other].parts == NULL) {
        result = result == PLIANT_OK ? is_in_body(walk, point, witness, &behind) : result;
        return result == PLIANT_OK && behind;
    }
    result = result == PLIANT_OK ? distance_to(walk, *witness, point, &distance) : result;
    result = result == PLIANT_OK ? go_closer(walk, point, witness, &distance) : result;
    result = result == PLIANT_OK ? is_behind(walk, point, *witness, &behind) : result;
    if (result == PLIANT_OK && walk->body == walk->other && distance > 0.0 && behind) {
        result = check_is_front_inside(walk, vertex, &behind);
    }
    return result == PLIANT_OK && distance > 0.0 && behind;
}

/* Something thin that passes through the middle of a large triangle leaves no vertex of it inside:
   the middle of the hole. */
static pliant_result add_hole(const inside_walk *walk, const check_triangle_mark *mark,
                              uint32_t own, uint32_t witness)
{
    float middle[3];
    double distance = 0.0;
    bool behind = false;
    for (int k = 0; k < 3; k++) {
        middle[k] = mark->sum[k] / (float)mark->count;
    }
    pliant_result result = distance_to(walk, witness, middle, &distance);
    if (result == PLIANT_OK &&
        distance > check_sum_of(walk->worker->regions, mark->contact)->depth) {
        result = find_closest(walk, middle, &witness, &distance);
        result = result == PLIANT_OK ? is_behind(walk, middle, witness, &behind) : result;
    }
    return result == PLIANT_OK && behind
               ? add_sample(walk, middle, CHECK_NONE, own, mark->contact, witness)
               : result;
}

/* Only a sum without any other point inside needs these. */
static bool lacks_samples(const check_regions *regions)
{
    const check_sum *sums = regions->sums.items;
    for (size_t i = 0; i < regions->sums.count; i++) {
        if (!sums[i].is_sampled) {
            return true;
        }
    }
    return false;
}

pliant_result check_add_holes(const inside_walk *walk)
{
    check_regions *regions = walk->worker->regions;
    check_triangle_mark *marks = walk->worker->members[walk->body].known.marks;
    pliant_result result = PLIANT_OK;
    if (!lacks_samples(regions)) {
        return PLIANT_OK;
    }
    sum_holes(walk);
    for (size_t i = 0; result == PLIANT_OK && i < regions->contacts.count; i++) {
        pliant_pair pair = walk->records[i].pair;
        for (uint32_t side = 0; result == PLIANT_OK && side < 2; side++) {
            uint32_t triangle = side == 0 ? pair.a : pair.b, witness = side == 0 ? pair.b : pair.a;
            check_triangle_mark *mark = &marks[triangle];
            bool here = side == walk->which || walk->body == walk->other;
            if (here && mark->count >= HOLE_EDGES &&
                !check_sum_of(regions, mark->contact)->is_sampled) {
                bool closed = walk->other_surface->sides[walk->other_surface->pieces[witness]] != 0;
                bool own = walk->surface->sides[walk->surface->pieces[triangle]] != 0;
                result = closed || !own ? add_hole(walk, mark, triangle, witness) : result;
            }
            if (here) {
                mark->count = 0;
                memset(mark->sum, 0, sizeof mark->sum);
            }
        }
    }
    return result;
}
