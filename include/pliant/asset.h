/*
 * Pliant: assets, from libpliant_asset. Reads scenes (glTF 2.0), meshes, numbered sequences of
 * meshes, and vertex caches beside their mesh. docs/guide/files.md lists the formats.
 *
 * An asset holds shapes (meshes with their modes and influences), bodies (a shape at a place, named
 * as in the file) and clips (animations). A pose is one moment of a clip: for every body the
 * coordinates q and the transforms T that its state is set with, or, where the file stores whole
 * frames, its positions.
 *
 *     pliant_asset_def def = pliant_asset_def_default();
 *     def.paths = &path, def.path_count = 1;
 *     pliant_asset_load(context, &def, &asset);
 *     pliant_asset_pose_create(asset, &pose);
 *     pliant_asset_pose_sample(pose, clip, time);
 *     pliant_asset_pose_apply(pose, 0, body);
 *
 * An asset never changes after it was loaded and may be read by any number of threads; a pose
 * belongs to one thread at a time. Everything that is read is checked: a bad file ends in an error
 * that names the file, the place and the offender, never in anything worse. A file cannot make the
 * reader take more than 64 times its own size plus 16 MiB, or 1024 times where it is compressed
 * with Draco; a glTF file's size includes that of the files its buffers name, each counted and read
 * once.
 */
#ifndef PLIANT_ASSET_H
#define PLIANT_ASSET_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where files come from; for archives, browsers and tests. Both functions return false where they
 * cannot do what is asked.
 */
typedef struct pliant_files {
    /* The size of a file in bytes. */
    bool (*size)(void *user, const char *path, uint64_t *size);
    /* Reads exactly `count` bytes from `offset` on. */
    bool (*read)(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count);
    void *user;
} pliant_files;

typedef struct pliant_asset_def {
    uint32_t tag; /* set by pliant_asset_def_default() */
    /*
     * The files, in order. A run of '#' in a name stands for a frame number with at least as many
     * digits and makes the name a sequence ("cloth.####.ply"). A vertex cache moves the mesh
     * file before it; alone it is a body of points without triangles. Bodies of several files stand
     * side by side.
     */
    const char *const *paths;
    uint32_t path_count;
    /*
     * glTF files of which only the clips are read; default none. They move the nodes of the files
     * above that have the same names, as do files among `paths` that have clips and no triangles,
     * if a file before them has triangles. A clip is then called as its file, "walk", or
     * "walk:NAME" where the file has several. Nodes that are not found are noted; a file of which
     * none is found is refused.
     */
    const char *const *clip_paths;
    uint32_t clip_path_count;
    bool together;            /* play the clips of each glTF file as one; default false */
    double frames_per_second; /* of sequences and caches without times; default 30 */
    bool normalise_weights;   /* make the weights of each vertex sum to 1; default true */
    /*
     * Go on where weights of a skin cannot be used, because they are not finite, negative, or of a
     * joint that the skin has not: such a weight counts as 0 and the vertex's others are made to
     * sum to 1; a vertex without any other follows its mesh's node alone, which is then the last
     * joint of the body. A note says of how many vertices. Default false: such files are refused.
     */
    bool repair;
    /*
     * Of glTF files with several scenes, the one to read: its name or, where no scene is named so,
     * its number from 0 on. Every glTF file must have it. Default NULL: the one that the file
     * shows, or its first; a note names those left out.
     */
    const char *scene;
    pliant_files files; /* default: the file system */
} pliant_asset_def;

typedef struct pliant_asset pliant_asset;

/* The version of this library and, after the files that it reads in any case, the packages that it
   was built with: "0.1.0 (files jansson meshoptimizer draco lapacke)". Never NULL. */
PLIANT_API const char *pliant_asset_version(void);

PLIANT_DEFAULT(pliant_asset_def)

/*
 * Loads files. Failures are PLIANT_ERROR_DATA unless another result says more. Text of a file in
 * pliant_last_error() and in notes can be printed anywhere: other characters than visible ones are
 * escaped, as \x1b or \u202e, and long text is cut.
 */
PLIANT_API pliant_result pliant_asset_load(pliant_context *context, const pliant_asset_def *def,
                                           pliant_asset **asset);

/* Destroys an asset. Its poses keep it, and its `files` must be usable until they are gone; what it
   returned pointers to goes with the last of them. NULL is ignored. */
PLIANT_API void pliant_asset_destroy(pliant_asset *asset);

