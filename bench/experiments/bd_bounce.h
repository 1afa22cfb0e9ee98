/*
 * A ball that bounces off: what a ball does that is thrown at an animation which does not know of
 * it. The paper's experiment must be such a one, for it counts 2,150 tests of layered spheres in
 * all of its frames, which is what a touch in a frame or two takes.
 */
#ifndef BENCH_EXPERIMENTS_BD_BOUNCE_H
#define BENCH_EXPERIMENTS_BD_BOUNCE_H

#include "bench/reduced_pair.h"

/*
 * Writes the second actor's transforms anew: up to the first frame in which the two touch as they
 * are, and from there on back the way it came. False when there is no memory.
 */
bool bounce_second(const reduced_pair *pair, float *transforms);

#endif
