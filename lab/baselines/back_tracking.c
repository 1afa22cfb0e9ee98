/*
 * When two moving bodies begin to touch, by first-contact queries at sampled times and bisection.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, who suggest to back-track in time to the first contact.
 */
#include "back_tracking.h"

#include <stdlib.h>

/* Puts body i where it is at a time. */
static pliant_result move_body(const back_tracking_motion *m, int i, float time, float *moved)
{
    for (size_t k = 0; k < 3 * (size_t)m->vertex_count[i]; k++) {
        float x0 = m->start[i][k], x1 = m->end[i][k];
        moved[k] = time == 1.0f ? x1 : x0 + time * (x1 - x0);
    }
    return pliant_body_set_positions(m->body[i], moved, 0);
}

static pliant_result try_time(pliant_query *query, const back_tracking_motion *m, float time,
                              float *moved, back_tracking_time *found, bool *touches)
{
    pliant_contacts contacts;
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = PLIANT_COLLIDE_FIRST;
    pliant_result result = move_body(m, 0, time, moved);
    result = result == PLIANT_OK ? move_body(m, 1, time, moved) : result;
    result = result == PLIANT_OK
                 ? pliant_collide(query, m->body[0], m->body[1], &options, &contacts)
                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    *touches = contacts.count > 0;
    *(*touches ? &found->touching : &found->free) = time;
    found->touches |= *touches;
    found->tried++;
    return PLIANT_OK;
}

static pliant_result bisect(pliant_query *query, const back_tracking_motion *m, float tolerance,
                            float *moved, back_tracking_time *found)
{
    pliant_result result = PLIANT_OK;
    while (found->touching - found->free > tolerance && result == PLIANT_OK) {
        float middle = found->free + 0.5f * (found->touching - found->free);
        if (!(middle > found->free && middle < found->touching)) {
            break; /* there is no number between */
        }
        bool touches = false;
        result = try_time(query, m, middle, moved, found, &touches);
    }
    return result;
}

pliant_result back_tracking_find(pliant_query *query, const back_tracking_motion *motion,
                                 uint32_t samples, float tolerance, back_tracking_time *found)
{
    const uint32_t *count = motion->vertex_count;
    float *moved = malloc(3 * sizeof(float) * (count[0] > count[1] ? count[0] : count[1]));
    bool touches = false;
    pliant_result result = moved != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    *found = (back_tracking_time){0};
    for (uint32_t i = 0; i <= samples && !touches && result == PLIANT_OK; i++) {
        result = try_time(query, motion, (float)i / (float)samples, moved, found, &touches);
    }
    if (result == PLIANT_OK && touches) {
        result = bisect(query, motion, tolerance, moved, found);
    }
    free(moved);
    return result;
}