typedef struct pliant_asset_counts {
    uint32_t shapes;
    uint32_t bodies; /* several bodies may have one shape */
    uint32_t clips;
    uint32_t notes; /* sentences about what is odd in the files */
} pliant_asset_counts;

PLIANT_API pliant_asset_counts pliant_asset_get_counts(const pliant_asset *asset);

/*
 * A mesh with its deformation model, as plain arrays that belong to the asset. The position of a
 * vertex is y = p + sum q_m U_m, then x = sum w_j (T_j y); without influences x = T_0 y.
 */
typedef struct pliant_asset_mesh {
    const char *name;
    const float *positions;    /* p: x, y, z per vertex */
    const uint32_t *triangles; /* three vertices each; NULL: a cache without its mesh */
    const uint16_t *groups;    /* per triangle, an index of group_names; NULL: all are group 0 */
    const char *const *group_names; /* materials; in glTF one per primitive; never empty strings */
    const float *modes;             /* U: mode_count fields of 3 * vertex_count numbers */
    const char *const *mode_names;
    const uint32_t *influence_offsets; /* vertex_count + 1; NULL: no influences */
    const uint32_t *influence_joints;  /* per influence, below joint_count */
    const float *influence_weights;
    float error; /* how far the mesh that was meant may lie from this one, before transforms: what
                    pliant fit writes into its files; otherwise 0 */
    uint32_t vertex_count, triangle_count, group_count, mode_count;
    uint32_t joint_count; /* transforms that a body needs: joints, or 1; 0 where frames move it */
} pliant_asset_mesh;

/* Shape number `shape`, or NULL where there is none. */
PLIANT_API const pliant_asset_mesh *pliant_asset_get_mesh(const pliant_asset *asset,
                                                          uint32_t shape);

/*
 * The definition to create shape number `shape` from: the defaults, with the arrays and the error
 * of the mesh in it. They are copied by pliant_shape_create(). Fails if the mesh has no triangles.
 */
PLIANT_API pliant_result pliant_asset_get_shape_def(const pliant_asset *asset, uint32_t shape,
                                                    pliant_shape_def *def);

typedef enum pliant_asset_motion {
    PLIANT_ASSET_STILL = 0, /* no clip moves it; its one transform puts it in its place */
    PLIANT_ASSET_RIGID,     /* its one transform changes */
    PLIANT_ASSET_DEFORMING, /* it has modes, influences or both */
    PLIANT_ASSET_FRAMES     /* its positions come from a sequence or a cache, frame by frame */
} pliant_asset_motion;

typedef struct pliant_asset_body {
    const char *name; /* as in the file: the node, the object or the file; need not be unique */
    uint32_t shape;
    pliant_asset_motion motion;
    uint32_t joint_count;           /* as its mesh's */
    const char *const *joint_names; /* the joints, or the body's own node */
} pliant_asset_body;

/* Body number `body`, or NULL where there is none. */
PLIANT_API const pliant_asset_body *pliant_asset_get_body(const pliant_asset *asset, uint32_t body);

typedef struct pliant_asset_clip {
    const char *name;
    double duration;      /* seconds, from 0 to its last key */
    uint32_t frame_count; /* moments stored in the file, if it stores whole frames; else 0 */
    uint32_t key_count;   /* different times of keys at most: those of its longest channel; or 0 */
    double key_step;      /* seconds: the longest step that leads to the time of every key; 0 where
                             there is none of at least a thousandth of a second */
    const uint64_t *frame_numbers; /* of a numbered sequence: the number of each frame's file, in
                                      the order of frames; else NULL */
    uint64_t missing_frames;       /* numbers between these that have no file */
} pliant_asset_clip;

/* Clip number `clip`, or NULL where there is none. */
PLIANT_API const pliant_asset_clip *pliant_asset_get_clip(const pliant_asset *asset, uint32_t clip);

/* Sentence number `note` about what is odd in the files, or NULL where there is none. */
PLIANT_API const char *pliant_asset_get_note(const pliant_asset *asset, uint32_t note);

/* The rest pose, in place of a clip: the nodes' own transforms and weights; first frames. */
#define PLIANT_ASSET_REST UINT32_MAX

/* One moment of an asset, with room of its own. */
typedef struct pliant_asset_pose pliant_asset_pose;

/* Creates a pose of the asset, at rest. */
PLIANT_API pliant_result pliant_asset_pose_create(const pliant_asset *asset,
                                                  pliant_asset_pose **pose);

