/* Other libraries' broad phases, behind a few C functions: boxes that move, the pairs that overlap,
   and the boxes that a ray or a box meets. */
#ifndef LAB_PEERS_BOX_PEER_H
#define LAB_PEERS_BOX_PEER_H

#include "pliant/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct box_peer {
    const char *name;                                         /* in tables */
    const char *library;                                      /* with its version */
    void *(*create)(const pliant_box *boxes, uint32_t count); /* NULL on failure */
    /* Moves all boxes and lists the pairs that overlap, low << 32 | high, in any order. */
    bool (*update)(void *state, const pliant_box *boxes, const uint64_t **pairs, size_t *count);
    /* How many boxes a way from one point to another meets, or a box. */
    uint32_t (*ray)(void *state, const float from[3], const float to[3]);
    uint32_t (*box)(void *state, const pliant_box *box);
    void (*destroy)(void *state);
} box_peer;

extern const box_peer box_peer_bullet;

#ifdef __cplusplus
}
#endif

#endif
