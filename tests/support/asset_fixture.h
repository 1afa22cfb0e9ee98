/* What the tests of assets share: loading from memory, and files made on the spot. */
#ifndef PLIANT_TESTS_ASSET_FIXTURE_H
#define PLIANT_TESTS_ASSET_FIXTURE_H

#include "assert_ok.h"
#include "asset_exercise.h"
#include "counting_allocator.h"

/* A context over a counting allocator; NULL if its own allocation was told to fail. */
pliant_context *asset_context(counting_allocator *memory);

/* Bytes that grow. */
typedef struct byte_string {
    uint8_t *at;
    size_t size, capacity;
} byte_string;

void bytes_add(byte_string *bytes, const void *added, size_t size);
void bytes_add_text(byte_string *bytes, const char *format, ...);
void bytes_add_u8(byte_string *bytes, const uint8_t *values, size_t count);
void bytes_add_u16(byte_string *bytes, const uint16_t *values, size_t count);
void bytes_add_u32(byte_string *bytes, const uint32_t *values, size_t count);
void bytes_add_floats(byte_string *bytes, const float *values, size_t count);
/* The same with the most significant byte first. */
void bytes_add_u32_big(byte_string *bytes, uint32_t value);
void bytes_add_float_big(byte_string *bytes, float value);
void bytes_free(byte_string *bytes);

/* A GLB file of JSON text and a binary chunk (NULL: none). */
byte_string make_glb(const char *json, const byte_string *bin);

/* An asset loaded from memory, and what is needed with it. */
typedef struct loaded {
    counting_allocator memory;
    memory_file files[4];
    memory_folder folder;
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
} loaded;

/* Loads one file; the test fails unless that succeeds. */
void load_bytes(loaded *state, const char *path, const void *bytes, size_t size);
void load_text(loaded *state, const char *path, const char *text);
/* Loads files that stand in `state->files` already. */
void load_files(loaded *state, const char *const *paths, uint32_t count);
void unload(loaded *state);

/* Loading must fail with a sentence that contains `part`, and leave nothing behind. */
void assert_refused(const char *path, const void *bytes, size_t size, const char *part);
void assert_text_refused(const char *path, const char *text, const char *part);
void assert_glb_refused(const char *json, const byte_string *bin, const char *part);

/* The vertices of a body in the current pose; free() them. */
float *evaluated(const loaded *state, uint32_t body);

/* The mesh that a body has. */
const pliant_asset_mesh *mesh_of(const loaded *state, uint32_t body);

/* The corners of a triangle, and numbers up to a tolerance. */
void assert_triangle(const pliant_asset_mesh *mesh, uint32_t triangle, uint32_t a, uint32_t b,
                     uint32_t c);
void assert_near(const float *found, const double *expected, size_t count, double tolerance);

/* The folder of real files. Skips the case if there is none. */
const char *assets_folder(void);

#endif
