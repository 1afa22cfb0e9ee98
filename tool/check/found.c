/* From pairs of triangles to what is said about two parts: how many, which are new, how deep. */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_records(const void *first, const void *second)
{
    const check_record *x = first, *y = second;
    int parts = compare_numbers((uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b);
    int pairs = compare_numbers((uint64_t)x->pair.a << 32 | x->pair.b,
                                (uint64_t)y->pair.a << 32 | y->pair.b);
    int gaps = x->gap < y->gap ? -1 : x->gap > y->gap ? 1 : 0;
    return parts != 0 ? parts : pairs != 0 ? pairs : gaps;
}

/* Queries answer in order; only bodies of several parts need sorting. */
void check_sort_records(check_worker *worker)
{
    for (size_t i = 1; i < worker->record_count; i++) {
        if (compare_records(&worker->records[i - 1], &worker->records[i]) > 0) {
            qsort(worker->records, worker->record_count, sizeof *worker->records, compare_records);
            return;
        }
    }
}

static bool open_cache(check_worker *worker, uint32_t body)
{
    vertex_cache *cache = &worker->members[body].cache;
    if (cache->slots != NULL) {
        return true;
    }
    const check *state = worker->state;
    const pliant_asset_mesh *mesh =
        pliant_asset_get_mesh(state->asset, pliant_asset_get_body(state->asset, body)->shape);
    cache->vertex_count = mesh->vertex_count;
    cache->vertices = malloc(cache->vertex_count * sizeof *cache->vertices);
    cache->positions = malloc(cache->vertex_count * sizeof *cache->positions);
    uint32_t *slots = malloc(cache->vertex_count * sizeof *slots);
    if (cache->vertices == NULL || cache->positions == NULL || slots == NULL) {
        free(cache->vertices);
        free(cache->positions);
        free(slots);
        *cache = (vertex_cache){0};
        return false;
    }
    memset(slots, 0xff, cache->vertex_count * sizeof *slots);
    cache->slots = slots;
    return true;
}

static const uint32_t *triangles_of(const check_worker *worker, uint32_t body)
{
    const pliant_asset *asset = worker->state->asset;
    return pliant_asset_get_mesh(asset, pliant_asset_get_body(asset, body)->shape)->triangles;
}

static void want_triangle(vertex_cache *cache, const uint32_t *corners)
{
    for (int i = 0; i < 3; i++) {
        if (cache->slots[corners[i]] == CHECK_NONE) {
            cache->slots[corners[i]] = cache->count;
            cache->vertices[cache->count++] = corners[i];
        }
    }
}

static void read_triangle(const vertex_cache *cache, const uint32_t *corners, float points[3][3])
{
    for (int i = 0; i < 3; i++) {
        memcpy(points[i], cache->positions[cache->slots[corners[i]]], sizeof points[i]);
    }
}

static void close_cache(vertex_cache *cache)
{
    for (uint32_t i = 0; i < cache->count; i++) {
        cache->slots[cache->vertices[i]] = CHECK_NONE;
    }
    cache->count = 0;
}

/* Evaluates the vertices of all triangles that touch, each once. Parts are numbered body after
   body, so the first triangle of every record is one of body a, and the second one of body b. */
static pliant_result evaluate_vertices(check_worker *worker, uint32_t a, uint32_t b)
{
    if (!open_cache(worker, a) || !open_cache(worker, b)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    const uint32_t *triangles[2] = {triangles_of(worker, a), triangles_of(worker, b)};
    uint32_t latest = CHECK_NONE; /* the triangle of a, which comes many times in a row */
    for (size_t i = 0; i < worker->record_count; i++) {
        const check_record *record = &worker->records[i];
        if (record->gap > 0.0) {
            continue;
        }
        if (record->pair.a != latest) {
            latest = record->pair.a;
            want_triangle(&worker->members[a].cache, triangles[0] + 3 * (size_t)latest);
        }
        want_triangle(&worker->members[b].cache, triangles[1] + 3 * (size_t)record->pair.b);
    }
    pliant_result result = PLIANT_OK;
    for (uint32_t side = 0; side < (a == b ? 1u : 2u) && result == PLIANT_OK; side++) {
        uint32_t body = side == 0 ? a : b;
        vertex_cache *cache = &worker->members[body].cache;
        if (cache->count > 0) {
            result = pliant_body_evaluate(worker->members[body].body, cache->vertices, cache->count,
                                          cache->positions[0]);
        }
    }
    return result;
}

/* Where the corners of a pair's triangles are found. */
typedef struct depth_source {
    const vertex_cache *caches[2];
    const uint32_t *triangles[2];
} depth_source;

static double depth_of(const depth_source *source, const check_record *record, double matters)
{
    pliant_triangle a, b;
    read_triangle(source->caches[0], source->triangles[0] + 3 * (size_t)record->pair.a, a.corner);
    read_triangle(source->caches[1], source->triangles[1] + 3 * (size_t)record->pair.b, b.corner);
    return check_pair_depth(&a, &b, matters);
}

static depth_source find_depths(const check_worker *worker, const check_record *record)
{
    uint32_t a = worker->state->parts[record->a].body, b = worker->state->parts[record->b].body;
    return (depth_source){{&worker->members[a].cache, &worker->members[b].cache},
                          {triangles_of(worker, a), triangles_of(worker, b)}};
}

static pliant_result add_found(check_worker *worker, const check_record *records, size_t count,
                               const check_frame *reference, bool keep)
{
    const check_found *known =
        reference != NULL ? check_find(reference, records->a, records->b) : NULL;
    check_found found = {.a = records->a, .b = records->b, .count = count, .gap = HUGE_VAL};
    if (keep) {
        found.pairs = malloc(count * sizeof *found.pairs);
        found.is_new = malloc(count * sizeof *found.is_new);
    }
    check_found *grown =
        check_grow(worker->found, &worker->found_capacity, worker->found_count, sizeof *grown);
    worker->found = grown != NULL ? grown : worker->found;
    if (grown == NULL || (keep && (found.pairs == NULL || found.is_new == NULL))) {
        free(found.pairs);
        free(found.is_new);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    depth_source source = find_depths(worker, records);
    uint64_t at = 0; /* in the reference, which is in the same order */
    for (size_t i = 0; i < count; i++) {
        pliant_pair pair = records[i].pair;
        while (known != NULL && at < known->count &&
               (known->pairs[at].a < pair.a ||
                (known->pairs[at].a == pair.a && known->pairs[at].b < pair.b))) {
            at++;
        }
        bool is_new = known == NULL || at == known->count || known->pairs[at].a != pair.a ||
                      known->pairs[at].b != pair.b;
        /* Only the largest depths count, and most pairs are soon seen not to have one. */
        double matters = is_new ? found.new_depth : found.depth;
        double depth = records[i].gap == 0.0 ? depth_of(&source, &records[i], matters) : 0.0;
        found.depth = fmax(found.depth, depth);
        found.gap = fmin(found.gap, records[i].gap);
        if (is_new) {
            found.new_count++;
            found.new_depth = fmax(found.new_depth, depth);
        }
        if (keep) {
            found.pairs[i] = pair;
            found.is_new[i] = is_new;
        }
    }
    worker->found[worker->found_count++] = found;
    return PLIANT_OK;
}

size_t check_end_of_parts(const check_worker *worker, size_t first)
{
    const check_record *records = worker->records;
    size_t end = first + 1;
    while (end < worker->record_count && records[end].a == records[first].a &&
           records[end].b == records[first].b) {
        end++;
    }
    return end;
}

static bool is_ignored(const check *state, const check_record *record)
{
    return check_list_has_pair(state->settings.ignored, state->parts[record->a].name,
                               state->parts[record->b].name);
}

pliant_result check_add_parts(check_worker *worker, const check_record *records, size_t count,
                              const check_frame *reference, bool keep)
{
    return is_ignored(worker->state, records) ? PLIANT_OK
                                              : add_found(worker, records, count, reference, keep);
}

/* Only whole bodies without holes have a volume. */
static bool has_inside(const check *state, uint32_t body)
{
    return state->bodies[body].parts == NULL && pliant_shape_is_closed(state->bodies[body].shape);
}

/* Measures the volume that the bodies of the latest pair of parts share. */
static pliant_result measure_volume(check_worker *worker, uint32_t a, uint32_t b)
{
    check_found *found = &worker->found[worker->found_count - 1];
    if (worker->volume == NULL || !has_inside(worker->state, a) || !has_inside(worker->state, b) ||
        found->gap > 0.0) {
        return PLIANT_OK;
    }
    pliant_volume_measure measure;
    pliant_result result =
        a == b
            ? pliant_volume_intersect_self(worker->volume, worker->members[a].body, NULL, &measure)
            : pliant_volume_intersect(worker->volume, worker->members[a].body,
                                      worker->members[b].body, NULL, &measure);
    if (result == PLIANT_OK) {
        found->has_volume = true;
        found->volume = measure.volume;
        found->volume_error = measure.error;
    }
    return result;
}

pliant_result check_add_found(check_worker *worker, uint32_t a, uint32_t b,
                              const check_frame *reference, bool keep)
{
    check_sort_records(worker);
    pliant_result result = evaluate_vertices(worker, a, b);
    for (size_t i = 0, end = 0; result == PLIANT_OK && i < worker->record_count; i = end) {
        end = check_end_of_parts(worker, i);
        if (!is_ignored(worker->state, &worker->records[i])) {
            result = add_found(worker, worker->records + i, end - i, reference, keep);
            result = result == PLIANT_OK ? measure_volume(worker, a, b) : result;
            result = result == PLIANT_OK ? check_measure_contours(worker, a, b) : result;
        }
    }
    close_cache(&worker->members[a].cache);
    close_cache(&worker->members[b].cache);
    return result;
}

int check_compare_found(const void *first, const void *second)
{
    const check_found *x = first, *y = second;
    return compare_numbers((uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b);
}
