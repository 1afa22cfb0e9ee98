/* The volume that two closed meshes have in common, by exact Booleans; see the .cpp. */
#ifndef PLIANT_TESTS_EXACT_COMMON_VOLUME_H
#define PLIANT_TESTS_EXACT_COMMON_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh as plain arrays; vertices at equal positions are one. */
typedef struct exact_mesh {
    const float *positions;
    const uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} exact_mesh;

/* False if a mesh does not bound a volume, or no result could be made. */
bool exact_common_volume(const exact_mesh *a, const exact_mesh *b, double *volume);

#ifdef __cplusplus
}
#endif

#endif
