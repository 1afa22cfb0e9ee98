/*
 * Triangles that are compressed with Draco, decoded by its library. That library is C++ and takes
 * memory by itself; so it is used in one file, draco.cpp, which lets neither an exception out nor a
 * stream take more memory than it may.
 */
#ifndef PLI_ASSET_DRACO_H
#define PLI_ASSET_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pli_draco_result {
    PLI_DRACO_DONE = 0,
    PLI_DRACO_DAMAGED,
    PLI_DRACO_VERSION,   /* not of the one version that glTF allows, 2.2 */
    PLI_DRACO_TOO_LARGE, /* it would take more memory than it may */
    PLI_DRACO_NO_MEMORY,
    PLI_DRACO_NO_ROOM, /* reserve() returned false */
    PLI_DRACO_COUNTS,  /* fewer vertices than the file says, or another number of triangles */
    PLI_DRACO_FIELD    /* an attribute is not there, or cannot become what the file says it is */
} pli_draco_result;

/* One attribute of the vertices, and where its values go: packed, `components` for each vertex. */
typedef struct pli_draco_field {
    uint32_t id;         /* its unique id in the stream */
    uint32_t type;       /* of a component, as glTF numbers them: 5120 to 5126 */
    uint32_t components; /* at most 16 */
    void *values;
} pli_draco_field;

/* What one primitive's stream is to become. */
typedef struct pli_draco_mesh {
    pli_draco_field *fields;
    size_t field_count;
    uint64_t vertex_count, triangle_count; /* as the file says */
    uint32_t *triangles;                   /* three vertices each */
    uint64_t limit;   /* bytes that decoding may take, with the values of all fields */
    size_t bad_field; /* set with PLI_DRACO_FIELD */
    uint64_t found_vertices, found_triangles; /* of the stream, set when it is decoded */
    /* Sets the values of all fields, which must have room for found_vertices. */
    bool (*reserve)(struct pli_draco_mesh *mesh, void *user);
    void *user;
} pli_draco_mesh;

pli_draco_result pli_draco_decode(const uint8_t *bytes, size_t size, pli_draco_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
