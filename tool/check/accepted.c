#include "accepted.h"

#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double check_pair_size(const check *state, uint32_t a, uint32_t b)
{
    return fmin(state->parts[a].diagonal, state->parts[b].diagonal);
}

double check_reach(const check *state, uint32_t a, uint32_t b)
{
    return check_limit_depth(state, state->settings.near, a, b);
}

double check_limit_depth(const check *state, check_limit limit, uint32_t a, uint32_t b)
{
    return limit.is_percent ? 0.01 * limit.value * check_pair_size(state, a, b) : limit.value;
}

double check_allowed_depth(const check *state, double accepted, uint32_t a, uint32_t b)
{
    return accepted + fmax(accepted, check_limit_depth(state, state->settings.min_depth, a, b));
}

static int compare_accepted(const void *first, const void *second)
{
    const check_accepted *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

const check_accepted *check_find_accepted(const check_acceptance *acceptance, uint32_t a,
                                          uint32_t b)
{
    check_accepted wanted = {.a = a, .b = b};
    return acceptance == NULL || acceptance->count == 0
               ? NULL
               : bsearch(&wanted, acceptance->pairs, acceptance->count, sizeof wanted,
                         compare_accepted);
}

void check_free_accepted(check_accepted *accepted)
{
    for (int side = 0; side < 2; side++) {
        free(accepted->near[side].start);
        free(accepted->near[side].sites);
        free(accepted->near[side].whole);
    }
    for (uint32_t i = 0; i < accepted->site_count; i++) {
        free(accepted->sites[i].reason);
    }
    free(accepted->sites);
    *accepted = (check_accepted){0};
}

/* ------------------------------------------------------------------ what is near a site */

static double squared(const float *a, const float *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    }
    return sum;
}

/* The squared distance of a point to a segment. */
static double squared_to_segment(const float *point, const float *from, const float *to)
{
    double along = 0.0, length = squared(from, to);
    for (int k = 0; k < 3; k++) {
        along += ((double)point[k] - (double)from[k]) * ((double)to[k] - (double)from[k]);
    }
    double share = length > 0.0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0, sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double at = (double)from[k] + share * ((double)to[k] - (double)from[k]);
        sum += ((double)point[k] - at) * ((double)point[k] - at);
    }
    return sum;
}

/* A triangle near a site. */
typedef struct near_entry {
    uint32_t triangle, site;
    float depth;
    bool whole; /* all of it is */
} near_entry;

/* What grows while sites are indexed. */
typedef struct near_walk {
    const check_surface *surface;
    near_entry *entries;
    size_t count, capacity;
    uint32_t *marks; /* per triangle: the latest site, from 1, that reached it */
    uint32_t mark;
} near_walk;

