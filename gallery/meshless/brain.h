/* The variants of the pulled brain, for benchmarks. */
#ifndef GALLERY_MESHLESS_BRAIN_H
#define GALLERY_MESHLESS_BRAIN_H

#include "gallery/gallery.h"

/*
 * The brain with 65, 225 or 509 nodes; gallery_brain is the first. NULL for another number of
 * nodes. Ask gallery_create() for 2 * (vertices - 2) triangles: the paper's vertices are about
 * 3,500 and 145,000, and 29,966.
 */
const gallery_kind *brain_kind(uint32_t nodes);

#endif
