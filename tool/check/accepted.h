/*
 * What was accepted, and what lies near it.
 *
 * A site is a place on two parts, or two on one, where contact was accepted, with the depth that
 * the region had of which it was a part. A point of a surface is near a site if a path over the
 * surface at rest joins them that nowhere leaves the ball of the reach around the site. Contact is
 * forgiven where it is near a site on one of the two surfaces: what slides along stays near on the
 * one that it slides on. The reach of a site is that of the settings, or twice its depth where that
 * is more, up to five times that of the settings: what goes in deep at rest, as joints do, turns
 * there; and what hangs together with contact near a site that is deeper than the reach is judged
 * by its depth alone. Contact is worse if it is more than twice as deep as the deepest site near
 * it, and deeper by more than the least depth that counts.
 */
#ifndef TOOL_CHECK_ACCEPTED_H
#define TOOL_CHECK_ACCEPTED_H

#include "check.h"

/* The sites near each triangle of one surface. */
typedef struct check_near {
    uint32_t first, count; /* triangles first to first + count - 1; others have none */
    uint32_t *start;       /* per triangle, and one more: its sites in `sites` */
    uint32_t *sites;       /* the deepest first */
    float *whole;          /* per triangle: the largest depth of a site that all of it is near to;
                              -1: there is none */
} check_near;

/* Two parts, or one and itself. */
struct check_accepted {
    uint32_t a, b; /* a <= b */
    check_site *sites;
    uint32_t site_count;
    check_near near[2];     /* of one part with itself both ends of sites are in the first */
    const float *depths[2]; /* of the reference frame, as in check_found */
    bool inside[2];         /* that a lies inside b, and b inside a, was accepted */
};

/* Finds how far sites forgive, and the triangles near each; the sites' triangles are known. False
 * without memory. */
bool check_index_sites(const check *state, check_accepted *accepted);
void check_free_accepted(check_accepted *accepted);

/* Whether all of a triangle is near a site on this side, and to none that is deeper in part only;
 *allowed as below. */
bool check_is_whole_near(const check_accepted *accepted, uint32_t side, uint32_t triangle,
                         float *allowed);

/* Whether a point of a triangle (in units of its mesh) is near a site on this side; *allowed grows
   to the largest depth accepted there. */
bool check_is_near(const check_accepted *accepted, uint32_t side, uint32_t triangle,
                   const float *point, float *allowed);

/* The pair of parts in a list that is in order, or NULL. */
const check_accepted *check_find_accepted(const check_acceptance *acceptance, uint32_t a,
                                          uint32_t b);

/* How far a part reaches at rest, and two of them: the size of the smaller one, in units of the
   file, which percentages are of. */
double check_pair_size(const check *state, uint32_t a, uint32_t b);

/* The reach of two parts, and the depth that a limit stands for between them; units of the file. */
double check_reach(const check *state, uint32_t a, uint32_t b);
double check_limit_depth(const check *state, check_limit limit, uint32_t a, uint32_t b);

/* How far a site of some depth forgives. */
double check_site_reach(const check *state, double depth, uint32_t a, uint32_t b);

/* How deep contact may be where `accepted` is the deepest that was. */
double check_allowed_depth(const check *state, double accepted, uint32_t a, uint32_t b);

#endif
