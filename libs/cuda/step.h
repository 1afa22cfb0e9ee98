/*
 * What kernels work on: shapes and bodies on the device, queues between kernels, and the step,
 * which has pointers to all of them. Every kernel gets the step and nothing else. Pointers are the
 * device's.
 *
 * Clusters of bodies are numbered through all bodies of a scene; those of each body begin at a
 * multiple of 8, and eight of them in a row are an *octet*. A cluster that is not there has a box
 * that meets nothing.
 *
 * Boxes of octets and of bodies are whole numbers that are ordered as floats are (pli_order_of()),
 * so that the least and greatest of many warps can be had by atomics.
 */
#ifndef PLI_CUDA_STEP_H
#define PLI_CUDA_STEP_H

#include "lanes.h"

enum {
    PLI_CUDA_SLOTS = 64,        /* triangles of a cluster */
    PLI_CUDA_OCTET = 8,         /* clusters of an octet */
    PLI_CUDA_VERTICES = 192,    /* of a cluster, at most */
    PLI_CUDA_BUCKET_ROW = 256,  /* buckets that contacts are sorted into stand in rows, */
    PLI_CUDA_BUCKET_ROWS = 512, /* of which there are at most so many, */
    PLI_CUDA_LEAST_ROWS = 16,   /* and at least */
    PLI_CUDA_FULL = 1024,       /* contacts of a bucket from which they are sorted by digits */
    PLI_CUDA_BOUND_ROWS = 7,    /* of numbers that boxes follow from, at rest and per mode */
    PLI_CUDA_FEW = 4096,        /* contacts that are sorted all at once, at most */
    PLI_CUDA_CHUNK = 32,        /* candidates that a warp takes room for at once */
    PLI_CUDA_SLOT_BITS = 12,  /* of a candidate: two slots; the rest says which pair of clusters */
    PLI_CUDA_UNIT = 16,       /* floats that vertices of clusters are given out by */
    PLI_CUDA_RING = 32,       /* entries of a fan's ring, at most */
    PLI_CUDA_DIGITS = 256,    /* values of a digit */
    PLI_CUDA_DIGIT_RUN = 1024 /* contacts whose digits a warp counts */
};

#define PLI_CUDA_NOTHING UINT64_MAX

/* On the name of a vertex: triangles that share it are known to be no contact. */
#define PLI_CUDA_SETTLED 0x80000000u

/* The box of a cluster. */
typedef struct pli_cuda_box {
    PLI_ALIGN_16 float lower[4];
    PLI_ALIGN_16 float upper[4];
} pli_cuda_box;

/* The box of an octet or of a body, by pli_order_of(). */
typedef struct pli_cuda_ordered {
    PLI_ALIGN_16 int32_t lower[4];
    PLI_ALIGN_16 int32_t upper[4];
} pli_cuda_ordered;

/* A cluster of a shape. Its triangles lie side by side in the first of its 64 slots. */
typedef struct pli_cuda_cluster {
    uint32_t first_vertex; /* of the shape's lists of vertices */
    uint32_t vertex_count, stride;
    uint32_t triangle_count;
    uint32_t first_mode, mode_count;   /* of the shape's list of modes */
    uint32_t first_joint, joint_count; /* of the shape's list of joints */
    uint64_t first_value;              /* of `values`: rest[3], field[3] per mode, weight per joint,
                                          `stride` each */
} pli_cuda_cluster;

typedef struct pli_cuda_shape {
    const pli_cuda_cluster *clusters;
    const uint32_t *vertices;  /* the caller's numbers */
    const uint32_t *names;     /* the lowest vertex welded with each; PLI_CUDA_SETTLED besides where
                                  it is the only one */
    const uint32_t *corners;   /* by slot: places in the cluster's list, 8 bits each */
    const uint32_t *triangles; /* by slot: the caller's numbers */
    const uint16_t *groups;    /* by slot; NULL if there are none */
    const uint64_t *masks; /* by slot: the cluster's slots whose triangles use a name of its own */
    const uint32_t *fans;  /* per vertex and one more: where its fan begins in */
    const uint32_t *rings; /* fans (kernel_fans.h); NULL until they are asked for */
    const uint32_t *modes, *joints;
    const float *values;
    uint32_t cluster_count, joint_count;
    uint32_t has_influences;
    uint32_t reserved;
} pli_cuda_shape;

