/* The depths in which a surface touches squares: joining them, and where there are any. */
#ifndef PLI_VOLUME_INTERVALS_H
#define PLI_VOLUME_INTERVALS_H

#include "volume/image.h"

#include "base/simd/simd4.h"

/* Makes an interval hold another, too. */
static inline void pli_interval_join(pli_interval *to, uint32_t lower, uint32_t upper,
                                     const pli_slopes *slopes)
{
    uint32_t flags[2] = {(to->lower | lower) & 1, (to->upper | upper) & 1};
    to->lower = (to->lower < lower ? to->lower : lower) | flags[0];
    to->upper = (to->upper > upper ? to->upper : upper) | flags[1];
    pli_four_min(to->slopes.bound, slopes->bound);
}

static inline bool pli_interval_apart(const pli_interval *a, uint32_t lower, uint32_t upper)
{
    return (a->upper >> 1 < lower >> 1) | (upper >> 1 < a->lower >> 1);
}

/* Sets an interval field by field: one that was put together elsewhere and copied would be read
   before its parts have left for memory. */
static inline void pli_interval_set(pli_interval *to, uint32_t lower, uint32_t upper,
                                    const pli_slopes *slopes)
{
    to->lower = lower;
    to->upper = upper;
    to->slopes = *slopes;
}

/* Joins an interval with another if they meet. */
static inline bool pli_interval_join_meeting(pli_interval *to, const pli_interval *more)
{
    if (pli_interval_apart(to, more->lower, more->upper)) {
        return false;
    }
    pli_interval_join(to, more->lower, more->upper, &more->slopes);
    return true;
}

/* Where there is something, found pixel by pixel. */
static const pli_occupied pli_nowhere = {
    .first = {UINT32_MAX, UINT32_MAX}, .last = {0, 0}, .depth = {UINT32_MAX, 0}};

static inline uint32_t pli_lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t pli_greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* There is something in a pixel. */
static inline void pli_occupy(pli_occupied *o, uint32_t column, uint32_t row, uint32_t lower,
                              uint32_t upper)
{
    o->first[0] = pli_lesser(o->first[0], column);
    o->last[0] = pli_greater(o->last[0], column);
    o->first[1] = pli_lesser(o->first[1], row);
    o->last[1] = pli_greater(o->last[1], row);
    o->depth[0] = pli_lesser(o->depth[0], lower);
    o->depth[1] = pli_greater(o->depth[1], upper);
}

#endif
