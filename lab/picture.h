/* The picture of docs/methods/heidelberger-2003.md: two bodies, as rays see them, and their
 * overlap.
 */
#ifndef LAB_PICTURE_H
#define LAB_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

/* Draws it as SVG. Write errors stay in the stream; false: something else went wrong. */
bool picture_draw_overlap(FILE *stream);

#endif
