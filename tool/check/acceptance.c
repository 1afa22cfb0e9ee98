/* What is accepted in a check: contacts of a reference frame, and sites of a reference file. */
#include "accepted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_free_acceptance(check_acceptance *acceptance)
{
    for (uint32_t i = 0; i < acceptance->count; i++) {
        check_free_accepted(&acceptance->pairs[i]);
    }
    free(acceptance->pairs);
    *acceptance = (check_acceptance){0};
}

static int compare_pairs(const void *first, const void *second)
{
    const check_accepted *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* Adds sites to a pair of parts. Reasons stay with their owner. */
static bool add_sites(check_accepted *into, const check_site *sites, uint32_t count)
{
    size_t total = (size_t)into->site_count + count;
    check_site *grown = realloc(into->sites, (total + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    into->sites = grown;
    for (uint32_t i = 0; i < count; i++) {
        grown[into->site_count] = sites[i];
        grown[into->site_count++].reason = NULL;
    }
    return true;
}

/* A region's depth counts for all its sites, whichever parts of it were forgiven. */
static bool list_pairs(check *state, const check_frame *frame, check_acceptance *acceptance)
{
    size_t most = (size_t)frame->found_count + state->filed.count;
    acceptance->pairs = calloc(most + 1, sizeof *acceptance->pairs);
    if (acceptance->pairs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < frame->found_count; i++) {
        check_accepted *pair = &acceptance->pairs[acceptance->count++];
        pair->a = frame->found[i].a;
        pair->b = frame->found[i].b;
        if (frame->found[i].inner >= 0) {
            pair->inside[frame->found[i].inner] = true;
        }
        pair->depths[0] = frame->found[i].depths[0];
        bool one = state->parts[pair->a].body == state->parts[pair->b].body;
        pair->depths[1] = frame->found[i].depths[one ? 0 : 1]; /* one body has one walk */
        if (!add_sites(pair, frame->found[i].sites, frame->found[i].site_count)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < state->filed.count; i++) {
        const check_accepted *filed = &state->filed.pairs[i];
        check_accepted *pair = (check_accepted *)check_find_accepted(
            &(check_acceptance){acceptance->pairs, frame->found_count}, filed->a, filed->b);
        if (pair == NULL) {
            pair = &acceptance->pairs[acceptance->count++];
            pair->a = filed->a;
            pair->b = filed->b;
        }
        pair->inside[0] = pair->inside[0] || filed->inside[0];
        pair->inside[1] = pair->inside[1] || filed->inside[1];
        if (!add_sites(pair, filed->sites, filed->site_count)) {
            return false;
        }
    }
    return true;
}

check_result check_make_acceptance(check *state, const check_frame *frame,
                                   check_acceptance *acceptance)
{
    if (!list_pairs(state, frame, acceptance)) {
        return CHECK_NO_MEMORY;
    }
    if (acceptance->count > 0) {
        qsort(acceptance->pairs, acceptance->count, sizeof *acceptance->pairs, compare_pairs);
    }
    for (uint32_t i = 0; i < acceptance->count; i++) {
        check_accepted *pair = &acceptance->pairs[i];
        if (!check_index_sites(state, pair)) {
            return CHECK_NO_MEMORY;
        }
    }
    return CHECK_DONE;
}
