/* The same picture as the page's script draws, as SVG: for readers without scripts. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdio.h>

#include "page.h"

/* The angles that the picture starts with, in radians. */
#define PICTURE_YAW   0.5
#define PICTURE_PITCH -0.38

/* Writes an <svg> of the deepest moment. Without memory it writes a sentence instead. */
void picture_write(FILE *stream, const page_content *content);

#endif
