/* A ball that is thrown at a curtain. */
#ifndef GALLERY_MODAL_CURTAIN_THROW_H
#define GALLERY_MODAL_CURTAIN_THROW_H

#include "models.h"

#define MODAL_GRAVITY    9.81
#define MODAL_FRAME_TIME (1.0 / 30.0)
#define MODAL_BALL_MASS  0.2   /* kilograms: a large, light ball */
#define MODAL_BALL_FLOOR -0.25 /* height, a little below the curtain */

/* How the ball starts. It spins about x. */
typedef struct modal_throw {
    double centre[3], velocity[3], spin;
    pliant_isa isa; /* at most this instruction set to find what it hits */
} modal_throw;

/* Draws a throw that meets the plane of the curtain after 0.7 seconds, at 4 m/s. */
modal_throw modal_draw_throw(gallery_random *random);

/* The quaternion of a turn about x. */
void modal_turned_about_x(double angle, double orientation[4]);

/*
 * Throws the ball at a finished animation of a curtain: the curtain pushes the ball, the ball does
 * not move the curtain. `mesh` is the mean. One entry of `balls` per frame of the animation. False
 * without memory.
 */
bool modal_throw_ball(const gallery_mesh *mesh, const modal_animation *animation,
                      const modal_throw *start, modal_ball *balls);

#endif