static bool add_entry(near_walk *walk, uint32_t triangle, uint32_t site, const check_site *at,
                      int end)
{
    const pliant_asset_mesh *mesh = walk->surface->mesh;
    double limit = (double)at->reach[end] * (double)at->reach[end];
    bool whole = true;
    for (int k = 0; k < 3; k++) {
        uint32_t corner = mesh->triangles[3 * (size_t)triangle + (size_t)k];
        whole = whole && squared(at->at[end], mesh->positions + 3 * (size_t)corner) <= limit;
    }
    if (walk->count == walk->capacity) {
        size_t wanted = walk->capacity < 256 ? 256 : 2 * walk->capacity;
        near_entry *grown = realloc(walk->entries, wanted * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        walk->entries = grown;
        walk->capacity = wanted;
    }
    walk->marks[triangle] = walk->mark;
    walk->entries[walk->count++] = (near_entry){triangle, site, at->depth, whole};
    return true;
}

/* From triangle to triangle over edges that the ball around the site meets: each triangle's share
   of the ball is convex, so there is a path within it exactly if there is such a chain. */
static bool walk_site(near_walk *walk, uint32_t site, const check_site *at, int end)
{
    const check_surface *surface = walk->surface;
    const float *positions = surface->mesh->positions;
    double limit = (double)at->reach[end] * (double)at->reach[end];
    size_t next = walk->count;
    walk->mark++;
    if (at->triangles[end] == CHECK_NONE || !add_entry(walk, at->triangles[end], site, at, end)) {
        return at->triangles[end] == CHECK_NONE;
    }
    for (; next < walk->count; next++) {
        uint32_t corners[3];
        check_surface_corners(surface, walk->entries[next].triangle, corners);
        for (int k = 0; k < 3; k++) {
            uint32_t from = corners[k], to = corners[(k + 1) % 3];
            if (squared_to_segment(at->at[end], positions + 3 * (size_t)from,
                                   positions + 3 * (size_t)to) > limit) {
                continue;
            }
            for (uint32_t i = surface->ring_start[from]; i < surface->ring_start[from + 1]; i++) {
                uint32_t other[3], triangle = surface->ring[i];
                check_surface_corners(surface, triangle, other);
                bool shares = other[0] == to || other[1] == to || other[2] == to;
                if (shares && walk->marks[triangle] != walk->mark &&
                    !add_entry(walk, triangle, site, at, end)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int compare_entries(const void *first, const void *second)
{
    const near_entry *x = first, *y = second;
    if (x->triangle != y->triangle) {
        return x->triangle < y->triangle ? -1 : 1;
    }
    if (x->depth != y->depth) {
        return x->depth > y->depth ? -1 : 1;
    }
    return x->site < y->site ? -1 : x->site > y->site ? 1 : 0;
}

static bool store_entries(near_walk *walk, check_near *near)
{
    if (walk->count == 0) {
        return true;
    }
    qsort(walk->entries, walk->count, sizeof *walk->entries, compare_entries);
    near->first = walk->entries[0].triangle;
    near->count = walk->entries[walk->count - 1].triangle - near->first + 1;
    near->start = calloc((size_t)near->count + 1, sizeof *near->start);
    near->sites = malloc(walk->count * sizeof *near->sites);
    near->whole = malloc(near->count * sizeof *near->whole);
    if (near->start == NULL || near->sites == NULL || near->whole == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < near->count; i++) {
        near->whole[i] = -1.0f;
    }
    for (size_t i = 0; i < walk->count; i++) {
        const near_entry *entry = &walk->entries[i];
        uint32_t triangle = entry->triangle - near->first;
        near->start[triangle + 1]++;
        near->sites[i] = entry->site;
        if (entry->whole && entry->depth > near->whole[triangle]) {
            near->whole[triangle] = entry->depth;
        }
    }
    for (uint32_t i = 0; i < near->count; i++) {
        near->start[i + 1] += near->start[i];
    }
    return true;
}

/* What goes in deep is meant to: such a joint reaches twice as far as it is deep, within limits. */
#define MOST_REACHES 5.0

double check_site_reach(const check *state, double depth, uint32_t a, uint32_t b)
{
    double least = check_reach(state, a, b);
    return fmin(fmax(2.0 * depth, least), MOST_REACHES * least);
}

static void set_reaches(const check *state, check_accepted *accepted)
{
    const uint32_t parts[2] = {accepted->a, accepted->b};
    for (uint32_t i = 0; i < accepted->site_count; i++) {
        check_site *site = &accepted->sites[i];
        double reach = check_site_reach(state, (double)site->depth, accepted->a, accepted->b);
        for (int side = 0; side < 2; side++) {
            const check_body *body = &state->bodies[state->parts[parts[side]].body];
            site->reach[side] = (float)(reach * body->surface.to_mesh);
        }
    }
}

bool check_index_sites(const check *state, check_accepted *accepted)
{
    bool self = accepted->a == accepted->b, done = true;
    set_reaches(state, accepted);
    for (int side = 0; done && side < (self ? 1 : 2); side++) {
        uint32_t part = side == 0 ? accepted->a : accepted->b;
        const check_surface *surface = &state->bodies[state->parts[part].body].surface;
        near_walk walk = {.surface = surface};
        walk.marks = calloc((size_t)surface->mesh->triangle_count + 1, sizeof *walk.marks);
        done = walk.marks != NULL;
        for (uint32_t i = 0; done && i < accepted->site_count; i++) {
            done = walk_site(&walk, i, &accepted->sites[i], side);
            done = done && (!self || walk_site(&walk, i, &accepted->sites[i], 1));
        }
        done = done && store_entries(&walk, &accepted->near[side]);
        free(walk.marks);
        free(walk.entries);
    }
    return done;
}

bool check_is_whole_near(const check_accepted *accepted, uint32_t side, uint32_t triangle,
                         float *allowed)
{
    const check_near *near = &accepted->near[accepted->a == accepted->b ? 0 : side];
    uint32_t at = triangle - near->first;
    if (triangle < near->first || at >= near->count || near->whole[at] < 0.0f) {
        return false;
    }
    float deepest = accepted->sites[near->sites[near->start[at]]].depth;
    *allowed = deepest > *allowed && deepest <= near->whole[at] ? deepest : *allowed;
    return deepest <= near->whole[at];
}

bool check_is_near(const check_accepted *accepted, uint32_t side, uint32_t triangle,
                   const float *point, float *allowed)
{
    bool self = accepted->a == accepted->b;
    const check_near *near = &accepted->near[self ? 0 : side];
    if (triangle < near->first || triangle - near->first >= near->count) {
        return false;
    }
    uint32_t at = triangle - near->first;
    bool found = near->whole[at] >= 0.0f;
    *allowed = near->whole[at] > *allowed ? near->whole[at] : *allowed;
    for (uint32_t i = near->start[at]; i < near->start[at + 1]; i++) {
        const check_site *site = &accepted->sites[near->sites[i]];
        double limit = (double)site->reach[side] * (double)site->reach[side];
        if (found && site->depth <= *allowed) {
            break; /* no deeper one follows */
        }
        if (squared(site->at[side], point) <= limit ||
            (self && squared(site->at[1 - side], point) <= limit)) {
            found = true;
            *allowed = site->depth > *allowed ? site->depth : *allowed;
        }
    }
    return found;
}
