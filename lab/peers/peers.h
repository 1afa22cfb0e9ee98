/* The peers that this build has, as contestants, and what is said of those it has not. */
#ifndef LAB_PEERS_PEERS_H
#define LAB_PEERS_PEERS_H

#include "lab/harness/contest.h"
#include "box_peer.h"
#include "peer.h"
#include "point_peer.h"
#include "ray_peer.h"

/* At most this many. */
#define PEERS_MAX 10

/* The contestants built in: the plain tree, which needs no library, is the first. If a motion's
   bodies have models, evaluating all vertices, by vector
   instructions, is part of a peer's update. */
uint32_t peers_count(void);
const bench_method *peers_method(uint32_t peer);
const peer_kind *peers_kind(uint32_t peer);

/* Writes the names of the libraries with their versions, each once; "" if this build has none. */
void peers_list_libraries(char *text, size_t capacity);

/* The one with a broad phase; NULL if it is not there. */
const box_peer *peers_box(void);

/* Those that measure distances of points. */
uint32_t peers_point_count(void);
const point_peer *peers_point(uint32_t peer);

/* The one that follows rays, or NULL. */
const ray_peer *peers_rays(void);

/* Debian's names of the packages that the build did without, separated by spaces; "" if none. */
const char *peers_missing_packages(void);

#endif
