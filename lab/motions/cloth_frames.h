/*
 * Two frames of the cloth that drapes over a turning ball, of the University of North Carolina's
 * dynamic scene benchmarks, where these files are at hand: PLIANT_ASSETS names the folder.
 */
#ifndef LAB_MOTIONS_CLOTH_FRAMES_H
#define LAB_MOTIONS_CLOTH_FRAMES_H

#include "motion.h"

typedef struct cloth_frames {
    gallery_mesh mesh; /* that of the first frame */
    bench_motion motion;
} cloth_frames;

/* False if the files are not there or cannot be read; free it in either case. */
bool cloth_frames_read(cloth_frames *frames);
void cloth_frames_free(cloth_frames *frames);

#endif
