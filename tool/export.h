/* pliant export: what its parts share. */
#ifndef TOOL_EXPORT_H
#define TOOL_EXPORT_H

#include "cli.h"

#include "pliant/asset.h"
#include "gallery/body.h"

/* The body of a file, with everything that it points to. */
typedef struct export_body {
    char name[GALLERY_NAME];
    float *positions, *modes, *coordinates, *weights;
    uint16_t *joints;
    float *translations, *rotations, *scales, *inner_rotations;
    bool is_thinned; /* given by positions, of which only some steps were kept */
} export_body;

/* Frames are the steps from 0 on; y is up, as glTF has it. `output` points into `body`, which
 * export_free() empties. */
bool export_fill(const gallery_scene *scene, uint32_t index, export_body *body,
                 pliant_asset_output *output);
void export_free(export_body *body);

typedef struct export_file {
    void *bytes;
    uint64_t size;
    bool is_thinned; /* as of any of the bodies */
} export_file;

/*
 * Writes the first `body_count` bodies of a scene as a GLB at `rate` frames a second. Sets `bytes`,
 * which the caller frees, unless the call fails.
 */
pliant_result export_make(const gallery_scene *scene, uint32_t body_count, double rate,
                          export_file *file);

/*
 * Splits affine transforms, 12 numbers per joint and frame (frame after frame), into what nodes of
 * glTF can do; see pliant_asset_output. False without memory.
 */
bool export_joints(const float *transforms, uint32_t joint_count, uint32_t frame_count,
                   export_body *body);

#endif
