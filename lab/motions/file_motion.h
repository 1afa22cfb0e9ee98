/* The user's own files as a motion: every body, at frames of one clip. */
#ifndef LAB_MOTIONS_FILE_MOTION_H
#define LAB_MOTIONS_FILE_MOTION_H

#include "motion.h"

/* The files, which the motion borrows from. */
typedef struct file_motion file_motion;

/*
 * Loads files as `pliant check` does and plays the longest clip of them, at most `most_frames`
 * frames of it, evenly spaced: the frames that a file stores, or 30 a second. Files without any
 * clip are one frame. Where every body is moved by joints alone, everybody is given the joints;
 * otherwise positions. One body alone is asked about itself. NULL, with a sentence that names the
 * offender, if there is nothing to play.
 */
file_motion *file_motion_read(const char *const *paths, uint32_t path_count, uint32_t most_frames,
                              char *error, size_t capacity);
void file_motion_free(file_motion *source);

bench_motion *file_motion_get(file_motion *source);

/* The clip's name; "rest" where nothing moves. */
const char *file_motion_clip(const file_motion *source);

#endif
