/* The curves along which two bodies cross, and what of each lies inside the other. */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_free_contours(check_contours *contours)
{
    free(contours->lines);
    free(contours->inside[0]);
    free(contours->inside[1]);
    contours->lines = NULL;
    contours->inside[0] = contours->inside[1] = NULL;
}

/* Where one of two bodies is closed, what of the other is inside it is known; what of it is inside
   the open one would be a guess, and is left out. */
static bool any_is_known(const pliant_contour_set *set)
{
    bool known = false;
    for (uint64_t i = 0; i < set->region_count; i++) {
        known = known || !set->regions[i].guess;
    }
    return known;
}

static bool counts(const pliant_region *region, bool guess)
{
    return region->inside && region->guess == guess;
}

static void sum_regions(const pliant_contour_set *set, check_contours *sum)
{
    sum->guess = set->region_count > 0 && !any_is_known(set);
    for (uint64_t i = 0; i < set->region_count; i++) {
        const pliant_region *region = &set->regions[i];
        if (counts(region, sum->guess)) {
            sum->area += region->area;
            sum->depth = fmax(sum->depth, region->depth);
        }
    }
}

/* Ends of all segments, for those who draw them. */
static bool keep_lines(const pliant_contour_set *set, check_contours *kept)
{
    kept->lines = malloc(6 * (size_t)set->segment_count * sizeof *kept->lines + 1);
    for (uint64_t i = 0; kept->lines != NULL && i < set->contour_count; i++) {
        const pliant_contour *contour = &set->contours[i];
        const pliant_contour_point *points = set->points + contour->first_point;
        for (uint64_t k = 0; k < contour->segment_count; k++) {
            float *line = kept->lines + 6 * kept->line_count++;
            uint64_t next = k + 1 < contour->point_count ? k + 1 : 0;
            memcpy(line, points[k].point, 3 * sizeof *line);
            memcpy(line + 3, points[next].point, 3 * sizeof *line);
        }
    }
    return kept->lines != NULL;
}

/* Triangles of one body of which a part is inside. */
static bool keep_inside(const pliant_contour_set *set, uint32_t side, uint32_t triangle_count,
                        check_contours *kept)
{
    bool guess = kept->guess;
    unsigned char *marks = calloc((size_t)triangle_count + 1, 1);
    const uint32_t *regions = set->triangle_regions[side];
    kept->inside[side] = malloc((size_t)triangle_count * sizeof *kept->inside[side] + 1);
    bool there = marks != NULL && kept->inside[side] != NULL;
    for (uint32_t t = 0; there && t < triangle_count; t++) {
        marks[t] = regions[t] != PLIANT_NO_REGION && counts(&set->regions[regions[t]], guess);
    }
    for (uint64_t i = 0; there && i < set->piece_count; i++) {
        const pliant_region_piece *piece = &set->pieces[i];
        if (piece->body == side && counts(&set->regions[piece->region], guess)) {
            marks[piece->triangle] = 1;
        }
    }
    for (uint32_t t = 0; there && t < triangle_count; t++) {
        if (marks[t]) {
            kept->inside[side][kept->inside_count[side]++] = t;
        }
    }
    free(marks);
    return there;
}

/* Only whole bodies are cut: of parts of a body it is not known what else holds them together. */
pliant_result check_measure_contours(check_worker *worker, uint32_t a, uint32_t b)
{
    bool keep = worker->state->settings.keep_lines;
    check_found *found = &worker->found[worker->found_count - 1];
    const check_body *bodies = worker->state->bodies;
    if (worker->contours == NULL || bodies[a].parts != NULL || bodies[b].parts != NULL ||
        found->gap > 0.0) {
        return PLIANT_OK;
    }
    pliant_contour_set set;
    check_contours *c = &found->contours;
    pliant_result result =
        a == b ? pliant_contours_find_self(worker->contours, worker->members[a].body, NULL, &set)
               : pliant_contours_find(worker->contours, worker->members[a].body,
                                      worker->members[b].body, NULL, &set);
    if (result != PLIANT_OK) {
        return result;
    }
    found->has_contours = true;
    c->count = set.contour_count;
    c->length = set.length;
    sum_regions(&set, c);
    bool kept = !keep || keep_lines(&set, c);
    for (uint32_t side = 0; kept && keep && side < (a == b ? 1u : 2u); side++) {
        const pliant_shape *shape = bodies[side == 0 ? a : b].shape;
        kept = keep_inside(&set, side, pliant_shape_get_triangle_count(shape), c);
    }
    return kept ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}
