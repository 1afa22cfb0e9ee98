/*
 * Principal components of an animation: a few displacement fields whose sums come near every frame.
 * Results depend on the machine's LAPACK in the last bits.
 */
#ifndef GALLERY_MODAL_COMPRESS_H
#define GALLERY_MODAL_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct modal_animation {
    uint32_t vertex_count;
    uint32_t frame_count;
    uint32_t mode_count;  /* M */
    float *mean;          /* p: 3 numbers per vertex */
    float *modes;         /* U: mode after mode, 3 numbers per vertex */
    float *coordinates;   /* q: frame after frame, M numbers each */
    double largest_error; /* the farthest that a vertex of p + U q, in float32, is from its frame */
} modal_animation;

/*
 * Compresses `frame_count` frames of 3 * vertex_count numbers each, frame after frame, to
 * `mode_count` fields. Fields are scaled so that one unit of q moves some vertex by one unit of
 * length; their largest entries are positive; the one that explains most comes first. Fields that
 * the animation does not need are zero. False without memory; the animation is then empty.
 */
bool modal_compress(const float *frames, uint32_t frame_count, uint32_t vertex_count,
                    uint32_t mode_count, modal_animation *animation);

/* The coordinates at a time in frames, between two frames in proportion. */
void modal_animation_at(const modal_animation *animation, double frame, float *coordinates);

void modal_animation_free(modal_animation *animation);

#endif
