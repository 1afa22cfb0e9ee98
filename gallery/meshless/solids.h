/* The solids that meshless scenes are made of. All are upright along z and look along -y, except
   the fish, which looks along x. */
#ifndef GALLERY_MESHLESS_SOLIDS_H
#define GALLERY_MESHLESS_SOLIDS_H

#include "surface.h"

/* A round man with a pointed hat, a beard, two arms and two boots; from z = -0.3 to 2.3. */
extern const implicit_solid solid_santa;
/* A fish with fins, about 2.4 long, 0.9 wide and 1 high. */
extern const implicit_solid solid_fish;
/* Two folded halves on a stem; its half axes are about 0.85, 1 and 0.75. */
extern const implicit_solid solid_brain;

/* Parts of solids, as functions that are negative inside. */

/* Both solids, with an edge rounded over about `blend`. */
double solid_join(double a, double b, double blend);
double solid_ball(const double point[3], double x, double y, double z, double radius);
double solid_ellipsoid(const double point[3], const double centre[3], const double radii[3]);
/* Balls along the line from a to b, whose radius goes from ra to rb. */
double solid_limb(const double point[3], const double a[3], double ra, const double b[3],
                  double rb);

#endif
