/*
 * A clip of a real file as a motion of blended bodies, where the file is at hand: PLIANT_ASSETS
 * names the folder.
 */
#ifndef LAB_MOTIONS_ASSET_MOTION_H
#define LAB_MOTIONS_ASSET_MOTION_H

#include "motion.h"

/* The file, which the motion borrows from. */
typedef struct asset_motion asset_motion;

/*
 * Every body of the file, at every `stride`-th frame of a clip at 30 frames a second. NULL if the
 * file is not there, cannot be read, or has bodies that are not blended.
 */
asset_motion *asset_motion_read(const char *name, const char *clip, uint32_t stride);
void asset_motion_free(asset_motion *source);

bench_motion *asset_motion_get(asset_motion *source);

#endif
