/* Every question there is about bodies of a shape, for shapes from outside: in tests and in
 * fuzzing.
 */
#ifndef PLIANT_TESTS_SHAPE_EXERCISE_H
#define PLIANT_TESTS_SHAPE_EXERCISE_H

#include "pliant/pliant.h"

/*
 * Asks bodies of the shape, updated in a given way, in several states. What the answers are does
 * not matter, and calls may fail. False if one worked longer than the shape's size explains, or
 * stored a bound that is not finite.
 */
bool shape_exercise(pliant_context *context, const pliant_shape *shape, pliant_update update);

#endif
