/*
 * What is written to a GLB file: bodies with modes and joints at the frames of one animation, and
 * where in the file each part of them is.
 */
#ifndef PLI_ASSET_OUTPUT_H
#define PLI_ASSET_OUTPUT_H

#include "asset.h"
#include "gltf_write.h"

typedef struct pli_output {
    const pliant_asset_output *bodies;
    uint32_t body_count, frame_count;
    double rate; /* frames per second */
} pli_output;

/* Refuses a body that lacks something, with indices out of range or numbers that are not finite. */
pliant_result pli_output_check(const pliant_asset_output *body, uint32_t frame_count);

/* ---------------------------------------------------------------- tracks */

/* What of a joint is animated, in the order of its accessors. */
enum { PLI_TRACK_TRANSLATION, PLI_TRACK_ROTATION, PLI_TRACK_SCALE, PLI_TRACK_INNER, PLI_TRACKS };

bool pli_output_has_track(const pliant_asset_output *body, uint32_t track);
uint32_t pli_output_track_count(const pliant_asset_output *body);

/* Track number `at` of those that a body has. */
uint32_t pli_output_track(const pliant_asset_output *body, uint32_t at);

/* The numbers of a track, joint after joint, and how many there are per frame. */
const float *pli_output_track_data(const pliant_asset_output *body, uint32_t track);
uint32_t pli_output_track_width(uint32_t track);

/* ------------------------------------------------------------- accessors */

/*
 * Accessors: the times of keys, then each body's positions, triangles, modes, weights of modes,
 * joints and weights of vertices, and the tracks of joint after joint. Where these begin, counted
 * from the body's first accessor:
 */
uint32_t pli_output_coordinates_at(const pliant_asset_output *body);
uint32_t pli_output_influences_at(const pliant_asset_output *body);
uint32_t pli_output_tracks_at(const pliant_asset_output *body);

/* For the number of bodies: how many accessors there are in all. */
uint32_t pli_output_first_accessor(const pli_output *file, uint32_t body);

/* Describes an accessor; `user` is the pli_output. */
void pli_output_describe(void *user, uint32_t index, pli_glb_accessor *accessor);

/* ----------------------------------------------------------------- nodes */

/* Nodes: the mesh; with a skin also one that holds the joints; each joint, and its inner one. */
bool pli_output_has_skin(const pliant_asset_output *body);
uint32_t pli_output_first_node(const pli_output *file, uint32_t body);

/* How many there are per joint. */
uint32_t pli_output_joint_nodes(const pliant_asset_output *body);

/* The node that is moved by a joint; its child has the inner rotation, if there is one. */
uint32_t pli_output_joint_node(const pli_output *file, uint32_t body, uint32_t joint);

#endif