typedef struct pli_cuda_body {
    const pli_cuda_shape *shape;
    const float *positions; /* NULL: vertices follow from what is below, where they are needed */
    const float *coordinates, *transforms, *world; /* world may be NULL */
    const uint64_t *group_bits;                    /* groups that take part; NULL: all */
    uint64_t position_stride, transform_stride;    /* in floats */
    uint64_t category, mask;
    uint32_t group_count; /* groups that group_bits has room for */
    uint32_t first_cluster, cluster_count;
    uint32_t self, is_static;
    uint32_t mode_count;
} pli_cuda_body;

/* A cluster of a body: all that is needed to look at its triangles, side by side. */
typedef struct pli_cuda_site {
    PLI_ALIGN_16 const uint32_t *corners; /* by slot */
    const uint32_t *names;                /* of its vertices, as the shape has them */
    uint32_t body;
    uint32_t place; /* where its vertices lie, in units; UINT32_MAX: there was no room for them */
    uint16_t stride, triangle_count;
    uint32_t own; /* its number in the body's shape */
} pli_cuda_site;

/* What a cluster that is given by positions is refitted from. */
typedef struct pli_cuda_free {
    PLI_ALIGN_16 const uint32_t *vertices; /* as those of its shape */
    const uint32_t *names;
    uint32_t cluster, body, place, stride;
} pli_cuda_free;

/* What boxes of eight clusters follow from whose vertices follow from a state. */
typedef struct pli_cuda_lazy {
    PLI_ALIGN_16 const float *bounds; /* rows of eight numbers, one per cluster: at rest and for
                                         each mode centre[3], half size[3] and at least the sum of
                                         their magnitudes along any axis; then least and greatest
                                         sum of weights */
    const uint32_t *modes;            /* those of any of the clusters */
    uint32_t mode_count, octet, body;
    uint32_t own; /* the first cluster's number in the body's shape */
} pli_cuda_lazy;

/* Two bodies whose triangles are compared, or one with itself: a <= b. */
typedef struct pli_cuda_bodies {
    uint32_t a, b;
} pli_cuda_bodies;

/* 32 octets of one body and 32 of another, or two octets, or two clusters. */
typedef struct pli_cuda_pair {
    uint32_t a, b;
    uint32_t bodies; /* place among the pairs of bodies */
} pli_cuda_pair;

/* Two triangles that touch: bodies, then triangles, the first in the upper half. */
typedef struct pli_cuda_key {
    PLI_ALIGN_16 uint64_t bodies;
    uint64_t triangles;
} pli_cuda_key;

/* Two triangles that the device cannot decide. */
typedef struct pli_cuda_open {
    float corner[2][3][3];
    uint32_t place; /* among the pairs of bodies */
    uint32_t shared_count;
    pli_cuda_key key;
    uint8_t shared[2][4];
} pli_cuda_open;

