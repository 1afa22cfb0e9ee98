/* The inside of the glTF reader. Only used where jansson is there. */
#ifndef PLI_ASSET_GLTF_H
#define PLI_ASSET_GLTF_H

#include <jansson.h>

#include "asset.h"

typedef struct gltf_bytes {
    const uint8_t *at; /* NULL: not looked at yet */
    uint64_t size;
} gltf_bytes;

/* Numbers of an accessor, once they have been read. */
typedef struct gltf_numbers {
    const float *at; /* NULL: not read yet */
    uint64_t count;  /* elements */
    uint32_t components;
} gltf_numbers;

/* An accessor's numbers, packed, where they came out of a compressed primitive. */
typedef struct gltf_decoded {
    const uint8_t *at; /* NULL: they stand in a buffer view */
    uint32_t view;     /* of the compressed stream */
    uint32_t type;     /* of a component */
    uint64_t count;    /* elements, which may be more than the accessor declares */
} gltf_decoded;

/* The shape that a mesh became for bodies with so many joints (0: without a skin). */
typedef struct gltf_shape {
    uint32_t joint_count;
    uint32_t shape; /* PLI_NONE: the mesh has no triangles */
    uint32_t next;  /* another one of the same mesh, from 1; 0: none */
} gltf_shape;

typedef struct gltf_skin {
    const uint32_t *joints; /* nodes of the asset; NULL: not read yet */
    const char *const *names;
    const float *inverse_binds;
    uint32_t joint_count;
} gltf_skin;

typedef struct gltf_doc {
    pliant_asset *asset;
    pli_reader *reader;
    pli_memory *memory;
    const char *path;
    json_t *root;
    /* Lists of the file; NULL: empty. */
    const json_t *accessors, *views, *buffers, *meshes, *nodes, *skins, *animations, *materials,
        *scenes;
    uint64_t bin_offset, bin_size; /* of the binary chunk in a GLB file; 0: there is none */
    gltf_bytes *buffer_bytes, *view_bytes;
    gltf_bytes *loaded; /* what buffers were read or decoded into */
    size_t loaded_count, loaded_capacity;
    json_t *file_of;       /* where in `loaded` the start of a file is, by its path */
    uint64_t file_memory;  /* what that may take */
    gltf_numbers *numbers; /* by accessor */
    gltf_decoded *decoded; /* by accessor */
    bool has_draco;
    uint32_t *node_of; /* the asset's number of each of the file's nodes */
    uint32_t *mesh_mode_count;
    uint32_t *mesh_shape; /* the latest of `shapes` of each mesh, from 1; 0: none */
    gltf_skin *skin_list;
    gltf_shape *shapes;
    size_t shape_count, shape_capacity;
    size_t first_node; /* of this file, in the asset */
    /* Clips that move nodes of other files: */
    bool is_bound;
    uint32_t *bound; /* per node: 1 more than the asset's node of the same name; 0: not looked for
                        yet; PLI_NONE: there is none */
    size_t bound_count, unbound_count;
    char unbound[224]; /* the first names that were not found */
} gltf_doc;

/* The node of another file that a node of this one stands for, or PLI_NONE. */
pliant_result pli_gltf_bind_node(gltf_doc *doc, uint32_t node, uint32_t *bound);
pliant_result pli_gltf_end_binding(gltf_doc *doc);

/* Fails with "FILE: KIND INDEX: ...". */
pliant_result pli_gltf_fail(const gltf_doc *doc, const char *kind, size_t index, const char *format,
                            ...) PLI_ASSET_PRINTF(4, 5);

/*
 * Members of an object. A member that is not there is *value = `otherwise` and a success; one of
 * the wrong kind is an error that names the object.
 */
pliant_result pli_gltf_get_count(const gltf_doc *doc, const char *kind, size_t index,
                                 const json_t *object, const char *key, uint64_t otherwise,
                                 uint64_t *value);

/* An index into a list: PLI_NONE if the member is not there, an error if it is out of range. */
pliant_result pli_gltf_get_index(const gltf_doc *doc, const char *kind, size_t index,
                                 const json_t *object, const char *key, const json_t *list,
                                 uint32_t *value);

/* An index that stands in a list of indices. */
pliant_result pli_gltf_to_index(const gltf_doc *doc, const char *kind, size_t index,
                                const json_t *number, const char *key, const json_t *list,
                                uint32_t *value);

/* Exactly `count` finite numbers, or none; *found says which. */
pliant_result pli_gltf_get_floats(const gltf_doc *doc, const char *kind, size_t index,
                                  const json_t *object, const char *key, size_t count,
                                  float *values, bool *found);

