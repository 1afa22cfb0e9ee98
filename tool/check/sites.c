/* From groups of contacts to what is said about them: which are forgiven, how deep, where. */
#include "sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point of a triangle in the pose in hand, at rest: by its weights among the corners. */
static void find_rest_point(const check_worker *worker, uint32_t body, uint32_t triangle,
                            const float *point, float *rest)
{
    const pliant_asset_mesh *mesh = worker->state->bodies[body].surface.mesh;
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    float(*at)[3] = worker->members[body].known.at;
    double e[2][3], way[3], ee = 0.0, ef = 0.0, ff = 0.0, ew = 0.0, fw = 0.0;
    for (int k = 0; k < 3; k++) {
        double origin = (double)at[corners[0]][k];
        e[0][k] = (double)at[corners[1]][k] - origin;
        e[1][k] = (double)at[corners[2]][k] - origin;
        way[k] = (double)point[k] - origin;
        ee += e[0][k] * e[0][k];
        ef += e[0][k] * e[1][k];
        ff += e[1][k] * e[1][k];
        ew += e[0][k] * way[k];
        fw += e[1][k] * way[k];
    }
    double determinant = ee * ff - ef * ef, u = 1.0 / 3.0, v = 1.0 / 3.0;
    if (determinant > 0.0) {
        u = fmin(fmax((ff * ew - ef * fw) / determinant, 0.0), 1.0);
        v = fmin(fmax((ee * fw - ef * ew) / determinant, 0.0), 1.0 - u);
    }
    const float *p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = mesh->positions + 3 * (size_t)corners[i];
    }
    for (int k = 0; k < 3; k++) {
        rest[k] =
            (float)((1.0 - u - v) * (double)p[0][k] + u * (double)p[1][k] + v * (double)p[2][k]);
    }
}

static void find_centre(const pliant_asset_mesh *mesh, uint32_t triangle, float *centre)
{
    for (int k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++) {
            uint32_t corner = mesh->triangles[3 * (size_t)triangle + (size_t)i];
            sum += (double)mesh->positions[3 * (size_t)corner + (size_t)k];
        }
        centre[k] = (float)(sum / 3.0);
    }
}

static void make_site(const check_worker *worker, const check_record *record, const float *point,
                      check_site *site)
{
    const check *state = worker->state;
    uint32_t bodies[2] = {state->parts[record->a].body, state->parts[record->b].body};
    *site = (check_site){.triangles = {record->pair.a, record->pair.b}};
    for (int side = 0; side < 2; side++) {
        if (point != NULL) {
            find_rest_point(worker, bodies[side], site->triangles[side], point, site->at[side]);
        } else { /* what does not touch has no common point */
            find_centre(state->bodies[bodies[side]].surface.mesh, site->triangles[side],
                        site->at[side]);
        }
    }
}

static bool is_forgiven(const check_accepted *accepted, const check_site *site, float *allowed)
{
    if (accepted == NULL) {
        return false;
    }
    bool near = check_is_near(accepted, 0, site->triangles[0], site->at[0], allowed);
    return check_is_near(accepted, 1, site->triangles[1], site->at[1], allowed) || near;
}

/* Whether a triangle lay inside in the reference, deeper than what counts: contact in it now is
   where that comes out. */
static bool was_deep(const check_worker *worker, const check_record *record, uint32_t side)
{
    const check *state = worker->state;
    const float *depths = worker->regions->accepted->depths[side];
    uint32_t body = state->parts[side == 0 ? record->a : record->b].body, corners[3];
    double least = depths != NULL ? HUGE_VAL : 0.0;
    check_surface_corners(&state->bodies[body].surface, side == 0 ? record->pair.a : record->pair.b,
                          corners);
    for (int i = 0; depths != NULL && i < 3; i++) {
        least = fmin(least, (double)depths[corners[i]]);
    }
    return least > check_limit_depth(state, state->settings.min_depth, record->a, record->b);
}

