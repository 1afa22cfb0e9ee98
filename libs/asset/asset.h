/*
 * The inside of an asset. Nodes of all glTF files stand in one list, parents before children, and a
 * clip is a range of channels; so sampling need not know which file a body came from.
 */
#ifndef PLI_ASSET_ASSET_H
#define PLI_ASSET_ASSET_H

#include "reader.h"

#define PLI_NONE UINT32_MAX

/* A node of a glTF file. */
typedef struct pli_asset_node {
    const char *name;
    uint32_t parent; /* PLI_NONE: a root */
    bool has_matrix; /* its transform is `matrix` and no channel moves it */
    double matrix[12];
    float translation[3], rotation[4], scale[3];
    const float *weights; /* of its mesh's modes; NULL: none */
    uint32_t weight_count;
    uint32_t weight_start; /* in the weights of a pose */
} pli_asset_node;

typedef enum pli_asset_path {
    PLI_PATH_TRANSLATION,
    PLI_PATH_ROTATION,
    PLI_PATH_SCALE,
    PLI_PATH_WEIGHTS
} pli_asset_path;

typedef enum pli_interpolation {
    PLI_INTERPOLATION_LINEAR,
    PLI_INTERPOLATION_STEP,
    PLI_INTERPOLATION_CUBIC
} pli_interpolation;

/* How one property of a node changes over time. */
typedef struct pli_asset_channel {
    uint32_t node;
    pli_asset_path path;
    pli_interpolation interpolation;
    uint32_t key_count; /* at least 1 */
    uint32_t width;     /* numbers per key; with CUBIC thrice as many are stored */
    const float *times; /* ascending */
    const float *values;
} pli_asset_channel;

typedef struct pli_asset_clip {
    pliant_asset_clip shown;
    uint32_t first_channel, channel_count;
} pli_asset_clip;

/* A sequence of mesh files or a vertex cache, and the bodies that it moves. */
struct pli_frames {
    bool is_sequence;
    bool big_endian;          /* order of the bytes of a cache */
    const char *const *paths; /* of each frame of a sequence; of the one cache */
    const uint64_t *numbers;  /* of the files of a sequence */
    uint32_t frame_count;
    uint32_t point_count; /* vertices per frame, of a cache */
    uint64_t data_offset; /* of the first frame, in a cache */
    const float *times;   /* of an MDD cache; NULL: frames_per_second tells */
    uint32_t first_body, body_count;
    uint64_t topology; /* of the first file of a sequence */
};

typedef struct pli_asset_body {
    pliant_asset_body shown;
    uint32_t node;              /* PLI_NONE: not of a glTF file */
    const uint32_t *joints;     /* nodes; NULL: not skinned */
    const float *inverse_binds; /* 12 numbers per joint; NULL: identities */
    uint32_t frames;            /* PLI_NONE: not moved by frames */
} pli_asset_body;

struct pliant_asset {
    pliant_context *context;
    _Atomic uint64_t users; /* poses, and the caller until it destroys the asset */
    pli_memory memory;
    pli_notes notes;
    pliant_files files;
    double frames_per_second;
    bool normalise_weights, repair, together;
    const char *scene; /* the name or number that was asked for; NULL: each file's own */
    pliant_asset_mesh *meshes;
    size_t mesh_count, mesh_capacity;
    pli_asset_body *bodies;
    size_t body_count, body_capacity;
    pli_asset_node *nodes;
    size_t node_count, node_capacity;
    pli_asset_channel *channels;
    size_t channel_count, channel_capacity;
    pli_asset_clip *clips;
    size_t clip_count, clip_capacity;
    pli_frames *frames;
    size_t frames_count, frames_capacity;
    uint32_t weight_total; /* of all nodes */
};

/*
 * Reads a file up to its first `most` bytes, with a zero byte behind them, and raises the limit of
 * `memory` by what these allow. `path` is named in errors.
 */
pliant_result pli_file_read(const pliant_files *files, pli_memory *memory, const char *path,
                            uint64_t most, uint8_t **bytes, size_t *size);

