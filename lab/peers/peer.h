/*
 * Other libraries as contestants. An adaptor, in C++, hides each library behind these few C
 * functions; peers.h makes contestants of them. An adaptor uses its library as its documentation
 * says and as fast as it can: a tree per body, made once from the start, brought up to date each
 * step, and asked about every two bodies whose boxes meet.
 */
#ifndef LAB_PEERS_PEER_H
#define LAB_PEERS_PEER_H

#include "pliant/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_body {
    const float *positions; /* at the start; not kept */
    const uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} peer_body;

typedef struct peer_scene {
    const peer_body *bodies; /* their triangles stay where they are */
    uint32_t body_count;
    bool self; /* which triangles of the only body touch that share no vertex */
} peer_scene;

/* The pairs of triangles of two bodies, a < b, or of one, a == b. */
typedef struct peer_range {
    uint32_t a, b;
    uint64_t first, count;
} peer_range;

/* Lives until the peer's next call. */
typedef struct peer_answer {
    const pliant_pair *pairs;
    const peer_range *ranges;
    uint32_t range_count;
} peer_answer;

typedef struct peer_kind {
    const char *name;                         /* in tables */
    const char *key;                          /* of its ratio, without a size; NULL: it has none */
    const char *library;                      /* with its version; NULL: the laboratory's own */
    bool can_self;                            /* whether it can be asked about one body */
    void *(*create)(const peer_scene *scene); /* NULL on failure */
    /* The positions stay where they are until the next update. */
    bool (*update)(void *state, const float *const *positions);
    bool (*query)(void *state, bool first_only, peer_answer *answer);
    void (*destroy)(void *state);
} peer_kind;

extern const peer_kind peer_plain;
extern const peer_kind peer_embree_refit, peer_embree_low;
extern const peer_kind peer_fcl_collide, peer_fcl_direct, peer_fcl_obb;
extern const peer_kind peer_bullet_gimpact, peer_bullet_dbvt;
extern const peer_kind peer_cgal;
extern const peer_kind peer_ode;

#ifdef __cplusplus
}
#endif

#endif
