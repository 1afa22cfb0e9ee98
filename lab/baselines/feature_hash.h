/* A rival for features within a distance: spatial hashing of faces and edges. */
#ifndef LAB_BASELINES_FEATURE_HASH_H
#define LAB_BASELINES_FEATURE_HASH_H

#include "gallery/gallery.h"

typedef struct feature_hash feature_hash;

typedef struct feature_counts {
    uint64_t vertex_faces, edges; /* pairs within the distance */
} feature_counts;

/* A mesh whose vertices are all different; NULL when there is no memory. */
feature_hash *feature_hash_create(const gallery_mesh *mesh);
void feature_hash_destroy(feature_hash *hash);

/* Counts the pairs of features that share no vertex and are within a distance; false when there is
   no memory. */
bool feature_hash_count(feature_hash *hash, const float *positions, float distance,
                        feature_counts *counts);

#endif
