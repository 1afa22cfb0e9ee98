/*
 * Bodies that one transform moves as a whole keep their image in their own frame: points are taken
 * there instead, and the image serves every state.
 */
#ifndef PLI_VOLUME_OWN_FRAME_H
#define PLI_VOLUME_OWN_FRAME_H

#include "volume/volume.h"

typedef struct pli_own_frame {
    double linear[3][3], inverse[3][3], translation[3];
    double stretch; /* no direction is stretched more */
    double sign;    /* -1 for reflections, which turn winding numbers around */
} pli_own_frame;

/* Whether a body is of that kind and its transform can be undone well enough. */
bool pli_own_frame_set(const pliant_body *body, pli_own_frame *frame);

/* A point of the world in the body's frame. */
void pli_own_frame_enter(const pli_own_frame *frame, const float point[3], float own[3]);

/* How far that may be off, in the world, for points within a box of the body's frame. */
double pli_own_frame_rounding(const pli_own_frame *frame, const pliant_box *box);

/* A direction along an axis of the frame, in the world: of length 1; returns how long it was. */
double pli_own_frame_direction(const pli_own_frame *frame, uint32_t axis, double direction[3]);

/*
 * Asks for the whole image of a body in its own frame: for one that is there, or for one of a body
 * at rest, *resting, which the caller destroys. *box is the body's in that frame.
 */
pliant_result pli_own_frame_request(const pliant_volume *volume, pliant_body *body,
                                    const pliant_volume_options *options, pliant_body **resting,
                                    pli_image_request *request, pliant_box *box);

#endif
