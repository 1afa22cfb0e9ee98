/*
 * Other libraries that measure how far points are from a body, behind a few C functions: a tree
 * over the triangles in one state, then one question per point, as their documentation says.
 */
#ifndef LAB_PEERS_POINT_PEER_H
#define LAB_PEERS_POINT_PEER_H

#include "peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct point_peer {
    const char *name;                       /* in tables */
    const char *key;                        /* of its ratio */
    bool has_sides;                         /* distances are negative inside */
    uint32_t every;                         /* asked about one point in so many, as it is slow */
    void *(*create)(const peer_body *body); /* makes the tree; NULL on failure */
    double (*distance)(void *state, const float point[3]);
    void (*destroy)(void *state);
} point_peer;

extern const point_peer point_peer_embree, point_peer_cgal;

#ifdef __cplusplus
}
#endif

#endif
