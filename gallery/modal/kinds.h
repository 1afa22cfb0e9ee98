/*
 * Scenes of reduced bodies after James & Pai (2004), present where LAPACKE is. Their last bits
 * depend on the machine's LAPACK.
 */
#ifndef GALLERY_MODAL_KINDS_H
#define GALLERY_MODAL_KINDS_H

#include "gallery/gallery.h"

extern const gallery_kind gallery_curtain; /* body 0: the curtain, 12 modes; 1: the ball, rigid */
extern const gallery_kind gallery_curtain_pushed; /* the same, simulated together */
extern const gallery_kind
    gallery_chairs; /* chairs, 10 modes and a transform; the last is the floor */
extern const gallery_kind
    gallery_bridge; /* body 0: the bridge, 10 modes; fish, 3 and a transform */

#endif
