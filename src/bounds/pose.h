/*
 * The state of a body with a model, as bounds and vertices are computed from it, and how much
 * bounds have to be widened for what rounding does to vertices and to the bounds themselves.
 */
#ifndef PLI_BOUNDS_POSE_H
#define PLI_BOUNDS_POSE_H

#include "bounds/record.h"

typedef struct pli_pose {
    float *coordinates;   /* q, one per mode */
    float *transforms;    /* T, 12 per joint: the rows of (A | t) */
    const float *world;   /* W, the rows of the body's last transform, or NULL */
    const float *placing; /* what bounds are placed by, 12 per joint: T; with a world transform W T,
                             rounded, or W alone where there is no T (see below) */
    bool moved;           /* that is one transform, and moves the whole body */
    bool far_out;         /* sums that bounds are made of could overflow: nodes hold everything */
    bool huge_fields;     /* an active mode moves some vertex by 2^100 or more per unit */
    /* What follows from the coordinates, or from the positions of a body that is given by them: */
    double local;  /* no coordinate of a vertex is larger before transforms */
    double active; /* modes that are not zero */
    /* And from the transforms too: */
    float margin[3]; /* boxes are this much wider on each side */
    float size[3];   /* no joint makes a side larger than that, times the largest sum of weights */
    float radius_scale; /* no direction is stretched more by the transform */
    float radius_margin;
    float world_error; /* the shape's error after transforms */
} pli_pose;

/* Works out what follows from the coordinates of a pose. */
void pli_pose_measure_coordinates(const pliant_shape *shape, pli_pose *pose);

/* How far transforms reach, but for a few roundings; see pli_model_kernels. */
typedef struct pli_reach {
    float sum[3]; /* per axis, the largest (|a0| + |a1| + |a2|) local + |t| of a transform */
    float entry;  /* the largest |a| */
    bool finite;  /* all numbers are; otherwise the others mean nothing */
} pli_reach;

/* Works out the rest. Fails, with a sentence, if a vertex could overflow. */
pliant_result pli_pose_measure(const pliant_shape *shape, pli_pose *pose);

/* The same where a kernel has looked at the transforms already. */
pliant_result pli_pose_measure_by(const pliant_shape *shape, const pli_reach *found,
                                  pli_pose *pose);

/* Sets the margin of the box of a whole body (bounds/bounds.h), which the kind of the other bounds
   does not change. */
void pli_pose_whole_margin(const pliant_shape *shape, const pli_pose *pose, float margin[3]);

/* pose->local as a kernel takes it, not below it. */
float pli_pose_local(const pli_pose *pose);

/*
 * A world transform W on top of a body's own T. Vertices are moved by T and by W, one after the
 * other (D1). Bounds are moved by both at once, because a box that is turned twice grows twice. The
 * difference is in the margins of the pose (S10).
 */

/* Works out `placing` and `moved` of a pose whose other fields are set; `room` is for 12 numbers
   per joint, and taken where the pose has both transforms and a world transform. */
void pli_pose_place(const pliant_shape *shape, float *room, pli_pose *pose);

/* Moves boxes of blends by the translation of a world transform. */
void pli_world_shift(const float *world, pli_boxes *boxes);

#endif
