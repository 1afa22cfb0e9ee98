/* The bones of the walking figure, its solids, and how it moves. */
#ifndef GALLERY_FIGURE_H
#define GALLERY_FIGURE_H

#include "gallery/meshless/surface.h"
#include "gallery.h"

#define FIGURE_BONES 21
#define FIGURE_MODES 3 /* morph targets of the body: it breathes in, its belly grows, it chews */

typedef struct figure_bone {
    int parent;        /* or -1; always a bone before this one */
    double joint[3];   /* where it turns, at rest; the figure looks along -y */
    double tip[3];     /* its other end */
    double body, coat; /* how much it moves the body and the coat, beside other bones */
} figure_bone;

extern const figure_bone figure_bones[FIGURE_BONES];

extern const implicit_solid figure_body;
extern const implicit_solid figure_coat; /* with a lid on every opening, which has to be cut off */

/* The body at rest, closed, and what moves it: bones and morph targets. False: no memory. */
bool figure_make_body(uint32_t vertices, gallery_mesh *mesh, gallery_model *model);

/* Is a point of the coat's surface cloth, and not a lid? */
bool figure_is_cloth(const double point[3]);

/* How a morph target moves a point of the body's surface. */
void figure_morph(uint32_t mode, const double point[3], double offset[3]);

/* Amplitudes of the morph targets, and transforms of the bones, at a time from 0 to 1. Phases make
   one walk differ from another; at time 0 all figures stand at rest. */
void figure_pose(double time, const double phases[3], float coordinates[FIGURE_MODES],
                 float transforms[12 * FIGURE_BONES]);

/* The same for a figure that walks on the spot without an end, so many seconds after it began. */
void figure_stroll(double seconds, const double phases[3], float coordinates[FIGURE_MODES],
                   float transforms[12 * FIGURE_BONES]);

#endif