void check_forgive_contacts(check_worker *worker, const check_record *records, size_t count,
                            const check_accepted *accepted)
{
    check_contact *contacts = worker->regions->contacts.items;
    for (size_t i = 0; accepted != NULL && i < count; i++) {
        check_site site;
        pliant_pair pair = records[i].pair;
        float *allowed = &contacts[i].allowed;
        if (check_is_whole_near(accepted, 0, pair.a, allowed) &&
            check_is_whole_near(accepted, 1, pair.b, allowed)) {
            contacts[i].is_forgiven = true; /* most are, and need no closer look */
            continue;
        }
        *allowed = 0.0f;
        make_site(worker, &records[i], contacts[i].point, &site);
        contacts[i].is_forgiven = is_forgiven(accepted, &site, &contacts[i].allowed);
        contacts[i].has_slid = !contacts[i].is_forgiven && !was_deep(worker, &records[i], 0) &&
                               !was_deep(worker, &records[i], 1);
    }
}

/* ------------------------------------------------------------------ thinning */

/* Where a site falls in a grid over both surfaces. */
typedef struct site_cell {
    int32_t at[2][3];
    uint32_t region;
} site_cell;

static site_cell find_cell(const check_site *site, const float *sides)
{
    site_cell cell = {.region = site->region};
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++) {
            double at =
                sides[side] > 0.0f ? floor((double)site->at[side][k] / (double)sides[side]) : 0.0;
            cell.at[side][k] = (int32_t)fmin(fmax(at, -2e9), 2e9);
        }
    }
    return cell;
}

