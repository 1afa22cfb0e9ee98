/* From pairs of triangles to what is said about two parts: how many, in which regions, how deep. */
#include "sites.h"

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

/* Reads the vertices of all triangles that touch, each once. Parts are numbered body after body, so
   the first triangle of every record is one of body a, and the second one of body b. */
static pliant_result read_vertices(check_worker *worker, uint32_t a, uint32_t b)
{
    pliant_result result = check_open_positions(worker, a);
    result = result == PLIANT_OK ? check_open_positions(worker, b) : result;
    uint32_t latest = CHECK_NONE; /* the triangle of a, which comes many times in a row */
    for (size_t i = 0; result == PLIANT_OK && i < worker->record_count; i++) {
        const check_record *record = &worker->records[i];
        if (record->gap > 0.0) {
            continue;
        }
        if (record->pair.a != latest) {
            latest = record->pair.a;
            check_want_triangle(worker, a, latest);
        }
        check_want_triangle(worker, b, record->pair.b);
    }
    result = result == PLIANT_OK ? check_read_wanted(worker, a) : result;
    return result == PLIANT_OK && a != b ? check_read_wanted(worker, b) : result;
}

/* Regions and sites of records of one pair of parts: of those that touch, then of the others. */
static pliant_result find_regions(check_worker *worker, const check_record *records, size_t count,
                                  check_kind kind, const check_accepted *accepted, size_t touching)
{
    check_regions *regions = worker->regions;
    check_record *sorted = regions->touching.items; /* those that touch come first */
    bool *flags = regions->flags.items;
    size_t at[2] = {0, touching};
    for (size_t i = 0; i < count; i++) {
        bool loose = kind == CHECK_PASS || records[i].gap > 0.0;
        sorted[at[loose]++] = records[i];
    }
    regions->regions.count = regions->sites.count = regions->inner.count = 0;
    regions->accepted = accepted;
    pliant_result result = PLIANT_OK;
    if (touching > 0) {
        result = check_find_crossings(worker, sorted, touching);
        check_forgive_contacts(worker, sorted, result == PLIANT_OK ? touching : 0, accepted);
        result = result == PLIANT_OK ? check_measure_groups(worker, sorted) : result;
        result = result == PLIANT_OK ? check_add_contacts(worker, sorted, touching, flags) : result;
    }
    if (result == PLIANT_OK && touching < count) {
        result = check_add_loose(worker, sorted + touching, count - touching,
                                 kind == CHECK_PASS ? kind : CHECK_CLEARANCE, accepted,
                                 flags + touching);
    }
    return result;
}

static void *copy_list(const check_list *list, size_t size)
{
    void *copy = malloc(list->count * size + 1);
    if (copy != NULL && list->count > 0) {
        memcpy(copy, list->items, list->count * size);
    }
    return copy;
}

/* How deep vertices lie inside in a reference. */
static bool take_depths(const check_worker *worker, check_found *found)
{
    const check *state = worker->state;
    const check_inner *inner = worker->regions->inner.items;
    const uint32_t bodies[2] = {state->parts[found->a].body, state->parts[found->b].body};
    for (size_t i = 0; i < worker->regions->inner.count; i++) {
        uint32_t which = inner[i].which;
        if (found->depths[which] == NULL) {
            uint32_t count = state->bodies[bodies[which]].surface.mesh->vertex_count;
            found->depths[which] = calloc((size_t)count + 1, sizeof **found->depths);
        }
        float *depth = found->depths[which];
        if (depth == NULL) {
            return false;
        }
        depth += inner[i].vertex;
        *depth = inner[i].depth > *depth ? inner[i].depth : *depth;
    }
    return true;
}

/* Takes the regions and sites over, and what they say about the pair as a whole. */
static bool take_regions(check_worker *worker, check_found *found)
{
    const check_regions *made = worker->regions;
    found->regions = copy_list(&made->regions, sizeof *found->regions);
    found->sites = copy_list(&made->sites, sizeof *found->sites);
    found->region_count = (uint32_t)made->regions.count;
    found->site_count = (uint32_t)made->sites.count;
    for (uint32_t i = 0; found->regions != NULL && i < found->region_count; i++) {
        const check_region *region = &found->regions[i];
        bool worse = region->verdict == CHECK_NEW || region->verdict == CHECK_WORSE;
        found->depth = fmax(found->depth, region->depth);
        found->new_depth = worse ? fmax(found->new_depth, region->depth) : found->new_depth;
        found->new_count += worse ? region->pairs : 0;
    }
    return found->regions != NULL && found->sites != NULL && take_depths(worker, found);
}

/* Pairs of triangles in their order, of which those that touch were flagged before the others. */
static bool take_pairs(const check_worker *worker, const check_record *records, size_t count,
                       check_kind kind, size_t touching, check_found *found)
{
    const bool *flags = worker->regions->flags.items;
    size_t at[2] = {0, touching};
    found->pairs = malloc(count * sizeof *found->pairs);
    found->is_new = malloc(count * sizeof *found->is_new);
    for (size_t i = 0; found->pairs != NULL && found->is_new != NULL && i < count; i++) {
        bool loose = kind == CHECK_PASS || records[i].gap > 0.0;
        found->pairs[i] = records[i].pair;
        found->is_new[i] = flags[at[loose]++];
    }
    return found->pairs != NULL && found->is_new != NULL;
}

static pliant_result add_found(check_worker *worker, const check_record *records, size_t count,
                               check_kind kind, const check_acceptance *accepted, bool keep)
{
    check_regions *regions = worker->regions;
    check_found found = {
        .a = records->a, .b = records->b, .count = count, .gap = HUGE_VAL, .inner = -1};
    size_t touching = 0;
    for (size_t i = 0; i < count; i++) {
        touching += kind != CHECK_PASS && records[i].gap == 0.0 ? 1 : 0;
        found.gap = fmin(found.gap, records[i].gap);
    }
    pliant_result result = check_reserve_found(worker);
    if (result != PLIANT_OK) {
        return result;
    }
    if (!check_reserve(&regions->touching, count, sizeof(check_record)) ||
        !check_reserve(&regions->flags, count, sizeof(bool))) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    result = find_regions(worker, records, count, kind,
                          check_find_accepted(accepted, records->a, records->b), touching);
    if (result == PLIANT_OK &&
        (!take_regions(worker, &found) ||
         (keep && !take_pairs(worker, records, count, kind, touching, &found)))) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result != PLIANT_OK) {
        check_free_found(&found);
        return result;
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
                              check_kind kind, const check_acceptance *accepted, bool keep)
{
    return is_ignored(worker->state, records)
               ? PLIANT_OK
               : add_found(worker, records, count, kind, accepted, keep);
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
                              const check_acceptance *accepted, bool keep)
{
    check_sort_records(worker);
    pliant_result result = read_vertices(worker, a, b);
    for (size_t i = 0, end = 0; result == PLIANT_OK && i < worker->record_count; i = end) {
        end = check_end_of_parts(worker, i);
        if (!is_ignored(worker->state, &worker->records[i])) {
            result = add_found(worker, worker->records + i, end - i, CHECK_CONTACT, accepted, keep);
            result = result == PLIANT_OK ? measure_volume(worker, a, b) : result;
            result = result == PLIANT_OK ? check_measure_contours(worker, a, b) : result;
        }
    }
    return result;
}

int check_compare_found(const void *first, const void *second)
{
    const check_found *x = first, *y = second;
    return compare_numbers((uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b);
}
