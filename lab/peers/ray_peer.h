/*
 * Other libraries that follow rays through many bodies, behind a few C functions. Positions stay
 * where they were when it was made; who has written new ones says so before the next ray.
 */
#ifndef LAB_PEERS_RAY_PEER_H
#define LAB_PEERS_RAY_PEER_H

#include "peer.h"
#include "pliant/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ray_peer {
    const char *name; /* in tables */
    /* Positions have room for one number more behind the last; NULL on failure. */
    void *(*create)(const peer_body *bodies, uint32_t count);
    void (*update)(void *state);
    /* The parameter of the first hit, or infinity; and the body that is hit. */
    double (*cast)(void *state, const pliant_ray *ray, uint32_t *body);
    void (*destroy)(void *state);
} ray_peer;

extern const ray_peer ray_peer_embree;

#ifdef __cplusplus
}
#endif

#endif
