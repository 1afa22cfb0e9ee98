/*
 * What nearest_points.c and nearest_kernels.c, which have to agree to the last bit, have in common.
 *
 * The cross product n of two differences u and v is off by a few e |u| |v|, e = 2^-53. If |n|^2 is
 * more than PLI_WELL_SHAPED |u|^2 |v|^2, the sine of their angle more than 2^-8, then n is off by
 * less than 2^-42 |n|: the distance of lines and planes as seen along it by less than 2^-41 of the
 * spread, and where the closest points lie along u and v by less than 2^-32 of the spread over the
 * sine of that angle. PLI_LINE_SLACK times the spread covers both. Where n is worse, nothing is
 * ruled out.
 */
#ifndef PLI_GEOMETRY_NEAREST_POINTS_H
#define PLI_GEOMETRY_NEAREST_POINTS_H

#define PLI_WELL_SHAPED 0x1p-16
#define PLI_LINE_SLACK  0x1p-28

/* Most steps towards a point inside a face or inside two edges. */
enum { PLI_STEPS_INSIDE = 5 };

#endif
