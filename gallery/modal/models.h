/*
 * The bodies of James & Pai (2004): meshes with their modes, and how thousands of them start. M is
 * the paper's: chair 10, fish 3, bridge 10, curtain 12.
 */
#ifndef GALLERY_MODAL_MODELS_H
#define GALLERY_MODAL_MODELS_H

#include "analysis.h"
#include "compress.h"
#include "gallery/gallery.h"
#include "shapes.h"

#define MODAL_CHAIR_MODES   10
#define MODAL_FISH_MODES    3
#define MODAL_BRIDGE_MODES  10
#define MODAL_CURTAIN_MODES 12

/* `triangles` as in shapes.h; 0: the paper's. All return false on failure, with nothing made. */

/* A soft plastic chair and a flabby fish, from modal analysis; the origin is the centre of mass. */
bool modal_make_chair(uint32_t triangles, gallery_mesh *mesh, modal_model *model);
bool modal_make_fish(uint32_t triangles, gallery_mesh *mesh, modal_model *model);

/* The bridge in a storm: one period of a large motion, compressed. The mesh is the mean. Frame
   `frame_count - 1` is frame 0 again. */
#define MODAL_BRIDGE_FRAMES 65
#define MODAL_BRIDGE_PERIOD 8.0 /* seconds */
bool modal_make_bridge(uint32_t triangles, gallery_mesh *mesh, modal_animation *animation);

/* Where a point of the bridge is at a share of the period. Section by section, the bridge swings,
   sinks, twists by up to 50 degrees and turns into its own slope; the towers' feet stand. */
void modal_bridge_move(double share, const double rest[3], double moved[3]);

/* One frame of the ball that is thrown at the curtain. */
typedef struct modal_ball {
    double centre[3];
    double orientation[4]; /* a quaternion: i, j, k and the real part */
} modal_ball;
#define MODAL_BALL_RADIUS    0.2
#define MODAL_CURTAIN_FRAMES 110 /* 30 a second */

/* How the curtain and the ball came to their motion. */
typedef enum modal_curtain {
    MODAL_CURTAIN_BLOWN,  /* the wind alone moves the cloth; the ball bounces off what was recorded
                           */
    MODAL_CURTAIN_PUSHED, /* both were simulated together, and the ball pushes the cloth ahead */
} modal_curtain;

/* The curtain that a ball is thrown at, compressed; the mesh is the mean. `seed` changes where it
   hits. `balls` has room for all frames. The library finds what the ball hits, with `isa` at most.
 */
bool modal_make_curtain(modal_curtain motion, uint32_t triangles, uint64_t seed, pliant_isa isa,
                        gallery_mesh *mesh, modal_animation *animation, modal_ball *balls);

/* A model whose modes are those of an animation, for modal_world_drive(); it borrows them, and is
   not to be freed. `animation` may be NULL for
   a body without modes. */
modal_model modal_driven_model(const gallery_mesh *mesh, const modal_animation *animation);

/* A scene's model with copies of modes; `placed` bodies have one transform. */
bool modal_copy_model(const float *modes, uint32_t mode_count, uint32_t vertex_count, bool placed,
                      gallery_model *model);

/* Copies of a mesh and its model for one body of a scene, with one transform. */
bool modal_copy_body(const gallery_mesh *mesh, const modal_model *model, gallery_mesh *mesh_copy,
                     gallery_model *model_copy);

/* How a body starts. */
typedef struct modal_start {
    double position[3];
    modal_matrix rotation;
    double velocity[3], spin[3];
} modal_start;

#define MODAL_CHAIR_COUNT 3601
#define MODAL_FISH_COUNT  12000

/* Layers of chairs in all orientations above a floor at z = 0, none touching another: `radius` is
   the model's. 0 layers: as many as there are rows in each. */
void modal_start_chairs(uint32_t count, uint32_t layers, double radius, uint64_t seed,
                        modal_start *starts);

/* Layers of fish above the road of the bridge, none touching another or the cables. */
void modal_start_fish(uint32_t count, double radius, uint64_t seed, modal_start *starts);

#endif
