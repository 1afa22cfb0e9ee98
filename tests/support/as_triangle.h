/* Corners that tests keep as arrays, as the triangle that public functions take. */
#ifndef PLIANT_TESTS_AS_TRIANGLE_H
#define PLIANT_TESTS_AS_TRIANGLE_H

#include "pliant/triangle.h"

/* Nine numbers, however they are declared. */
static inline const pliant_triangle *as_triangle(const void *corners)
{
    return corners;
}

#endif
