/*
 * The kernels that compare boxes with boxes and triangles with triangles, one table per instruction
 * set. All tables give the same answers and the same verdicts.
 */
#ifndef PLI_QUERY_PAIR_KERNELS_H
#define PLI_QUERY_PAIR_KERNELS_H

#include "bounds/model_kernels.h"
#include "pliant/query.h"

/* The triangles of a refreshed cluster. */
typedef struct pli_slot_triangles {
    const pli_cluster_record *record;
    const uint8_t *corners; /* of the cluster, as in the shape's block */
} pli_slot_triangles;

enum {
    PLI_BATCH = 64, /* most pairs that are tested at once */
    /* Room for all pairs of two clusters, and for what wide stores write behind them. */
    PLI_CANDIDATES = PLI_CLUSTER_SLOTS * PLI_CLUSTER_SLOTS + 64
};

/* Bit i speaks of pair i. In neither word: the triangles are apart. */
typedef struct pli_verdicts {
    uint64_t touch;
    uint64_t unsure; /* float arithmetic cannot tell; exact arithmetic must */
} pli_verdicts;

/* Triangles of one body, whose vertices have names: vertices that may be shared have the same. */
typedef struct pli_named_triangles {
    pli_slot_triangles triangles;
    const uint32_t *names; /* as many as the record's stride */
} pli_named_triangles;

/* How triangles of one body that share a vertex are treated. */
typedef struct pli_neighbour_rule {
    pliant_neighbours rule;
    bool seams;    /* vertices of one name may be in different places, and are then not shared */
    bool moderate; /* all coordinates are below 2^38 in magnitude */
} pli_neighbour_rule;

/* Pairs that share a vertex and touch by the rule, or for which exact arithmetic must tell. */
typedef struct pli_neighbour_pairs {
    uint32_t count;
    uint8_t slot_a[PLI_CLUSTER_SLOTS * PLI_CLUSTER_SLOTS];
    uint8_t slot_b[PLI_CLUSTER_SLOTS * PLI_CLUSTER_SLOTS];
    bool touch[PLI_CLUSTER_SLOTS * PLI_CLUSTER_SLOTS];
} pli_neighbour_pairs;

/* Triangles with the features that each slot owns (mesh/mesh.h). Without names, no vertex is shared
   with another body's. */
typedef struct pli_feature_triangles {
    pli_named_triangles named;
    const uint8_t *owned;
} pli_feature_triangles;

/* Pairs of triangles: their corners by number in the cluster, a byte each from the lowest, and
   which features are open, that is, owned and without a vertex that is shared. Bit i: corner i of a
   and the face b; bit 3 + j: corner j of b and the face a; bit 6 + 3 i + j: edges i of a and j of
   b. */
typedef struct pli_packed_pairs {
    uint32_t a[PLI_BATCH], b[PLI_BATCH];
    uint32_t open[PLI_BATCH];
} pli_packed_pairs;

typedef struct pli_pair_kernels {
    /*
     * Compares boxes a[0 ... 8) with b[0 ... 8): bit 8 i + j says whether a[i] meets b[j]. `a`
     * points at the lower x of the first box; its other sides follow `stride_a` floats apart.
     * Closed boxes: touching counts. Empty boxes meet nothing.
     */
    uint64_t (*boxes_meet)(const float *a, size_t stride_a, const float *b, size_t stride_b);
    /* The same for one lane of boxes with b[0 ... 8): bit j. */
    unsigned (*box_meets)(const pli_boxes *one, uint32_t lane, const pli_boxes *b);
    /*
     * Compares spheres a[0 ... 8) with b[0 ... 8): bit 8 i + j is clear only if a[i] and b[j] are
     * more than `more` apart. Lanes that are not there count like others.
     */
    uint64_t (*spheres_meet)(const pli_spheres *a, const pli_spheres *b, float more);
    /* The same for one sphere with b[0 ... 8): bit j. */
    unsigned (*sphere_meets)(const float centre[3], float radius, const pli_spheres *b, float more);
    /*
     * Lists the pairs of slots of two clusters whose boxes meet; of a cluster with itself, each
     * pair of different slots once. Returns their number; 16 bytes behind them are valid slots too.
     */
    uint32_t (*list_candidates)(const pli_cluster_record *a, const pli_cluster_record *b,
                                uint8_t slot_a[PLI_CANDIDATES], uint8_t slot_b[PLI_CANDIDATES]);
    /*
     * Tests 1 to PLI_BATCH pairs of triangles, slot_a[i] of a with slot_b[i] of b, whose boxes
     * meet. All coordinates must be below 2^38 in magnitude.
     */
    pli_verdicts (*test_triangles)(const pli_slot_triangles *a, const uint8_t *slot_a,
                                   const pli_slot_triangles *b, const uint8_t *slot_b,
                                   uint32_t count);
    /*
     * Takes candidates that share a vertex out of a list, which keeps its order, and fills `kept`
     * with those that the rule does not drop. Returns how many are left; 16 bytes behind them are
     * valid slots too.
     */
    uint32_t (*separate_neighbours)(const pli_named_triangles *a, uint8_t *slot_a,
                                    const pli_named_triangles *b, uint8_t *slot_b, uint32_t count,
                                    const pli_neighbour_rule *rule, pli_neighbour_pairs *kept);
    /* Packs 1 to PLI_BATCH pairs of triangles; vertices of one name are shared wherever they are.
       16 bytes behind the slots may be read. */
    void (*pack_pairs)(const pli_feature_triangles *a, const uint8_t *slot_a,
                       const pli_feature_triangles *b, const uint8_t *slot_b, uint32_t count,
                       pli_packed_pairs *packed);
} pli_pair_kernels;

#endif
