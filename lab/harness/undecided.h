/*
 * What the library's triangle kernel leaves to exact arithmetic. A query tests triangles in float32
 * with a proved bound on the error; only the pairs that the bound leaves open are tested exactly.
 * Asking the same kernel about the same candidates, outside of any query, tells which those are.
 */
#ifndef LAB_HARNESS_UNDECIDED_H
#define LAB_HARNESS_UNDECIDED_H

#include "contest.h"

typedef void (*undecided_callback)(void *user, uint32_t a, uint32_t b);

/* What the kernel does in the frames visited so far. */
typedef struct undecided_totals {
    uint64_t candidates; /* pairs that it is asked about */
    double bounded_ns;   /* its time for them, with the listing of candidates */
    double unbounded_ns; /* the same with a bound of next to nothing: plain float arithmetic */
} undecided_totals;

/*
 * Shows every pair of triangles that the kernel cannot decide in this frame, and adds the frame to
 * the totals. False when there is no memory.
 */
bool undecided_visit(const bench_motion *motion, const bench_frame *frame, pliant_isa cap,
                     undecided_callback callback, void *user, undecided_totals *totals);

#endif
