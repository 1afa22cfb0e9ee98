/* The variants of the ring of figures, for benchmarks. */
#ifndef GALLERY_MESHLESS_RING_H
#define GALLERY_MESHLESS_RING_H

#include "gallery/gallery.h"

#define RING_FEW_NODES  115
#define RING_MANY_NODES 550

/*
 * The ring with 115 or 550 nodes per body, and with small or large contact; gallery_ring is the
 * first with the first. NULL for another number of nodes. Ask gallery_create() for 2 * (vertices -
 * 2) triangles: the paper's vertices are 2,857 and 45,682.
 */
const gallery_kind *ring_kind(uint32_t nodes, bool large);

#endif
