/* What pliant_collide() does with pairs that touch: describes them, gives them to a callback or
   collects them, and puts them in order. */
#ifndef PLI_QUERY_REPORT_H
#define PLI_QUERY_REPORT_H

#include "query/collision.h"

/* Whether corners are needed for more than the test. */
static inline bool pli_report_describes(const pliant_collide_options *options)
{
    return options->segments || options->separations;
}

/* Whether a pair that touches is an answer whatever else is known of it, and only its numbers are
   wanted: then pairs need not be looked at one by one. */
static inline bool pli_report_takes_all(const pliant_collide_options *options)
{
    return options->mode == PLIANT_COLLIDE_ALL && options->callback == NULL &&
           options->groups_a.bits == NULL && options->groups_b.bits == NULL &&
           !pli_report_describes(options);
}

/* Two triangles that touch; their corners are read only if they are to be described. */
pliant_result pli_report_pair(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                              const float a[3][3], const float b[3][3]);

/* All pairs of slots whose bits are set in `touch`, where pli_report_takes_all(). */
pliant_result pli_report_all(pli_collision *collision, pli_cluster_view a, const uint8_t *slot_a,
                             pli_cluster_view b, const uint8_t *slot_b, uint64_t touch);

/* Gives the last pairs to the callback, or makes the keys of all pairs pairs, in order. */
pliant_result pli_report_end(pli_collision *collision);

#endif