static uint64_t hash_cell(const site_cell *cell)
{
    uint64_t hash = cell->region;
    for (int i = 0; i < 6; i++) {
        hash = (hash ^ (uint32_t)cell->at[i / 3][i % 3]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Adds a site unless one of its region is in the same cell. */
static bool add_thinned(check_worker *worker, const check_site *site, const float *sides)
{
    check_regions *regions = worker->regions;
    site_cell cell = find_cell(site, sides), *cells = regions->cells.items;
    uint32_t *slots = regions->slots.items;
    size_t mask = regions->slots.count - 1, slot = hash_cell(&cell) & mask;
    for (; slots[slot] != CHECK_NONE; slot = (slot + 1) & mask) {
        if (memcmp(&cells[slots[slot]], &cell, sizeof cell) == 0) {
            return true;
        }
    }
    site_cell *kept = check_push(&regions->cells, sizeof *kept);
    check_site *added = kept != NULL ? check_push(&regions->sites, sizeof *added) : NULL;
    if (added == NULL) {
        return false;
    }
    slots[slot] = (uint32_t)regions->cells.count - 1;
    *kept = cell;
    *added = *site;
    return true;
}

static bool open_table(check_regions *regions, size_t count)
{
    size_t slots = 64;
    while (slots < 2 * count) {
        slots *= 2;
    }
    if (!check_reserve(&regions->slots, slots, sizeof(uint32_t))) {
        return false;
    }
    memset(regions->slots.items, 0xff, slots * sizeof(uint32_t));
    regions->slots.count = slots;
    regions->cells.count = 0;
    return true;
}

/* The sides of cells: everything in one is within half the reach of everything else; of what only
   this check compares with, a quarter, and of what is accepted, a tenth, so that accept.c may keep
   fewer. */
static void find_sides(const check_worker *worker, uint32_t a, uint32_t b, float sides[2])
{
    const check *state = worker->state;
    bool fine = state->settings.keep_sites && !worker->is_reference;
    double share = fine ? 0.1 : worker->is_reference ? 0.25 : 0.5;
    double side = share * check_reach(state, a, b) / sqrt(3.0);
    sides[0] = (float)(side * state->bodies[state->parts[a].body].surface.to_mesh);
    sides[1] = (float)(side * state->bodies[state->parts[b].body].surface.to_mesh);
}

/* ------------------------------------------------------------------ regions */

static bool is_worse(check_verdict verdict)
{
    return verdict == CHECK_NEW || verdict == CHECK_WORSE;
}

static bool wants_sites(const check_worker *worker, check_verdict verdict)
{
    return worker->is_reference || worker->state->settings.keep_sites || is_worse(verdict);
}

static bool add_region(check_worker *worker, const check_sum *sum, const check_record *records)
{
    check_region *region = check_push(&worker->regions->regions, sizeof *region);
    if (region == NULL) {
        return false;
    }
    bool deep =
        sum->depth > check_allowed_depth(worker->state, sum->allowed, records->a, records->b);
    *region = (check_region){.kind = CHECK_CONTACT,
                             .verdict = sum->is_forgiven || sum->allowed > 0.0
                                            ? deep ? CHECK_WORSE : CHECK_KNOWN
                                        : deep ? CHECK_NEW
                                               : CHECK_SHALLOW,
                             .depth = sum->depth,
                             .accepted = sum->allowed,
                             .area = sum->area,
                             .length = sum->length,
                             .pairs = sum->pairs,
                             .triangles = {sum->deepest.triangles[0], sum->deepest.triangles[1]}};
    memcpy(region->position, sum->deepest.at, sizeof region->position);
    return true;
}

pliant_result check_add_contacts(check_worker *worker, const check_record *records, size_t count,
                                 bool *is_new)
{
    check_regions *regions = worker->regions;
    const check_contact *contacts = regions->contacts.items;
    size_t first = regions->regions.count;
    float sides[2];
    const check_sum *sums = regions->sums.items;
    for (size_t i = 0; i < regions->sums.count; i++) {
        if (!add_region(worker, &sums[i], records)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    if (!open_table(regions, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    find_sides(worker, records->a, records->b, sides);
    const check_region *made = (check_region *)regions->regions.items + first;
    for (size_t i = 0; i < count; i++) {
        size_t sum = (size_t)(check_sum_of(regions, (uint32_t)i) - sums);
        check_site site;
        is_new[i] = is_worse(made[sum].verdict);
        if (!wants_sites(worker, made[sum].verdict)) {
            continue;
        }
        make_site(worker, &records[i], contacts[i].point, &site);
        site.region = (uint32_t)(first + sum);
        site.depth = (float)made[sum].depth;
        if (!add_thinned(worker, &site, sides)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return PLIANT_OK;
}

/* What does not touch is looked at where the closest pair of triangles is. */
static pliant_result place_loose(check_worker *worker, const check_record *records,
                                 check_region *region)
{
    pliant_triangle at;
    uint32_t body = worker->state->parts[records->a].body;
    pliant_result result = check_open_positions(worker, body);
    result =
        result == PLIANT_OK ? check_read_triangle(worker, body, region->triangles[0], &at) : result;
    for (int k = 0; result == PLIANT_OK && k < 3; k++) {
        region->position[k] =
            (float)(((double)at.corner[0][k] + (double)at.corner[1][k] + (double)at.corner[2][k]) /
                    3.0);
    }
    return result;
}

/* What does not touch has no depth: what is near something accepted is known, the rest is new. */
pliant_result check_add_loose(check_worker *worker, const check_record *records, size_t count,
                              check_kind kind, const check_accepted *accepted, bool *is_new)
{
    check_regions *regions = worker->regions;
    uint32_t index[2] = {CHECK_NONE, CHECK_NONE};
    float sides[2];
    if (!open_table(regions, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    find_sides(worker, records->a, records->b, sides);
    for (size_t i = 0; i < count; i++) {
        float allowed = 0.0f;
        check_site site;
        make_site(worker, &records[i], NULL, &site);
        bool known = is_forgiven(accepted, &site, &allowed);
        is_new[i] = !known;
        if (index[known] == CHECK_NONE) {
            check_region *added = check_push(&regions->regions, sizeof *added);
            if (added == NULL) {
                return PLIANT_ERROR_OUT_OF_MEMORY;
            }
            index[known] = (uint32_t)regions->regions.count - 1;
            *added = (check_region){.kind = kind,
                                    .verdict = known ? CHECK_KNOWN : CHECK_NEW,
                                    .gap = records[i].gap,
                                    .triangles = {records[i].pair.a, records[i].pair.b}};
        }
        check_region *region = (check_region *)regions->regions.items + index[known];
        region->pairs++;
        if (records[i].gap < region->gap) {
            region->gap = records[i].gap;
            region->triangles[0] = records[i].pair.a;
            region->triangles[1] = records[i].pair.b;
        }
        site.region = index[known];
        if (wants_sites(worker, region->verdict) && !add_thinned(worker, &site, sides)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    pliant_result result = PLIANT_OK;
    for (int known = 0; result == PLIANT_OK && known < 2; known++) {
        if (index[known] != CHECK_NONE) {
            check_region *region = (check_region *)regions->regions.items + index[known];
            result = place_loose(worker, records, region);
        }
    }
    return result;
}
