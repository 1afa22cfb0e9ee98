/* Makes small GLB files for tests: data becomes accessors, the rest is JSON written by hand. */
#ifndef PLIANT_TESTS_GLTF_MAKER_H
#define PLIANT_TESTS_GLTF_MAKER_H

#include "asset_fixture.h"

enum { GLTF_I8 = 5120, GLTF_U8, GLTF_I16, GLTF_U16, GLTF_U32 = 5125, GLTF_F32 };

typedef struct gltf_maker {
    byte_string bin, views, accessors;
    int count; /* of accessors, and of views */
} gltf_maker;

/* Adds bytes as a view with members of its own (or ""); returns its number. */
int gltf_add_view(gltf_maker *maker, const void *bytes, size_t size, const char *members);

/* Adds numbers as an accessor with a packed view of its own; returns the number of both. */
int gltf_add(gltf_maker *maker, const char *type, int component_type, size_t count,
             const void *numbers);
/* The same with further members of the accessor, each with a comma before it. */
int gltf_add_with(gltf_maker *maker, const char *type, int component_type, size_t count,
                  const void *numbers, const char *members);

/* Adds an accessor that is all JSON; a view without data goes with it. */
int gltf_add_json(gltf_maker *maker, const char *json);

/* All of it with further members of the root, each with a comma before it; frees the maker. */
byte_string gltf_finish(gltf_maker *maker, const char *members);
/* The JSON only, for tests of bad files. */
byte_string gltf_json(const gltf_maker *maker, const char *members);

/* That JSON with the maker's data is refused with a sentence that has `part` in it. */
void gltf_assert_refused(const gltf_maker *maker, const char *members, const char *part);

void gltf_free(gltf_maker *maker);

/* Four vertices of a square and their two triangles: accessors `positions` and `indices`. */
void gltf_add_square(gltf_maker *maker, int *positions, int *indices);

/* The same with two targets, accessors 2 and 3, and the mesh that morphs by them. */
void gltf_add_morphs(gltf_maker *maker);
#define GLTF_MORPH_MESH                                                                            \
    "\"meshes\":[{\"weights\":[0.5,0.25],\"extras\":{\"targetNames\":[\"smile\"]},"                \
    "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2}" \
    ","                                                                                            \
    "{\"NORMAL\":3}]}]}]"

/* One node, with the first mesh. */
#define GLTF_SCENE ",\"nodes\":[{\"mesh\":0}]"

/* Finishes a file and loads it; the file has to stay until gltf_unload() takes both away. */
void gltf_load(loaded *state, gltf_maker *maker, const char *members, byte_string *glb);
void gltf_unload(loaded *state, byte_string *glb);

#endif