/* The same for `count` bytes from `offset` on, all of which must be there. */
pliant_result pli_file_read_range(const pliant_files *files, pli_memory *memory, const char *path,
                                  uint64_t offset, uint64_t count, uint8_t **bytes);

/* Reads `count` bytes from `offset` on. */
pliant_result pli_file_read_part(const pliant_files *files, const char *path, uint64_t offset,
                                 void *buffer, uint64_t count);

pliant_result pli_file_size(const pliant_files *files, const char *path, uint64_t *size);

/* The file system. */
pliant_files pli_files_default(void);

/*
 * The files that a name with a run of '#' stands for, in the order of their numbers; notes missing
 * numbers. At least one, or it fails.
 */
pliant_result pli_sequence_list(pli_memory *memory, pli_notes *notes, const char *pattern,
                                uint64_t **numbers, char ***paths, uint32_t *count);

/* Reads a mesh file of any mesh format. */
pliant_result pli_read_mesh(pli_reader *reader);

/* Returns the most bytes of a mesh file that can matter, by its start; UINT64_MAX: not known. */
uint64_t pli_mesh_most_bytes(const pli_reader *start);

/* Reads the bytes of a mesh file into the reader, and those that cannot matter not. The caller
   drops them. */
pliant_result pli_mesh_file_read(const pliant_files *files, const char *path, pli_reader *reader);

typedef enum pli_format_kind {
    PLI_FORMAT_SCENE, /* glTF */
    PLI_FORMAT_MESH,
    PLI_FORMAT_CACHE
} pli_format_kind;

/* A line of formats.inl. */
typedef struct pli_format {
    pli_format_kind kind;
    const char *ending, *name;
    const char *magic; /* first bytes of every such file; NULL: only the ending identifies it */
    pliant_result (*read_mesh)(pli_reader *reader);
    pliant_result (*open_cache)(pliant_asset *asset, const pli_reader *reader, uint64_t size,
                                pli_frames *frames);
} pli_format;

/* As many bytes of a file as its format needs to be known. */
#define PLI_HEAD       64

#define PLI_LFS_ADVICE "it is a pointer of Git LFS, not the file itself; fetch it (git lfs pull)"

/* Whether the bytes are what Git LFS keeps in place of a file that was not fetched. */
bool pli_is_lfs_pointer(const uint8_t *bytes, size_t size);

/* Finds the format of a file by its first bytes and its name, or fails with advice. */
pliant_result pli_format_of(const pli_reader *reader, const pli_format **format);

/* Returns true if the ending of a path is that of a vertex cache. */
bool pli_is_cache_name(const char *path);

/* Adds everything in a glTF or GLB file of `size` bytes to the asset; `path` is where its buffers
   are sought. The reader has the first PLI_HEAD bytes; afterwards it has none. */
pliant_result pli_read_gltf(pliant_asset *asset, pli_reader *reader, uint64_t size,
                            const char *path, bool clips_only);

/* Reads one frame of a cache: 3 * point_count numbers. */
pliant_result pli_cache_read(const pliant_asset *asset, const pli_frames *frames, uint32_t frame,
                             float *positions);

/* A pose of the asset begins to live, or has ended: with the last user the asset is gone. */
void pli_asset_join(const pliant_asset *asset);
void pli_asset_leave(const pliant_asset *asset);

/* The asset that a pose is of. */
const pliant_asset *pli_pose_asset(const pliant_asset_pose *pose);

/* Room for one more element at the end of a list of the asset; NULL with an error. */
pli_asset_body *pli_asset_add_body(pliant_asset *asset);
pli_asset_node *pli_asset_add_node(pliant_asset *asset);
pli_asset_channel *pli_asset_add_channel(pliant_asset *asset);
pli_asset_clip *pli_asset_add_clip(pliant_asset *asset);
pliant_asset_mesh *pli_asset_add_mesh(pliant_asset *asset);

#endif