/* A list; *value = NULL if the member is not there. */
pliant_result pli_gltf_get_list(const gltf_doc *doc, const char *kind, size_t index,
                                const json_t *object, const char *key, const json_t **value);

/* An object; *value = NULL if the member is not there. */
pliant_result pli_gltf_get_object(const gltf_doc *doc, const char *kind, size_t index,
                                  const json_t *object, const char *key, const json_t **value);

/* A copy of the member "name" if it is a text that is not empty, otherwise "KIND INDEX". */
const char *pli_gltf_name(const gltf_doc *doc, const json_t *object, const char *kind,
                          size_t index);

/* Text that nests deeper than 64 levels, or would take much memory, is refused before parsing. */
pliant_result pli_gltf_scan_json(const pli_reader *reader, const uint8_t *text, size_t size,
                                 uint64_t *memory);

/* The bytes of a buffer view, decompressed where they must be. */
pliant_result pli_gltf_view(gltf_doc *doc, uint32_t view, gltf_bytes *bytes);

/* The bytes of a buffer. */
pliant_result pli_gltf_buffer(gltf_doc *doc, uint32_t buffer, gltf_bytes *bytes);

/* The view's extension object for compressed data, or NULL. */
const json_t *pli_gltf_compression(const json_t *view);

/* Decompresses a view (EXT_meshopt_compression). */
pliant_result pli_gltf_decompress(gltf_doc *doc, uint32_t view, const json_t *extension,
                                  gltf_bytes *bytes);

/* Decodes a primitive that is compressed with Draco (KHR_draco_mesh_compression), if it is. */
pliant_result pli_gltf_read_draco(gltf_doc *doc, uint32_t mesh, size_t primitive,
                                  const json_t *object);

/*
 * All numbers of an accessor of `components` each, as floats; integers are normalised where the
 * accessor says so. Every number is finite. Kept until the asset is destroyed.
 */
pliant_result pli_gltf_floats(gltf_doc *doc, uint32_t accessor, uint32_t components,
                              gltf_numbers *numbers);

/* The same, whether they are finite or not: for a caller who can say what they are of. */
pliant_result pli_gltf_any_floats(gltf_doc *doc, uint32_t accessor, uint32_t components,
                                  gltf_numbers *numbers);

/* Gives back the numbers of an accessor that have been copied. */
void pli_gltf_forget(gltf_doc *doc, uint32_t accessor);

/* All numbers of an accessor of unsigned whole ones; the caller drops them. */
pliant_result pli_gltf_integers(gltf_doc *doc, uint32_t accessor, uint32_t components,
                                uint32_t **values, uint64_t *count);

/* What an accessor holds: numbers per element (0: its type is not known), their type, and how many
   elements. */
pliant_result pli_gltf_accessor_form(gltf_doc *doc, uint32_t accessor, uint32_t *components,
                                     uint32_t *type, uint64_t *count);

/* How many elements an accessor has. */
pliant_result pli_gltf_accessor_count(gltf_doc *doc, uint32_t accessor, uint64_t *count);

/* Reads all nodes into the asset. */
pliant_result pli_gltf_read_nodes(gltf_doc *doc);

/* Reads the modes that each mesh has. */
pliant_result pli_gltf_count_modes(gltf_doc *doc);

/* The shape of a mesh for bodies with so many joints (0: none). */
pliant_result pli_gltf_find_shape(gltf_doc *doc, uint32_t mesh, uint32_t joint_count,
                                  uint32_t *shape);

pliant_result pli_gltf_find_skin(gltf_doc *doc, uint32_t skin, const gltf_skin **found);

/* Primitives of a mesh that have triangles, one list of vertices for those that share them. */
typedef struct gltf_vertices {
    const json_t *attributes; /* of the first primitive that uses them */
    const json_t *targets;    /* morph targets; NULL: none */
    size_t primitive;
    uint32_t first, count;
} gltf_vertices;

/* Reads the influences of a mesh's vertices. Where vertices are repaired that no joint moves, the
   mesh gets one joint more than its skin has: the node that it hangs on. */
pliant_result pli_gltf_read_influences(gltf_doc *doc, uint32_t mesh, const gltf_vertices *vertices,
                                       size_t vertices_count, pliant_asset_mesh *out);

/* Makes a body of every node with a mesh in the scene. */
pliant_result pli_gltf_read_bodies(gltf_doc *doc);

/* Reads all animations as clips. */
pliant_result pli_gltf_read_animations(gltf_doc *doc);
pliant_result pli_gltf_name_clips(gltf_doc *doc, size_t first);

#endif
