/* The features of a mesh (D11) and their distances, found the slow way; borderline ones in exact
   arithmetic. A feature is measured as the degenerate triangle that it is. */
#ifndef PLIANT_TESTS_FEATURE_TRUTH_H
#define PLIANT_TESTS_FEATURE_TRUTH_H

#include "one_body.h"

/* A feature: as many vertices as it has, the last of them repeated, and where they are. */
typedef struct feature {
    uint32_t number, vertex_count;
    uint32_t vertices[3];
    float corner[3][3];
} feature;

/* The features of a mesh. */
typedef struct feature_set {
    feature *vertices, *edges, *faces;
    uint32_t vertex_count, edge_count, face_count;
} feature_set;

feature_set feature_set_of(const test_mesh *mesh);
void feature_set_free(feature_set *set);

/* All pairs of features, in order. */
typedef struct measured_pair {
    pliant_feature_kind kind;
    const feature *a, *b;
    double distance, computed; /* as triangles; as the library computes it for such features */
    double spread;
} measured_pair;

typedef struct measured_features {
    measured_pair *pairs;
    size_t count;
} measured_features;

measured_features measure_features(const feature_set *a, const feature_set *b, bool self);

/* The answer has every pair that it must have, none that it may not, and says what is true of each;
   returns how many. */
uint64_t measured_features_check(const measured_features *m, const pliant_features *got, float d,
                                 const char *name);

#endif
