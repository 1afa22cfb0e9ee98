/* The distance of two features of meshes, in double, and where they are closest. It needs the
   default floating-point environment. */
#ifndef PLI_GEOMETRY_FEATURE_DISTANCE_H
#define PLI_GEOMETRY_FEATURE_DISTANCE_H

#include <stdint.h>

/* Two features: the distance, the points as weights of the features' corners, and the direction
   from the first to the second (docs/definition.md, D11). */
typedef struct pli_feature_gap {
    double distance; /* off by less than PLI_DISTANCE_ERROR times the spread; 0: exactly */
    double weight[4];
    double direction[3];
} pli_feature_gap;

/* A point and a closed triangle; the point's weight comes first. */
void pli_vertex_face_gap(const float point[3], const float face[3][3], pli_feature_gap *gap,
                         uint64_t *fallbacks);

/* Two closed segments. */
void pli_edge_edge_gap(const float a[2][3], const float b[2][3], pli_feature_gap *gap,
                       uint64_t *fallbacks);

#endif
