/* One walk of pliant_find_features() or pliant_find_features_self(), or a part of one in a scene.
 */
#ifndef PLI_QUERY_FEATURES_H
#define PLI_QUERY_FEATURES_H

#include "query/collision.h"
#include "query/near_clusters.h"

enum {
    PLI_FEATURES_OF_TRIANGLES = 9, /* pairs of edges of two triangles */
    PLI_WAITING_FEATURES = PLI_BATCH + PLI_FEATURES_OF_TRIANGLES + 16 /* slack for wide loads */
};

/* Pairs of features of two clusters that wait for a kernel, which is given `vertices`: see
   distance_kernels.h. `names` says for a vertex and a face which slot has the face, and for edges
   which they are: 4 slot + k, a byte each. */
typedef struct pli_waiting_features {
    uint32_t count;
    uint32_t vertices[PLI_WAITING_FEATURES];
    uint16_t names[PLI_WAITING_FEATURES];
} pli_waiting_features;

typedef struct pli_feature_walk {
    pli_collision collision;          /* its walk is the first member, as every walk's */
    pliant_collide_options crossings; /* what it is asked */
    pli_near near;
    pli_cluster_view view[2]; /* the clusters that are compared */
    pli_near_limit limit;
    pli_waiting_features vertices[2]; /* [0]: vertices of the first cluster, faces of the second */
    pli_waiting_features edges;
    bool grouped; /* not all groups are asked for */
} pli_feature_walk;

/* Sets up a walk; what it finds goes to the query's lists of features, and triangles that touch to
   its keys. pli_features_prepared() must follow once the bodies are prepared. */
void pli_features_init(pli_feature_walk *walk, pli_worker *worker, pliant_body *a, pliant_body *b,
                       float distance, const pliant_feature_options *options);
void pli_features_prepared(pli_feature_walk *walk);

#endif
