/*
 * The shape of one body's own, which can be torn: a shape like any other to those who read it, but
 * its arrays are edited in place. It has what edits need besides: where each triangle lies, what is
 * above each node, and a ring of corners around each welded vertex.
 *
 * Its tree differs from that of other shapes in two ways. The vertices of a node are those in the
 * lists of its clusters, which lie side by side, each with room to grow that its last vertex fills;
 * there are no extras. And children that became empty are gone from their nodes, so that a node may
 * have one child; numbers of clusters and nodes stay. The list of an empty cluster holds a vertex
 * of another one, its keeper, so that the nodes above both may read over it.
 */
#ifndef PLI_SHAPE_TEARING_H
#define PLI_SHAPE_TEARING_H

#include "base/array.h"
#include "shape/shape.h"

enum { PLI_TEARING_ARRAYS = 27 };

struct pli_tearing {
    uint32_t twice_count; /* triangles that use a welded vertex twice */
    uint32_t live_count;  /* triangles that were not removed */
    uint32_t now;         /* the stamp of what the tear under way touches */
    union {
        struct {
            /* The shape's: */
            PLI_ARRAY(float) positions;
            pli_indices triangles, welded;
            PLI_ARRAY(uint16_t) groups;
            PLI_ARRAY(pli_node) nodes;
            PLI_ARRAY(pli_cluster) clusters;
            pli_indices lists; /* cluster_vertices, and vertex_order too */
            pli_indices slot_triangles;
            PLI_ARRAY(uint8_t) slot_corners, slot_features;
            /* What edits need: */
            pli_indices slot_of;         /* per triangle */
            pli_indices cluster_of;      /* per 16 slots */
            pli_indices above;           /* per node, then per cluster: the node above it */
            pli_indices keeper;          /* per cluster, while it is empty */
            pli_indices kept, next_kept; /* per cluster: the first empty one that it keeps, and the
                                            next that its own keeper keeps */
            pli_indices ring;      /* per vertex: the lowest corner, 3 t + k, welded with it */
            pli_indices ring_next; /* per corner: the next higher one */
            pli_indices vertex_stamp, triangle_stamp, cluster_stamp;
            /* Scratch of a tear: */
            pli_indices touched;          /* welded vertices */
            pli_indices touched_clusters; /* and how many corners of each go to copies: */
            pli_indices growth;           /* per cluster */
            pli_indices tail;             /* per copy: the last corner of its ring so far */
            pli_keys met, met_scratch;    /* edges around one vertex: other end, edge */
        };
        pli_array arrays[PLI_TEARING_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pli_tearing);

/* A shape like `shape`, which stays as it is, that can be torn. One user: the caller. */
pliant_result pli_shape_make_tearable(const pliant_shape *shape, pliant_shape **tearable);

/* Releases what a tearable shape has besides the others. */
void pli_tearing_release(pliant_shape *shape);
uint64_t pli_tearing_bytes(const pli_tearing *tearing);

/* Lays the clusters' lists out anew, each with room for its growth, and some. On failure nothing
   has changed. */
bool pli_tearing_lay_out_lists(pliant_shape *shape, const uint32_t *from);

/* How many entries the list of a cluster has room for. */
static inline uint32_t pli_tearing_capacity(const pli_tearing *t, uint32_t cluster)
{
    uint32_t end = cluster + 1 < t->clusters.count ? t->clusters.data[cluster + 1].first_vertex
                                                   : (uint32_t)t->lists.count;
    return end - t->clusters.data[cluster].first_vertex;
}

/* Fills the room behind a cluster's vertices, and that of the empty clusters that it keeps. */
void pli_tearing_fill_rest(pli_tearing *t, uint32_t cluster);

/* The arrays may have moved: the shape points to where they are. */
void pli_tearing_publish(pliant_shape *shape);

/* What the vertices that a tear touches have to do with closedness. */
typedef struct pli_tear_begun {
    uint32_t open_edges, twice;
} pli_tear_begun;

/*
 * tear.c: tears a tearable shape that nobody else uses. All that can fail comes first; on failure
 * nothing has changed. In between nobody may look at the shape's triangles.
 */
pliant_result pli_shape_begin_tear(pliant_shape *shape, const pliant_tear *tear,
                                   pli_tear_begun *begun);
void pli_shape_end_tear(pliant_shape *shape, const pliant_tear *tear, const pli_tear_begun *begun);

/* quality.c: the quality of a torn shape as a whole, and an order of its vertices in which the
   vertices of each cluster come together. */
pliant_result pli_tearing_order_vertices(const pliant_shape *shape, uint32_t *order);
pliant_result pli_tearing_measure(const pliant_shape *shape, pliant_shape_quality *quality);

#endif
