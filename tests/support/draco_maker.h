/* Small meshes compressed by Draco's own encoder, for tests and as seeds for fuzzing; see the .cpp.
 */
#ifndef PLIANT_TESTS_DRACO_MAKER_H
#define PLIANT_TESTS_DRACO_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes a stream. Attributes get the unique ids 0, 1 and 2, as far as they are there. */
typedef struct draco_source {
    const float *positions;
    const void *joints;   /* 4 per vertex, of joint_type; NULL: none */
    int joint_type;       /* draco::DataType, 1 to 11; 0: uint8_t */
    const float *weights; /* 4 per vertex; NULL: none */
    const uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
    bool sequential; /* keeps the order of vertices; otherwise Edgebreaker */
} draco_source;

/* Nothing is quantised, so that every number comes back. Returns the size; 0: it does not fit. */
size_t draco_make(const draco_source *source, uint8_t *stream, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