/* Destroys a pose and the arrays of its state. NULL is ignored. */
PLIANT_API void pliant_asset_pose_destroy(pliant_asset_pose *pose);

/*
 * Makes `pose` the moment `time`, in seconds, of a clip or of PLIANT_ASSET_REST. Times outside the
 * clip count as its ends. Frames of sequences and caches are read now and are never interpolated:
 * the nearest one counts. A clip of one file leaves bodies of other files at rest, but sequences
 * and caches move in every clip. If the call fails, the pose must be sampled again before it is
 * used.
 */
PLIANT_API pliant_result pliant_asset_pose_sample(pliant_asset_pose *pose, uint32_t clip,
                                                  double time);

/* The state of one body in a pose; the arrays stay valid until the pose is sampled again. */
typedef struct pliant_asset_state {
    const float *coordinates; /* q: the mesh's mode_count numbers */
    const float *transforms; /* T: 12 numbers per joint, the rows of (A | t); NULL with positions */
    const float *positions;  /* all vertices, where the motion is PLIANT_ASSET_FRAMES; else NULL */
    uint32_t coordinate_count, transform_count, position_count;
    /* Every transform is singular, so that nothing is left of the body, or it is flat. Files hide
       bodies in this way, by a scale of 0; leave such a body out while it is hidden. */
    bool hidden;
} pliant_asset_state;

PLIANT_API pliant_asset_state pliant_asset_pose_get_state(const pliant_asset_pose *pose,
                                                          uint32_t body);

/*
 * Sets the state of a body that was created from the shape of the asset's body number `body`: the
 * whole of it, or, where the call fails, nothing. It fails with PLIANT_ERROR_RANGE and the body's
 * name where the body is hidden in this pose (see pliant_asset_state); the body then still is where
 * it was before.
 */
PLIANT_API pliant_result pliant_asset_pose_apply(const pliant_asset_pose *pose, uint32_t body,
                                                 pliant_body *target);

/*
 * All vertices of a body in a pose, evaluated in float32 in the order that docs/definition.md
 * fixes. `positions` has room for 3 numbers per vertex.
 */
PLIANT_API pliant_result pliant_asset_pose_evaluate(const pliant_asset_pose *pose, uint32_t body,
                                                    float *positions);

/*
 * A body to write: a mesh at rest, its modes with their coordinates in every frame, and its joints
 * with their places in every frame. Joint number j of frame f takes a vertex to
 * t + R (s * (R' y)), with the translation t, rotation R and scale s of that frame and, if there
 * are inner rotations, R' first; this is enough for every affine transform.
 */
typedef struct pliant_asset_output {
    const char *name;
    const float *positions;    /* 3 numbers per vertex */
    const uint32_t *triangles; /* 3 vertices per triangle */
    const float *modes;        /* mode_count fields of 3 * vertex_count numbers */
    const float *coordinates;  /* mode_count numbers per frame */
    uint32_t vertex_count, triangle_count, mode_count;
    float error;                  /* written for pliant_asset_mesh; 0: none */
    uint32_t joint_count;         /* 0: the body stays; 1 without influences: it moves rigidly */
    uint32_t influence_sets;      /* groups of 4 influences per vertex */
    const uint16_t *joints;       /* set after set, 4 per vertex; unused ones are 0 */
    const float *weights;         /* the same; unused ones are 0, those of a vertex sum to 1 */
    const float *translations;    /* joint after joint, 3 numbers per frame */
    const float *rotations;       /* the same, quaternions of length 1: x, y, z, w */
    const float *scales;          /* the same, 3 numbers; NULL: all are 1 */
    const float *inner_rotations; /* quaternions; NULL: none */
} pliant_asset_output;

/*
 * Writes bodies as a GLB file: each a node with a mesh, modes as morph targets, joints as a skin or
 * as the movement of the node, and one animation named "frames", `frame_count` keys
 * 1 / frames_per_second apart. Call it with buffer NULL to learn the size; otherwise `capacity`
 * must be enough.
 */
PLIANT_API pliant_result pliant_asset_output_write(const pliant_asset_output *bodies,
                                                   uint32_t body_count, uint32_t frame_count,
                                                   double frames_per_second, void *buffer,
                                                   uint64_t capacity, uint64_t *size);

#ifdef __cplusplus
}
#endif

#endif