/* What is counted in a step, past the end of queues too. */
typedef enum pli_cuda_counter {
    PLI_CUDA_BODIES,     /* pairs of bodies */
    PLI_CUDA_TILES,      /* 32 octets and 32 octets */
    PLI_CUDA_OCTETS,     /* pairs of octets */
    PLI_CUDA_CLUSTERS,   /* pairs of clusters */
    PLI_CUDA_EVALUATED,  /* clusters to evaluate */
    PLI_CUDA_UNITS,      /* of vertices given out */
    PLI_CUDA_CANDIDATES, /* pairs of triangles whose boxes meet, empty places included, */
    PLI_CUDA_NEIGHBOURS, /* but those that may share a vertex, which are here */
    PLI_CUDA_UNDECIDED,  /* by floating-point filters */
    PLI_CUDA_OPEN,       /* left to the processor */
    PLI_CUDA_TOUCHING,
    PLI_CUDA_QUEUES,                  /* those above have queues; those below do not */
    PLI_CUDA_TAKEN = PLI_CUDA_QUEUES, /* parts of pairs of clusters that warps have taken */
    PLI_CUDA_TESTED,                  /* pairs of triangles tested */
    PLI_CUDA_FULLEST, /* contacts of the fullest bucket, if one has more than PLI_CUDA_FULL */
    PLI_CUDA_BAD, /* the lowest body << 32 whose state is not finite, plus vertex + 1 where it is a
                     vertex that is not; all ones: none */
    PLI_CUDA_COUNTERS
} pli_cuda_counter;

typedef struct pli_cuda_step {
    const pli_cuda_body *bodies;
    uint32_t body_count, octet_count, cluster_count;
    uint32_t free_count;       /* clusters of bodies that are given by positions, */
    uint32_t lazy_count;       /* octets of the others, */
    const pli_cuda_free *free; /* and which they are */
    const pli_cuda_lazy *lazy;
    pli_cuda_ordered *body_boxes, *octet_boxes;
    pli_cuda_box *boxes;
    pli_cuda_site *sites; /* per cluster */
    uint32_t *marks;      /* per cluster: 1 where it is among the evaluated ones */
    uint32_t first_units; /* that clusters given by positions have for themselves */
    uint32_t uses_fans;   /* the rule is BEYOND_SHARED, and bodies with `self` have fans */
    float *vertices;      /* x of a cluster's vertices, then y, then z, `stride` each */
    uint32_t *names;      /* of the same vertices, for clusters given by positions; with fans */
    uint64_t *counters;   /* pli_cuda_counter */
    uint64_t *report;     /* what was counted, and then 1, where the processor reads it */
    uint64_t capacity[PLI_CUDA_QUEUES];
    pli_cuda_bodies *pairs;
    pli_cuda_pair *tiles, *octet_pairs, *cluster_pairs;
    uint32_t *evaluated;
    uint32_t *candidates; /* pair of clusters, less the chunk's base << 12 | slot of a << 6 | of b;
                             all ones: none */
    uint32_t *bases;      /* per chunk of candidates: the place of a pair of clusters */
    uint64_t *neighbours_found; /* place of the pair of clusters << 12 | slot of a << 6 | of b */
    uint64_t *undecided;        /* the same */
    pli_cuda_open *open;        /* where the processor reads it */
    pli_cuda_key *touching, *scattered;
    uint32_t *sorted; /* four numbers per contact: bodies, triangles */
    uint64_t *first;  /* per pair of bodies: the least triangles found; FIRST only */
    uint32_t *bucket_sizes, *bucket_ends; /* ends: within their row */
    uint32_t *row_sizes, *row_begins;     /* of buckets */
    uint32_t bucket_rows;
    /* The place of a contact is (body a * bodies + body b) * bucket_triangles + triangle a, less
       the least one; its bucket is that times bucket_scale / 2^64, or itself if that is 0. */
    uint32_t bucket_triangles;
    uint64_t bucket_first, bucket_scale;
    uint32_t *digit_counts;
    const uint64_t *groups_a, *groups_b; /* groups asked for; NULL: all */
    uint32_t groups_a_count, groups_b_count;
    uint32_t has_groups;              /* groups may keep triangles apart */
    uint32_t finds_first, neighbours; /* PLIANT_COLLIDE_FIRST, pliant_neighbours */
    uint32_t forces_exact;            /* nothing is decided by filters; for tests */
    uint32_t *order;                  /* bodies by where their boxes begin; sweep only */
    uint32_t digit;                   /* which one is sorted by, from 0 */
    uint64_t key_count;               /* keys that are sorted by digits, or come from outside */
} pli_cuda_step;

#endif
